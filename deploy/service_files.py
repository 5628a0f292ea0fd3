"""What compose files refer to that is not there (files, secrets, users), and passwords in them.

A password is a secret, which is a file; none is written down, and none has a default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

Tree = dict[str, Any]

SECRET_PATH = re.compile(r"/run/secrets/([\w.-]+)")
REDIS_USER = re.compile(r"rediss?://([^:@/]*)(:[^@/]*)?@")
NAMED_SECRET = re.compile(r"PASSWORD|SECRET|TOKEN|_KEY$")
SHORTEST = 20  # characters of a password; those of secrets.sh have 64
MADE_LATER = ("metrics_token", "redis_tls_ca", "redis_tls_cert", "redis_tls_key")


def reference_problems(deploy: Path) -> Iterator[str]:
    """Every mistake in what the compose files of `deploy` refer to."""
    whole: Tree = YAML(typ="safe").load(deploy / "compose.yaml")
    for file in sorted(deploy.glob("compose*.yaml")):
        tree: Tree = YAML(typ="safe").load(file)
        declared = {**(whole.get("secrets") or {}), **(tree.get("secrets") or {})}
        for name, service in (tree.get("services") or {}).items():
            base = {} if tree == whole else whole["services"].get(name, {})
            where = f"{file}: service {name!r}"
            yield from (f"{where}: {each}" for each in _file_problems(deploy, service))
            yield from (
                f"{where}: {each}" for each in _secret_problems(deploy, service, base, declared)
            )
        yield from (f"{file}: {each}" for each in _weak_secrets(deploy, tree.get("secrets") or {}))
    used = {name for service in whole["services"].values() for name in service.get("secrets") or ()}
    for name in sorted((whole.get("secrets") or {}).keys() - used):
        yield f"{deploy / 'compose.yaml'}: nobody uses the secret {name!r}"
    yield from user_problems(deploy / "redis" / "users.acl")


def _file_problems(deploy: Path, service: Tree) -> Iterator[str]:
    if build := service.get("build"):
        if isinstance(build, str):
            build = {"context": build}
        context, dockerfile = deploy / build["context"], build.get("dockerfile", "Dockerfile")
        file = context / dockerfile
        if build["context"] == "..":  # the checkout: deploy/ may be a copy that has another name
            file = deploy / dockerfile.removeprefix("deploy/")
        if not file.is_file():
            yield f"there is no {file}"
    for volume in service.get("volumes") or ():
        source = str(volume).partition(":")[0]
        if source.startswith(".") and not (deploy / source).exists():
            yield f"there is no {deploy / source} to mount"
    for entry in service.get("env_file") or ():
        path = deploy / (entry if isinstance(entry, str) else entry["path"])
        if not path.is_file() and not path.with_name(f"{path.name}.example").is_file():
            yield f"there is neither {path} nor an example of it"


def _secret_problems(deploy: Path, service: Tree, base: Tree, declared: Tree) -> Iterator[str]:
    own = {*(service.get("secrets") or ()), *(base.get("secrets") or ())}
    for name in sorted(own - declared.keys()):
        yield f"the secret {name!r} is not declared"
    variables = _variables(service)
    mounted = "\n".join(_texts(deploy, service))
    spoken = f"{service.get('command')} {variables} {mounted}"
    for name in sorted(set(SECRET_PATH.findall(spoken)) - own):
        yield f"it reads /run/secrets/{name}, which it is not given"
    users = _users(deploy / "redis" / "users.acl")
    for variable, value in variables.items():
        by_file = variable.endswith("_FILE") or "/run/secrets/" in value
        if NAMED_SECRET.search(variable) and not by_file:
            yield f"{variable} stands in the file; make it a secret"
        for user, password in REDIS_USER.findall(value):
            if password:
                yield f"the password of {user or 'Redis'} stands in {variable}; use password_file"
            if user not in users:
                yield f"users.acl has no user {user!r}"


def _variables(service: Tree) -> dict[str, str]:
    given = service.get("environment") or {}
    if isinstance(given, list):
        given = dict(pair.partition("=")[::2] for pair in given)
    return {name: str(value) for name, value in given.items()}


def _texts(deploy: Path, service: Tree) -> Iterator[str]:
    """The files that are mounted, which may name secrets as well."""
    for volume in service.get("volumes") or ():
        source = deploy / str(volume).partition(":")[0]
        if str(volume).startswith("."):
            files = [source] if source.is_file() else sorted(source.rglob("*.yaml"))
            yield from (file.read_text(encoding="utf-8") for file in files if file.is_file())


def _weak_secrets(deploy: Path, secrets: Tree) -> Iterator[str]:
    maker = (deploy / "secrets.sh").read_text(encoding="utf-8")
    for name, secret in secrets.items():
        if not (file := (secret or {}).get("file")):
            yield f"the secret {name!r} is no file"
            continue
        if name not in maker and name not in MADE_LATER:
            yield f"secrets.sh does not make {name!r}"
        path = deploy / file
        if path.is_file() and name not in MADE_LATER:
            words = path.read_text(encoding="utf-8").strip()
            if len(words) < SHORTEST:
                yield f"the secret in {path} is shorter than {SHORTEST} characters"


def _users(acl: Path) -> set[str]:
    lines = acl.read_text(encoding="utf-8").splitlines()
    return {line.split()[1] for line in lines if line.startswith("user ")}


def user_problems(acl: Path) -> Iterator[str]:
    """Passwords in a file of users, and a user without a name who may come in."""
    lines = [line.split() for line in acl.read_text(encoding="utf-8").splitlines() if line]
    for _, name, *rules in lines:
        if "nopass" in rules or any(rule[0] in "><#" for rule in rules):
            yield f"{acl}: user {name!r} has a password, or needs none: leave it to the secrets"
    default = next((rules for _, name, *rules in lines if name == "default"), ["on"])
    if "off" not in default:
        yield f"{acl}: switch the user default off"
    if not {"allkeys", "allchannels", "+@all"} <= set(default):
        yield f"{acl}: deny default nothing: Redis replays its append-only file as that user"

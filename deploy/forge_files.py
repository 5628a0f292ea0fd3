"""What is wrong with the files for a public forge, without one to ask.

Schemas first: workflows, forms, the citation. Then what they do not see: an action that can change
under its name, a job with more rights than it needs, words of strangers in a shell, and versions
that differ.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

Tree = dict[str, Any]
Validated = Callable[..., Iterator[str]]  # a command and its arguments; its complaints

SCHEMAS = (
    ("vendor.github-workflows", ".github/workflows/*.yml"),
    ("custom.github-workflows-require-timeout", ".github/workflows/*.yml"),
    ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
    ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
    ("vendor.citation-file-format", "CITATION.cff"),
)
NEEDED = ("SECURITY.md", ".github/pull_request_template.md")
PINNED = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40}$")
MAKE = re.compile(r"\bmake ([a-z-]+)")
TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)
EXPRESSION = re.compile(r"\$\{\{")


def forge_problems(root: Path, validated: Validated) -> Iterator[str]:
    """Every mistake in the files for a forge of the checkout at `root`, one line each."""
    for schema, pattern in SCHEMAS:
        if files := sorted(map(str, root.glob(pattern))):
            yield from validated("check-jsonschema", "--builtin-schema", schema, *files)
        else:
            yield f"there is no {root / pattern}"
    yield from (f"there is no {root / name}" for name in NEEDED if not (root / name).is_file())
    targets = set(TARGET.findall((root / "Makefile").read_text(encoding="utf-8")))
    for workflow in sorted(root.glob(".github/workflows/*.yml")):
        for name in sorted(set(MAKE.findall(workflow.read_text(encoding="utf-8"))) - targets):
            yield f"{workflow}: the Makefile has no target {name}"
        yield from (f"{workflow}: {each}" for each in workflow_problems(_read(workflow)))
    if (citation := root / "CITATION.cff").is_file():
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        if (cited := _read(citation).get("version")) != project["version"]:
            yield f"{citation}: cites version {cited}, pyproject.toml has {project['version']}"


def workflow_problems(workflow: Tree) -> Iterator[str]:
    """Rights, pins and commands of a workflow, beyond its schema."""
    given = workflow.get("permissions")
    if not isinstance(given, dict) or set(given.values()) - {"read", "none"}:
        yield "set permissions to what all jobs need, and to read at most"
    if "concurrency" not in workflow:
        yield "set concurrency, so that a newer run ends an older one"
    for name, job in (workflow.get("jobs") or {}).items():
        yield from (f"job {name!r}: {each}" for each in _job_problems(job))


def _job_problems(job: Tree) -> Iterator[str]:
    given = job.get("permissions") or {}
    writes = ["all"] if isinstance(given, str) else [k for k, v in given.items() if v == "write"]
    steps: list[Tree] = job.get("steps") or []
    if writes and any("run" in step for step in steps):
        yield f"it may write ({', '.join(writes)}) and runs commands: leave those to another job"
    if "id-token" in writes and "environment" not in job:
        yield "it publishes: name the environment that asks a maintainer first"
    for step in steps:
        action = step.get("uses", "")
        if action and not PINNED.match(action):
            yield f"pin {action} to the hash of its release"
        if action.startswith("actions/checkout@") and not _forgets_token(step):
            yield "set persist-credentials: false for the checkout"
        if EXPRESSION.search(step.get("run", "")):
            yield f"give {step['run']!r} its expression as a variable of env: a shell reads it"


def _forgets_token(step: Tree) -> bool:
    return (step.get("with") or {}).get("persist-credentials") is False


def _read(file: Path) -> Tree:
    tree: Tree = YAML(typ="safe").load(file)
    return tree

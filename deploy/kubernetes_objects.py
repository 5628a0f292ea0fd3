"""What is wrong with the objects of deploy/kubernetes, without a cluster to ask.

Their schemas are not at hand: looked at is what they say of each other and of Parley, and
whether each pod is closed as the containers of compose.yaml are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from deploy.metric_names import exported_series, wrong_names
from parley.server.basics.errors import Misuse
from parley.server.settings import resolve_defaults

Object = dict[str, Any]
Refusal = Callable[[tuple[str, ...]], str]

API = {
    "ConfigMap": "v1", "Service": "v1", "Deployment": "apps/v1",
    "PodDisruptionBudget": "policy/v1", "NetworkPolicy": "networking.k8s.io/v1",
    "ScaledObject": "keda.sh/v1alpha1",
}  # fmt: skip
SPARE_SECONDS = 5  # of a pod's grace, beyond what a worker takes to drain


def cluster_problems(folder: Path, refusal: Refusal) -> Iterator[str]:
    """Every mistake in the objects of `folder`; `refusal` is what parley says against words."""
    for file in sorted(folder.glob("*.yaml")):
        objects: list[Object] = [each for each in YAML(typ="safe").load_all(file) if each]
        deployments = {each["metadata"]["name"]: each for each in _of(objects, "Deployment")}
        settings = _settings(objects)
        for each in objects:
            kind, name = each.get("kind", "?"), each.get("metadata", {}).get("name", "?")
            where = f"{file}: {kind} {name!r}"
            if API.get(kind) != each.get("apiVersion"):
                yield f"{where}: its apiVersion is {API.get(kind, 'of no kind that is used here')}"
                continue
            yield from (f"{where}: {problem}" for problem in _look_at(each, deployments))
        try:
            drain = resolve_defaults({}, settings).drain_seconds
        except Misuse as refused:
            yield f"{file}: {refused}"
            continue
        for name, deployment in deployments.items():
            pod = deployment["spec"]["template"]["spec"]
            where = f"{file}: Deployment {name!r}"
            yield from (f"{where}: {problem}" for problem in _pod_problems(pod, drain, refusal))


def _of(objects: list[Object], kind: str) -> list[Object]:
    return [each for each in objects if each.get("kind") == kind]


def _settings(objects: list[Object]) -> dict[str, str]:
    return {key: value for each in _of(objects, "ConfigMap") for key, value in each["data"].items()}


def _look_at(each: Object, deployments: dict[str, Object]) -> Iterator[str]:
    spec = each.get("spec", {})
    match each["kind"]:
        case "Deployment":
            labels = spec["template"]["metadata"]["labels"]
            if not spec["selector"]["matchLabels"].items() <= labels.items():
                yield "its selector does not match its own pods"
        case "Service":
            yield from _unmatched(spec["selector"], deployments)
        case "PodDisruptionBudget":
            yield from _unmatched(spec["selector"]["matchLabels"], deployments)
        case "NetworkPolicy":
            yield from _unmatched(spec["podSelector"]["matchLabels"], deployments)
        case "ScaledObject":
            target = spec["scaleTargetRef"]["name"]
            if target not in deployments:
                yield f"there is no Deployment {target!r} to scale"
            elif "replicas" in deployments[target]["spec"]:
                yield f"Deployment {target!r} says how many replicas it has; leave it to KEDA"
            for trigger in spec["triggers"]:
                yield from wrong_names("it", trigger["metadata"]["query"], exported_series())


def _unmatched(selector: dict[str, str], deployments: dict[str, Object]) -> Iterator[str]:
    pods = (each["spec"]["template"]["metadata"]["labels"] for each in deployments.values())
    if not any(selector.items() <= labels.items() for labels in pods):
        yield f"no Deployment has pods with the labels {selector}"


def _pod_problems(pod: Object, drain: float, refusal: Refusal) -> Iterator[str]:
    if pod.get("automountServiceAccountToken") is not False:
        yield "set automountServiceAccountToken: false"
    context = pod.get("securityContext", {})
    if not context.get("runAsNonRoot") or "seccompProfile" not in context:
        yield "set runAsNonRoot: true and a seccompProfile"
    if pod.get("terminationGracePeriodSeconds", 30) < drain + SPARE_SECONDS:
        yield f"terminationGracePeriodSeconds leaves no time to drain for {drain:.0f} s"
    for container in pod["containers"]:
        yield from _container_problems(container, refusal)


def _container_problems(container: Object, refusal: Refusal) -> Iterator[str]:
    closed = container.get("securityContext", {})
    if not closed.get("readOnlyRootFilesystem"):
        yield "set readOnlyRootFilesystem: true"
    if closed.get("allowPrivilegeEscalation") is not False:
        yield "set allowPrivilegeEscalation: false"
    if "ALL" not in closed.get("capabilities", {}).get("drop", ()):
        yield "set capabilities: {drop: [ALL]}"
    if "memory" not in container.get("resources", {}).get("limits", {}):
        yield "set a limit of memory"
    if container["image"].partition(":")[2] in ("", "latest"):
        yield f"pin {container['image']!r} to a version"
    if refused := refusal(tuple(container.get("args", ()))):
        yield f"'parley {' '.join(container['args'])}' is no command: {refused}"
    if "ports" in container:
        missing = {"livenessProbe", "readinessProbe"} - container.keys()
        yield from (f"lacks {probe}" for probe in sorted(missing))
        paths = [container[probe]["httpGet"]["path"] for probe in container if "Probe" in probe]
        yield from (f"nothing answers at {path}" for path in paths if path not in PROBED)


PROBED = ("/healthz", "/readyz")

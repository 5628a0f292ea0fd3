"""Whether panels and rules ask for metrics, labels and sections that there are.

Names are read from the registry of a server; what PromQL itself means is not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from parley.server.http.state.metrics import Metrics

NAME = re.compile(r"\b(?:parley|process)_[a-z_]+\b")
SELECTED = re.compile(r"\b((?:parley|process)_[a-z_]+)\{([^}]*)\}")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
GROUPED = re.compile(r"\b(?:by|without)\s*\(([^)]*)\)")


def exported_series() -> Mapping[str, frozenset[str]]:
    """Every series that a server exports, with the labels that it has."""
    metrics = Metrics()
    metrics.requests.labels("GET", "/healthz", "200").inc()
    metrics.seconds.labels("/healthz").observe(0.1)
    series: dict[str, frozenset[str]] = {}
    for family in metrics.registry.collect():
        for sample in family.samples:
            series[sample.name] = series.get(sample.name, frozenset()) | sample.labels.keys()
    return series


def metric_problems(deploy: Path, runbook: Path | None = None) -> Iterator[str]:
    """Each name in a panel or a rule that nothing exports, and each link that leads nowhere."""
    series = exported_series()
    for board in sorted((deploy / "grafana").glob("*.json")):
        tree: dict[str, Any] = json.loads(board.read_text(encoding="utf-8"))
        for panel in tree["panels"]:
            where = f"{board}: panel {panel['title']!r}"
            if not panel["targets"]:
                yield f"{where} asks for nothing"
            for target in panel["targets"]:
                yield from wrong_names(where, target["expr"], series)
    sections = None if runbook is None else _sections(runbook)
    for file in sorted((deploy / "prometheus").glob("rules*.yaml")):
        rules: dict[str, Any] = YAML(typ="safe").load(file)
        for rule in (rule for group in rules["groups"] for rule in group["rules"]):
            where = f"{file}: alert {rule['alert']!r}"
            yield from wrong_names(where, rule["expr"], series)
            anchor = rule["annotations"].get("runbook", "").partition("#")[2]
            if sections is not None and anchor not in sections:
                yield f"{where}: the runbook has no section {anchor!r}"


def wrong_names(where: str, expr: str, series: Mapping[str, frozenset[str]]) -> Iterator[str]:
    names = set(NAME.findall(expr))
    if not names:
        yield f"{where} names no metric of Parley: {expr}"
    for name in sorted(names - series.keys()):
        yield f"{where}: nothing exports {name}"
    for name, selectors in SELECTED.findall(expr):
        for label in sorted(set(LABEL.findall(selectors)) - series.get(name, frozenset())):
            yield f"{where}: {name} has no label {label}"
    labels = frozenset({"instance", "job"}).union(*(series.get(name, ()) for name in names))
    for group in GROUPED.findall(expr):
        for label in sorted({word.strip() for word in group.split(",")} - labels):
            yield f"{where}: none of {', '.join(sorted(names))} has a label {label}"


def _sections(page: Path) -> frozenset[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(
        re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    )

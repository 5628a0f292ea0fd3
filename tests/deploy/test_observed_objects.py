"""What is caught in panels, alarms and Kubernetes objects that do not fit what Parley exports."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deploy.check import RUNBOOK, refused
from deploy.kubernetes_objects import cluster_problems
from deploy.metric_names import metric_problems

ROOT = Path(__file__).parents[2]


def found(deploy: Path) -> list[str]:
    """Every problem, without the validators of the other files."""
    return [*metric_problems(deploy, RUNBOOK), *cluster_problems(deploy / "kubernetes", refused)]


def test_what_we_ship_is_clean() -> None:
    assert found(ROOT / "deploy") == []


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("grafana/parley.json", "parley_workers", "parley_workmen", "exports parley_workmen"),
        ("grafana/parley.json", "max by (lane)", "max by (line)", "a label line"),
        (
            "prometheus/rules.yaml",
            "parley_redis_up) ==",
            "parley_redis) ==",
            "exports parley_redis",
        ),
        ("prometheus/rules.yaml", "status=~", "state=~", "has no label state"),
        ("prometheus/rules.yaml", "runbook.md#alarms", "runbook.md#alarums", "section 'alarums'"),
        ("kubernetes/parley.yaml", "readOnlyRootFilesystem: true", "tty: false", "readOnlyRoot"),
        ("kubernetes/parley.yaml", "path: /readyz", "path: /ready", "nothing answers at /ready"),
        ("kubernetes/parley.yaml", "[worker, --lanes, fold]", "[works]", "is no command"),
        (
            "kubernetes/parley.yaml",
            'parley_due{lane=~"fold',
            'parley_over{lane=~"fold',
            "parley_over",
        ),
        (
            "kubernetes/parley.yaml",
            "Ref: {name: parley-fold}",
            "Ref: {name: parley-folds}",
            "to scale",
        ),
        ("kubernetes/parley.yaml", "PARLEY_DRAIN_SECONDS", "PARLEY_DRAIN", "PARLEY_DRAIN"),
        ("kubernetes/parley.yaml", 'SECONDS: "20"', 'SECONDS: "60"', "no time to drain for 60 s"),
        ("kubernetes/parley.yaml", "image: parley:0.1.0", "image: parley", "pin 'parley'"),
        ("kubernetes/parley.yaml", "policy/v1", "policy/v1beta1", "its apiVersion is policy/v1"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, file: str, old: str, new: str, named: str) -> None:
    """Each alone, in a line that says where and what."""
    deploy = Path(shutil.copytree(ROOT / "deploy", tmp_path / "deploy"))
    text = (deploy / file).read_text(encoding="utf-8")
    assert old in text
    (deploy / file).write_text(text.replace(old, new), encoding="utf-8")
    problems = found(deploy)
    assert any(named in problem for problem in problems), problems
    assert all(file in problem for problem in problems)

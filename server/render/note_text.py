"""A notebook and its revisions, as JSON or in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import unified_diff
from typing import Final

from rich.text import Text

from parley.listeners.sessions.notebook import NotebookPage, Revision
from parley.server.basics.output import escape, print_json, stdout, write_stdout

_STYLES: Final = {"+": "green", "-": "red"}


def show(page: NotebookPage, *, raw: bool, json: bool) -> None:
    """The notebook; `raw` to the letter, unescaped."""
    if json:
        print_json(asdict(page))
    elif raw:
        write_stdout(page.text.encode("utf-8", "replace") + b"\n")
    else:
        console = stdout()
        standing = f"revision {page.base}" if page.base else "no revision yet"
        console.print(
            Text(f"{standing}, {len(page.text):,} of {page.limit:,} characters", style="dim")
        )
        console.print(Text(escape(page.text, keep_newlines=True)))


def show_history(revisions: Sequence[Revision], *, diff: bool, json: bool) -> None:
    """One revision a line, with `diff` followed by what it changed."""
    console = stdout()
    for revision, before in zip(revisions, _before(revisions), strict=True):
        changed = list(_diff(before, revision.text)) if diff and revision.stood else []
        if json:
            print_json({**asdict(revision), **({"diff": changed} if diff else {})})
            continue
        console.print(Text(escape(_line(revision)), style="" if revision.stood else "dim"))
        for line in changed:
            console.print(Text("    " + escape(line), style=_STYLES.get(line[:1], "")))
    if not revisions and not json:
        console.print("no revisions yet")


def _before(revisions: Sequence[Revision]) -> Iterator[str]:
    """What stood before each revision."""
    standing = ""
    for revision in revisions:
        yield standing
        standing = revision.text if revision.stood else standing


def _diff(before: str, after: str) -> Iterator[str]:
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return (line for line in lines if not line.startswith(("---", "+++")))


def _line(revision: Revision) -> str:
    name = f"{revision.cause:>6} {revision.kind:<8} on {revision.base}"
    if revision.kind == "refused":
        sizes = ", ".join(map(str, revision.sizes))
        return f"{name}: {revision.attempts} answers of {sizes} characters were too long"
    by = "" if revision.model is None else f", {revision.model}, {revision.attempts} answers"
    clipped = ", clipped" if revision.clipped else ""
    fate = "" if revision.stood else f", did not stand: {revision.reason}"
    return f"{name}: {revision.why}, {revision.size} characters{by}{clipped}{fate}"

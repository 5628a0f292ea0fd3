"""The blocks of recorded talk beside those that markdown-it-py sees, line by line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from markdown_it import MarkdownIt

from parley.memory.text.markdown_blocks import Block, split_blocks

MARKDOWN: Final = MarkdownIt("commonmark").enable("table")
KINDS: Final = {
    "fence": "code", "code_block": "code", "heading_open": "heading", "blockquote_open": "quote",
    "tr_open": "row", "hr": "rule", "html_block": "html", "paragraph_open": "paragraph",
}  # fmt: skip
AGREED: Final = 0.98


def contents(folder: Path) -> Iterator[str]:
    """Every message of the corpora, without answer keys and stripped lines."""
    for path in sorted(folder.rglob("*.jsonl")):
        if len(path.suffixes) == 1:
            for line in path.read_text(encoding="utf-8").splitlines():
                content = json.loads(line) if line else {}
                if isinstance(content, dict) and isinstance(content.get("content"), str):
                    yield content["content"]


def oracle_kinds(text: str) -> list[str]:
    """What markdown-it-py takes each line for; "" where it has no token for it."""
    lines = text.split("\n")
    kinds = [""] * len(lines)
    quotes: list[int] = []
    items = table_end = 0
    for token in MARKDOWN.parse(text):
        items += (token.type == "list_item_open") - (token.type == "list_item_close")
        if token.type == "blockquote_open" and token.map:
            quotes.append(token.map[1])
            kinds[slice(*token.map)] = ["quote"] * (token.map[1] - token.map[0])
        elif token.type == "blockquote_close":
            quotes.pop()
        elif token.type == "table_open" and token.map:
            table_end = token.map[0] + 2
            if not quotes:
                kinds[token.map[0] : table_end] = ["row", "row"]
        elif token.map and token.type in KINDS and not quotes:
            kind = KINDS[token.type]
            if kind == "paragraph" and items:
                kind = "item"
            kinds[slice(*token.map)] = [kind] * (token.map[1] - token.map[0])
        elif token.type == "list_item_open" and token.map and not quotes:
            kinds[token.map[0]] = kinds[token.map[0]] or "item"
    return kinds


def extension(text: str, blocks: list[Block], index: int) -> str:
    """Which of our extensions the block is of, "" where it is CommonMark's."""
    block = blocks[index]
    source = text[block.start : block.end]
    if block.bold:
        return "bold heading"
    if block.kind == "image":
        return "image"
    if block.kind == "item" and not (block.marker in "-*+" or block.marker[:-1].isdecimal()):
        return "lettered item"
    if block.kind == "code" and not source.startswith(("```", "~~~")):
        before = text[: block.start].rpartition("\n")[2]
        if len(before.expandtabs(4)) < 4:
            return "pasted code"
    return ""


def our_kinds(text: str) -> list[tuple[str, str]]:
    """What we take each line for, and by which extension."""
    blocks = split_blocks(text)
    kinds: list[tuple[str, str]] = []
    pos, index = 0, 0
    for line in text.split("\n"):
        end = pos + len(line)
        while index < len(blocks) and blocks[index].end <= pos:
            index += 1
        if index < len(blocks) and blocks[index].start <= end:
            kind: str = blocks[index].kind
            parent = blocks[index].parent
            if kind in ("paragraph", "item") and parent >= 0 and blocks[parent].kind == "item":
                kind = "item"
            kinds.append((kind, extension(text, blocks, index)))
        else:
            kinds.append(("", ""))
        pos = end + 1
    return kinds


@pytest.mark.parametrize("corpus", ["agents", "demo", "dev", "long"])
def test_lines_are_of_the_kind_that_markdown_it_sees(corpora: Path, corpus: str) -> None:
    """98 of 100 lines that are not blank; our own extensions are counted apart."""
    agreed, extended, apart = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for text in contents(corpora / corpus):
        if "\r" in text:
            continue
        for line, theirs, (ours, ext) in zip(
            text.split("\n"), oracle_kinds(text), our_kinds(text), strict=True
        ):
            if not line.strip():
                continue
            if ext and theirs != ours:
                extended[ext] += 1
            elif ours == theirs:
                agreed[ours] += 1
            else:
                apart[theirs, ours] += 1
    share = agreed.total() / max(1, agreed.total() + apart.total())
    print(f"{corpus}: {share:.5f} of lines agree: {dict(agreed)}; apart: {dict(apart)}")
    print(f"of our own: {dict(extended)}")
    assert share >= AGREED

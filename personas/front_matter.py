"""Front matter: the YAML at the head of a Markdown file, read as plain data. Pure.

Files come from anywhere, so the YAML is held to what JSON could say as well:
text, numbers, true and false, null, lists, mappings whose keys are text. Tags,
merged keys that repeat themselves without end and structures within themselves
are refused before anything is built of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, NamedTuple

import yaml

from parley.personas.errors import PersonaRefused

MAX_TEXT: Final = 262_144  # characters of a file: a hundred times a long prompt
_MAX_NODES: Final = 20_000  # of a tree with its aliases written out
MAX_LEVELS: Final = 32  # of lists and mappings within each other
_RULE: Final = "---"
_UNDER_WAY: Final = (0, 0)  # of a value whose own are being counted

Path = tuple[str | int, ...]  # keys, and places in lists from 0


class Place(NamedTuple):
    """Where a key, or an item of a list, begins; both from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file in two: what its front matter says, and the text below it.

    `places` has where each key and item begins, by path: `("parley", "may", 0)`.
    """

    tree: dict[str, Any]
    places: Mapping[Path, Place]
    body: str


def split(text: str, source: str) -> FrontMatter:
    """The front matter of `text` and its body. Raises `PersonaRefused`."""
    head, body = split_text(text, source)
    if head is None:
        raise PersonaRefused(
            source, "has no front matter: it begins with a line '---', its keys, and '---' again", 1
        )
    tree, places = parse_front_matter(head, source, first=2)
    return FrontMatter(tree, places, body)


def split_text(text: str, source: str) -> tuple[str | None, str]:
    """The text between the first two lines `---` (None: it has none), and what is below."""
    text = check_length(text, source).replace("\r\n", "\n").removeprefix("\ufeff")
    rows = text.split("\n")
    if rows[0].rstrip() != _RULE:
        return None, text.strip()
    for number, row in enumerate(rows[1:], 1):
        if row.rstrip() == _RULE:
            return "\n".join(rows[1:number]), "\n".join(rows[number + 1 :]).strip()
    raise PersonaRefused(source, "its front matter has no end: a line '---'", 1)


def check_length(text: str, source: str) -> str:
    """`text`, where it can be a file and is not too long."""
    if len(text) > MAX_TEXT:
        raise PersonaRefused(source, f"has {len(text)} characters, of {MAX_TEXT} at most")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise PersonaRefused(
            source, f"has a lone surrogate at character {error.start}: it is not UTF-8"
        ) from None
    return text


def parse_front_matter(
    text: str, source: str, first: int = 1
) -> tuple[dict[str, Any], dict[Path, Place]]:
    """The mapping that the YAML `text` is, and where its keys are; its first line is `first`."""
    try:
        return _loaded(text, source, first)
    except RecursionError:
        raise PersonaRefused(source, "its YAML is nested too deeply") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + first
        raise PersonaRefused(source, f"its YAML cannot be read: {_reason(error)}", line) from None
    except _TooMany:
        raise PersonaRefused(source, f"its YAML has more than {_MAX_NODES} values") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + first
        reason = f"its YAML holds the character {ord(text[error.position]):#06x}, which none may"
        raise PersonaRefused(source, reason, line) from None


def _reason(error: yaml.MarkedYAMLError) -> str:
    reason = " ".join((error.problem or error.context or "").split())[:200]
    if "mapping values are not allowed" in reason:
        return reason + "; put text that holds ': ' in quotes"
    return reason


def _loaded(text: str, source: str, first: int) -> tuple[dict[str, Any], dict[Path, Place]]:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise PersonaRefused(source, "its YAML is no list of 'key: value' lines", first)
        size, levels = _weighed(node, {}, source, first)
        if levels > MAX_LEVELS:
            raise RecursionError
        if size > _MAX_NODES:
            reason = f"its YAML comes to {size} values, of {_MAX_NODES} at most; write it out"
            raise PersonaRefused(source, reason)
        places: dict[Path, Place] = {}
        _locate(node, (), places, source, first)
        return loader.construct_document(node), places
    finally:
        loader.dispose()


def _weighed(
    node: yaml.Node, seen: dict[int, tuple[int, int]], source: str, first: int
) -> tuple[int, int]:
    """How many values `node` holds with every alias written out, and how many levels of them.

    Refuses one within itself.
    """
    weight = seen.get(id(node))
    if weight is not None:
        if weight == _UNDER_WAY:
            line = node.start_mark.line + first
            raise PersonaRefused(source, "its YAML holds a value within itself", line)
        return weight
    seen[id(node)] = _UNDER_WAY
    below: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        below = [each for pair in node.value for each in pair]
    elif isinstance(node, yaml.SequenceNode):
        below = node.value
    weights = [_weighed(each, seen, source, first) for each in below]
    total = 1 + sum(size for size, _ in weights)
    seen[id(node)] = total, 1 + max((levels for _, levels in weights), default=0)
    return seen[id(node)]


def _locate(node: yaml.Node, at: Path, places: dict[Path, Place], source: str, first: int) -> None:
    """Notes where each key and item below `node` begins. Refuses a key that stands twice."""
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            places[*at, index] = _place(item, first)
            _locate(item, (*at, index), places, source, first)
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        place = _place(key, first)
        if not isinstance(key, yaml.ScalarNode):
            raise PersonaRefused(source, "a key of its YAML is a list or a mapping", place.line)
        path = (*at, key.value)
        if key.tag == _TAG + "merge":
            continue
        if path in places:
            name = ".".join(map(str, path))
            reason = f"'{name}' stands twice, first on line {places[path].line}; keep one"
            raise PersonaRefused(source, reason, place.line)
        places[path] = place
        _locate(value, path, places, source, first)


def _place(node: yaml.Node, first: int) -> Place:
    return Place(node.start_mark.line + first, node.start_mark.column + 1)


class _TooMany(yaml.YAMLError):
    pass


class _Loader(yaml.SafeLoader):
    """YAML as JSON has it: dates and "no" stay text, a key is the text that was written.

    What is no text here is none in older readers of YAML either, so that what
    their rules put in quotes comes back as it was.
    """

    composed = 0  # values, so that a long list is refused while it is read

    yaml_implicit_resolvers = {}  # noqa: RUF012  # how a resolver starts without its parent's rules

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.composed += 1
        if self.composed > _MAX_NODES:
            raise _TooMany
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it out
        if getattr(event, "tag", None) is not None:
            raise yaml.MarkedYAMLError(
                problem=f"a tag, {event.tag!r}; write plain values",
                problem_mark=event.start_mark,
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}

    def number(self, node: yaml.ScalarNode) -> float | str:
        value = float(node.value)
        return value if isfinite(value) else str(node.value)


_TAG: Final = "tag:yaml.org,2002:"
for _kind, _pattern, _begin in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,17})", "-+0123456789"),
    (
        "float",
        r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?|\.[0-9]+(?:[eE][-+][0-9]+)?",
        "-+.0123456789",
    ),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"(?:{_pattern})\Z"), list(_begin))
_Loader.add_constructor(_TAG + "float", _Loader.number)

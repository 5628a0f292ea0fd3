"""Whether a match is a claim: the guards of a language, applied to its sentence.

"We have not agreed", "if we agreed to that", "do you think we agreed?", "Ann
said we agreed" match the words of a decision and are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from parley.memory.extraction.patterns.clauses import PreparedText, Span
from parley.memory.extraction.patterns.pattern_packs import REACTIONS, Guards, Rule
from parley.memory.extraction.patterns.regular_expressions import compile_pattern

_CLAUSE_MARKS: Final = ",;:()、"
_CLOSERS: Final = "\"')]*!. \x1a。」』"
_AFTER: Final = ("negation", "hypothesis", "reported")  # guards that may stand behind a match


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """Where a rule matched, in which sentence; `text` is the span its group names, `begins` where
    the group `from` does, -1 without one.
    """

    start: int
    end: int
    name: str
    rule: Rule
    sentence: Span
    judge: GuardJudge  # of the rule's language
    text: Span | None = None
    begins: int = -1
    conditional: bool = False

    def overlaps(self, other: RuleMatch) -> bool:
        return self.start < other.end and other.start < self.end


def select_claims(script: PreparedText, matches: Iterable[RuleMatch]) -> list[RuleMatch]:
    """The matches that claim something, each judged by its own language."""
    judged = (match.judge.judged(script.unquoted, match) for match in matches)
    return [match for match in judged if match is not None]


class GuardJudge:
    """The guards of several packs together: what one of them denies, no other claims."""

    def __init__(self, guards: Sequence[Guards]) -> None:
        self._guards = dict(_unite(guards))
        self.reserve = self._guards["reserve"]

    @staticmethod
    def compile(guards: Sequence[Guards]) -> Iterator[None]:
        """Compile what a judge by `guards` looks for, one of its kinds at a step."""
        for _ in _unite(guards):
            yield

    def has(self, guard: str, text: str) -> bool:
        """True where the guard's words are in `text`."""
        pattern = self._guards[guard]
        if not text or pattern is None:
            return False
        return pattern.search(_subject(text)) is not None

    def skipped(self, text: str) -> int:
        """How many characters of connecting words (`that`, `to`, `:`) `text` begins with."""
        pattern = self._guards["connective"]
        match = pattern.match(text) if pattern is not None else None
        return 0 if match is None else int(match.end())

    def names_nothing(self, text: str) -> bool:
        """True for a payload such as "it" or "" that says nothing by itself."""
        pattern = self._guards["empty"]
        return not text.strip() or (pattern is not None and pattern.fullmatch(text) is not None)

    def first_contrast(self, after: str) -> int | None:
        """Where the first contrasting word, or semicolon, of `after` begins."""
        pattern = self._guards["contrast"]
        match = pattern.search(_subject(after)) if pattern is not None and after else None
        starts = [match.start()] if match is not None else []
        starts += [at for at in [after.find(";")] if at >= 0]
        return min(starts, default=None)

    def judged(self, text: str, match: RuleMatch) -> RuleMatch | None:
        """`match`, conditional where it has a reserve; None where it claims nothing."""
        if self.objection(text, match):
            return None
        first, last = match.sentence
        before, after = text[first : match.start], text[match.end : last]
        lead = self._lead(text[match.start : match.end]) if match.rule.handle else 0
        conditional = match.rule.conditional or self._hypothetical(match.rule, before, after)
        if lead or conditional:
            return replace(match, start=match.start + lead, conditional=conditional)
        return match

    def objection(self, text: str, match: RuleMatch) -> str:
        """Why `match` claims nothing in `text`, in one word; "" where it does.

        `word` (it begins or ends in one), `within`, `before` and `after` (of its
        rule), `question`, or the guard that it falls to.
        """
        first, last = match.sentence
        before, after = text[first : match.start], text[match.end : last]
        rule = match.rule
        if rule.whole_words and not _whole(text, match):
            return "word"
        scopes = {"within": text[match.start : match.end], "before": before, "after": after}
        for key, scope in scopes.items():
            pattern = getattr(rule, key)
            if pattern and compile_pattern(pattern, rule.name).search(scope):
                return key
        if not rule.question and self._asks(text[first:last], after):
            return "question"
        denied = self._denied(rule, before) if before and not before.isspace() else ""
        return denied or self._denied_behind(rule, after)

    def _asks(self, sentence: str, after: str) -> bool:
        """True for a question, unless a statement came first: "I agree, but who pays?"."""
        if not (sentence.rstrip(_CLOSERS).endswith("?") or self.has("asks", sentence)):
            return False
        return not (self.has("contrast", after) or self.has("interrogative", after))

    def _denied(self, rule: Rule, before: str) -> str:
        """The guard that what stands before a match falls to, "" for none."""
        clause = before[self.last_contrast(before) :]
        near = clause[max(clause.rfind(mark) for mark in _CLAUSE_MARKS) + 1 :]
        claims = rule.act == "decide"  # a decision is denied from farther away
        scopes = {
            "negation": near,
            "hypothesis": before if claims else near,
            "modal": near,
            "inverted": near,
            "reported": clause if claims else near,
        }
        heeded = ((guard, scope) for guard, scope in scopes.items() if guard not in rule.skip)
        return next((guard for guard, scope in heeded if self.has(guard, scope)), "")

    def _denied_behind(self, rule: Rule, after: str) -> str:
        heeded = (guard for guard in _AFTER if guard not in rule.skip)
        return next((guard for guard in heeded if self.has(f"{guard}_after", after)), "")

    def last_contrast(self, before: str) -> int:
        """Where the last contrasting word, or semicolon, of `before` ends; 0 without one."""
        pattern, last = self._guards["contrast"], 0
        if pattern is not None and before:
            for match in pattern.finditer(_subject(before)):
                last = match.end()
        return max(last, before.rfind(";") + 1)

    def _lead(self, matched: str) -> int:
        """How many characters of `matched` are a contrast that leads in: "but oppose P3"."""
        pattern = self._guards["contrast"]
        match = pattern.match(_subject(matched)) if pattern is not None else None
        if match is None:
            return 0
        rest = matched[match.end() :]
        return len(matched) - len(rest.lstrip(" ,"))

    def _hypothetical(self, rule: Rule, before: str, after: str) -> bool:
        if rule.act in REACTIONS:
            return self.has("hypothesis", before)
        return rule.act == "decide" and self.has("hypothesis", after)


def _subject(text: str) -> str | bytes:
    """What RE2 searches faster; in ASCII its offsets are those of the characters."""
    return text.encode() if text.isascii() else text


def _whole(text: str, match: RuleMatch) -> bool:
    before, after = text[match.start - 1 : match.start], text[match.end : match.end + 1]
    edge = text[match.end - 1]
    return not ((before.isalnum() or before == "_") and text[match.start].isalnum()) and not (
        (after.isalnum() or after == "_") and edge.isalnum()
    )


def _unite(guards: Sequence[Guards]) -> Iterator[tuple[str, Any]]:
    for field in fields(Guards):
        yield field.name, _united([getattr(each, field.name) for each in guards], field.name)


def _united(patterns: Sequence[str], name: str) -> Any:
    distinct = [pattern for pattern in dict.fromkeys(patterns) if pattern]
    if not distinct:
        return None
    if name == "empty":
        # RE2's \W is ASCII, as in en@1: a payload of another script would be "empty".
        distinct = [pattern.replace(r"\W", r"[^\pL\pN_]") for pattern in distinct]
    return compile_pattern("|".join(f"(?:{pattern})" for pattern in distinct), name)

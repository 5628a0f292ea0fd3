"""What the talk was about: its agenda as it was called out, or the words that came up most; and
what was put off. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.text.plain_text import clip, one_line, to_plain
from parley.memory.text.sentences import sentence_span
from parley.memory.text.similarity import content_stems
from parley.server.minutes.words.attribution import Voice

Row = dict[str, Any]

TEXT: Final = 120  # characters of a topic
_MOST: Final = 12  # topics
_SUBJECTS: Final = 6
_AMID: Final = 3  # words that tell what a few messages are about
_SEVERAL: Final = 3  # of those messages that have them
_LATER: Final = 3  # of what was put off
_END: Final = 3  # it is said in the last third: before that it may come up again
_PUT_OFF: Final = 200
_SAYS_IT: Final = 60  # characters of a sentence, below which what follows it is told, too
_READ: Final = 4000
_WORD_LENGTH: Final = 4  # letters of a word that may be what the talk is about
TOPIC: Final = re.compile(r"\s*(?:sub-?)?topic\s*:\s*(?=\S)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
_LINK: Final = re.compile(r"\S+://\S+|[\w.-]+@[\w.-]+|`[^`]*`")
_BRIEF: Final = 12  # words of a text that may need to be explained
_MEANS: Final = r"(?:represents?|means|stands for|refers to|is defined as) ([^.,;\n]{10,80})"
_AGENDA: Final = re.compile(r"\s*agenda\s*:\s*(\S+://\S+)", re.IGNORECASE)
_ISSUE: Final = re.compile(r"//github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")
_REPOSITORY: Final = re.compile(r"//github\.com/([\w.-]+/[\w.-]*\w)")
_LIST: Final = re.compile(
    r"//lists?\.[\w.-]+/(?:[\w-]+/)*?(?:Public|private|lists?)/([\w-]+)/", re.IGNORECASE
)
_NEXT: Final = re.compile(r"(?:let's|let us|we'll|we will|we should|we can)\s+", re.IGNORECASE)
_OFF: Final = re.compile(
    r"(?<!had )\b(?:"
    r"(?:take|taking|put|send|bring) (?:it|this|that|these|those|them) (?:to|on) the (?:\w+ )?list"
    r"|take (?:it|this|that) off-?line|defer(?:red)?|postpone[ds]?|until the next (?:call|meeting)"
    r"|(?:on|at|in|for) (?:the |our )?next (?:call|meeting|session|week)"
    r"|next week's (?:call|meeting)|at some point in the future|won't get to|did(?:n't| not) get to"
    r"|(?:come|get) back to (?:it|this|that)|off the table)\b",
    re.IGNORECASE,
)
_MARK: Final = re.compile(
    r"[*#>|-]|.*\?$|\w+(?: \w+)?(?: #?\d+)?: "
)  # a heading, a question, an item
COMMON: Final = frozenset(
    """
    four five seven eight nine dozen hundred days weeks hours months years morning evening
    please about actually add again agree all also always another any anybody anyone anything back
    because before being better both call can't case cases change come could different does
    doesn't doing don't done each else even every everybody everyone example fact few find fine
    first folks give going good got great group happy hard help here hope i'd i'll i'm i've
    idea important isn't issue issues it's item just keep kind know last less let let's like
    likely little long look lot lots made make makes many maybe mean means meeting might
    minutes more most much must need needs never new next nice nothing now off ok okay old once
    only open other others out over own part people perhaps place point possible present
    probably problem put question questions quite rather really reason right said same saying
    says scribe second see seem seems shall should show since some somebody someone something
    sometimes soon sorry sort still stuff such sure take talk talking tell thank thanks that's
    there's they're thing things think thought three through time today together too topic
    trying two under until use used using very want wants was wasn't way we'd we'll we're we've
    week well what's where whether while whole without won't work working works would wouldn't
    wrong yeah yes yet you're version text thus ack queue agenda chair got goes went current
    within create april january february march june july august september october november
    december monday tuesday wednesday thursday friday
    """.split()  # noqa: SIM905  # as in similarity
)


def find_topics(messages: Iterable[Record]) -> list[Row]:
    """What was called out as a topic, in order, each once."""
    rows: dict[str, Row] = {}
    for record in messages:
        entry: Any = record.entry
        if mark := TOPIC.match(entry.content):
            text = clip(one_line(entry.content[mark.end() :].split("\n")[0]), TEXT)
            rows.setdefault(text.casefold(), {"text": text, "n": record.n})
    return [*rows.values()][:_MOST]


def find_subjects(messages: Sequence[Record], names: Iterable[str]) -> list[str]:
    """What more than one speaker spoke of most, in their words: pairs of words, else single ones.

    Without the names of who takes part. [] of short talk.
    """
    known = _name_parts(names)
    counts: Counter[str] = Counter()
    speakers: defaultdict[str, set[str]] = defaultdict(set)
    shapes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in messages:
        entry: Any = record.entry
        for stem, word in _phrases(entry.content[:_READ], known):
            counts[stem] += 1
            speakers[stem].add(entry.participant)
            shapes[stem][word] += 1
    least = max(3, len(messages) // 50)
    weights = {
        stem: count * len(stem.split()) ** 3 * (1 + min(len(speakers[stem]), 5))
        for stem, count in counts.items()
        if count >= least and len(speakers[stem]) > 1
    }
    chosen: list[str] = []
    for stem in sorted(weights, key=lambda stem: (-weights[stem], stem)):
        if len(chosen) < _SUBJECTS and not any(
            {*stem.split()} & {*other.split()} for other in chosen
        ):
            chosen.append(stem)
    return [shapes[stem].most_common(1)[0][0] for stem in chosen]


def find_meaning(text: str, messages: Iterable[Record]) -> str:
    """What a pair of words in a short `text` was said to mean, "green box: …"; "" for none."""
    words = _WORD.findall(text)
    if len(words) > _BRIEF:
        return ""
    pairs = [f"{one} {other}" for one, other in pairwise(words) if {one, other}.isdisjoint(COMMON)]
    meanings = [
        (pair, re.compile(rf"\b{re.escape(pair)} {_MEANS}", re.IGNORECASE)) for pair in pairs
    ]
    for record in messages:
        content = to_plain(getattr(record.entry, "content", "")[:_READ]) if meanings else ""
        for pair, meaning in meanings:
            if told := meaning.search(content):
                return f"{pair}: {one_line(told[1])}"
    return ""


def words_in_common(texts: Iterable[str], names: Iterable[str]) -> list[str]:
    """The words that several of these texts have, the most common first; nobody's name."""
    known = _name_parts(names)
    counts: Counter[str] = Counter()
    shapes: dict[str, str] = {}
    for text in texts:
        for stem, word in _phrases(text[:_READ], known):
            if " " not in stem:
                counts[stem] += 1
                shapes.setdefault(stem, word)
    common = [stem for stem, count in counts.most_common(_AMID) if count >= _SEVERAL]
    return [shapes[stem] for stem in common]


def _name_parts(names: Iterable[str]) -> set[str]:
    """The words of names, and short forms of them."""
    parts = (word.casefold() for name in names for word in _WORD.findall(name))
    return {part[:end] for part in parts for end in range(_WORD_LENGTH, len(part) + 1)}


def _phrases(text: str, known: set[str]) -> Iterable[tuple[str, str]]:
    """Each word with its stem, and each pair of neighbours, once a message."""
    plain = _LINK.sub(" . ", to_plain(text))
    seen: dict[str, str] = {}
    for clause in re.split(r"[.,;:!?()\[\]\"\n]", plain):
        words = [_content(word, known) for word in _WORD.findall(clause)]
        for stem, word in filter(None, words):
            seen.setdefault(stem, word)
        for one, other in pairwise(words):
            if one and other and one[0] != other[0]:
                seen.setdefault(f"{one[0]} {other[0]}", f"{one[1]} {other[1]}")
    return seen.items()


def _content(word: str, known: set[str]) -> tuple[str, str] | None:
    small = word.casefold()
    if len(small) < _WORD_LENGTH or small in COMMON or small in known:
        return None
    stem = _stem(small)
    return (stem, word) if stem else None


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    return "".join(content_stems(f"minutes {word}")[1:2])


def find_agenda(messages: Iterable[Record]) -> str:
    """The address of the agenda, where somebody gave it; "" else."""
    for record in messages:
        entry: Any = record.entry
        if match := _AGENDA.match(entry.content):
            return clip(match[1], TEXT)
    return ""


def find_group(messages: Iterable[Record]) -> str:
    """Whose meeting it is: the list that an agenda was sent to, else what most issues are of."""
    repositories: Counter[str] = Counter()
    for record in messages:
        content = getattr(record.entry, "content", "")[:_READ]
        if (agenda := _AGENDA.match(content)) and (sent := _LIST.search(agenda[1])):
            return sent[1]
        repositories.update({match[1] for match in _REPOSITORY.finditer(content)})
    return next((name for name, count in repositories.most_common(1) if count > 1), "")


def find_issues(messages: Iterable[Record]) -> list[str]:
    """The issues and requests whose addresses were given, "owner/name#7", in order, each once."""
    named = dict.fromkeys(
        f"{match[1]}#{match[2]}"
        for record in messages
        for match in _ISSUE.finditer(getattr(record.entry, "content", "")[:_READ])
    )
    return [*named][:_MOST]


def _step(words: str) -> str | None:
    """What is to be done next, by nobody in particular: "Let's take it to the list"."""
    lead = _NEXT.match(words)
    return None if lead is None else words[lead.end() :].rstrip(". ")


def find_put_off(messages: Sequence[Record], voices: Mapping[int, Voice]) -> list[Row]:
    """The last sentences that leave something for another time, or another place."""
    rows = []
    for record in messages[-(-len(messages) * (_END - 1) // _END) :]:
        entry: Any = record.entry
        text = to_plain(entry.content[:_READ])
        if match := _OFF.search(text):
            first, last = sentence_span(text, match.start(), match.end())
            first = max(first, voices[record.n].start)
            last = last if last - first > _SAYS_IT else len(entry.content)
            words = one_line(entry.content[first:last]).lstrip(". …")
            if len(_WORD.findall(words)) > 3 and not _MARK.match(words):
                rows.append({
                    "participant": voices[record.n].name,
                    "text": clip(words, _PUT_OFF),
                    "n": record.n,
                    "cites": [[record.n, first, last]],
                    "step": _step(words),
                })  # fmt: skip
    return rows[-_LATER:]

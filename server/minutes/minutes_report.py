"""The minutes to hand on: also who moved, what is to do and what is still asked. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Cite
from parley.memory.state.lookup import is_standing_talk
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import ELLIPSIS, clip, one_line
from parley.server.minutes.action_items import find_actions, find_dates
from parley.server.minutes.action_wording import only_holds
from parley.server.minutes.attendance import import_day, present_participants, talk_span
from parley.server.minutes.course.discussion import find_discussion
from parley.server.minutes.course.documents import explain, find_documents, taken_up
from parley.server.minutes.course.polls import find_polls
from parley.server.minutes.course.topics import (
    find_agenda,
    find_group,
    find_issues,
    find_meaning,
    find_put_off,
    find_subjects,
    find_topics,
)
from parley.server.minutes.decided_words import NEAR, DecidedTerms
from parley.server.minutes.goal_layers import goal_rows_of_minutes, insight_rows
from parley.server.minutes.open_questions import find_open_questions
from parley.server.minutes.read_tasks import add_read_tasks
from parley.server.minutes.words.attribution import Voice, voices
from parley.server.minutes.words.mentions import NameIndex
from parley.server.minutes.words.sentence_words import READ, topic_words
from parley.server.render.minutes.minutes_appendix import cited_entries
from parley.server.render.minutes.minutes_sections import sections, sections_row
from parley.server.rows.brief_rows import brief_index
from parley.server.rows.cite_rows import pick
from parley.server.rows.digest_rows import cited, digest
from parley.server.rows.entry_times import time_row
from parley.server.verdicts.decision_words import reason_words
from parley.server.verdicts.plain_words import is_of_prose, item_words

_EVIDENCE: Final = 1200  # characters of a message, in the appendix
_UPON: Final = 8  # entries after a show of hands, in which what is proposed is upon it
_ALIKE: Final = 0.6  # of the words of both
_IN_FORCE: Final = ("ratified", "disputed", "accepted")
_WORDING: Final = 600  # of a decision
_WORDS: Final = ("content", "title", "result", "text")  # where an entry has them

Row = dict[str, Any]


def build_report(memory: Memory, records: Iterable[Record], session: str = "") -> Row:
    """The whole of it as plain data. `records` are the log's primary entries up to `memory.n`;
    others among them do no harm, and of what they lack nothing is quoted."""
    records_by_n: dict[int, Record] = {}
    for record in records:
        if 0 < record.n <= memory.n:
            records_by_n.setdefault(record.n, record)
    wanted = cited(memory)
    row = digest(memory, {n: records_by_n[n] for n in sorted(wanted & records_by_n.keys())})
    talk = _talk(memory, records_by_n)
    speakers, decided = voices(memory, talk), DecidedTerms(memory)
    found, older_actions = find_actions(memory, talk, speakers, decided)
    speaks = {n: voice.name for n, voice in speakers.items()}
    to_do = add_read_tasks(memory, found, records_by_n, speaks)
    documents = _standing(find_documents(talk), memory)
    index = brief_index(memory)
    asked, older_questions = find_open_questions(memory, talk, speakers, decided)
    began, ended = talk_span(_messages(records_by_n), logged=bool(session))
    whole = {
        "session": session,
        "n": memory.n,
        "began": began,
        "ended": ended,
        "imported": None if began else import_day(_messages(records_by_n)),
        "present": present_participants(memory),
        **_course(memory, talk, speakers, index, row["open"]),
        "documents": documents,
        "brief": index,
        **row,
        "decisions": [
            _decision(row, memory, records_by_n, to_do, documents) for row in row["decisions"]
        ],
        "open": [
            {
                **row,
                "asked": row["statement"]
                or item_words(row["text"] or row["topic"], row["evidence"]["rule"]),
                "meaning": find_meaning(row["text"], talk),
                "reactions": _reasons(row["reactions"], records_by_n),
                "taken_up": _taken_up(row, documents),
            }
            for row in row["open"]
        ],
        "moved": _side_changes(row),
        "actions": to_do,
        "questions": asked,
        "goals": goal_rows_of_minutes(memory),
        "learnt": insight_rows(memory),
        "left_out": {"actions": older_actions, "questions": older_questions},
    }
    mark_alike(whole["decisions"], whole["brief"]["decided"])
    shown = sections(whole)
    return {
        **whole,
        "evidence": _evidence(records_by_n, cited_entries(shown)),
        "page": sections_row(whole, shown),
    }


def _course(
    memory: Memory,
    talk: Sequence[Record],
    speakers: Mapping[int, Voice],
    index: Row,
    offers: Sequence[Row],
) -> Row:
    """What the talk was about; what was said where no decision shows it, words that came up most
    where no topic was called out."""
    topics, put_off = find_topics(talk), find_put_off(talk, speakers)
    told = {n for row in find_documents(talk) for n in (row["n"], *row["earlier"])}
    told |= {row["n"] for row in put_off}
    return {
        "topics": topics,
        "subjects": [] if topics else find_subjects(talk, memory.participants),
        "discussion": []
        if index["decided"]
        else find_discussion(talk, speakers, NameIndex(memory), told),
        "agenda": find_agenda(talk),
        "group": find_group(talk),
        "issues": find_issues(talk),
        "polls": [_with_sequel(row, offers) for row in find_polls(talk)],
        "put_off": put_off,
    }


def _with_sequel(poll: Row, offers: Sequence[Row]) -> Row:
    """`poll` with the open proposal that was made upon it, if one was."""
    rows = (row for row in offers if 0 < row["n"] - poll["last"] <= _UPON)
    offer = min(rows, key=lambda row: row["n"], default=None)
    then = None
    if offer is not None:
        text = offer["statement"] or item_words(offer["text"], offer["evidence"]["rule"])
        then = {
            "ref": offer["handle"],
            "text": text,
            "cites": offer["evidence"]["cites"],
            **pick(offer, "participant", "n"),
        }
    return {**poll, "then": then}


def _standing(documents: Sequence[Row], memory: Memory) -> list[Row]:
    """Each with the decision in force that it is of, and who spoke for it since."""
    rows = []
    ledger = ledger_of(memory)
    decisions = [item for item in ledger.decisions() if item.shelf == "firm"]
    for document in documents:
        found = [item for item in decisions if item.born == document["n"]]
        offers = [ledger.item(handle) for item in found for handle in item.settles]
        voices = {
            side.participant
            for offer in offers
            if offer is not None
            for side in offer.sides.values()
            if side.stance == "support" and side.n > document["n"]
        }
        in_force = next((item.handle for item in found if item.status in _IN_FORCE), None)
        rows.append({**document, "decision": in_force, "welcome": sorted(voices)})
    return rows


def _side_changes(report: Row) -> list[Row]:
    """Everyone who changed sides: from what to what, after whose words, in order."""
    named = {
        row["handle"]: row for kind in ("decisions", "open", "settled") for row in report[kind]
    }
    rows = [
        {
            "participant": person["participant"],
            "on": position["on"],
            "topic": named.get(position["on"], {}).get("topic", ""),
            "from": position["was"],
            "from_n": position["was_n"],
            "to": position["stance"],
            "n": position["n"],
            "text": position["text"],
            "as_read": position["as_read"],
            "after": position["moved_by"],
            "after_n": position["moved_n"],
        }
        for person in report["positions"]
        for position in person["positions"]
        if position["was"] and position["stance"] not in ("neutral", position["was"])
    ]
    return sorted(rows, key=lambda row: (row["n"], row["participant"], row["on"]))


def _decision(
    row: Row,
    memory: Memory,
    records: dict[int, Record],
    actions: Sequence[Row],
    documents: Sequence[Row],
) -> Row:
    wording = _wording(row, memory, records)
    told = explain(wording or row["text"], documents)
    wording = told if told != row["text"] else wording
    owned = any(action["decision"] == row["handle"] for action in actions)
    drawn_up = taken_up(wording or row["text"], row["n"] - 1, documents) is not None
    return {
        **row,
        "dissenters": _reasons(row["dissenters"], records),
        "wording": wording,
        "alike": None,
        "drawn_up": drawn_up,
        "due": find_dates(wording or row["text"]),
        "unowned": row["status"] in _IN_FORCE
        and not (owned or drawn_up or only_holds(wording or row["text"])),
    }


def _taken_up(row: Row, documents: Sequence[Row]) -> int | None:
    """The document that has it; of a stretch of prose it need have less."""
    loose = is_of_prose(row["evidence"]["rule"])
    return taken_up(row["text"] or row["topic"], row["n"], documents, loose=loose)


def mark_alike(decisions: Sequence[Row], in_force: Sequence[str]) -> None:
    """Names in `alike` the decision in force shortly before that has nearly the same words."""
    before: list[tuple[Row, frozenset[str]]] = []
    for row in decisions:
        if row["handle"] not in in_force:
            continue
        stems = frozenset(topic_words(row["wording"] or row["text"]))
        for earlier, words in before:
            shared = len(stems & words)
            if row["n"] - earlier["n"] <= NEAR and shared >= _ALIKE * len(stems | words):
                row["alike"] = earlier["handle"]
        before.append((row, stems))


def _reasons(voices: Sequence[Row], records: dict[int, Record]) -> list[Row]:
    """Each voice with `words`: from the sentence that takes the stand on, why it is taken."""
    return [
        {
            **voice,
            "words": reason_words(Cite(*voice["cites"][0]), records) if voice["quote"] else None,
        }
        for voice in voices
    ]


def _wording(row: Row, memory: Memory, records: dict[int, Record]) -> str | None:
    """The decision in full, where its outcome is cut short and its entry, or that of the
    proposal that it settles, has the rest; None where nothing is missing."""
    if not row["outcome"].endswith(ELLIPSIS):
        return None
    begins = row["outcome"].removesuffix(ELLIPSIS).rstrip()
    offer = ledger_of(memory).item(row["resolves"]) if row["resolves"] else None
    for n in (row["n"], offer.born if offer else 0):
        content = getattr(records[n].entry, "content", "") if n in records else ""
        for line in map(one_line, content[:READ].split("\n")):
            if (start := line.find(begins)) >= 0 and not memory.is_redacted(n):
                return clip(line[start:], _WORDING)
    return None


def _messages(records: dict[int, Record]) -> Iterable[Record]:
    return (record for record in records.values() if record.is_message)


def _talk(memory: Memory, records: dict[int, Record]) -> Sequence[Record]:
    """What people and agents said, without bots and without what is gone."""
    names = NameIndex(memory)
    return [
        record
        for record in records.values()
        if is_standing_talk(memory, record)
        and not names.is_bot(str(getattr(record.entry, "participant", "")))
        and not memory.is_redacted(record.n)
    ]


def _evidence(records: dict[int, Record], wanted: Iterable[int]) -> list[Row]:
    rows = []
    for n in sorted(set(wanted) & records.keys()):
        entry: Any = records[n].entry
        content = next(filter(None, (getattr(entry, name, "") for name in _WORDS)), "")
        rows.append({
            "n": n,
            "kind": entry.kind,
            "participant": getattr(entry, "participant", None),
            **time_row(getattr(entry, "at", None), records[n]),
            "text": clip(content, _EVIDENCE),
            "clipped": len(content) > _EVIDENCE,
        })  # fmt: skip
    return rows

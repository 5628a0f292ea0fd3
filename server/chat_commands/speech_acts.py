"""Typed words and speech acts as the messages they are. Pure."""

from __future__ import annotations

from parley.bus.entries import Message
from parley.server.basics.entry_drafts import build_entry
from parley.server.basics.errors import Misuse
from parley.server.chat_commands.typed_line import (
    Publish,
    TypedLine,
    find_item,
    find_participant,
    looks_like,
)


def draft_message(me: str, text: str, **fields: object) -> Publish:
    return Publish((build_entry(Message, participant=me, content=text, **fields),))


def say(line: TypedLine) -> Publish:
    return draft_message(line.me, line.words("TEXT"), act=line.name)


def about_a_proposal(line: TypedLine) -> Publish:
    ref, why = line.first("P3 [WHY]")
    return _reaction(line, find_item(line.memory, ref, "P"), why)


def about_a_decision(line: TypedLine) -> Publish:
    ref, why = line.first("D1 [WHY]")
    return _reaction(line, find_item(line.memory, ref, "D"), why)


def _reaction(line: TypedLine, ref: str, why: str) -> Publish:
    on = " on" if line.name == "abstain" else ""
    return draft_message(line.me, why or f"I {line.name}{on} {ref}.", act=line.name, re=ref)


def amend(line: TypedLine) -> Publish:
    ref, text = line.first("P3 TEXT")
    target = find_item(line.memory, ref, "P")
    if not text:
        raise Misuse(f"say what {target} should be instead: /amend {target} TEXT")
    return draft_message(line.me, text, act="amend", re=target)


def decide(line: TypedLine) -> Publish:
    word, rest = line.first("[P3] TEXT")
    if not looks_like(word, "P"):
        return say(line)
    ref = find_item(line.memory, word, "P")
    return draft_message(line.me, rest or f"We go with {ref}.", act="decide", re=ref)


def address(line: TypedLine) -> Publish:
    name, text = line.first("NAME TEXT")
    if not text:
        raise Misuse(f"say something to {name}: /to {name} TEXT")
    return draft_message(line.me, text, to=(find_participant(line.memory, name),))

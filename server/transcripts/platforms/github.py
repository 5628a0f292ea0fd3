"""Issues, pull requests and discussions of GitHub, as its APIs and `gh` give them.

A list of comments (REST), an issue with its comments (`gh issue view --json`),
or the answer to a GraphQL query. Replies become `re`; reactions count where the
file names who reacted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from parley.server.transcripts.sources.emoji_reactions import read_emoji
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

Row = dict[str, Any]
_Post = tuple[str, Row, str | None]  # place, what was posted, the key of what it answers
_GHOST: Final = "ghost"  # who GitHub says wrote what a deleted account did
_HIDDEN: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_AUTHORS: Final = ("user", "author", "actor")
_LONG: Final = 4_000_000  # characters: beyond the limit of a message, so nothing to tidy
_PERSON: Final = known_fields("login type __typename is_bot")
_POST: Final = known_fields(
    "id databaseId title body event in_reply_to_id parent_id replyTo isMinimized replies comments "
    "reviews reviewThreads reactions reactionGroups created_at createdAt submittedAt submitted_at "
    "publishedAt",
    user=_PERSON, author=_PERSON, actor=_PERSON,
)  # fmt: skip
_UNDER: Final = ("data", "repository", "node", "resource", "issue", "pullRequest", "discussion")


def _tell(source: Source) -> int:
    tree = source.tree
    rows = tree[:50] if isinstance(tree, list) else [_topmost(tree)]
    return SURE if any(_is_post(row) for row in rows) else NO


def _topmost(tree: Any) -> Any:
    """The issue or discussion within the wrappers of an answer."""
    for _ in _UNDER:
        inner = next(
            (tree[name] for name in _UNDER if isinstance(tree, dict) and
             isinstance(tree.get(name), dict)), None,
        )  # fmt: skip
        if inner is None or _is_post(tree):
            break
        tree = inner
    return tree


def _is_post(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    if "comments" in row and not isinstance(row["comments"], int):
        inner = _nodes(row["comments"]) or []
        if any(_is_post(each) for each in inner[:5]):
            return True
    return "body" in row and _has_author(row)


def _has_author(row: Row) -> bool:
    authors = [row[name] for name in _AUTHORS if name in row]
    return any(who is None or (isinstance(who, dict) and "login" in who) for who in authors)


def _nodes(value: Any) -> list[Any] | None:
    """The members of a list, or of a connection's `nodes` or `edges`."""
    if isinstance(value, dict):
        if isinstance(value.get("edges"), list):
            return [edge.get("node") for edge in value["edges"] if isinstance(edge, dict)]
        value = value.get("nodes")
    return value if isinstance(value, list) else None


def _read(source: Source, taking: EntryCollector) -> None:
    tree = source.tree
    if isinstance(tree, list):
        posts = list(_posts(tree, "item", None))
    else:
        top = _topmost(tree)
        posts = list(_all_of(top if isinstance(top, dict) else {}))
        title = top.get("title") if isinstance(top, dict) else None
        if isinstance(title, str) and title.strip():
            taking.transcript.meta["title"] = title.strip()
    if all(_at(row) for _, row, _ in posts):
        posts.sort(key=lambda post: _at(post[1]) or "")  # stable; as they were posted
    elif posts:
        taking.note("not every post has a time: they stay in the order of the file")
    reader = _Reader(taking)
    for post in posts:
        reader.post(*post)


def _all_of(top: Row) -> Iterator[_Post]:
    if "body" in top:
        yield "body", top, None
    for part in ("comments", "reviews"):
        yield from _posts(_nodes(top.get(part)) or [], part, None)
    for number, thread in enumerate(_nodes(top.get("reviewThreads")) or []):
        if isinstance(thread, dict):
            inner = _nodes(thread.get("comments")) or []
            yield from _posts(inner, f"reviewThreads {number}, comments", None)


def _posts(rows: list[Any], part: str, parent: str | None) -> Iterator[_Post]:
    for number, row in enumerate(rows):
        place = f"{part} {number}"
        if not isinstance(row, dict):
            yield place, {}, parent
            continue
        yield place, row, parent or _parent(row)
        replies = _nodes(row.get("replies"))
        if replies and parent is None:
            yield from _posts(replies, f"{place}, replies", _key(row) or place)


def _key(row: Row) -> str | None:
    key = row.get("id") or row.get("databaseId")
    return str(key) if isinstance(key, (int, str)) else None


def _parent(row: Row) -> str | None:
    """What a comment answers, where it says so itself."""
    for name in ("in_reply_to_id", "parent_id", "replyTo"):
        value = row.get(name)
        value = value.get("id") if isinstance(value, dict) else value
        if isinstance(value, (int, str)) and value:
            return str(value)
    return None


def _at(row: Row) -> str | None:
    for name in ("created_at", "createdAt", "submittedAt", "submitted_at", "publishedAt"):
        if isinstance(row.get(name), str):
            return str(row[name])
    return None


class _Reader:
    def __init__(self, taking: EntryCollector) -> None:
        self._taking = taking
        self._index: dict[str, int] = {}

    def post(self, place: str, row: Row, parent: str | None) -> None:
        taking = self._taking
        body = row.get("body")
        if "body" not in row or not (isinstance(body, str) or body is None):
            if isinstance(row.get("event"), str):
                taking.skip("events: labels, assignments, closing", place)
            else:
                taking.refuse(place, "field 'body' is missing: it is no comment")
            return
        if row.get("isMinimized") is True:
            taking.skip("hidden comments", place)
            return
        text = (body or "") if len(body or "") > _LONG else _HIDDEN.sub("", body or "")
        index = self._index.get(parent) if parent is not None else None
        if parent is not None and index is None:
            taking.note(f"{place} answers a comment that is not in the file")
        if not text.strip():
            taking.skip("posts without words", place)
            return
        taking.leave_fields(place, row, _POST)
        own = taking.say(place, self._who(row), text, timestamp=_at(row), re=index)
        if own is not None:
            self._index[_key(row) or place] = own
        self._reactions(place, row, own)

    def _who(self, row: Row) -> str:
        for name in _AUTHORS:
            author = row.get(name)
            if isinstance(author, dict) and isinstance(author.get("login"), str):
                login = str(author["login"])
                kind = author.get("type", author.get("__typename"))
                if kind == "Bot" or author.get("is_bot") is True or login.endswith("[bot]"):
                    bots = self._taking.transcript.meta.setdefault("bots", [])
                    if login not in bots:
                        bots.append(login)
                return login
        return _GHOST

    def _reactions(self, place: str, row: Row, own: int | None) -> None:
        """Votes of those that are named; counts alone say nothing of who."""
        nobody = sum(_counts(row))
        for reaction in _nodes(row.get("reactions")) or []:
            user = reaction.get("user") if isinstance(reaction, dict) else None
            name = reaction.get("content") if isinstance(reaction, dict) else None
            vote = read_emoji(name) if isinstance(name, str) else None
            login = user.get("login") if isinstance(user, dict) else None
            if isinstance(login, str) and vote is not None and own is not None:
                at = _at(reaction)
                self._taking.say(place, login, vote.sign, act=vote.act, re=own, timestamp=at)
            else:
                nobody += 1
        self._taking.skip("reactions that are no vote, or name nobody", place, nobody)


def _counts(row: Row) -> Iterator[int]:
    """Reactions as numbers: REST's by name, GraphQL's by group, where no one is named."""
    reactions, groups = row.get("reactions"), row.get("reactionGroups")
    if isinstance(reactions, dict) and type(reactions.get("total_count")) is int:
        yield max(reactions["total_count"], 0)
    elif isinstance(groups, list) and not _nodes(reactions):
        for group in groups:
            users = group.get("users", group.get("reactors")) if isinstance(group, dict) else None
            count = users.get("totalCount") if isinstance(users, dict) else None
            yield count if type(count) is int and count > 0 else 0


GITHUB: Final = Format(
    "github", "issue, pull request or discussion: REST, gh --json, GraphQL", ("json",),
    _tell, _read,
)  # fmt: skip

"""Threads of mail: an mbox, or one message as a file. Answers become `re`.

Of each mail the writer's own words are taken: quoted lines, the line that leads
them in, signatures and footers of lists stay out, attachments are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from email import message_from_bytes, policy
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any, Final

from parley.server.transcripts.platforms.mail_text import strip_quotes, strip_scrubbed
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_name
from parley.server.transcripts.sources.markup import html_to_text
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, SURE, Format

# A line between two mails has an address or a time, and a header behind it: text, too, may begin
# with "From ".
_FROM: Final = re.compile(
    rb"\AFrom [^\n]{1,300}(?:\n|\Z)"
    rb"|(?:(?<=\n\n)|(?<=\n\r\n))From (?:[^\n]{0,200}\d:\d\d|\S{1,200}@)[^\n]{0,90}\n"
    rb"(?=[A-Za-z][A-Za-z0-9-]{0,60}:)"
)
_ESCAPED: Final = re.compile(rb"^>(?=>*From )", re.MULTILINE)  # how an mbox marks such text
_VIA: Final = re.compile(r"(.*\S)\s+via\s+\S.*", re.DOTALL)  # how lists rewrite who sent a mail
_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}:[ \t]?")
_ID: Final = re.compile(r"<([^<>\s]{1,500})>")
_AT_WORD: Final = re.compile(r"(\S{1,100}) (?:at|@) (\S{1,200}\.\S{1,100})(?: \((.{1,200})\))?\Z")
_PREFIX: Final = re.compile(
    r"(?:(?:re|fwd?|aw|sv)(?:\[[0-9]+\])?:[ \t]*|\[[^\]\n]{1,40}\][ \t]*)", re.IGNORECASE
)
_LONGEST_HEADER: Final = 2000  # characters, as long as mail allows a line of one


def _tell(source: Source) -> int:
    lines = source.head.split("\n", 40)[:40]
    begins = lines[0].startswith("From ")
    heads = lines[1:] if begins else lines
    names = set()
    for line in heads:
        if not line.strip():
            break
        if match := _HEADER.match(line):
            names.add(line[: match.end()].rstrip(": \t").lower())
    if "from" not in names or not names & {"date", "subject", "message-id"}:
        return NO
    return SURE if begins or len(names) > 3 else LIKELY


def _read(source: Source, taking: EntryCollector) -> None:
    mails = []
    for place, part in _mails(source.data):
        try:
            mails.append(_Mail(place, part))
        except RecursionError:
            taking.refuse(place, "its parts are nested too deep")
    if all(mail.date for mail in mails):
        mails.sort(key=lambda mail: mail.date.timestamp() if mail.date else 0.0)  # stable
    else:
        taking.note("not every mail has a date: they stay in the order of the file")
    shared = _shared_addresses(_sender(mail) for mail in mails)
    reader = _Reader(taking, {mail.subject for mail in mails}, shared)
    for mail in mails:
        reader.mail(mail)


def _mails(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Each mail, and the line where it begins."""
    starts = [match.span() for match in _FROM.finditer(data)] or [(0, 0)]
    line, counted = 1, 0
    for (start, head), following in zip(
        starts, [*(start for start, _ in starts[1:]), len(data)], strict=True
    ):
        line += data.count(b"\n", counted, start)
        counted = start
        yield f"line {line}", _ESCAPED.sub(b"", data[head:following])


class _Bounded(policy.Compat32):
    """Headers cut to a length: the parsers of the standard library take minutes for long ones."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_LONGEST_HEADER]


_POLICY: Final = _Bounded()


class _Mail:
    """One mail, its headers read once. Raises `RecursionError` for parts within parts within …"""

    def __init__(self, place: str, data: bytes) -> None:
        self.place = place
        self.message = message_from_bytes(data, policy=_POLICY)
        self._headers = {
            name.lower(): str(raw) for name, raw in reversed(list(self.message.raw_items()))
        }
        self.id = next(iter(_ids(self.header("Message-ID"))), None)
        self.answers = [
            *_ids(self.header("In-Reply-To"))[:1],
            *_ids(self.header("References"))[::-1],
        ]
        self.subject = _subject(_worded(self.header("Subject")))
        self.date = _date(self.header("Date"))

    def header(self, name: str) -> str:
        """A header as it stands, on one line; "" where there is none."""
        raw = self._headers.get(name.lower(), "").encode("utf-8", "surrogateescape")
        return " ".join(raw.decode("utf-8", "replace").split())


def _worded(raw: str) -> str:
    """The words of a header out of their encoding; as they are if the parser gives up."""
    try:
        return str(policy.default.header_factory("Subject", raw)) if "=?" in raw else raw
    except Exception:  # whatever the parser trips over: it has no error of its own for that
        return raw


def _ids(text: str) -> list[str]:
    return _ID.findall(text)


def _subject(text: str) -> str:
    while match := _PREFIX.match(text):
        text = text[match.end() :]
    return read_name(text) if text.strip() else ""


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        moment.timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return moment


class _Reader:
    def __init__(self, taking: EntryCollector, subjects: set[str], shared: frozenset[str]) -> None:
        self._taking = taking
        self._shared = shared
        self._index: dict[str, int] = {}  # by id of the mail
        self._name: dict[str, str] = {}  # by address
        self._one = len(subjects) == 1
        if self._one and (title := next(iter(subjects))):
            taking.transcript.meta["title"] = title

    def mail(self, mail: _Mail) -> None:
        body, scrubbed = strip_scrubbed(_body(mail, self._taking))
        self._taking.skip("attachments", mail.place, scrubbed)
        text = strip_quotes(body)
        if not text:
            self._taking.skip("mails without words of their own", mail.place)
            return
        answered = [self._index[each] for each in mail.answers if each in self._index]
        if mail.answers and not answered:
            self._taking.note(f"the mail of {mail.place} answers one that is not in the file")
        index = self._taking.say(
            mail.place, self._who(mail), text,
            timestamp=_iso(mail.date), re=answered[0] if answered else None,
            topic=None if self._one else mail.subject or None,
        )  # fmt: skip
        if index is not None and mail.id is not None:
            self._index[mail.id] = index

    def _who(self, mail: _Mail) -> str:
        """The name of whoever an address belongs to: the first that it came with.

        Of an address that several share it is the name alone that tells them apart.
        """
        name, address = _sender(mail)
        shown = name or address.partition("@")[0] or mail.header("From")
        own = address if address and address not in self._shared else shown.casefold()
        return self._name.setdefault(own, read_name(shown))


def _sender(mail: _Mail) -> tuple[str, str]:
    """The name and the address, in small letters, that a mail is from.

    A list that sends in somebody's name (`Ana via G <g@x.org>`) is no address of theirs.
    """
    sender = mail.header("From")
    veiled = _AT_WORD.match(sender)
    if veiled:
        name, address = veiled[3] or "", f"{veiled[1]}@{veiled[2]}"
    else:
        name, address = parseaddr(sender)
    name = _unquoted(_worded(name))
    rewritten = _VIA.fullmatch(name)
    return (_unquoted(rewritten[1]), "") if rewritten else (name, address.lower())


# Programs send in the name of many from these.
_NOBODYS: Final = re.compile(r"(?:no-?reply|do-?not-?reply|notif(?:y|ications?))\b", re.IGNORECASE)


def _unquoted(name: str) -> str:
    return re.sub(r"\\(?=[()\"\\])", "", name).strip().strip("\"'").strip()


def _shared_addresses(senders: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The addresses that came with names of which two have no word in common, or are nobody's."""
    names: dict[str, list[set[str]]] = {}
    for name, address in senders:
        if words := set(re.findall(r"\w+", name.casefold())):
            known = names.setdefault(address, [])
            if words not in known:
                known.append(words)
    return frozenset(
        address
        for address, known in names.items()
        if (len(known) > 1 and _NOBODYS.match(address))
        or any(one.isdisjoint(known[0]) for one in known)
    )


def _iso(date: datetime | None) -> str | None:
    return date.isoformat().replace("+00:00", "Z") if date else None


def _body(mail: _Mail, taking: EntryCollector) -> str:
    plain: list[str] = []
    pages: list[str] = []
    for part in mail.message.walk():
        if part.is_multipart():
            continue
        kind = part.get_content_type()
        if _attached(part) or kind not in ("text/plain", "text/html"):
            taking.skip("attachments", mail.place)
        elif kind == "text/html":
            pages.append(_text(part))
        else:
            plain.append(_text(part))
    text = "\n".join(plain)
    return text if text.strip() else html_to_text("\n".join(pages))


def _attached(part: Message[Any, Any]) -> bool:
    raw = next((str(v) for k, v in part.raw_items() if k.lower() == "content-disposition"), "")
    return raw.strip().lower().startswith("attachment")


def _text(part: Message[Any, Any]) -> str:
    data = part.get_payload(decode=True)
    raw = data if isinstance(data, bytes) else b""
    try:
        return raw.decode(str(part.get_content_charset() or "utf-8")).replace("\r\n", "\n")
    except (LookupError, UnicodeError, ValueError):
        return raw.decode("latin-1").replace("\r\n", "\n")


MBOX: Final = Format(
    "mbox", "threads of mail: an mbox, or one mail", ("mbox", "eml", "mbx"), _tell, _read
)

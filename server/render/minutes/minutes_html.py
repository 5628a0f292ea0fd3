"""The minutes as one HTML file without scripts, for a screen of any kind and for paper. Pure."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any, Final

from parley.memory.text.fences import escape_invisible
from parley.server.render.minutes.minutes_appendix import appendix, time_label
from parley.server.render.minutes.minutes_heading import heading_lines, lead_paragraph, title
from parley.server.render.minutes.minutes_line import Line
from parley.server.render.minutes.minutes_sections import Section, sections

STYLE: Final = """
:root{color-scheme:light dark;--ink:#1c1e21;--soft:#555b63;--bg:#fff;--line:#d5d9de;--link:#0b57a4;
--bad:#a3231c;--raised:#f5f6f8}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#a4abb4;--bg:#16181b;--line:#3a3f46;
--link:#8cbcf5;--bad:#ff9d94;--raised:#1f2226}}
body{margin:0 auto;max-width:46rem;padding:1.5rem 1rem 4rem;background:var(--bg);color:var(--ink);
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0}h2{font-size:1.2rem;margin:2rem 0 .5rem;
border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1rem 0 .25rem}
p{margin:.35rem 0}p.about,p.counts,.note{color:var(--soft)}ul{list-style:none;padding-left:1rem;
margin:.15rem 0}section>ul{padding-left:0}li{margin:.15rem 0}section>ul>li{margin:.6rem 0}
.lead{margin:.5rem 0}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;
border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:600}
th,td:not(:last-child){overflow-wrap:break-word}
.mark{font-weight:600}.firm>bdi{font-weight:600}.over>bdi{color:var(--soft)}
.quote{font-style:italic}.against>.mark{color:var(--bad)}.long,blockquote{white-space:pre-wrap}
blockquote{margin:0;padding:.5rem .75rem;background:var(--raised);
border-left:3px solid var(--line)}
a{color:var(--link)}:target blockquote{border-left-color:var(--link)}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--bg:#fff;--line:#bbb;--link:#000;
--bad:#8a1c16;--raised:#fff}body{max-width:none;padding:0;font-size:10pt;line-height:1.35}
h2,h3{break-after:avoid}article,li{break-inside:avoid}.appendix{break-before:page}
a{color:inherit;text-decoration:none}}
"""
_HASH: Final = b64encode(sha256(STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
)


def render(report: Mapping[str, Any]) -> str:
    """The whole page; links lead to the appendix, which quotes the messages."""
    return "\n".join(_lines(report)) + "\n"


def _section_html(text: str, *, keep_newlines: bool = False) -> str:
    """Untrusted `text` as HTML shows it: characters, in a direction of their own."""
    return f"<bdi>{_plain(text, keep_newlines)}</bdi>"


def _plain(text: str, keep_newlines: bool = False) -> str:
    flat = text if keep_newlines else " ".join(text.split("\n")).strip()
    return escape(escape_invisible(flat, keep_newlines=keep_newlines))


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    name = _plain(title(report)) or "Minutes"
    yield from (
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{name}</title>", f"<style>{STYLE}</style>", "</head>", "<body>", "<main>",
        f"<h1>{_section_html(title(report))}</h1>",
    )  # fmt: skip
    for line in heading_lines(report):
        yield f'<p class="counts">{_section_html(line)}</p>'
    for sentence in lead_paragraph(report).split("\n"):
        yield f'<p class="lead">{_section_html(sentence)}</p>'
    shown = sections(report)
    quotes = appendix(report, shown)
    at_hand = {row["n"] for row in quotes}
    for number, section in enumerate(shown, 1):
        yield f'<section aria-labelledby="s{number}">'
        yield f'<h2 id="s{number}">{escape(section.heading)}</h2>'
        if section.about:
            yield f'<p class="about">{escape(section.about)}</p>'
        yield from (_table if section.columns else _plain_list)(section, at_hand)
        yield "</section>"
    yield from _evidence(quotes)
    yield from ("</main>", "</body>", "</html>")


def _table(section: Section, at_hand: set[int]) -> Iterator[str]:
    yield "<table>"
    yield f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in section.columns)}</tr>"
    for line in section.lines:
        what = " ".join([_section_html(line.text), *_links(line, at_hand)])
        cells = (_section_html(line.mark), what, _section_html(line.note))[: len(section.columns)]
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _plain_list(section: Section, at_hand: set[int]) -> Iterator[str]:
    return _list(section.lines, at_hand)


def _list(lines: list[Line] | tuple[Line, ...], at_hand: set[int]) -> Iterator[str]:
    yield "<ul>"
    for line in lines:
        yield f"<li{_class(line.kind)}>" + " ".join(_parts(line, at_hand))
        if line.under:
            yield from _list(line.under, at_hand)
        yield "</li>"
    yield "</ul>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _parts(line: Line, at_hand: set[int]) -> Iterator[str]:
    if line.mark.strip():
        yield f'<span class="mark">{_section_html(line.mark)}</span>'
    if line.text.strip():
        yield _section_html(line.text, keep_newlines=line.kind == "long")
    if line.note.strip():
        yield f'<span class="note">({_section_html(line.note)})</span>'
    yield from _links(line, at_hand)


def _links(line: Line, at_hand: set[int]) -> Iterator[str]:
    for n in line.numbers(at_hand):
        yield f'<a href="#m{n}">[{n}]</a>' if n in at_hand else f"[{n}]"


def _evidence(quotes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not quotes:
        return
    yield '<section class="appendix" aria-labelledby="evidence">'
    yield '<h2 id="evidence">Evidence</h2>'
    for row in quotes:
        yield f'<article id="m{row["n"]}"><h3>[{row["n"]}] {_section_html(time_label(row))}</h3>'
        yield f"<blockquote>{_section_html(row['text'], keep_newlines=True)}</blockquote></article>"
    yield "</section>"

"""Text of many kinds to calibrate and check the estimate of tokens on, written for this project.

Each kind is a list of passages. Lines of prose are told apart by their place:
those of even places are for fitting, those of odd places for checking.
"""

from __future__ import annotations

import hashlib
import json
import random
import uuid
from collections.abc import Callable
from typing import Any, Final

Half = int  # 0: to fit on, 1: to check on
_PASSAGE: Final = 1500  # characters of a passage, more or less

_TALK: Final = """
I think we should look at the backlog before we promise anybody a date for the second release.
The cache was never meant to survive a restart, so losing it costs us a slow minute and no data.
Could somebody explain why the replica in the other region is eleven minutes behind right now?
My worry is less about throughput than about what happens when the leader and its log disagree.
If nobody objects, I'd move the review to Thursday and send the notes around on the same evening.
We tried that in spring; it worked for small sessions and fell apart once people began to interrupt.
What convinces me is the measurement: half the memory, and the tail latency did not change at all.
Honestly, I don't remember who proposed it first, but the argument about cost was yours, wasn't it?
Let's separate two questions here: whether we want the feature, and who will maintain it afterwards.
The customer asked for a guarantee that no message is lost, and I would rather not give it lightly.
There is a simpler way, which is to write the decision down and let the reader work out the rest.
I'm in favour, provided that the old interface keeps working until the end of the year.
Nobody has touched the importer since Maria left, and its tests have been skipped for months.
That depends on whether the budget is approved; without it we can only patch what is already there.
You can see it in the chart: errors rise every morning at eight, when the offices log in together.
Please don't take this as a refusal, I only want to understand what we would be giving up.
"""

_CHAT: Final = """
+1
yep, same here
lol no idea, ask Tom
present+ Anna_K
brb, coffee :)
can you hear me?? my mic is dead
q+ to ask about the deadline
ack nick_w
see https://example.org/wiki/Release_Plan#step-3
ok, fixed in r4821
scribe: Yusuf
hmm... not sure that's true
zakim, who is on the call?
-1 (won't scale IMO)
s/monday/tuesday/
thx! merging now
WIP, pls review #218 when you get a sec
mhm. okay. right.
uh, so, yeah, I mean the, the buttons on the side
@lena could you paste the log?
"""

_MINUTES: Final = """
## 3. Storage of attachments
**Ruth Adler:** we have had three proposals since last week, and #41 is the one with most support.
> *Ines Roth:* +1 to what Ruth said
**Proposed resolution: keep attachments outside the log, named by their hash.** *(Paul Okafor)*
* [Action #7](https://example.org/minutes/2024-03-12#a7): measure the cost of both variants (Ines)
**Resolution #2: attachments are kept outside the log, and named by their hash.**
Topic: next meeting, Tuesday 19 March, 15:00 UTC
... and the second point was that nobody reads the index, so we may as well drop it
Present: Ruth Adler, Paul Okafor, Ines Roth, J. Lindqvist, Mei Tanaka
RESOLVED: publish the draft as it stands, with the changes of pull request 118
ACTION: Paul to write to the registry about the name by 2024-04-02
PROPOSAL: drop support for version 1 in the autumn release
"""

_GERMAN: Final = """
Wir sollten die Warteschlange leeren, bevor wir über den nächsten Veröffentlichungstermin reden.
Die Datenbankverbindung wird nach dreißig Sekunden geschlossen; größeren Abfragen reicht das nicht.
Ich bin dafür, solange die bisherige Schnittstelle bis zum Jahresende unverändert erhalten bleibt.
Können wir die Entscheidung auf die nächste Sitzung verschieben, wenn alle Messwerte vorliegen?
Der Vorschlag löst zwar das Speicherproblem, macht aber die Wiederherstellung viel schwieriger.
Niemand hat widersprochen, also gilt: Die Zusammenfassungen werden künftig täglich erstellt.
"""

_FRENCH: Final = """
Je propose de déplacer la réunion à jeudi, car les mesures ne seront pas prêtes avant mercredi soir.
Le cache n'a jamais été conçu pour survivre à un redémarrage, donc sa perte ne coûte qu'une minute.
Quelqu'un peut-il expliquer pourquoi la réplique a onze minutes de retard sur le serveur principal ?
Je suis d'accord, à condition que l'ancienne interface reste disponible jusqu'à la fin de l'année.
Nous avions déjà essayé cette solution au printemps, mais elle ne convenait qu'aux petites équipes.
La décision est prise : les pièces jointes seront conservées à part et désignées par leur empreinte.
"""

_RUSSIAN: Final = """
Предлагаю перенести встречу на четверг, потому что измерения будут готовы только в среду вечером.
Кэш никогда не должен был переживать перезапуск, поэтому его потеря стоит нам одной минуты.
Я согласен, если старый интерфейс останется доступным до конца года без каких-либо изменений.
Кто-нибудь может объяснить, почему копия в другом регионе отстаёт на одиннадцать минут?
"""

_JAPANESE: Final = """
次のリリース日を約束する前に、未処理の課題をもう一度確認した方がいいと思います。
キャッシュは再起動後も残るように設計されていないので、失われてもデータは消えません。
古いインターフェースが年末まで使えるのであれば、この提案に賛成します。
別の地域の複製が今十一分遅れている理由を、誰か説明してもらえますか。
"""

_CHINESE: Final = """
我建议把会议改到星期四，因为测量结果要到星期三晚上才能准备好。
缓存从来没有打算在重启之后保留下来，所以丢失它只会让我们慢一分钟。
如果旧的接口能够继续使用到年底，我就同意这个方案，否则我们需要再讨论一次。
有没有人可以解释一下，为什么另一个地区的副本现在落后了十一分钟？
"""

_HEBREW: Final = """
אני מציע לדחות את הפגישה ליום חמישי, כי המדידות יהיו מוכנות רק ביום רביעי בערב.
המטמון מעולם לא נועד לשרוד הפעלה מחדש, ולכן אובדנו עולה לנו דקה אחת בלבד.
אני מסכים, בתנאי שהממשק הישן יישאר זמין עד סוף השנה בלי שום שינוי.
מישהו יכול להסביר למה העותק באזור השני מפגר עכשיו באחת עשרה דקות?
"""

_EMOJI: Final = """
great work everyone 🎉🎉 merging it now 🚀
hmm 🤔 not convinced yet, sorry 😅
👍 from me, let's go
I tested it twice and it holds ✅ thank you 🙏
red again on main 🔥😱 who is on call?
see you tomorrow 👋😊
"""

_CODE: Final = '''
def merge(left: list[int], right: list[int]) -> list[int]:
    """Both lists as one, in order."""
    out: list[int] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    return out + left[i:] + right[j:]

class Ledger:
    def __init__(self, path: Path, *, limit: int = 1_000) -> None:
        self._rows: dict[str, Row] = {}
        self.limit = limit

    async def post(self, row: Row) -> None:
        if row.key in self._rows:
            raise DuplicateRow(f"{row.key!r} was posted at {self._rows[row.key].at}")
        self._rows[row.key] = row
        await self._flush()

for name, value in sorted(settings.items(), key=lambda item: item[0]):
    print(f"{name:<24} {value!r:>10}", file=sys.stderr)

@app.get("/orders/{order_id}", response_model=Order)
async def read_order(order_id: int, db: Session = Depends(get_db)) -> Order:
    order = db.query(Order).filter(Order.id == order_id).first()
    return order or not_found(order_id)
'''

_THINGS: Final = ("door", "window", "fire exit", "stair", "ramp", "corridor", "lift", "wall")
_TOOLS: Final = (
    "search_index",
    "get_invoice",
    "list_files",
    "runQuery",
    "render-view",
    "fetch_url",
)
_HOSTS: Final = (
    "example.org",
    "docs.example.com",
    "api.eu-west.example.net:8443",
    "localhost:9200",
)
_PATHS: Final = (
    "orders",
    "wiki",
    "static",
    "v2",
    "reports",
    "Release_Plan",
    "search",
    "users",
    "2024",
)


def samples(half: Half) -> dict[str, list[str]]:
    """Passages by kind; `half` 0 to fit on, 1 to check on."""
    draw = random.Random(half)
    prose = {
        "talk": _TALK, "chat": _CHAT, "minutes": _MINUTES, "german": _GERMAN, "french": _FRENCH,
        "russian": _RUSSIAN, "japanese": _JAPANESE, "chinese": _CHINESE, "hebrew": _HEBREW,
        "emoji": _EMOJI,
    }  # fmt: skip
    made: dict[str, Callable[[random.Random], str]] = {
        "records": _record, "records of ids": _ids, "records as Python": _python, "logs": _log,
        "links": _link, "tables": _row,
    }  # fmt: skip
    return {
        **{kind: _lines(text, half) for kind, text in prose.items()},
        **{kind: [_filled(draw, make) for _ in range(8)] for kind, make in made.items()},
        "code": _lines(_CODE, half, "\n\n"),
    }


def _lines(text: str, half: Half, between: str = "\n") -> list[str]:
    """One passage of the lines of that half, as often as it takes."""
    lines = text.strip("\n").split(between)[half::2]
    return [between.join(lines * (1 + _PASSAGE // sum(map(len, lines))))]


def _filled(draw: random.Random, make: Callable[[random.Random], str]) -> str:
    lines: list[str] = []
    while sum(map(len, lines)) < _PASSAGE:
        lines.append(make(draw))
    return "\n".join(lines)


def _uuid(draw: random.Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


def _when(draw: random.Random) -> str:
    day, second = draw.randint(1, 28), draw.randrange(86_400)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"2026-{draw.randint(1, 12):02}-{day:02}T{clock}Z"


def _facts(draw: random.Random) -> dict[str, Any]:
    return {
        "tool": draw.choice(_TOOLS),
        "arguments": {"kind": draw.choice(_THINGS), "floor": draw.randrange(9), "limit": 100},
        "status": draw.choice(("ok", "ok", "failed")),
        "title": f"{draw.choice(_THINGS)} of {draw.choice(_THINGS)} {draw.randrange(400)}",
        "price": draw.randrange(100_000) / 100,
        "tags": draw.sample(_THINGS, 3),
        "parent": None,
        "checked": draw.random() < 0.5,
    }


def _record(draw: random.Random) -> str:
    """A result as a tool gives it: mostly words, some numbers; indented now and then."""
    return json.dumps(_facts(draw), indent=draw.choice((None, None, 2)))


def _ids(draw: random.Random) -> str:
    """A record that is mostly identifiers."""
    near = [f"{draw.choice('dwsx')}{draw.randrange(10_000)}" for _ in range(draw.randrange(12))]
    facts = {"id": _uuid(draw), "call_id": f"call-{draw.randrange(9999)}", "at": _when(draw),
             "near": near, "tool": draw.choice(_TOOLS),
             "hash": hashlib.sha256(_uuid(draw).encode()).hexdigest()[: draw.choice((8, 16, 40))],
             "text": f"found {draw.randrange(90)} elements: {', '.join(near)}"}  # fmt: skip
    tight = draw.random() < 0.5
    return json.dumps(facts, separators=(",", ":") if tight else None)


def _python(draw: random.Random) -> str:
    return str({"id": _uuid(draw), "at": _when(draw), **_facts(draw)})


def _log(draw: random.Random) -> str:
    level = draw.choice(("INFO", "WARNING", "ERROR", "DEBUG"))
    return (
        f"{_when(draw)} {level:7} worker-{draw.randrange(16)} [{draw.getrandbits(32):08x}] "
        f"{draw.choice(_TOOLS)}: {draw.choice(_THINGS)} {draw.randrange(5000)} took "
        f"{draw.randrange(9000) / 10} ms, retry={draw.randrange(4)} addr=10.0.{draw.randrange(256)}"
        f".{draw.randrange(256)}:{draw.randrange(1024, 65_536)}"
    )


def _link(draw: random.Random) -> str:
    path = "/".join(draw.sample(_PATHS, draw.randint(1, 4)))
    query = f"?id={draw.randrange(10**6)}&sort={draw.choice(_THINGS)}".replace(" ", "%20")
    link = f"https://{draw.choice(_HOSTS)}/{path}{query if draw.random() < 0.5 else ''}"
    return draw.choice(("see {}", "{}", f"- [the {draw.choice(_THINGS)}]({{}})")).format(link)


def _row(draw: random.Random) -> str:
    cells = (
        draw.choice(_THINGS),
        draw.randrange(10**5),
        f"{draw.random() * 100:.2f} %",
        _when(draw),
    )
    return "| " + " | ".join(map(str, cells)) + " |"

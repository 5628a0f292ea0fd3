"""What the fold keeps of the lines in reach, and of the turns of written talk.

Lines may turn out to be more than talk; turns are answered.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from parley.memory.state.item_state import Position, Reaction, Stance
from parley.memory.state.store import StateTree

REACH = 30  # messages: nearly every restatement comes within 26, every first vote within 13
REMARK = 3  # characters behind a vote that are no remark yet: a full stop, a smile


class Anchored(StateTree):
    """A line that stood above a run of votes when the run began."""

    run: int  # `Run.first`
    rank: int  # lines in the window between it and the run
    gap: int  # messages between it and the run's first vote


class Restatement(StateTree):
    """A line that says much of what another one says."""

    n: int  # of the other line
    likeness: int  # 1 some .. 5 the same
    apart: int  # messages between the two
    votes: int  # of them votes
    same: bool = False  # one speaker said both
    backed: int = 0  # voters of the other line's run
    imperative: bool = False  # what the other line is like
    scribed: bool = False
    again: bool = False  # the other line echoes, or is echoed, as well


class WindowLine(StateTree):
    """A line in reach, with what the lines around it have said of it so far."""

    n: int
    place: int  # ordinal of the message
    who: str
    typist: str
    text: str  # at most `line_wording.READ` characters
    start: int  # of `text` in the entry's content
    at: str | None = None
    topic: str | None = None
    own: int = 0  # how much its wording alone looks like a proposal or a decision
    proposal: int = 0  # its score so far but for the votes below it, hundredths of a logit
    decision: int = 0
    tags: list[str] = []  # features of where it stands, told when they came true
    # features of the lines that say it again, a bit each (`restatements.TOLD`)
    restated: int = msgspec.field(default=0, name="told")
    anchored: list[Anchored] = []
    behind: Restatement | None = None  # the earlier line that it is most like
    imperative: bool = False
    scribed: bool = False
    asks: bool = False
    weighed: bool = False  # it stood long enough to be looked at as a decision
    handles: list[str] = []  # the items it turned out to be


class TypedMessage(StateTree):
    """A message lately typed: by whom, and whose name leads it."""

    typist: str
    who: str = ""  # a known participant; "" where no name leads it
    on: bool = False  # it goes on with what `who` said
    to: bool = False  # it looks like words to `who`


class Scribing(StateTree):
    """Who takes minutes of what others say."""

    named: list[str] = []  # scribes by somebody's word, the newest last
    typed: list[TypedMessage] = []  # the newest messages


class PassedLine(Struct, omit_defaults=True):
    """Talk that has no place in the window, until votes fall on it."""

    n: int
    place: int
    who: str
    typist: str
    text: str  # as much of the content as a line and a name before it take
    at: str | None = None
    topic: str | None = None
    unread: bool = False  # it is long: whether the gate drops it is seen when somebody votes


class VoteRun(StateTree):
    """Votes that follow each other: who voted, and how."""

    first: int  # ordinal of its first vote
    last: int
    voters: dict[str, int] = {}  # per mille: +1 is 1000
    again: bool = False  # its first voter had just voted: a second question is put
    bare: int = 0  # votes that say nothing but the vote
    lines: int = 0  # lines of the window that came after its first vote
    closed: bool = False  # what it was on was restated
    re: int = 0  # n of the line that its votes reply to; 0: they name nothing
    aside: PassedLine | None = None  # the talk right above it, which the gate dropped
    asked: int = 0  # n of the line that it is most likely on; 0: none


class UnlinkedVote(StateTree):
    """A vote within reach that names no item, and where it counts so far."""

    n: int
    place: int
    who: str
    stance: Stance
    conditional: bool
    start: int
    end: int
    rule: str
    confidence: int
    text: str  # from `start` on, at most `line_wording.READ` characters
    typist: str = ""  # who typed it for its caster
    at: str | None = None
    re: int = 0  # n of the message that it replies to
    on: int = 0  # ref of the proposal it counts for; 0: none
    was: Reaction | None = None  # what its caster had said of that before
    stood: Position | None = None

    @property
    def remarks(self) -> bool:
        """True where it says more than the vote."""
        return len(self.text) - (self.end - self.start) > REMARK


class Structure(StateTree):
    """The window, the run of votes that goes on, and the manner of the session."""

    lines: list[WindowLine] = []
    runs: list[VoteRun] = []
    replies: list[VoteRun] = []  # votes in reply to a line, a run for each such line
    casts: list[UnlinkedVote] = []
    votes: list[int] = []  # ordinals of the votes in reach
    voted: int = 0  # votes so far
    led: int = 0  # a bit for each of the newest 20 lines: 1 where it names another speaker
    heard: int = 0  # lines so far
    talk: list[tuple[int, list[str]]] = []  # of the newest lines: place, what they speak of
    proposals: int = 0  # so far, marked or put to a vote as bare lines
    marked: int = 0  # items that a tag or the envelope marked
    aside: PassedLine | None = None  # the newest, where it is below all lines
    recalled: int = 0  # place of the newest line that was dropped and taken back in
    unmarked: int = msgspec.field(default=0, name="found")  # items that nothing marked
    stray: int = 0  # votes cast while nothing was proposed that they could be on
    scribing: Scribing = msgspec.field(default_factory=Scribing)


class EditedMessage(Struct, frozen=True):
    """Where the newest words of a message stand, and who wrote them."""

    n: int
    by: str


class Turn(StateTree):
    """A message lately written: by whom, and the proposals it made or took up again."""

    n: int
    place: int  # ordinal of the message
    who: str
    refs: list[int] = []
    text: str = ""  # of a short message that proposed nothing: it may be quoted as an answer
    at: str | None = None
    options: dict[str, int] = {}  # by letter or number of its item: the proposal that it became


class Label(StateTree):
    """What somebody said that a label such as "option B" is of."""

    n: int
    start: int  # of `text` in the entry's content
    text: str


class Writing(StateTree):
    """How a session is written, and its newest turns."""

    size: int = 0  # characters so far, of each message 2,000 at most
    short: int = 0  # messages that were no longer than a line
    redacted: int = 0  # messages without their words: neither long nor short
    turns: list[Turn] = []
    labels: dict[str, Label] = {}  # by the label in small letters, the newest last

"""The floor as memory holds it: who sits, asks and speaks, and what their calls cost.

Integers and text only; no rule depends on the order of a dictionary.
"""

from __future__ import annotations

from msgspec import Struct, field

from parley.memory.state.store import StateTree


class Account(StateTree):
    """What one participant's calls came to, and what is held for those under way."""

    tokens: int = 0
    micros: int = 0
    calls: int = 0  # settled
    failed: int = 0  # of these
    held_tokens: int = 0
    held_micros: int = 0
    held_calls: int = 0


class Reservation(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """A model call that was granted and is not settled yet."""

    participant: str
    purpose: str
    tokens: int
    micros: int = 0


class Ledger(StateTree):
    """What the session spends: reservations in the order of the log decide who may call.

    Settled and held together never exceed a budget, as long as no call costs
    more than was reserved for it; `overrun` counts the tokens of those that did.
    """

    calls: dict[str, Reservation] = {}  # granted and unsettled, by call id
    total: Account = field(default_factory=Account)
    accounts: dict[str, Account] = {}  # by participant
    purposes: dict[str, int] = {}  # settled tokens by purpose
    refused: int = 0
    overrun: int = 0


class Seat(StateTree):
    """A participant as the floor knows it."""

    order: int = 0  # of joining, from 1
    role: str = "person"
    seat: str = ""
    present: bool = True
    interests: tuple[str, ...] = ()
    may: tuple[str, ...] | None = None
    weight: int = 1
    reactivity: int = 0
    cooldown: int | None = None
    turn_limit: int | None = None
    token_limit: int | None = None
    micro_limit: int | None = None
    listens: str = "evaluates"
    answer_ms: int | None = None
    turns: int = 0  # it has taken
    spoken_tokens: int = field(default=0, name="said")  # of its messages
    spoke: int = 0  # `Floor.turns` after its last turn; 0: none yet
    since: int = 0  # `Floor.turns` when it joined
    cooled: int = 0  # `Floor.turns` until which it cools down
    addressed: int = 0  # n of the newest message to it that it has not answered; 0: none
    invited: bool = False  # it was given the floor, or nudged: it had its chance to speak
    muted: bool = False


class Bid(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """A standing wish to speak, made at turn `turn` on having heard entry `heard`."""

    heard: int = 0
    turn: int = 0
    urgency: int = 1
    intent: str = "answer"
    re: str | None = None
    novelty: str = ""


class FloorPass(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """Nothing to add: `streak` times in a row, `ready` to close."""

    heard: int = 0
    turn: int = 0
    messages: int = 0  # of the session, by then
    streak: int = 1
    ready: bool = False
    failed: bool = False  # its model did not answer


class Floor(StateTree):
    """Who holds the floor, who asks for it, and what the talk has come to as talk.

    An epoch begins with each grant and each release; entries of another epoch
    are void. `stirred` is the n of what last called for everyone's attention: a
    person's message, a phase, a vote's end; bids and passes from before are gone.
    """

    epoch: int = 0
    holder: str = ""
    lease_ms: int = 0
    intent: Bid | None = None  # with which the holder was granted it
    seats: dict[str, Seat] = {}  # by canonical name
    bids: dict[str, Bid] = {}
    passes: dict[str, FloorPass] = {}
    turns: int = 0
    hops: int = 0  # turns of agents since a person spoke
    moved: int = 0  # `turns` when an item was last made or changed: what `stalled` counts from
    last: list[str] = []  # the newest speakers, oldest first
    stirred: int = 0
    head: int = 0  # n of the newest message
    paused: str = ""  # why; "": it is not
    nudged: int = 0  # n of the newest nudge of warning quiet; 0: none since something moved
    hinted: bool = False  # the hops were told since a person spoke
    evaluations: int = 0  # bids and passes that came of a model call
    alternating: int = 0  # of the newest turns, in which two agents took turns
    to: list[str] = []  # whom the newest message is addressed to, seats where it names any
    served: str = ""  # whom the policy granted last: round_robin goes on from there
    place: int = 0  # in the order of `scripted`, of who is next
    circles: list[int] = []  # refs of proposals that repeat earlier ones, told to nobody yet

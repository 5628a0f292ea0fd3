"""A scenario: a whole deliberation written down before it begins, as one YAML file holds it.

Who takes part and as whom, what it is to come to, how the floor goes round, when
it ends and what it may cost; and, so that it can be rehearsed without a model,
what everyone says. The models are the format: docs/scenario.schema.json is made
of them. Reading a file is `parley.server.scenarios.scenario_files`' work.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from parley.bus.entries import ACTS, Act, Content, Name
from parley.bus.entries.fields import nearest
from parley.memory.settings.floor_settings import FloorSettings, SpeakSettings, VoteSettings
from parley.memory.settings.session_settings import MemorySettings
from parley.personas.persona_file import CAPABILITIES
from parley.server.scenarios.script import Lines

VERSION: Final = 1
_MOST_HEADS: Final = 100  # participants; past this an auction is no talk any more

_POWERS: Final = (*ACTS, *CAPABILITIES)


def _known_power(word: str) -> str:
    if word not in _POWERS:
        near = nearest(word, _POWERS)
        raise PydanticCustomError(
            "power",
            "{word} is neither act nor capability; {meant}acts: {acts}; "
            "capabilities: {capabilities}",
            {
                "word": repr(word),
                "meant": f"is {near!r} meant? " if near else "",
                "acts": ", ".join(ACTS),
                "capabilities": ", ".join(CAPABILITIES),
            },
        )
    return word


Power = Annotated[str, AfterValidator(_known_power), WithJsonSchema({"enum": list(_POWERS)})]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
ModelName = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,200}$")]
Count = Annotated[int, Field(ge=0, le=10**12)]
Cost = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class SeatBudget(_Group):
    """What one participant may use up; nothing said: only the session's own limits hold."""

    turns: Count | None = Field(None, description="messages it may send")
    tokens: Count | None = Field(None, description="tokens its calls may come to")
    cost: Cost | None = Field(None, description="of the currency")


class WrittenPersona(_Group):
    """A persona written into the scenario instead of a file of its own."""

    name: Slug
    description: Content = Field(description="when it should speak")
    body: Content = Field(description="the system prompt")
    display: str = Field("", max_length=128)
    interests: tuple[Name, ...] = Field((), max_length=64)
    reactivity: float = Field(0, ge=0, le=1, description="added to its bids, of one degree")
    cooldown_turns: int | None = Field(None, ge=0, description="turns of others between its own")


def _spelling(value: Any) -> str:
    return "named" if isinstance(value, str) else "written"


class Participant(_Group):
    """An agent that takes part. What is said here outranks what its persona says."""

    persona: Annotated[
        Annotated[Name, Tag("named")] | Annotated[WrittenPersona, Tag("written")],
        Discriminator(_spelling),
    ] = Field(description="a bundled persona's name, the path of a file, or a persona")
    as_: Name | None = Field(None, alias="as", description="its name here  [the persona's]")
    model: ModelName | None = Field(None, description="who speaks: small, large or a model's name")
    eval_model: ModelName | None = Field(None, description="who judges whether to")
    may: tuple[Power, ...] | None = Field(None, description="acts and capabilities")
    weight: int | None = Field(None, ge=0, le=1_000_000, description="of its ballots")
    budget: SeatBudget = SeatBudget()


class Person(_Group):
    """A seat for somebody who is expected to join: `parley join SESSION --as NAME`."""

    name: Name
    may: tuple[Power, ...] | None = Field(None, description="acts and capabilities")
    weight: int = Field(1, ge=0, le=1_000_000, description="of its ballots")


class Opening(_Group):
    """What is said first, and by whom; a name without a seat is a person's."""

    by: Name
    say: Content
    act: Act | None = None


class Budget(_Group):
    """What all agents may spend together, the server's own summaries included."""

    tokens: Count | None = Field(None, description="tokens sent and received")
    cost: Cost | None = Field(None, description="of the currency")
    calls: Count | None = Field(None, description="model calls")


class Models(_Group):
    """The models meant by `small` and `large`; nothing said: those of the settings."""

    small: ModelName | None = None
    large: ModelName | None = None


class ListPrice(_Group):
    """What a million tokens cost, in the currency."""

    input: Cost
    output: Cost
    cached: Cost | None = Field(None, description="of input from the provider's cache  [input]")


class MemoryOverlay(MemorySettings):
    """Settings of the session's memory, laid over those of a preset (docs/settings.md)."""

    preset: str = Field("deliberation", description="'parley settings presets' lists them")
    chair: tuple[Name, ...] = Field(
        (), description="whose word alone accepts, rejects and ratifies"
    )
    bots: tuple[Name, ...] = Field((), description="whose words are not read for items")


class Scenario(_Group):
    """One deliberation, written down."""

    scenario: Literal[1] = Field(description="the version of this format")
    title: Annotated[Content, StringConstraints(max_length=500)]
    goal: str = Field("", max_length=4000, description="what it is to come to; all are told")
    opening: Opening | None = None
    participants: tuple[Participant, ...] = Field(min_length=1, max_length=_MOST_HEADS)
    people: tuple[Person, ...] = Field((), max_length=_MOST_HEADS)
    floor: FloorSettings = FloorSettings()
    speak: SpeakSettings = SpeakSettings()
    vote: VoteSettings = VoteSettings()
    stop: dict[str, Any] | None = Field(None, description="the stop rule, such as {turns: 60}")
    budget: Budget = Budget()
    memory: MemoryOverlay = MemoryOverlay()
    models: Models = Models()
    prices: dict[ModelName, ListPrice] = Field(
        default_factory=dict, description="by model, or by small and large"
    )
    script: dict[Name, Lines] = Field(
        default_factory=dict, description="what everyone says without a model"
    )

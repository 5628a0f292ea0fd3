"""What a fake endpoint says: prose and objects drawn from the request, faults, a prefix cache.

All of it is a function of a seed and the request, so a run repeats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from random import Random
from typing import Any, Final, Literal

from parley.memory.text.similarity import content_words
from parley.memory.text.text_sizes import count_tokens

Reply = Callable[[dict[str, Any]], str]
Fault = Literal["429", "500", "cut"]

SHORTEST, LONGEST = 80, 300  # tokens of a reply
CACHE_STEP: Final = 128  # tokens: what providers count a cached prefix in
_FAULTS: Final[tuple[Fault, ...]] = ("429", "500", "cut")
_MEANS: Final = {"pooch": "dogs", "banish": "ban", "playground": "park"}
_PIECE: Final = re.compile(r"\s*\S+\s*|\s+")
_SCHEMA: Final = re.compile(
    r"Answer with one JSON object(.*), of this JSON Schema:\n(.*)\Z", re.DOTALL
)
_WORDS: Final = (  # noqa: SIM905 - a list of words a line each says nothing more
    "the index backup release cost risk evidence plan team week load test queue shard cache "
    "migration rollback budget owner deadline proposal objection measure figure latency disk "
    "we should could might keep move split check count drop raise lower wait ask agree doubt "
    "before after because unless while although first then again never mostly"
).split()


def random_of(*about: object) -> Random:
    """A generator that the same arguments seed alike, in any process."""
    seed = json.dumps(about, sort_keys=True).encode()
    return Random(blake2b(seed, digest_size=8).digest())


def prose(random: Random, most: int, vocabulary: Sequence[str] = _WORDS) -> str:
    """Sentences of at most `most` tokens out of the words of `vocabulary`."""
    text = ""
    while True:
        words = [random.choice(vocabulary) for _ in range(random.randint(5, 14))]
        longer = f"{text} {' '.join(words).capitalize()}.".strip()
        if count_tokens(longer) > most:
            return text or "Yes."
        text = longer


def realistic_reply(seed: int, vocabulary: Sequence[str] = _WORDS) -> Reply:
    """Prose of 80 to 300 tokens out of `vocabulary`, another for each request."""

    def reply(request: dict[str, Any]) -> str:
        random = random_of(seed, request["model"], request["messages"])
        most = random.randint(SHORTEST + 20, LONGEST)  # a sentence less
        return prose(random, most, vocabulary)

    return reply


def fault(about: str, permille: int) -> Fault | None:
    """The fault, if any, that a call meets."""
    random = random_of("fault", about)
    return random.choice(_FAULTS) if random.randrange(1000) < permille else None


def pieces(content: str) -> list[str]:
    """Word by word, as a stream brings it."""
    return _PIECE.findall(content)


def asked_for(request: dict[str, Any], parameter: str) -> bool:
    """Whether the request uses `parameter`: by its name, as a response format, as a shape "Odd"."""
    wanted = request.get("response_format", {})
    if parameter == "odd_schema":
        return bool(wanted.get("json_schema", {}).get("name") == "Odd")
    return parameter in request or wanted.get("type") == parameter


def as_asked(request: dict[str, Any], text: str, seed: int) -> str:
    """`text`, or an object of the schema where the request or its words want one.

    A `text` that is an object already is the one that is meant.
    """
    wanted = request.get("response_format", {})
    if wanted.get("type") == "json_schema":
        schema, tagged = wanted["json_schema"]["schema"], False
    else:
        match = _SCHEMA.search(request["messages"][-1]["content"])
        if match is None:
            return text
        schema, tagged = json.loads(match[2]), "<json>" in match[1]
    if not text.startswith("{"):
        random = random_of(seed, "object", request["messages"])
        text = json.dumps(_instance(schema, schema, random))
    return f"Here it is:\n<json>{text}</json>" if tagged else text


def _instance(schema: dict[str, Any], whole: dict[str, Any], random: Random) -> Any:
    """Something that the schema allows; of what it does not say, something plain."""
    if "$ref" in schema:
        return _instance(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole, random)
    if "const" in schema or "enum" in schema:
        return random.choice(schema.get("enum") or [schema["const"]])
    if "anyOf" in schema:
        return _instance(random.choice(schema["anyOf"]), whole, random)
    match schema.get("type"):
        case "object":
            below = schema.get("properties", {})
            return {name: _instance(schema, whole, random) for name, schema in below.items()}
        case "array":
            return [_instance(schema.get("items", {}), whole, random) for _ in range(2)]
        case "integer" | "number":
            return random.randint(0, 3)
        case "boolean":
            return random.random() < 0.5
        case "null":
            return None
        case _:
            return prose(random, 12)


def bag_of_words(text: str, size: int = 64) -> list[float]:
    """A vector of a text's words, hashed; a thesaurus of two words stands for what models know."""
    vector = [0.0] * size
    for word in content_words(text):
        known = _MEANS.get(word, word)
        vector[blake2b(known.encode(), digest_size=2).digest()[0] % size] += 1.0
    return vector


class PrefixCache:
    """The prompts that a provider has seen: what of a new one it need not read again."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def look_up(self, model: str, prompt: str) -> int:
        """Tokens of the longest prefix shared with an earlier prompt to `model`; it is kept."""
        cached, start, known = 0, 0, True
        chain = ""
        while (end := _step(prompt, start)) is not None:
            chain = blake2b(f"{chain} {prompt[start:end]}".encode(), digest_size=16).hexdigest()
            known = known and (model, chain) in self._seen
            cached += CACHE_STEP * known
            self._seen.add((model, chain))
            start = end
        return cached


def _step(prompt: str, start: int) -> int | None:
    """Where the step that begins at `start` ends; None where the prompt does before it."""
    low, high = start, min(len(prompt), start + CACHE_STEP * 8)
    if count_tokens(prompt[start:high]) < CACHE_STEP:
        return None
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if count_tokens(prompt[start:middle]) >= CACHE_STEP else (middle, high)
        )
    return high

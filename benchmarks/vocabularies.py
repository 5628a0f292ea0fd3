"""Real tokenizers to hold the estimate against: those whose data their package ships.

None is required, and none is ever fetched: what is not installed is not measured.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Final

Counter = Callable[[str], int]

# Where litellm keeps the vocabulary o200k_base, under the name by which tiktoken caches it.
_O200K: Final = "litellm_core_utils/tokenizers/fb374d419588a4632f3f557e76b4b70aebbca790"


def vocabularies() -> dict[str, Counter]:
    """What counts tokens here, by the vocabulary's name; empty where nothing does."""
    return dict(_found())


def _found() -> Iterator[tuple[str, Counter]]:
    if importlib.util.find_spec("mistral_common") is not None:
        module = importlib.import_module("mistral_common.tokens.tokenizers.tekken")
        data = resources.files("mistral_common").joinpath("data/tekken_240911.json")
        yield "tekken", _tekken(module.Tekkenizer.from_file(str(data)))
    cached = _o200k()
    if cached is not None and importlib.util.find_spec("tiktoken") is not None:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(cached.parent)
        yield "o200k", _tiktoken(importlib.import_module("tiktoken").get_encoding("o200k_base"))


def _o200k() -> Path | None:
    """The file, without importing the package that ships it."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / _O200K
    return path if path.is_file() else None


def _tekken(made: Any) -> Counter:
    return lambda text: len(made.encode(text, bos=False, eos=False))


def _tiktoken(made: Any) -> Counter:
    return lambda text: len(made.encode_ordinary(text))

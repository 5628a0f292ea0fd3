"""Counts told as features: in bands, or one for every step reached."""

from __future__ import annotations


def reached_steps(name: str, count: int, steps: tuple[int, ...]) -> list[str]:
    """One feature for every step that `count` has reached: more is never less."""
    return [f"{name} >={step}" for step in steps if count >= step]


def count_band(count: int, steps: tuple[int, ...]) -> str:
    """The first step that `count` does not pass, or what it passes."""
    for step in steps:
        if count <= step:
            return str(step)
    return f">{steps[-1]}"


def drop_repeats(features: list[str]) -> list[str]:
    """`features` without repeats, in order."""
    return list(dict.fromkeys(features))

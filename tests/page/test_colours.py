"""Colours: what is written can be read, by day and by night."""

from __future__ import annotations

import re

import pytest

from parley.server.http.routes.access.page_file_routes import FILES

SHEET = FILES["css/tokens.css"].body.decode()
THEMES = dict(
    zip(("light", "dark"), re.findall(r":root[^{]*\{(.*?)\n\}", SHEET, re.DOTALL), strict=True)
)
GROUNDS = ("bg", "bg-raised")
HUES = range(16)


def colours(theme: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", THEMES[theme]))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, other: str) -> float:
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_names_are_read_in_every_hue(theme: str) -> None:
    """4.5:1 on both grounds and on the hue's own; bars are 3:1."""
    palette = colours(theme)
    for hue in HUES:
        for ground in (*GROUNDS, f"hue-{hue}-soft"):
            assert contrast(palette[f"hue-{hue}"], palette[ground]) >= 4.5
        for ground in GROUNDS:
            assert contrast(palette[f"hue-{hue}-bar"], palette[ground]) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sort", ["accent", "good", "bad", "warn"])
def test_words_of_a_sort_are_read_on_its_ground(theme: str, sort: str) -> None:
    """On the grounds of the page, and on the tint that marks the sort."""
    palette = colours(theme)
    for ground in (*GROUNDS, f"{sort}-soft"):
        assert contrast(palette[sort], palette[ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_read_on_every_ground(theme: str) -> None:
    """Also what is said softly, and what is marked."""
    palette = colours(theme)
    for ground in (*GROUNDS, "bg-sunk"):
        assert contrast(palette["ink"], palette[ground]) >= 7
        assert contrast(palette["ink-soft"], palette[ground]) >= 4.5
    assert contrast(palette["ink"], palette["mark"]) >= 4.5
    assert contrast(palette["accent-ink"], palette["accent"]) >= 4.5

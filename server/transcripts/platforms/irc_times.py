"""Times in logs of IRC: many lines say the hour alone, and a line of its own the day."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final

_TIME: Final = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]{1,6})?"
_DAY: Final = r"[0-9]{4}[-/.][0-9]{2}[-/.][0-9]{2}"
_ZONE: Final = r"Z|[+-][0-9]{2}:?[0-9]{2}"
_MONTH_DAY: Final = r"[A-Za-z]{3} [ 0-9][0-9]"
_STAMP: Final = re.compile(
    rf"(?P<open>[\[(])?(?:(?P<day>{_DAY})[T _]|(?P<month>{_MONTH_DAY}) )?"
    rf"(?P<time>{_TIME})(?P<zone>{_ZONE})?(?P<pm> ?[AaPp][Mm])?(?(open)[\])])"
    r"(?:[ \t]|\Z)"
)
_MONTH_NAMES: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        _MONTH_NAMES.split(), 1
    )
}  # fmt: skip
_HEADER: Final = re.compile(
    r"(?:---|\*{4})[ ](?:Log opened|Log closed|Day changed(?: to)?|BEGIN LOGGING AT|"
    r"ENDING LOGGING AT)[ ](?P<date>.{0,60})\Z|"
    r"IRC log of \S{1,80} on (?P<iso>[0-9]{4}-[0-9]{2}-[0-9]{2})\Z|"
    r"(?P<utc>Timestamps are in UTC\.?)\Z"
)
_WORDED: Final = re.compile(
    r"(?:[A-Za-z]{3,9},? )?(?P<month>[A-Za-z]{3,9}) {1,2}(?P<day>[0-9]{1,2})"
    r"(?:,? [0-9:]{4,8})?(?: [A-Z]{3,4})?,? (?P<year>[0-9]{4})"
)
_WORDED_DAY_FIRST: Final = re.compile(
    r"(?:[A-Za-z]{3,9},? )?(?P<day>[0-9]{1,2}) (?P<month>[A-Za-z]{3,9}) (?P<year>[0-9]{4})"
)
_BACK: Final = 120  # minutes; a clock that is put back or corrected goes back by fewer
_HALF_A_YEAR: Final = timedelta(days=183)
_ISO: Final = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})")


def strip_time(line: str) -> tuple[re.Match[str] | None, str]:
    """The time that `line` begins with, and the rest of it."""
    stamp = _STAMP.match(line)
    return (stamp, line[stamp.end() :]) if stamp else (None, line)


def with_date(line: str) -> re.Match[str] | None:
    """The match of a line that a client writes about its log, such as of a new day."""
    return _HEADER.match(line.strip()[:200])


class Clock:
    """Knows the day and the zone from the lines that said so."""

    def __init__(self) -> None:
        self._day: date | None = None
        self._last: tuple[date | None, int] | None = None  # minutes of the day, where it was read
        self._zone = ""
        self.of_w3c = False

    def set_by(self, line: str) -> bool:
        """True for a line about the log; the day or zone that it names holds from here on."""
        header = with_date(line)
        if header is None:
            return False
        if header["utc"]:
            self._zone = "Z"
        self.of_w3c |= header["iso"] is not None
        named = _day_in(header["iso"] or header["date"] or "")
        self._day = named or self._day
        self._last = None if named else self._last
        return True

    def at(self, stamp: re.Match[str]) -> str:
        """The time of a line: ISO 8601 as far as the day is known, with a zone where one is."""
        time = _clock(stamp["time"], (stamp["pm"] or "").strip().lower())
        day = self._of(stamp)
        if day is None or not (stamp["day"] or stamp["month"]):
            day = self._past_midnight(day, time)
        zone = stamp["zone"] or self._zone
        if len(zone) == 5:
            zone = f"{zone[:3]}:{zone[3:]}"
        return f"{day.isoformat()}T{time}{zone}" if day else time

    def _past_midnight(self, day: date | None, time: str) -> date | None:
        """The day of a line whose time is long before that of the line above: the next one."""
        hour, minute = time.split(":")[:2]
        minutes = int(hour) * 60 + int(minute)
        before, self._last = self._last, (day, minutes)
        if day is None or before is None or before[0] != day or before[1] - minutes < _BACK:
            return day
        self._day = day + timedelta(days=1)
        self._last = self._day, minutes
        return self._day

    def _of(self, stamp: re.Match[str]) -> date | None:
        if stamp["day"]:
            return _day_in(re.sub(r"[/.]", "-", stamp["day"]))
        if stamp["month"]:
            month = _MONTHS.get(stamp["month"][:3].lower())
            number = int(stamp["month"][4:])
            if self._day is None:
                return None
            found = _date(self._day.year, month, number)
            if found is not None and self._day - found > _HALF_A_YEAR:
                found = _date(self._day.year + 1, month, number)  # the log went on at New Year
            self._day = found or self._day
            return found
        return self._day


def _clock(time: str, half: str) -> str:
    """`time` with two digits an hour and seconds, of a day of 24 hours."""
    hour, _, rest = time.partition(":")
    number = int(hour)
    if half:
        number = number % 12 + (12 if half == "pm" else 0)
    return f"{number:02d}:{rest}" if rest.count(":") else f"{number:02d}:{rest}:00"


def _day_in(text: str) -> date | None:
    match = _ISO.match(text) or _WORDED.match(text) or _WORDED_DAY_FIRST.match(text)
    if match is None:
        return None
    month = match["month"]
    number = int(month) if month.isdecimal() else _MONTHS.get(month[:3].lower())
    return _date(int(match["year"]), number, int(match["day"]))


def _date(year: int | None, month: int | None, day: int) -> date | None:
    try:
        return datetime(year or 0, month or 0, day).date()  # noqa: DTZ001 - a day has no zone
    except ValueError:
        return None

"""Who is who in a Slack export: each id one name, two people never the same one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from parley.server.transcripts.sources.entry_collector import read_name

Row = dict[str, Any]
_NAMES: Final = ("display_name", "real_name")


class Names:
    """Names by id: as users.json has them, else as the messages themselves do."""

    def __init__(self, users: Iterable[Row], messages: Iterable[Row]) -> None:
        self.bots: set[str] = set()
        shown: dict[str, tuple[str, str]] = {}  # by id: the name that is shown, the handle
        for user in users:
            if isinstance(user.get("id"), str):
                shown[user["id"]] = _shown(user, user.get("profile"))
        for row in messages:
            known, profile = row.get("user"), row.get("user_profile")
            if isinstance(known, str) and known not in shown and isinstance(profile, dict):
                shown[known] = _shown(profile, profile)
        self._name = distinct_names(shown)
        self._taken = set(self._name.values())

    def of_id(self, id: str) -> str:
        """The name of a user; an id that nobody explains stays as it is."""
        return self._name.get(id) or read_name(id)

    def speaker(self, row: Row) -> str:
        """Who says a message: a user, or a bot by the name that it gave itself."""
        user = row.get("user")
        bot = row.get("subtype") == "bot_message" or (
            bool(row.get("bot_id")) and user not in self._name
        )
        if not bot and isinstance(user, str):
            return self.of_id(user)
        profile = row.get("bot_profile")
        given = row.get("username") or (profile.get("name") if isinstance(profile, dict) else None)
        name = read_name(given if isinstance(given, str) else str(row.get("bot_id") or "bot"))
        if name in self._taken:
            name = read_name(f"{name} (bot)")
        self.bots.add(name)
        return name


def _shown(user: Row, profile: Any) -> tuple[str, str]:
    places = [profile if isinstance(profile, dict) else {}, user]
    names = [place.get(name) for name in _NAMES for place in places] + [user.get("name")]
    first = next((name for name in names if isinstance(name, str) and name.strip()), "")
    handle = user.get("name")
    return first, handle if isinstance(handle, str) else ""


def distinct_names(shown: dict[str, tuple[str, str]]) -> dict[str, str]:
    """One name an id: of two alike, each with the handle behind it, or the id."""
    plain = {user: read_name(name) for user, (name, _) in shown.items() if name}
    counted = Counter(name.casefold() for name in plain.values())
    names: dict[str, str] = {}
    taken: set[str] = set()
    for user, name in plain.items():
        handle = shown[user][1]
        tries = [name] if counted[name.casefold()] == 1 else [f"{name} ({handle})"] * bool(handle)
        for each in map(read_name, [*tries, f"{name[:80]} ({user})", user]):
            if each.casefold() not in taken:
                names[user] = each
                taken.add(each.casefold())
                break
    return names

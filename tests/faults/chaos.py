"""Faults at random and combined, as long as one likes: `python -m tests.faults.chaos --minutes 6`.

A round is some ten seconds on a server of its own: publishers behind a proxy that drops
replies, workers, a gateway, followers over the bus and over HTTP, and the faults of a
plan that its seed gives. Afterwards an oracle compares what publishers and followers
were told with what Redis has. A round that fails is tried again with ever fewer faults;
what is printed last is the least that still failed, and how to see it again.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import structlog

from tests.faults.chaos_round import (
    LEASE_MS,
    MINUTES,
    OPTIONS,
    SECONDS,
    SET_BACK,
    Blow,
    Outcome,
    Round,
)
from tests.support.servers.servers import Aof, Flavour, RedisServer, real_flavours

ROUNDS: Final = 3  # that have all kinds of fault between them
STUCK: Final = (
    LEASE_MS / 1000 + 5
)  # seconds after which something of what is left is nearer its end
TRIES: Final = 12  # rounds to find the least plan that fails


def plan_blows(seed: int, seconds: float = SECONDS, only: Sequence[str] = ()) -> tuple[Blow, ...]:
    """What falls on the round of that seed, in order; `only` of these kinds.

    In two rounds of three the log goes back, once in their midst and once over the end of a
    session; in the third nothing may move. The other kinds are dealt out over the three, so
    that a minute has all of them.
    """
    chance = random.Random(f"plan {seed}")
    count = max(3, round(seconds * 0.7))
    kinds = [chance.choice(only) for _ in range(count)] if only else _deal(seed, count)
    blows = [
        Blow(chance.uniform(0.05, 0.9) * seconds, kind, chance.randrange(1 << 30)) for kind in kinds
    ]
    return tuple(sorted(blows, key=lambda blow: blow.at))


def _deal(seed: int, count: int) -> list[str]:
    """So many kinds of fault, of all that fall in the three rounds that this seed is one of."""
    chance = random.Random(f"deck {seed // ROUNDS}")
    back = [kind for kind in SET_BACK if kind != "closing_lost"]
    others = [kind for kind in Round.FAULTS if kind not in SET_BACK]
    chance.shuffle(back)
    chance.shuffle(others)
    turn = seed % ROUNDS
    drawn = [back[turn], back[turn + 1], "closing_lost"][: count - 1] if turn < 2 else []
    return drawn + (others[turn::ROUNDS] * count)[: count - len(drawn)]


async def play_round(
    seed: int, blows: Sequence[Blow], *, seconds: float = SECONDS, flavour: Flavour = "path",
    aof: Aof = "always", without: Mapping[str, str] | None = None, planted: str = "",
) -> Outcome:  # fmt: skip
    """One round on a server of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="parley-chaos-") as folder,
        RedisServer(flavour, aof=aof, options=OPTIONS) as server,
    ):
        played = Round(
            server, Path(folder), seed, blows, seconds=seconds, without=without, planted=planted
        )
        async with asyncio.timeout(60 * MINUTES):
            return await played.play()


def findings_of(outcome: Outcome) -> list[str]:
    """Every broken promise; workers may not die but by our hand, nor blame the innocent."""
    report = outcome.report
    wrong = list(report.verdict.findings)
    if report.verdict.set_aside:
        wrong.append(f"{report.verdict.set_aside} entries of sound sessions were set aside")
    if report.deaths:
        wrong.append(f"workers died by themselves: exit codes {report.deaths}")
    if report.stuck > STUCK:
        wrong.append(f"nothing of what was left came nearer for {report.stuck:.1f} s")
    return wrong


def line_of(seed: int, outcome: Outcome) -> str:
    report = outcome.report
    faults = ", ".join(f"{name} {count}" for name, count in sorted(outcome.faults.items()))
    return (
        f"seed {seed}: {report.messages} messages, {report.resent} sent again, {report.drops} "
        f"replies dropped, {outcome.resets} resets, folded {outcome.settled:.1f} s after the last "
        f"of them; {faults}"
    )


def least_plan(seed: int, blows: Sequence[Blow], **how: Any) -> tuple[Blow, ...]:
    """The plan without blows that it fails without, as far as `TRIES` rounds tell."""
    kept = tuple(blows)
    for blow in blows[:TRIES]:
        fewer = tuple(other for other in kept if other is not blow)
        if findings_of(asyncio.run(play_round(seed, fewer, **how))):
            kept = fewer
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1, help="of the first round; then one more")
    parser.add_argument("--server", choices=real_flavours(), default=real_flavours()[0])
    parser.add_argument("--appendfsync", choices=("always", "everysec"), default="always")
    parser.add_argument("--only", nargs="+", choices=Round.FAULTS, default=())
    args = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    how: dict[str, Any] = {"flavour": args.server, "aof": args.appendfsync}
    until, seed, faults = time.monotonic() + 60 * args.minutes, args.seed, Counter[str]()
    messages = rounds = resets = 0
    longest = 0.0
    while time.monotonic() < until:
        blows = plan_blows(seed, only=args.only)
        try:
            outcome = asyncio.run(play_round(seed, blows, **how))
        except BaseException:
            print(f"seed {seed} broke off: {', '.join(map(str, blows))}", flush=True)
            raise
        print(line_of(seed, outcome), flush=True)
        if wrong := findings_of(outcome):
            print(*wrong, sep="\n", flush=True)
            print("The least that fails is looked for ...", flush=True)
            for blow in least_plan(seed, blows, **how):
                print(f"  {blow}")
            only = f" --only {' '.join(args.only)}" if args.only else ""
            print(
                f"again: make chaos ARGS='--seed {seed} --minutes .1 --server {args.server} "
                f"--appendfsync {args.appendfsync}{only}'"
            )
            return 1
        faults += outcome.faults
        messages, rounds, seed = messages + outcome.report.messages, rounds + 1, seed + 1
        resets, longest = resets + outcome.resets, max(longest, outcome.settled)
    total = ", ".join(f"{name} {count}" for name, count in sorted(faults.items()))
    print(
        f"{rounds} rounds, {messages} messages, {resets} resets, folded {longest:.1f} s after the "
        f"last fault at most; nothing lost or doubled, nobody misled: {total}"
    )
    return 0


if __name__ == "__main__":
    os.chdir(Path(__file__).parents[2])
    sys.exit(main())

"""A crash may keep the entries and lose the commit that came after them."""

from __future__ import annotations

from parley.bus import Bus, Draft, Scripts
from parley.bus.embedded.append_only_file import repair
from parley.bus.embedded.server_binary import Binary
from parley.bus.entries import Message
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector
from tests.faults.language import PACKS, opened
from tests.faults.oracle import Expected, Verdict, judge
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import Flavour, RedisServer, StartServer
from tests.support.sessions.sessions import is_settled, running

SESSION = "demo"


def proposals(first: int, last: int) -> list[Draft]:
    return [
        Draft(f"m{k}", Message(participant="ana", content=f"I propose to move house {k} times."))
        for k in range(first, last + 1)
    ]


async def lose_a_commit(server: RedisServer, scripts: Scripts) -> Verdict:
    """Fold 20 messages; lose that commit, not the messages; fold on in the same process."""
    drafts = proposals(1, 30)
    expected = Expected(drafts)
    async with await Bus.connect(server.url, scripts=scripts) as bus:

        async def publish(part: list[Draft]) -> None:
            for draft, receipt in zip(part, await bus.publish(SESSION, part), strict=True):
                expected.receipts[draft.id] = receipt.seq

        projector = Projector(bus, PACKS, "folder")
        await bus.open(SESSION, opened())
        await publish(drafts[:20])
        before_the_commit = server.aof_file().stat().st_size
        async with running(projector):
            await wait_until(lambda: folded(bus, 21))
        server.kill9()
        server.cut_aof(before_the_commit)
        assert repair(server.dir, Binary(server.binary, "path", server.version)) is None
        server.start()

        assert not await folded(bus, 21)
        await publish(drafts[20:])
        async with running(projector, EffectRunner(bus, PACKS, None, "summariser")):
            await wait_until(lambda: is_settled(bus, SESSION))
    with server.client() as client:
        return judge(client, {SESSION: expected})


async def folded(bus: Bus, seq: int) -> bool:
    return (await bus.info(SESSION)).folded >= seq


async def test_facts_and_effects_of_a_lost_commit_are_recorded_again(
    every_real_flavour: Flavour, start_server: StartServer
) -> None:
    """A worker whose memory is ahead of what is recorded folds again from what is."""
    server = start_server(every_real_flavour, aof="always")
    assert (await lose_a_commit(server, Scripts())).findings == []


async def test_without_the_fence_facts_and_effects_of_a_lost_commit_are_lost(
    start_server: StartServer,
) -> None:
    """The worker goes on after what it had folded, and nobody records what was lost."""
    server = start_server(aof="always")
    verdict = await lose_a_commit(server, Scripts({"commit.after": ""}))
    assert any("facts: 20 missing" in finding for finding in verdict.findings)
    assert any("effects are due and nobody" in finding for finding in verdict.findings)

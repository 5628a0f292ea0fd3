"""When a session with a floor is over, by which rule, and what it came to."""

from __future__ import annotations

from parley.memory.floor.seats import has_person, present_agents
from parley.memory.settings.stop_rules import StopRule
from parley.memory.state.memory import Memory

_CALLS = 10  # a share of fewer says nothing


def find_end_reason(
    memory: Memory, stop: StopRule, seconds: int, *, quiescent: bool = False
) -> tuple[str, str] | None:
    """(reason, rule) of what ends the session after `seconds`, None while nothing does.

    `quiescent`: nobody has anything left to say, as arbitration finds.
    """
    if stop.rule == "any":
        reasons = (
            find_end_reason(memory, stop_rule, seconds, quiescent=quiescent)
            for stop_rule in stop.of
        )
        return next((reason for reason in reasons if reason is not None), None)
    if stop.rule == "all":
        each = [
            find_end_reason(memory, stop_rule, seconds, quiescent=quiescent)
            for stop_rule in stop.of
        ]
        known = [reason for reason in each if reason is not None]
        if len(known) < len(each):
            return None
        return "+".join(reason for reason, _ in known), "+".join(rule for _, rule in known)
    return (stop.rule, stop.text) if _holds(memory, stop, seconds, quiescent) else None


def _holds(memory: Memory, stop: StopRule, seconds: int, quiescent: bool) -> bool:
    if stop.rule == "quiescent":
        return quiescent
    if stop.rule == "hops":
        return has_reached_hop_limit(memory) and not has_person(memory)
    if stop.rule == "errors":
        calls = memory.ledger.total.calls
        return calls >= _CALLS and memory.ledger.total.failed * 1000 >= stop.value * calls
    return _measure(memory, stop.rule, seconds) >= stop.value


def _measure(memory: Memory, rule: str, seconds: int) -> int:
    match rule:
        case "messages":
            return memory.messages
        case "turns":
            return memory.floor.turns
        case "tokens":
            return memory.ledger.total.tokens
        case "micros":
            return memory.ledger.total.micros
        case "decisions":
            return sum(decision.stands and decision.binds for decision in memory.decisions.values())
        case "votes":
            return memory.votes.counted
        case "stalled":
            return memory.floor.turns - memory.floor.moved
    return seconds


def has_reached_hop_limit(memory: Memory) -> bool:
    """True where agents took all the turns they may among themselves."""
    most = memory.settings.floor.hops_hard * len(present_agents(memory))
    return 0 < most <= memory.floor.hops


def ms_until_clock_rule(stop: StopRule, waited_ms: int) -> int | None:
    """The ms until the clock may make a rule of `stop` hold; None: never."""
    if stop.of:
        left = [ms_until_clock_rule(stop_rule, waited_ms) for stop_rule in stop.of]
        return min((ms for ms in left if ms is not None), default=None)
    ahead = stop.value * 1000 - waited_ms
    return ahead if stop.rule == "seconds" and ahead > 0 else None


def sum_up_session(memory: Memory) -> dict[str, int]:
    """What the session came to, for `session.closed`."""
    ledger, floor = memory.ledger, memory.floor
    return {
        "messages": memory.messages,
        "turns": floor.turns,
        "evaluations": floor.evaluations,
        "calls": ledger.total.calls,
        "failed": ledger.total.failed,
        "refused": ledger.refused,
        "tokens": ledger.total.tokens,
        "micros": ledger.total.micros,
        "proposals": sum(
            proposal.stands and not proposal.candidate for proposal in memory.proposals.values()
        ),
        "decisions": _measure(memory, "decisions", 0),
        "votes": _measure(memory, "votes", 0),
    }

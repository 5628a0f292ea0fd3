"""The numbers of a session in words, one line each; layers it does not use are left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from parley.memory.context.item_lines import visible_line
from parley.server.basics.output import count_of

Row = Mapping[str, Any]


def statistics_lines(row: Row) -> Iterator[str]:
    """Counts and sizes in words, one a line."""
    participants = count_of(row["participants"], "participant")
    yield f"{count_of(row['messages'], 'message')} by {participants}"
    yield _counted(count_of(row["decisions"], "decision"), ": ", row["decisions_by_status"])
    settled = {name: n for name, n in row["proposals_by_status"].items() if name != "active"}
    yield _counted(count_of(row["proposals"], "open proposal"), "; ", settled)
    if row.get("candidates") or row.get("denied"):
        apart = count_of(row["candidates"], "candidate")
        yield f"{apart}, counted nowhere; {count_of(row['denied'], 'item')} denied"
    left = row.get("left_memory", {})
    if any(left.values()):
        parts = ", ".join(count_of(left[name], name[:-1]) for name in ("proposals", "decisions"))
        yield f"{parts} left memory for the log (caps.*): explain finds them there"
    flips, echoes = count_of(row["flips"], "change"), count_of(row["echoes"], "idea")
    yield f"{flips} of side, {echoes} said before"
    sizes, owed = row["sizes"], row["summaries_owed"]
    made = f"{sizes['summary_tokens']} tokens for {sizes['summarised_tokens']} of talk"
    due = f"; {count_of(owed, 'more', 'more')} due" if owed else ""
    summaries = count_of(row["summaries"], "summary", "summaries")
    yield summaries + (f": {made}" if row["summaries"] else "") + due
    yield f"{count_of(sizes['open_messages'], 'message')} since the last summary"
    yield from _extraction_lines(row["extraction"])
    yield f"{sizes['memory_bytes']:,} bytes of memory"
    for kind, count in row.get("unknown", {}).items():
        yield f"{count} of unknown kind {kind}, skipped"


def _counted(whole: str, joint: str, by_status: Mapping[str, int]) -> str:
    parts = ", ".join(f"{count} {status}" for status, count in by_status.items())
    return whole + (f"{joint}{parts}" if parts else "")


def layer_lines(row: Row) -> Iterator[str]:
    """One line for each layer that is in use, then limits and alerts."""
    yield _conversation(row["conversation"])
    if (permille := row["compression_permille"]) is not None:
        yield f"compression: summaries have {_percent(permille)} of the size of the talk"
    yield from _work(row["session"], row["execution"])
    yield from _notebooks(row["notebooks"])
    yield from _exchanges(row["exchanges"], row["cache"])
    yield from _table(row["floor"], row["spend"], row["votes"])
    yield from _summariser(row.get("summariser", {}))
    yield from _forecast_lines(row["forecasts"])
    yield from (f"alert: {limit} is over its warning line" for limit in row["alerts"])


def _conversation(talk: Row) -> str:
    size = talk["estimated_tokens"]
    tokens = "" if size is None else f", about {size} tokens with the summaries"
    return f"conversation: {count_of(talk['buffer_messages'], 'message')} without a summary{tokens}"


def _work(session: Row, execution: Row) -> Iterator[str]:
    goals = session["archived_goals"] + session["evicted"]
    if not session["current_goal"] and not execution["current_task"] and not goals:
        return
    yield (
        f"session: goal {session['current_goal'] or 'none'}, "
        f"{count_of(session['subtasks'], 'task')}, "
        f"{count_of(session['tool_executions'], 'tool run')}, "
        f"{count_of(session['completed_goals'], 'goal')} completed, "
        f"{session['estimated_tokens']} tokens"
    )
    yield (
        f"execution: task {execution['current_task'] or 'none'}, "
        f"{count_of(execution['execution_steps'], 'step')}, "
        f"{execution['discovered_context_entries']} discovered, "
        f"{count_of(execution['insights'], 'insight')}"
    )


def _notebooks(books: Row) -> Iterator[str]:
    if books["policy"] == "off" and not books["lines"] and not books["notes"]:
        return
    dropped = f", {books['dropped']} dropped" if books["dropped"] else ""
    yield (
        f"notebooks ({books['policy']}): {count_of(len(books['notes']), 'note')}, "
        f"{count_of(books['lines'], 'line')} of {books['characters']} characters{dropped}"
    )


def _exchanges(exchanges: Row, cache: Row) -> Iterator[str]:
    if exchanges["turn"]:
        yield (
            f"exchanges: {exchanges['turn']} closed, {exchanges['window']} kept, "
            f"{exchanges['running_bytes']} bytes of summary, "
            f"{count_of(exchanges['compressions'], 'compression')}; "
            f"about {exchanges['estimated_tokens']} tokens to answer from"
        )
    if cache["kept"] or cache["hits"] or cache["misses"]:
        rate = cache["hit_permille"]
        share = "" if rate is None else f" ({_percent(rate)})"
        yield (
            f"tool cache: {cache['kept']} kept, {count_of(cache['hits'], 'hit')}{share}, "
            f"{count_of(cache['misses'], 'miss', 'misses')}, {cache['evicted']} evicted"
        )


def _table(floor: Row, spend: Row, votes: Row) -> Iterator[str]:
    if floor["seats"] or floor["turns"]:
        holder = f", held by {visible_line(floor['holder'], 64)}" if floor["holder"] else ""
        paused = (
            f", paused: {visible_line(floor['paused'], 64)}"
            if floor["paused"] not in ("", "closing")
            else ""
        )
        yield (
            f"floor ({floor['policy']}): {count_of(floor['seats'], 'seat')}, "
            f"{count_of(floor['turns'], 'turn')}, {floor['hops']} since a person spoke, "
            f"{count_of(floor['evaluations'], 'evaluation')}{holder}{paused}"
        )
    if spend["calls"] or spend["held_tokens"] or spend["refused"]:
        yield from _spent(spend)
    if votes:
        yield "votes: " + ", ".join(f"{count} {status}" for status, count in votes.items())


def _spent(spend: Row) -> Iterator[str]:
    """What model calls came to: in all, for what, and on whose account."""
    reserved = f", {spend['held_tokens']} held" if spend["held_tokens"] else ""
    yield (
        f"spend: {count_of(spend['tokens'], 'token')}{_cost(spend)}{reserved} in "
        f"{count_of(spend['calls'], 'call')}, {spend['failed']} failed, {spend['refused']} refused"
    )
    if spend["purposes"]:
        yield "  for " + ", ".join(
            f"{visible_line(name, 32)} {n}" for name, n in spend["purposes"].items()
        )
    for name, account in spend["accounts"].items():
        calls = count_of(account["calls"], "call")
        tokens = count_of(account["tokens"], "token")
        yield f"  {visible_line(name, 64)}: {tokens}{_cost(account)} in {calls}"


def _cost(spent: Row) -> str:
    return f", cost {spent['micros'] / 1_000_000:.4f}" if spent["micros"] else ""


def _extraction_lines(read: Row) -> Iterator[str]:
    """What a model read out of the talk, and what its calls came to."""
    if read["how"] == "none" and not read["read"] and not read["waiting"]:
        return
    yield (
        f"extraction: {count_of(read['read'], 'stretch', 'stretches')} read by a model, "
        f"{read['waiting']} waiting; {count_of(read['claims'], 'claim')}, "
        f"{count_of(read['items'], 'new item')}, {read['confirmed']} confirmed, "
        f"{read['denied']} denied, {sum(read['dropped'].values())} refused"
    )
    for refused in read["refused"]:
        yield f"  refused ({refused['reason']}): {visible_line(refused['row'])}"
    if read["calls"]:
        size = f"{read['input_tokens']} tokens asked, {read['output_tokens']} answered"
        yield f"  {count_of(read['calls'], 'call')}: {size}"


def _summariser(row: Row) -> Iterator[str]:
    calls = row.get("model_calls", 0)
    if calls or row.get("memo_hits"):
        rate, each = row["success_permille"], row["ms_per_call"]
        ended = "" if rate is None else f", {_percent(rate)} answered, {each} ms each"
        yield f"summariser: {count_of(calls, 'model call')}{ended}, {row['memo_hits']} remembered"


def _forecast_lines(rows: list[Row]) -> Iterator[str]:
    """How full each limit is that holds anything, and when it will be reached."""
    for row in (row for row in rows if row["size"]):
        whose = f" of {row['of']}" if row["of"] else ""
        left = row["turns_left"]
        when = "" if left is None else f", in {count_of(left, 'turn')}" if left else ", reached"
        share = f" ({_percent(row['size'] * 1000 // row['cap'])})" if row["cap"] else ""
        yield f"{row['limit']}{whose}: {row['size']} of {row['cap']} {row['unit']}{share}{when}"


def _percent(permille: int) -> str:
    return f"{permille / 10:g} %"

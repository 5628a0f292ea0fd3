"""What commands show: the data as JSON, or the same in words for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from msgspec import structs

from parley.memory.text.plain_text import clip
from parley.server.basics.output import (
    escape,
    print_json,
    print_line,
    print_notice,
    show_rows,
    stdout,
    styled_text,
    table_cell,
    write_stdout,
)

if TYPE_CHECKING:  # of what is shown; a command that shows it has loaded it
    from rich.console import Console

    from parley.bus.contract.drafts import Receipt
    from parley.listeners.tools.toolbox import ToolResult
    from parley.memory.context.context import Context
    from parley.memory.state.memory import Memory
    from parley.server.render.memory_layers import Layer


def show_minutes(report: Mapping[str, Any], json: bool) -> None:
    """The minutes of a session."""
    from parley.server.render.digest_text import write_minutes

    if json:
        print_json(report)
    else:
        write_minutes(stdout(), report)


def show_item(row: Mapping[str, Any], json: bool) -> None:
    """One item with its evidence and history."""
    from parley.server.render.item_text import write_item

    if json:
        print_json(row)
    else:
        write_item(stdout(), row)


def show_context(context: Context, json: bool) -> None:
    """A context as a listener gets it; its text is fenced and safe to print."""
    if json:
        print_json(asdict(context))
    else:
        write_stdout(context.text.encode() + b"\n")


def show_messages(messages: Sequence[Mapping[str, Any]], json: bool) -> None:
    """A list of chat messages; as JSON what a model's API takes under "messages"."""
    if json:
        print_json(list(messages))
    else:
        _write_messages(stdout(), messages)


def show_trace(trace: Mapping[str, Any], json: bool) -> None:
    """What an assistant works from: memory, kept results, messages."""
    if json:
        print_json(trace)
        return
    console = stdout()
    memory, cache = trace["memory"], trace["cache"]
    by_model = ", in a model's words now" if memory["in_a_models_words"] else ""
    console.print("=== MEMORY STATE ===")
    console.print(table_cell(
        f"Session: {memory['session']} | Exchanges: {memory['exchanges']} of {memory['turn']} | "
        f"Summary: {memory['summary_bytes']} bytes{by_model} | "
        f"Compressions: {memory['compressions']}"
    ))  # fmt: skip
    console.print("\n=== FUNCTION CACHE STATE ===")
    counts = f"Hits: {cache['hits']} | Misses: {cache['misses']} | Evicted: {cache['evicted']}"
    console.print(table_cell(f"Kept results: {len(cache['results'])} | {counts}"))
    for row in cache["results"]:
        console.print(table_cell(f"- {_kept(row)}"))
    console.print(f"\n=== AGENT RECEIVES ({len(trace['messages'])} messages) ===")
    _write_messages(console, trace["messages"])


def show_result(result: ToolResult, json: bool) -> None:
    """A tool's result as it was."""
    if json:
        print_json(asdict(result))
    else:
        write_stdout(escape(result.result, keep_newlines=True).encode() + b"\n")


def show_kept_results(rows: Sequence[Mapping[str, Any]], json: bool) -> None:
    """Kept results, one a line."""
    none = "nothing is kept; 'parley tool put' keeps a result"
    show_rows(rows, lambda row: f"{row['n']:>5} {_kept(row)}, {row['hits']} hits", none, json=json)


def _kept(row: Mapping[str, Any]) -> str:
    """A kept call and the exchanges after this one that it is served in."""
    arguments = clip(row["arguments"] or "{…}", 100)
    return f"{row['tool']}({arguments}): {row['remaining']}/{row['original']} exchanges remaining"


def _write_messages(console: Console, messages: Sequence[Mapping[str, Any]]) -> None:
    """One message a line or more, numbered, with its role."""
    for number, message in enumerate(messages, 1):
        content = message["content"] or "".join(
            f"{call['function']['name']}({call['function']['arguments']})"
            for call in message["tool_calls"]
        )
        head = styled_text(f"[{number}] {message['role'].upper()}: ", "bold")
        console.print(head.append(escape(content, keep_newlines=True), style="not bold"))


def show_statistics(statistics: Mapping[str, Any], json: bool) -> None:
    """Counts and sizes."""
    from parley.server.render.stats_text import layer_lines, statistics_lines

    if json:
        print_json(statistics)
        return
    console = stdout()
    for line in (*statistics_lines(statistics), *layer_lines(statistics)):
        console.print(table_cell(line))


def show_pairs(pairs: Mapping[str, Any], json: bool) -> None:
    """Names and values, one a line."""
    if json:
        print_json(pairs)
    else:
        print_pairs(pairs)


def show_receipt(receipt: Receipt, number: int, json: bool) -> None:
    """Where an entry landed; `number` is the one that a person goes on with."""
    if json:
        print_json(structs.asdict(receipt))
    else:
        write_stdout(b"%d\n" % number)


def show_message_receipt(receipt: Receipt, outcome: Mapping[str, Any] | None, json: bool) -> None:
    """`show_receipt` of a message, with what the message did if that is known."""
    if json:
        print_json({**structs.asdict(receipt), **(outcome or {})})
        return
    show_receipt(receipt, receipt.n, json)
    if outcome is None:
        return
    for how in ("made", "touched"):
        if outcome[how]:
            print_notice(f"{how} {', '.join(outcome[how])}")
    for says in (*outcome["missing"], *(row["says"] for row in outcome["repeats"])):
        print_notice(str(says))
    if outcome["rule"]:
        from parley.memory.ledger.decision_rule import ALONE  # the fold comes with it

        print_notice(ALONE)


def show_notice(receipt: Receipt, done: str, json: bool) -> None:
    """What an entry that is no talk has done."""
    if json:
        print_json(structs.asdict(receipt))
    else:
        print_notice(done)


def show_done(row: Mapping[str, Any], done: str, json: bool) -> None:
    """What a command did: a sentence, or the row."""
    if json:
        print_json(row)
    else:
        print_notice(done)


def show_value(row: Mapping[str, Any], name: str, json: bool) -> None:
    """One value of what was made: the one that a person goes on with."""
    if json:
        print_json(row)
    else:
        write_stdout(f"{escape(row[name], keep_newlines=True)}\n".encode())


def show_layer(layer: Layer, memory: Memory, json: bool) -> None:
    """One layer of memory; its words are fenced and safe to print."""
    if json:
        print_json(layer.tree(memory))
    else:
        write_stdout(("\n".join(layer.lines(memory)) or "nothing yet").encode() + b"\n")


def show_lines(lines: Sequence[str], tree: Mapping[str, Any], json: bool) -> None:
    """Show what was asked for: `lines` to a person, else the data."""
    if json:
        print_json(tree)
        return
    for line in lines:
        write_stdout(f"{escape(line)}\n".encode())


def show_findings(what: str, findings: Sequence[str], json: bool) -> None:
    """Whether something is whole, and what is not."""
    if json:
        print_json({"of": what, "sound": not findings, "findings": list(findings)})
        return
    console = stdout()
    for finding in findings:
        console.print(styled_text(finding, "red"))
    verdict = (
        f"{len(findings)} findings" if findings else "sound: memory equals the replay of its log"
    )
    console.print(table_cell(f"{what}: {verdict}"))


def print_pairs(pairs: Mapping[str, Any], before: str = "") -> None:
    """Names and values, one a line, trees flattened; what has no value is left out."""
    for name, value in pairs.items():
        if isinstance(value, Mapping):
            print_pairs(value, f"{before}{name}.")
        elif value is not None and (not isinstance(value, list | tuple) or value):
            print_line(f"{before}{name}: {value}")

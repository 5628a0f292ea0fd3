"""The command line, run in this process against real servers."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
import redis
from pydantic import SecretStr

from parley.server.cli.command_tree import command as tree
from parley.server.cli.shared.help_pages import SECTIONS
from parley.server.cli.shared.setting_flags import SECRETS
from parley.server.settings import SETTINGS, Settings
from tests.support.doors.calls import Parley
from tests.support.servers.old_redis import OldRedis
from tests.support.servers.servers import RedisServer, StartServer, real_flavours

TALK = [
    {"title": "Tea or coffee", "chair": ["Ada"]},
    {"index": 0, "agent_id": "Ada", "timestamp": "2026-01-01T10:00:00Z", "content": "Morning."},
    {"index": 1, "agent_id": "Bo", "timestamp": "2026-01-01T10:01:00Z",
     "content": "[PROPOSAL] We drink tea at four."},
    {"index": 2, "agent_id": "Cy", "content": "I agree.", "act": "support", "re": 1},
    {"index": 3, "agent_id": "Di", "content": "I oppose P1, it keeps me awake."},
    {"index": 4, "agent_id": "Ada", "content": "I accept P1.", "act": "accept", "re": "P1"},
]  # fmt: skip


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A short transcript: one proposal, both sides, accepted by the chair."""
    file = tmp_path / "talk.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in TALK))
    return file


@pytest.fixture
def tea(at: Parley, talk: Path) -> Parley:
    """The same, with the transcript published as session `tea`."""
    assert at("replay", talk, "--session", "tea", "--no-wait").code == 0
    return at


def test_the_version_and_the_help_need_nothing(parley: Parley) -> None:
    """No server, no settings file, exit 0."""
    assert parley("--version").out.startswith("parley ")
    shown = parley("--help")
    assert shown.code == 0
    assert "analyze" in shown.out
    assert "--redis" in shown.out


def test_the_help_has_every_command_under_one_heading(parley: Parley) -> None:
    """None twice, none left out, and none told in a sentence that is cut off."""
    names = [name for heading in SECTIONS.values() for name in heading]
    assert sorted(names) == sorted(n for n, c in tree().commands.items() if not c.hidden)
    shown = parley("--help").out
    for name in names:
        assert len(re.findall(rf"^  {name} +[^-].*[^.]\.$", shown, re.MULTILINE)) == 1, name


@pytest.mark.parametrize(
    ("words", "has", "has_not"),
    [
        ([], ["--redis", "--model-key"], ["--summary-interval", "--serve-rate", "--stop"]),
        (["serve"], ["--serve-rate"], ["--model-key", "--summary-interval"]),
        (["settings"], [setting.flag for setting in SETTINGS.values()], []),
    ],
    ids=["parley", "serve", "settings"],
)
def test_settings_are_told_where_they_are_looked_for(
    words: list[str], has: list[str], has_not: list[str], parley: Parley
) -> None:
    """Those of every process, those of the server, all of them."""
    shown = parley(*words, "--help").out
    assert [flag for flag in has if f"{flag} " not in shown] == []
    assert [flag for flag in has_not if f"{flag} " in shown] == []


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["nonsense"], "no such command"),
        (["analyze"], "missing argument"),
        (["analyze", "x", "--format", "poem"], "--format"),
        (["analyze", "x", "--batch", "none"], "--batch"),
        (["--sumary-interval", "3", "status"], "--summary-interval"),
        (["session", "verify"], "SESSION or --file"),
        (["correct", "s", "P1"], "--retract"),
        (["correct", "s", "P1", "--retract", "--merge", "P2"], "--retract"),
        (["correct", "s", "banana", "--retract"], "ref"),
        (["say", "s", "text", "--act", "sing"], "act"),
        (["vote", "call", "s", "Q?", "--rule", "majorty"], "; did you mean 'majority'? 'parley"),
        (["minutes", "s", "--format", "htm"], "'htm' is not one of 'text', 'md', 'html', 'json'; "),
        (["session", "set", "s", "floor.policy=bidd"], "did you mean 'bid'?"),
        (["--floor-policy", "bidd", "status"], "did you mean 'bid'?"),
        (["say", "s", ""], "content: is empty"),
        (["say", "s", "hi", "--as", " "], "participant: is empty"),
        (["say", "s", "hi", "--as", "Parley"], "'Parley' is the server's own voice"),
        (["say", "s", "hi", "--id", "a b"], "without spaces"),
        (["alias", "s", "Bo", "Bo"], "another NICK"),
        (["replay", "x", "--session", "s", "--rate", "inf"], "--rate"),
        (["replay", "x", "--session", "s", "--rate", "nan"], "--rate"),
        (["watch", "s", "--after", "99999999999999999999"], "--after"),
        (["watch", "s", "--cursor", "99999999999999999999/1-0"], "12/9-0"),
        (["watch", "s", "--cursor", "tomorrow"], "12/9-0"),
        (["session", "new", "s", "--packs", "none.json"], "none.json"),
    ],
)
def test_misuse_ends_with_2_and_a_word_of_advice(at: Parley, args: list[str], text: str) -> None:
    """Nothing on stdout, no traceback, the option at fault on stderr."""
    ran = at(*args)
    assert ran.code == 2
    assert ran.out == ""
    assert text in ran.err
    assert "Traceback" not in ran.err


def test_an_unknown_variable_names_the_nearest(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt setting is not silently a default."""
    monkeypatch.setenv("PARLEY_SUMMARY_INTERVALL", "3")
    ran = parley("session", "ls")
    assert ran.code == 2
    assert "'PARLEY_SUMMARY_INTERVAL'" in ran.err


def test_a_pattern_that_re2_refuses_is_named(parley: Parley, tmp_path: Path, talk: Path) -> None:
    """An operator's pack with a look-ahead: exit 2, the rule and the reason."""
    pack = tmp_path / "own.json"
    rule = {"name": "bad", "act": "propose", "pattern": "(?=x)y", "confidence": 500}
    pack.write_text(json.dumps({"name": "own@1", "rules": [rule]}))
    ran = parley("analyze", talk, "--packs", pack)
    assert ran.code == 2
    assert "bad" in ran.err


@pytest.mark.parametrize(
    "args",
    [
        ["say", "nobody", "hello"],
        ["watch", "nobody"],
        ["search", "nobody", "x"],
        ["memory", "nobody"],
        ["memory", "nobody", "--json"],
        ["context", "nobody", "--as", "Ada"],
        ["explain", "nobody", "P1"],
        ["stats", "nobody"],
        ["correct", "nobody", "P1", "--retract"],
        ["alias", "nobody", "A", "B"],
        ["session", "show", "nobody"],
        ["session", "close", "nobody"],
        ["session", "export", "nobody"],
        ["session", "archive", "nobody"],
        ["session", "verify", "nobody"],
        ["session", "fork", "nobody", "x"],
        ["session", "rm", "nobody", "--yes"],
    ],
)
def test_an_unknown_session_ends_with_1(at: Parley, args: list[str]) -> None:
    """Whatever is asked of it, and nothing is created."""
    ran = at(*args)
    assert ran.code == 1
    assert "no session 'nobody'" in ran.err
    assert ran.out == ""
    assert at("session", "ls", "--json").out == ""


def test_a_session_opens_once(at: Parley) -> None:
    """A name that is taken, and one that cannot be a name, are refused."""
    assert at("session", "new", "s", "--title", "T", "--summary-interval", "3").code == 0
    again = at("session", "new", "s")
    assert again.code == 1
    assert "exists" in again.err
    assert at("session", "new", "no/name").code == 2
    assert at("session", "show", "s", "--json").rows()[0]["status"] == "open"
    assert "None" not in at("session", "show", "s").out
    memory = json.loads(at("memory", "s", "--json").out)
    assert memory["settings"]["summary"]["interval"] == 3
    assert memory["title"] == "T"


def test_what_a_session_went_through_is_told_as_json(at: Parley, tmp_path: Path) -> None:
    """One object a command, and no word besides it."""
    file, kept = tmp_path / "s.json", tmp_path / "kept.json"
    for args, row in (
        (["new", "s"], {"session": "s", "status": "open"}),
        (["fork", "s", "t"], {"session": "t", "from": "s", "n": 0}),
        (["export", "s", "-o", file], {"session": "s", "file": str(file), "entries": 1}),
        (["import", file, "--as", "u"], {"session": "u", "entries": 1}),
        (["close", "s"], {"session": "s", "status": "closed"}),
        (["archive", "t", "-o", kept], {"session": "t", "status": "archived", "file": str(kept)}),
        (["rm", "u", "--yes"], {"session": "u", "status": "removed"}),
    ):
        ran = at("session", *args, "--json")
        assert (ran.code, ran.rows()) == (0, [row]), ran.err
    assert at("minutes", "s", "--json").rows()[0]["session"] == "s"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("vote ls", "vote show"), ("session remove", "session rm"), ("session list", "session ls"),
        ("session create", "session new"), ("sessions ls", "session ls"),
        ("vote create", "vote call"), ("session restore", "session import"),
        ("goal list", "goal ls"), ("pattern validate", "patterns check"),
        ("decisions", "brief"), ("proposals", "brief"),
    ],
)  # fmt: skip
def test_other_names_that_people_try_mean_the_same(parley: Parley, typed: str, meant: str) -> None:
    """Their help is the same but for what was typed."""
    shown, known = parley(*typed.split(), "--help"), parley(*meant.split(), "--help")
    assert (shown.code, known.code) == (0, 0)
    assert shown.out.replace(f"parley {typed}", f"parley {meant}", 1) == known.out


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("sesion ls", "'session'"), ("staus", "'status'"), ("vote cal", "'call'"),
        ("positions", None), ("elections", None), ("vote session", None),
    ],
)  # fmt: skip
def test_a_command_that_is_none_is_told_a_near_one_or_none(
    parley: Parley, typed: str, near: str | None
) -> None:
    """What merely ends alike is no help."""
    ran = parley(*typed.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("parley: no such command ")
    told = ran.err.partition("Did you mean ")[2].partition("?")[0]
    assert told == (near or ""), ran.err


def test_what_is_said_is_in_the_context_at_once(at: Parley) -> None:
    """No worker runs; the context holds the message and what it changed."""
    at("session", "new", "s")
    ran = at("say", "s", "[PROPOSAL] We paint it green.", "--as", "Ada")
    assert ran.out == "1\n"
    shown = at("context", "s", "--as", "Bo").out
    assert "P1" in shown
    assert "We paint it green." in shown


@pytest.mark.parametrize(
    "args",
    [["-1 to P1", "--as", "Bo"], ["--as", "Bo", "-1 to P1"], ["--as", "Bo", "--", "-1 to P1"]],
)
def test_a_vote_against_is_no_flag(at: Parley, args: list[str]) -> None:
    """Words that begin with a dash are words, wherever they stand."""
    at("session", "new", "s")
    ran = at("say", "s", *args)
    assert (ran.code, ran.out) == (0, "1\n"), ran.err
    assert at("search", "s", "-1", "--json").rows()[0]["entry"]["content"] == "-1 to P1"


def test_a_mistyped_flag_is_not_taken_for_words(at: Parley) -> None:
    """One word behind a dash, without a number, is a flag that does not exist."""
    assert "no such option" in at("say", "s", "hello", "--actt", "propose").err
    assert "no such option" in at("say", "s", "hello", "-x").err


def test_resending_an_id_is_harmless_and_another_payload_is_refused(at: Parley) -> None:
    """The same words: the same number. Other words: exit 1, nothing stored lost."""
    at("session", "new", "s")
    first = at("say", "s", "One.", "--as", "Ada", "--id", "mine", "--json").rows()[0]
    again = at("say", "s", "One.", "--as", "Ada", "--id", "mine", "--json").rows()[0]
    assert (first["seq"], again["seq"], again["duplicate"]) == (2, 2, True)
    other = at("say", "s", "Two.", "--as", "Ada", "--id", "mine")
    assert other.code == 1
    assert "'mine' is taken" in other.err
    assert at("session", "show", "s", "--json").rows()[0]["head"] == 2


def test_ten_megabytes_are_refused(at: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """From stdin, since no command line holds them."""
    at("session", "new", "s")
    monkeypatch.setattr("sys.stdin", _Stdin(b"x" * 10_000_000))
    ran = at("say", "s", "-", "--as", "Ada")
    assert ran.code == 2
    assert "too large" in ran.err or "1,048,576" in ran.err or "1048576" in ran.err


def test_stdin_that_is_not_utf8_is_refused(at: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """The byte is named."""
    monkeypatch.setattr("sys.stdin", _Stdin(b"caf\xe9"))
    ran = at("say", "s", "-")
    assert ran.code == 2
    assert "not UTF-8" in ran.err


class _Stdin:
    """Bytes on standard input."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_analyze_reads_a_file_without_a_server(parley: Parley, talk: Path) -> None:
    """Report, JSON, items and context, all from the file alone."""
    report = parley("analyze", talk)
    assert report.code == 0
    assert "P1" in report.out
    assert "Di" in report.out
    tree = parley("analyze", talk, "--json").rows()[0]
    assert tree["title"] == "Tea or coffee"
    items = parley("analyze", talk, "--format", "items").rows()
    assert [row["index"] for row in items] == sorted(row["index"] for row in items)
    assert {row["label"] for row in items} >= {"proposal", "reaction", "status"}
    for row in items:
        assert {"how", "rule", "confidence", "id"} <= row.keys()
    assert "Recent Messages" in parley("analyze", talk, "--format", "context", "--as", "Bo").out


@pytest.mark.parametrize("command", [["analyze"], ["replay", "--session", "tea"]])
def test_a_bad_line_stops_before_anything_is_published(
    at: Parley, talk: Path, command: list[str]
) -> None:
    """Exit 1 and the line's number; --skip-bad reports it and goes on."""
    talk.write_bytes(talk.read_bytes() + b'{"index": 9, "agent_id": "Ada"}\n')
    ran = at(command[0], talk, *command[1:])
    assert ran.code == 1
    assert "line 7: field 'content' is missing" in ran.err
    assert at("session", "ls", "--json").out == ""
    skipped = at(
        command[0], talk, *command[1:], "--skip-bad", *(["--no-wait"] * (len(command) > 1))
    )
    assert skipped.code == 0
    assert "left out line 7" in skipped.err


def test_replaying_twice_changes_nothing(tea: Parley, talk: Path) -> None:
    """The file's ids are the messages' ids."""
    before = tea("memory", "tea", "--json").out
    assert tea("replay", talk, "--session", "tea", "--no-wait").code == 0
    assert tea("session", "show", "tea", "--json").rows()[0]["head"] == 6
    assert tea("memory", "tea", "--json").out == before


def test_memory_of_a_session_is_that_of_its_file(tea: Parley, talk: Path) -> None:
    """Through Redis or in this process: the same bytes."""
    assert tea("memory", "tea", "--json").out == tea("analyze", talk, "--format", "memory").out


def test_explain_quotes_the_evidence(tea: Parley) -> None:
    """Who proposed it in which words, who stood where and why it counts."""
    row = tea("explain", "tea", "P1", "--json").rows()[0]
    assert row["participant"] == "Bo"
    assert "We drink tea at four." in row["evidence"]["quote"]
    stances = {reaction["participant"]: reaction["stance"] for reaction in row["reactions"]}
    assert stances["Cy"] == "support"
    assert stances["Di"] == "oppose"
    assert row["history"][0]["kind"] == "proposal.made"
    shown = tea("explain", "tea", "P1").out
    assert "keeps me awake" in shown
    missing = tea("explain", "tea", "P9")
    assert missing.code == 1
    assert "P9" in missing.err


def test_a_retracted_proposal_stays_away(at: Parley) -> None:
    """A person's word outranks every detector, now and for later messages."""
    at("session", "new", "s")
    idea = "[PROPOSAL] We paint the whole shed a bright and cheerful green."
    at("say", "s", idea, "--as", "Bo")
    assert "P1" in at("memory", "s").out
    assert at("correct", "s", "P1", "--retract", "--as", "Ada").code == 0
    at("say", "s", idea, "--as", "Cy")
    tree = at("memory", "s", "--json").out
    assert [proposal.get("struck") for proposal in json.loads(tree)["proposals"]] == [True]
    assert "Open proposals" not in at("memory", "s").out
    assert at("explain", "s", "P1", "--json").rows()[0]["handle"] == "P1"
    unknown = at("correct", "s", "P7", "--retract")
    assert unknown.code == 1
    assert "P7" in unknown.err


def test_an_alias_counts_two_names_as_one(tea: Parley) -> None:
    """What was said under the nick before is the participant's."""
    assert tea("alias", "tea", "Cy", "Cynthia").code == 0
    names = [
        participant["name"]
        for participant in json.loads(tea("memory", "tea", "--json").out)["participants"]
    ]
    assert "Cynthia" in names
    assert "Cy" not in names


def test_context_at_an_earlier_entry_knows_nothing_later(tea: Parley) -> None:
    """Time travel by entry number."""
    assert "P1" not in tea("context", "tea", "--as", "Bo", "--at", "1").out
    assert "P1" in tea("context", "tea", "--as", "Bo", "--at", "2").out
    for command in (("context", "tea"), ("memory", "tea"), ("memory", "tea", "--json")):
        late = tea(*command, "--at", "999")
        assert late.code == 2
        assert "primary entries" in late.err


def test_a_budget_below_the_floor_is_refused(tea: Parley) -> None:
    """And it says what the floor is."""
    ran = tea("context", "tea", "--budget", "3")
    assert ran.code == 1
    assert "below the floor" in ran.err


def test_search_finds_words_whatever_their_case(tea: Parley) -> None:
    """All words must be there; by whom can be asked for."""
    assert "tea at four" in tea("search", "tea", "TEA", "four").out
    assert tea("search", "tea", "tea", "coffee").out == ""
    assert tea("search", "tea", "tea", "--by", "Cy").out == ""
    rows = tea("search", "tea", "awake", "--json").rows()
    assert rows[0]["n"] == 4


def test_watch_gives_entries_as_json_lines(tea: Parley) -> None:
    """From the first entry on, as many as asked for."""
    rows = tea("watch", "tea", "--after", "0", "--no-facts", "--limit", "6", "--json").rows()
    assert [row["seq"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[1]["entry"]["content"] == "Morning."


def test_watch_says_who_corrected_what(tea: Parley) -> None:
    """An entry that is no talk reads like one line of a log, not like the name of a kind."""
    tea("correct", "tea", "P1", "--topic", "drinks", "--as", "Ada")
    tea("alias", "tea", "Cy", "Cynthia", "--as", "Ada")
    shown = tea("watch", "tea", "--after", "6", "--no-facts", "--limit", "2").out
    assert "correction of P1 by Ada: topic drinks" in shown
    assert "alias by Ada: Cy is Cynthia" in shown


def test_history_is_told_in_words(tea: Parley) -> None:
    """As the live view says it, with the rule that found it."""
    shown = tea("explain", "tea", "P1").out
    assert "message 4: P1 Di: oppose (pattern " in shown
    assert "supporters [" not in shown


def test_handles_may_be_typed_small(tea: Parley) -> None:
    """p1 is P1, wherever a handle is asked for."""
    assert tea("explain", "tea", "p1", "--json").rows()[0]["handle"] == "P1"
    assert tea("correct", "tea", "p1", "--topic", "drinks").code == 0


def test_what_was_done_is_said_on_stderr(tea: Parley) -> None:
    """A command that gives no data still says what it did, and stdout stays empty."""
    for args, word in (
        (["session", "new", "s"], "is open"),
        (["alias", "tea", "Cy", "Cynthia"], "counts as Cynthia"),
        (["correct", "tea", "P1", "--topic", "drinks"], "P1 is corrected"),
        (["search", "tea", "zebra"], "no message holds 'zebra'"),
        (["session", "close", "tea"], "is closed"),
        (["session", "rm", "tea", "--yes"], "is removed"),
    ):
        ran = tea(*args)
        assert (ran.code, ran.out) == (0, "")
        assert word in ran.err


def test_analyze_reads_stdin(parley: Parley, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript may come through a pipe."""
    with talk.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert "tea at four" in parley("analyze", "-").out


def test_what_shapes_a_context_is_refused_elsewhere(parley: Parley, talk: Path) -> None:
    """A budget that nothing heeds would be a lie."""
    ran = parley("analyze", talk, "--budget", "500")
    assert ran.code == 2
    assert "--format context" in ran.err


def test_stats_count(tea: Parley) -> None:
    """C23's numbers and the sizes."""
    row = tea("stats", "tea", "--json").rows()[0]
    assert row["messages"] == 5
    assert "sizes" in row


def test_hostile_text_cannot_reach_the_terminal(at: Parley) -> None:
    """Escapes, bells and direction marks are spelled out wherever they are shown."""
    at("session", "new", "s")
    evil = "[PROPOSAL] \x1b[2Jwiped\x07 \u202etxet \x9b31m and more"
    assert at("say", "s", evil, "--as", "M\x1b[31mallory").code == 0
    for command in (
        ["memory", "s"], ["context", "s"], ["explain", "s", "P1"], ["search", "s", "wiped"],
        ["watch", "s", "--after", "0", "--no-facts", "--limit", "2"],
    ):  # fmt: skip
        ran = at(*command)
        assert ran.code == 0, ran.err
        assert not set(ran.out) & set("\x1b\x07\u202e\x9b"), command


def test_a_closed_session_takes_no_more(tea: Parley) -> None:
    """It stays readable."""
    assert tea("session", "close", "tea", "--reason", "done").code == 0
    ran = tea("say", "tea", "One more.")
    assert ran.code == 1
    assert "closed" in ran.err
    assert "done" in tea("memory", "tea").out


def test_export_import_export_is_identical(tea: Parley, tmp_path: Path) -> None:
    """Under the same name or on an empty server, byte for byte."""
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    assert tea("session", "export", "tea", "-o", first).code == 0
    memory = tea("memory", "tea", "--json").out
    refused = tea("session", "import", first)
    assert refused.code == 1
    assert "exists" in refused.err
    assert tea("session", "rm", "tea", "--yes").code == 0
    assert tea("session", "import", first).code == 0
    assert tea("session", "export", "tea", "-o", second).code == 0
    assert second.read_bytes() == first.read_bytes()
    assert tea("memory", "tea", "--json").out == memory
    assert tea("session", "import", first, "--replace").code == 0
    assert tea("session", "export", "tea", "-o", "-").out.encode() == first.read_bytes()


def test_a_tampered_or_cut_file_is_refused(tea: Parley, tmp_path: Path) -> None:
    """And nothing of it is written."""
    file = tmp_path / "s.json"
    tea("session", "export", "tea", "-o", file)
    whole = file.read_bytes()
    for bad in (whole[:-40], whole.replace(b"Morning", b"Evening")):
        file.write_bytes(bad)
        for command in (
            ["session", "import", file, "--as", "new"],
            ["session", "verify", "--file", file],
        ):
            ran = tea(*command)
            assert ran.code == 1
            assert str(file) in ran.err
    assert len(tea("session", "ls", "--json").rows()) == 1


def test_archive_saves_closes_and_marks(tea: Parley, tmp_path: Path) -> None:
    """The file can be imported again, and the session takes no more."""
    file = tmp_path / "a.json"
    assert tea("session", "archive", "tea", "-o", file).code == 0
    assert tea("session", "show", "tea", "--json").rows()[0]["status"] == "archived"
    assert tea("say", "tea", "More?").code == 1
    assert tea("session", "import", file, "--as", "again").code == 0
    assert tea("session", "show", "again", "--json").rows()[0]["status"] == "archived"
    assert tea("session", "verify", "again").code == 0


def test_a_fork_goes_its_own_way(tea: Parley) -> None:
    """It shares the past up to N and takes entries of its own."""
    assert tea("session", "fork", "tea", "branch", "--at", "2").code == 0
    assert tea("say", "branch", "I oppose P1.", "--as", "Cy").out == "3\n"
    assert tea("session", "verify", "branch").code == 0
    assert tea("session", "show", "branch", "--json").rows()[0]["origin"] == "tea@2"
    assert tea("session", "fork", "tea", "far", "--at", "99").code == 2
    again = tea("session", "fork", "tea", "branch")
    assert (again.code, "replace" in again.err) == (1, False), again.err


def test_doctor_and_status_speak_of_the_server(at: Parley) -> None:
    """Version, durability, workers; exit 0 while nothing fails."""
    ran = at("doctor", "--json")
    assert ran.code == 0, ran.out
    assert {"python", "patterns", "redis", "durability", "workers"} <= {
        str(row["what"]) for row in ran.rows()
    }
    status = at("status", "--json").rows()[0]
    assert (status["workers"], status["repaired_total"], status["entries_set_aside"]) == ([], 0, 0)
    assert "no worker runs" in at("status").out


@pytest.mark.parametrize("command", [["status"], ["doctor"], ["session", "ls"]])
def test_a_redis_that_is_down_is_named(parley: Parley, tmp_path: Path, command: list[str]) -> None:
    """Address, cause and cure; no traceback."""
    ran = parley(*command, "--redis", f"unix://{tmp_path}/none.sock")
    assert ran.code == 1
    assert "none.sock" in ran.err + ran.out
    assert "Traceback" not in ran.err


def test_a_redis_that_needs_a_password_says_so(parley: Parley, start_server: StartServer) -> None:
    """And the password of an address is not shown back."""
    server = start_server(real_flavours()[0])
    with redis.Redis.from_url(server.url) as client:
        client.config_set("requirepass", "sesame")
    ran = parley("session", "ls", "--redis", server.url)
    assert ran.code == 1
    assert "password" in ran.err
    wrong = parley("session", "ls", "--redis", server.url.replace("unix://", "unix://:guess@"))
    assert wrong.code == 1
    assert "guess" not in wrong.err


@pytest.mark.parametrize(
    ("flag", "value", "variable"),
    [
        ("--redis", "redis://:sesame@127.0.0.1:1", "PARLEY_REDIS"),
        ("--redis", "redis://127.0.0.1:1", None),
        ("--redis", "redis://[", None),
        ("--model-key", "sesame", "PARLEY_MODEL_KEY"),
        ("--serve-secret", "sesame" * 6, "PARLEY_SERVE_SECRET"),
        ("--token", "sesame", "PARLEY_TOKEN"),
        ("--model", "sesame", None),
    ],
)
def test_a_secret_in_the_list_of_processes_is_warned_of(
    parley: Parley, flag: str, value: str, variable: str | None
) -> None:
    """With the variable and the key that tell it to nobody; it is not said again."""
    ran = parley("patterns", "ls", flag, value)
    assert ran.code == 0, ran.err
    if variable is None:
        assert ran.err == ""
    else:
        assert f"set {variable}, or " in ran.err
        assert "sesame" not in ran.err


def test_every_setting_that_is_a_secret_is_known_as_such() -> None:
    """Those whose values are masked everywhere else."""
    masked = {row.name for row in SETTINGS.values() if isinstance(row.of(Settings()), SecretStr)}
    assert masked == SECRETS


@pytest.mark.parametrize("version", ["6.0.16", "5.0.14"])
def test_a_redis_that_is_too_old_says_so(parley: Parley, version: str) -> None:
    """With the version that is needed."""
    with OldRedis(version) as url:
        ran = parley("session", "ls", "--redis", url)
    assert ran.code == 1
    assert f"is version {version}" in ran.err
    assert "Parley needs 6.2 or newer" in ran.err


def test_a_read_only_redis_says_so(parley: Parley, start_server: StartServer) -> None:
    """A replica refuses writes; the message names the cure."""
    server = start_server(real_flavours()[0])
    with redis.Redis.from_url(server.url) as client:
        client.execute_command("REPLICAOF", "127.0.0.1", "1")
    ran = parley("session", "new", "s", "--redis", server.url)
    assert ran.code == 1
    assert "read-only" in ran.err


def test_a_full_redis_loses_nothing_stored(parley: Parley, redis_server: RedisServer) -> None:
    """Publishing is refused with the cure; what was stored stays readable."""
    args = ("--redis", redis_server.url)
    assert parley("session", "new", "s", *args).code == 0
    assert parley("say", "s", "First.", "--as", "Ada", *args).code == 0
    with redis.Redis.from_url(redis_server.url) as client:
        client.config_set("maxmemory", "1")
    ran = parley("say", "s", "Second.", "--as", "Ada", *args)
    assert ran.code == 1
    assert "full" in ran.err
    assert len(parley("search", "s", "First", *args).out.splitlines()) == 1
    assert "this Redis is full" in parley("doctor", *args).out
    assert "this Redis is full" in parley("status", *args).out


@pytest.mark.parametrize("count", [5_000, pytest.param(50_000, marks=pytest.mark.long)])
def test_fifty_thousand_participants_are_accepted(
    parley: Parley, tmp_path: Path, count: int
) -> None:
    """One message each, analysed in seconds; all fifty thousand of them in the long form."""
    file = tmp_path / "crowd.jsonl"
    file.write_text(
        "".join(
            json.dumps({"index": n, "agent_id": f"p{n}", "content": "Here."}) + "\n"
            for n in range(count)
        )
    )
    ran = parley("analyze", file, "--format", "memory")
    assert ran.code == 0
    assert len(json.loads(ran.out)["participants"]) == count


def test_the_embedded_server_keeps_sessions_between_calls(parley: Parley) -> None:
    """Without an address, each call starts the server on the same data and ends it."""
    assert parley("session", "new", "s").code == 0
    assert parley("say", "s", "Hello.", "--as", "Ada").out == "1\n"
    assert [row["session"] for row in parley("session", "ls", "--json").rows()] == ["s"]


def test_a_number_beyond_all_is_refused(at: Parley) -> None:
    """In one line, whether Python, JSON or a reader of the log is the first to give up."""
    at("session", "new", "s")
    for digits in ("1" * 5_000, str(2**64), str(2**63)):
        ran = at("say", "s", "So be it.", "--re", digits)
        assert (ran.code, len(ran.err.splitlines())) == (2, 1)


def test_a_session_that_is_none_is_told_those_near_it(at: Parley) -> None:
    """Whatever the command needs: the bus alone, or the fold."""
    for name in ("harbour", "harbor-2", "zoo"):
        assert at("session", "new", name).code == 0
    for command in (["session", "show"], ["memory"], ["watch", "--limit", "1"], ["say", "Hi."]):
        words = command[:2] if command[0] == "session" else command[:1]
        ran = at(*words, "harbor", *command[len(words) :])
        assert ran.code == 1
        assert "no session 'harbor'; did you mean 'harbour' or 'harbor-2'? 'parley" in ran.err
    assert "did you mean" not in at("memory", "quay").err


def test_a_list_says_where_no_worker_folds(at: Parley) -> None:
    """Only where something waits for one, and to people alone."""
    assert at("session", "new", "s").code == 0
    shown = at("session", "ls")
    assert "no worker runs; 'parley worker' starts one." in shown.out
    assert len(at("session", "ls", "--json").rows()) == 1


def test_help_tells_whom_a_brief_is_for_and_what_force_does(parley: Parley) -> None:
    """`--as` and `--force` are not told by their names alone."""
    assert "--as NAME says who asks" in parley("brief", "--help").out
    assert "say it though --re is not there yet" in parley("say", "--help").out

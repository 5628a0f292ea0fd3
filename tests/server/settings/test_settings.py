"""One name per setting; flag over variable over file over default."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parley.server.basics.errors import Misuse
from parley.server.settings import (
    SETTINGS,
    Settings,
    build_settings,
    environment,
    resolve_defaults,
    setting_fields,
)
from parley.server.settings.old_names import GivenValue
from parley.server.settings.setting import Setting, table
from parley.server.settings.setting_sources import Sources
from parley.server.settings.setting_table import TABLE

ROOT = Path(__file__).resolve().parents[3]


def test_a_flag_outranks_a_variable_and_a_variable_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four sources, the one nearest to the person typing wins."""
    (tmp_path / "parley.toml").write_text("batch = 7\n[summary]\ninterval = 3\nwords = 50\n")
    monkeypatch.chdir(tmp_path)
    settings = resolve_defaults(
        {"summary.interval": "5"}, {"PARLEY_SUMMARY_INTERVAL": "4", "PARLEY_BATCH": "8"}
    )
    assert settings.session.summary.interval == 5
    assert settings.batch == 8
    assert settings.session.summary.words == 50
    assert settings.session.summary.fanout == 6


MAPPINGS = {  # as JSON, and as TOML
    "note.agents": ('{"ana": {"limit": 2000}}', "{ana = {limit = 2000}}"),
    "stop": ('{"turns": 5}', "{turns = 5}"),
    "model_prices": (
        '{"small": {"input": 1, "output": 2}}',
        "{small = {input = 1, output = 2}}",
    ),
}


def other(setting: Setting) -> str:
    """A value that is not the setting's default, as one types it."""
    if setting.switch:
        return str(setting.default == "false").lower()
    if setting.name == "preset":
        return "experiment"
    if setting.mapping:
        return MAPPINGS[setting.name][0]
    if setting.clearable:
        return "7"
    if "|" in setting.kind:
        return [word for word in setting.kind.split("|") if word != setting.default][-1]
    if setting.kind in ("integer", "number"):
        number = float(setting.default) * 2 or 1
        number = number if number in setting.bounds else float(setting.default) - 1
        return str(number if setting.kind == "number" else int(number))
    return "other"


VALUES: tuple[Any, ...] = (
    "", "x", "a, b", "[1]", '["a"]', "0", "1", "-1", "007", "1.5", "1e3", "nan", "inf", "9" * 30,
    "true", "false", "yes", "null", "auto", "open", 0, 1, -1, 1.5, 10**30, float("nan"), True,
    False, None, [], ["a"], [1], {}, {"any": []},
)  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_is_a_flag_a_variable_and_a_key(name: str, tmp_path: Path) -> None:
    """The same value by either way, another than the default."""
    setting = SETTINGS[name]
    value = other(setting)
    quoted = value if setting.kind in ("integer", "number", "true|false") else json.dumps(value)
    if setting.mapping:
        quoted = MAPPINGS[name][1]
    file = tmp_path / "parley.toml"
    file.write_text(f"{name} = {quoted if not setting.many else f'[{quoted}]'}\n")
    given = [
        resolve_defaults({name: value}, {}),
        resolve_defaults({}, {setting.variable: value}),
        resolve_defaults({}, {}, file),
    ]
    assert given[0] == given[1] == given[2]
    assert given[0] != resolve_defaults({}, {})


@pytest.mark.parametrize("name", SETTINGS)
def test_a_variable_that_is_set_to_nothing_is_not_set(name: str) -> None:
    assert resolve_defaults({}, {SETTINGS[name].variable: ""}) == resolve_defaults({}, {})


def test_old_variables_that_are_set_to_nothing_are_not_set() -> None:
    old = {"AEC_MEMORY_SHORT_TERM_TOKEN_CAP": "", "PARLEY_NO_SUCH_SETTING": ""}
    assert resolve_defaults({}, old) == resolve_defaults({}, {})


def test_a_named_file_is_read_in_place_of_the_one_at_hand(tmp_path: Path) -> None:
    """`--config` names the file, and a missing one is an error."""
    file = tmp_path / "other.toml"
    file.write_text('chair = ["Ada"]\n')
    assert resolve_defaults({}, {}, file).session.chair == ("Ada",)
    with pytest.raises(Misuse, match="cannot read"):
        resolve_defaults({}, {}, tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("flags", "variables", "text"),
    [
        ({}, {"PARLEY_SUMARY_INTERVAL": "6"}, "'PARLEY_SUMMARY_INTERVAL'"),
        ({}, {"PARLEY_REDDIS": "x"}, "'PARLEY_REDIS'"),
        ({}, {"PARLEY_BATCH": "0"}, "PARLEY_BATCH"),
        ({"summary.interval": "six"}, {}, "--summary-interval"),
        ({"embedded": "other"}, {}, "--embedded"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(
    flags: dict[str, str], variables: dict[str, str], text: str
) -> None:
    """The message names the variable or flag at fault, or the nearest that there is."""
    with pytest.raises(Misuse, match=text):
        resolve_defaults(flags, variables)


def test_a_file_may_be_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same keys, those of other programs included; two files at hand are one too many."""
    tree, lines = "chair: [Ada, Bo]\nsummary:\n  interval: 3\n", "memory_character_limit: 900\n"
    toml = tmp_path / "other.toml"
    toml.write_text(
        'chair = ["Ada", "Bo"]\nmemory_character_limit = 900\n[summary]\ninterval = 3\n'
    )
    monkeypatch.chdir(tmp_path)
    Path("parley.yaml").write_text(tree + lines)
    assert resolve_defaults({}, {}) == resolve_defaults({}, {}, toml)
    Path("parley.toml").write_text("batch = 7\n")
    with pytest.raises(Misuse, match=r"parley\.toml and parley\.yaml are both here; --config"):
        resolve_defaults({}, {})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("summary:\n  intervall: 1\n", "'summary.interval'"),
        ("batch: [", r"parley\.yaml:1: its YAML cannot be read"),
        ("- 1\n", "its YAML is no list of"),
        ("batch: 0\n", "batch"),
        ("batch: *b\n", "its YAML cannot be read"),
    ],
)
def test_a_wrong_yaml_file_is_refused_by_the_key(tmp_path: Path, content: str, text: str) -> None:
    """As one in TOML is."""
    file = tmp_path / "parley.yaml"
    file.write_text(content)
    with pytest.raises(Misuse, match=text):
        resolve_defaults({}, {}, file)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("[summary]\nintervall = 1\n", "'summary.interval'"),
        ("batch = [", "not TOML"),
        ("batch = 0\n", "batch"),
    ],
)
def test_a_wrong_file_is_refused_by_the_key(tmp_path: Path, content: str, text: str) -> None:
    """A key that no setting has is refused with the nearest one."""
    file = tmp_path / "parley.toml"
    file.write_text(content)
    with pytest.raises(Misuse, match=text):
        resolve_defaults({}, {}, file)


AUTO = {"summary": {"how": "auto"}}  # what every session logs that nobody opened otherwise


def test_an_unset_tree_logs_who_words_summaries_alone() -> None:
    """A session is opened with what was set, so that defaults stay defaults."""
    assert resolve_defaults({}, {}).opening() == AUTO


def test_whoever_opens_a_session_does_not_decide_who_words_its_summaries() -> None:
    """With a model or without, that is left to whoever makes them, unless someone chose."""
    assert resolve_defaults({"model_key": "k"}, {}).opening() == AUTO
    for how in ("extract", "model"):
        chosen = resolve_defaults({"model_key": "k", "summary.how": how}, {}).opening()
        assert chosen == {"summary": {"how": how}}


def test_secrets_do_not_show() -> None:
    """Printing the settings does not print the key."""
    assert "sesame" not in repr(resolve_defaults({"model_key": "sesame"}, {}))


def test_lists_are_names_between_commas_or_json() -> None:
    """A name with a comma in it can still be said."""
    assert resolve_defaults({}, {"PARLEY_BOTS": "a, b"}).session.bots == ("a", "b")
    assert resolve_defaults({}, {"PARLEY_BOTS": '["a, b"]'}).session.bots == ("a, b",)
    assert resolve_defaults({"bots": ["a", "b"]}, {}).session.bots == ("a", "b")


def test_a_child_process_gets_the_same_settings() -> None:
    """The variables made for a child settle to the tree they were made from."""
    given = resolve_defaults(
        {"chair": ["a, b", "c"], "model_key": "k", "summary.interval": "3"}, {}
    )
    again = resolve_defaults({}, environment(given))
    assert again.model_dump() == given.model_dump()


def test_the_documentation_lists_every_setting() -> None:
    """docs/settings.md holds the table that the tree makes."""
    assert table(SETTINGS) in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


def test_the_table_of_settings_is_what_the_models_declare() -> None:
    """`python -m parley.server.settings.setting_fields` writes it anew."""
    assert setting_fields.table() == TABLE.read_text(encoding="utf-8")
    assert list(SETTINGS.values()) == list(setting_fields.list_settings(Settings))


@pytest.mark.parametrize("name", SETTINGS)
def test_what_the_table_surely_takes_the_models_take(name: str) -> None:
    """Else a wrong value would pass where the models are not loaded."""
    setting = SETTINGS[name]
    taken = [value for value in VALUES if setting.surely_takes(value)]
    for value in taken:
        build_settings(Sources({name: GivenValue(value, name)}))

    assert setting.mapping or setting.surely_takes(other(setting)) or name == "preset"


def test_no_two_settings_share_a_flag_or_variable() -> None:
    """Dots and underscores both become dashes; names must stay apart all the same."""
    for names in ({s.flag for s in SETTINGS.values()}, {s.variable for s in SETTINGS.values()}):
        assert len(names) == len(SETTINGS)


def test_a_mapping_is_json_a_table_or_nothing(tmp_path: Path) -> None:
    """`note.agents` by flag, variable and file; names may hold dots."""
    file = tmp_path / "parley.toml"
    file.write_text('[note.agents."dr. who"]\nlimit = 9\npolicy = "off"\n')
    text = '{"dr. who": {"limit": 9, "policy": "off"}}'
    given = [
        resolve_defaults({}, {}, file),
        resolve_defaults({"note.agents": text}, {}),
        resolve_defaults({}, {"PARLEY_NOTE_AGENTS": text}),
    ]
    for settings in given:
        assert settings.opening() == AUTO | {
            "note": {"agents": {"dr. who": {"limit": 9, "policy": "off"}}}
        }
    assert resolve_defaults({}, environment(given[0])).model_dump() == given[0].model_dump()


@pytest.mark.parametrize("text", ["ana=2000", "[1]", '{"ana": 5}', '{"ana": {"limit": 0}}'])
def test_a_wrong_mapping_is_refused_by_its_name(text: str) -> None:
    """Text that is no JSON object, or one of another shape."""
    with pytest.raises(Misuse, match=r"^--note-agents.*it takes JSON object"):
        resolve_defaults({"note.agents": text}, {})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"gpt": {"input": 1}}', "gpt.output: Field required"),
        ('{"gpt": {"input": -1, "output": 2}}', "gpt.input: .*greater than or equal to 0"),
        ('{"gpt": {"input": 1, "output": 2, "cached": 5}}', "cached input must not cost more"),
        ('{"gpt": 5}', "gpt: .*it takes JSON object"),
        ("cheap", "it takes JSON object"),
    ],
)
def test_a_wrong_price_is_refused_in_a_line(text: str, reason: str) -> None:
    """The model and what is wrong with its price are named."""
    with pytest.raises(Misuse, match=rf"^--model-prices.*{reason}") as refused:
        resolve_defaults({"model_prices": text}, {})
    assert "\n" not in str(refused.value)


def test_a_child_process_knows_the_prices() -> None:
    """They pass through its variables as they were given."""
    given = resolve_defaults({"model_prices": '{"small": {"input": 1, "output": 2}}'}, {})
    variable = environment(given)["PARLEY_MODEL_PRICES"]
    assert (
        resolve_defaults({}, {"PARLEY_MODEL_PRICES": variable}).model_prices == given.model_prices
    )


def test_a_limit_that_is_not_set_is_empty() -> None:
    """`--budget-tokens ''` takes one away; a child process has none either."""
    limited = resolve_defaults({"budget.tokens": "500"}, {})
    assert limited.session.budget.tokens == 500
    assert resolve_defaults({"budget.tokens": ""}, {}).session.budget.tokens is None
    assert environment(resolve_defaults({}, {}))["PARLEY_BUDGET_TOKENS"] == ""
    with pytest.raises(Misuse, match=r"^--summary-interval: "):
        resolve_defaults({"summary.interval": ""}, {})


@pytest.mark.parametrize("text", ["1e3", "1e16", "true", " 5 ", "5.0", "1_000", "٥", "0x10"])
def test_a_whole_number_is_written_in_digits(text: str) -> None:
    """What another reader would take for something else is refused, with what is taken."""
    wanted = "it takes a whole number in digits, such as 12"
    with pytest.raises(Misuse, match=f"^--summary-interval: .*{wanted}"):
        resolve_defaults({"summary.interval": text}, {})
    with pytest.raises(Misuse, match=f"^PARLEY_SERVE_PORT: .*{wanted}"):
        resolve_defaults({}, {"PARLEY_SERVE_PORT": text})


@pytest.mark.parametrize("value", ["1e3", "true", '" 5 "', '"5.0"', "5.0"])
def test_a_file_has_a_whole_number_as_one(value: str, tmp_path: Path) -> None:
    """Without a point or an exponent."""
    file = tmp_path / "parley.toml"
    file.write_text(f"summary.interval = {value}\n")
    with pytest.raises(Misuse, match=r"^summary.interval \(.*it takes a whole number"):
        resolve_defaults({}, {}, file)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "true", " 5 ", "1_0"])
def test_a_number_is_finite(text: str, tmp_path: Path) -> None:
    """By variable and in the file."""
    with pytest.raises(Misuse, match=r"^PARLEY_DRAIN_SECONDS: .*it takes a number, such as 0\.5"):
        resolve_defaults({}, {"PARLEY_DRAIN_SECONDS": text})
    file = tmp_path / "parley.toml"
    for value in ("inf", "true", '" 5 "'):
        file.write_text(f"drain_seconds = {value}\n")
        with pytest.raises(Misuse, match=r"^drain_seconds \(.*it takes a number"):
            resolve_defaults({}, {}, file)


def test_numbers_as_people_write_them_are_taken() -> None:
    """With a sign or an exponent, where they need not be whole."""
    assert resolve_defaults({"summary.interval": "+6"}, {}).session.summary.interval == 6
    for text, value in (("1e1", 10), (".5", 0.5), ("2.", 2), ("+3", 3)):
        assert resolve_defaults({"drain_seconds": text}, {}).drain_seconds == value


def test_stop_rules_are_json_or_a_table(tmp_path: Path) -> None:
    """By flag, variable and file; given rules take the place of the default ones."""
    file = tmp_path / "parley.toml"
    file.write_text("stop = {any = [{turns = 5}, {quiescent = true}]}\n")
    text = '{"any": [{"turns": 5}, {"quiescent": true}]}'
    given = [
        resolve_defaults({}, {}, file),
        resolve_defaults({"stop": text}, {}),
        resolve_defaults({}, {"PARLEY_STOP": text}),
    ]
    for settings in given:
        tree = {"stop": {"any": [{"turns": 5}, {"quiescent": True}]}}
        assert settings.opening() == AUTO | tree
    assert resolve_defaults({}, environment(given[0])).model_dump() == given[0].model_dump()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("turns=5", "dictionary"),
        ('{"turnz": 5}', "nearest is 'turns'"),
        ('{"turns": "5"}', "whole number"),
        ('{"turns": 5, "hops": true}', "'any' or 'all'"),
    ],
)
def test_wrong_stop_rules_are_refused_in_a_line(text: str, reason: str) -> None:
    """What is wrong is named, and what it takes."""
    with pytest.raises(Misuse, match=rf"^--stop.*{reason}"):
        resolve_defaults({"stop": text}, {})


def test_a_preset_lies_under_what_was_set() -> None:
    """And above what a transcript says of itself."""
    settings = resolve_defaults({"preset": "assistant", "chair": ["Ada"]}, {})
    tree = settings.opening({"chair": ["Bo"], "bots": ["clock"]})
    assert tree["exchange"] == {"users": ["user"]}
    assert (tree["chair"], tree["bots"]) == (("Ada",), ["clock"])


def test_opening_twice_gives_the_same_tree() -> None:
    """Laying settings over a preset leaves the preset as it is."""
    first = resolve_defaults({"preset": "autobiographer", "routes.own": "off"}, {}).opening()
    again = resolve_defaults({"preset": "autobiographer"}, {}).opening()
    assert first["routes"]["own"] == "off"
    assert again["routes"]["own"] == "reflect"


@pytest.mark.parametrize(
    ("flags", "seconds"),
    [
        ({"model_url": "http://h/v1", "patience": "300"}, 600),
        ({"model_url": "http://h/v1", "patience": "300", "vote.seconds": "90"}, 90),
        ({"model_url": "http://h/v1"}, None),
        ({"patience": "300"}, None),
    ],
)
def test_a_slow_model_gives_votes_the_time_that_two_ballots_take(
    flags: dict[str, str], seconds: int | None
) -> None:
    """Unless the time of a vote was given, or no model is asked."""
    tree = resolve_defaults(flags, {}).opening()
    assert tree.get("vote", {}).get("seconds") == seconds

"""The secret that tokens are signed with: set, made once, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.server.basics.errors import Misuse
from parley.server.runtime import signing_secret
from parley.server.settings import Settings, resolve_defaults

LONG = "0123456789abcdef0123456789abcdef"


def settings(data: Path, **given: str) -> Settings:
    return resolve_defaults({"data": str(data / "new" / "place"), **given}, {})


def test_it_is_made_once_and_its_owners_alone(tmp_path: Path) -> None:
    """A second start, and whoever signs tokens, read the same one."""
    made = signing_secret.load_or_create(settings(tmp_path))
    assert made.source == "kept"
    assert len(made.secrets[0]) >= signing_secret.BYTES
    assert signing_secret.load_or_create(settings(tmp_path)) == made
    assert signing_secret.load(settings(tmp_path)) == made.secrets
    folder = tmp_path / "new" / "place"
    assert [file.name for file in folder.iterdir()] == [signing_secret.FILE]
    assert (folder / signing_secret.FILE).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_what_is_set_comes_first(tmp_path: Path) -> None:
    """The first of several signs; no file is made."""
    own = settings(tmp_path, **{"serve.secret": f"{LONG}, {LONG[::-1]}"})
    assert signing_secret.load_or_create(own) == signing_secret.SigningKeys(
        (LONG, LONG[::-1]), "set"
    )
    assert signing_secret.load(own) == (LONG, LONG[::-1])
    assert not list(tmp_path.iterdir())


def test_a_fake_server_forgets_it_too(tmp_path: Path) -> None:
    """What lives in memory alone leaves no file, and each start has another."""
    own = settings(tmp_path, embedded="fake")
    assert signing_secret.load_or_create(own) != signing_secret.load_or_create(own)
    assert not list(tmp_path.iterdir())


def test_others_reach_no_server_whose_secret_nobody_set(tmp_path: Path) -> None:
    """A secret that made itself is for this machine."""
    with pytest.raises(Misuse, match="PARLEY_SERVE_SECRET"):
        signing_secret.load_or_create(settings(tmp_path, **{"serve.host": "0.0.0.0"}))
    open_wide = settings(tmp_path, **{"serve.host": "0.0.0.0", "serve.secret": LONG})
    assert signing_secret.load_or_create(open_wide).source == "set"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_this_machine_is_known_by_its_addresses(host: str, tmp_path: Path) -> None:
    """All of the loopback's."""
    assert (
        signing_secret.load_or_create(settings(tmp_path, **{"serve.host": host})).source == "kept"
    )


def test_a_short_one_is_refused(tmp_path: Path) -> None:
    """Of several, any; neither the message nor the settings show it."""
    own = settings(tmp_path, **{"serve.secret": f"{LONG},sesame"})
    for read in (signing_secret.load_or_create, signing_secret.load):
        with pytest.raises(Misuse, match="less than 32 bytes") as refused:
            read(own)
        assert "sesame" not in str(refused.value)
    assert "sesame" not in repr(own)


def test_without_one_nobody_signs(tmp_path: Path) -> None:
    """`parley token` makes no secret of its own: a server that runs would not know it."""
    with pytest.raises(Misuse, match="parley serve"):
        signing_secret.load(settings(tmp_path))


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """Said with how to mend it."""
    signing_secret.load_or_create(settings(tmp_path))
    (tmp_path / "new" / "place" / signing_secret.FILE).chmod(0o640)
    with pytest.raises(Misuse, match="chmod 600"):
        signing_secret.load_or_create(settings(tmp_path))

"""Exports come packed: what is in them is read, whatever they claim of themselves."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from parley.server.basics.errors import Failure
from parley.server.transcripts import Transcript, read_transcript
from parley.server.transcripts.sources import transcript_files
from tests.server.transcripts import export_samples
from tests.server.transcripts.samples import SAMPLES

CHAT = b"[03.05.24, 09:01:00] Ana: I propose beans.\n[03.05.24, 09:02:00] Bo: +1\n"


def packed(files: dict[str, bytes], how: str = "w:gz") -> bytes:
    out = io.BytesIO()
    if how == "zip":
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode=how) as tar:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def read(tmp_path: Path, name: str, data: bytes) -> Transcript:
    (tmp_path / name).write_bytes(data)
    return read_transcript(tmp_path / name)


HOWS = [("w:gz", "e.tar.gz"), ("w:gz", "e.tgz"), ("w", "e.tar"), ("zip", "e.zip")]


@pytest.mark.parametrize(("how", "name"), HOWS)
def test_an_export_of_zulip_is_read_as_it_is_packed(tmp_path: Path, how: str, name: str) -> None:
    files = {f"zulip-export/{path}": json.dumps(tree).encode()
             for path, tree in export_samples.ZULIP_EXPORT.items()}  # fmt: skip
    transcript = read(tmp_path, name, packed({**files, "zulip-export/avatars/1.png": b"x"}, how))
    assert transcript.format == "zulip"
    assert transcript.speakers


@pytest.mark.parametrize(("how", "name"), HOWS)
@pytest.mark.parametrize("sample", ["chatgpt", "claude", "telegram"])
def test_the_talk_of_an_export_is_found_among_its_files(
    tmp_path: Path, how: str, name: str, sample: str
) -> None:
    path = "result.json" if sample == "telegram" else "conversations.json"
    files = {f"export/{path}": SAMPLES[sample][1], "export/users.json": b"[]",
             "export/chat.html": b"<p>"}  # fmt: skip
    transcript = read(tmp_path, name, packed(files, how))
    assert transcript.format == sample
    assert f"export/{path} was read; 2 files beside it were not" in transcript.notes


@pytest.mark.parametrize(("how", "name"), HOWS)
def test_a_chat_is_read_beside_its_pictures(tmp_path: Path, how: str, name: str) -> None:
    files = {"_chat.txt": CHAT, "1-PHOTO.jpg": b"\xff\xd8\xff", "2-AUDIO.opus": b"Ogg"}
    transcript = read(tmp_path, name, packed(files, how))
    assert (transcript.format, transcript.speakers) == ("whatsapp", ["Ana", "Bo"])


def test_a_packed_file_is_that_file(tmp_path: Path) -> None:
    assert read(tmp_path, "c.txt.gz", gzip.compress(CHAT)).format == "whatsapp"


def test_links_devices_and_paths_lead_nowhere(tmp_path: Path) -> None:
    """Nothing is written, and nothing outside of the archive is read."""
    (tmp_path / "secret.json").write_bytes(SAMPLES["discord"][1])
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            link = tarfile.TarInfo(f"{kind.decode()}.json")
            link.type, link.linkname = kind, str(tmp_path / "secret.json")
            tar.addfile(link)
        member = tarfile.TarInfo("../../out.txt")
        member.size = len(CHAT)
        tar.addfile(member, io.BytesIO(CHAT))
    assert read(tmp_path, "e.tgz", out.getvalue()).speakers == ["Ana", "Bo"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["e.tgz", "secret.json"]


@pytest.mark.parametrize("name", ["a.json", "a.png"])
def test_an_archive_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whether it unpacks to a text or to what is passed over."""
    monkeypatch.setattr(transcript_files, "MAX_BYTES", 100_000)
    monkeypatch.setattr(transcript_files, "_MAX_PASSED", 200_000)
    with pytest.raises(Failure, match="MiB"):
        read(tmp_path, "e.tgz", packed({name: bytes(400_000), "b.json": b"[]"}))
    with pytest.raises(Failure, match="MiB"):
        read(tmp_path, "e.gz", gzip.compress(bytes(400_000)))


@pytest.mark.parametrize("how", ["w:gz", "w"])
def test_a_cut_or_broken_archive_is_refused(tmp_path: Path, how: str) -> None:
    whole = packed({"a.json": SAMPLES["discord"][1] * 20, "b.json": b"[]"}, how)
    for cut in (520, len(whole) // 3, len(whole) // 2):
        with pytest.raises(Failure, match=r"archive|fits no format"):
            read(tmp_path, "e.tgz", whole[:cut])

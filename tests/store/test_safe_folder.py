"""SafeFolder with open folders and without (as where the system has none): the same answers."""

import os
import sys
from pathlib import Path

import pytest

from corpuskit import safe_folder
from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder, split_path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture(params=[True, False], ids=["by handle", "by name"])
def folder(request, tmp_path, monkeypatch):
    if request.param and not safe_folder._HAS_DIR_FD:
        pytest.skip("this system has no open folders")
    monkeypatch.setattr(safe_folder, "_HAS_DIR_FD", request.param)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    (tmp_path / "in" / "room").mkdir(parents=True)
    (tmp_path / "in" / "file").symlink_to(tmp_path / "outside" / "secret")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(tmp_path / "in" / "pipe")
    return SafeFolder(tmp_path / "in")


def test_what_is_written_is_read_back_and_removed(folder):
    folder.write("room/a/b", b"content")
    assert folder.read("room/a/b") == b"content"
    assert sorted(folder.walk()) == ["room/a/b"]
    folder.rename("room/a/b", "room/c/d")
    assert (folder.exists("room/a/b"), folder.exists("room/c/d")) == (False, True)
    assert folder.remove("room/c/d")
    assert not folder.remove("room/c/d")


ACTS = {
    "read": lambda f, name: f.read(name),
    "open": lambda f, name: f.open(name, "r+b"),
    "append": lambda f, name: f.open(name, "ab"),
    "write": lambda f, name: f.write(name, b"new"),
    "/": lambda f, name: f / name,
    "stat": lambda f, name: f.stat(name),
}


@pytest.mark.parametrize(
    "name",
    ["file", "folder/secret", "folder/new", "pipe", "pipe/x", "room/../../outside/secret", "/etc/passwd", "a\\..\\b"],
)
@pytest.mark.parametrize("act", ACTS)
def test_nothing_leads_out(folder, tmp_path, act, name):
    with pytest.raises(CorpusError):
        ACTS[act](folder, name)
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["secret"]
    assert (tmp_path / "outside" / "secret").read_text() == "secret"


def test_a_link_is_removed_and_what_it_points_to_stays(folder, tmp_path):
    assert folder.remove("file")
    assert (tmp_path / "outside" / "secret").exists()
    (tmp_path / "in" / "room" / "link").symlink_to(tmp_path / "outside")
    folder.remove_folder("room")
    assert (tmp_path / "outside" / "secret").exists()
    with pytest.raises(CorpusError):
        folder.remove_folder("folder")


def test_links_are_followed_where_the_user_says_so(folder, tmp_path):
    own = SafeFolder(folder.root, follow=True)
    assert own.read("folder/secret") == b"secret"
    own.write("folder/new", b"new")
    assert (tmp_path / "outside" / "new").read_bytes() == b"new"
    with pytest.raises(CorpusError):
        own.read("pipe")


def test_sizes_are_limited(folder):
    folder.write("room/a", b"12345")
    assert folder.read("room/a", 5) == b"12345"
    with pytest.raises(CorpusError, match="5 bytes, the limit is 4"):
        folder.read("room/a", 4)


def test_a_write_that_fails_leaves_the_old_file_and_no_other(folder):
    folder.write("room/a", b"old")
    with pytest.raises(ZeroDivisionError), folder.atomic_write("room/a") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert (folder.read("room/a"), folder.subfolder("room").file_names()) == (b"old", ["a"])


def test_no_handle_stays_open(folder):
    before = len(list(Path("/proc/self/fd").iterdir()))
    for name in ("room/a", "file", "pipe", "folder/x", "none/x"):
        for act in ACTS.values():
            try:
                found = act(folder, name)
                getattr(found, "close", lambda: None)()
            except (CorpusError, OSError):
                pass
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("name", ["..", "a/..", "a//b", "/a", "a/", ".", "a\0b", "a\\b", "/".join("a" * 51)])
def test_names_that_are_none_below_a_folder(name):
    with pytest.raises(CorpusError):
        split_path(name)

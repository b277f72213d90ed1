"""Each hostile layout of a corpus against what can be done with a corpus: nothing outside is touched, nothing hangs.

All cells: ``python benchmarks/robustness/hostile_corpora.py``; here each layout meets some of the acts in turn.
"""

import ast
import os
import subprocess
import sys
import zlib
from pathlib import Path

import hostile_corpora as hostile
import pytest
from corpuskit_docs.public import corpus_methods

import corpuskit
from corpuskit.corpus import Corpus

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
ROOMS = Path(corpuskit.__file__).parent


def test_every_public_method_of_a_corpus_has_a_row():
    own = {name for part in Corpus.__mro__ if part.__module__.startswith("corpuskit") for name in vars(part)}
    public = {"path", "queries.__call__", "subcorpora.__call__", *corpus_methods()}
    public |= {name for name in own if name.startswith("__") and callable(getattr(Corpus, name))}
    public -= {"__init__", "__init_subclass__", "__exit__", "__getattr__", "__dir__"}  # __enter__ ends with __exit__
    assert public == set(hostile.METHODS)


def test_every_command_has_a_row():
    import typer

    from corpuskit.cli.commands import app

    def names(group, above=""):
        for name, command in group.commands.items():
            yield from names(command, f"{name} ") if hasattr(command, "commands") else [above + name]

    assert set(names(typer.main.get_command(app))) == set(hostile.COMMANDS) | set(hostile.NOT_OF_A_CORPUS)


SLOW = {"crawl", "train", "relevance_report", "export_fasttext", "preprocess", "label", "prelabel", "audit", "repair", "add", "export", "page",
        "next_to_label", "browse", "map", "concordance", "check"}  # fmt: skip


def _in_turn(layout, act):
    """Quick acts meet two layouts, slow ones and commands one, the same in every run; hostile.py without arguments tries all."""
    is_slow = act in SLOW or act.startswith("corpuskit ")
    apart = len(hostile.LAYOUTS) if is_slow else len(hostile.LAYOUTS) // 2
    return (list(hostile.LAYOUTS).index(layout) + zlib.crc32(act.encode())) % apart == 0


@posix
@pytest.mark.timeout(900)
@pytest.mark.slow
def test_nothing_outside_is_read_written_made_or_deleted(tmp_path):
    cells, wrong, _ = hostile.run_matrix(tmp_path, hostile.LAYOUTS, _in_turn)
    assert wrong == []
    assert cells == sum(_in_turn(layout, act) for layout in hostile.LAYOUTS for act in hostile.ACTS)


@pytest.mark.slow
def test_a_watched_folder_tells_what_is_done_in_it(tmp_path):
    """A matrix that sees nothing would pass."""
    template = hostile.make_template(tmp_path / "template")
    outside = hostile.Outside(tmp_path / "outside", template)
    assert outside.touched() == []
    (tmp_path / "outside" / "new").write_text("x")
    (tmp_path / "outside" / "x.toml").unlink()
    (tmp_path / "outside" / "x.csv").write_text("y")
    assert outside.touched() == ["changed new", "changed x.csv", "changed x.toml"]
    (tmp_path / "outside" / "secret.html").read_bytes()
    read = outside.touched()
    if not read:
        pytest.skip("this file system does not note reads")
    assert read == ["read secret.html"]


@posix
@pytest.mark.timeout(900)
@pytest.mark.slow
def test_some_hundred_random_corpora_touch_nothing_outside():
    # A process of its own: it forks, and a fork of one with threads can hang.
    command = [
        sys.executable,
        str(Path(hostile.__file__).with_name("fuzz_corpus.py")),
        "--cases",
        "200",
        "--seed",
        "1000000",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "200 cases: 0 went wrong"), done.stdout + done.stderr


# What makes a path of a corpus: the attributes that are folders of one.
FOLDERS = {"path", "documents", "originals", "elements", "models", "root"}
OPENING = {"open", "read_bytes", "read_text", "write_bytes", "write_text", "unlink", "rename", "rmdir", "mkdir", "touch", "glob", "rglob", "iterdir",
           "symlink_to", "hardlink_to", "rmtree", "copytree", "copy2", "copyfile"}  # fmt: skip
# Who may: the one place, the packs (whose paths it has looked at), and the empty folders that packing leaves.
EXCEPT = {"safe_folder.py", "store/packs.py"}


def _joins(tree):
    """Lines that put together a path of a corpus by hand, or open an SQLite file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.left, ast.Attribute):
            of = ast.unparse(node.left.value)
            if node.left.attr == "path" and of.split(".")[-1].lstrip("_") in {"folder", "corpus", *FOLDERS}:
                yield node.lineno, ast.unparse(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = ast.unparse(node.func)
            if called == "sqlite3.connect" and ":memory:" not in ast.unparse(node):
                yield node.lineno, called
            if node.func.attr == "joinpath" and ast.unparse(node.func.value).endswith(("folder.path", "corpus.path")):
                yield node.lineno, called


def _opens(tree):
    """Lines of the store that open, make or remove something by its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            of = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else "builtins"
            through = of.split(".")[-1].lstrip("_").split("(")[0] in {
                "folder", "root", "documents", "originals", "elements", "models", "corpus", "source", "target", "state_dir", "partial", "subfolder", "target_folder",
            }  # fmt: skip
            if name in OPENING and not through:
                yield node.lineno, ast.unparse(node.func)


@pytest.mark.slow
def test_no_other_room_puts_together_a_path_of_a_corpus():
    found = []
    for file in sorted(ROOMS.rglob("*.py")):
        name = file.relative_to(ROOMS).as_posix()
        if name in EXCEPT:
            continue
        tree = ast.parse(file.read_text("utf-8"))
        lines = list(_joins(tree))
        if name.startswith("store/"):
            lines += _opens(tree)
        found += [f"{name}:{line} {what}" for line, what in lines]
    assert [line.partition(":")[0] + line.partition(" ")[1] + line.partition(" ")[2] for line in found] == [
        "store/backup.py path.parent.mkdir",  # the folder of a backup, which the user has named
        "store/database.py sqlite3.connect",  # the one place that opens SQLite files
        "store/documents.py file.parent.mkdir",  # a file that the user has named
        "store/folder.py self.path.mkdir",  # the corpus itself is made
        "store/folder.py self.path.iterdir",
        "store/pack_commands.py os.rmdir",  # of what os.walk found, which follows no links
        "store/pack_commands.py file.unlink",  # a pack that was looked at
    ]


def test_the_look_for_paths_sees_them():
    """A rule that finds nothing would pass."""
    code = "folder.path / 'x'\nself._folder.path / name\nsqlite3.connect(file)\nfile.read_bytes()\nopen(name)\nfolder.open(name)"
    tree = ast.parse(code)
    assert [line for line, _ in _joins(tree)] == [1, 2, 3]
    assert [line for line, _ in _opens(tree)] == [4, 5]

"""The recipes of CONTRIBUTING.md: each file, put where it says, is found without a change to another one."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

import corpuskit as ck
from corpuskit.cli.app import app
from corpuskit.export.writers import FORMATS
from corpuskit.extraction.extractors import EXTRACTORS
from corpuskit.plugins import import_all
from corpuskit.preprocessing.step_definition import STEPS
from corpuskit.sources.container import READERS

ROOT = Path(ck.__file__).parent
PAGE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf-8")
FILES = dict(re.findall(r"```python\n# (corpuskit/\S+\.py)\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Puts the file of a recipe into its package, for this test."""
    for path in FILES:  # what a module brings it brings once: before the tables are copied
        import_all(str(Path(path).parent).replace("/", "."))
    tables = [FORMATS, EXTRACTORS, STEPS, READERS]
    before, commands = [dict(table) for table in tables], list(app.registered_commands)

    def add(path):
        package, name = path.removesuffix(".py").replace("/", ".").rsplit(".", 1)
        (tmp_path / "room").mkdir()
        (tmp_path / "room" / f"{name}.py").write_text(FILES[path], "utf-8")
        room = importlib.import_module(package)
        monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path / "room")])
        monkeypatch.delitem(sys.modules, f"{package}.{name}", raising=False)
        import_all.cache_clear()
        return f"{package}.{name}"

    yield add
    for table, old in zip(tables, before, strict=True):
        table.clear()
        table.update(old)
    app.registered_commands[:] = commands
    typer.main.get_command.cache_clear()
    import_all.cache_clear()


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Who pays? And when?", "utf-8")
    corpus = ck.open(tmp_path / "corpus")
    corpus.add(tmp_path / "notes", progress=False)
    yield corpus
    corpus.close()


def test_there_is_a_recipe_for_each_thing_that_is_often_added():
    assert [str(Path(path).parent) for path in FILES] == [
        "corpuskit/extraction", "corpuskit/export/formats", "corpuskit/preprocessing/steps", "corpuskit/views",
        "corpuskit/cli", "corpuskit/sources/containers",
    ]  # fmt: skip


def test_the_files_on_the_five_ways_are_there():
    ways = PAGE.partition("## Five ways")[2].partition("## Recipes")[0]
    named = re.findall(r"`([a-z_/]+(?:\.py|/))`", ways)
    assert len(named) > 25
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.slow
def test_the_recipe_of_an_extractor(added):
    added("corpuskit/extraction/subrip.py")
    film = b"1\n00:00:01,000 --> 00:00:02,000\nGood morning.\n\n2\n00:00:03,000 --> 00:00:04,000\nTea?\n"
    assert ck.extract(film, media_type="application/x-subrip").to_text() == "Good morning.\nTea?"


def test_the_recipe_of_an_export_format(added, corpus, tmp_path):
    added("corpuskit/export/formats/uris.py")
    corpus.export(tmp_path / "out", format="uris", progress=False)
    assert (tmp_path / "out" / "uris.txt").read_text("utf-8") == "notes/a.txt\n"
    assert "the URI of each document" in (tmp_path / "out" / "README.md").read_text("utf-8")


def test_the_recipe_of_a_step(added, corpus):
    added("corpuskit/preprocessing/steps/questions.py")
    assert corpus.preprocess("questions", progress=False).frame["questions"].tolist() == [2]


def test_the_recipe_of_a_chart(added, corpus):
    chart = importlib.import_module(added("corpuskit/views/chart_of_media_types.py"))
    ax = chart.media_types(corpus.documents())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["text/plain"]
    assert [bar.get_width() for bar in ax.patches] == [1]


def test_the_recipe_of_a_command(added, corpus):
    added("corpuskit/cli/counting.py")
    import_all("corpuskit.cli")
    typer.main.get_command.cache_clear()
    assert CliRunner().invoke(app, ["count", str(corpus.path)]).stdout == "1\n"


def test_the_recipe_of_a_source(added, corpus, tmp_path):
    added("corpuskit/sources/containers/har.py")
    page = {"size": 40, "text": "<h1>Rates</h1><p>3 % a year.</p>", "mimeType": "text/html"}
    entries = [{"request": {"url": "https://a.example/"}, "response": {"content": page}}]
    (tmp_path / "session.har").write_text(json.dumps({"log": {"entries": entries}}), "utf-8")
    corpus.add(tmp_path / "session.har", progress=False)
    assert corpus["https://a.example/"].to_text() == "Rates\n3 % a year."

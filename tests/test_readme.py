"""What README.md and the page of commands say is run."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpuskit.cli.commands import app

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMAND_PAGE = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert "8 new" in capsys.readouterr().out
    assert (tmp_path / "insurance-export" / "manifest.json").exists()


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 150


def test_the_readme_leads_to_the_commands():
    assert "(docs/reference/commands.md)" in README


COMMANDS = re.findall(r"^\| `corpuskit ([a-z]+)", COMMAND_PAGE, re.MULTILINE)


def test_every_command_stands_in_the_manual():
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert sorted(COMMANDS) == sorted(commands + [group.name for group in app.registered_groups])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_commands_help_says_what_the_manual_says(command):
    result = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code == 0
    (row,) = [line for line in COMMAND_PAGE.splitlines() if re.match(rf"\| `corpuskit {command}\b", line)]
    said = re.split(r"[;:]", row.split("|")[2])[0]
    # The manual says "shows", the help "Show".
    help_words = {word.removesuffix("s") for word in re.findall(r"\w+", result.output.lower())}
    words = [word.removesuffix("s") for word in re.findall(r"\w+", said.lower()) if len(word) > 3]
    assert sum(word in help_words for word in words) >= 0.6 * len(words), (said, result.output)


def test_every_notebook_stands_in_the_readme():
    named = set(re.findall(r"`(notebooks/\w+\.ipynb)`", README))
    assert named == {f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")}


@pytest.mark.slow
def test_no_file_names_a_machine_or_a_registry():
    wrong = re.compile(r"/work/|/root/|files\.pythonhosted|pypi\.org/simple", re.IGNORECASE)
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in ("corpuskit", "tests", "notebooks", ".ci", "data")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md", ".toml", ".ipynb", ".js", ".css", ".csv", ".txt", ""} and path.is_file()
        and path != Path(__file__) and "nlptext/invalid" not in path.as_posix() and wrong.search(path.read_text("utf-8", "replace"))
    ]  # fmt: skip
    assert found == []

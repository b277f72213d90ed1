"""The Python and the commands on the pages of the manual, in README.md and CONTRIBUTING.md, run; docs/README.md says how they are written."""

import ast
import contextlib
import io
import re
import shlex
import shutil
import sys
from pathlib import Path
from unittest import SkipTest, mock

import pytest
from sybil import Region
from sybil.document import Document
from sybil.example import NotEvaluated
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser

import corpuskit
from corpuskit.cli import main
from corpuskit.demo import crawl_options, seeds

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if page != ROOT / "docs/README.md"),
]
COMMAND = re.compile(r"\$ (?:python -m )?corpuskit\b(?P<arguments>.*?)(?:\s+# exit code (?P<code>\d+))?")
SKIPS = re.compile(r"^<!-- skip: (?P<what>.*?) -->$", re.MULTILINE)


NUMBER = re.compile(r"\d(?:[\d.,:]*\d)?")


def run_commands(example):
    """Run the lines of a block that are commands of ours, and compare the others with what they print."""
    for part in re.split(r"^(?=\$ )", example.parsed.replace("\\\n", " "), flags=re.MULTILINE):
        line, _, shown = part.partition("\n")
        if typed := COMMAND.fullmatch(line):
            code, printed = run_command(shlex.split(typed["arguments"]))
            assert code == int(typed["code"] or 0), f"{line}\nexit code {code}\n{printed}"
            if shown.strip():
                assert is_printed(shown, printed), f"{line}\nprints:\n{printed}"


def is_printed(shown, printed):
    """Tell whether lines of a page are what was printed: numbers aside, and ``...`` for any lines."""
    masked = [NUMBER.sub("0", " ".join(line.split())) for line in shown.rstrip().splitlines()]
    wanted = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in masked)
    there = "".join(f"{NUMBER.sub('0', ' '.join(line.split()))}\n" for line in printed.rstrip().splitlines())
    return re.fullmatch(wanted, there) is not None


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("73 documents, 21,092 words\nno problems  found\n", True),
        ("8 documents, 1.5 words\n...\n", True),
        ("...\nno problems found\n", True),
        ("73 documents, 21,092 words\n", False),
        ("73 pages, 21,092 words\nno problems found\n", False),
    ],
)
def test_output_is_compared_but_for_its_numbers(shown, same):
    assert is_printed(shown, "74 documents, 21,100 words\nno problems found\n") is same


def run_command(arguments):
    printed = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["corpuskit", *arguments]),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        try:
            main()
        except SystemExit as ended:
            return ended.code or 0, printed.getvalue()
    return 0, printed.getvalue()


def hidden(document):
    """``<!-- run: CODE -->``: Python that the reader does not see."""
    for found in re.finditer(r"^<!-- run: (.*) -->$", document.text, re.MULTILINE):
        yield Region(found.start(), found.end(), found[1], lambda example: exec(example.parsed, example.namespace))


def examples(page):
    parsers = PythonCodeBlockParser(), CodeBlockParser("console", run_commands), SkipParser(), hidden
    return Document.parse(str(page), *parsers).examples()


def pages_with_code():
    """Pages with code; README and tutorial are in the fast tier."""
    for page in PAGES:
        if re.search(r"^(```(python|console)|<!-- run: )", page.read_text("utf-8"), re.MULTILINE):
            is_fast = page.name == "README.md" or page.parent.name == "tutorial"
            name = page.relative_to(ROOT).as_posix()
            yield pytest.param(page, id=name, marks=[] if is_fast else pytest.mark.slow)


@pytest.mark.parametrize("page", list(pages_with_code()))
def test_the_code_of_a_page_runs(page, desk, demo_proxy, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    names = {"ck": corpuskit, "seeds": seeds(), "web": crawl_options(demo_proxy)}
    if page.name == "README.md":
        shutil.rmtree(desk / "insurance")
    else:
        names["corpus"] = corpuskit.open("insurance")
    with contextlib.ExitStack() as end:
        for example in examples(page):
            example.namespace.update({name: value for name, value in names.items() if name not in example.namespace})
            with contextlib.suppress(SkipTest):
                try:
                    example.evaluate()
                except NotEvaluated:
                    pytest.fail(f"{page.name}, line {example.line}: skipped without a reason")
                except Exception as error:
                    error.add_note(f"in {page.relative_to(ROOT)}, the block at line {example.line}")
                    raise
        for value in example.namespace.values():
            if isinstance(value, corpuskit.corpus.Corpus):
                end.callback(value.close)


def skip_findings(page):
    """Yield skips of more than the next block, and those without a reason."""
    for found in SKIPS.finditer(page.read_text("utf-8")):
        action, _, reason = found["what"].partition(" ")
        if action != "next" or len(str(ast.literal_eval(reason)).split()) < 2:
            yield f"{page.name}: skip: {found['what']}"


def width_findings(page):
    """Yield lines of code of the manual that need scrolling: a column shows 88 characters in a window of 1,280 pixels."""
    code = r"^```(?:python|console|text|toml|json|xml|csv)\n(.*?)^```"
    for block in re.findall(code, page.read_text("utf-8"), re.M | re.S):
        yield from (f"{page.name}: {line}" for line in block.splitlines() if len(line) > 88)


@pytest.mark.parametrize(
    ("rule", "pages"), [(skip_findings, PAGES), (width_findings, [page for page in PAGES if "docs" in page.parts])]
)
def test_code_blocks_follow_the_rules(rule, pages):
    assert [finding for page in pages for finding in rule(page)] == []

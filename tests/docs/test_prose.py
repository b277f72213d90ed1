"""The prose for readers: what proselint finds, and phrases that are no idiom of the field."""

import itertools
import re
from pathlib import Path

import pytest
from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts),
]
# Typography is a matter of the theme; the others take terms of the field for something else.
OFF = {"typography", "annotations", "restricted"}
CHECKS = {"max_errors": 1000, "checks": {name: on and name not in OFF for name, on in DEFAULT["checks"].items()}}
NO_IDIOM = {
    r"[Gg]ives? how many": "say: the number of",
    r"[Tt]ells? what lacks": "say: what is missing",
    r"[Tt]ell(?:s|ing)? (?:what|how|which|whether)": "say: says, shows, reports",
    r"is left as it is": "say: does not change",
    r"\bas it lacks\b|\bwhat lacks\b|\bthat lack\b": "say: missing",
    r"\binformations\b|\bsoftwares\b|\bevidences\b|\badvices\b": "no plural",
    r"\ballows? to\b|\benables? to\b|\bpermits? to\b": "say: lets you, allows ...ing",
    r"\bthe the\b|\bof of\b|\bto to\b|\bin in\b|\ba a\b|\band and\b": "a word twice",
    r"\be\.g\. etc\b|\betc\.\.\.": "one of them",
}


@pytest.fixture(scope="module", autouse=True)
def checks():
    CheckRegistry().register_many(__register__)


def prose(page):
    """The page with its code, links and tables' rules taken out, lines kept."""
    # A paragraph that begins with a word of its heading says nothing twice.
    text = re.sub(r"^#+ .*$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    text = re.sub(
        r"^(```+|~~~+).*?^\1$", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL
    )
    number = itertools.count()  # two codes are two words: "have CODE have CODE" would be a phrase said twice
    text = re.sub(r"`[^`\n]*`", lambda code: f"CODE{next(number)}", text)
    return re.sub(r"\]\([^)\n]*\)|<[^>\n]*>|^% .*$", "", text, flags=re.MULTILINE)


def proselint_findings(page):
    found = LintFile(source=page.name, content=prose(page)).lint(CHECKS)
    # The headings of the command reference end with the verb that begins the next sentence: "corpuskit add", "Add files".
    return [
        f"line {one.pos[0] - 1}: {one.check_result.check_path}: {one.check_result.message}"
        for one in found
        if page.name != "commands.md" or "lexical_illusions" not in one.check_result.check_path
    ]


def idiom_findings(page):
    return [
        f"line {number}: {match[0]!r}: {advice}"
        for number, line in enumerate(prose(page).splitlines(), 1)
        for phrase, advice in NO_IDIOM.items()
        for match in re.finditer(phrase, line)
    ]


@pytest.mark.parametrize("rule", [proselint_findings, idiom_findings])
def test_prose_follows_the_rules(rule):
    assert {page.relative_to(ROOT).as_posix(): found for page in PAGES if (found := rule(page))} == {}

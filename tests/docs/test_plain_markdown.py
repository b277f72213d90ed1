"""The pages of the manual read on GitHub: rendered as CommonMark they show no markup of the manual's builder."""

import re
from pathlib import Path

import pytest
from corpuskit_docs.plain_markdown import generated, with_directives
from lxml import html
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts),
]


def findings(page):
    """Yield what a reader on GitHub sees and should not, and links without text."""
    text = MarkdownIt("commonmark").enable("table").render(page.read_text("utf-8"))
    root = html.fromstring(f"<div>{text}</div>")
    for link in root.iter("a"):
        if not link.text_content().strip() and not link.xpath(".//img"):
            yield f"link without text: {link.get('href')}"
    for image in root.iter("img"):
        if not (page.parent / image.get("src")).is_file():
            yield f"no picture {image.get('src')}"
    for block in root.iter("code"):
        if (block.get("class") or "").startswith("language-{"):
            yield f"directive {block.get('class')}"
            block.text = ""
    for code in root.xpath("//code | //pre"):
        code.drop_tree()
    for line in root.text_content().splitlines():
        if re.match(r"% |:::|```", line) or re.search(r"\{[a-z:-]+\}`", line):
            yield f"markup: {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_plain_commonmark(page):
    assert list(findings(page)) == []


@pytest.mark.feature("archives", "compat", "linguistics", "vectors")
def test_the_generated_parts_are_those_that_build_docs_writes():
    stale = [
        page.relative_to(ROOT).as_posix()
        for page in PAGES
        if generated(page.read_text("utf-8")) != page.read_text("utf-8")
    ]
    assert stale == [], "uv run --group docs build-docs writes them"


def test_the_built_manual_has_directives_in_the_place_of_comments():
    page = (
        "<!-- generated: settings -->\n\n| x |\n\n<!-- /generated -->\n\n<!-- build: toctree\n:hidden:\n\na\n-->\n\n"
        "![A card](card-light.png)\n"
    )
    text = with_directives(page)
    assert "```{settings}\n" in text
    assert "| x |" not in text
    assert "```{toctree}\n:hidden:\n\na\n```" in text
    assert re.findall(r"\{image\} (\S+)", text) == ["card-light.png", "card-dark.png"]

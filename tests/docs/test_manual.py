"""The manual is built whole: every public name is in it, each link leads somewhere, nothing comes from elsewhere."""

import re
import typing
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from corpuskit_docs.public import accessors, corpus_methods, public_modules
from lxml import html

from corpuskit.corpus import Corpus

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("manual")]  # builds the manual
ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def pages(manual):
    return {page.relative_to(manual).as_posix(): html.parse(str(page)).getroot() for page in manual.rglob("*.html")}


@pytest.fixture(scope="module")
def documented(pages):
    """The names that the reference has an entry for."""
    return {entry.get("id") for page in pages.values() for entry in page.iter("dt") if entry.get("id")}


def test_every_public_name_is_in_the_reference(documented):
    public = {f"{module.__name__}.{name}" for module in public_modules() for name in module.__all__}
    assert len(public) > 250
    assert public - documented == set()


def test_every_method_of_a_corpus_is_in_the_reference(documented):
    classes = {"": Corpus, **accessors()}
    methods = set()
    for name in corpus_methods():
        attribute, _, method = name.rpartition(".")
        methods.add(f"{classes[attribute].__module__}.{classes[attribute].__name__}.{method}")
    assert methods - documented == set()


def test_every_result_of_a_corpus_is_in_the_reference(documented):
    names = {name.rpartition(".")[2] for name in documented}
    for name, method in corpus_methods().items():
        for part in re.findall(r"\b[A-Z]\w+", str(method.__annotations__.get("return", ""))):
            assert part in names | {"DataFrame", "None"} or hasattr(typing, part), f"Corpus.{name} returns {part}"


def test_every_command_with_every_option_is_in_the_reference(pages):
    from typer.main import get_command

    from corpuskit.cli.commands import app

    said = pages["reference/commands.html"].text_content()
    for name, command in get_command(app).commands.items():
        assert f"corpuskit {name}" in said
        for parameter in command.params:
            assert parameter.hidden or all(option in said for option in parameter.opts if option.startswith("-"))


def test_every_setting_has_its_meaning_in_the_reference(pages):
    import dataclasses

    from corpuskit.extraction import ExtractOptions
    from corpuskit.store.settings import CrawlSettings, LabelSettings, PdfSettings, Settings

    rows = [[cell.text_content() for cell in row] for row in pages["reference/settings.html"].iter("tr")]
    said = {row[0]: row[2] for row in rows}
    for kind in (Settings, CrawlSettings, LabelSettings, PdfSettings, ExtractOptions):
        for field in dataclasses.fields(kind):
            value = getattr(kind(), field.name)
            if not dataclasses.is_dataclass(value) and not isinstance(value, dict):
                assert len(said[field.name]) > 5, f"{kind.__name__}.{field.name}"


def test_every_link_within_the_manual_leads_to_its_place(manual, pages):
    anchors = {
        name: {element.get("id") for element in page.iter() if element.get("id")} for name, page in pages.items()
    }
    wrong = []
    for name, page in pages.items():
        for link in page.iter("a"):
            url = urlsplit(link.get("href") or "")
            if url.scheme:
                continue
            file = ((manual / name).parent / unquote(url.path)).resolve() if url.path else manual.resolve() / name
            there = anchors.get(file.relative_to(manual.resolve()).as_posix(), set())
            if not file.is_file() or (url.fragment and unquote(url.fragment) not in there):
                wrong.append(f"{name}: {link.get('href')}")
    assert len(pages) > 40
    assert wrong == []


def test_a_page_asks_for_nothing_from_elsewhere(pages):
    asked = [
        (name, value)
        for name, page in pages.items()
        for element in page.iter("script", "link", "img", "source", "iframe", "video", "form")
        for key in ("src", "href", "srcset", "action")
        if (value := element.get(key)) and (urlsplit(value).scheme or urlsplit(value).netloc)
        and element.get("rel") != "canonical" and not value.startswith("data:")
    ]  # fmt: skip
    assert asked == []


def test_every_page_of_the_manual_is_in_a_table_of_contents(pages):
    sources = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")} - {Path("README.md")}
    assert {source.with_suffix(".html").as_posix() for source in sources} - set(pages) == set()

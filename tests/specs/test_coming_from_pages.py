"""The guide for users of other systems names each of their options, and names no option of ours that is not there."""

import inspect
import re
from pathlib import Path

import pytest

from corpuskit.crawl import CrawlOptions
from corpuskit.extraction import ExtractOptions

DOCS = Path(__file__).resolve().parents[2] / "docs" / "coming-from"
PAGES = {"Trafilatura": "trafilatura.md", "The Language Resource Extractor": "nlptextdoc.md"}


def section(title):
    """Return the complete list at the end of a page."""
    return (DOCS / PAGES[title]).read_text("utf-8").partition("\n## Every ")[2]


def firsts(title):
    """What stands in the first cells of a section's tables."""
    return "\n".join(line.split("|")[1] for line in section(title).splitlines() if line.startswith("|"))


def test_each_switch_of_trafilatura_has_a_counterpart_or_a_reason():
    import trafilatura.cli

    source = Path(trafilatura.cli.__file__).read_text("utf-8")
    switches = set(re.findall(r'"(--?[A-Za-z][A-Za-z-]*)"', source))
    assert len(switches) > 35
    assert {switch for switch in switches if f"`{switch}`" not in firsts("Trafilatura")} == set()


def test_each_argument_of_trafilatura_has_a_counterpart_or_a_reason():
    import trafilatura

    names = inspect.signature(trafilatura.extract).parameters
    assert [name for name in names if f"`{name}`" not in firsts("Trafilatura")] == []


@pytest.mark.parametrize(
    "name",
    ["minCrawlDelay", "maxDuration", "maxPageCount", "maxErrorsCount", "minUniqueText", "maxSizeOnDisk", "excludeUrls",
     "continue", "restart", "domain", "subdomain", "path", "requests.log.csv", "config.txt"],
)  # fmt: skip
def test_each_parameter_of_the_language_resource_extractor_is_there(name):
    assert name in firsts("The Language Resource Extractor")


def options_of(command):
    import typer.main

    from corpuskit.cli.commands import app

    group = typer.main.get_command(app)
    return {
        option for parameter in group.commands[command].params for option in parameter.opts + parameter.secondary_opts
    }


def test_no_option_is_named_that_is_not_there():
    ours = options_of("extract") | options_of("crawl") | options_of("urls")
    cells = [line.split("|")[2] for title in ("Trafilatura", "The Language Resource Extractor")
             for line in section(title).splitlines() if line.startswith("| ")]  # fmt: skip
    named = {option for cell in cells for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", cell)}
    assert len(named) > 20
    assert named - ours == set()


def test_what_the_normaliser_gives_is_called_as_the_page_says():
    from corpuskit.text import normalize

    (line,) = [
        line for line in section("The Language Resource Extractor").splitlines() if "mapOutputIndexToInput" in line
    ]
    found = re.findall(r"`\.(\w+)(\()?", line)
    assert [name for name, _ in found] == ["explain", "offsets"]
    result = normalize("Œuf")
    assert [callable(getattr(result, name)) for name, _ in found] == [bool(call) for _, call in found]


def test_the_page_and_the_help_say_where_the_options_of_extraction_are():
    import corpuskit

    page = section("Trafilatura")
    first = page.index("ExtractOptions(")
    assert "from corpuskit.extraction import ExtractOptions" in page[first : first + 200]
    assert "corpuskit.extraction.ExtractOptions" in (corpuskit.extract.__doc__ or "")


def test_options_of_extraction_that_are_named_are_there():
    fields = set(ExtractOptions.__dataclass_fields__)
    lines = [line for line in section("Trafilatura").splitlines() if line.startswith("| `")]
    found = {name for line in lines for name in re.findall(r"`([a-z_]+)=", line.split("|")[2])}
    assert found - fields - set(CrawlOptions.__dataclass_fields__) - {"plan"} == set()

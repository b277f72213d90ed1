"""corpus.toml: what people decide about a corpus, with comments."""

from __future__ import annotations

import dataclasses
import functools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

from corpuskit.errors import ConfigurationError
from corpuskit.extraction import ExtractOptions
from corpuskit.safe_folder import SafeFolder
from corpuskit.validation import STRICT, expected_value

FILE_NAME: Final = "corpus.toml"
_MOST_BYTES: Final = 1_000_000
Rule = Literal["majority", "latest", "adjudicator"]

_TEMPLATE: Final = """\
# What this corpus is. Edit freely; keywords of a call come before what stands here.
name = {name}
description = ""
# Words that documents of this corpus are about: where labelling begins.
seeds = []
# Only these languages, as in ["en", "fr"]; empty: all.
languages = []

[crawl]
# Seconds between two requests to one host. A Crawl-delay in robots.txt is always kept.
delay = 1.0
# How far from the seeds: "domain", "host", "path" or "web" (any host).
scope = "domain"
# URLs never fetched: path patterns with * and a final $, as in robots.txt.
exclude = []
# Of links only those whose path matches one of such patterns; empty: all.
include = []
# Where a webmaster can reach you: an e-mail address or a page. It is sent with each request.
contact = ""

[labels]
# What counts where annotators differ: "majority" (a tie is no label, and asked again), "latest", or "adjudicator":
# the label of the one named below, the majority where that one has said nothing.
rule = "majority"
adjudicator = ""

[pdf]
# Write TextWorks' segmentation.json and textgrid.json beside each PDF that is added: six times the work.
textworks = false

[extraction]
# Who marks the main content of web pages: "model" (ours), "rules", "trafilatura" or "all".
main = "model"
# favor = "precision" or "recall", comments, tables, images, image_addresses, formatting, hidden, link_density,
# deduplicate, drop = ["p.advert", "//aside"], target_language = "en", only_with_metadata, refused_authors, refused_urls,
# date = "original", earliest_date = "1995-01-01", classify, structure, tracked_changes, ocr, forms, max_bytes
# For one source: [extraction.sources."news.example"], for Trafilatura's own arguments: [extraction.trafilatura]
"""


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """``[crawl]`` of corpus.toml.

    Attributes:
        delay: Seconds between two requests to one host. A Crawl-delay in robots.txt is always kept.
        scope: How far from the seeds: ``domain``, ``host``, ``path`` or ``web`` (any host).
        exclude: URLs that are never fetched: path patterns with ``*`` and a final ``$``, as in robots.txt.
        include: Of links only those whose path matches one of such patterns; empty: all.
        contact: Where a webmaster can reach you, an e-mail address or a page. It is sent with each request.
    """

    __pydantic_config__: ClassVar = STRICT

    delay: float = 1.0
    scope: str = "domain"
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    contact: str = ""


@dataclass(frozen=True, slots=True)
class PdfSettings:
    """``[pdf]`` of corpus.toml.

    Attributes:
        textworks: Write TextWorks' segmentation.json and textgrid.json beside each PDF that is added: six times the work.
    """

    __pydantic_config__: ClassVar = STRICT

    textworks: bool = False


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """``[labels]`` of corpus.toml.

    Attributes:
        rule: What counts where annotators differ: ``majority`` (a tie is no label, and asked again), ``latest``, or
            ``adjudicator``.
        adjudicator: Whose label counts by the rule ``adjudicator``; the majority where that one has said nothing.

    Raises:
        ConfigurationError: an unknown rule, or a rule and an adjudicator that do not go together.
    """

    __pydantic_config__: ClassVar = STRICT

    rule: Rule = "majority"
    adjudicator: str = ""

    def __post_init__(self) -> None:
        if self.rule == "adjudicator" and not self.adjudicator:
            raise ConfigurationError('rule = "adjudicator" needs the name of one: adjudicator = "name"')
        if self.adjudicator and self.rule != "adjudicator":
            raise ConfigurationError(
                f'adjudicator = {self.adjudicator!r} does nothing with rule = {self.rule!r}: set rule = "adjudicator"'
            )


@dataclass(frozen=True, slots=True)
class Settings:
    """The content of corpus.toml.

    Attributes:
        name: Name of the corpus; that of its folder at first.
        description: What the corpus is about.
        seeds: Words that its documents are about: where labelling begins.
        languages: Only these languages (ISO 639-1); empty: all.
        crawl: ``[crawl]``.
        labels: ``[labels]``.
        pdf: ``[pdf]``.
        extraction: ``[extraction]``.
        sources: Host → its options: ``[extraction.sources]``.
    """

    __pydantic_config__: ClassVar = STRICT

    name: str = ""
    description: str = ""
    seeds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    labels: LabelSettings = field(default_factory=LabelSettings)
    pdf: PdfSettings = field(default_factory=PdfSettings)
    extraction: ExtractOptions = field(default_factory=ExtractOptions)
    sources: Mapping[str, ExtractOptions] = field(default_factory=dict)

    def extraction_for(self, host: str) -> ExtractOptions:
        """Return the options for pages of a host: those of ``[extraction.sources]`` for it, else for a domain above it.

        Args:
            host: The host.
        """
        host = host.lower().partition(":")[0]
        while host:
            if host in self.sources:
                return self.sources[host]
            host = host.partition(".")[2]
        return self.extraction


def write_default_settings(folder: SafeFolder) -> None:
    """Writes the corpus.toml of a new corpus."""
    import tomlkit

    content = _TEMPLATE.format(name=tomlkit.item(folder.path.name).as_string())
    folder.write(FILE_NAME, content.encode())


def update_settings(folder: SafeFolder, values: dict[str, Any]) -> None:
    """Sets top-level values in corpus.toml; comments and the rest stay as people wrote them."""
    import tomlkit

    known = folder.read(FILE_NAME, _MOST_BYTES).decode("utf-8-sig") if folder.exists(FILE_NAME) else ""
    data = tomlkit.parse(known)
    for name, value in values.items():
        data[name] = value
    folder.write(FILE_NAME, tomlkit.dumps(data).encode(), durable=True)


def read_settings(folder: SafeFolder) -> Settings:
    """Reads corpus.toml.

    Raises:
        ConfigurationError: a line that cannot be read, an unknown name or a value of the wrong type, or a file of the machine
            in a corpus that is not trusted.
        CorpusError: it is too large, a link or no regular file.
    """
    try:
        content = folder.read(FILE_NAME, _MOST_BYTES)
    except FileNotFoundError:
        return Settings(name=folder.path.name)
    settings = _parsed(content)
    if not folder.follow and any(
        "settingsfile" in some.trafilatura for some in (settings.extraction, *settings.sources.values())
    ):
        raise ConfigurationError(
            f"{FILE_NAME}: [extraction.trafilatura] settingsfile names a file of this machine, which a corpus from elsewhere may "
            "not read: remove it; your own corpus opens with trust=True"
        )
    return settings


@functools.lru_cache(8)
def _parsed(content: bytes) -> Settings:
    try:
        data = tomllib.loads(content.decode("utf-8-sig"))
    except RecursionError as error:
        raise ConfigurationError(f"{FILE_NAME}: tables or lists stand too deep in each other") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigurationError(f"{FILE_NAME}, line {line} is not in UTF-8: save the file as UTF-8") from error
    except ValueError as error:  # no TOML, a number with thousands of digits
        raise ConfigurationError(f"{FILE_NAME}: {error}") from error
    section = data.get("extraction")
    hosts = section.pop("sources", {}) if isinstance(section, dict) else {}
    if isinstance(section, dict) and isinstance(hosts, dict):
        data["sources"] = {
            host.lower(): {**section, **part} if isinstance(part, dict) else part for host, part in hosts.items()
        }
    elif hosts:
        raise ConfigurationError(f"{FILE_NAME}: [extraction.sources] must hold a table for each host")
    return _build(data)


def _build(data: dict[str, Any]) -> Settings:
    """Return the settings, each value checked against its annotation."""
    from pydantic import TypeAdapter, ValidationError

    try:
        # JSON has TOML's types but dates, which are written as strings; arrays become tuples.
        settings: Settings = TypeAdapter(Settings).validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        raise ConfigurationError(f"{FILE_NAME}: {_problem(error.errors(include_url=False)[0])}") from error
    return settings


def _problem(error: Mapping[str, Any]) -> str:
    """Return the section and name of a value in the file, and what is wrong with it."""
    *path, name = [str(part) for part in error["loc"]] or [""]
    if name.isdigit():
        name = f"{path.pop()}[{name}]"
    if path and path[0] == "sources":
        path[:2] = ["extraction", "sources", json.dumps(path[1])] if len(path) > 1 else ["extraction", "sources"]
    section = f"[{'.'.join(path)}] " if path else ""
    if error["type"] == "unexpected_keyword_argument":
        kind = {"crawl": CrawlSettings, "labels": LabelSettings, "pdf": PdfSettings, "extraction": ExtractOptions}
        known = dataclasses.fields(kind.get(path[0], Settings) if path else Settings)
        names = sorted({field.name for field in known} - {"sources"})
        return f"{section}{name!r} is unknown; there are: {', '.join(names)}"
    if error["type"] == "value_error":  # of a check of several values
        return f"[{'.'.join([*path, name])}] {error['ctx']['error']}" if name else str(error["ctx"]["error"])
    return f"{section}{name} = {error['input']!r}: expected {expected_value(error)}"

"""Settings of a corpus in corpus.toml."""

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
_MAX_BYTES: Final = 1_000_000
Rule = Literal["majority", "latest", "adjudicator"]

_TEMPLATE: Final = """\
# Settings of this corpus. Edit freely; keyword arguments of a call take precedence.
name = {name}
description = ""
# Words that documents of this corpus are about. Labelling begins with them.
seeds = []
# Languages of the corpus, such as ["en", "fr"]; empty: all.
languages = []

[crawl]
# Seconds between two requests to one host. A Crawl-delay in robots.txt is always respected.
delay = 1.0
# Distance from the seeds: "domain", "host", "path" or "web" (any host).
scope = "domain"
# URLs that are never fetched: path patterns with * and a final $, as in robots.txt.
exclude = []
# Links are followed only if their path matches one of these patterns; empty: all.
include = []
# Contact for webmasters: an e-mail address or a page. It is sent with each request.
contact = ""

[labels]
# Label of a document if annotators disagree: "majority" (after a tie the document is proposed again), "latest", or
# "adjudicator": the label of the annotator named below, or the majority without one.
rule = "majority"
adjudicator = ""

[pdf]
# Write segmentation.json and textgrid.json of TextWorks for each added PDF. Takes six times as long.
textworks = false

[extraction]
# Method that marks the main content of web pages: "model" (default), "rules", "trafilatura" or "all".
main = "model"
# favor = "precision" or "recall", comments, tables, images, image_addresses, formatting, hidden, link_density,
# deduplicate, drop = ["p.advert", "//aside"], target_language = "en", only_with_metadata, refused_authors, refused_urls,
# date = "original", earliest_date = "1995-01-01", classify, structure, tracked_changes, ocr, forms, max_bytes
# For one source: [extraction.sources."news.example"]. For arguments of Trafilatura: [extraction.trafilatura]
"""


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """``[crawl]`` of corpus.toml.

    Attributes:
        delay: Seconds between two requests to one host. A Crawl-delay in robots.txt is always respected.
        scope: Distance from the seeds: ``domain``, ``host``, ``path`` or ``web`` (any host).
        exclude: URLs that are never fetched: path patterns with ``*`` and a final ``$``, as in robots.txt.
        include: Links are followed only if their path matches one of these patterns; empty: all.
        contact: Contact for webmasters, an e-mail address or a page. It is sent with each request.
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
        textworks: Write segmentation.json and textgrid.json of TextWorks for each added PDF. Takes six times as long.
    """

    __pydantic_config__: ClassVar = STRICT

    textworks: bool = False


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """``[labels]`` of corpus.toml.

    Attributes:
        rule: Label of a document if annotators disagree: ``majority`` (after a tie the document is proposed again),
            ``latest``, or ``adjudicator``.
        adjudicator: Annotator that decides with the rule ``adjudicator``. Without a label of this annotator, the
            majority decides.

    Raises:
        ConfigurationError: An unknown rule, or a rule that does not match the adjudicator.
    """

    __pydantic_config__: ClassVar = STRICT

    rule: Rule = "majority"
    adjudicator: str = ""

    def __post_init__(self) -> None:
        if self.rule == "adjudicator" and not self.adjudicator:
            raise ConfigurationError('rule = "adjudicator" needs the name of an annotator: adjudicator = "name"')
        if self.adjudicator and self.rule != "adjudicator":
            raise ConfigurationError(
                f'adjudicator = {self.adjudicator!r} has no effect with rule = {self.rule!r}: set rule = "adjudicator"'
            )


@dataclass(frozen=True, slots=True)
class Settings:
    """The content of corpus.toml.

    Attributes:
        name: Name of the corpus; by default that of its folder.
        description: What the corpus is about.
        seeds: Words that its documents are about. Labelling begins with them.
        languages: Languages of the corpus (ISO 639-1); empty: all.
        crawl: ``[crawl]``.
        labels: ``[labels]``.
        pdf: ``[pdf]``.
        extraction: ``[extraction]``.
        sources: Options by host: ``[extraction.sources]``.
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
        """Return the extraction options for pages of a host.

        These are the options in ``[extraction.sources]`` for the host or a parent domain, else ``[extraction]``.

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
    """Write the corpus.toml of a new corpus."""
    import tomlkit

    content = _TEMPLATE.format(name=tomlkit.item(folder.path.name).as_string())
    folder.write(FILE_NAME, content.encode())


def update_settings(folder: SafeFolder, values: dict[str, Any]) -> None:
    """Set top-level values in corpus.toml. Comments and other values remain unchanged."""
    import tomlkit

    text = folder.read(FILE_NAME, _MAX_BYTES).decode("utf-8-sig") if folder.exists(FILE_NAME) else ""
    data = tomlkit.parse(text)
    for name, value in values.items():
        data[name] = value
    folder.write(FILE_NAME, tomlkit.dumps(data).encode(), durable=True)


def read_settings(folder: SafeFolder) -> Settings:
    """Read corpus.toml.

    Raises:
        ConfigurationError: A syntax error, an unknown name, a value of a wrong type, or a reference to a local file in
            an untrusted corpus.
        CorpusError: The file is too large or irregular.
    """
    try:
        content = folder.read(FILE_NAME, _MAX_BYTES)
    except FileNotFoundError:
        return Settings(name=folder.path.name)
    settings = _parse(content)
    if not folder.follow and any(
        "settingsfile" in options.trafilatura for options in (settings.extraction, *settings.sources.values())
    ):
        raise ConfigurationError(
            f"{FILE_NAME}: [extraction.trafilatura] settingsfile is not allowed in an untrusted corpus, since it names a file "
            "on this machine: remove it, or open your own corpus with trust=True"
        )
    return settings


@functools.lru_cache(8)
def _parse(content: bytes) -> Settings:
    try:
        data = tomllib.loads(content.decode("utf-8-sig"))
    except RecursionError as error:
        raise ConfigurationError(f"{FILE_NAME}: tables or lists are nested too deeply") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigurationError(f"{FILE_NAME}, line {line} is not UTF-8: save the file as UTF-8") from error
    except ValueError as error:  # invalid TOML, or a number with thousands of digits
        raise ConfigurationError(f"{FILE_NAME}: {error}") from error
    section = data.get("extraction")
    hosts = section.pop("sources", {}) if isinstance(section, dict) else {}
    if isinstance(section, dict) and isinstance(hosts, dict):
        data["sources"] = {
            host.lower(): {**section, **part} if isinstance(part, dict) else part for host, part in hosts.items()
        }
    elif hosts:
        raise ConfigurationError(f"{FILE_NAME}: [extraction.sources] must hold a table for each host")
    return _validate(data)


def _validate(data: dict[str, Any]) -> Settings:
    """Return the settings. Each value is validated against its annotation."""
    from pydantic import TypeAdapter, ValidationError

    try:
        # JSON has the types of TOML except dates, which become strings. Arrays become tuples.
        settings: Settings = TypeAdapter(Settings).validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        raise ConfigurationError(f"{FILE_NAME}: {_problem(error.errors(include_url=False)[0])}") from error
    return settings


def _problem(error: Mapping[str, Any]) -> str:
    """Return the location of an invalid value in the file and the reason."""
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
        return f"{section}{name!r} is unknown; expected one of: {', '.join(names)}"
    if error["type"] == "value_error":  # raised by __post_init__
        return f"[{'.'.join([*path, name])}] {error['ctx']['error']}" if name else str(error["ctx"]["error"])
    return f"{section}{name} = {error['input']!r}: expected {expected_value(error)}"

"""What a page says of itself: title, author, dates, language, licence and the like."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from lxml import etree

from corpuskit.dates import parse_loose_date

_SPACE: Final = re.compile(r"\s+")
_DATE_IN_URL: Final = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:[/-]|$)")
XML_LANG: Final = "{http://www.w3.org/XML/1998/namespace}lang"
_MOST_JSON: Final = 2_000_000
_CONTENT_TYPES: Final = re.compile(
    r"(?:\w*article|\w*posting|report|recipe|event|howto|product|question|\w*page)", re.IGNORECASE
)
# Our key → names of meta elements (name, property, itemprop or http-equiv), the best first.
_META: Final[dict[str, tuple[str, ...]]] = {
    "title": ("og:title", "twitter:title", "dc.title", "citation_title", "headline"),
    "author": ("author", "article:author", "citation_author", "dc.creator", "parsely-author", "sailthru.author",
               "twitter:creator", "byl", "dcterms.creator"),
    "description": ("description", "og:description", "twitter:description", "dc.description", "dcterms.abstract"),
    "site_name": ("og:site_name", "application-name", "publisher", "dc.publisher", "citation_journal_title",
                  "article:publisher", "twitter:site"),
    "language": ("content-language", "language", "dc.language", "og:locale"),
    "license": ("dc.rights", "dcterms.license", "dcterms.rights", "license", "copyright"),
    "published": ("article:published_time", "datepublished", "date", "pubdate", "publishdate", "dc.date",
                  "dc.date.issued", "dcterms.created", "dcterms.issued", "dcterms.date", "citation_publication_date",
                  "citation_date", "og:published_time", "og:article:published_time", "parsely-pub-date",
                  "sailthru.date", "article.published", "publish-date", "created", "datecreated", "citation_online_date"),
    "modified": ("article:modified_time", "datemodified", "og:updated_time", "last-modified", "dcterms.modified",
                 "dc.date.modified", "lastmod", "article:modified", "revised", "modified", "og:article:modified_time"),
    "keywords": ("keywords", "news_keywords", "article:tag"),
    "categories": ("article:section", "category", "dc.subject"),
    "type": ("og:type",),
    "image": ("og:image", "twitter:image"),
}  # fmt: skip
_WANTED: Final = {name: (key, rank) for key, names in _META.items() for rank, name in enumerate(names)}


@dataclass(slots=True)
class Head:
    """What one pass over the head-like elements found.

    Attributes:
        title: text of ``title``.
        base: the ``base`` element's href.
        language: of the root element.
        values: our key → the best value so far and its rank.
        styles: texts of ``style`` elements.
        data: contents of JSON-LD scripts, parsed.
        times: (datetime attribute, is marked as the publication) of ``time`` elements in order.
        scripts: how many characters of script there are.
        script_elements: how many scripts there are.
    """

    title: str = ""
    base: str | None = None
    language: str = ""
    canonical: str = ""
    license: str = ""
    values: dict[str, tuple[int, str]] = field(default_factory=dict)
    styles: list[str] = field(default_factory=list)
    data: list[dict[str, Any]] = field(default_factory=list)
    times: list[tuple[str, bool]] = field(default_factory=list)
    scripts: int = 0
    script_elements: int = 0


def squeeze(text: str) -> str:
    """Text in one line."""
    return " ".join(text.split())


def read_head(root: etree._Element) -> Head:
    """Reads title, meta, link, base, time, style and JSON-LD; empties scripts and styles, so the tree must be ours."""
    head = Head()
    head.language = root.get("lang") or root.get(XML_LANG) or root.get("xml:lang") or ""
    for element in root.iter("{*}script", "{*}style", "{*}meta", "{*}link", "{*}title", "{*}base", "{*}time"):
        name = element.tag.rpartition("}")[2]
        if name == "script":
            text = element.text
            head.script_elements += 1
            kind = (element.get("type") or "").lower()
            if text and not kind.startswith("math/"):  # a formula, which the walk reads
                element.text = None
                if "ld+json" in kind:
                    head.data.extend(_json_objects(text))
                else:
                    head.scripts += len(text)
        elif name == "style":
            if element.text:
                head.styles.append(element.text)
                element.text = None
        elif name == "meta":
            _read_meta(element, head)
        elif name == "link":
            _read_link(element, head)
        elif name == "title":
            if not head.title:
                head.title = squeeze(str(element.xpath("string()")))
        elif name == "base":
            if head.base is None:
                head.base = element.get("href")
        elif element.get("datetime"):
            marked = element.get("pubdate") is not None or element.get("itemprop", "").lower() == "datepublished"
            head.times.append((element.get("datetime", ""), marked))
    return head


def _read_meta(element: etree._Element, head: Head) -> None:
    content = element.get("content")
    if not content:
        return
    name = element.get("property") or element.get("name") or element.get("itemprop") or element.get("http-equiv")
    found = _WANTED.get(name.strip().lower()) if name else None
    if found is None:
        return
    key, rank = found
    value = squeeze(content)
    if value and (key not in head.values or rank < head.values[key][0]):
        head.values[key] = rank, value


def _read_link(element: etree._Element, head: Head) -> None:
    rel = (element.get("rel") or "").lower().split()
    href = element.get("href")
    if href and "canonical" in rel and not head.canonical:
        head.canonical = href.strip()
    elif href and "license" in rel and not head.license:
        head.license = href.strip()


def _json_objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-LD script, those of ``@graph`` too."""
    if len(text) > _MOST_JSON:
        return
    try:
        data = json.loads(text.strip().removeprefix("<![CDATA[").removesuffix("]]>").rstrip("; \n"), strict=False)
    except (ValueError, RecursionError):
        return
    queue = [data]
    for _ in range(200):
        if not queue:
            return
        item = queue.pop(0)
        if isinstance(item, list):
            queue.extend(item[:100])
        elif isinstance(item, dict):
            yield item
            for key in ("@graph", "mainEntity", "mainEntityOfPage"):
                inner = item.get(key)
                if isinstance(inner, (list, dict)):
                    queue.append(inner)


def types_of(item: dict[str, Any]) -> set[str]:
    """The types of a JSON-LD object, in lower case."""
    kind = item.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return {k.lower().rpartition("/")[2] for k in kinds if isinstance(k, str)}


def _name(value: Any) -> str:
    """The name of a person or organisation, or of several."""
    if isinstance(value, list):
        return "; ".join(dict.fromkeys(filter(None, map(_name, value[:20]))))
    if isinstance(value, dict):
        value = value.get("name")
        return _name(value) if isinstance(value, (list, str)) else ""
    return squeeze(value) if isinstance(value, str) and not value.startswith(("http:", "https:")) else ""


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("name") or value.get("@id") or value.get("url")
    return squeeze(value) if isinstance(value, str) else ""


def _all(value: Any) -> str:
    """A text, or those of a list."""
    values = value[:50] if isinstance(value, list) else [value]
    return "; ".join(dict.fromkeys(filter(None, (squeeze(v) for v in values if isinstance(v, str)))))


def kinds_of(head: Head) -> str:
    """What the page says it is: ``og:type`` and types of JSON-LD, in lower case."""
    kinds = {kind for item in head.data for kind in types_of(item)}
    return " ".join([head.values.get("type", (0, ""))[1].lower(), *sorted(kinds)]).strip()


@functools.lru_cache(maxsize=1024)
def _is_content(kind: str) -> bool:
    return bool(_CONTENT_TYPES.fullmatch(kind))


def article_of(data: list[dict[str, Any]]) -> dict[str, Any]:
    """The JSON-LD object that is about the page's content: an article before a web page."""
    best: dict[str, Any] = {}
    best_rank = 0
    for item in data:
        kinds = types_of(item)
        if not any(map(_is_content, kinds)):
            continue
        rank = 1 + ("datePublished" in item) + ("author" in item) + 2 * ("articleBody" in item)
        rank += 2 * any("article" in k or "posting" in k for k in kinds)
        if rank > best_rank:
            best, best_rank = item, rank
    return best


def parse_date(value: str) -> datetime | None:
    """A date of ISO 8601 or RFC 5322 or any that dateutil reads with a year, in the zone it names; UTC where it names none.

    In another zone it could be another day than the page says.
    """
    value = value.strip()
    if not 8 <= len(value) <= 60 or not any(map(str.isdigit, value)):
        return None
    try:
        date = datetime.fromisoformat(value)
    except ValueError:
        parsed = parse_loose_date(value)
        if parsed is None:
            return None
        date = parsed
    return (date if date.tzinfo else date.replace(tzinfo=UTC)) if 1980 <= date.year <= 2100 else None


def dates(
    head: Head, article: dict[str, Any], uri: str | None, *, earliest: str | None = None
) -> tuple[datetime | None, datetime | None]:
    """When the page was published and when it was modified, by its own word; days before ``earliest`` are passed over."""
    first = datetime.fromisoformat(earliest).replace(tzinfo=UTC) if earliest else None
    published = _first_date(first, _text(article.get("datePublished")), head.values.get("published", (0, ""))[1])
    modified = _first_date(first, _text(article.get("dateModified")), head.values.get("modified", (0, ""))[1])
    if published is None:
        marked = [value for value, is_marked in head.times if is_marked]
        published = _first_date(first, *marked, *(value for value, _ in head.times[:1]))
    if published is None and uri and (match := _DATE_IN_URL.search(uri)):
        published = _first_date(first, "{}-{:0>2}-{:0>2}".format(*match.groups()))
    return published, modified


def _first_date(earliest: datetime | None, *values: str) -> datetime | None:
    dates = (date for date in map(parse_date, filter(None, values)) if date)
    return next((date for date in dates if earliest is None or date >= earliest), None)


def metadata_of(head: Head, article: dict[str, Any]) -> dict[str, str]:
    """Metadata as text: author, language, description, site_name, license, keywords, categories, type, image."""
    found = {key: value for key, (_, value) in head.values.items() if key not in ("title", "published", "modified")}
    author = _name(article.get("author")) or _clean_author(found.get("author", ""))
    publisher = article.get("publisher")
    found["author"] = author
    found["site_name"] = found.get("site_name", "").lstrip("@") or _name(publisher)
    found["description"] = found.get("description") or _text(article.get("description"))
    found["language"] = (head.language or _text(article.get("inLanguage")) or found.get("language", "")).strip()
    found["categories"] = _all(article.get("articleSection")) or found.get("categories", "")
    found["keywords"] = found.get("keywords", "") or _all(article.get("keywords"))
    found["license"] = head.license or _text(article.get("license")) or found.get("license", "")
    if len(found["language"]) > 35 or not re.match(r"[A-Za-z]{2,3}(?:[-_]|$)", found["language"]):
        found["language"] = ""
    found["language"] = found["language"].replace("_", "-")
    return {key: value for key, value in sorted(found.items()) if value}


def _clean_author(value: str) -> str:
    return "" if value.startswith(("http:", "https:", "@")) or value.lower() in ("admin", "administrator") else value

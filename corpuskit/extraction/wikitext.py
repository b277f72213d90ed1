"""Extractor of wikitext, as in MediaWiki dumps, through HTML; templates are not expanded, infoboxes become tables."""

from __future__ import annotations

import re
from html import escape
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ExtractionError, MissingExtraError
from corpuskit.extraction.encoding import decode_text
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions

_FILE_NAMESPACES: Final = frozenset(
    ("file", "image", "media", "datei", "bild", "fichier", "archivo", "immagine", "ficheiro")
)
_SKIPPED_NAMESPACES: Final = frozenset(("category", "kategorie", "catégorie", "categoría", "categoria", "wikipedia"))
_INTERWIKI: Final = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*|simple")
_OPTION: Final = re.compile(
    r"(?:thumb|thumbnail|mini|vignette|miniatur|frame|framed|gerahmt|frameless|rahmenlos|border|rand|left|right|center|none"
    r"|links|rechts|zentriert|gauche|droite|centré|upright|hochkant|redresse|baseline|middle|top|bottom|(?:\d*x?\d+) ?px"
    r"|(?:upright|hochkant|redresse|alt|link|lang|page|class)\s*=.*)",
    re.IGNORECASE,
)
_HAS_CAPTION: Final = re.compile(
    r"\|\s*(?:thumb|thumbnail|mini|vignette|miniatur|frame|framed|gerahmt)\s*(?:[|=\]]|$)", re.IGNORECASE
)
_INFOBOX: Final = re.compile(r"(?:infobox|taxobox|speciesbox)\b", re.IGNORECASE)
_TEXT_TEMPLATE: Final = re.compile(r"lang(?:ue)?|lang-[a-z-]+|nowrap|nobr|unité|abbr|smallcaps", re.IGNORECASE)
_QUOTES: Final = frozenset(("quote", "blockquote", "cquote", "zitat", "citation bloc"))
_REFERENCES: Final = frozenset(("reflist", "references", "références", "notelist"))
_DROPPED: Final = frozenset((
    "style", "script", "templatestyles", "timeline", "imagemap", "score", "graph", "hiero", "mapframe", "maplink",
    "indicator", "includeonly", "inputbox", "categorytree", "section", "hr", "img", "link", "meta",
))  # fmt: skip
_CODE: Final = frozenset(("pre", "syntaxhighlight", "source"))
_FORMULAS: Final = frozenset(("math", "chem", "ce"))
_BLOCKS: Final = frozenset(("blockquote", "div", "center", "p", "poem", "ul", "ol", "li", "dl", "dt", "dd"))
_INLINE_TAGS: Final = frozenset(("sub", "sup", "code"))
_LISTS: Final = {"*": ("ul", "li"), "#": ("ol", "li"), ";": ("dl", "dt"), ":": ("dl", "dd")}
_SPANS: Final = ("rowspan", "colspan")


@extracts("text/x-wiki")
def extract_wikitext(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Extract an article in wikitext; its title is the last part of the URI.

    Templates are not expanded, because their definitions are on other pages. Infoboxes become tables of their parameters,
    templates of foreign words and quotations become text, and other templates are dropped. Notes are placed as in the
    article, or else at the end.

    Raises:
        MissingExtraError: mwparserfromhell is not installed.
        ExtractionError: The page has no text, or is not wikitext.
    """
    try:
        import mwparserfromhell
    except ImportError as error:
        raise MissingExtraError("mwparserfromhell", "wikipedia") from error
    from corpuskit.extraction.wikipedia import extract_wikipedia

    try:
        code = mwparserfromhell.parse(decode_text(content, charset or "utf-8"))
        writer = _Writer([])
        writer.nodes(code)
        body = writer.html(with_notes=True)
    except (mwparserfromhell.parser.ParserError, AttributeError, IndexError, KeyError) as error:
        raise ExtractionError(f"{uri or 'input'}: not valid wikitext: {error!r}") from error
    title = unquote(urlsplit(uri or "").path.rpartition("/wiki/")[2]).replace("_", " ")
    page = f"<html><head><title>{escape(title)}</title></head><body>{body}</body></html>"
    return extract_wikipedia(page.encode("utf-8", "replace"), uri=uri, options=options)


class _Writer:
    """Writer of the HTML of one text flow: the page, a cell or a quotation."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes  # shared by all flows of a page
        self._out: list[str] = []
        self._paragraph: list[str] = []
        self._line: list[str] = []
        self._markers = ""  # list markers of the current line
        self._open = ""  # list markers of the open items

    def html(self, *, with_notes: bool = False) -> str:
        """Return the HTML; with ``with_notes``, append the notes that are not placed by the article."""
        self._end_blocks()
        if with_notes:
            self._references()
        return "".join(self._out)

    def nodes(self, code: Any) -> None:
        """Write the nodes parsed by mwparserfromhell."""
        from mwparserfromhell import nodes

        for node in code.nodes:
            if isinstance(node, nodes.Text):
                self._text(str(node))
            elif isinstance(node, nodes.Tag):
                self._tag(node)
            elif isinstance(node, nodes.Wikilink):
                self._link(node)
            elif isinstance(node, nodes.ExternalLink):
                self._external(node)
            elif isinstance(node, nodes.Heading):
                self._end_blocks()
                level = min(max(node.level, 1), 6)
                self._out.append(f"<h{level}>{self._inline(node.title)}</h{level}>")
            elif isinstance(node, nodes.Template):
                self._template(node)
            elif isinstance(node, nodes.HTMLEntity):
                self._line.append(escape(node.normalize() or str(node)))

    def _text(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self._end_line()
            self._line.append(escape(line))

    def _tag(self, node: Any) -> None:
        name = str(node.tag).strip().lower()
        marker = node.wiki_markup
        if marker in _LISTS:
            if "".join(self._line).strip():  # "; term : meaning" in one line
                prefix = self._markers[:-1]
                self._end_line()
                self._markers = prefix
            self._markers += marker
        elif name == "br":
            self._line.append("<br/>")
        elif name == "ref":
            if node.contents and str(node.contents).strip():
                self._notes.append(self._inline(node.contents))
        elif name == "references":
            self._end_blocks()
            self._references()
        elif name == "table":
            self._block(self._table(node))
        elif name == "gallery":
            self._block(self._gallery(str(node.contents)))
        elif name in _CODE:
            self._block(f"<pre>{escape(str(node.contents))}</pre>")
        elif name in _FORMULAS:
            formula = escape(" ".join(str(node.contents).split()))
            self._line.append(f'<span class="mwe-math-element"><img alt="{formula}"/></span>')
        elif name == "nowiki":
            self._line.append(escape(str(node.contents or "")))
        elif name in _BLOCKS:
            self._block(f"<{name}>{self._flow(node.contents)}</{name}>")
        elif name in _INLINE_TAGS:
            self._line.append(f"<{name}>{self._inline(node.contents)}</{name}>")
        elif name not in _DROPPED and node.contents is not None:
            self.nodes(node.contents)

    def _link(self, node: Any) -> None:
        title = str(node.title).strip()
        space, _, _ = title.partition(":")
        space = space.strip().lower()
        if ":" in title and space in _FILE_NAMESPACES:
            if _HAS_CAPTION.search(str(node)) and (caption := _caption(node.text)) is not None:
                self._block(f"<figure><figcaption>{self._inline(caption)}</figcaption></figure>")
        elif ":" in title and (space in _SKIPPED_NAMESPACES or _INTERWIKI.fullmatch(space)):
            return  # a category, or the page in another language
        else:
            title = title.lstrip(":")
            label = self._inline(node.text) if node.text is not None else escape(title)
            self._line.append(f'<a href="./{quote(title.replace(" ", "_"))}">{label}</a>')

    def _external(self, node: Any) -> None:
        url = escape(str(node.url))
        if node.title is not None:
            self._line.append(f'<a href="{url}">{self._inline(node.title)}</a>')
        elif not node.brackets:
            self._line.append(f'<a href="{url}">{url}</a>')

    def _template(self, node: Any) -> None:
        name = str(node.name).strip().replace("_", " ").lower()
        values = [parameter for parameter in node.params if not parameter.showkey]
        if _INFOBOX.match(name):
            rows = [
                f"<tr><th>{escape(str(p.name).strip())}</th><td>{value}</td></tr>"
                for p in node.params
                if (value := self._flow(p.value))
            ]
            self._block(f'<table class="infobox"><tbody>{"".join(rows)}</tbody></table>')
        elif name in _REFERENCES:
            self._end_blocks()
            self._references()
        elif _TEXT_TEMPLATE.fullmatch(name) and values:
            at = 1 if name in {"lang", "langue"} and len(values) > 1 else 0
            self._line.append(self._inline(values[at].value))
        elif name in _QUOTES and node.params:
            self._block(f"<blockquote>{self._flow(node.params[0].value)}</blockquote>")

    def _table(self, node: Any) -> str:
        caption = ""
        rows: list[list[str]] = []
        row: list[str] = []
        for child in _tags(node.contents, "td", "th", "tr", "caption"):
            name = str(child.tag).lower()
            if name == "tr":
                rows.append(row)
                row = [self._cell(cell) for cell in _tags(child.contents, "td", "th")]
            elif name == "caption" or (not row and str(child.contents).lstrip().startswith("+")):
                caption = self._flow(child.contents).strip().removeprefix("<p>").removesuffix("</p>")
                caption = caption.removeprefix("+")
            else:
                row.append(self._cell(child))
        body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in [*rows, row] if cells)
        title = f"<caption>{caption}</caption>" if caption else ""
        return f'<table class="wikitable">{title}<tbody>{body}</tbody></table>'

    def _cell(self, node: Any) -> str:
        spans = ""
        for attribute in node.attributes:
            name, value = str(attribute.name).strip().lower(), str(attribute.value or "").strip()
            if name in _SPANS and value.isdecimal():
                spans += f' {name}="{value}"'
        tag = str(node.tag).lower()
        return f"<{tag}{spans}>{self._flow(node.contents)}</{tag}>"

    def _gallery(self, text: str) -> str:
        import mwparserfromhell

        captions = [line.partition("|")[2] for line in text.splitlines() if "|" in line]
        items = "".join(f"<li>{self._inline(mwparserfromhell.parse(caption))}</li>" for caption in captions)
        return f"<ul>{items}</ul>"

    def _references(self) -> None:
        if self._notes:
            items = "".join(f"<li>{note}</li>" for note in self._notes)
            self._out.append(f'<ol class="references">{items}</ol>')
            self._notes.clear()

    def _flow(self, code: Any) -> str:
        if code is None:
            return ""
        inner = _Writer(self._notes)
        inner.nodes(code)
        inner._end_line()
        if not inner._out and not inner._open:  # a single paragraph is not wrapped
            return " ".join("".join(inner._paragraph).split())
        return inner.html()

    def _inline(self, code: Any) -> str:
        inner = _Writer(self._notes)
        inner.nodes(code)
        text = "".join(inner._line) if not inner._paragraph and not inner._out else inner.html()
        return re.sub(r"</?p>", " ", text).strip() if inner._paragraph or inner._out else text

    def _block(self, html: str) -> None:
        self._end_line()
        self._end_paragraph()
        self._out.append(html)  # inside an open list item, as MediaWiki renders it

    def _end_line(self) -> None:
        text, self._line = "".join(self._line), []
        markers, self._markers = self._markers, ""
        if markers:
            self._end_paragraph()
            self._item(markers, text)
        elif text.strip():
            self._end_lists()
            self._paragraph.append(text + "\n")
        else:
            self._end_paragraph()
            self._end_lists()

    def _end_paragraph(self) -> None:
        text, self._paragraph = "".join(self._paragraph), []
        if text.strip():
            self._out.append(f"<p>{' '.join(text.split())}</p>")

    def _end_lists(self) -> None:
        while self._open:
            self._close()

    def _end_blocks(self) -> None:
        self._end_line()
        self._end_paragraph()
        self._end_lists()

    def _close(self) -> None:
        group, item = _LISTS[self._open[-1]]
        self._out.append(f"</{item}></{group}>")
        self._open = self._open[:-1]

    def _item(self, markers: str, text: str) -> None:
        """Write a list item; each marker of its line is a list level, the last is that of the item (Help:Lists)."""
        common = 0
        for ours, theirs in zip(self._open, markers, strict=False):
            if _LISTS[ours][0] != _LISTS[theirs][0]:
                break
            common += 1
        while len(self._open) > common:
            self._close()
        if common == len(markers):
            self._out.append(f"</{_LISTS[self._open[-1]][1]}><{_LISTS[markers[-1]][1]}>")
            self._open = self._open[:-1] + markers[-1]
        for marker in markers[common:]:
            group, item = _LISTS[marker]
            self._out.append(f"<{group}><{item}>")
            self._open += marker
        self._out.append(text.strip())


def _tags(code: Any, *names: str) -> list[Any]:
    from mwparserfromhell import nodes

    children = code.nodes if code is not None else []
    return [node for node in children if isinstance(node, nodes.Tag) and str(node.tag).strip().lower() in names]


def _caption(code: Any) -> Any:
    """Return the caption of an image: the text after the last ``|`` of its options."""
    import mwparserfromhell
    from mwparserfromhell import nodes

    if code is None:
        return None
    last: list[Any] = []
    for node in code.nodes:
        if isinstance(node, nodes.Text) and "|" in str(node):
            last = [nodes.Text(str(node).rpartition("|")[2])]
        else:
            last.append(node)
    caption = mwparserfromhell.wikicode.Wikicode(last)
    text = str(caption).strip()
    return caption if text and not _OPTION.fullmatch(text) else None

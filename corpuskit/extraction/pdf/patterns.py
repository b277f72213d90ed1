"""What the first and last words of a line give away."""

from __future__ import annotations

import re
from typing import Final

BULLET: Final = re.compile(r"^[•◦▪■●○–—∙·‣⁃*\-➢➤✓❖♦►▶→□o§\uf0b7\uf0a7\uf0d8]$")
"""A word that is nothing but a bullet."""
BULLET_START: Final = re.compile(r"^(?:[•◦▪■●○∙·‣⁃➢➤✓❖♦►▶□\uf0b7\uf0a7\uf0d8]|[–—\-*]\s)\s*")
"""A bullet before text."""
ENUMERATOR: Final = re.compile(r"^(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|\[\d+\])$")
"""A word that numbers a list item."""
NUMBERED: Final = re.compile(r"^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s+\S")
"""A number of a list item before text."""
CAPTION: Final = re.compile(
    r"^(?:fig(?:ure|\.)?|table|tab\.|scheme|chart|plate|abb(?:ildung|\.)|tabelle|tableau|listing|algorithm|exhibit|box|"
    r"graph|map)\s*(?:[A-Z]?\d+(?:[.\-]\d+)*|[IVX]+)(?:[.:\-–—|]|\s|$)|^(?:figure|table|scheme)[.:]\s",
    re.IGNORECASE,
)
HEADING_NUMBER: Final = re.compile(
    r"^§?\s*(?P<word>(?:chapter|appendix|part|section|chapitre|kapitel|annexe|anhang|teil|partie)\s+)?"
    r"(?P<first>\d{1,2}|[A-Z]|[IVX]{1,5})(?P<rest>(?:\.\d{1,2})*)[.:]?\s+\S",
    re.IGNORECASE,
)
CHAPTER_LABEL: Final = re.compile(
    r"(?:chapter|appendix|part|kapitel|chapitre|anhang|annexe|teil|partie)(?:\s+\w+)?[.:]?", re.IGNORECASE
)
ADMONITION: Final = re.compile(
    r"(?:note|warning|tip|caution|important|danger|hint|attention|hinweis|warnung|achtung|tipp|wichtig|vorsicht|remarque|"
    r"avertissement|astuce|mise en garde)s?\s*[:!]?",
    re.IGNORECASE,
)
"""The label of a box beside the text."""
REFERENCES: Final = re.compile(
    r"^(?:[\dIVX]+\.?\s*)?(?:references(?: and notes)?|bibliography|literature(?: cited)?|works cited|références|"
    r"literatur(?:verzeichnis)?|bibliographie)\s*:?$",
    re.IGNORECASE,
)
ENTRY: Final = re.compile(r"^(?:\[\d{1,3}\]|\d{1,3}[.)])\s")
"""The mark of an entry of a reference list."""
YEAR: Final = re.compile(r"\b(?:1[89]|20)\d\d\b")
PAGE_NUMBER: Final = re.compile(
    r"^\W*(?:page|p\.|seite|-)?\s*(?:[A-Z]-?)?(?:[0-9]{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/|von|sur|de)\s*\d+)?\W*$",
    re.IGNORECASE,
)
PAGE_COUNT: Final = re.compile(r"\b(?:page|seite) \d+|\b\d+ ?(?:/|of|von|sur) ?\d+\b", re.IGNORECASE)
"""A page among others, named as such."""
CONTENTS_LEADER: Final = re.compile(r"(?:\.\s?){4,}\s*\w*$|\.{4,}|(?:·\s?){4,}|…{2,}")
EQUATION_NUMBER: Final = re.compile(r"^\(?[A-Z]?\d+(?:\.\d+)*[a-z]?\)$")
SENTENCE_END: Final = (".", "!", "?", ":", ";", "”", '"', "。")

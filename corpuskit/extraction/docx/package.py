"""The package: a ZIP file whose parts are joined by relationships (ECMA-376 part 2, Open Packaging Conventions)."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from lxml import etree

from corpuskit.errors import EncryptedDocumentError, ExtractionError, ResourceLimitError
from corpuskit.extraction.docx.names import STRICT
from corpuskit.extraction.encoding import sound_xml

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM: Final = "EncryptedPackage".encode("utf-16-le")
_MAX_PART: Final = 128 * 1024**2
_MAX_ALL: Final = 256 * 1024**2
_SMALL: Final = 8 * 1024**2
_MAX_RATIO: Final = 250  # real parts of more than 8 MB were packed to 1/10 to 1/60, a bomb of deflate to 1/1030
_MAX_PARTS: Final = 100_000
_IS_ENCRYPTED: Final = 0x1  # bit of the ZIP flags
DAMAGED_ZIP: Final = (
    zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, NotImplementedError, RuntimeError,
)  # fmt: skip
"""What opening and reading a damaged ZIP file raises."""


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship of a part: the last segment of its type, and the part's name or the external URL."""

    kind: str
    target: str
    external: bool


class Package:
    """The parts of a package, parsed when they are asked for.

    Names of parts are compared without case (part 2, 6.2.2.3). What is damaged is told in ``warnings`` and is absent.

    Raises:
        EncryptedDocumentError: the package is encrypted.
        ExtractionError: these bytes are no package.
        ResourceLimitError: it has too many parts.
    """

    def __init__(self, content: bytes, where: str) -> None:
        self.where = where
        self.warnings: list[str] = []
        self._inflated = 0
        if content.startswith(_OLE):
            if _ENCRYPTED_STREAM in content:
                raise EncryptedDocumentError(f"{where}: the Word document is encrypted; save it without a password")
            raise ExtractionError(f"{where}: a binary Office file of before 2007, no .docx")
        try:
            self._zip = _open(content)
            infos = self._zip.infolist()
        except DAMAGED_ZIP as error:
            raise ExtractionError(f"{where}: no Word document, or one cut short: {error}") from error
        if len(infos) > _MAX_PARTS:
            raise ResourceLimitError(f"{where}: a package of {len(infos):,} parts, the limit is {_MAX_PARTS:,}")
        self._parts = {_key(info.filename): info for info in infos}
        self._parser = etree.XMLParser(
            recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True,
            remove_comments=True, remove_pis=True, collect_ids=False,
        )  # fmt: skip
        self._relations: dict[str, dict[str, Relationship]] = {}

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._parts

    def names(self) -> list[str]:
        """The names of the parts, lower case."""
        return list(self._parts)

    def read(self, name: str) -> bytes | None:
        """The bytes of a part; None where it is missing or damaged.

        Raises:
            EncryptedDocumentError: the part is encrypted.
            ResourceLimitError: it is too large, or packed as only a bomb is.
        """
        info = self._parts.get(_key(name))
        if info is None:
            return None
        if info.flag_bits & _IS_ENCRYPTED:
            raise EncryptedDocumentError(f"{self.where}: {name} is encrypted")
        size = info.file_size
        self._inflated += size
        if size > _MAX_PART or self._inflated > _MAX_ALL:
            raise ResourceLimitError(f"{self.where}: {name} has {size:,} bytes, the limit is {_MAX_PART:,}")
        if size > _SMALL and size > _MAX_RATIO * max(info.compress_size, 1):
            ratio = size // max(info.compress_size, 1)
            raise ResourceLimitError(f"{self.where}: {name} is packed to 1/{ratio}: a bomb")
        try:
            return self._zip.read(info)
        except DAMAGED_ZIP as error:
            self.warnings.append(f"{name} is damaged: {error}")
            return None

    def parse(self, name: str) -> etree._Element | None:
        """The root of an XML part; None where it is missing or no XML. Raises as :meth:`xml`."""
        content = self.xml(name)
        return None if content is None else self.parse_text(content, name)

    def xml(self, name: str) -> bytes | None:
        """The bytes of an XML part, a strict one with transitional names; None where it is missing.

        Raises:
            ExtractionError: the part has a document type definition, which no part may have (part 2, 6.2.5).
        """
        content = self.read(name)
        if not content:
            return None
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            content = content.decode("utf-16", "replace").encode()
            content = content.replace(b"UTF-16", b"UTF-8", 1).replace(b"utf-16", b"utf-8", 1)
        content = sound_xml(content)
        if b"<!DOCTYPE" in content:
            raise ExtractionError(f"{self.where}: {name} has a document type definition, which is forbidden")
        if b"http://purl.oclc.org/ooxml/" in content:
            for strict, transitional in STRICT:
                content = content.replace(strict, transitional)
        return content

    def parse_text(self, content: bytes, name: str) -> etree._Element | None:
        """The root of XML that is (a piece of) the part ``name``; None where it is none."""
        try:
            root = etree.fromstring(content, self._parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            self.warnings.append(f"{name} is no XML: {error}")
            return None
        if self._parser.error_log:
            self.warnings.append(f"{name} is damaged XML, read as far as it goes: {self._parser.error_log[0].message}")
        return root

    def relationships(self, part: str) -> dict[str, Relationship]:
        """The relationships of a part by their ids; those of the package for an empty name."""
        if part not in self._relations:
            folder, _, file = part.rpartition("/")
            root = self.parse(f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels")
            self._relations[part] = found = {}
            for element in () if root is None else root.iterchildren("{*}Relationship"):
                target = element.get("Target") or ""
                external = element.get("TargetMode") == "External"
                if not external:
                    path = unquote(target).replace("\\", "/").partition("#")[0]
                    target = posixpath.normpath(path if path.startswith("/") else f"{folder}/{path}").lstrip("/")
                kind = (element.get("Type") or "").rpartition("/")[2]
                found[element.get("Id") or ""] = Relationship(kind, target, external)
        return self._relations[part]

    def related(self, part: str, kind: str) -> str | None:
        """The name of the first part to which ``part`` has a relationship of this kind."""
        relations = self.relationships(part).values()
        return next((r.target for r in relations if r.kind == kind and not r.external), None)

    def main_part(self) -> str:
        """The name of the main part: by relationship, else by content type, else by its usual name.

        Raises:
            ExtractionError: there is none.
        """
        name = self.related("", "officeDocument")
        if name and name in self:
            return name
        types = self.parse("[Content_Types].xml")
        for element in () if types is None else types.iterchildren("{*}Override"):
            content_type = (element.get("ContentType") or "").lower()
            if "word" in content_type and content_type.endswith("main+xml"):
                name = (element.get("PartName") or "").lstrip("/")
                if name in self:
                    return name
        if "word/document.xml" in self:
            return "word/document.xml"
        raise ExtractionError(f"{self.where}: a ZIP file without the main part of a Word document")


def _open(content: bytes) -> zipfile.ZipFile:
    """The ZIP file; names are UTF-8, as packages have them, else in the old code page, which is slow."""
    try:
        return zipfile.ZipFile(io.BytesIO(content), metadata_encoding="utf-8")
    except UnicodeDecodeError:
        return zipfile.ZipFile(io.BytesIO(content))


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()

"""Checks XML files by their schemas."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import DocumentFormatError, ExportError, MissingExtraError
from corpuskit.export.formats.tei import NAMESPACE as TEI
from corpuskit.export.formats.xml import NAMESPACE as CORPUS
from corpuskit.export.formats.xml_text import parse
from corpuskit.validation import check_input_file

# The document type has no tables: their module, as chapter 14 of the Guidelines (TEI P5) declares it.
_LISTS: Final = '<!ENTITY % model.listLike "'
_TABLES: Final = """
<!ELEMENT table ((head | %model.global;)*, ((row, (%model.global;)*)+), ((%model.divBottom;), (%model.global;)*)*)>
<!ATTLIST table xmlns CDATA "http://www.tei-c.org/ns/1.0">
<!ATTLIST table %att.global.attributes; %att.typed.attributes; rows CDATA #IMPLIED cols CDATA #IMPLIED>
<!ELEMENT row (cell, (%model.global;)*)+>
<!ATTLIST row xmlns CDATA "http://www.tei-c.org/ns/1.0">
<!ATTLIST row %att.global.attributes; role CDATA #IMPLIED rows CDATA #IMPLIED cols CDATA #IMPLIED>
<!ELEMENT cell %macro.specialPara;>
<!ATTLIST cell xmlns CDATA "http://www.tei-c.org/ns/1.0">
<!ATTLIST cell %att.global.attributes; role CDATA #IMPLIED rows CDATA #IMPLIED cols CDATA #IMPLIED>
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """Violation of a schema, with its line (1-based) if known."""

    line: int | None
    message: str


def check_xml(path: str | os.PathLike[str], schema: str | os.PathLike[str] | None = None) -> list[Fault]:
    """Return the violations of the schema of an XML file.

    TEI is validated with a DTD of TEI P5 4.8.0 for corpora (from the TEI's sources; it comes with
    trafilatura; tables are added), ``corpus.xml`` by its RELAX NG schema.

    Args:
        path: The file. Entities are not resolved and nothing is fetched.
        schema: Another schema: RELAX NG (``.rng``), XML Schema (``.xsd``) or document type (``.dtd``).

    Raises:
        ExportError: No schema is known for the file, or the schema cannot be read.
        SourceError: There is no such file, or it is a folder.
    """
    from lxml import etree

    file = check_input_file(path)
    where = os.fspath(path)
    try:
        root = parse(file.read_bytes(), where)
    except DocumentFormatError as error:
        return [Fault(error.line, f"found {error.found!r}, expected {error.expected}")]
    validator = _schema(Path(schema)) if schema is not None else _known_schema(root)
    try:
        validator.validate(root)
    except etree.LxmlError as error:
        raise ExportError(f"{where} cannot be checked: {error}") from error
    return [Fault(entry.line or None, entry.message) for entry in validator.error_log]


def _known_schema(root: Any) -> Any:
    from importlib.resources import files

    from lxml import etree

    namespace = etree.QName(root).namespace
    if namespace == TEI:
        corpora = _in_trafilatura("tei_corpus.dtd").read_text("utf-8")
        if _LISTS not in corpora:
            raise ExportError("the TEI DTD of this version of trafilatura differs from the expected one; use --schema")
        return etree.DTD(io.StringIO(corpora.replace(_LISTS, _LISTS + "table |") + _TABLES))
    if namespace == CORPUS:
        return etree.RelaxNG(etree.fromstring(files("corpuskit.export").joinpath("schemas", "corpus.rng").read_bytes()))
    raise ExportError(f"no schema is known for <{root.tag}>; name one with --schema")


def _in_trafilatura(name: str) -> Path:
    """Return the path of a data file of a package without importing it, which takes half a second and logs warnings."""
    spec = find_spec("trafilatura")
    if spec is None or spec.origin is None:
        raise MissingExtraError("trafilatura", "all")
    return Path(spec.origin).parent / "data" / name


def _schema(path: Path) -> Any:
    from lxml import etree

    makers = {".rng": etree.RelaxNG, ".xsd": etree.XMLSchema}
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        if path.suffix == ".dtd":
            return etree.DTD(str(path))
        if path.suffix not in makers:
            raise ExportError(f"{path}: expected a schema in .rng, .xsd or .dtd")
        return makers[path.suffix](etree.parse(str(path), parser))
    except (etree.LxmlError, OSError) as error:
        raise ExportError(f"{path} cannot be read as a schema: {error}") from error

"""croissant.json: the export in Croissant 1.0 (mlcommons.org/croissant), for dataset search and loaders."""

from __future__ import annotations

from typing import Any, Final

from corpuskit.export.checksums import FileEntry
from corpuskit.export.item import ROW_TYPES

_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataBiases": "cr:dataBiases",
    "dataCollection": "cr:dataCollection",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "personalSensitiveInformation": "cr:personalSensitiveInformation",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_MEDIA: Final = {
    ".jsonl": "application/jsonlines", ".parquet": "application/x-parquet", ".csv": "text/csv",
    ".tsv": "text/tab-separated-values", ".txt": "text/plain", ".xml": "application/xml", ".rng": "application/xml",
    ".zst": "application/zstd", ".vert": "text/plain", ".conllu": "text/plain", ".md": "text/markdown",
}  # fmt: skip
_FOLDERS: Final = {
    "nlp.txt/": ("nlp.txt/**/*.nlp.txt", "text/plain"), "tei/": ("tei/**/*.tei.xml", "application/tei+xml"),
    "md/": ("md/**/*.md", "text/markdown"), "html/": ("html/**/*.html", "text/html"),
    "textworks/": ("textworks/**/*.json", "application/json"),
    "frenchtext/": ("frenchtext/*.feather", "application/vnd.apache.arrow.file"),
    "datasets/": ("datasets/*.arrow", "application/vnd.apache.arrow.stream"),
}  # fmt: skip
_TYPES: Final = {str: "sc:Text", int: "sc:Integer", float: "sc:Float"}
_TABLES: Final = ("documents.parquet", "corpus.jsonl", "documents.csv", "documents.tsv")


def croissant(record: dict[str, Any], entries: dict[str, FileEntry]) -> dict[str, Any]:
    """Return the Croissant description of an export. Its records are the documents of the first table format."""
    licenses = list(record["licenses"])
    named = [name for name in licenses if name != "none found"]
    card: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": record["corpus"] or "corpus",
        "description": record["description"] or f"A corpus of {record['counts']['documents']:,} documents.",
        "license": named or ["No licence was found in the documents"],
        "inLanguage": [code for code in record["languages"] if code != "?"],
        "creator": {"@type": "sc:Organization", "name": record["made_by"]},
        "distribution": [_distribution(name, entry) for name, entry in entries.items()],
    }
    if record["date"]:
        card["datePublished"] = record["date"]
    table = next((name for name in _TABLES if name in entries), None)
    if table is not None:
        card["recordSet"] = [_record_set(table)]
    return card


def _distribution(name: str, entry: FileEntry) -> dict[str, Any]:
    if name.endswith("/"):
        glob, media_type = _FOLDERS.get(name, (f"{name}**", "application/octet-stream"))
        return {
            "@type": "cr:FileSet", "@id": name.rstrip("/"), "name": name.rstrip("/"),
            "description": f"{entry.count:,} files", "encodingFormat": media_type, "includes": glob,
        }  # fmt: skip
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{entry.bytes} B",
        "encodingFormat": _MEDIA.get("." + name.rpartition(".")[2], "application/octet-stream"),
        "sha256": entry.sha256,
    }


def _record_set(table: str) -> dict[str, Any]:
    names = {**ROW_TYPES, "text": str}
    if table == "corpus.jsonl":
        # Only fields that every line has. The elements replace the number of elements.
        names = {name: kind for name, kind in names.items() if name in {"doc_id", "uri", "title", "host", "text"}}
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"documents/{name}",
            "name": name,
            "dataType": _TYPES[kind],
            "source": {"fileObject": {"@id": table}, "extract": {"column": name}},
        }
        for name, kind in names.items()
    ]
    return {
        "@type": "cr:RecordSet", "@id": "documents", "name": "documents", "key": {"@id": "documents/doc_id"},
        "field": fields,
    }  # fmt: skip

"""JSON schemas (2020-12) of the two artifacts."""

from __future__ import annotations

from typing import Any, Final

_NUMBER: Final = {"type": "number", "minimum": 0}
_WHOLE: Final = {"type": "integer", "minimum": 0}
_BOX: Final = {"type": "array", "items": _NUMBER, "minItems": 4, "maxItems": 4}
_WHOLE_BOX: Final = {"type": "array", "items": _WHOLE, "minItems": 4, "maxItems": 4}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": sorted(properties), "additionalProperties": False}


def _tuple(*items: Any) -> dict[str, Any]:
    return {"type": "array", "prefixItems": list(items), "minItems": len(items), "maxItems": len(items)}


ROLES: Final = (
    "section-heading", "paragraph", "list", "caption", "table", "figure", "footnote", "equation", "code", "reference",
    "title", "authors", "affiliation", "dates", "abstract", "keywords", "publisher", "page-header", "page-footer",
)  # fmt: skip
"""The second label of a block."""

SEGMENTATION_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object(
        documentId={"type": "string"},
        boxFormat={"const": ["top", "left", "width", "height"]},
        pages={
            "type": "array",
            "items": _object(
                page=_WHOLE,
                pageGeometry=_BOX,
                blocks={
                    "type": "array",
                    "items": _object(
                        labels=_tuple({"enum": ["header", "body", "references"]}, {"enum": list(ROLES)}),
                        lines={
                            "type": "array",
                            "minItems": 1,
                            "items": _tuple(
                                {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
                                {"type": "array", "items": _WHOLE, "minItems": 1, "uniqueItems": True},
                            ),
                        },
                    ),
                },
            ),
        },
        ids={"type": "array", "items": _tuple(_WHOLE, _tuple(_WHOLE, _BOX))},
    ),
}

_PLACE: Final = _tuple({"type": "string", "minLength": 1}, _WHOLE, _WHOLE_BOX)

TEXTGRID_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object(
        description={"type": "string"},
        documentId={"type": "string"},
        pages={
            "type": "array",
            "items": _object(
                pageGeometry=_WHOLE_BOX,
                textgrid=_object(
                    stableId={"type": "string"},
                    rows={
                        "type": "array",
                        "items": _object(
                            offset=_WHOLE,
                            text={"type": "string", "minLength": 1},
                            loci={
                                "type": "array",
                                "items": {
                                    "oneOf": [
                                        _object(g={"type": "array", "items": _PLACE, "minItems": 1}),
                                        _object(i=_PLACE),
                                    ]
                                },
                            },
                        ),
                    },
                    labels=_object(cellLabels={"type": "object"}),
                ),
            ),
        },
        buildInfo=_object(
            name={"type": "string"}, version={"type": "string"}, runAtMillis=_WHOLE, runAtStr={"type": "string"}
        ),
    ),
}

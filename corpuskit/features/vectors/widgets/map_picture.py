"""Static version of the map: a picture with its legend and regions as HTML."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import Any, Final

import numpy as np

from corpuskit.features.vectors.widgets.map_colours import OTHER, Colouring, palette, shape_of
from corpuskit.features.vectors.widgets.map_places import PointLayout, bounds

_WIDTH, _HEIGHT, _MARGIN = 720, 480, 18
_TWICE: Final = 2  # drawn at twice the size and scaled down for smooth edges
_LISTED: Final = 60  # regions
_GROUND: Final = (255, 255, 255)


def png(layout: PointLayout, colouring: Colouring) -> bytes:
    """Draw the points on white, with numbers of the largest regions that do not overlap."""
    from PIL import Image

    shown = np.flatnonzero(~layout.gone)
    wide, high = _TWICE * _WIDTH, _TWICE * _HEIGHT
    canvas = np.full((high, wide, 3), 255, np.uint8)
    if len(shown):
        to_page = _page_of(layout.xy[shown])
        at = to_page(layout.xy[shown]).astype(int)
        codes = colouring.codes[shown]
        # Grey points are drawn first, so they do not hide others.
        order = np.argsort(codes < OTHER, kind="stable")
        colours = np.array([_rgb(palette()["light"].get(str(code), "#9aa0a6")) for code in range(256)], np.uint8)
        size = int(np.clip(round(0.9 * np.sqrt(wide * high / len(shown))), 3, 13))
        for dy in range(-(size // 2), size // 2 + 1):
            for dx in range(-(size // 2), size // 2 + 1):
                if dx * dx + dy * dy <= size * size / 4:
                    y = np.clip(at[order, 1] + dy, 0, high - 1)
                    canvas[y, np.clip(at[order, 0] + dx, 0, wide - 1)] = colours[codes[order]]
    picture = Image.fromarray(canvas).resize((_WIDTH, _HEIGHT), Image.Resampling.BOX)
    if len(shown):
        _number(picture, layout, to_page)
    file = BytesIO()
    picture.quantize(128).save(file, "PNG", optimize=True)
    return file.getvalue()


def _page_of(xy: Any) -> Callable[[Any], Any]:
    """Return a function from map positions to pixels that fits all points into the picture."""
    low, high = bounds(xy)
    available = np.array([_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN], float)
    scale = float((available / np.maximum(high - low, 1e-9)).min())
    if scale > 1e6:
        scale = 0.0  # all points coincide
    middle = np.array([_WIDTH / 2, _HEIGHT / 2])
    return lambda positions: np.round(
        _TWICE * ((positions - (low + high) / 2) * scale * np.array([1.0, -1.0]) + middle)
    )


def _number(picture: Any, layout: PointLayout, to_page: Callable[[Any], Any]) -> None:
    """Draw the numbers of regions used in the list below. A number that would overlap another is omitted."""
    from PIL import ImageDraw, ImageFont

    draw, font, boxes = ImageDraw.Draw(picture), ImageFont.load_default(14), list[tuple[float, float, float, float]]()
    # Coarse regions take precedence over fine ones.
    for number, at in sorted(layout.outline()[:_LISTED], key=lambda row: (layout.regions[row[1]].level, row[1])):
        region = layout.regions[at]
        if not region.documents:
            continue
        x, y = (to_page(np.array([region.x, region.y])) / _TWICE).tolist()
        left, top, right, bottom = draw.textbbox((x, y), number, font=font, anchor="mm")
        box = (left - 4, top - 3, right + 4, bottom + 3)
        if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in boxes):
            continue
        boxes.append(box)
        draw.rounded_rectangle(box, 4, fill=_GROUND, outline=(90, 90, 90))
        draw.text((x, y), number, font=font, fill=(17, 17, 17), anchor="mm")


def page(layout: PointLayout, colouring: Colouring, picture: bytes, *, line: str, by: str) -> str:
    """Return the picture with its legend and a list of regions as HTML. Names and words are escaped."""
    colours = palette()["light"]
    marks = {"circle": "●", "square": "■", "triangle": "▲", "diamond": "◆"}
    legend = " &nbsp; ".join(
        f'<span style="color:{colours[str(code)]}">{marks[shape_of(code)]}</span> {html.escape(name)} ({count:,})'
        for code, name, count in colouring.legend
    )
    outline = layout.outline()
    rows = "".join(
        f"<tr><td>{number}</td><td>{html.escape(region.name)}</td><td>{region.documents:,}</td>"
        f"<td>{html.escape(region.words)}</td></tr>"
        for number, region in ((number, layout.regions[at]) for number, at in outline[:_LISTED])
    )
    more = len(outline) - _LISTED
    left = f"<p>and {more:,} more regions</p>" if more > 0 else ""
    head = "<tr><th></th><th>region</th><th>documents</th><th>words</th></tr>"
    return (
        f"<p>{html.escape(line)}. Run the cell to move in it.</p>"
        f'<img alt="{html.escape(line)}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'src="data:image/png;base64,{b64encode(picture).decode()}">'
        f"<p>Colours: {html.escape(by)}. {legend}</p>" + (f"<table>{head}{rows}</table>{left}" if rows else "")
    )


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))

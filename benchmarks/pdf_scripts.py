"""Superscripts and subscripts, checked by eye on rendered pages.

    uv run python benchmarks/pdf_scripts.py --data FOLDER --sheets OUT     # 100 tokens by seed, beside what was read
    uv run python benchmarks/pdf_scripts.py --data FOLDER                  # the tokens judged before, read again

pdf_scripts.json holds what was judged: file, page, left and top of the token in points, the token as read, and the
token as it stands on the page where its scripts or ends differ (``seen``). ``letter`` is a letter that the font of the
file names wrongly; the scripts of that token are right.
"""

import argparse
import json
import random
from pathlib import Path

import pypdfium2
from PIL import Image, ImageDraw, ImageFont

from corpuskit.compat import textworks
from corpuskit.extraction.pdf.analysis import analyse

JUDGED = Path(__file__).with_suffix(".json")
SCALE, WIDE, TALL, COLUMNS = 5, 470, 150, 3


def script_tokens(path):
    """(page, left, top, token) of the tokens in braces, in reading order."""
    pdf = pypdfium2.PdfDocument(path)
    segmentation = textworks.segmentation(pdf, analyse(pdf), path.name)
    places = dict(segmentation["ids"])
    for page in segmentation["pages"]:
        for block in page["blocks"]:
            for tokens, ids in block["lines"]:
                for token, number in zip(tokens, ids, strict=True):
                    if token.startswith("{"):
                        yield page["page"], places[number][1], token


def crop(data, entry):
    page = pypdfium2.PdfDocument(data / entry["file"])[entry["page"]]
    top, left, wide, tall = entry["box"]
    image = page.render(scale=SCALE).to_pil().convert("RGB")
    area = [SCALE * value for value in (left - 10, top - 4, left + wide + 10, top + tall + 4)]
    part = image.crop([int(value) for value in area])
    ImageDraw.Draw(part).rectangle((SCALE * 9, 0, part.width - SCALE * 9, part.height - 1), outline="red")
    return part


def write_sheets(data, entries, folder):
    folder.mkdir(parents=True, exist_ok=True)
    font = ImageFont.load_default(20)
    for first in range(0, len(entries), 24):
        group = entries[first : first + 24]
        rows = -(-len(group) // COLUMNS)
        sheet = Image.new("RGB", (COLUMNS * WIDE, rows * TALL), "white")
        draw = ImageDraw.Draw(sheet)
        for k, entry in enumerate(group):
            x, y = k % COLUMNS * WIDE, k // COLUMNS * TALL
            part = crop(data, entry)
            part.thumbnail((WIDE - 10, TALL - 40))
            sheet.paste(part, (x + 5, y + 30))
            draw.text((x + 5, y + 4), f"{first + k}: {entry['token']}", fill="blue", font=font)
        sheet.save(folder / f"scripts-{first:03d}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sheets", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.sheets is not None:
        found = [
            {"file": path.name, "page": page, "box": box, "token": token}
            for path in sorted(options.data.glob("*.pdf"))
            for page, box, token in script_tokens(path)
        ]
        entries = sorted(random.Random(options.seed).sample(range(len(found)), min(100, len(found))))
        chosen = [found[i] for i in entries]
        write_sheets(options.data, chosen, options.sheets)
        (options.sheets / "tokens.json").write_text(json.dumps(chosen, ensure_ascii=False, indent=0), "utf-8")
        print(f"{len(chosen)} of {len(found)} tokens in {options.sheets}")
        return
    judged = json.loads(JUDGED.read_text("utf-8"))
    right = now_right = 0
    read = {name: list(script_tokens(options.data / name)) for name in {entry["file"] for entry in judged}}
    for entry in judged:
        seen = entry.get("seen", entry["token"])
        right += seen == entry["token"]
        near = [
            token
            for page, box, token in read[entry["file"]]
            if page == entry["page"] and abs(box[0] - entry["top"]) < 3 and abs(box[1] - entry["left"]) < 3
        ]
        now_right += seen in near
        if seen not in near:
            print(entry["file"], entry["page"], "seen:", seen, "read:", near)
    print(f"{len(judged)} tokens: right when judged {right / len(judged):.2f}, now {now_right / len(judged):.2f}")


if __name__ == "__main__":
    main()

"""The artifacts of TextWorks for every PDF of a folder: valid by their schemas, and what schemas cannot say.

    uv run python benchmarks/pdf_segmentation.py --data FOLDER

Checked: each line has as many tokens as ids; ids are unique and all defined, on the page they are used on; boxes lie
inside the page; the offsets and the characters of the text grid agree with its text.
"""

import argparse
import json
import tempfile
from pathlib import Path

import jsonschema

from corpuskit.compat import textworks

SEGMENTATION = jsonschema.Draft202012Validator(textworks.SEGMENTATION_SCHEMA)
TEXTGRID = jsonschema.Draft202012Validator(textworks.TEXTGRID_SCHEMA)
TOLERANCE = 0.02  # points: boxes are written with two decimals


def faults_of_segmentation(content):
    yield from (f"schema: {error.message[:200]}" for error in SEGMENTATION.iter_errors(content))
    places = dict(content["ids"])
    if len(places) != len(content["ids"]):
        yield "an id is defined twice"
    used = []
    for page in content["pages"]:
        _, _, width, height = page["pageGeometry"]
        for block in page["blocks"]:
            for tokens, ids in block["lines"]:
                if len(tokens) != len(ids):
                    yield f"page {page['page']}: {len(tokens)} tokens, {len(ids)} ids"
                for number in ids:
                    used.append(number)
                    if number not in places:
                        yield f"page {page['page']}: id {number} is not defined"
                        continue
                    at, (top, left, wide, tall) = places[number]
                    if at != page["page"]:
                        yield f"id {number} is defined on page {at} and used on page {page['page']}"
                    if min(top, left) < 0 or left + wide > width + TOLERANCE or top + tall > height + TOLERANCE:
                        yield f"page {page['page']}: the box of id {number} leaves the page"
    if len(used) != len(set(used)):
        yield "an id is used twice"
    if set(used) != set(places):
        yield f"{len(set(places) - set(used))} ids are defined and not used"


def faults_of_textgrid(content):
    yield from (f"textgrid schema: {error.message[:200]}" for error in TEXTGRID.iter_errors(content))
    for number, page in enumerate(content["pages"]):
        offset = 0
        for row in page["textgrid"]["rows"]:
            if row["offset"] != offset:
                yield f"textgrid page {number}: offset {row['offset']}, expected {offset}"
            offset += len(row["text"])
            written = "".join((locus["g"][0] if "g" in locus else locus["i"])[0] for locus in row["loci"])
            if written != row["text"] or len(row["loci"]) != len(row["text"]):
                yield f"textgrid page {number}: loci spell {written!r}, the text is {row['text']!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    files = tokens = scripts = pages = faulty = 0
    for path in sorted(options.data.glob("*.pdf")):
        with tempfile.TemporaryDirectory() as folder:
            textworks.write_artifacts(path.read_bytes(), Path(folder), document_id=path.name)
            segmentation = json.loads((Path(folder) / "segmentation.json").read_text("utf-8"))
            textgrid = json.loads((Path(folder) / "textgrid.json").read_text("utf-8"))
        faults = [*faults_of_segmentation(segmentation), *faults_of_textgrid(textgrid)]
        files, faulty, pages = files + 1, faulty + bool(faults), pages + len(segmentation["pages"])
        for page in segmentation["pages"]:
            for block in page["blocks"]:
                for line, _ in block["lines"]:
                    tokens += len(line)
                    scripts += sum(token.startswith("{") for token in line)
        for fault in faults[:5]:
            print(f"{path.name}: {fault}")
    print(f"{files} files, {pages} pages, {tokens} tokens, {scripts} of them with scripts: {faulty} files with faults")
    raise SystemExit(bool(faulty))


if __name__ == "__main__":
    main()

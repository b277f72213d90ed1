"""CPU time of PDF extraction as a ratio to pdfplumber's text, measured file by file in one run; memory over many pages.

uv run python benchmarks/pdf_speed.py [--data FOLDER]                  # default: the demo files
uv run --with liteparse python benchmarks/pdf_speed.py --data FOLDER   # LiteParse beside, which makes Markdown
"""

import argparse
import io
import resource
import tempfile
import time
from pathlib import Path

import pdfplumber
import pikepdf

from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.pdf import extract_pdf

DEMO = Path(__file__).parents[1] / "data" / "demo" / "files"


def cpu(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def with_pdfplumber(content):
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        for page in pdf.pages:
            page.extract_text()


def with_liteparse():
    """LiteParse as a call, without OCR; None where it is not installed."""
    try:
        from liteparse import LiteParse
    except ImportError:
        return None
    parser = LiteParse(output_format="markdown", ocr_enabled=False, image_mode="off", extract_links=False, quiet=True)

    def run(content):
        with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
            file.write(content)
            file.flush()
            return parser.parse(file.name).text

    return run


def many_pages(content, count):
    """The pages of a PDF again and again."""
    out = pikepdf.new()
    with pikepdf.open(io.BytesIO(content)) as source:
        while len(out.pages) < count:
            for page in source.pages:
                out.pages.append(page)
    written = io.BytesIO()
    out.save(written)
    return written.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEMO)
    parser.add_argument("--pages", type=int, default=2_000)
    options = parser.parse_args()
    contents = [path.read_bytes() for path in sorted(options.data.rglob("*.pdf"))]
    runs = {
        "pdfplumber text": with_pdfplumber,
        "corpuskit": lambda c: extract_pdf(c, uri=None, options=ExtractOptions()),
        "corpuskit, text only": lambda c: extract_pdf(c, uri=None, options=ExtractOptions(structure=False)),
    }
    if liteparse := with_liteparse():
        runs["LiteParse"] = liteparse
    for run in runs.values():  # imports are not timed
        run(contents[0])
    sums = dict.fromkeys(runs, 0.0)
    for content in contents:
        for name, run in runs.items():
            sums[name] += cpu(lambda run=run, content=content: run(content))
    for name, seconds in sums.items():
        print(f"{name}: {seconds:.2f} s, ratio {seconds / sums['pdfplumber text']:.3f}")
    large = many_pages(contents[0], options.pages)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    extract_pdf(large, uri=None, options=ExtractOptions())
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{options.pages} pages: peak memory {after / 1024:.0f} MB, {before / 1024:.0f} MB before")


if __name__ == "__main__":
    main()

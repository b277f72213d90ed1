"""Words of Arabic, Persian and Hebrew in PDF files that a browser writes, read by us, pypdfium2 and pdfplumber.

    uv run python benchmarks/pdf_leftward.py [--data FOLDER] [--fonts "DejaVu Sans, Noto Naskh Arabic"]

FOLDER has text files (*.txt, a paragraph a line); without it, the sentences below. Each font gives a file. Printed: the share of the
words that each reader found, once each, after Unicode's NFKC. The zero-width non-joiner leaves no trace in such a file and is taken
out of the words; a browser stands for what most such files are made with.
"""

import argparse
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pdfplumber
import pypdfium2

import corpuskit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
import jupyter_harness as harness

SENTENCES = [
    "زبان فارسی یکی از زبان‌های هندواروپایی است که در ایران، افغانستان و تاجیکستان به آن سخن می‌گویند.",
    "فارسی را پارسی نیز می‌گویند و در سال ۱۳۹۸ بیش از ۱۱۰ میلیون نفر گویشور داشت.",
    "نرم‌افزار LibreOffice نسخهٔ ۷٫۴ در سال 2022 منتشر شد [۱۲].",
    "قال المعلّم: «إنّ العِلمَ نورٌ» ثم مضى في ٢٠٢٤/٠٥/١٨ إلى البيت (الكبير).",
    "السعر 1,250.00 دولار، والخصم 15% للطلاب.",
    "השפה העברית היא שפה שמית, ממשפחת השפות האפרו־אסיאתיות, הידועה כשפתו של העם היהודי.",
    "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ",
    'מחיר: 12.50 ש"ח, גרסה 3.1 של LibreOffice Writer יצאה ב־2024.',
]
READERS = {
    "corpuskit": lambda file: corpuskit.extract(file).to("txt"),
    "pypdfium2": lambda file: "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(file)),
    "pdfplumber": lambda file: "\n".join(page.extract_text() for page in pdfplumber.open(file).pages),
}


def words(text):
    return Counter(unicodedata.normalize("NFKC", text).replace("\u200c", "").split())


def printed(paragraphs, font, folder, browser):
    """A PDF file of the paragraphs."""
    file = Path(folder, "print.pdf")
    page = browser.new_page()
    body = "".join("<p></p>" for _ in paragraphs)
    page.set_content(f"<html dir=rtl><meta charset=utf-8><body style='font-family: \"{font}\"'>{body}</body></html>")
    page.evaluate("texts => document.querySelectorAll('p').forEach((p, k) => p.textContent = texts[k])", paragraphs)
    page.pdf(path=file, tagged=False)
    page.close()
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--fonts", default="DejaVu Sans", help="names, parted by commas")
    options = parser.parse_args()
    paragraphs = SENTENCES
    if options.data is not None:
        files = sorted(options.data.rglob("*.txt"))
        paragraphs = [line for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]
    wanted = words("\n".join(paragraphs))
    with TemporaryDirectory() as folder, harness.chromium() as browser:
        for font in (name.strip() for name in options.fonts.split(",")):
            file = printed(paragraphs, font, folder, browser)
            for name, read in READERS.items():
                share = (words(read(file)) & wanted).total() / wanted.total()
                print(f"{font:24} {name:12} {share:.3f} of {wanted.total():,} words")


if __name__ == "__main__":
    main()

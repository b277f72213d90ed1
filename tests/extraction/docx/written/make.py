"""Writes the outlines here with pandoc and LibreOffice; run it where both are installed: ``python make.py``.

Made with pandoc 2.17 and LibreOffice 7.4; what is kept of their output is the text of its parts, packed tightly.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from outlines import html, parse  # noqa: E402

KEPT = ("document.xml", "styles.xml", "numbering.xml", ".rels", "[Content_Types].xml", "settings.xml")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in sorted(HERE.glob("*.gold")):
            body = html(parse(path.read_text(encoding="utf-8")))
            page = f'<html><head><meta charset="utf-8"/><title></title></head><body>{body}</body></html>'
            (folder / f"{path.stem}.html").write_text(page, encoding="utf-8")
            made = folder / f"{path.stem}.pandoc.docx"
            subprocess.run(["pandoc", folder / f"{path.stem}.html", "-o", made], check=True)
            keep(made, HERE / f"{path.stem}.pandoc.docx")
        pages = sorted(map(str, folder.glob("*.html")))
        command = [shutil.which("soffice"), f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
        command += ["--infilter=HTML (StarWriter)", "--convert-to", "docx", "--outdir", name, *pages]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        for page in pages:
            keep(Path(page).with_suffix(".docx"), HERE / f"{Path(page).stem}.libreoffice.docx")


def keep(made, target):
    """A copy with the parts that hold text, packed tightly and with one date."""
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as copy:
        for info in source.infolist():
            if info.filename.endswith(KEPT):
                copy.writestr(zipfile.ZipInfo(info.filename), source.read(info), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main()

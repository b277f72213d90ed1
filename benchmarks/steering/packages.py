"""Debian documentation packages, downloaded and unpacked into a folder; nothing is installed."""

import os
import subprocess
from collections import Counter
from pathlib import Path

HTML = (".html", ".htm", ".html.gz")


def wanted(listing: Path) -> dict[str, str]:
    """Return {package: version} of a list with ``package version`` a line; a version may be missing."""
    lines = [line.split() for line in listing.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {name: version[0] if version else "" for name, *version in lines}


def unpack(packages: dict[str, str], folder: Path) -> dict[str, Path]:
    """Download and unpack what is missing in the folder; return where each package was unpacked.

    Args:
        packages: names, with the versions the gold was checked on; another version is taken, and said.
        folder: keeps the packages and a folder of each, for all topics.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = {path.name.split("_")[0]: path for path in folder.glob("*.deb")}
    missing = [name for name in packages if name not in files]
    if missing:
        print(f"downloading {len(missing)} packages into {folder}", flush=True)
        subprocess.run(["apt-get", "download", "-q=2", *missing], cwd=folder, check=True)
        files = {path.name.split("_")[0]: path for path in folder.glob("*.deb")}
    roots = {}
    for name, version in packages.items():
        roots[name] = folder / name
        if not roots[name].is_dir():
            half = folder / f"{name}.part"
            subprocess.run(["dpkg", "-x", str(files[name]), str(half)], check=True)
            half.rename(roots[name])
        show = ["dpkg-deb", "--field", str(files[name]), "Version"]
        found = subprocess.run(show, check=True, capture_output=True, text=True).stdout.strip()
        if version and found != version:
            print(f"note: {name} is {found}, the gold was checked on {version}", flush=True)
    return roots


def document_root(package: Path, inside: str | None) -> Path:
    """Return the folder a site is served from: as named, else the one that holds most HTML files."""
    if inside and (package / inside).is_dir():
        return package / inside
    counts: Counter[str] = Counter()
    for folder, _, files in os.walk(package):
        counts[folder] += sum(name.endswith(HTML) for name in files)
    return Path(counts.most_common(1)[0][0])


def html_files(root: Path) -> dict[str, Path]:
    """Return {path on the site: file} of all HTML files under a document root; compressed ones without their .gz."""
    files = {}
    for folder, _, names in os.walk(root):
        for name in names:
            file = Path(folder, name)
            if name.endswith(HTML) and file.is_file():
                files[f"/{file.relative_to(root)}".removesuffix(".gz")] = file
    return files

"""What an install brings: packages, megabytes, licences, as the installed packages say themselves.

uv run python benchmarks/dependencies.py
"""

import argparse
import re
from importlib.metadata import PackageNotFoundError, distribution, requires

from packaging.requirements import Requirement


def install(*extras):
    """The packages of an install with extras, by name; those this environment has."""
    found, waiting, seen = {}, [("corpuskit", frozenset(extras))], set()
    while waiting:
        name, chosen = waiting.pop()
        for line in requires(name) or []:
            need = Requirement(line)
            if need.marker and not any(need.marker.evaluate({"extra": extra}) for extra in {"", *chosen}):
                continue
            if (key := (need.name.lower(), frozenset(need.extras))) in seen:
                continue
            seen.add(key)
            try:
                found[need.name.lower().replace("_", "-")] = distribution(need.name)
            except PackageNotFoundError:
                continue
            waiting.append((need.name, frozenset(need.extras)))
    found.pop("corpuskit", None)
    return found


def licence(package):
    """The licence a package states: an SPDX expression, else its classifiers, else the first line of its text."""
    said = package.metadata
    names = [name.rpartition(" :: ")[2] for name in said.get_all("Classifier") or [] if name.startswith("License ::")]
    return (
        said.get("License-Expression")
        or "; ".join(names)
        or (said.get("License") or "none stated").strip().splitlines()[0][:60]
    )


def is_copyleft(package):
    """Whether all that a package may be used under is a GPL or AGPL; the LGPL allows linking, a choice can be made."""
    said = licence(package)
    choices = re.split(r"\bOR\b", said) if package.metadata.get("License-Expression") else [said]
    return all(re.search(r"(?<!L)(?<!Lesser )\b(A?GPL|(Affero )?General Public License)", choice) for choice in choices)


def size(package):
    """Bytes of its files."""
    files = (package.locate_file(file) for file in package.files or [])
    return sum(file.stat().st_size for file in files if file.exists())


def main():
    """Prints both installs."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for title, extras in (("plain", ()), ("[all]", ("all",))):
        packages = install(*extras)
        sizes = {name: size(package) for name, package in packages.items()}
        largest = ", ".join(
            f"{name} {sizes[name] / 1e6:.0f}" for name in sorted(sizes, key=sizes.get, reverse=True)[:8]
        )
        print(f"{title}: {len(packages)} packages, {sum(sizes.values()) / 1e6:,.0f} MB, among them {largest}")
        print(
            "  under the GPL: "
            + (", ".join(name for name in sorted(packages) if is_copyleft(packages[name])) or "none")
        )
        for name in sorted(packages):
            print(f"  {name:28} {sizes[name] / 1e6:8.1f} MB  {licence(packages[name])}")


if __name__ == "__main__":
    main()

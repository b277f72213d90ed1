"""Topic files: what stands in a topic's web and which of its pages are relevant; README.md describes their form."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
TOPICS = HERE / "topics"


def names() -> list[str]:
    """Return the names of the topics that come with the benchmark."""
    return sorted(path.stem for path in TOPICS.glob("*.py"))


def load(path: Path) -> ModuleType:
    """Return a topic file as a module.

    Raises:
        ValueError: the file contradicts itself.
    """
    spec = importlib.util.spec_from_file_location(f"topic_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is not a Python file")
    topic = importlib.util.module_from_spec(spec)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(topic)
    finally:
        sys.dont_write_bytecode = bytecode
    check(topic, path)
    return topic


def check(topic: ModuleType, path: Path) -> None:
    """Raise if a name of the topic file stands for nothing, or a site can only be found by chance."""
    sites = set(topic.SITES)
    hubs = {topic.HUBS["directory"]["host"], topic.HUBS["blog"]["host"]}
    themed = {site for listed in topic.THEMES.values() for site in listed}
    known = sites | hubs | set(topic.TRAPS)
    problems = [
        ("sites of RELEVANT_SITES, RULES, CAPS, EXTERNAL or THEMES that are not in SITES", named_sites(topic) - sites),
        ("sites in no theme", sites - themed),
        ("hosts of ROBOTS_OF or SITEMAPS that do not exist", {*topic.ROBOTS_OF, *topic.SITEMAPS} - known),
        ("hubs or traps with the name of a site", (hubs | set(topic.TRAPS)) & sites),
    ]
    for problem, found in problems:
        if found:
            raise ValueError(f"{path}: {problem}: {', '.join(sorted(found))}")
    re.compile(topic.KEYWORDS)


def named_sites(topic: ModuleType) -> set[str]:
    external = {site for _, site in topic.EXTERNAL}
    themed = {site for listed in topic.THEMES.values() for site in listed}
    return {*topic.RELEVANT_SITES, *topic.RULES, *topic.CAPS, *external, *themed}

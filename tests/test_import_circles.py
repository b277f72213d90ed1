"""No module needs, by whatever way round, one that needs it.

Imports inside functions count, and modules that are found by where they stand; imports for type checkers do not.
"""

import ast
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

import corpuskit
from corpuskit.plugins import feature_groups

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

ROOT = Path(corpuskit.__file__).parent


def calls(function: str):
    """Module and first argument of each call of a function."""
    for file in ROOT.rglob("*.py"):
        parts = file.relative_to(ROOT.parent).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                yield module, getattr(node.args[0], "value", module)  # the other argument is __name__


@pytest.fixture(scope="module")
def imports():
    graph = grimp.build_graph("corpuskit", exclude_type_checking_imports=True, cache_dir=None)
    for module, package in calls("import_all"):
        for found in graph.find_children(package) - {module}:
            graph.add_import(importer=module, imported=found)
    return graph


def circles(needs: dict[str, set[str]]) -> list[set[str]]:
    """What is left when all that needs nothing, and all that nothing needs, is taken away again and again."""
    left = {name: set(others) - {name} for name, others in needs.items()}
    while True:
        wanted = set().union(*left.values()) if left else set()
        gone = {name for name, others in left.items() if not others & left.keys() or name not in wanted}
        if not gone:
            return [{name, *others & left.keys()} for name, others in sorted(left.items())]
        left = {name: others - gone for name, others in left.items() if name not in gone}


def test_a_circle_is_seen_whether_it_is_short_or_long():
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert circles({"a": {"b"}, "b": {"a"}, "c": {"a"}}) == [{"a", "b"}, {"a", "b"}]
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})


def test_no_module_is_in_a_circle(imports):
    assert circles({name: imports.find_modules_directly_imported_by(name) for name in imports.modules}) == []


def test_no_room_and_no_part_of_a_room_is_in_a_circle(imports):
    for package in imports.modules:
        parts = imports.find_children(package)
        part_of = {name: part for part in parts for name in (part, *imports.find_descendants(part))}
        needs = {part: set() for part in parts}
        for name, part in part_of.items():
            needs[part] |= {part_of[o] for o in imports.find_modules_directly_imported_by(name) if o in part_of}
        assert circles(needs) == [], package


def test_every_hook_that_is_called_is_registered_and_no_other():
    called = {name for function in ("hook", "hooks") for module, name in calls(function) if module != "corpuskit.hooks"}
    assert called == {name for group in feature_groups() for name in group.hooks}


@pytest.mark.slow
def test_a_document_shows_itself_where_nothing_but_corpuskit_was_imported():
    code = (
        "import corpuskit as ck\n"
        "doc = ck.extract(b'<h1>Rates</h1><p>3 % a year.</p>', media_type='text/html')\n"
        "print(type(doc.view()).__name__, repr(doc.to('txt')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "DocumentTree 'Rates\\n3 % a year.\\n'\n"

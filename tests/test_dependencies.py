"""Licences of what an install brings; the list: ``uv run python benchmarks/dependencies.py``."""

import dependencies


def test_the_plain_install_brings_nothing_under_the_gpl():
    packages = dependencies.install()
    assert len(packages) > 20
    assert [name for name in packages if dependencies.is_copyleft(packages[name])] == []


def test_of_all_extras_only_zim_brings_something_under_the_gpl():
    packages = dependencies.install("all")
    assert [name for name in packages if dependencies.is_copyleft(packages[name])] == ["libzim"]
    assert "libzim" in {name for name in dependencies.install("zim") if name not in dependencies.install()}


def test_each_package_states_a_licence():
    assert [
        name for name, package in dependencies.install("all").items() if dependencies.licence(package) == "none stated"
    ] == []

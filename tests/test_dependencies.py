"""Licences of what an install brings; the list: ``uv run python benchmarks/dependencies.py``."""

import dependencies
import pytest


@pytest.fixture(scope="module")
def licences():
    """The licence of each package that ``corpuskit[all]`` brings, and whether the licence is copyleft."""
    return {
        name: (dependencies.licence(package), dependencies.is_copyleft(package))
        for name, package in dependencies.install("all").items()
    }


def test_of_all_extras_only_zim_brings_something_under_the_gpl(licences):
    assert [name for name, (_, is_copyleft) in licences.items() if is_copyleft] == ["libzim"]
    plain = dependencies.install()
    assert "libzim" in {name for name in dependencies.install("zim") if name not in plain}
    assert len(plain) > 20


def test_each_package_states_a_licence(licences):
    assert [name for name, (licence, _) in licences.items() if licence == "none stated"] == []

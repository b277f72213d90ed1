"""Where the code on the manual's pages runs."""

import pytest


@pytest.fixture
def desk(copy_demo, tmp_path):
    """A working folder with the demo's corpus as ``insurance``."""
    copy_demo("insurance")
    return tmp_path

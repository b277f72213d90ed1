"""Fixtures of the browser tests: one JupyterLab and one browser for all of them."""

import contextlib
import json
import os
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

FOLDER = Path(__file__).parent
FAST = {"test_every_widget_can_be_read_in_light_and_dark"}  # opens each widget once


@pytest.fixture(scope="session")
def harness():
    import jupyter_harness

    if not jupyter_harness.CHROMIUM:
        (pytest.fail if os.environ.get("CI", "").lower() == "true" else pytest.skip)("no chromium is installed")
    return jupyter_harness


@pytest.fixture(scope="session")
def lab(harness, tmp_path_factory):
    root = tmp_path_factory.mktemp("lab")
    with harness.jupyterlab(root) as (base, token):
        yield root, base, token


@pytest.fixture(scope="session")
def browser(harness):
    with harness.chromium() as context:
        yield context


@pytest.fixture
def page(lab, browser):
    """A page that fails the test for an error in its console or a request to anywhere else."""
    _, base, token = lab
    opened, wrong = browser.new_page(), []
    opened.set_default_timeout(20_000)
    own = (base, base.replace("http", "ws"), "data:", "blob:")
    opened.on("console", lambda message: wrong.append(f"console: {message.text}") if message.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(f"page: {error}"))
    opened.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(f"request: {asked.url}"))
    opened.wrong = wrong
    yield opened
    opened.close()
    end_kernels(base, token)
    assert not wrong, wrong


def end_kernels(base, token):
    """Ends what the test has started: sixty kernels take the memory of a small machine."""
    headers = {"Authorization": f"token {token}"}
    with urlopen(Request(f"{base}/api/kernels", headers=headers), timeout=60) as answer:
        kernels = json.load(answer)
    for kernel in kernels:
        with contextlib.suppress(HTTPError):  # the test has killed it
            urlopen(Request(f"{base}/api/kernels/{kernel['id']}", headers=headers, method="DELETE"), timeout=60).close()


@pytest.fixture
def notebook(harness, lab, page, request):
    """``notebook(code, ...)`` → an open notebook with these cells."""
    root, base, token = lab

    def make(*cells):
        name = f"{request.node.name}.ipynb".replace("[", "_").replace("]", "").replace("/", "_")
        harness.write_notebook(root / "nb" / name, *cells)
        return harness.Notebook(page, base, token, name).open()

    return make


@pytest.fixture
def keep():
    """``keep(widget, name)`` → a picture of it in the folder CORPUSKIT_PICTURES, where that is set."""
    folder = os.environ.get("CORPUSKIT_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
    return lambda widget, name: widget.screenshot(path=str(Path(folder) / f"{name}.png")) if folder else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    opened = item.funcargs.get("page") if hasattr(item, "funcargs") else None
    if call.when == "call" and outcome.get_result().failed and opened is not None:
        with contextlib.suppress(Exception):  # a page that hangs has no picture, and the next tests run all the same
            opened.screenshot(path=str(Path(item.config.rootpath) / ".pytest_cache" / f"{item.name}.png"))


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    for item in items:
        if FOLDER in Path(item.path).parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))  # one JupyterLab and one browser
            if item.name not in FAST:
                item.add_marker(pytest.mark.slow)
            # Playwright and JupyterLab's server are others' code; their warnings are not ours to mend.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.timeout(150))

"""Fixtures of the browser tests: one JupyterLab and one browser for all of them."""

import contextlib
import json
import os
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

FOLDER = Path(__file__).parent
FAILED = pytest.StashKey[bool]()
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


class Pages:
    """The page of JupyterLab that the tests share: it loads for five seconds, a notebook opens in one."""

    def __init__(self, browser, base):
        self.browser, self.base, self.shared = browser, base, None

    def new(self):
        opened = self.browser.new_page()
        wrong = opened.wrong = []
        own = (self.base, self.base.replace("http", "ws"), "data:", "blob:")
        opened.on("console", lambda told: wrong.append(f"console: {told.text}") if told.type == "error" else None)
        opened.on("pageerror", lambda error: wrong.append(f"page: {error}"))
        opened.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(f"request: {asked.url}"))
        opened.set_default_timeout(20_000)
        return opened

    def close(self):
        if self.shared is not None:
            self.shared.close()
        self.shared = None


@pytest.fixture(scope="session")
def pages(lab, browser):
    found = Pages(browser, lab[1])
    yield found
    found.close()


@pytest.fixture
def page(lab, pages, request):
    """A page that fails the test for an error in its console or a request to anywhere else.

    The next test goes on with it, unless this one fails or is marked ``spoils_page``.
    """
    _, base, token = lab
    pages.shared = pages.shared or pages.new()
    opened = pages.shared
    opened.wrong.clear()  # what a notebook said while it was taken away
    yield opened
    wrong = list(opened.wrong)
    if wrong or request.node.get_closest_marker("spoils_page") or request.node.stash.get(FAILED, False):
        pages.close()
    else:
        opened.evaluate("() => window.jupyterapp?.shell?.currentWidget?.dispose()")
        opened.wait_for_timeout(300)  # what its widgets do in the next frame is no fault of the next test
        opened.set_viewport_size({"width": 1280, "height": 900})
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
    if outcome.get_result().failed:
        item.stash[FAILED] = True
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

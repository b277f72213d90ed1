"""Pages of the manual: nothing that axe-core finds, in light and dark; nothing asked for from elsewhere."""

import http.server
import threading
from functools import partial

import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = ["index", "howto/widgets", "reference/corpus/text", "reference/commands", "reference/frames", "labels"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def served(manual):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(manual)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_finding_of_axe(served, browser, name, scheme):
    page, wrong = browser.new_page(), []
    try:
        page.emulate_media(color_scheme=scheme)
        page.on("request", lambda asked: None if asked.url.startswith((served, "data:")) else wrong.append(asked.url))
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        page.goto(f"{served}/{name}.html")
        page.wait_for_function(
            "theme => document.documentElement.dataset.theme === theme && !document.getAnimations().length", arg=scheme
        )  # a colour that is still changing is not the one to judge
        assert wrong == []  # before axe-core, which itself asks for a style sheet in a place of its own
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found] == []
    finally:
        page.close()


@pytest.mark.parametrize("part", ["tutorial", "howto"])
def test_code_is_seen_whole_in_a_window_of_1280_pixels(served, manual, browser, part):
    page, cut = browser.new_page(), []
    try:
        for file in sorted((manual / part).glob("*.html")):
            page.goto(f"{served}/{part}/{file.name}")
            cut += page.evaluate(
                "[...document.querySelectorAll('.highlight pre')].filter(code => code.scrollWidth > code.clientWidth)"
                ".map(code => location.pathname + ': ' + code.textContent)"
            )
    finally:
        page.close()
    assert cut == []

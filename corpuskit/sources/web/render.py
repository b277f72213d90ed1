"""Pages whose text is made by scripts, as a browser shows them. Off unless asked for; needs the extra ``render``."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self

from corpuskit.errors import CorpusKitError, FetchError, MissingExtraError
from corpuskit.sources.web.client import Answer

Get = Callable[[str], Awaitable[Answer | None]]
"""Fetches what a page asks for; None where it must not have it."""

_SECONDS: Final = 30.0  # a page, with all its scripts ask for
_QUIET_SECONDS: Final = 0.5
_MAX_REQUESTS: Final = 60  # of one page
_MAX_HTML: Final = 20_000_000  # characters
_GIVEN: Final = frozenset({"script", "xhr", "fetch"})  # what brings text; no pictures, fonts, styles
_ARGUMENTS: Final = (
    # All a page may have is handed to it by us: what gets past that ends at a proxy that is not there.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class Renderer:
    """A browser of the user's own, started with the first page. Used as an asynchronous context manager.

    Args:
        get: fetches scripts and data, with the guards and the patience of the crawl.
        executable: the browser; default ``CORPUSKIT_CHROMIUM``, else chromium or Chrome on the path, else Playwright's own.
    """

    def __init__(self, get: Get, executable: str | None = None) -> None:
        self._get = get
        self._executable = executable or find_browser()
        self._playwright: Any = None
        self._browser: Any = None
        self._one = asyncio.Lock()  # a page at a time: browsers are large

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._playwright is not None:
            await self._playwright.stop()

    async def render(self, answer: Answer) -> bytes:
        """The page as UTF-8 HTML after its scripts have run.

        Raises:
            MissingExtraError: Playwright is not installed.
            FetchError: no browser, or it did not come to an end.
        """
        async with self._one:
            await self._start()
            context = await self._browser.new_context(
                service_workers="block", accept_downloads=False, java_script_enabled=True
            )
            try:
                return await asyncio.wait_for(self._show(context, answer), _SECONDS)
            except TimeoutError:
                raise FetchError("the browser did not finish in time", url=answer.uri) from None
            except CorpusKitError:
                raise
            except Exception as error:
                raise FetchError(f"the browser: {str(error).splitlines()[0][:200]}", url=answer.uri) from error
            finally:
                with contextlib.suppress(Exception):
                    await context.close()

    async def _start(self) -> None:
        if self._browser is not None and self._browser.is_connected():
            return
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError:
            raise MissingExtraError("playwright", "render") from None
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        try:
            self._browser = await self._playwright.chromium.launch(
                executable_path=self._executable, args=[*_ARGUMENTS, *_sandbox()], headless=True
            )
        except Error as error:
            raise FetchError(
                f"no browser could be started ({str(error).splitlines()[0][:120]}): install chromium, or name it in "
                "CORPUSKIT_CHROMIUM"
            ) from error

    async def _show(self, context: Any, answer: Answer) -> bytes:
        page = await context.new_page()
        left = _MAX_REQUESTS

        async def hand_over(route: Any) -> None:
            nonlocal left
            request = route.request
            if request.is_navigation_request() and request.frame == page.main_frame and left == _MAX_REQUESTS:
                left -= 1
                kind = f"text/html; charset={answer.charset or 'utf-8'}"
                await route.fulfill(status=200, headers={"content-type": kind}, body=answer.content)
                return
            left -= 1
            is_wanted = request.method == "GET" and request.resource_type in _GIVEN and left > 0
            given = await self._get(request.url) if is_wanted else None
            if given is None:
                await route.abort()
                return
            headers = {
                name: value
                for name, value in given.headers.items()
                if name in {"content-type", "access-control-allow-origin", "access-control-allow-headers"}
            }
            await route.fulfill(status=given.status, headers=headers, body=given.content)

        await context.route("**/*", hand_over)
        await page.goto(answer.uri, wait_until="load", timeout=_SECONDS * 1000)
        with contextlib.suppress(Exception):  # a page that never rests is taken as it is
            await page.wait_for_load_state("networkidle", timeout=_SECONDS * 300)
        await asyncio.sleep(_QUIET_SECONDS)
        html = await page.content()
        return str(html)[:_MAX_HTML].encode("utf-8", "replace")


def find_browser() -> str | None:
    """The user's chromium or Chrome; None: Playwright knows."""
    named = os.environ.get("CORPUSKIT_CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return named or next((found for name in names if (found := shutil.which(name))), None)


def _sandbox() -> tuple[str, ...]:
    """Root in a container has no sandbox to give."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ("--no-sandbox",) if is_root else ()

"""Rendering of JavaScript pages in a headless browser; disabled by default, requires the extra ``render``."""

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
"""Function that fetches a resource for a page, or None if the resource is refused."""

_MAX_SECONDS: Final = 30.0  # per page, including the requests of its scripts
_QUIET_SECONDS: Final = 0.5
_MAX_REQUESTS: Final = 60  # per page
_MAX_HTML: Final = 20_000_000  # characters
_ALLOWED_TYPES: Final = frozenset(
    {"script", "xhr", "fetch"}
)  # requests that can add text; images, fonts and styles are blocked
_ARGUMENTS: Final = (
    # All allowed requests are fulfilled by corpuskit. Any other request fails at a proxy that does not exist.
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
    """Headless browser, started on the first page; use it as an asynchronous context manager.

    Args:
        get: Function that fetches scripts and data, with the limits and delays of the crawl.
        executable: Path of the browser. Default: ``CORPUSKIT_CHROMIUM``, else Chromium or Chrome on the PATH, else the
            browser of Playwright.
    """

    def __init__(self, get: Get, executable: str | None = None) -> None:
        self._get = get
        self._executable = executable or find_browser()
        self._playwright: Any = None
        self._browser: Any = None
        self._lock = asyncio.Lock()  # one page at a time limits the memory of the browser

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
        """Return the page as UTF-8 HTML after its scripts have run.

        Raises:
            MissingExtraError: Playwright is not installed.
            FetchError: No browser could be started, or it did not finish in time.
        """
        async with self._lock:
            await self._start()
            context = await self._browser.new_context(
                service_workers="block", accept_downloads=False, java_script_enabled=True
            )
            try:
                return await asyncio.wait_for(self._show(context, answer), _MAX_SECONDS)
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

        async def fulfill_request(route: Any) -> None:
            nonlocal left
            request = route.request
            if request.is_navigation_request() and request.frame == page.main_frame and left == _MAX_REQUESTS:
                left -= 1
                kind = f"text/html; charset={answer.charset or 'utf-8'}"
                await route.fulfill(status=200, headers={"content-type": kind}, body=answer.content)
                return
            left -= 1
            is_allowed = request.method == "GET" and request.resource_type in _ALLOWED_TYPES and left > 0
            resource = await self._get(request.url) if is_allowed else None
            if resource is None:
                await route.abort()
                return
            headers = {
                name: value
                for name, value in resource.headers.items()
                if name in {"content-type", "access-control-allow-origin", "access-control-allow-headers"}
            }
            await route.fulfill(status=resource.status, headers=headers, body=resource.content)

        await context.route("**/*", fulfill_request)
        await page.goto(answer.uri, wait_until="load", timeout=_MAX_SECONDS * 1000)
        with contextlib.suppress(Exception):  # a page with continuous requests is used in its current state
            await page.wait_for_load_state("networkidle", timeout=_MAX_SECONDS * 300)
        await asyncio.sleep(_QUIET_SECONDS)
        html = await page.content()
        return str(html)[:_MAX_HTML].encode("utf-8", "replace")


def find_browser() -> str | None:
    """Return the path of Chromium or Chrome, or None for the browser of Playwright."""
    configured = os.environ.get("CORPUSKIT_CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return configured or next((path for name in names if (path := shutil.which(name))), None)


def _sandbox() -> tuple[str, ...]:
    """Return the arguments for root, which cannot use the sandbox of Chromium in a container."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ("--no-sandbox",) if is_root else ()

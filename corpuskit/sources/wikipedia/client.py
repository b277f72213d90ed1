"""Client of a MediaWiki API: Wikipedia-API extended with other hosts, server lag and rendered pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from corpuskit.dates import parse_retry_after
from corpuskit.errors import FetchError, MissingExtraError

if TYPE_CHECKING:
    import httpx

_MAX_LAG: Final = 5  # seconds; recommended by API:Etiquette
_MAX_WAIT_SECONDS: Final = 600.0  # seconds; longer waits are reported as errors
_MAX_PARTS: Final = 1_000  # per query (API:Continue)
_RETRIED: Final = frozenset(("maxlag", "ratelimited", "readonly"))


@dataclass(frozen=True, slots=True)
class WikiOptions:
    """A wiki and the request settings for it.

    Attributes:
        lang: Language edition of Wikipedia: ``en``, ``de`` ...
        host: Host of another wiki: ``www.wiki.example``, or with its scheme ``http://127.0.0.1:8080``.
        user_agent: User-Agent with contact data, as the policy of Wikimedia requires.
        retries: Maximum number of retries after server lag, rate limiting or a server error.
        retry_seconds: First wait if the server states none; doubled on each retry.
        timeout: Timeout per request in seconds.
    """

    lang: str = "en"
    host: str | None = None
    user_agent: str = "corpuskit"
    retries: int = 5
    retry_seconds: float = 1.0
    timeout: float = 30.0

    @property
    def site(self) -> str:
        """The base URL of the wiki."""
        host = self.host or f"{self.lang}.wikipedia.org"
        return host.rstrip("/") if "://" in host else f"https://{host.strip('/')}"


def open_wiki(options: WikiOptions) -> Any:
    """Return a client of a wiki; call its ``close`` at the end.

    Raises:
        MissingExtraError: Wikipedia-API is not installed.
    """
    try:
        import wikipediaapi
        from wikipediaapi import exceptions
    except ImportError as error:
        raise MissingExtraError("wikipedia-api", "wikipedia") from error

    class Wiki(wikipediaapi.Wikipedia):  # type: ignore[misc,unused-ignore]
        """Wikipedia-API 0.16 with a configurable host; the original has a fixed host and returns API errors as data."""

        def _build_url(self, language: str) -> str:
            return f"{options.site}/w/api.php"

        def _do_get(self, url: str, params: dict[str, Any]) -> dict[str, Any]:
            return self._process_response(self._fetch(url, params), url)

        def _fetch(self, url: str, params: dict[str, Any] | None = None) -> httpx.Response:
            """Send one request; Wikipedia-API retries on its connection, timeout and rate limit errors."""
            import httpx

            try:
                answer: httpx.Response = self._client.get(url, params=params, follow_redirects=True)
            except httpx.TimeoutException as error:
                raise exceptions.WikiHttpTimeoutError(url) from error
            except httpx.TransportError as error:  # the library treats a truncated response as a caller error
                raise exceptions.WikiConnectionError(url) from error
            after = answer.headers.get("Retry-After")
            if answer.status_code == 429 or (answer.status_code == 503 and after):
                raise exceptions.WikiRateLimitError(url, _seconds(after, url))
            return answer

        def _process_response(self, r: httpx.Response, url: str) -> dict[str, Any]:
            try:
                answer: dict[str, Any] = super()._process_response(r, url)
            except exceptions.WikiInvalidJsonError as error:  # an error page of a proxy, or a truncated response
                raise exceptions.WikiConnectionError(url) from error
            api_error = answer.get("error")
            if not isinstance(api_error, dict):
                return answer
            code = str(api_error.get("code"))
            if code in _RETRIED or code.startswith("internal_api_error"):
                raise exceptions.WikiRateLimitError(url, _seconds(r.headers.get("Retry-After"), url))
            raise FetchError(f"{url}: API error {code}: {api_error.get('info')}", url=url)

        def query(self, **params: str | int) -> dict[str, Any]:
            """Return the complete result of ``action=query``, following API:Continue: pages, redirects and license."""
            query_params = {"action": "query", "format": "json", "formatversion": 2, "maxlag": _MAX_LAG, **params}
            pages: dict[str, dict[str, Any]] = {}
            redirects: list[dict[str, str]] = []
            rights: dict[str, str] = {}
            more: dict[str, Any] = {}
            for _ in range(_MAX_PARTS):
                answer = self._translate_errors(partial(self._get, self.language, query_params | more))
                result = answer.get("query", {})
                redirects += result.get("redirects", [])
                rights = result.get("rightsinfo") or rights
                for page in result.get("pages", []):
                    pages.setdefault(page.get("title", ""), {}).update(page)
                more = answer.get("continue", {})
                if not more:
                    break
            return {"pages": list(pages.values()), "redirects": redirects, "rightsinfo": rights}

        def members(self, page: Any) -> dict[str, Any]:
            """Return the members of a category."""
            return dict(self._translate_errors(lambda: page.categorymembers))

        def linked(self, page: Any) -> dict[str, Any]:
            """Return the pages that a page links to."""
            return dict(self._translate_errors(lambda: page.links))

        def rendered(self, title: str) -> httpx.Response:
            """Return a page rendered by Parsoid (MediaWiki REST API, ``GET /page/{title}/html``)."""
            url = f"{options.site}/w/rest.php/v1/page/{quote(title.replace(' ', '_'), safe='')}/html"
            answer: httpx.Response = self._translate_errors(lambda: self._repeated(url))
            return answer

        def _repeated(self, url: str) -> httpx.Response:
            from tenacity import Retrying, retry_if_exception, stop_after_attempt
            from wikipediaapi._http_client.retry_after_wait import _RetryAfterWait
            from wikipediaapi._http_client.retry_utils import _is_retryable

            def get() -> httpx.Response:
                answer = self._fetch(url)
                if answer.status_code != 200:
                    raise exceptions.WikiHttpError(answer.status_code, url)
                if "html" not in answer.headers.get("Content-Type", "html"):  # an error page with status 200
                    raise exceptions.WikiConnectionError(url)
                return answer

            retrying = Retrying(
                stop=stop_after_attempt(1 + options.retries),
                wait=_RetryAfterWait(options.retry_seconds),
                retry=retry_if_exception(_is_retryable),
                reraise=True,
            )
            answer: httpx.Response = retrying(get)
            return answer

        def _translate_errors(self, ask: Any) -> Any:
            """Return the result of a call; convert errors of the library and malformed responses into FetchError."""
            try:
                return ask()
            except exceptions.WikipediaException as error:
                status = getattr(error, "status_code", None)
                url = str(getattr(error, "url", options.site))
                raise FetchError(f"{url}: {error}", url=url, status=status) from error
            except (KeyError, TypeError, AttributeError) as error:
                raise FetchError(
                    f"{options.site}: unexpected form of the response: {error!r}", url=options.site
                ) from error

        def close(self) -> None:
            """Close the connections."""
            self._client.close()

    return Wiki(
        user_agent=options.user_agent,
        language=options.lang,
        extra_api_params={"maxlag": _MAX_LAG},
        max_retries=options.retries,
        retry_wait=options.retry_seconds,
        timeout=options.timeout,
    )


def _seconds(after: str | None, url: str) -> int | None:
    """Return the seconds of a ``Retry-After`` header, which may be a date (RFC 9110, 10.2.3), or None without a valid value."""
    seconds = parse_retry_after(after)
    if seconds is None:
        return None
    if seconds > _MAX_WAIT_SECONDS:
        raise FetchError(
            f"{url}: the server requests a wait of {seconds:,.0f} s: repeat the command after that time", url=url
        )
    return max(0, ceil(seconds))

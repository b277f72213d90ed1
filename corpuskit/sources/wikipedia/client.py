"""The API of a wiki: Wikipedia-API with other hosts, with lag told as such, and with rendered pages."""

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

_MAX_LAG: Final = 5  # seconds; what the API's etiquette asks of robots
_LONGEST_WAIT: Final = 600.0  # seconds; who is asked to wait longer should come back another day
_MOST_PARTS: Final = 1_000  # of one answer
_RETRIED: Final = frozenset(("maxlag", "ratelimited", "readonly"))


@dataclass(frozen=True, slots=True)
class WikiOptions:
    """How to ask a wiki.

    Attributes:
        lang: language of the Wikipedia; ``en``, ``de`` ...
        host: another wiki instead: ``www.wiki.example``, or with its scheme ``http://127.0.0.1:8080``.
        user_agent: who asks, with a contact, as Wikimedia's policy demands.
        retries: how often a request is repeated after lag, a limit of requests or an error of the server.
        retry_seconds: the first wait where the server names none; doubled each time.
        timeout: seconds for one request.
    """

    lang: str = "en"
    host: str | None = None
    user_agent: str = "corpuskit"
    retries: int = 5
    retry_seconds: float = 1.0
    timeout: float = 30.0

    @property
    def site(self) -> str:
        """The beginning of all URLs of the wiki."""
        host = self.host or f"{self.lang}.wikipedia.org"
        return host.rstrip("/") if "://" in host else f"https://{host.strip('/')}"


def open_wiki(options: WikiOptions) -> Any:
    """A client of a wiki; its ``close`` ends its connections.

    Raises:
        MissingExtraError: Wikipedia-API is not installed.
    """
    try:
        import wikipediaapi
        from wikipediaapi import exceptions
    except ImportError as error:
        raise MissingExtraError("wikipedia-api", "wikipedia") from error

    class Wiki(wikipediaapi.Wikipedia):  # type: ignore[misc,unused-ignore]
        """Wikipedia-API 0.16 hard-wires its host in a static method and takes errors of the API for answers."""

        def _build_url(self, language: str) -> str:
            return f"{options.site}/w/api.php"

        def _do_get(self, url: str, params: dict[str, Any]) -> dict[str, Any]:
            return self._process_response(self._fetch(url, params), url)

        def _fetch(self, url: str, params: dict[str, Any] | None = None) -> httpx.Response:
            """One request; the library repeats those that end in its errors of connection, time or rate."""
            import httpx

            try:
                answer: httpx.Response = self._client.get(url, params=params, follow_redirects=True)
            except httpx.TimeoutException as error:
                raise exceptions.WikiHttpTimeoutError(url) from error
            except httpx.TransportError as error:  # it takes an answer that breaks off for an error of the caller
                raise exceptions.WikiConnectionError(url) from error
            after = answer.headers.get("Retry-After")
            if answer.status_code == 429 or (answer.status_code == 503 and after):
                raise exceptions.WikiRateLimitError(url, _seconds(after, url))
            return answer

        def _process_response(self, r: httpx.Response, url: str) -> dict[str, Any]:
            try:
                answer: dict[str, Any] = super()._process_response(r, url)
            except exceptions.WikiInvalidJsonError as error:  # a page of a proxy, or half an answer
                raise exceptions.WikiConnectionError(url) from error
            said = answer.get("error")
            if not isinstance(said, dict):
                return answer
            code = str(said.get("code"))
            if code in _RETRIED or code.startswith("internal_api_error"):
                raise exceptions.WikiRateLimitError(url, _seconds(r.headers.get("Retry-After"), url))
            raise FetchError(f"{url}: the API says {code}: {said.get('info')}", url=url)

        def query(self, **params: str | int) -> dict[str, Any]:
            """What ``action=query`` answers, in all its parts (API:Continue): pages and redirects."""
            whole = {"action": "query", "format": "json", "formatversion": 2, "maxlag": _MAX_LAG, **params}
            pages: dict[str, dict[str, Any]] = {}
            redirects: list[dict[str, str]] = []
            rights: dict[str, str] = {}
            more: dict[str, Any] = {}
            for _ in range(_MOST_PARTS):
                answer = self._asked(partial(self._get, self.language, whole | more))
                found = answer.get("query", {})
                redirects += found.get("redirects", [])
                rights = found.get("rightsinfo") or rights
                for page in found.get("pages", []):
                    pages.setdefault(page.get("title", ""), {}).update(page)
                more = answer.get("continue", {})
                if not more:
                    break
            return {"pages": list(pages.values()), "redirects": redirects, "rightsinfo": rights}

        def members(self, page: Any) -> dict[str, Any]:
            """The members of a category."""
            return dict(self._asked(lambda: page.categorymembers))

        def linked(self, page: Any) -> dict[str, Any]:
            """The pages that a page links to."""
            return dict(self._asked(lambda: page.links))

        def rendered(self, title: str) -> httpx.Response:
            """A page as Parsoid renders it (MediaWiki REST API, ``GET /page/{title}/html``)."""
            url = f"{options.site}/w/rest.php/v1/page/{quote(title.replace(' ', '_'), safe='')}/html"
            answer: httpx.Response = self._asked(lambda: self._repeated(url))
            return answer

        def _repeated(self, url: str) -> httpx.Response:
            from tenacity import Retrying, retry_if_exception, stop_after_attempt
            from wikipediaapi._http_client.retry_after_wait import _RetryAfterWait
            from wikipediaapi._http_client.retry_utils import _is_retryable

            def get() -> httpx.Response:
                answer = self._fetch(url)
                if answer.status_code != 200:
                    raise exceptions.WikiHttpError(answer.status_code, url)
                if "html" not in answer.headers.get("Content-Type", "html"):  # an error told with status 200
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

        def _asked(self, ask: Any) -> Any:
            """What ``ask`` gives; the library's errors, and those of answers of another form, as ours."""
            try:
                return ask()
            except exceptions.WikipediaException as error:
                status = getattr(error, "status_code", None)
                url = str(getattr(error, "url", options.site))
                raise FetchError(f"{url}: {error}", url=url, status=status) from error
            except (KeyError, TypeError, AttributeError) as error:
                raise FetchError(f"{options.site}: an answer of unknown form: {error!r}", url=options.site) from error

        def close(self) -> None:
            """Ends the connections."""
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
    """Seconds of a ``Retry-After``, which may be a date (RFC 9110, 10.2.3); None where it says nothing."""
    seconds = parse_retry_after(after)
    if seconds is None:
        return None
    if seconds > _LONGEST_WAIT:
        raise FetchError(f"{url}: the server asks to come back in {seconds:,.0f} s: run the same again then", url=url)
    return max(0, ceil(seconds))

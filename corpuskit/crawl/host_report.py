"""Report on the requests to each host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from corpuskit.store.catalog import Catalog

if TYPE_CHECKING:
    import pandas as pd

_COUNTS: Final = {
    "ok": "r.status_code BETWEEN 200 AND 299 AND r.status_code != 204", "no_content": "r.status_code = 204",
    "moved": "r.status_code IN (301, 308)", "redirect": "r.status_code IN (302, 303, 307)",
    "not_modified": "r.status_code = 304", "bad_request": "r.status_code = 400", "forbidden": "r.status_code IN (401, 403)",
    "not_found": "r.status_code IN (404, 410)", "busy": "r.status_code IN (429, 503)",
    "server_error": "r.status_code >= 500 AND r.status_code != 503", "no_answer": "r.status_code IS NULL",
}  # fmt: skip
REFUSED: Final = (
    "(SELECT host, reason_refused AS reason, count(*) AS n FROM frontier WHERE state = 'refused' GROUP BY 1, 2 "
    "UNION ALL SELECT host, reason, links FROM refusals)"
)
"""Numbers of refusals by host and reason. They include URLs of the frontier, and links that were not added to it
because they are not URLs to fetch or are marked nofollow."""


def site_report(catalog: Catalog, *, job: int | None = None) -> pd.DataFrame:
    """Return one row per host, most requests first, of one crawl or all.

    Columns: host (str); requests, ok (2xx), no_content (204), moved (301, 308), redirect (302, 303, 307), not_modified
    (304), bad_request (400), forbidden (401, 403), not_found (404, 410), busy (429, 503), server_error (other 5xx),
    no_answer (no status: time-outs, broken connections, refusals before the response) (Int64); bytes (Int64);
    response_ms (float64, mean); new_text (float64, mean share of new text); queued (Int64: queued URLs of the host);
    refused (Int64: its URLs that are not fetched, and links on its pages that are not URLs to fetch or are marked
    nofollow); refused_why (str: the three most frequent reasons with their counts); crawl_delay (float64, seconds, from
    robots.txt); robots (str: outcome of the request for it).

    Args:
        catalog: The catalog of the corpus.
        job: Id of the crawl; None: all crawls.
    """
    import pandas as pd

    counts = ", ".join(f"sum({condition}) AS {name}" for name, condition in _COUNTS.items())
    where, parameters = ("WHERE r.job = ?", (job,)) if job is not None else ("", ())
    frame = catalog.frame(
        "SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS host, count(*) AS requests, "
        f"{counts}, sum(r.bytes) AS bytes, avg(r.response_ms) AS response_ms, avg(r.unique_share) AS new_text "
        f"FROM (SELECT *, substr(url, instr(url, '://') + 3) AS rest FROM requests) r {where} "
        "GROUP BY 1 ORDER BY requests DESC, host",
        parameters,
    )
    queued = catalog.frame("SELECT host, count(*) AS queued FROM frontier WHERE state = 'queued' GROUP BY host")
    refused = catalog.frame(f"SELECT host, sum(n) AS refused FROM {REFUSED} GROUP BY host")
    hosts = catalog.frame("SELECT host, crawl_delay, robots_status AS robots FROM hosts")
    for table in (queued, refused, hosts):
        frame = frame.merge(table, on="host", how="left")
    frame["refused_why"] = frame["host"].map(_reasons(catalog))
    integers = ["requests", *_COUNTS, "bytes", "queued", "refused"]
    columns = [
        "host",
        *integers[:-2],
        "response_ms",
        "new_text",
        "queued",
        "refused",
        "refused_why",
        "crawl_delay",
        "robots",
    ]
    for name in integers:
        values = pd.to_numeric(frame[name]).fillna(0).to_numpy(dtype=float)
        frame[name] = pd.array(values, dtype=pd.Int64Dtype())
    for name in ("response_ms", "new_text", "crawl_delay"):
        frame[name] = pd.to_numeric(frame[name]).astype("float64")
    for name in ("host", "refused_why", "robots"):
        frame[name] = frame[name].astype("str")
    return frame[columns]


def _reasons(catalog: Catalog) -> dict[str, str]:
    """Return host → its most frequent reasons of refusal."""
    reasons_of: dict[str, list[str]] = {}
    for row in catalog.rows(
        f"SELECT host, reason, sum(n) AS n FROM {REFUSED} GROUP BY host, reason ORDER BY n DESC, reason"
    ):
        reasons = reasons_of.setdefault(row["host"], [])
        if len(reasons) < 3:
            reasons.append(f"{row['reason']} {row['n']:,}")
    return {host: "; ".join(reasons) for host, reasons in reasons_of.items()}

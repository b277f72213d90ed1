import sqlite3
import struct

import pytest

from corpuskit.crawl.frontier import Frontier, NewUrl, url_id
from corpuskit.crawl.trap_detection import TrapDetector, template
from corpuskit.store.catalog import Catalog


@pytest.fixture
def catalog(tmp_path):
    opened = Catalog(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def test_a_url_gets_the_best_score_of_the_pages_that_link_to_it(catalog):
    frontier = Frontier(catalog)
    pages = [f"http://h.example/{name}" for name in "abc"]
    frontier.add([NewUrl(url, 1, 0.0) for url in [*pages, "http://h.example/x", "http://h.example/y"]])
    for url in pages[:2]:
        catalog.connection.execute("UPDATE frontier SET state = 'fetched' WHERE id = ?", (url_id(url),))
    frontier.add_links(url_id(pages[0]), [url_id("http://h.example/x"), url_id("http://gone.example/")])
    frontier.add_links(url_id(pages[1]), [url_id("http://h.example/x"), url_id("http://h.example/y")])
    for url, score in zip(pages[:2], (0.9, 0.2), strict=True):
        catalog.connection.execute(
            "INSERT INTO documents (doc_id, version, uri, host, media_type, fetched, status, path, original, content_hash) "
            "VALUES (?, 1, ?, 'h.example', 'text/html', '2026', 'extracted', ?, 'o', 'h')",
            (url, url, url),
        )
        catalog.connection.execute("INSERT INTO scores VALUES (?, 'm', ?, 'other')", (url, score))
    frontier.refresh_parent_scores()
    scores = dict(tuple(row) for row in catalog.rows("SELECT url, parent_score FROM frontier WHERE state = 'queued'"))
    assert scores == {pages[2]: None, "http://h.example/x": 0.9, "http://h.example/y": 0.2}


REASONS = {
    "private address 10.0.0.1": "private",
    "h.example has the private address 10.0.0.1": "private",
    "local name printer": "private",
    "robots.txt": "robots",
    "scope": "scope",
    "not included": "not_included",
    "excluded by /x*": "excluded",
    "depth over 2": "depth",
    "trap: a calendar far from today": "trap",
    "held by the analyst": "held",
    "language de": "language",
    "language other, by its URL": "url_language",
    "media type image/png by its name": "media_type",
    "removed: asked for": "",
}


def test_the_frontier_of_an_older_catalog_gets_kinds_and_codes_of_reasons(tmp_path):
    columns = "(id, url, host, depth, parent, priority, state, reason_refused)"
    Catalog(tmp_path / "catalog.sqlite").close()
    connection = sqlite3.connect(tmp_path / "catalog.sqlite")
    connection.executescript(
        "ALTER TABLE frontier DROP COLUMN kind; ALTER TABLE frontier DROP COLUMN reason_code; PRAGMA user_version = 8"
    )
    rows = [(f"r{number}", 1, "p", "refused", reason) for number, reason in enumerate(REASONS)]
    rows += [
        ("seed", 0, None, "fetched", "sitemap or feed, names 3 pages"),
        ("listing", 0, "seed", "queued", None),
        ("page", 1, "seed", "fetched", "empty page"),
        ("failed", 2, "page", "failed", "robots.txt"),
    ]
    connection.executemany(
        f"INSERT INTO frontier {columns} VALUES (?, ?, 'h', ?, ?, 0, ?, ?)",
        [(number, *row) for number, row in enumerate(rows)],
    )
    connection.commit()
    connection.close()
    catalog = Catalog(tmp_path / "catalog.sqlite")
    found = {row["url"]: row for row in catalog.rows("SELECT * FROM frontier")}
    assert [found[f"r{number}"]["reason_code"] for number in range(len(REASONS))] == list(REASONS.values())
    assert {
        name: (found[name]["kind"], found[name]["reason_code"]) for name in ("seed", "listing", "page", "failed")
    } == {
        "seed": ("seed", "listing"),
        "listing": ("listing", ""),
        "page": ("page", "empty"),
        "failed": ("page", ""),
    }
    assert [found[row[0]]["reason_refused"] for row in rows] == [row[-1] for row in rows]
    catalog.close()


def test_the_links_of_an_older_catalogue_are_kept(tmp_path):
    Catalog(tmp_path / "catalog.sqlite").close()
    connection = sqlite3.connect(tmp_path / "catalog.sqlite")
    for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.executescript(
        "ALTER TABLE frontier DROP COLUMN kind; ALTER TABLE frontier DROP COLUMN reason_code; "
        "DROP INDEX documents_payload; ALTER TABLE documents DROP COLUMN payload_digest; ALTER TABLE hosts DROP COLUMN failures; ALTER TABLE hosts DROP COLUMN trouble; ALTER TABLE labels DROP COLUMN origin; DROP TABLE outlinks; DROP TABLE refusals; CREATE TABLE links (target INTEGER NOT NULL, source INTEGER NOT NULL, "
        "PRIMARY KEY (target, source)) WITHOUT ROWID; INSERT INTO links VALUES (5, 1), (7, 1), (5, 2); PRAGMA user_version = 1;"
    )
    connection.close()
    catalog = Catalog(tmp_path / "catalog.sqlite")
    found = {row["source"]: row["targets"] for row in catalog.rows("SELECT * FROM outlinks")}
    assert {source: sorted(struct.unpack(f"<{len(ids) // 8}q", ids)) for source, ids in found.items()} == {
        1: [5, 7],
        2: [5],
    }
    catalog.close()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://h.example/archive/2019/05", "http://h.example/archive/2020/11", True),
        ("http://h.example/list?page=1&sort=a", "http://h.example/list?sort=b&page=2", True),
        ("http://h.example/x/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "http://h.example/x/deadbeef00112233", True),
        ("http://h.example/list?page=1", "http://h.example/list?day=1", False),
        ("http://h.example/a/1", "http://h.example/b/1", False),
        ("http://h.example/a/1", "http://i.example/a/1", False),
    ],
)
def test_pages_of_one_template(one, other, same):
    assert (template(one) == template(other)) is same


def test_a_template_is_left_after_sixty_pages_without_new_text():
    trap_detector = TrapDetector()
    noted = [trap_detector.record(f"http://h.example/p/{i}", 0.0) for i in range(70)]
    assert noted.index(True) == 59
    assert sum(noted) == 1
    assert "brought 0.0% new text" in trap_detector.refusal("http://h.example/p/999")
    assert trap_detector.refusal("http://h.example/q/1") is None

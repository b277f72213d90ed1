"""What is told at the end of a crawl."""

from corpuskit.crawl.outcome import CrawlOutcome


def test_what_is_left_out_of_a_list_has_a_name():
    seeds = [(f"http://{name}.example/", "404") for name in "abc"]
    closing = CrawlOutcome(
        seeds=seeds,
        failed_seeds=7,
        causes=[("404", 5), ("time-out", 4), ("500", 3), ("410", 1)],
        refused=[("robots.txt", 9), ("scope", 4), ("depth", 2), ("exclude", 1), ("trap", 1)],
        sitemaps=[(f"http://{name}.example/sitemap.xml", "no XML") for name in "abcde"],
    )
    assert [line.rpartition(") and ")[2] for line in closing.lines()] == [
        "4 more seeds",
        "1 more cause",
        "failures() (corpuskit failures) lists the failures, crawl(resume=True, retry_failed=True) "
        "(corpuskit crawl --resume --retry-failed) retries them",
        "2 more sitemaps",
        "2 more reasons",
    ]

"""A corpus from a stranger that is crawled: what it says of an earlier crawl opens no door on this machine or in its network."""

import json

import pytest

from corpuskit.errors import ConfigurationError


@pytest.fixture
def local(web):
    """The address of a page on this machine that the user did not name; each request is in ``web.log``."""
    url = f"http://127.0.0.1:{web.proxy.rpartition(':')[2]}/secret"
    web.add(url, "not for everybody")
    return url


def strange(corpus, url, **options):
    """The corpus as a stranger hands it over, with one seed that waits."""
    connection = corpus._folder.catalog.connection
    host = url.partition("://")[2].partition("/")[0]
    connection.execute(
        "INSERT INTO frontier (id, url, host, depth, kind, priority, state) VALUES (1, ?, ?, 0, 'seed', 0, 'queued')",
        (url, host),
    )
    connection.execute(
        "INSERT INTO jobs (kind, started, options) VALUES ('crawl', '2026-01-01T00:00:00+00:00', ?)",
        (json.dumps({**options, "named": sorted(options), "steer": None}),),
    )


def test_a_resumed_crawl_asks_no_private_address_because_the_corpus_says_so(corpus, web, local):
    strange(corpus, local, allow_private=True, delay=0)
    job = corpus.crawl(resume=True).wait(progress=False)
    assert web.log == []
    assert len(corpus) == 0
    assert corpus.frontier("queued")["url"].tolist() == [local]
    assert "allow_private" not in job.resumed  # the end tells it, where private addresses were met
    assert "crawl(resume=True, allow_private=True) (corpuskit crawl --resume --allow-private) allows it" in repr(job)


def test_a_seed_of_an_earlier_crawl_may_not_be_private_by_itself(corpus, web, local):
    strange(corpus, local, delay=0)
    corpus.crawl(resume=True).wait(progress=False)
    assert web.log == []


def test_nor_where_another_seed_is_named(corpus, web, local):
    strange(corpus, local)
    web.add("http://a.example/", "front")
    corpus.crawl("http://a.example/", delay=0, scope="web", proxy=web.proxy).wait(progress=False)
    assert not any("secret" in url for url in web.log)
    assert corpus.documents()["uri"].tolist() == ["http://a.example/"]


def test_a_plan_asks_no_private_address_either(corpus, web, local):
    strange(corpus, local, allow_private=True, delay=0)
    plan = corpus.crawl(resume=True, plan=True)
    assert web.log == []
    assert plan["url"].tolist() == [local]


@pytest.mark.parametrize("named", ["the address", "the option"])
def test_what_was_refused_as_private_is_fetched_when_the_user_says_so(corpus, web, local, named):
    strange(corpus, local, allow_private=True, delay=0)
    corpus.crawl(resume=True).wait(progress=False)
    if named == "the address":
        corpus.crawl(local, delay=0).wait(progress=False)
    else:
        corpus.crawl(resume=True, allow_private=True).wait(progress=False)
    assert corpus.documents()["uri"].tolist() == [local]


def test_cookies_and_passwords_go_to_no_host_that_only_the_corpus_names(corpus, web):
    seen = {}

    def page(request):
        seen[request.headers["Host"]] = (request.headers.get("Cookie"), request.headers.get("Authorization"))
        return 200, {"Content-Type": "text/html"}, b"<title>t</title><p>The text of a page.</p>"

    web.pages["http://evil.example/"] = web.pages["http://mine.example/"] = page
    strange(corpus, "http://evil.example/", delay=0, scope="web")
    secret = {"cookies": {"s": "hush"}, "headers": {"Authorization": "Bearer hush"}}
    corpus.crawl("http://mine.example/", resume=True, delay=0, proxy=web.proxy, **secret).wait(progress=False)
    assert seen == {"mine.example": ("s=hush", "Bearer hush"), "evil.example": (None, None)}


def test_secrets_that_go_nowhere_are_told(corpus, web):
    web.add("http://a.example/", "front")
    strange(corpus, "http://a.example/", delay=0)
    job = corpus.crawl(resume=True, proxy=web.proxy, cookies={"s": "hush"}).wait(progress=False)
    assert (
        "cookies= (--header): not sent, since they go to the hosts of seeds only, and this call has no seeds"
        in job.resumed
    )


def test_a_browser_is_started_by_the_user_only(corpus, web):
    web.add("http://a.example/", "front")
    strange(corpus, "http://a.example/", render=True, delay=0)
    job = corpus.crawl(resume=True, proxy=web.proxy).wait(progress=False)
    assert job.options.render is False
    assert "render= (--render): set for the last crawl" in job.resumed


def test_what_was_chosen_about_the_pages_themselves_still_holds(corpus, web):
    web.add("http://a.example/", "front")
    strange(corpus, "http://a.example/", delay=0, max_depth=3, contact="me@uni.example")
    options = corpus.crawl(resume=True, proxy=web.proxy).wait(progress=False).options
    assert (options.delay, options.max_depth, options.contact) == (0, 3, "me@uni.example")


def intranet(web, pages=3):
    """A site on this machine of a front page and pages that it links to; gives its front page."""
    base = f"http://127.0.0.1:{web.proxy.rpartition(':')[2]}"
    web.add(f"{base}/", "front", [f"/p{number}" for number in range(pages)])
    for number in range(pages):
        web.add(f"{base}/p{number}", f"the text of page {number}")
    return f"{base}/"


def type_crawl(folder, *arguments):
    from typer.testing import CliRunner

    from corpuskit.cli.commands import app

    return CliRunner().invoke(app, ["crawl", str(folder), *map(str, arguments)])


def test_the_command_that_a_stopped_crawl_of_an_intranet_prints_goes_on(tmp_path, web):
    import shlex

    stopped = type_crawl(tmp_path / "c", intranet(web), "--delay", 0, "--pages", 1)
    (line,) = [line for line in stopped.stdout.splitlines() if "left to fetch: " in line]
    assert (
        line
        == "3 URLs left to fetch: crawl(resume=True, allow_private=True) (corpuskit crawl --resume --allow-private)"
    )
    went_on = type_crawl(tmp_path / "c", *shlex.split(line.partition("(corpuskit crawl ")[2].rstrip(")")))
    assert (went_on.exit_code, sum(web.fetched.values())) == (0, 4)


def test_a_crawl_of_an_intranet_that_asked_for_nothing_yet_prints_a_command_that_goes_on(tmp_path, web):
    begun = type_crawl(tmp_path / "c", intranet(web), "--delay", 0, "--pages", 0)
    assert (
        "1 URL left to fetch: crawl(resume=True, allow_private=True) (corpuskit crawl --resume --allow-private)"
        in begun.stdout.splitlines()
    )


def test_private_addresses_that_a_call_does_not_allow_stay_queued_and_are_told(tmp_path, web):
    import corpuskit

    type_crawl(tmp_path / "c", intranet(web), "--delay", 0, "--pages", 1)
    refused = type_crawl(tmp_path / "c", "--resume")
    assert refused.exit_code == 3
    assert (
        "3 URLs at private addresses not requested (private address 127.0.0.1): "
        "crawl(resume=True, allow_private=True) (corpuskit crawl --resume --allow-private) allows it"
    ) in refused.stdout.splitlines()
    assert "left to fetch:" not in refused.stdout
    assert "retry-failed" not in refused.stdout
    with corpuskit.open(tmp_path / "c") as corpus:
        assert len(corpus.frontier("queued")) == 3
        assert len(corpus.requests()) == 1
        job = corpus.crawl(resume=True).wait(progress=False)
        assert "crawl(resume=True, allow_private=True) (corpuskit crawl --resume --allow-private) allows it" in repr(
            job
        )
        assert len(corpus.frontier("queued")) == 3


def test_a_restart_without_the_option_names_it_and_fails_no_seed_for_good(tmp_path, web):
    type_crawl(tmp_path / "c", intranet(web), "--delay", 0)
    again = type_crawl(tmp_path / "c", "--restart")
    assert again.exit_code == 3
    assert "4 URLs at private addresses not requested" in again.stdout
    assert "retry-failed" not in again.stdout
    assert type_crawl(tmp_path / "c", "--resume", "--allow-private").exit_code == 0
    assert sum(web.fetched.values()) == 8


@pytest.mark.parametrize(("name", "value"), [("scope", "file"), ("max_depth", -1), ("delay", "x"), ("exclude", 7)])
@pytest.mark.slow
def test_a_value_of_the_last_crawl_that_cannot_be_is_told_as_its(corpus, web, name, value):
    web.add("http://a.example/", "front")
    strange(corpus, "http://a.example/", **{name: value})
    with pytest.raises(ConfigurationError) as told:
        corpus.crawl(resume=True, proxy=web.proxy)
    assert name in str(told.value)
    assert str(told.value).endswith(
        f"; the value is from the crawl of 2026-01-01; {name}=None (--forget {name.replace('_', '-')}) resets it"
    )
    corpus.crawl(resume=True, proxy=web.proxy, **{"delay": 0, name: None}).wait(progress=False)
    assert corpus.documents()["uri"].tolist() == ["http://a.example/"]


def test_a_value_of_this_call_is_not_told_as_one_of_the_last_crawl(corpus):
    strange(corpus, "http://a.example/", scope="host")
    with pytest.raises(ConfigurationError) as told:
        corpus.crawl(resume=True, pages=-1)
    assert "from the crawl of" not in str(told.value)


def test_a_crawl_that_met_no_private_address_does_not_speak_of_them(tmp_path, web):
    web.add("http://a.example/", "front", ["/p", "/q"])
    web.add("http://a.example/p", "page")
    web.add("http://a.example/q", "page")
    where = ["--delay", 0, "--proxy", web.proxy]
    stopped = type_crawl(tmp_path / "c", "http://a.example/", "--allow-private", "--pages", 1, *where)
    assert "2 URLs left to fetch: crawl(resume=True) (corpuskit crawl --resume)\n" in stopped.stdout
    assert "private" not in stopped.stdout
    went_on = type_crawl(tmp_path / "c", "--resume", "--pages", 1, *where)
    assert "1 URL left to fetch" in went_on.stdout
    assert "private" not in went_on.stdout


def test_a_crawl_that_names_its_private_seed_again_needs_no_option_and_hears_of_none(tmp_path, web):
    site = intranet(web)
    type_crawl(tmp_path / "c", site, "--delay", 0, "--allow-private", "--pages", 1)
    done = type_crawl(tmp_path / "c", site, "--resume", "--delay", 0)
    assert (done.exit_code, sum(web.fetched.values())) == (0, 4)
    assert "private" not in done.stdout

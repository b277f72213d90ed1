"""A crawl that goes on with an earlier one: what was chosen there holds, and is told."""

import json
import shutil
from pathlib import Path

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError, RefusedError

SEED = "http://a.example/"


def crawl(corpus, web, seeds=SEED, **options):
    return corpus.crawl(seeds, **{"proxy": web.proxy, **options}).wait(progress=False)


def resume(corpus, web, **options):
    return crawl(corpus, web, None, resume=True, **options)


def recorded(corpus):
    """What the catalogue says was chosen for the last crawl."""
    return json.loads(corpus._folder.catalog.value("SELECT options FROM jobs ORDER BY id DESC LIMIT 1"))


@pytest.fixture
def site(web):
    """A front page that links to a page, a private one, another host of the domain; and a page two links away."""
    web.add(SEED, "front", ["/p", "/private/x", "http://sub.a.example/"])
    web.add("http://a.example/p", "page", ["/deep"])
    web.add("http://a.example/deep", "deep")
    web.add("http://a.example/private/x", "private")
    web.add("http://sub.a.example/", "another host")
    return web


def test_scope_and_excluded_paths_hold_again(corpus, site):
    crawl(corpus, site, pages=1, delay=0, scope="host", exclude="/private/*")
    resume(corpus, site)
    assert sorted(site.fetched) == [SEED, "http://a.example/deep", "http://a.example/p"]


def test_every_option_but_secrets_and_those_of_one_call_holds_again(corpus, web):
    web.add(SEED, "front")
    chosen = {
        "scope": "host", "exclude": ("/x", "/y$"), "include": ("/*",), "delay": 0.001, "contact": "me@uni.example",
        "connections": 3, "extract": False, "languages": ("en", "fr"), "feeds": False, "host_pages": 50, "traps": False,
        "sitemaps": "guess", "min_unique": 0.1, "refresh": True, "max_depth": 4, "max_errors": 9, "max_megabytes": 5.0,
    }  # fmt: skip
    crawl(
        corpus, web, pages=10, minutes=5, allow_private=True, headers={"X-Key": "hush"}, cookies={"s": "hush"}, **chosen
    )
    again = resume(corpus, web).options
    assert {name: getattr(again, name) for name in chosen} == chosen
    assert (again.pages, again.minutes) == (None, None)
    assert again.allow_private is False
    assert not again.headers
    assert not again.cookies
    assert "hush" not in str(recorded(corpus))


def test_an_option_named_again_replaces_the_earlier_one_for_later_crawls_too(corpus, site):
    crawl(corpus, site, pages=1, delay=0, scope="host", exclude="/private/*", max_depth=1)
    assert resume(corpus, site, pages=1, scope="domain").options.scope == "domain"
    last = resume(corpus, site)
    assert (last.options.scope, last.options.exclude, last.options.max_depth) == ("domain", ("/private/*",), 1)
    assert sorted(site.fetched) == [SEED, "http://a.example/p", "http://sub.a.example/"]


def test_none_takes_an_option_back(corpus, site):
    crawl(corpus, site, pages=1, delay=0, scope="host", exclude="/private/*", max_depth=1)
    job = resume(corpus, site, scope=None, exclude=None, max_depth=None)
    assert (job.options.scope, job.options.exclude, job.options.max_depth) == ("domain", (), None)
    assert job.resumed.endswith("; scope='domain' instead of 'host', exclude=() instead of ('/private/*',), "
                                "max_depth=None instead of 1")  # fmt: skip
    assert len(corpus) == 5


def test_what_is_kept_and_what_differs_is_told(corpus, site):
    crawl(corpus, site, pages=1, delay=0, scope="host", exclude="/private/*")
    day = corpus._folder.catalog.value("SELECT started FROM jobs")[:10]
    job = resume(corpus, site, languages="en", pages=1)
    assert job.resumed == (
        f"resumed with scope='host', exclude=('/private/*',), delay=0 of the crawl of {day}; languages=('en',) instead of ()"
    )
    assert repr(job).endswith(job.resumed)


def test_a_new_crawl_keeps_nothing_and_tells_nothing_of_the_last_one(corpus, site):
    crawl(corpus, site, pages=1, delay=0, scope="host", exclude="/private/*")
    job = crawl(corpus, site, "http://a.example/p", delay=0)
    assert (job.options.scope, job.options.exclude) == ("domain", ())
    assert "host" not in job.resumed
    assert "private" not in job.resumed


def test_secrets_are_not_kept_which_is_said(corpus, site, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine a.example login me password hush-1\n", "utf-8")
    netrc.chmod(0o600)
    crawl(corpus, site, pages=1, delay=0, headers={"X-Key": "hush-2"}, cookies={"s": "hush-3"}, netrc=str(netrc))
    assert "hush" not in str(recorded(corpus))
    assert "127.0.0.1" not in str(recorded(corpus))
    job = crawl(corpus, site, SEED, resume=True, pages=1, cookies={"s": "hush-4"})
    assert job.resumed.splitlines()[1:] == [
        "netrc= (--netrc), headers= (--header): set for the last crawl and never stored; pass again what is needed"
    ]
    plan = corpus.crawl(resume=True, plan=True)
    assert plan.attrs["resumed"].splitlines()[1:] == [
        "proxy= (--proxy), cookies= (--header): set for the last crawl and never stored; pass again what is needed"
    ]
    # Said once, by the crawl that goes without: the next goes on as this one did.
    assert "headers" not in resume(corpus, site, pages=1).resumed


def test_corpus_toml_decides_what_was_not_named(corpus, site):
    file = Path(corpus.path, "corpus.toml")
    crawl(corpus, site, pages=1, delay=0, exclude="/private/*")
    text = (
        file.read_text("utf-8")
        .replace('scope = "domain"', 'scope = "host"')
        .replace("exclude = []", 'exclude = ["/p"]')
    )
    file.write_text(text.replace("delay = 1.0", "delay = 7.0"), "utf-8")
    with corpuskit.open(corpus.path) as opened:
        job = resume(opened, site)
    assert (job.options.scope, job.options.exclude, job.options.delay) == ("host", ("/private/*",), 0)
    assert "; scope='host' from corpus.toml instead of 'domain'" in job.resumed


def test_a_crawl_of_an_earlier_version_is_resumed_with_what_it_recorded(corpus, site):
    crawl(corpus, site, pages=1, delay=0)
    old = {
        "pages": 1,
        "scope": "host",
        "exclude": ["/private/*"],
        "delay": 0,
        "allow_private": False,
        "contact": "",
        "gone": 3,
    }
    corpus._folder.catalog.connection.execute("UPDATE jobs SET options = ?", (json.dumps(old),))
    job = resume(corpus, site)
    assert (job.options.scope, job.options.exclude, job.options.delay) == ("host", ("/private/*",), 0)
    assert job.options.connections == 16
    assert job.resumed.splitlines()[1:] == [
        "not steered: the catalog does not record whether the last crawl was; pass steer= (--steer) to steer"
    ]
    assert sorted(site.fetched) == [SEED, "http://a.example/deep", "http://a.example/p"]


@pytest.mark.parametrize(
    "damaged", ["", "[]", "{", '{"named": 3, "scope": "host"}', '{"named": [[]], "secrets": [{}]}']
)
def test_a_record_that_cannot_be_read_keeps_nothing(corpus, site, damaged):
    crawl(corpus, site, pages=1, delay=0, scope="host")
    corpus._folder.catalog.connection.execute("UPDATE jobs SET options = ?", (damaged,))
    assert resume(corpus, site, delay=0, pages=1).progress.pages == 1


def test_a_frontier_without_a_record_of_its_crawl_is_resumed_as_by_default_which_is_said(corpus, site):
    crawl(corpus, site, pages=1, delay=0, scope="host")
    corpus._folder.catalog.connection.execute("DELETE FROM jobs")
    job = resume(corpus, site, delay=0)
    assert job.options.scope == "domain"
    assert job.resumed == "resumed; the options of earlier crawls are not stored"


def test_a_plan_of_what_is_left_follows_what_was_chosen(corpus, site):
    crawl(corpus, site, pages=1, delay=0, scope="host", max_depth=1)
    plan = corpus.crawl(resume=True, plan=True, proxy=site.proxy, exclude="/private/*")
    verdicts = plan.set_index("url")[["verdict", "why"]].to_dict("index")
    assert verdicts["http://a.example/private/x"] == {"verdict": "refused", "why": "excluded by /private/*"}
    assert "http://sub.a.example/" not in verdicts
    assert plan.attrs["resumed"].startswith("resumed with scope='host', delay=0, max_depth=1 of the crawl of")
    assert "exclude=('/private/*',) instead of ()" in plan.attrs["resumed"]
    assert recorded(corpus)["exclude"] == []  # a plan is no crawl


def test_seeds_named_with_resume_are_added(corpus, site):
    site.add("http://b.example/", "new", ["/more"])
    site.add("http://b.example/more", "more")
    crawl(corpus, site, pages=1, delay=0, scope="host", exclude="/private/*")
    crawl(corpus, site, "http://b.example/", resume=True)
    assert sorted(set(site.fetched) - {SEED}) == [
        "http://a.example/deep", "http://a.example/p", "http://b.example/", "http://b.example/more",
    ]  # fmt: skip


def test_a_link_out_of_scope_that_is_named_as_a_seed_is_one(corpus, site):
    crawl(corpus, site, delay=0, scope="host")
    assert "http://sub.a.example/" not in site.fetched
    crawl(corpus, site, "http://sub.a.example/", resume=True)
    assert site.fetched["http://sub.a.example/"] == 1
    row = corpus.frontier().set_index("url").loc["http://sub.a.example/"]
    assert (row.depth, row.state) == (0, "fetched")


def test_a_second_look_that_was_stopped_goes_on_and_begins_no_third(corpus, web):
    asked = []

    def page(name, links):
        def answer(handler):
            asked.append((name, handler.headers.get("If-None-Match")))
            if handler.headers.get("If-None-Match") == f'"{name}"':
                return 304, {"ETag": f'"{name}"'}, b""
            body = f"<p>text of {name}</p>" + "".join(f"<a href='{link}'>x</a>" for link in links)
            return 200, {"ETag": f'"{name}"', "Content-Type": "text/html"}, body.encode()

        return answer

    web.pages[SEED] = page("front", ["/a", "/b", "/new"])
    web.pages["http://a.example/a"] = page("a", [])
    web.pages["http://a.example/b"] = lambda _: (200, {"Content-Type": "text/html"}, b"<p>b</p>")
    crawl(corpus, web, delay=0)
    asked.clear()
    crawl(corpus, web, None, resume=True, refresh=True, host_pages=0)
    assert asked == []
    job = resume(corpus, web, host_pages=None)
    assert sorted(asked) == [("a", '"a"'), ("front", '"front"')]
    assert job.progress.unchanged >= 2
    asked.clear()
    resume(corpus, web)
    assert asked == []


# -- steering ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def trained(corpus, web):
    """Thirty pages that were crawled, labelled and learnt from; twenty more are known."""
    links = [f"/{topic}{i}" for i in range(25) for topic in ("flood", "bread")]
    web.add(SEED, "front", links)
    for i, link in enumerate(links):
        words = "flood water river rain storm insurer" if "flood" in link else "bread oven flour yeast crust dough"
        web.add(
            f"http://a.example{link}",
            " ".join(words.split()[i % 4 :]) + f" number {i}",
            title=words.split(maxsplit=1)[0],
        )
    crawl(corpus, web, pages=31, delay=0)
    documents = corpus.documents().query("uri != @SEED")
    labels = {row.doc_id: "relevant" if "flood" in row.uri else "other" for row in documents.itertuples()}
    corpus.set_labels(labels, by="me")
    return corpus


def test_a_steered_crawl_goes_on_steered_by_the_newest_model(trained, web):
    first = trained.train()
    crawl(trained, web, None, resume=True, steer=first, pages=2)
    assert recorded(trained)["steer"] == {"model": first.version}
    second = trained.train(seed=1)
    assert first.version != second.version
    job = resume(trained, web, pages=2)
    assert recorded(trained)["steer"] == {"model": second.version}
    assert job.resumed.splitlines()[1:] == [f"steered by {second.version} instead of {first.version}"]
    assert trained.frontier("queued").why.str.startswith("link text").all()
    job = resume(trained, web, pages=2)
    assert job.resumed.splitlines()[1:] == [f"steered by {second.version}"]


def test_steer_none_ends_the_steering(trained, web):
    model = trained.train()
    crawl(trained, web, None, resume=True, steer=model, pages=2)
    job = resume(trained, web, pages=2, steer=None)
    assert job.resumed.splitlines()[1:] == [f"no longer steered: the last crawl was steered by {model.version}"]
    assert recorded(trained)["steer"] is None
    assert trained.frontier("queued").why.str.startswith("depth").all()
    assert "steer" not in resume(trained, web, pages=2).resumed


def test_a_function_that_steered_cannot_be_kept_which_is_said(corpus, site):
    def by_length(rows):
        return rows.url.str.len() * 1.0

    crawl(corpus, site, delay=0, pages=1, steer=by_length)
    assert recorded(corpus)["steer"] == {"function": "by_length"}
    job = resume(corpus, site, pages=1)
    assert job.resumed.splitlines()[1:] == [
        "no longer steered: the last crawl was steered by the function by_length, which cannot be stored: pass steer= (--steer) again"
    ]
    assert corpus.frontier("queued").why.str.startswith("depth").all()


def test_a_model_that_is_gone_cannot_steer_which_is_said(trained, web):
    model = trained.train()
    crawl(trained, web, None, resume=True, steer=model, pages=2)
    trained._folder.catalog.connection.execute("DELETE FROM models")
    shutil.rmtree(Path(trained.path, "models"))
    job = resume(trained, web, pages=2)
    assert job.resumed.splitlines()[1:] == [
        f"no longer steered: the last crawl was steered by {model.version}, and the corpus does not have a model now"
    ]


def test_a_crawl_that_is_not_resumed_tells_what_it_goes_on_with_all_the_same(corpus, site):
    crawl(corpus, site, delay=0, pages=1)
    waiting = len(corpus.frontier("queued"))
    job = crawl(corpus, site, delay=0, pages=1)
    assert job.resumed == (
        f"{waiting} URLs left by earlier crawls are fetched too, with the options of this crawl; resume= (--resume) inherits theirs"
    )


def test_a_seed_of_another_scheme_is_named_with_what_is_expected(corpus):
    with pytest.raises(RefusedError, match=r"seed ftp://h\.example/x: scheme ftp; expected http:// or https://"):
        corpus.crawl(["http://h.example/", "ftp://h.example/x"])


def test_a_least_harvest_ends_with_the_model_that_told_it_and_a_function_cannot_have_one(corpus, site):
    def by_length(rows):
        return [-float(len(url)) for url in rows["url"]]

    corpus.crawl(SEED, delay=0, pages=1, proxy=site.proxy).wait(progress=False)
    connection = corpus._folder.catalog.connection
    kept = json.loads(corpus._folder.catalog.value("SELECT options FROM jobs"))
    kept |= {"min_harvest": 0.2, "named": [*kept["named"], "min_harvest"], "steer": {"model": "model-0001"}}
    connection.execute("UPDATE jobs SET options = ?", (json.dumps(kept),))
    for how in ({}, {"plan": True}):
        with pytest.raises(ConfigurationError, match="min_harvest: expected a model that scores pages"):
            corpus.crawl(resume=True, steer=by_length, min_harvest=0.1, **how)
    job = corpus.crawl(resume=True, steer=by_length, pages=1, proxy=site.proxy).wait(progress=False)
    assert job.options.min_harvest == 0
    assert "min_harvest=0.0 instead of 0.2" in job.resumed

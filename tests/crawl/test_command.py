"""``corpuskit crawl``: what a person types, and what is told."""

import pytest
from typer.testing import CliRunner

import corpuskit
from corpuskit.cli.commands import app
from corpuskit.cli.usage import WrongUsageError
from corpuskit.errors import ConfigurationError, RelevanceError

SEED = "http://a.example/"


@pytest.fixture
def command(tmp_path, web):
    """Runs ``corpuskit crawl`` on a corpus, through the web's proxy; gives what it prints."""
    web.add(SEED, "front", ["/p", "/private/x", "http://sub.a.example/"])
    web.add("http://a.example/p", "page", ["/deep"])
    web.add("http://a.example/deep", "deep")
    web.add("http://a.example/private/x", "private")
    web.add("http://sub.a.example/", "another host")

    def run(*arguments):
        result = CliRunner().invoke(app, ["crawl", str(tmp_path / "c"), "--proxy", web.proxy, *arguments])
        if result.exception is not None:
            raise result.exception
        return result.stdout

    return run


def test_resume_keeps_what_was_typed_and_tells_it_first(command, web, tmp_path):
    command(SEED, "--delay", "0", "--scope", "host", "--exclude", "/private/*", "--no-feeds", "--pages", "1")
    told = command("--resume", "--max-depth", "1").splitlines()[0]
    assert told.startswith(
        "resumed with scope='host', exclude=('/private/*',), delay=0.0, feeds=False of the crawl of 20"
    )
    assert told.endswith("; max_depth=1 instead of None")
    assert sorted(web.fetched) == [SEED, "http://a.example/p"]
    told = command("--resume", "--forget", "max-depth", "--forget", "--exclude", "--feeds").splitlines()[0]
    assert told.endswith(
        "; exclude=() instead of ('/private/*',), feeds=True instead of False, max_depth=None instead of 1"
    )
    assert "http://sub.a.example/" not in web.fetched
    with corpuskit.open(tmp_path / "c") as corpus:
        assert len(corpus) == 4


def test_a_plan_of_what_is_left_tells_what_it_keeps(command):
    command(SEED, "--delay", "0", "--scope", "host", "--pages", "1")
    lines = command("--resume", "--plan").splitlines()
    assert lines[0].startswith("resumed with scope='host', delay=0.0 of the crawl of")
    assert lines[-1] == "2 fetch"


def test_a_name_that_is_no_option_cannot_be_forgotten(command):
    with pytest.raises(
        WrongUsageError,
        match=r"--forget depth: expected one of archived, connections, .*, max-depth, ",
    ):
        command(SEED, "--forget", "depth")


def test_steering_needs_a_model_and_not_steering_needs_none(command):
    with pytest.raises(RelevanceError, match=r"train it with corpuskit train"):
        command(SEED, "--delay", "0", "--steer")
    assert "ended: nothing left to fetch" in command(SEED, "--delay", "0", "--no-steer")


def test_headers_come_from_the_line_or_a_file(command, web, tmp_path):
    seen = {}

    def page(handler):
        seen.update(handler.headers.items())
        return 200, {"Content-Type": "text/html"}, b"<p>x</p>"

    web.pages[SEED] = page
    (tmp_path / "secrets").write_text("Cookie: s=hush:1\n\nAuthorization: Bearer hush\n", "utf-8")
    command(SEED, "--delay", "0", "--header", "X-Key: 7", "--header", f"@{tmp_path / 'secrets'}")
    assert (seen["X-Key"], seen["Cookie"], seen["Authorization"]) == ("7", "s=hush:1", "Bearer hush")
    told = command("--resume").splitlines()
    assert told[1] == "headers= (--header): set for the last crawl and never stored; pass again what is needed"


def test_a_header_without_a_colon_is_refused_and_not_repeated(command):
    with pytest.raises(WrongUsageError, match="expected 'Name: value'") as caught:
        command(SEED, "--header", "hush")
    assert "hush" not in str(caught.value)


def test_every_option_of_a_crawl_can_be_typed():
    import dataclasses

    from typer.main import get_command

    from corpuskit.crawl import CrawlOptions

    command = get_command(app).commands["crawl"]
    typed = {parameter.name for parameter in command.params}
    assert {item.name for item in dataclasses.fields(CrawlOptions)} - typed == {"cookies"}  # a header


def test_a_plan_has_the_queue_also_where_nothing_is_resumed(command):
    command(SEED, "--delay", "0", "--scope", "host", "--pages", "1")
    plan = command(SEED, "--plan", "--scope", "host")
    assert "http://a.example/p " in plan
    assert plan.splitlines()[-1] == "2 fetch, 1 known"


def test_a_long_plan_is_cut_and_tells_how_to_see_all(command):
    command(SEED, "--delay", "0", "--scope", "host", "--pages", "1")
    lines = command("--plan", "--resume", "--limit", "1").splitlines()
    assert lines[-2:] == ["... 1 more row; --limit 2 shows them", "2 fetch"]
    assert sum("http://" in line for line in lines) == 1


def test_a_plan_knows_the_robots_txt_that_was_read(command, web):
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nDisallow: /private/\n")
    command(SEED, "--delay", "0", "--scope", "host", "--pages", "1")
    assert command("--plan", "--resume").splitlines()[-1] == "1 fetch, 1 refused"


def test_what_comes_to_nothing_leaves_no_folder(command, tmp_path):
    command(SEED, "--plan")
    with pytest.raises(ConfigurationError, match="nothing to crawl: pass seeds"):
        command()
    assert not (tmp_path / "c").exists()
    (tmp_path / "c").mkdir()
    command(SEED, "--plan")
    assert list((tmp_path / "c").iterdir()) == []
    command(SEED, "--delay", "0", "--pages", "1")
    command(SEED, "--plan")
    assert (tmp_path / "c" / "corpus.toml").exists()


def test_reasons_are_printed_as_a_whole(command, web):
    web.add(SEED, "front", ["/x.zip", "mailto:x@a.example", "/very-long-name-of-a-folder/x.jpg"])
    printed = command(SEED, "--delay", "0", "--scope", "host")
    table = printed[printed.index("Sites") :]
    assert "\u2026" not in table
    assert "no_answer" in table
    cells = [line.rpartition("│")[2].strip() for line in table.splitlines() if "│" in line]
    assert " ".join(cells) == (
        "media type application/zip by its name 1; media type image/jpeg by its name 1; scheme mailto 1"
    )


def test_one_page_of_one_host_is_told_in_the_singular(command):
    first = command(SEED, "--delay", "0", "--pages", "1").splitlines()[0]
    assert first == "Crawl ended: 1 page fetched; 1 page of 1 host, 1 new document, 0 failed"


def test_the_end_of_a_crawl_names_call_and_command(command, tmp_path):
    command(SEED, "--delay", "0", "--pages", "1")
    printed = command("--resume", "--pages", "1") + CliRunner().invoke(app, ["status", str(tmp_path / "c")]).stdout
    assert f"next: corpuskit label {tmp_path / 'c'} labels.csv, then corpuskit train {tmp_path / 'c'}" in printed
    assert "left to fetch: crawl(resume=True) (corpuskit crawl --resume)" in printed


def test_a_list_of_links_goes_to_the_next_program(command):
    assert command(SEED, "--delay", "0", "--list", "--include", "/p*").splitlines() == [
        "http://a.example/p", "http://a.example/private/x"
    ]  # fmt: skip


CONFIG = """\ufeff# nlptextdoc
scope=subdomain
rootUrl=http://old.example/
excludeUrls=/gone/*
// went on
Scope=domain
rootUrl=http://a.example/
storageDir=.
minCrawlDelay=0
maxDuration=0
maxPageCount=2
maxErrorsCount=10
minUniqueText=10
maxSizeOnDisk=0
excludeUrls=/private/*
excludeUrls=/*?id=3
"""


@pytest.mark.feature("compat")
def test_the_config_of_the_language_resource_extractor_is_read(command, web, tmp_path):
    (tmp_path / "config.txt").write_text(CONFIG, "utf-8")
    from corpuskit.crawl import read_legacy_config

    roots, options = read_legacy_config(tmp_path / "config.txt")
    assert (roots, options) == (
        [SEED],
        {
            "missing_counts": False, "scope": "domain", "delay": 0.0, "minutes": None, "pages": 2, "max_errors": 10,
            "min_unique": 0.1, "max_megabytes": None, "exclude": ("/private/*", "/*?id=3"),
        },
    )  # fmt: skip
    assert "2 pages fetched" in command("--config", str(tmp_path / "config.txt"))
    assert command("--config", str(tmp_path / "config.txt"), "--pages", "9", "--resume")
    assert "http://a.example/private/x" not in web.fetched
    assert "http://sub.a.example/" in web.fetched
    (tmp_path / "config.txt").write_text("maxPages=2\n", "utf-8")
    with pytest.raises(ConfigurationError, match="line 1: unknown name 'maxPages'"):
        command("--config", str(tmp_path / "config.txt"))


def test_restart_asks_again_for_all_and_keeps_the_options(command, web):
    command(SEED, "--delay", "0", "--scope", "host", "--exclude", "/private/*")
    web.add(SEED, "another front", ["/p", "/private/x", "/new"])
    web.add("http://a.example/new", "new")
    told = command("--restart").splitlines()[0]
    assert "scope='host'" in told
    assert "exclude=('/private/*',)" in told
    assert web.fetched["http://a.example/p"] == 2
    assert web.fetched["http://a.example/new"] == 1
    assert "http://sub.a.example/" not in web.fetched

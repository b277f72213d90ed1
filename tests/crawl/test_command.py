"""``corpuskit crawl``: what a person types, and what is told."""

import pytest
from typer.testing import CliRunner

import corpuskit
from corpuskit.cli.commands import app
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
        "resumed with --scope host, --exclude '/private/*', --delay 0, --no-feeds of the crawl of 20"
    )
    assert told.endswith("; --max-depth 1 instead of no --max-depth")
    assert sorted(web.fetched) == [SEED, "http://a.example/p"]
    told = command("--resume", "--forget", "max-depth", "--forget", "--exclude", "--feeds").splitlines()[0]
    assert told.endswith(
        "; no --exclude instead of --exclude '/private/*', --feeds instead of --no-feeds, "
        "no --max-depth instead of --max-depth 1"
    )
    assert "http://sub.a.example/" not in web.fetched
    with corpuskit.open(tmp_path / "c") as corpus:
        assert len(corpus) == 4


def test_a_plan_of_what_is_left_tells_what_it_keeps(command):
    command(SEED, "--delay", "0", "--scope", "host", "--pages", "1")
    lines = command("--resume", "--plan").splitlines()
    assert lines[0].startswith("resumed with --scope host, --delay 0 of the crawl of")
    assert lines[-1] == "2 fetch"


def test_a_name_that_is_no_option_cannot_be_forgotten(command):
    with pytest.raises(
        ConfigurationError,
        match=r"--forget depth: no option that a crawl keeps; there are: allow-private, .*, max-depth, ",
    ):
        command(SEED, "--forget", "depth")


def test_steering_needs_a_model_and_not_steering_needs_none(command):
    with pytest.raises(RelevanceError, match="corpuskit train .* makes one"):
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
    assert told[1] == "--header: given then and never kept; name again what is needed"


def test_a_header_without_a_colon_is_refused_and_not_repeated(command):
    with pytest.raises(ConfigurationError, match="expected 'Name: value'") as caught:
        command(SEED, "--header", "hush")
    assert "hush" not in str(caught.value)


def test_every_option_of_a_crawl_can_be_typed():
    import dataclasses

    from typer.main import get_command

    from corpuskit.cli.crawling import option_of
    from corpuskit.crawl import CrawlOptions

    command = get_command(app).commands["crawl"]
    typed = {option_of(name) for parameter in command.params for name in parameter.opts}
    assert {item.name for item in dataclasses.fields(CrawlOptions)} - typed == {"cookies"}  # a header

"""Wrong usage: exit code 2, nothing on standard output, a message that names what was wrong, and no corpus made."""

import shlex
import shutil

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import corpuskit
from corpuskit.cli.commands import app
from corpuskit.demo import demo_data

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

COMMANDS = get_command(app).commands
WITHOUT_ARGUMENTS = {"demo", "lab", "textworks"}
CRAWL = "crawl new http://a.example/"
PRELABEL = "prelabel c --base-url http://127.0.0.1:1/v1 --model m"
# A message that ends with a line feed is all that is printed.
WRONG = [
    (f"{CRAWL} --scope moon", "--scope moon: expected one of 'domain', 'host', 'path', 'web'\n"),
    (f"{CRAWL} --preset foo", "--preset foo"),
    (f"{CRAWL} --min-unique 3", "--min-unique 3: expected 1 or less\n"),
    (f"{CRAWL} --language english", "languages='english' (--language): expected ISO 639-1 codes"),
    (f"{CRAWL} --include news", "--include"),
    (f"{CRAWL} --forget bogus", "--forget"),
    (f"{CRAWL} --header bogus", "--header"),
    (f"{CRAWL} --proxy bogus", "--proxy"),
    (f"{CRAWL} --pages ten", "--pages ten: expected a whole number\n"),
    (f"{CRAWL} --pages 2.5", "--pages 2.5: expected a whole number\n"),
    (f"{CRAWL} --delay soon", "--delay soon: expected a number\n"),
    ("wikipedia new Tea --depth -1", "--depth"),
    ("wikipedia new Tea --pages 0", "--pages"),
    ("wikipedia new Tea --lang 'bogus(('", "--lang"),
    ("urls urls.txt --language english", "--language"),
    ("urls urls.txt --sample 0", "--sample"),
    ("extract", "Usage"),
    ("extract flood.html --on processes", "extract --on"),
    ("extract flood.html out --on bogus", "--on bogus"),
    ("discover c index --pages 0", "--pages 0: expected 1 or more\n"),
    ("discover c index --sample 0", "--sample 0: expected a share above 0 and up to 1\n"),
    ("discover c index --threshold 2", "--threshold 2: expected 1 or less\n"),
    ("fetch c tea --requests-per-second 0", "--requests-per-second 0: expected 0.01 or more\n"),
    ("failures c --limit 0", "--limit"),
    ("requests c --limit x", "--limit"),
    ("sources c --limit x", "--limit"),
    ("train c --seed -1", "--seed -1: expected 0 or more\n"),
    ("fasttext c x.bin --seed -1", "--seed"),
    ("audit c --precision 7", "--precision"),
    ("audit c --precision 0", "--precision"),
    ("export c out -f bogus", "bogus"),
    ("export c out -f fasttext --page-size-tokens", "--page-size-tokens is for -f pdf_trio: pass"),
    ("export c out --chunk-tokens 64", "--chunk-tokens"),
    ("export c out --min-relevance 6", "--min-relevance"),
    ("export c out --decision maybe", "'relevant', 'unknown', 'other'"),
    ("kwic c '(('", 'syntax="simple" (--syntax simple) reads it as regular expressions'),
    ("kwic c flood --sort bogus", "--sort"),
    ("kwic c flood --syntax bogus", "--syntax"),
    ("kwic c flood --window -2", "--window"),
    ("kwic c flood --window 1000000000", "window=1000000000 (--window): expected at most 10,000 words"),
    ("kwic c flood --limit 0", "--limit 0: expected 1 or more\n"),
    ("kwic c flood --limit -3", "--limit"),
    ("kwic c flood --limit '\x1b[2J'", "--limit  [2J: expected a whole number\n"),
    ("check c --schema x.rng", "--schema"),
    ("textworks --corpus tw --options bogus", "there is only dehyphenate"),
    ("textworks --corpus tw --filter '(('", "(("),
    ("textworks --corpus tw --output z.json", "--output is for --file: leave it out"),
    ("textworks --file x.pdf --annotations", "--annotations is for --corpus: leave it out"),
    ("explode", "No such command"),
    *(
        (f"{PRELABEL} {wrong}", wrong.split()[0])
        for wrong in ("--requests -1", "--tokens -1", "--money -1", "--price -1 0", "--concurrency 0")
    ),
    *((f"{name} --no-such-option", "--no-such-option") for name in sorted(COMMANDS.keys() - {"lab"})),
    *((name, "Missing argument") for name in sorted(COMMANDS.keys() - WITHOUT_ARGUMENTS - {"extract"})),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Directory with a corpus ``c``, an artifact corpus ``tw`` and a list of URLs, which wrong usage does not change."""
    folder = tmp_path_factory.mktemp("usage")
    (folder / "flood.html").write_text("<title>Flood</title><p>About floods.</p>", "utf-8")
    (folder / "urls.txt").write_text("https://a.example.com/x\n", "utf-8")
    (folder / "tw").mkdir()
    shutil.copy(demo_data() / "files" / "tram-noise-report.pdf", folder / "tw" / "a.pdf")
    CliRunner().invoke(app, ["textworks", "init", "--corpus", str(folder / "tw")])
    with corpuskit.open(folder / "c") as corpus:
        corpus.add(folder / "flood.html", progress=False)
    return folder


@pytest.mark.parametrize(("line", "message"), WRONG, ids=[line for line, _ in WRONG])
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(cli, workspace, monkeypatch, line, message):
    monkeypatch.chdir(workspace)
    before = sorted(workspace.iterdir())
    done = cli(*shlex.split(line))
    assert (done.code, done.out) == (2, "")
    assert done.err == f"corpuskit: {message}" if message.endswith("\n") else message in done.err
    assert "Traceback" not in done.err
    assert sorted(workspace.iterdir()) == before

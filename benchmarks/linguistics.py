"""Questions of corpus linguistics beside Conc, on the same texts.

    uv run --with conc python benchmarks/linguistics.py --data FOLDER [--tokens 4000000] [--no-peer] [--lemma] [--brief]

FOLDER has text files (*.txt). They are repeated with changed words until there are as many tokens. Prints for each question
seconds of the first and the second call, wall and CPU, each side in a process of its own; what the index took and takes, and
with ``--lemma`` a query of lemmas. Conc cuts texts with a blank pipeline of spaCy; ours are put into the corpus as documents of
paragraphs, without extraction.
"""

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORD = re.compile(r"\w+")
_ALL = 10_000_000
TEXTS_A_FILE = 50  # from the fifth repetition on


def write_texts(data: Path, folder: Path, tokens: int) -> int:
    """Texts until there are so many tokens; gives how many there are."""
    texts = [file.read_text("utf-8", "replace") for file in sorted(data.rglob("*.txt"))]
    sizes = [len(WORD.findall(text)) for text in texts]
    folder.mkdir()
    written = repetition = 0
    while written < tokens:
        together = TEXTS_A_FILE if tokens > 10 * sum(sizes) else 1
        for first in range(0, len(texts), together):
            some = [changed(text, repetition) for text in texts[first : first + together]]
            (folder / f"{repetition:03}-{first:06}.txt").write_text("\n\n".join(some), "utf-8")
            written += sum(sizes[first : first + together])
            if written >= tokens:
                break
        repetition += 1
    return written


def changed(text: str, repetition: int) -> str:
    """A tenth of the longer words get an ending of their own in each repetition."""
    if not repetition:
        return text
    ending = "abcdefghij"[repetition % 10] + "klmnopqrst"[repetition // 10 % 10]

    def change(match: re.Match[str]) -> str:
        word = match[0]
        return word + ending if len(word) > 6 and (len(word) * 31 + ord(word[0]) + ord(word[-1])) % 10 == 0 else word

    return WORD.sub(change, text)


def used() -> float:
    """CPU seconds of this process and of those it has waited for."""
    some = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in some)


def measured(act) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), used()
    act()
    return time.perf_counter() - wall, used() - cpu


def anonymous() -> float:
    """The most memory so far that is the process' own, in MB: mapped files are the system's to take back."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    found = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
    return int(found["RssAnon"].split()[0]) / 1e3


# -- ours


def build_ours(folder: Path, texts: Path) -> None:
    import corpuskit
    from corpuskit.document import DocumentBuilder
    from corpuskit.store import element_cache
    from corpuskit.store.documents import write_document
    from corpuskit.store.element_cache import update
    from corpuskit.tokens import index_builder, open_index

    corpus = corpuskit.open(folder / "ours")
    rows = []
    for number, file in enumerate(sorted(texts.glob("*.txt"))):
        uri, path = f"http://bench.example/{file.stem}", f"bench/{number // 500:04}/{number:06}"
        builder = DocumentBuilder(f"Text {file.stem}", uri)
        for paragraph in re.split(r"\n\s*\n", file.read_text("utf-8")):
            if paragraph.strip():
                builder.add_text_block(paragraph)
        write_document(corpus._folder.documents, path, builder.build())
        rows.append((f"{number:016x}", uri, path))
    with corpus._folder.catalog.transaction() as connection:
        connection.executemany(
            "INSERT INTO documents (doc_id, version, uri, host, media_type, lang, words, main_words, elements, fetched, "
            "status, path, original, content_hash) VALUES (?, 1, ?, 'bench.example', 'text/html', 'en', 1000, 1000, 1, "
            "'2026-01-01T00:00:00+00:00', 'extracted', ?, '', '')",
            rows,
        )
    # In one process: the CPU of others would not be counted.
    element_cache._IN_PROCESSES_FROM = index_builder._MIN_WORDS_FOR_PROCESSES = 1 << 60
    elements = measured(lambda: update(corpus._folder))
    index = measured(lambda: open_index(corpus._folder))
    found = open_index(corpus._folder)
    files = [file for file in (folder / "ours" / "tokens").rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / len(found)
    print(json.dumps({"elements": elements, "index": index, "tokens": len(found), "bytes": size}))


def ask_ours(folder: Path, words: list[str], lemma: bool, brief: bool) -> None:
    opened = []

    def load() -> None:
        import pandas  # noqa: F401
        import pyarrow.compute
        import pyarrow.pandas_compat  # noqa: F401

        import corpuskit
        from corpuskit.tokens import open_index

        opened.append(corpuskit.open(folder / "ours"))
        open_index(opened[0]._folder)

    loading = measured(load)
    [corpus] = opened
    if not words:
        found = corpus.wordlist().word
        print(json.dumps([found[0], found[100], found[3000]]))
        return
    print(json.dumps({"import and open": [loading, loading]}))
    questions = {"word list": corpus.wordlist}
    for word in words:
        questions |= {
            f"concordance of {word}, 100 lines": lambda word=word: corpus.kwic(word, limit=100),
            f"concordance of {word}": lambda word=word: corpus.kwic(word),
            f"collocates of {word}": lambda word=word: corpus.collocates(word),
            f"3-grams with {word}": lambda word=word: corpus.ngrams(3, pattern=word),
        }
    questions["all 3-grams"] = lambda: corpus.ngrams(3)
    if brief:
        long = ["all 3-grams", f"3-grams with {words[0]}", *(f"concordance of {word}" for word in words)]
        questions = {name: question for name, question in questions.items() if name not in long}
    if lemma:
        questions['[lemma="go"] []{0,3} "back"'] = lambda: corpus.kwic('[lemma="go"] []{0,3} "back"')
    ask(questions)
    some = random.Random(0).sample(corpus.wordlist().word[:50_000].tolist(), 200)
    times = [measured(lambda word=word: corpus.kwic(word, limit=100))[0] for word in some]
    p95 = statistics.quantiles(times, n=20)[18]
    print(json.dumps({"first 100 lines of 200 words, p95": (p95, p95), "memory": anonymous()}))


def add_ten(folder: Path) -> None:
    import corpuskit
    from corpuskit.store.element_cache import update

    corpus = corpuskit.open(folder / "ours")
    corpus.kwic("a", limit=1)
    (folder / "ten").mkdir()
    for number in range(10):
        (folder / "ten" / f"{number}.txt").write_text(f"The tenth document has the number {number}. " * 50)
    corpus.add(folder / "ten", progress=False)
    elements = measured(lambda: update(corpus._folder))
    print(json.dumps({"elements": elements, "index": measured(lambda: corpus.kwic("tenth", limit=1))}))


# -- Conc


def build_conc(folder: Path, texts: Path) -> None:
    import spacy
    from conc.corpus import Corpus
    from spacy.language import Language

    spacy.blank("en").to_disk(folder / "blank")
    Language.disable_pipes = lambda self, *names: None  # it takes away what a blank pipeline does not have
    built = Corpus("bench", "")
    index = measured(lambda: built.build_from_files(str(texts), str(folder / "conc"), model=str(folder / "blank")))
    files = [file for file in (folder / "conc").rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / built.token_count
    print(json.dumps({"index": index, "tokens": built.token_count, "bytes": size}))


def ask_conc(folder: Path, words: list[str]) -> None:
    opened = []

    def load() -> None:
        from conc.conc import Conc
        from conc.corpus import Corpus
        from spacy.language import Language

        Language.disable_pipes = lambda self, *names: None
        [path] = [file.parent for file in (folder / "conc").rglob("corpus.json")]
        opened.append(Conc(Corpus().load(str(path))))

    loading = measured(load)
    [conc] = opened
    print(json.dumps({"import and open": [loading, loading]}))
    questions = {"word list": lambda: conc.frequencies(page_size=0).to_frame()}
    for word in words:
        questions |= {
            f"concordance of {word}, 100 lines": lambda word=word: conc.concordance(
                word, context_length=8, page_size=100
            ).to_frame(),
            f"concordance of {word}": lambda word=word: conc.concordance(
                word, context_length=8, page_size=_ALL
            ).to_frame(),
            f"collocates of {word}": lambda word=word: conc.collocates(word, page_size=_ALL).to_frame(),
            f"3-grams with {word}": lambda word=word: conc.ngrams(word, ngram_length=3, page_size=_ALL).to_frame(),
        }
    questions["all 3-grams"] = lambda: conc.ngram_frequencies(ngram_length=3, page_size=_ALL).to_frame()
    ask(questions)
    print(json.dumps({"memory": anonymous()}))


def ask(questions) -> None:
    for name, question in questions.items():
        try:
            print(json.dumps({name: [measured(question), measured(question)]}), flush=True)
        except Exception as error:
            print(json.dumps({name: f"{type(error).__name__}: {error}"[:100]}), flush=True)


# -- both


def side(name: str, folder: Path, *arguments: str) -> list:
    """What a step of a side prints, run in a process of its own."""
    command = [sys.executable, __file__, "--step", name, "--folder", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("{", "["))]


def compare(data: Path, tokens: int, peer: bool, lemma: bool, brief: bool, folder: Path) -> None:
    count = write_texts(data, folder / "texts", tokens)
    print(f"{count:,} words in {len(list((folder / 'texts').iterdir())):,} files")
    [built] = side("build-ours", folder)
    print(f"corpuskit: elements {told(built['elements'])}, index {told(built['index'])}, {built['tokens']:,} tokens")
    if lemma:
        [layer] = side("lemma", folder)
        print(f"corpuskit: lemmas {told(layer['lemma'])}")
        built["bytes"] = layer["bytes"]
    print(f"corpuskit: {built['bytes']:.1f} bytes a token{' with lemma' if lemma else ''}")
    [words] = side("ask-ours", folder)
    theirs = {}
    if peer:
        [made] = side("build-conc", folder)
        print(f"Conc: index {told(made['index'])}, {made['tokens']:,} tokens, {made['bytes']:.1f} bytes a token")
        theirs = {key: value for row in side("ask-conc", folder, *words) for key, value in row.items()}
    ours = {
        key: value
        for row in side("ask-ours", folder, *words, *["--lemma"] * lemma, *["--brief"] * brief)
        for key, value in row.items()
    }
    print(f"memory: corpuskit {ours.pop('memory'):,.0f} MB" + (f", Conc {theirs['memory']:,.0f} MB" if peer else ""))
    print(f"{'':42} {'first call, wall (CPU)':>46}   {'second call':>40}")
    for name, (first, second) in ours.items():
        if isinstance(first, float):
            print(f"{name:42} {first * 1000:.0f} ms")
            continue
        other = theirs.get(name)
        row = f"{name:42}"
        for number, times in enumerate((first, second)):
            beside = f"Conc {told(other[number])}" if isinstance(other, list) else str(other or "")
            row += f"  {told(times):>18} {beside:>24}"
        print(row)
    [ten] = side("add-ten", folder)
    print(f"ten documents more: elements {told(ten['elements'])}, index and a question {told(ten['index'])}")


def told(times) -> str:
    return f"{times[0]:.3f} ({times[1]:.3f}) s"


def lemma_layer(folder: Path) -> None:
    import corpuskit

    corpus = corpuskit.open(folder / "ours")
    times = measured(lambda: corpus.annotate("lemma", progress=False))
    files = [file for file in (folder / "ours" / "tokens").rglob("*") if file.is_file()]
    count = int(corpus.wordlist(main=False, copies=True)["count"].sum())
    print(json.dumps({"lemma": times, "bytes": sum(file.stat().st_size for file in files) / count}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder of *.txt")
    parser.add_argument("--tokens", type=int, default=4_000_000)
    parser.add_argument("--no-peer", action="store_true", help="without Conc")
    parser.add_argument("--lemma", action="store_true", help="with a layer of lemmas")
    parser.add_argument("--brief", action="store_true", help="without questions whose answers are long")
    parser.add_argument("--keep", type=Path, help="a folder that stays, for the corpora")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    steps = {
        "build-ours": lambda: build_ours(options.folder, options.folder / "texts"),
        "ask-ours": lambda: ask_ours(options.folder, options.words, options.lemma, options.brief),
        "lemma": lambda: lemma_layer(options.folder),
        "add-ten": lambda: add_ten(options.folder),
        "build-conc": lambda: build_conc(options.folder, options.folder / "texts"),
        "ask-conc": lambda: ask_conc(options.folder, options.words),
    }
    if options.step:
        steps[options.step]()
        return
    if options.data is None:
        parser.error("--data: expected a folder of text files")
    if options.keep is not None:
        options.keep.mkdir()
        compare(options.data, options.tokens, not options.no_peer, options.lemma, options.brief, options.keep)
        return
    with tempfile.TemporaryDirectory() as work:
        compare(options.data, options.tokens, not options.no_peer, options.lemma, options.brief, Path(work))


if __name__ == "__main__":
    os.environ.setdefault("TQDM_DISABLE", "1")
    main()

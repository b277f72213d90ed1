"""After a removal no file of the corpus has a word of the removed document, whatever was derived from it."""

import contextlib
import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from corpuskit.preprocessing import step

SECRET_OPTIONS = "zanzibarone"


def decoded(path):
    """The content of a file, and what is packed in it."""
    content = path.read_bytes()
    yield content
    if path.suffix == ".parquet":
        yield str(pq.read_table(path).to_pylist()).encode()
    elif path.name.endswith(".gz"):
        yield gzip.decompress(content)
    elif path.suffix in {".arrow", ".feather"}:
        yield str(pa.ipc.open_file(pa.memory_map(str(path))).read_all().to_pylist()).encode()
    elif path.suffix in {".npy", ".npz"}:
        arrays = np.load(path, allow_pickle=False)
        yield str([array.tolist() for array in (arrays.values() if path.suffix == ".npz" else [arrays])]).encode()
    if b"\x28\xb5\x2f\xfd" in content:  # zstandard, also within another file
        start = content.index(b"\x28\xb5\x2f\xfd")
        reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content[start:]), read_across_frames=True)
        with reader, contextlib.suppress(zstandard.ZstdError):  # the four bytes may be something else
            yield reader.read()


def holding(corpus):
    """The files that have the word."""
    root = Path(corpus.path)
    files = [path for path in root.rglob("*") if path.is_file()]
    return sorted(
        path.relative_to(root).as_posix()
        for path in files
        if any(SECRET_OPTIONS.encode() in one.lower() for one in decoded(path))
    )


@pytest.mark.feature("linguistics", "vectors")
@pytest.mark.slow
def test_every_derived_table_forgets_a_removed_document(fill):
    topics = ["premium of the house policy insurer claim", "dough of the rye bread oven flour"]
    pages = {f"p{i:02}.html": f"<h1>Page {i}</h1><p>The {topics[i % 2]} number {i} and more." for i in range(30)}
    for n in (30, 31, 32):
        pages[f"p{n}.html"] = (
            f"<h1>{SECRET_OPTIONS} {n}</h1><p>The premium of the {SECRET_OPTIONS} is {SECRET_OPTIONS} insurer claim {n}.</p>"
        )
    corpus = fill(pages)
    documents = corpus.documents()
    ids = documents["doc_id"].tolist()
    secret = documents.loc[documents["uri"].str.contains("p3[012]"), "doc_id"].tolist()
    corpus.set_labels(
        {i: ["relevant", "other"][n % 2] for n, i in enumerate(ids[:20])} | dict.fromkeys(secret, "relevant"), by="me"
    )
    corpus.elements(frequencies=True)
    corpus.text.kwic(SECRET_OPTIONS)
    corpus.text.wordlist()
    corpus.text.annotate("copy", list, progress=False)
    corpus.preprocess([step("copy", lambda text: {"copy": text}, {"copy": "str"}), "language"], progress=False)
    corpus.train()
    corpus.vectors.embed(progress=False)
    corpus.vectors.embed("own", lambda texts: [[len(text), 1.0, 2.0] for text in texts], progress=False)
    corpus.vectors.topics(2)
    corpus.vectors.positions()
    corpus.vectors.similar(secret)
    corpus.subcorpora["s"] = secret
    before = holding(corpus)
    assert {path.split("/")[0] for path in before} >= {"documents", "originals", "tokens", "preprocessing"}
    corpus.remove(secret, reason="asked by its author")
    assert holding(corpus) == []
    corpus.text.wordlist()
    corpus.train()
    assert holding(corpus) == []

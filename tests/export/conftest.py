import pytest

import corpuskit
from corpuskit.export import format_names

PAGES = {
    "a": (
        "Flood cover",
        '<h1>Flood cover</h1><p>The insurer <a href="https://b.example/">pays</a> for floods. It pays soon.</p>'
        "<ul><li>one</li><li>two</li></ul><h2>Limits</h2><p>Not all.</p>"
        '<p>Licensed <a rel="license" href="https://creativecommons.org/licenses/by/4.0/">so</a>.</p>',
    ),
    "b": (
        "Bread",
        "<h1>Bread</h1><p>Flour, water, salt.\u2028And time.</p><p>Flour, water, salt.\u2028And time.</p>"
        "<table><tr><th>x</th></tr><tr><td>1 &lt; 2</td></tr></table>",
    ),
    "c": ("=1+1", "<p>=HYPERLINK(1) is what a formula &lt;script&gt; looks *like*.</p>"),
}


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """A corpus of three pages; two are labelled, by two people."""
    root = tmp_path_factory.mktemp("small")
    (root / "pages").mkdir()
    for name, (title, body) in PAGES.items():
        page = f"<html lang='en'><head><title>{title}</title></head><body>{body}</body></html>"
        (root / "pages" / f"{name}.html").write_text(page, "utf-8")
    corpus = corpuskit.open(root / "corpus")
    corpus.add(root / "pages", progress=False)
    ids = corpus.documents().set_index("uri").doc_id
    corpus.set_labels({ids["pages/a.html"]: "relevant", ids["pages/b.html"]: "other"}, by="ann")
    corpus.set_labels({ids["pages/a.html"]: "relevant", ids["pages/b.html"]: "other"}, by="bob")
    yield corpus
    corpus.close()


@pytest.fixture(scope="session")
def whole(small, tmp_path_factory):
    """The small corpus in all formats."""
    out = tmp_path_factory.mktemp("whole") / "out"
    small.export(out, format=format_names())
    return out

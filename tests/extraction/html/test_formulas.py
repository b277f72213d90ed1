"""Formulas of web pages: their TeX, once, where it stands. The markup is as MediaWiki, KaTeX and MathJax write it."""

from __future__ import annotations

import json

import pytest

from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.extraction.html.formulas import plain

MEDIAWIKI = (
    '<span class="mwe-math-element mwe-math-element-inline"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" '
    'style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\displaystyle x_{1}}"><semantics>'
    '<mrow><msub><mi>x</mi><mn>1</mn></msub></mrow><annotation encoding="application/x-tex">{\\displaystyle x_{1}}</annotation>'
    '</semantics></math></span><img src="x.svg" class="mwe-math-fallback-image-inline mw-invert" aria-hidden="true" '
    'alt="{\\displaystyle x_{1}}"></span>'
)
KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow><annotation '
    'encoding="application/x-tex">x_{1}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">'
    '<span class="base"><span class="mord">x<sub>1</sub></span></span></span></span>'
)
MATHJAX_2 = (
    '<span class="MathJax_Preview" style="color: inherit;"></span><span class="MathJax" id="MathJax-Element-1-Frame" '
    'data-mathml="&lt;math&gt;"><nobr aria-hidden="true"><span class="math">x1</span></nobr><span class="MJX_Assistive_MathML" '
    'role="presentation"><math><msub><mi>x</mi><mn>1</mn></msub></math></span></span>'
    '<script type="math/tex" id="MathJax-Element-1">x_{1}</script>'
)
MATHJAX_4 = (
    '<mjx-container class="MathJax" jax="CHTML"><mjx-math data-latex="x_{1}"><mjx-msub data-latex="x_{1}">x1</mjx-msub>'
    "</mjx-math></mjx-container>"
)


def only(markup: str, **options: object) -> tuple[str, str]:
    """The text of the one block of a page, and the texts of its spans of formulas."""
    options_ = ExtractOptions(classify=False, **options)  # type: ignore[arg-type]
    table = extract_bytes(f"<p>{markup}</p>".encode(), media_type="text/html", uri=None, options=options_).table
    (text,) = table.text
    assert text is not None
    spans = json.loads(table.marks.get("formatting", {}).get(0, "[]"))
    return text, "|".join(text[start:end] for start, end, kind in spans if kind == "tex")


@pytest.mark.parametrize("formatting", [False, True])
@pytest.mark.parametrize(
    "formula", [MEDIAWIKI, KATEX, MATHJAX_2, MATHJAX_4], ids=["mediawiki", "katex", "mathjax2", "mathjax4"]
)
def test_the_tex_of_a_formula_stands_in_the_text_once(formula: str, formatting: bool) -> None:
    text, formulas = only(f"set of <b>objects</b> {formula}, t-SNE first", formatting=formatting)
    assert text == "set of objects x_{1} , t-SNE first".replace(" ,", ",")
    assert formulas == "x_{1}"


@pytest.mark.parametrize(
    "formula",
    [
        '<script type="math/tex; mode=display">x^2</script>',
        '<script type="math/mml"><math alttext="x^2"><mi>x</mi></math></script>',
        '<img class="latex" src="a.png" alt="x^2">',
        '<img class="mwe-math-fallback-image-display" aria-hidden="true" alt="{\\displaystyle x^2}">',
        '<span data-tex="x^2"><i>x</i>2</span>',
        '<span class="ql-formula" data-formula="x^2">x2</span>',
        '<span class="katex-display">' + KATEX.replace("x_{1}", "x^2") + "</span>",
        '<math><semantics><mi>x</mi><annotation encoding="LaTeX">x^2</annotation></semantics></math>',
        '<math alttext="x^2" display="block"><mi>x</mi></math>',
    ],
)
def test_other_ways_to_write_one(formula: str) -> None:
    assert only(f"a {formula} b") == ("a x^2 b", "x^2")


def test_mathml_without_tex_is_what_it_shows() -> None:
    assert only("a <math><mi>x</mi><mo>=</mo><mn>2</mn></math>.") == ("a x = 2.", "x = 2")


def test_a_formula_in_a_link_is_part_of_the_link() -> None:
    text, formulas = only(f'see <a href="http://e.org/">the {KATEX}</a> there')
    assert (text, formulas) == ("see the x_{1} there", "x_{1}")


def test_formulas_are_no_links() -> None:
    page = f'<p>{KATEX} and <a href="http://e.org/">y</a></p>'.encode()
    table = extract_bytes(page, media_type="text/html", uri=None).table
    assert json.loads(table.marks["links"][0]) == [[10, 11, "http://e.org/"]]


def test_an_element_that_only_has_math_in_its_name_stays() -> None:
    assert only('<span class="math-club">Monday</span> <span data-math="">x</span>') == ("Monday x", "")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{\\displaystyle  a+b}", "a+b"),
        ("$a$", "a"),
        ("\\(a\\)", "a"),
        ("$$ a \n b $$", "a b"),
        ("\\{a\\}", "\\{a\\}"),
        ("", ""),
    ],
)
def test_marks_around_tex_go(written: str, read: str) -> None:
    assert plain(written) == read


def test_a_formula_in_a_title_stands_in_it() -> None:
    document = extract_bytes(f"<h1>On {KATEX}</h1><p>a</p>".encode(), media_type="text/html", uri=None)
    assert document.table.text[0] == "On x_{1}"


def test_formulas_in_formulas_are_read_once_however_many() -> None:
    page = "<p>a " + "<math><mi>x</mi>" * 20_000 + "</math>" * 20_000 + " b</p>"
    (text,) = extract_bytes(page.encode(), media_type="text/html", uri=None).table.text
    assert text is not None
    assert text.startswith("a x")
    assert text.count("x") <= 20_000


def test_a_link_over_a_formula_alone_keeps_both() -> None:
    page = f'<p>see <a href="http://e.org/">{KATEX}</a></p><pre><a href="/y">a {KATEX}</a></pre>'.encode()
    table = extract_bytes(page, media_type="text/html", uri="http://e.org/").table
    assert json.loads(table.marks["links"][0]) == [[4, 9, "http://e.org/"]]
    assert json.loads(table.marks["formatting"][0]) == [[4, 9, "tex"]]
    assert json.loads(table.marks["links"][1]) == [[0, 7, "http://e.org/y"]]

"""The style guide's banned words and patterns occur in no name, docstring, comment, message or manual page."""

import pytest
import style

# Packages and pages that follow the style guide; the others follow.
CLEAN = (
    "README.md",
    "corpuskit/__init__.py",
    "corpuskit/corpus",
    "corpuskit/export",
    "corpuskit/features/archives",
    "corpuskit/hooks.py",
    "corpuskit/plugins.py",
    "corpuskit/zstd.py",
    "docs/explanation/association-measures.md",
    "docs/howto/cite.md",
    "docs/howto/from-question-to-quote.md",
    "docs/reference/query-language.md",
    "corpuskit/text",
    "corpuskit/__init__.py",
    "corpuskit/dates.py",
    "corpuskit/document",
    "corpuskit/engine",
    "corpuskit/errors.py",
    "corpuskit/hooks.py",
    "corpuskit/ingest.py",
    "corpuskit/plugins.py",
    "corpuskit/safe_folder.py",
    "corpuskit/store",
    "corpuskit/validation.py",
    "corpuskit/annotators",
    "corpuskit/hooks.py",
    "corpuskit/labels",
    "corpuskit/plugins.py",
    "corpuskit/relevance",
    "corpuskit/tokens",
    "corpuskit/cli",
    "corpuskit/crawl",
    "corpuskit/demo",
    "corpuskit/discovery",
    "corpuskit/hooks.py",
    "corpuskit/plugins.py",
    "corpuskit/shards",
    "corpuskit/zstd.py",
    "corpuskit/sources",
    "corpuskit/compat/__init__.py",
    "corpuskit/compat/directory_layouts.py",
    "corpuskit/compat/formats",
    "corpuskit/compat/frenchtext.py",
    "corpuskit/compat/legacy_config.py",
    "corpuskit/compat/pdf_trio.py",
    "corpuskit/compat/request_log.py",
    "corpuskit/extraction/__init__.py",
    "corpuskit/extraction/choices.py",
    "corpuskit/extraction/encoding.py",
    "corpuskit/extraction/epub.py",
    "corpuskit/extraction/extractors.py",
    "corpuskit/extraction/front_matter.py",
    "corpuskit/extraction/mail.py",
    "corpuskit/extraction/markdown.py",
    "corpuskit/extraction/notation.py",
    "corpuskit/extraction/office.py",
    "corpuskit/extraction/options.py",
    "corpuskit/extraction/original.py",
    "corpuskit/extraction/plain.py",
    "corpuskit/extraction/raw_html.py",
    "corpuskit/extraction/registry.py",
    "corpuskit/extraction/wikipedia.py",
    "corpuskit/extraction/wikitext.py",
    "corpuskit/features/linguistics",
    "corpuskit/features/vectors",
    "corpuskit/preprocessing",
    "corpuskit/views",
    "corpuskit/widgets",
)


@pytest.mark.parametrize("path", CLEAN)
def test_names_and_prose_follow_the_style_guide(path):
    root = style.ROOT / path
    files = [root] if root.is_file() else [*root.rglob("*.py"), *root.rglob("*.md")]
    assert [finding for file in sorted(files) for finding in style.findings(file)] == []


def test_the_check_finds_names_docstrings_comments_and_messages(tmp_path):
    module = tmp_path / "telling.py"
    module.write_text(
        'def first(told):\n    """Gives one row a document."""\n    # where it is none\n    raise ValueError("it is no file")\n'
    )
    found = "\n".join(style.findings(module))
    for part in ("telling", "told", "'Gives'", "one row a document", "is none", "is no f"):
        assert part in found


def test_there_are_at_least_sixty_patterns():
    assert len(style.NAMES) + len(style.PROSE) >= 60

"""How errors raised on purpose look in a notebook."""

import pytest

import corpuskit


@pytest.fixture
def shell(tmp_path):
    from IPython.core.interactiveshell import InteractiveShell as interactive

    found = interactive.instance()
    found.run_cell(f"import corpuskit; corpus = corpuskit.open({str(tmp_path / 'c')!r})")
    yield found
    found.run_cell("corpus.close()")
    interactive.clear_instance()


def test_a_notebook_shows_the_message_and_the_line_that_asked(shell, capsys):
    capsys.readouterr()
    shell.run_cell("asked = 1\ncorpus['0123456789abcdef']\n")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "UnknownDocumentError: no document '0123456789abcdef'"
    assert lines[1:] == ["  line 2: corpus['0123456789abcdef']", "  (%tb shows the full traceback)"]
    shell.run_cell("%tb")
    assert "corpuskit/corpus/" in capsys.readouterr().out.replace("\\", "/")


def test_elsewhere_errors_are_as_they_were():
    with pytest.raises(corpuskit.CorpusKitError) as raised:
        corpuskit.extract("")
    assert raised.traceback

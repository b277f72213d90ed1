import sys

import pandas as pd
import pytest
from matplotlib.figure import Figure

from corpuskit.errors import ConfigurationError
from corpuskit.views import charts

DOCS = pd.DataFrame(
    {
        "words": [10, 100, 1000],
        "lang": ["en", "en", "fr"],
        "timestamp": pd.to_datetime(["2024-01-05", "2024-01-20", "2024-03-01"], utc=True),
        "fetched": pd.to_datetime(["2024-05-01", "2024-05-02", "2024-05-03"], utc=True),
        "relevance": [0.9, 0.1, 0.8],
        "label": ["relevant", None, "other"],
    }
)
TOPIC_COLUMNS = ["topic", "name", "level", "parent", "documents"]


def test_charts_show_what_the_frames_say_without_pyplot():
    assert [bar.get_height() for bar in charts.languages(DOCS).patches] == [2, 1]
    assert [bar.get_height() for bar in charts.timeline(DOCS).patches] == [2, 1]
    assert sum(bar.get_height() for bar in charts.lengths(DOCS).patches) == 3
    assert charts.harvest(DOCS).lines[0].get_ydata() == pytest.approx([1.0, 0.5, 2 / 3])
    shown = {text.get_text() for text in charts.relevance(DOCS).get_legend().get_texts()}
    assert shown == {"relevant", "other", "no label"}
    sources = pd.DataFrame({"host": [f"h{i}" for i in range(30)], "pages": range(30), "relevant": [1] * 30})
    assert "10 smaller hosts not shown" in charts.hosts(sources).get_xlabel()
    assert charts.learning_curve([(10, 0.5), (20, 0.7)]).lines[0].get_xdata().tolist() == [10, 20]
    assert "matplotlib.pyplot" not in sys.modules


def test_average_precision_and_counts_of_patterns_by_hand():
    # Relevant at ranks 1 and 3: (1/1 + 2/3) / 2 = 0.833
    axes = charts.precision_recall([0.9, 0.8, 0.7, 0.1], [True, False, True, False])
    assert "0.833" in axes.get_legend().get_texts()[0].get_text()
    axes = charts.dispersion(pd.DataFrame({"pattern": ["a", "a", "b"], "place": [0.1, 0.5, 0.9]}))
    assert [text.get_text() for text in axes.get_yticklabels()] == ["a (2)", "b (1)"]


def test_a_chart_draws_on_axes_that_are_given_and_figures_can_be_saved(tmp_path):
    axes = charts.languages(DOCS, ax=Figure().add_subplot())
    assert len(axes.patches) == 2
    assert charts.lengths(DOCS, ax=axes) is axes
    axes.figure.savefig(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").stat().st_size > 1000
    with pytest.raises(ConfigurationError, match="lacks host, pages, relevant"):
        charts.hosts(DOCS)


@pytest.mark.slow
def test_every_chart_is_a_picture_in_a_kernel_that_never_heard_of_pyplot():
    import inspect

    from IPython.core.formatters import DisplayFormatter

    frames = {
        "hosts": [pd.DataFrame({"host": ["a"], "pages": [2], "relevant": [1]})],
        "harvest_of_crawls": [pd.DataFrame({"crawl": [1, 1], "page": [1, 2], "relevant": [True, False]})],
        "precision_recall": [[0.9, 0.2], [True, False]],
        "learning_curve": [[(10, 0.5), (20, 0.7)]],
        "dispersion": [pd.DataFrame({"pattern": ["a"], "place": [0.5]})],
        "topics": [pd.DataFrame([(1, "all", 0, None, 3), (0, "tax", 1, 1, 3)], columns=TOPIC_COLUMNS)],
        "frequency": [pd.DataFrame({"host": ["a"], "per_million": [2.0], "low": [1.0], "high": [4.0]})],
    }
    own = [name for name, of in inspect.getmembers(charts, inspect.isfunction)
           if of.__module__ == charts.__name__ and not name.startswith("_")]  # fmt: skip
    assert len(own) >= 10
    for name in own:
        found, _ = DisplayFormatter().format(getattr(charts, name)(*frames.get(name, [DOCS])))
        assert found["image/png"].startswith(b"\x89PNG"), name

"""Charts of frames, with matplotlib: each draws on the given axes or on a new figure, and returns the axes.

Colours are those of Okabe and Ito (2008), which colour-blind readers can distinguish on light and dark backgrounds. A chart
that leaves out rows states it. ``pyplot`` is not used: charts can be drawn in any thread, and a notebook shows the returned axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError
from corpuskit.views.axes import GREY as _GREY
from corpuskit.views.axes import axes as _axes
from corpuskit.views.axes import finished as _finished
from corpuskit.views.axes import need as _need

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, SKY, RED, PINK = "#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7"
COLOURS: Final = (BLUE, ORANGE, GREEN, SKY, RED, PINK)
_OF_LABEL: Final = {"relevant": GREEN, "other": ORANGE, "unsure": SKY}


def hosts(sources: pd.DataFrame, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the pages and relevant pages per host, from ``Corpus.sources()``."""
    ax = _axes(ax, height=0.6 + 0.24 * min(most, max(1, len(sources))))
    _need(sources, "host", "pages", "relevant")
    shown = sources.sort_values("pages", ascending=False).head(most)[::-1]
    names = [name or "(files)" for name in shown["host"]]
    ax.barh(names, shown["pages"].astype(float), color=_GREY, label="pages")
    ax.barh(names, shown["relevant"].fillna(0).astype(float), color=GREEN, label="relevant")
    left_out = len(sources) - len(shown)
    ax.set_xlabel("pages" + (f"; {left_out:,} smaller hosts not shown" if left_out else ""))
    return _finished(ax, legend=True)


def lengths(documents: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the lengths of documents in words on a logarithmic scale, from ``Corpus.documents()``."""
    import numpy as np

    ax = _axes(ax)
    _need(documents, "words")
    words = documents["words"].dropna().astype(float)
    words = words[words > 0]
    top = max(10.0, float(words.max()) if len(words) else 10.0)
    ax.hist(words, bins=np.geomspace(1, top * 1.01, 30).tolist(), color=BLUE)
    ax.set(xscale="log", xlabel="words", ylabel="documents")
    if len(words):
        ax.axvline(float(words.median()), color=RED, linestyle="--", label=f"median {words.median():,.0f}")
    return _finished(ax, legend=bool(len(words)))


def languages(documents: pd.DataFrame, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """Documents a language, from ``Corpus.documents()``."""
    ax = _axes(ax)
    _need(documents, "lang")
    counts = documents["lang"].fillna("?").value_counts()
    shown = counts.head(most)
    ax.bar([str(name) for name in shown.index], shown.to_numpy(), color=BLUE)
    left_out = len(counts) - len(shown)
    ax.set(ylabel="documents", xlabel=f"{left_out} rarer languages not shown" if left_out else "language")
    return _finished(ax)


def timeline(documents: pd.DataFrame, *, by: str = "timestamp", ax: Axes | None = None) -> Axes:
    """Documents a month, from ``Corpus.documents()``; ``by``: timestamp or fetched."""
    ax = _axes(ax)
    _need(documents, by)
    dates = documents[by].dropna()
    months = dates.dt.tz_localize(None).dt.to_period("M").value_counts().sort_index()
    ax.bar(months.index.to_timestamp(), months.to_numpy(), width=25, color=BLUE)
    missing = len(documents) - len(dates)
    ax.set(ylabel="documents", xlabel=by + (f"; {missing:,} without a date" if missing else ""))
    return _finished(ax)


def harvest(documents: pd.DataFrame, *, window: int = 50, ax: Axes | None = None) -> Axes:
    """Harvest rate over a crawl: the share of relevant pages (relevance >= 0.5) so far and among the last ones.

    From ``Corpus.documents()`` with scores, in the order they were fetched.
    """
    ax = _axes(ax)
    _need(documents, "fetched", "relevance")
    scored = documents.dropna(subset=["relevance"]).sort_values("fetched")
    is_relevant = (scored["relevance"] >= 0.5).astype(float)
    pages = range(1, len(is_relevant) + 1)
    ax.plot(pages, is_relevant.expanding().mean().to_numpy(), color=BLUE, label="all so far")
    ax.plot(pages, is_relevant.rolling(window, min_periods=1).mean().to_numpy(), color=ORANGE, label=f"last {window}")
    ax.set(xlabel="pages", ylabel="harvest rate", ylim=(0, 1.02))
    return _finished(ax, legend=True)


def harvest_of_crawls(pages: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw relevant pages over pages fetched, a line a crawl: from the ``pages`` of ``Corpus.compare()``."""
    ax = _axes(ax)
    _need(pages, "crawl", "page", "relevant")
    for position, (crawl, group) in enumerate(pages.groupby("crawl")):
        rate = f"{group['relevant'].mean():.0%} relevant"
        colour = COLOURS[position % len(COLOURS)]
        ax.plot(group["page"], group["relevant"].cumsum(), color=colour, label=f"crawl {crawl}: {rate}")
    ax.set(xlabel="pages", ylabel="relevant pages")
    return _finished(ax, legend=True)


def topics(frame: pd.DataFrame, *, most: int = 60, ax: Axes | None = None) -> Axes:
    """Documents a topic, the topics of a group together and in one colour, from ``Corpus.topics().frame``."""
    _need(frame, "topic", "name", "level", "parent", "documents")
    groups = frame[frame["level"] == 0]
    fine = frame[frame["level"] == 1]
    shown = fine.sort_values("documents", ascending=False, kind="stable").head(most)
    ax = _axes(ax, height=0.6 + 0.24 * max(1, len(shown) + len(groups)))
    names, sizes, colours = [], [], []
    for number, group in enumerate(groups.itertuples()):
        members = shown[shown["parent"] == group.topic]
        if len(members):
            names += [f"{group.name}", *(f"{name}  " for name in members["name"])]
            sizes += [0, *(int(size) for size in members["documents"])]
            colours += [_GREY, *[COLOURS[number % len(COLOURS)]] * len(members)]
    positions = range(len(names))
    ax.barh(positions, sizes, color=colours)
    ax.set_yticks(positions, [name.replace("$", r"\$") for name in names])
    for label, size in zip(ax.get_yticklabels(), sizes, strict=True):
        label.set_fontweight("normal" if size else "bold")
    ax.invert_yaxis()
    left_out = len(fine) - len(shown)
    ax.set_xlabel("documents" + (f"; {left_out:,} smaller topics not shown" if left_out else ""))
    return _finished(ax)


def precision_recall(scores: Sequence[float], relevant: Sequence[bool], *, ax: Axes | None = None) -> Axes:
    """Precision over recall of a ranking, with the average precision."""
    import numpy as np

    ax = _axes(ax, width=4.0, height=4.0)
    truth = np.asarray(relevant, bool)[np.argsort(-np.asarray(scores, float), kind="stable")]
    if not truth.any():
        raise ConfigurationError("precision over recall: found no relevant one among the labels")
    hits = np.cumsum(truth)
    precision, recall = hits / np.arange(1, len(truth) + 1), hits / hits[-1]
    average = float(precision[truth].mean())
    ax.step(recall, precision, where="post", color=BLUE, label=f"average precision {average:.3f}")
    ax.axhline(float(truth.mean()), color=_GREY, linestyle=":", label="at random")
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.05))
    return _finished(ax, legend=True)


def learning_curve(points: Sequence[tuple[int, float]], *, ax: Axes | None = None) -> Axes:
    """Draw a measure over the number of labels, from (labels, value) pairs."""
    ax = _axes(ax)
    labels, values = zip(*points, strict=True) if points else ((), ())
    ax.plot(labels, values, color=BLUE, marker="o", markersize=4)
    ax.set(xlabel="labels", ylabel="average precision", ylim=(0, 1.02))
    return _finished(ax)


def relevance(documents: pd.DataFrame, *, by: str = "label", ax: Axes | None = None) -> Axes:
    """Draw the distribution of scores, with one colour per label, from ``Corpus.documents()``."""
    ax = _axes(ax)
    _need(documents, "relevance", by)
    groups = documents.dropna(subset=["relevance"]).assign(group=lambda frame: frame[by].fillna("no label"))
    for position, (name, group) in enumerate(groups.groupby("group")):
        colour = _OF_LABEL.get(str(name), _GREY if name == "no label" else COLOURS[position % len(COLOURS)])
        ax.hist(group["relevance"], bins=20, range=(0, 1), alpha=0.7, color=colour, label=str(name))
    ax.set(xlabel="P(relevant)", ylabel="documents")
    return _finished(ax, legend=bool(len(groups)))


def dispersion(occurrences: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the positions of words in the corpus, one line per pattern and one stroke per occurrence, from ``Corpus.occurrences()``."""
    _need(occurrences, "pattern", "place")
    names = list(dict.fromkeys(occurrences["pattern"]))
    ax = _axes(ax, height=0.8 + 0.4 * max(1, len(names)))
    positions = [occurrences["place"][occurrences["pattern"] == name].to_numpy() for name in names]
    colours = [COLOURS[position % len(COLOURS)] for position in range(len(names))]
    if names:
        ax.eventplot(positions, colors=colours, linelengths=0.8, linewidths=0.8)
    ax.set(yticks=range(len(names)), xlim=(0, 1), xlabel="place in the corpus")
    ax.set_yticklabels([f"{name} ({len(values):,})" for name, values in zip(names, positions, strict=True)])
    ax.invert_yaxis()
    return _finished(ax)


def frequency(frequencies: pd.DataFrame, *, most: int = 30, ax: Axes | None = None) -> Axes:
    """Matches a million tokens with their intervals, a bar a group, from ``Corpus.frequency().frame``."""
    _need(frequencies, "per_million", "low", "high")
    shown = frequencies.head(most)[::-1]
    ax = _axes(ax, height=0.8 + 0.26 * max(1, len(shown)))
    rates = shown["per_million"].to_numpy()
    reach = [rates - shown["low"].to_numpy(), shown["high"].to_numpy() - rates]
    ax.barh([str(name) for name in shown.iloc[:, 0]], rates, xerr=reach, color=SKY, ecolor=_GREY, capsize=3)
    left_out = len(frequencies) - len(shown)
    ax.set_xlabel("matches a million tokens, 95 %" + (f"; {left_out:,} groups not shown" if left_out else ""))
    return _finished(ax)

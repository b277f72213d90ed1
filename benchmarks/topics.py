"""Do topics find the classes of labelled texts, and do their words belong together? Beside other topic models.

    uv run --with bertopic --with turftopic --with gensim python benchmarks/topics.py --data FOLDER [--seeds 3]

The folder has Parquet files with the columns text and class, or a folder of text files for each class. All get the same
texts and number of topics; BERTopic and KeyNMF get our vectors. Prints of each: normalised mutual information with the
classes (mean over seeds), NPMI and c_v of the first ten words (gensim), and CPU seconds on one thread from texts to words.
A package that is not installed is left out. Compiling (numba) is not counted: each peer is called once before.
"""

# ruff: noqa: E402 - how many threads there are is read when NumPy is loaded
from __future__ import annotations

import os

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

LONGEST = 30_000  # characters of a text


def read_texts(folder: Path) -> tuple[list[str], list[str]]:
    """The texts of a folder and the class of each."""
    import pandas as pd

    tables = sorted(folder.glob("*.parquet"))
    if tables:
        frame = pd.concat([pd.read_parquet(file, columns=["text", "class"]) for file in tables])
        return [text[:LONGEST] for text in frame["text"]], [str(name) for name in frame["class"]]
    files = sorted(file for file in folder.glob("*/*") if file.is_file())
    return [file.read_text("utf-8", "replace")[:LONGEST] for file in files], [file.parent.name for file in files]


class Own:
    """Our vectors of texts and words, as those libraries want them that bring their own."""

    def __init__(self, texts):
        from corpuskit.relevance import VectorSpace

        self.space = VectorSpace.fit(texts)
        self.matrix = self.encode(texts)

    def encode(self, texts, **_):
        from corpuskit.vectors.making import embedded

        return embedded(self.space, list(texts))


def ours(texts, n, seed, _):
    """The topics as corpus.topics() makes them: clusters, groups, stability, words."""
    from corpuskit.vectors.clustering import centres_of, cluster_with_stability, group_centres
    from corpuskit.vectors.naming import stop_words_of, words_of

    own = Own(texts)
    labels, _ = cluster_with_stability(own.matrix, n, seed=seed)
    group_centres(centres_of(own.matrix, labels, n))
    stop = stop_words_of(["en"])
    members = [np.flatnonzero(labels == topic) for topic in range(n)]
    some = [rows[:: max(1, -(-len(rows) // 300))] for rows in members]
    return labels, [list(words_of(own.space.tables[0], [texts[row] for row in rows], stop=stop)) for rows in some]


def bertopic(texts, n, seed, clusters="hdbscan"):
    """BERTopic with UMAP and HDBSCAN, or k-means, on our vectors; documents without a topic go to the most likely one."""
    from bertopic import BERTopic
    from bertopic.backend import BaseEmbedder
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import CountVectorizer
    from umap import UMAP

    own = Own(texts)
    reducer = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed, n_jobs=1)
    counter = CountVectorizer(stop_words="english")
    chosen = {"hdbscan_model": KMeans(n, random_state=seed)} if clusters == "k-means" else {"nr_topics": n + 1}
    model = BERTopic(umap_model=reducer, vectorizer_model=counter, embedding_model=BaseEmbedder(), **chosen)
    labels, _ = model.fit_transform(texts, own.matrix)
    if -1 in labels and len(set(labels)) > 2:
        labels = model.reduce_outliers(texts, labels, strategy="c-tf-idf")
    return np.array(labels), [[word for word, _ in model.get_topic(topic)] for topic in sorted(set(labels) - {-1})]


def keynmf(texts, n, seed, _):
    """Turftopic's KeyNMF with our vectors of texts and words."""
    from sklearn.feature_extraction.text import CountVectorizer
    from turftopic import KeyNMF

    own = Own(texts)
    counter = CountVectorizer(stop_words="english", min_df=10)
    model = KeyNMF(n, encoder=own, vectorizer=counter, random_state=seed)
    weights = model.fit_transform(texts, embeddings=own.matrix)
    return np.asarray(weights).argmax(axis=1), _first_words(model.components_, model.get_vocab())


def nmf(texts, n, seed, _):
    """scikit-learn's NMF on tf-idf."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    counter = TfidfVectorizer(stop_words="english", min_df=2, max_df=0.95, max_features=20_000)
    model = NMF(n, random_state=seed, init="nndsvda")
    weights = model.fit_transform(counter.fit_transform(texts))
    return weights.argmax(axis=1), _first_words(model.components_, counter.get_feature_names_out())


def lda(texts, n, seed, _):
    """scikit-learn's latent Dirichlet allocation on counts."""
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(stop_words="english", min_df=2, max_df=0.95, max_features=20_000)
    model = LatentDirichletAllocation(n, random_state=seed)
    weights = model.fit_transform(counter.fit_transform(texts))
    return weights.argmax(axis=1), _first_words(model.components_, counter.get_feature_names_out())


def _first_words(components, vocabulary):
    return [[str(vocabulary[at]) for at in np.argsort(-row)[:10]] for row in np.asarray(components)]


def coherence(words, texts):
    """NPMI and c_v of gensim over the texts."""
    try:
        from gensim.corpora import Dictionary
        from gensim.models import CoherenceModel
    except ImportError:
        return float("nan"), float("nan")
    from corpuskit.relevance import document_tokens

    tokens = [document_tokens(text) for text in texts]
    dictionary = Dictionary(tokens)
    known = [[word for word in topic if word in dictionary.token2id] for topic in words]
    known = [topic for topic in known if len(topic) > 1]
    found = []
    for kind in ("c_npmi", "c_v"):
        model = CoherenceModel(topics=known, texts=tokens, dictionary=dictionary, coherence=kind, processes=1)
        found.append(float(np.nanmean(model.get_coherence_per_topic())))
    return tuple(found)


MODELS = {
    "corpuskit": (ours, ""),
    "BERTopic (HDBSCAN)": (bertopic, "hdbscan"),
    "BERTopic (k-means)": (bertopic, "k-means"),
    "Turftopic KeyNMF": (keynmf, ""),
    "scikit-learn NMF": (nmf, ""),
    "scikit-learn LDA": (lda, ""),
}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--only", help="a part of a name")
    chosen = options.parse_args()
    from sklearn.metrics import normalized_mutual_info_score

    texts, classes = read_texts(chosen.data)
    n = len(set(classes))
    print(f"{len(texts):,} texts, {n} classes")
    for name, (model, how) in MODELS.items():
        if chosen.only and chosen.only.lower() not in name.lower():
            continue
        scores, seconds, words, topics = [], [], [], set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model(texts[:: max(1, len(texts) // 700)], min(n, 5), 0, how)
                for seed in range(chosen.seeds):
                    start = time.process_time()
                    labels, words = model(texts, n, seed, how)
                    seconds.append(time.process_time() - start)
                    scores.append(normalized_mutual_info_score(classes, labels))
                    topics.add(len(set(labels.tolist())))
            except ImportError as error:
                print(f"{name:20} not installed ({error})")
                continue
            npmi, c_v = coherence(words, texts)
        spread = "" if len(scores) == 1 else f" ({min(scores):.3f} to {max(scores):.3f})"
        told = "/".join(map(str, sorted(topics)))
        print(
            f"{name:20} NMI {np.mean(scores):.3f}{spread}, NPMI {npmi:.3f}, c_v {c_v:.3f}, {np.mean(seconds):6.1f} s CPU, {told} topics",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Feature group linguistics: ``corpus.text`` and ``corpus.queries``."""

from corpuskit.plugins import FeatureGroup

GROUP = FeatureGroup(
    name="linguistics",
    packages=("corpuskit.features.linguistics", "corpuskit.tokens"),
    accessors={
        "text": "corpuskit.features.linguistics.text:TextAccessor",
        "queries": "corpuskit.features.linguistics.queries:QueriesAccessor",
    },
    methods={"kwic": "text.kwic"},
    old_names={
        **{
            name: f"text.{name}"
            for name in (
                "annotate", "charset", "clusters", "collocates", "concordance", "dispersion", "explore", "frequency", "keywords",
                "ngrams", "occurrences", "sketch", "vocabulary", "wordlist",
            )
        },
        "save_query": "queries.save",
        "forget_query": "queries.delete",
    },
    modules={
        "corpuskit.cli": ("corpuskit.features.linguistics.commands",),
        "corpuskit.export.formats": ("corpuskit.features.linguistics.export_formats",),
    },
    hooks={
        "documents that match": "corpuskit.features.linguistics.word_lists:matching_documents",
        "remove documents": "corpuskit.tokens:remove_documents",
        "token layers": "corpuskit.tokens.layer_reader:annotation_of",
    },
)  # fmt: skip
"""Entry points of the feature group."""

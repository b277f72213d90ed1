"""Feature group vectors: ``corpus.vectors`` with similar documents, topics and the map."""

from corpuskit.plugins import FeatureGroup

GROUP = FeatureGroup(
    name="vectors",
    packages=("corpuskit.features.vectors", "corpuskit.vectors"),
    accessors={"vectors": "corpuskit.features.vectors.accessor:VectorsAccessor"},
    methods={"map": "vectors.map"},
    old_names={name: f"vectors.{name}" for name in ("embed", "positions", "similar", "topics")},
    hooks={
        "check": "corpuskit.vectors:check",
        "document columns": "corpuskit.vectors:topic_column",
        "remove documents": "corpuskit.vectors:remove_documents",
        "similar documents": "corpuskit.features.vectors.similarity:similar_documents",
    },
)
"""Entry points of the feature group."""

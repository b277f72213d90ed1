"""Feature group archives: ``corpus.archives`` with web archives and shards."""

from corpuskit.plugins import FeatureGroup

GROUP = FeatureGroup(
    name="archives",
    packages=(
        "corpuskit.features.archives",
        "corpuskit.discovery",
        "corpuskit.shards",
        "corpuskit.sources.commoncrawl",
    ),
    accessors={"archives": "corpuskit.features.archives.accessor:ArchivesAccessor"},
    old_names={name: f"archives.{name}" for name in ("discover", "fetch", "merge", "train_urls")},
    modules={"corpuskit.cli": ("corpuskit.features.archives.commands",)},
    hooks={
        "commoncrawl": "corpuskit.sources.commoncrawl:commoncrawl",
        "extract shards": "corpuskit.shards:extract_shards",
    },
    moved={"corpuskit.demo.demo_archive": "corpuskit.features.archives.demo_archive:demo_archive"},
)
"""What archives add to the core."""

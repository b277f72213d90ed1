"""Extraction of large inputs: split into shards, extracted on any engine, merged into a corpus."""

from corpuskit.shards.extraction_run import ShardReport, extract_shards, run_shards
from corpuskit.shards.inputs import Shard, find_shards
from corpuskit.shards.merge import MergeReport, merge

__all__ = ["MergeReport", "Shard", "ShardReport", "extract_shards", "find_shards", "merge", "run_shards"]

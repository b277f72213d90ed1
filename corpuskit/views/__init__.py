"""DataFrames, concordance and charts of a corpus."""

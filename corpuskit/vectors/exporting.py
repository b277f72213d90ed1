"""Export of topics as CSV, Parquet or JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from corpuskit.errors import ExportError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["export"]


def export(topics: pd.DataFrame, documents: pd.DataFrame, path: Path) -> int:
    """Write topics and their documents and return the number of documents; see :meth:`corpuskit.vectors.Topics.export`."""
    kind = path.suffix.lower()
    if kind not in {".csv", ".parquet", ".json"}:
        raise ExportError(f"{path}: expected a file name ending in .csv, .parquet or .json")
    try:
        if kind == ".json":
            of = documents.groupby("topic")["doc_id"].agg(list).to_dict()
            rows = json.loads(topics.to_json(orient="records"))
            records = [{**row, "doc_ids": of.get(row["topic"], [])} if row["level"] else row for row in rows]
            path.write_text(json.dumps({"topics": records}, ensure_ascii=False, indent=1) + "\n", "utf-8")
            return len(documents)
        table = _table(topics, documents)
        if kind == ".csv":
            table.to_csv(path, index=False, lineterminator="\n")
        else:
            table.to_parquet(path, index=False)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error}") from error
    return len(documents)


def _table(topics: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    names, parents = topics.set_index("topic")["name"], topics.set_index("topic")["parent"]
    groups = documents["topic"].map(parents)
    return documents.assign(group=groups, group_name=groups.map(names))

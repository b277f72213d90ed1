"""Texts that are there twice: exactly, nearly, and as blocks that pages of a site repeat.

Nothing is deleted: the results are columns. A duplicate's original is the one seen first (then the smallest id), so the result depends
neither on the order in which texts come nor on the run, and later texts change no earlier verdict.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.safe_folder import SafeFolder
from corpuskit.text.fingerprint import text_hash
from corpuskit.text.shingles import Shingles, likeness, signatures, sketch

if TYPE_CHECKING:
    import pandas as pd

_BANDS: Final = 21
_ROWS: Final = 6  # 21 bands of 6 find a pair of Jaccard .8 with probability .998, one of .4 with .08
_BATCH: Final = 20_000  # texts a part
_ALL_PAIRS: Final = 32  # of a band's texts, each is compared with the first so many, and with the 8 before it
_NEIGHBOURS: Final = 8
_MEMORY: Final = "1GB"
_SETTINGS: Final = "settings.json"


def _read_settings(folder: SafeFolder) -> object:
    try:
        return json.loads(folder.read(_SETTINGS, 10_000))
    except (ValueError, RecursionError):
        return None


class DuplicateIndex:
    """What is known about texts, in a folder: hashes, bands of MinHash, sketches. Parts are only ever added.

    Args:
        folder: made if absent; nothing else may be in it.
        threshold: Jaccard index of runs of words from which texts are near-duplicates.
        size: words a run.

    Raises:
        ConfigurationError: the folder was made with other settings.
        MissingExtraError: the extra ``text`` is not installed.
    """

    def __init__(self, folder: str | Path, *, threshold: float = 0.8, size: int = 3) -> None:
        try:
            import duckdb  # noqa: F401
            import rensa  # noqa: F401
        except ImportError as error:
            raise MissingExtraError(str(error.name), "text") from None
        if not 0.5 <= threshold <= 1:
            raise ConfigurationError(f"threshold {threshold}: it must be from 0.5 to 1")
        self._folder = SafeFolder(Path(folder))
        self._threshold = threshold
        self._shingles = Shingles(size)
        settings = {"size": size, "bands": _BANDS, "rows": _ROWS}
        Path(folder).mkdir(parents=True, exist_ok=True)
        if not self._folder.exists(_SETTINGS):
            self._folder.write(_SETTINGS, json.dumps(settings).encode())
        elif _read_settings(self._folder) != settings:
            raise ConfigurationError(f"{folder} was created with other settings: delete it, or pass those settings")

    def add(self, texts: Iterable[tuple[str, str, int]]) -> int:
        """Add texts and return their number.

        A doc_id that is there already gets the new text.

        Args:
            texts: Rows of doc_id, text, and when it was first seen: any number, a smaller one is earlier.
        """
        count = 0
        batch: list[tuple[str, str, int]] = []
        for item in texts:
            batch.append(item)
            if len(batch) >= _BATCH:
                count += self._write(batch)
                batch = []
        return count + self._write(batch) if batch else count

    def known(self) -> set[str]:
        """Return the doc_ids added so far."""
        import pyarrow.parquet as pq

        return {
            doc_id for part in self._parts() for doc_id in pq.read_table(part, columns=["doc_id"])["doc_id"].to_pylist()
        }

    def _parts(self) -> list[Path]:
        """Return the parts. Their sketches must be regular files too."""
        self._folder.file_names("sketch-*.npy", strict=True)
        return [self._folder / name for name in self._folder.file_names("part-*.parquet", strict=True)]

    def _write(self, batch: list[tuple[str, str, int]]) -> int:
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq

        parts = self._parts()
        number = int(parts[-1].stem.partition("-")[2]) + 1 if parts else 0
        sets = [self._shingles.of(text) for _, text, _ in batch]
        sketches = [sketch(shingles) for shingles in sets]
        sizes = np.array([len(hashes) for hashes in sketches], np.int64)
        with self._folder.atomic_write(f"sketch-{number:06d}.npy") as file:
            np.save(file, np.concatenate(sketches) if sketches else np.empty(0, np.uint32))
        bands = signatures(sets, _BANDS, _ROWS).view(np.int64)
        table = pa.table(
            {
                "doc_id": pa.array([doc_id for doc_id, _, _ in batch], pa.string()),
                "seen": pa.array([seen for _, _, seen in batch], pa.int64()),
                "part": pa.array(np.full(len(batch), number, np.int32)),
                "row": pa.array(np.arange(len(batch), dtype=np.int32)),
                "hash": pa.array([text_hash(text) if len(s) else None for (_, text, _), s in zip(batch, sets, strict=True)], pa.int64()),
                "start": pa.array(np.cumsum(sizes) - sizes),
                "size": pa.array(sizes),
                "bands": pa.FixedSizeListArray.from_arrays(pa.array(bands.ravel()), _BANDS),
            }
        )  # fmt: skip
        with self._folder.atomic_write(f"part-{number:06d}.parquet") as file:
            pq.write_table(table, file, compression="zstd")
        return len(batch)

    def find(self, among: Sequence[str] | None = None) -> pd.DataFrame:
        """Return one row per text, by doc_id.

        Columns: doc_id (str), unique (bool, whether it is not a duplicate), duplicate_of (str, missing if unique), kind (str: exact, equal
        except for white space and case, or near; missing if unique), similarity (float64, Jaccard index with the
        original; estimated for texts of more than 512 runs). A text without words is unique.

        Args:
            among: doc_ids of the texts to compare. None: all.
        """
        import duckdb
        import pandas as pd

        if not self._parts():
            return _frame(pd.DataFrame({"doc_id": []}), {}, {}, {})
        with tempfile.TemporaryDirectory(dir=self._folder.path) as work:
            connection = duckdb.connect(
                ":memory:", config={"memory_limit": _MEMORY, "threads": 2, "temp_directory": work}
            )
            try:
                self._number(connection, among)
                rows = connection.execute("SELECT n, doc_id, part, start, size, first FROM texts ORDER BY n").df()
                originals = dict(self._near_duplicates(connection, rows))
            finally:
                connection.close()
        ids: list[str] = rows["doc_id"].tolist()
        first = rows["first"].to_numpy()
        of: dict[str, str] = {}
        kind: dict[str, str] = {}
        similarity: dict[str, float] = {}
        for n, leader in enumerate(first.tolist()):
            target, share = originals.get(leader, (leader, 1.0))
            if target != n:
                of[ids[n]], similarity[ids[n]] = ids[target], share
                kind[ids[n]] = "exact" if target == leader else "near"
        return _frame(rows[["doc_id"]], of, kind, similarity)

    def _number(self, connection: Any, among: Sequence[str] | None) -> None:
        """Create the table texts. n is the rank by time of addition, first the n of the earliest text with the same hash."""
        import pandas as pd

        pattern = f"{self._folder.path}/part-*.parquet".replace("'", "''")
        where = ""
        if among is not None:
            connection.register("among", pd.DataFrame({"doc_id": list(dict.fromkeys(among))}).astype("str"))
            where = "WHERE doc_id IN (SELECT doc_id FROM among)"
        connection.execute(
            "CREATE TABLE texts AS WITH last AS (SELECT doc_id, max((part, row)) AS place FROM "
            f"read_parquet('{pattern}') {where} GROUP BY doc_id), numbered AS (SELECT "
            "row_number() OVER (ORDER BY p.seen, p.doc_id) - 1 AS n, p.doc_id, p.part, p.row, p.start, p.size, p.hash "
            f"FROM read_parquet('{pattern}') p JOIN last ON last.doc_id = p.doc_id AND last.place = (p.part, p.row)) "
            "SELECT *, CASE WHEN hash IS NULL THEN n ELSE min(n) OVER (PARTITION BY hash) END AS first FROM numbered"
        )

    def _near_duplicates(self, connection: Any, rows: pd.DataFrame) -> Iterator[tuple[int, tuple[int, float]]]:
        """Yield the n of each near-duplicate, the n of its original (itself not a duplicate) and their similarity."""
        import numpy as np

        pattern = f"{self._folder.path}/part-*.parquet".replace("'", "''")
        connection.execute(
            "CREATE TABLE bands AS SELECT t.n::INTEGER AS n, unnest(p.bands::BIGINT[]) AS band FROM texts t JOIN "
            f"read_parquet('{pattern}') p ON p.part = t.part AND p.row = t.row WHERE t.first = t.n AND t.hash IS NOT NULL"
        )
        connection.execute(
            "CREATE TABLE shared AS SELECT n, band FROM bands WHERE band IN "
            "(SELECT band FROM bands GROUP BY band HAVING count(*) > 1)"
        )
        connection.execute("DROP TABLE bands")
        pairs = connection.execute(
            "WITH ranked AS (SELECT n, band, row_number() OVER (PARTITION BY band ORDER BY n) AS r FROM shared) "
            "SELECT DISTINCT b.n AS later, a.n AS earlier FROM ranked a JOIN ranked b ON a.band = b.band AND a.r < b.r "
            f"AND (a.r <= {_ALL_PAIRS} OR b.r - a.r <= {_NEIGHBOURS}) ORDER BY later, earlier"
        )
        sketches = {
            int(file.stem.partition("-")[2]): np.load(file, mmap_mode="r")
            for file in self._folder.path.glob("sketch-*.npy")
        }
        part, start, size = (rows[name].to_numpy() for name in ("part", "start", "size"))

        def sketch_of(n: int) -> Any:
            return sketches[int(part[n])][int(start[n]) : int(start[n] + size[n])]

        duplicates: set[int] = set()
        while batch := pairs.fetchmany(100_000):
            for later, earlier in batch:
                if later in duplicates or earlier in duplicates:
                    continue
                small, large = sorted((int(size[later]), int(size[earlier])))
                if small < self._threshold * large:  # the index cannot reach the threshold
                    continue
                share = likeness(sketch_of(earlier), sketch_of(later))
                if share >= self._threshold:
                    duplicates.add(later)
                    yield later, (earlier, share)


def _frame(frame: pd.DataFrame, of: dict[str, str], kind: dict[str, str], similarity: dict[str, float]) -> pd.DataFrame:
    import pandas as pd

    ids = sorted(frame["doc_id"])
    return pd.DataFrame(
        {
            "doc_id": pd.Series(ids, dtype="str"),
            "unique": pd.Series([doc_id not in of for doc_id in ids], dtype="bool"),
            "duplicate_of": pd.Series([of.get(doc_id) for doc_id in ids], dtype="str"),
            "kind": pd.Series([kind.get(doc_id) for doc_id in ids], dtype="str"),
            "similarity": pd.Series([similarity.get(doc_id) for doc_id in ids], dtype="float64"),
        }
    )


def near_duplicates(
    texts: Iterable[tuple[str, str]] | Iterable[tuple[str, str, int]], *, threshold: float = 0.8, size: int = 3
) -> pd.DataFrame:  # fmt: skip
    """Return exact and near-duplicates among texts; columns as :meth:`DuplicateIndex.find`.

    Args:
        texts: (doc_id, text) or (doc_id, text, when it was first seen).
        threshold: Jaccard index from which texts are near-duplicates.
        size: words a run.
    """
    with tempfile.TemporaryDirectory() as folder:
        index = DuplicateIndex(folder, threshold=threshold, size=size)
        index.add((item[0], item[1], item[2] if len(item) > 2 else 0) for item in texts)
        return index.find()


def repeated_blocks(blocks: Any) -> pd.DataFrame:
    """Return how often the blocks of a corpus are repeated, one row a block in the order given.

    Columns: frequency_in_site, frequency_in_corpus (int64: documents of the site, and of the corpus, that have the block), first_in_site
    (bool: no earlier row of the site has it).

    Args:
        blocks: a DataFrame with doc_id, site, and hash (or anything else that is equal where blocks are).
    """
    import pandas as pd

    frame = pd.DataFrame({name: blocks[name].to_numpy() for name in ("doc_id", "site", "hash")})
    once = frame.drop_duplicates(["doc_id", "hash"])
    in_site = once.groupby(["site", "hash"], observed=True, sort=False).size().rename("frequency_in_site").reset_index()
    in_corpus = once.groupby("hash", observed=True, sort=False).size().rename("frequency_in_corpus").reset_index()
    result = frame.merge(in_site, on=["site", "hash"], how="left").merge(in_corpus, on="hash", how="left")
    result["first_in_site"] = ~frame.duplicated(["site", "hash"]).to_numpy()
    return result[["frequency_in_site", "frequency_in_corpus", "first_in_site"]].astype(
        {"frequency_in_site": "int64", "frequency_in_corpus": "int64"}
    )

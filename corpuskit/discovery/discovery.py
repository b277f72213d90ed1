"""What was discovered: places of pages that the model of URLs wants, host by host."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.discovery.estimate import Estimate, Prices, estimate
from corpuskit.discovery.selection import scored_schema
from corpuskit.errors import ConfigurationError, CorpusError, SourceError
from corpuskit.shards.byte_ranges import Span, coalesce_ranges
from corpuskit.shards.output import Output
from corpuskit.store import CorpusFolder
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from corpuskit.discovery.sampling import Sample

PLACES: Final = "places.parquet"
SUMMARY: Final = "summary.json"
BINS: Final = 100  # of scores, equally wide
_HOSTS_TOLD: Final = 1000


@dataclass(slots=True)
class Tally:
    """What was counted while an index was scored.

    Attributes:
        seen: rows of the index.
        wrong: wanted rows that can be no place.
        left_out: rows that are not chosen, by the name of the filter that says so first, and those below the threshold.
        pages, bytes: by score, in equally wide bins; bytes of records as they are packed.
    """

    seen: int = 0
    wrong: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    pages: list[int] = field(default_factory=lambda: [0] * BINS)
    bytes: list[int] = field(default_factory=lambda: [0] * BINS)

    def add(self, scores: Any, lengths: Any) -> None:
        """Counts scored rows."""
        at = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
        for kept, weights in ((self.pages, None), (self.bytes, lengths)):
            counts = np.bincount(at, weights, minlength=BINS)
            kept[:] = [old + int(new) for old, new in zip(kept, counts, strict=True)]

    def take(self, other: dict[str, Any]) -> None:
        """Adds what was counted of a part."""
        self.seen += other["seen"]
        self.wrong += other["wrong"]
        self.left_out.update(other.get("left_out", {}))
        self.pages = [a + b for a, b in zip(self.pages, other["pages"], strict=True)]
        self.bytes = [a + b for a, b in zip(self.bytes, other["bytes"], strict=True)]

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        left_out = {name: number for name, number in self.left_out.items() if number}
        return {
            "seen": self.seen, "wrong": self.wrong, "left_out": left_out, "pages": self.pages, "bytes": self.bytes
        }  # fmt: skip


class Discovery:
    """The chosen pages of an index; :meth:`Corpus.fetch` fetches them.

    Args:
        folder: the corpus.
        name: of the discovery.
        url: where its files are.
        archives: where its archives are, said by the user in this process; None: what its files say, which may come from a
            stranger.

    Raises:
        CorpusError: they are not there, or damaged.
    """

    def __init__(self, folder: CorpusFolder, name: str, url: str, *, archives: str | None = None) -> None:
        self._folder, self.name, self.url, self._archives = folder, name, url, archives
        self._output = Output(url)
        try:
            self._summary: dict[str, Any] = json.loads(self._output.read(SUMMARY, 64 << 20))
            if len(self._summary["pages"]) != BINS or not isinstance(self._summary["archives"], str):
                raise ValueError("it is not what was written")
        except FileNotFoundError as error:
            raise CorpusError(
                f"the discovery {name!r} has not come to its end: the same call or command goes on"
            ) from error
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise CorpusError(f"the discovery {name!r} cannot be read ({error}): discover again") from error

    @classmethod
    def of(cls, folder: CorpusFolder, given: Discovery | str, *, archives: str | None = None) -> Discovery:
        """Return a discovery of this corpus: as it is given, or by its name.

        Args:
            folder: the corpus.
            given: the discovery, or its name.
            archives: where its archives are; None: as :meth:`named` says, of a discovery where it says.

        Raises:
            CorpusError: there is none of this name.
            ConfigurationError: it is of another corpus, or no discovery.
        """
        if isinstance(given, str):
            return cls.named(folder, given, archives=archives)
        if not isinstance(given, Discovery):
            raise ConfigurationError(
                f"found {given!r:.80}, expected a discovery: what corpus.archives.discover(index) returned, or its name"
            )
        if given._folder.path.resolve() != folder.path.resolve():
            where = archives or given._archives or given._summary["archives"]
            raise ConfigurationError(
                f"the discovery {given.name!r} is of the corpus {given._folder.path}, not of {folder.path}, whose model has not "
                f"chosen these pages: discover here, or to take them all the same, .write(file) it, then corpuskit extract "
                f"FILE OUT --base {where} and corpus.archives.merge(OUT)"
            )
        return given if archives is None else cls(folder, given.name, given.url, archives=archives)

    @classmethod
    def named(cls, folder: CorpusFolder, name: str, *, archives: str | None = None) -> Discovery:
        """Return a discovery in the corpus' folder by its name.

        Args:
            folder: the corpus.
            name: of the discovery.
            archives: where its archives are; None: where its files say, if that is a public place.

        Raises:
            CorpusError: there is none of this name.
        """
        room = folder.inside.within("discoveries")
        known = room.folders()
        if name not in known:
            raise CorpusError(f"no discovery {name!r}; there are: {', '.join(sorted(known)[:20]) or 'none'}")
        return cls(folder, name, str(room.within(name).path), archives=archives)

    @cached_property
    def places(self) -> pa.Table:
        """The chosen pages, the best first: the index's columns, crawl and score.

        Raises:
            CorpusError: their file is missing or damaged.
        """
        import tempfile

        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
                return pq.read_table(self._output.fetch(PLACES, Path(temporary))).cast(scored_schema())
        except (pa.ArrowException, OSError, SourceError, ValueError) as error:
            raise CorpusError(f"the discovery {self.name!r} cannot be read ({error}): discover again") from error

    @property
    def archives(self) -> str:
        """What the names of archives are relative to.

        Raises:
            ConfigurationError: only the discovery's files say so, and it is no public place.
        """
        said = str(self._summary["archives"])
        if self._archives is None and not is_public(said):
            raise ConfigurationError(
                f"the archives of {self.name!r} are at {said[:200]}: the corpus may be a stranger's, so name that place "
                "yourself (base=, --base), or discover again"
            )
        return self._archives or said

    @property
    def is_said_by_files(self) -> bool:
        """Nobody in this process has said where the archives are: private addresses are not asked."""
        return self._archives is None

    @property
    def is_anonymous(self) -> bool:
        """Buckets are read without credentials."""
        return self._summary.get("anonymous") is not False

    @property
    def damaged(self) -> dict[str, str]:
        """Files of the index that could not be scored, with the reason; the same call tries them again."""
        found = self._summary.get("damaged")
        return {str(url): str(why) for url, why in found.items()} if isinstance(found, dict) else {}

    @property
    def pool(self) -> list[str]:
        """URLs of the index drawn at random, wanted or not."""
        found = self._summary.get("pool")
        return [url for url in found if isinstance(url, str)] if isinstance(found, list) else []

    @property
    def share(self) -> float:
        """The share of the index's files that was scored."""
        return float(min(1.0, self._summary["scored"] / max(self._summary["partitions"], 1)))

    @property
    def seen(self) -> int:
        """Rows of the index that were looked at."""
        return int(self._summary["seen"])

    @property
    def left_out(self) -> dict[str, int]:
        """Return how many rows each filter left out, by its name; of those that no filter did, how many are below the threshold,
        and of the others, how many are not taken: ``equal URL`` and ``equal digest`` (another capture of the page is),
        ``per_host``, ``budget_pages``, ``budget_bytes``.

        A row counts for the first filter that it does not fit, and with a part of a file that is passed over by its statistics
        for the filter that rules this out. Discoveries of earlier versions have none of these counts.
        """
        found = self._summary.get("left_out")
        found = found if isinstance(found, dict) else {}
        counts = {str(name)[:20]: number for name, number in found.items() if isinstance(number, int)}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row a host, most pages first.

        Columns: host (str); pages, bytes (Int64, of records as they are packed); score (float64, the mean); sampled (Int64,
        pages of :meth:`sample` that are judged); relevant (float64, the share of these that is relevant).
        """
        import pandas as pd

        from corpuskit.discovery.sampling import judged_hosts

        grouped = self.places.group_by("url_host_name").aggregate(
            [("score", "mean"), ("url", "count"), ("warc_record_length", "sum")]
        )
        frame = pd.DataFrame({
            "host": grouped.column("url_host_name").to_pylist(),
            "pages": grouped.column("url_count").to_numpy(),
            "score": grouped.column("score_mean").to_numpy(),
            "bytes": grouped.column("warc_record_length_sum").to_numpy(),
        })  # fmt: skip
        judged = judged_hosts(self._folder, self)
        frame["sampled"] = [judged.get(host, (0, 0))[0] for host in frame["host"]]
        frame["relevant"] = [
            good / number if number else float("nan")
            for number, good in (judged.get(host, (0, 0)) for host in frame["host"])
        ]
        types = {
            "host": "str",
            "pages": "Int64",
            "score": "float64",
            "bytes": "Int64",
            "sampled": "Int64",
            "relevant": "float64",
        }
        ordered = frame.sort_values(["pages", "host"], ascending=[False, True]).reset_index(drop=True)
        return ordered.astype(types)[list(types)]

    @property
    def scores(self) -> pd.DataFrame:
        """How many pages of the index a threshold would leave: threshold, pages, bytes, from 1 down to 0."""
        import pandas as pd

        steps = np.arange(BINS)[::-1]
        pages, sizes = np.array(self._summary["pages"])[::-1], np.array(self._summary["bytes"])[::-1]
        return pd.DataFrame({"threshold": steps / BINS, "pages": pages.cumsum(), "bytes": sizes.cumsum()})

    @property
    def sources(self) -> pd.DataFrame:
        """The hosts as candidates for a live crawl: host, url (its root), pages, score, why."""
        frame = self.frame.head(_HOSTS_TOLD)
        index = str(self._summary.get("index", ""))[:100]
        frame["url"] = "https://" + frame["host"] + "/"
        frame["why"] = [
            f"{counted(pages, 'page')} in {index}, of mean score {score:.2f}"
            for pages, score in zip(frame["pages"], frame["score"], strict=True)
        ]
        return frame[["host", "url", "pages", "score", "why"]]

    def estimate(self, prices: Prices | None = None) -> Estimate:
        """Return what fetching the chosen pages would take; of a sampled index, what those of the whole would.

        Args:
            prices: what it reckons with.
        """
        requests = fetched = needed = 0
        for spans in spans_of(self.places).values():
            ranges = coalesce_ranges(spans)
            requests += len(ranges)
            fetched += sum(part.end - part.start for part in ranges)
            needed += sum(span.length for span in spans)
        return estimate(len(self.places), fetched, needed, requests, prices or Prices(), self.share)

    def sample(self, n: int = 50, *, seed: int = 0, **how: Any) -> Sample:
        """Fetch some of the chosen pages, drawn at random, into the corpus: label them to know the choice's precision.

        Args:
            n: how many.
            seed: of the drawing.
            how: as for :meth:`Corpus.fetch`.
        """
        from corpuskit.discovery.sampling import draw

        return draw(self._folder, self, n, seed=seed, **how)

    def write(self, path: str | os.PathLike[str]) -> int:
        """Write the places as a Parquet file, by archive and offset, for ``corpuskit extract`` and others, and return their number.

        Args:
            path: The file.
        """
        import pyarrow.parquet as pq

        ordered = self.places.sort_by([("warc_filename", "ascending"), ("warc_record_offset", "ascending")])
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(ordered, target, compression="zstd")
        return len(ordered)

    def __len__(self) -> int:
        """How many pages are chosen."""
        return len(self.places)

    def __repr__(self) -> str:
        wanted = sum(self._summary["pages"])
        told = [
            f"Discovery {self.name!r}: {counted(len(self), 'page')} chosen of {wanted:,} wanted, {counted(self.seen, 'row')} seen",
            f"  {counted(len(set(self.places.column('url_host_name').to_pylist())), 'host')}; {self.estimate()!r}",
        ]
        if self.left_out:
            told.append("  left out: " + ", ".join(f"{number:,} by {name}" for name, number in self.left_out.items()))
        if self._summary["wrong"]:
            told.append(f"  left out, being no places: {counted(self._summary['wrong'], 'row')}")
        if self.damaged:
            url, why = next(iter(self.damaged.items()))
            told.append(
                f"  {counted(len(self.damaged), 'file')} could not be scored, such as {url}: {why}; the same call or command tries again"
            )
        told.append(
            "next: .sample(50).label(), then corpus.archives.fetch(discovery)"
            if len(self)
            else "nothing to fetch: discover with other filters or a lower threshold"
        )
        return "\n".join(told)


def is_public(place: str) -> bool:
    """Return whether archives that only a discovery's files say are at this place are read there."""
    return place.lower().startswith(("https://", "http://", "s3://", "gs://"))


def spans_of(places: pa.Table) -> dict[str, list[Span]]:
    """The records of some places, by archive."""
    found: dict[str, list[Span]] = {}
    names = places.column("warc_filename").to_pylist()
    starts = places.column("warc_record_offset").to_pylist()
    lengths = places.column("warc_record_length").to_pylist()
    for number, (name, start, length) in enumerate(zip(names, starts, lengths, strict=True)):
        found.setdefault(name, []).append(Span(number, start, length))
    return found

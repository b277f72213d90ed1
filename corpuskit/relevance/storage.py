"""A model as a small folder: ``model.json`` and one file of arrays; no pickle, so loading executes nothing.

The arrays' file carries its hash in its name and is written first; replacing ``model.json`` is the one step that makes
a new model of the folder. A crash leaves the old model or the new one.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.model import AuditRecord, ModelCard, RelevanceModel
from corpuskit.relevance.places import Places
from corpuskit.relevance.space import Space, Words
from corpuskit.relevance.table import Meaning, WordTable
from corpuskit.relevance.tokens import TOKENIZER_VERSION
from corpuskit.safe_folder import Folder, SafeFolder, as_safe, made

__all__ = [
    "load_json",
    "load_model",
    "load_space",
    "pack_words",
    "save_model",
    "save_space",
    "unpack_words",
]

FORMAT = 1
_MOST_BYTES: Final = 1024**3  # of the arrays, packed and unpacked
_MOST_JSON: Final = 64 * 1024**2


def pack_words(words: tuple[str, ...]) -> dict[str, Any]:
    """Return the words as two arrays: their UTF-8 bytes and their lengths."""
    raw = [word.encode("utf-8", "surrogatepass") for word in words]
    return {
        "bytes": np.frombuffer(b"".join(raw), np.uint8),
        "lengths": np.array([len(word) for word in raw], np.int32),
    }


def unpack_words(data: Any, lengths: Any) -> tuple[str, ...]:
    """Return the words of `pack_words`."""
    blob = data.tobytes()
    ends = np.cumsum(lengths).tolist()
    if (ends[-1] if ends else 0) != len(blob):
        raise ValueError("the words' lengths do not add up")
    return tuple(
        blob[end - length : end].decode("utf-8", "surrogatepass")
        for end, length in zip(ends, lengths.tolist(), strict=True)
    )


def _save(folder: SafeFolder, name: str, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    data = buffer.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    file = f"{name}-{digest[:16]}.npz"
    folder.write(file, data, durable=True)
    versions = {"format": FORMAT, "tokenizer_version": TOKENIZER_VERSION, "file": file, "sha256": digest}
    folder.write(f"{name}.json", json.dumps({**meta, **versions}, indent=1, sort_keys=True).encode(), durable=True)
    for old in folder.names(f"{name}-*.npz"):
        if old != file:
            folder.remove(old)


def _load(folder: SafeFolder, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    path = f"{folder.path}/{name}.json"
    meta = load_json(folder, f"{name}.json")
    if meta.get("format") != FORMAT or meta.get("tokenizer_version") != TOKENIZER_VERSION:
        raise RelevanceError(
            f"{path}: found format {meta.get('format')!r} with tokenizer {meta.get('tokenizer_version')!r}, "
            f"expected {FORMAT} with {TOKENIZER_VERSION}; train again with this version"
        )
    with _damage(folder):
        file = str(meta["file"])
        if "/" in file:
            raise ValueError(f"{file!r} is no file name")
        data = folder.read(file, _MOST_BYTES)
        if hashlib.sha256(data).hexdigest() != meta["sha256"]:
            raise ValueError(f"{file} is not the file that was written")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > _MOST_BYTES:
            raise ValueError(f"{file} has {unpacked:,} bytes unpacked, the limit is {_MOST_BYTES:,}")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return meta, {key: arrays[key] for key in arrays.files}
    raise AssertionError  # the context raises


@contextmanager
def _damage(folder: SafeFolder) -> Iterator[None]:
    try:
        yield
    except RelevanceError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, OSError, zipfile.BadZipFile, EOFError) as error:
        raise RelevanceError(f"{folder.path}: damaged ({error!r}); train again") from error


def save_model(model: RelevanceModel, folder: Folder) -> None:
    """Write a model into `folder`; see `RelevanceModel.save`."""
    arrays: dict[str, Any] = {}
    for number, table in enumerate(model.tables):
        for name, array in (*pack_words(table.words).items(), ("idf", table.idf), ("weight", table.weight)):
            arrays[f"{number}_{name}"] = array
        if table.meaning is not None:
            arrays |= {f"{number}_vectors": table.meaning.vectors, f"{number}_direction": table.meaning.weight}
    if model.places is not None:
        names = pack_words(model.places.names)
        arrays |= {"places_bytes": names["bytes"], "places_lengths": names["lengths"]}
        arrays |= {"places_mean": model.places.mean, "places_trust": model.places.trust}
    tables = [{"tokenizer": table.tokenizer, "bias": table.bias, "best": table.best} for table in model.tables]
    meta = {"fingerprint": model.fingerprint, "tables": tables, "doubt": model.doubt, **model.to_dict()}
    _save(made(folder), "model", meta, arrays)


def load_json(folder: SafeFolder, name: str) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises:
        RelevanceError: it is missing or no JSON object.
    """
    path = f"{folder.path}/{name}"
    try:
        meta = json.loads(folder.read(name, _MOST_JSON))
    except OSError as error:
        raise RelevanceError(f"{path}: cannot be read ({error.strerror}), expected a saved model") from error
    except (ValueError, RecursionError) as error:
        raise RelevanceError(f"{path}: damaged, found no JSON ({error}); train again") from error
    if not isinstance(meta, dict):
        raise RelevanceError(f"{path}: damaged, found {type(meta).__name__}, expected an object; train again")
    return meta


def load_model(folder: Folder) -> RelevanceModel:
    """Read a model; see `RelevanceModel.load`."""
    folder = as_safe(folder)
    meta, arrays = _load(folder, "model")
    with _damage(folder):
        model = _build(meta, arrays)
        if model.fingerprint != meta["fingerprint"]:
            raise ValueError("the fingerprint does not fit the tables")
    return model


def _build(meta: dict[str, Any], arrays: dict[str, Any]) -> RelevanceModel:
    tables = tuple(
        WordTable(
            str(table["tokenizer"]),
            unpack_words(arrays[f"{number}_bytes"], arrays[f"{number}_lengths"]),
            arrays[f"{number}_idf"],
            arrays[f"{number}_weight"],
            float(table["bias"]),
            None if table["best"] is None else int(table["best"]),
            _meaning(arrays, number),
        )
        for number, table in enumerate(meta["tables"])
    )
    places = None
    if "places_mean" in arrays:
        names = unpack_words(arrays["places_bytes"], arrays["places_lengths"])
        places = Places(names, arrays["places_mean"], arrays["places_trust"])
    card = dict(meta["card"])
    card["hosts"] = tuple(card["hosts"])
    audit = AuditRecord(**meta["audit"]) if meta["audit"] else None
    if len(tables) != (1 if card["kind"] == "document" else 2) or (places is None) != (card["kind"] == "document"):
        raise ValueError("the tables are not those of its kind")
    if any(not len(table.words) == len(table.idf) == len(table.weight) for table in tables):
        raise ValueError("the columns of a table are not equally long")
    for table in tables:
        if table.meaning and table.meaning.vectors.shape != (len(table.words), len(table.meaning.weight)):
            raise ValueError("the vectors of a table are not one a word")
    return RelevanceModel(tables, ModelCard(**card), places, audit, float(meta.get("doubt", 0.0)))


def _meaning(arrays: dict[str, Any], number: int) -> Meaning | None:
    """The vectors of a table's tokens; models made before there were any have none."""
    if f"{number}_vectors" not in arrays:
        return None
    return Meaning(arrays[f"{number}_vectors"], arrays[f"{number}_direction"])


def save_space(space: Space, folder: Folder) -> None:
    """Write a space into `folder`; see `Space.save`."""
    arrays: dict[str, Any] = {"basis": space.basis, **{f"urls_{k}": v for k, v in pack_words(space.urls).items()}}
    for number, words in enumerate(space.tables):
        arrays |= {f"{number}_{key}": array for key, array in pack_words(words.words).items()}
        arrays[f"{number}_frequency"] = words.frequency
    names = [words.tokenizer for words in space.tables]
    numbers = {"texts": space.texts, "fitted": space.fitted, "seed": space.seed}
    _save(made(folder), "space", {"kind": space.kind, "tables": names, **numbers}, arrays)


def load_space(folder: Folder) -> Space:
    """Read a space; see `Space.load`."""
    folder = as_safe(folder)
    meta, arrays = _load(folder, "space")
    with _damage(folder):
        tables = tuple(
            Words(
                str(name),
                unpack_words(arrays[f"{number}_bytes"], arrays[f"{number}_lengths"]),
                arrays[f"{number}_frequency"],
                int(meta["texts"]),
            )
            for number, name in enumerate(meta["tables"])
        )
        urls = unpack_words(arrays["urls_bytes"], arrays["urls_lengths"])
        return Space(
            meta["kind"], tables, arrays["basis"], int(meta["texts"]), int(meta["fitted"]), urls, int(meta["seed"])
        )
    raise AssertionError  # the context raises

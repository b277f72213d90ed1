"""A model as a small folder: ``model.json`` and one file of arrays; no pickle, so loading executes nothing.

The arrays' file carries its hash in its name and is written first; replacing ``model.json`` is the one step that makes
a new model of the folder. A crash leaves the old model or the new one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.model import AuditRecord, ModelCard, RelevanceModel
from corpuskit.relevance.table import WordTable
from corpuskit.relevance.tokens import TOKENIZER_VERSION

__all__ = ["load_json", "load_model", "pack_words", "save_model", "unpack_words", "write_atomically"]

FORMAT = 1


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old one or the whole new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def pack_words(words: tuple[str, ...]) -> dict[str, Any]:
    """Words as two arrays: their UTF-8 bytes and their lengths."""
    raw = [word.encode("utf-8", "surrogatepass") for word in words]
    return {
        "bytes": np.frombuffer(b"".join(raw), np.uint8),
        "lengths": np.array([len(word) for word in raw], np.int32),
    }


def unpack_words(data: Any, lengths: Any) -> tuple[str, ...]:
    """The words of `pack_words`."""
    blob = data.tobytes()
    ends = np.cumsum(lengths).tolist()
    if (ends[-1] if ends else 0) != len(blob):
        raise ValueError("the words' lengths do not add up")
    return tuple(
        blob[end - length : end].decode("utf-8", "surrogatepass")
        for end, length in zip(ends, lengths.tolist(), strict=True)
    )


def save_model(model: RelevanceModel, folder: Path) -> None:
    """Write a model into `folder`; see `RelevanceModel.save`."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, Any] = {}
    for number, table in enumerate(model.tables):
        for name, array in (*pack_words(table.words).items(), ("idf", table.idf), ("weight", table.weight)):
            arrays[f"{number}_{name}"] = array
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    data = buffer.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    file = f"tables-{digest[:16]}.npz"
    write_atomically(folder / file, data)
    meta = {
        "format": FORMAT,
        "tokenizer_version": TOKENIZER_VERSION,
        "fingerprint": model.fingerprint,
        "tables": [table.tokenizer for table in model.tables],
        "file": file,
        "sha256": digest,
        **model.to_dict(),
    }
    write_atomically(folder / "model.json", json.dumps(meta, indent=1, sort_keys=True).encode())
    for old in folder.glob("tables-*.npz"):
        if old.name != file:
            old.unlink(missing_ok=True)


def load_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        RelevanceError: it is missing or no JSON object.
    """
    try:
        meta = json.loads(path.read_bytes())
    except OSError as error:
        raise RelevanceError(f"{path}: cannot be read ({error.strerror}), expected a saved model") from error
    except ValueError as error:
        raise RelevanceError(f"{path}: damaged, found no JSON ({error}); train again") from error
    if not isinstance(meta, dict):
        raise RelevanceError(f"{path}: damaged, found {type(meta).__name__}, expected an object; train again")
    return meta


def load_model(folder: Path) -> RelevanceModel:
    """Read a model; see `RelevanceModel.load`."""
    path = folder / "model.json"
    meta = load_json(path)
    if meta.get("format") != FORMAT or meta.get("tokenizer_version") != TOKENIZER_VERSION:
        raise RelevanceError(
            f"{path}: found format {meta.get('format')!r} with tokenizer {meta.get('tokenizer_version')!r}, "
            f"expected {FORMAT} with {TOKENIZER_VERSION}; train again with this version"
        )
    try:
        model = _build(folder, meta)
    except (KeyError, TypeError, ValueError, OSError, zipfile.BadZipFile, EOFError) as error:
        if isinstance(error, RelevanceError):
            raise
        raise RelevanceError(f"{folder}: damaged ({error!r}); train again") from error
    if model.fingerprint != meta.get("fingerprint"):
        raise RelevanceError(f"{folder}: damaged, the fingerprint does not fit the tables; train again")
    return model


def _build(folder: Path, meta: dict[str, Any]) -> RelevanceModel:
    file = str(meta["file"])
    if Path(file).name != file:
        raise ValueError(f"{file!r} is no file name")
    data = (folder / file).read_bytes()
    if hashlib.sha256(data).hexdigest() != meta["sha256"]:
        raise ValueError(f"{file} is not the file that was written")
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        tables = tuple(
            WordTable(
                str(tokenizer),
                unpack_words(arrays[f"{number}_bytes"], arrays[f"{number}_lengths"]),
                arrays[f"{number}_idf"],
                arrays[f"{number}_weight"],
            )
            for number, tokenizer in enumerate(meta["tables"])
        )
    if not tables or any(not len(t.words) == len(t.idf) == len(t.weight) for t in tables):
        raise ValueError("the tables' columns are not equally long")
    card = dict(meta["card"])
    card["hosts"] = tuple(card["hosts"])
    audit = AuditRecord(**meta["audit"]) if meta["audit"] else None
    return RelevanceModel(tables, float(meta["bias"]), ModelCard(**card), audit)

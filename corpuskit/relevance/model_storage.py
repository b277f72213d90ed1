"""Storage of a model: a directory with ``model.json`` and one file of arrays. Pickle is not used, so loading executes no code.

The file of arrays has its hash in its name and is written first. Replacing ``model.json`` is the atomic step that switches to
the new model. After a crash the directory has either the old or the new model.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.tokenizers import TOKENIZER_VERSION
from corpuskit.safe_folder import SafeFolder

FORMAT = 1
_MAX_BYTES: Final = 1024**3  # of the arrays, compressed and uncompressed
_MAX_JSON_BYTES: Final = 64 * 1024**2


def pack_words(words: tuple[str, ...], name: str) -> dict[str, Any]:
    """Return the words as two arrays, their UTF-8 bytes and their lengths: ``NAME_bytes`` and ``NAME_lengths``."""
    raw = [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.array([len(word) for word in raw], np.int32)
    return {f"{name}_bytes": np.frombuffer(b"".join(raw), np.uint8), f"{name}_lengths": lengths}


def unpack_words(arrays: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return the words packed by `pack_words`."""
    blob, lengths = arrays[f"{name}_bytes"].tobytes(), arrays[f"{name}_lengths"].tolist()
    ends = [0, *accumulate(lengths)]
    if ends[-1] != len(blob):
        raise ValueError("the lengths of the words do not add up")
    return tuple(blob[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends))


def save(folder: SafeFolder, name: str, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write ``NAME.json`` and its arrays, and remove the arrays of an earlier save."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    data = buffer.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    file = f"{name}-{digest[:16]}.npz"
    folder.write(file, data, durable=True)
    versions = {"format": FORMAT, "tokenizer_version": TOKENIZER_VERSION, "file": file, "sha256": digest}
    folder.write(f"{name}.json", json.dumps({**meta, **versions}, indent=1, sort_keys=True).encode(), durable=True)
    for old in folder.file_names(f"{name}-*.npz"):
        if old != file:
            folder.remove(old)


def load(folder: SafeFolder, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the metadata and arrays written by :func:`save`.

    Raises:
        RelevanceError: The files are missing, damaged, or were written by another version.
    """
    path = f"{folder.path}/{name}.json"
    meta = load_json(folder, f"{name}.json")
    if meta.get("format") != FORMAT or meta.get("tokenizer_version") != TOKENIZER_VERSION:
        raise RelevanceError(
            f"{path}: found format {meta.get('format')!r} with tokenizer {meta.get('tokenizer_version')!r}, "
            f"expected {FORMAT} with {TOKENIZER_VERSION}; train again with this version"
        )
    with damage(folder):
        file = str(meta["file"])
        if "/" in file:
            raise ValueError(f"{file!r} is not a file name")
        data = folder.read(file, _MAX_BYTES)
        if hashlib.sha256(data).hexdigest() != meta["sha256"]:
            raise ValueError(f"the checksum of {file} is wrong")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > _MAX_BYTES:
            raise ValueError(f"{file} has {unpacked:,} bytes uncompressed, the limit is {_MAX_BYTES:,}")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return meta, {key: arrays[key] for key in arrays.files}
    raise AssertionError  # the context raises


@contextmanager
def damage(folder: SafeFolder) -> Iterator[None]:
    """Convert errors about the content of files into RelevanceError.

    Raises:
        RelevanceError: The content is damaged.
    """
    try:
        yield
    except RelevanceError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, OSError, zipfile.BadZipFile, EOFError) as error:
        raise RelevanceError(f"{folder.path}: damaged ({error!r}); train again") from error


def load_json(folder: SafeFolder, name: str) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises:
        RelevanceError: The file is missing or does not contain a JSON object.
    """
    path = f"{folder.path}/{name}"
    try:
        meta = json.loads(folder.read(name, _MAX_JSON_BYTES))
    except OSError as error:
        raise RelevanceError(f"{path}: cannot be read ({error.strerror}), expected a saved model") from error
    except (ValueError, RecursionError) as error:
        raise RelevanceError(f"{path}: damaged, expected JSON ({error}); train again") from error
    if not isinstance(meta, dict):
        raise RelevanceError(f"{path}: damaged, found {type(meta).__name__}, expected an object; train again")
    return meta

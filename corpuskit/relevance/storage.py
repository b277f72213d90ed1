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
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.tokens import TOKENIZER_VERSION
from corpuskit.safe_folder import SafeFolder

FORMAT = 1
_MOST_BYTES: Final = 1024**3  # of the arrays, packed and unpacked
_MOST_JSON: Final = 64 * 1024**2


def pack_words(words: tuple[str, ...], name: str) -> dict[str, Any]:
    """Return the words as two arrays, their UTF-8 bytes and their lengths: ``NAME_bytes`` and ``NAME_lengths``."""
    raw = [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.array([len(word) for word in raw], np.int32)
    return {f"{name}_bytes": np.frombuffer(b"".join(raw), np.uint8), f"{name}_lengths": lengths}


def unpack_words(arrays: dict[str, Any], name: str) -> tuple[str, ...]:
    """Return the words of `pack_words`."""
    blob, lengths = arrays[f"{name}_bytes"].tobytes(), arrays[f"{name}_lengths"].tolist()
    ends = [0, *accumulate(lengths)]
    if ends[-1] != len(blob):
        raise ValueError("the words' lengths do not add up")
    return tuple(blob[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends))


def save(folder: SafeFolder, name: str, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write ``NAME.json`` and its arrays; what they replace goes."""
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
    """Return what :func:`save` has written.

    Raises:
        RelevanceError: it is missing, damaged, or made by another version.
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
def damage(folder: SafeFolder) -> Iterator[None]:
    """Tell whatever is wrong with the content of the files as damage.

    Raises:
        RelevanceError: something is.
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

"""Inputs made from seeds: bytes cut, repeated, changed, and pieces of the format put in between."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Sequence

_MOST: int = 200_000  # bytes; larger inputs are what the limits are for, and have tests of their own


def mutated(rng: random.Random, seeds: Sequence[bytes], splices: Sequence[bytes]) -> bytes:
    """One input, the same for the same state of ``rng``."""
    data = bytearray(rng.choice(seeds))
    for _ in range(1 + int(rng.expovariate(0.4))):
        at = rng.randrange(len(data) + 1)
        action = rng.randrange(7)
        if action <= 1 and splices:
            data[at:at] = rng.choice(splices)
        elif action == 2:
            del data[at : at + 1 + int(rng.expovariate(0.05))]
        elif action == 3:
            data[at:at] = data[at : at + rng.randrange(1, 200)] * rng.randrange(1, 6)
        elif action == 4:
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            data[at:at] = other[start : start + rng.randrange(1, 400)]
        elif at < len(data):
            data[at] = rng.randrange(256) if action == 5 else data[at] ^ (1 << rng.randrange(8))
    return bytes(data[:_MOST])


def mutated_package(rng: random.Random, seeds: Sequence[bytes], splices: Sequence[bytes]) -> bytes:
    """A ZIP package with a part changed, seldom its own bytes."""
    if rng.random() < 0.2:
        return mutated(rng, seeds, (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff", b"\0\0\0\0"))
    with zipfile.ZipFile(io.BytesIO(rng.choice(seeds))) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    for _ in range(rng.randrange(1, 3)):
        # The text itself more often than what is beside it.
        texts = [name for name in parts if name.endswith(".xml") and "/" in name]
        name = rng.choice(texts if texts and rng.random() < 0.8 else list(parts))
        parts[name] = mutated(rng, [parts[name]], splices)
        if rng.random() < 0.05:
            del parts[name]
        if not parts:
            break
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return out.getvalue()

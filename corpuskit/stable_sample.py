"""Samples that depend on names and a seed, not on positions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def stable_sample(names: Sequence[str], n: int, seed: int) -> list[int]:
    """Return the positions of ``n`` names drawn at random, ascending; all positions if there are fewer names.

    A name's rank in the draw depends on the name and the seed alone: more names push some out of the sample and leave the
    others in it, and a larger sample contains the smaller ones.

    Args:
        names: What is drawn from.
        n: Size of the sample.
        seed: Another number gives another sample.
    """
    keys = [hashlib.sha256(f"{seed} {name}".encode("utf-8", "replace")).digest() for name in names]
    return sorted(sorted(range(len(names)), key=keys.__getitem__)[:n])

"""Fingerprints of texts."""

from __future__ import annotations

import hashlib


def text_hash(text: str) -> int:
    """Return a 63-bit hash of the text without white space and case: equal for texts that differ in layout only.

    Args:
        text: The text.
    """
    squeezed = "".join(text.casefold().split())
    return int.from_bytes(hashlib.blake2b(squeezed.encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1

"""Zstandard frames: compression with a checksum, and decompression within limits of size and window."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import (
        CompressionParameter,
        DecompressionParameter,
        ZstdCompressor,
        ZstdDecompressor,
        ZstdError,
    )
else:
    from backports.zstd import (
        CompressionParameter,
        DecompressionParameter,
        ZstdCompressor,
        ZstdDecompressor,
        ZstdError,
    )

__all__ = ["FrameWriter", "ZstdError", "decompressor", "read_frame"]


class FrameWriter:
    """Compressor of frames that carry a checksum: a changed bit is an error, not another text.

    Args:
        level: Compression level, from 1 to 22.
    """

    def __init__(self, level: int) -> None:
        options: dict[int, int] = {CompressionParameter.compression_level: level, CompressionParameter.checksum_flag: 1}
        self._compressor = ZstdCompressor(options=options)

    def frame(self, data: bytes) -> bytes:
        """Return the data as one frame."""
        return self._compressor.compress(data, ZstdCompressor.FLUSH_FRAME)


def decompressor() -> ZstdDecompressor:
    """Return a decompressor of one frame with a window of at most 128 MiB."""
    return ZstdDecompressor(options={DecompressionParameter.window_log_max: 27})


def read_frame(content: bytes, max_bytes: int) -> bytes:
    """Return the content of a single frame, whatever size its header claims.

    Args:
        content: The frame.
        max_bytes: Limit of the content's size in bytes.

    Raises:
        ZstdError: The frame is damaged, incomplete or larger, or something follows it.
    """
    reader = decompressor()
    data = reader.decompress(content, max_bytes + 1)
    if len(data) > max_bytes:
        raise ZstdError(f"more than {max_bytes:,} bytes")
    if not reader.eof:
        raise ZstdError("the frame is incomplete")
    if reader.unused_data:
        raise ZstdError(f"{len(reader.unused_data):,} bytes follow the frame")
    return data

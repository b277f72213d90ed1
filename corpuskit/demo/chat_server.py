"""Stand-in for a language model: a server with the chat protocol that labels by key words, with a few deliberate
errors.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

_WORDS: Final = ("insur", "assur", "premium", "policyholder", "sinistre", "cover", "claim")
_ERROR_INTERVAL: Final = 20  # one wrong label per 20 documents
_MAX_BYTES: Final = 1_000_000


@contextmanager
def serve_demo_chat() -> Iterator[str]:
    """Serve the stand-in on a free port of 127.0.0.1, and yield the base URL for a ``ChatAnnotator``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def judge(document: str) -> tuple[str, str]:
    """Return the label and reason for a document in a prompt."""
    text = document.lower()
    key_words = [word for word in _WORDS if text.count(word) >= 2]
    is_relevant = len(key_words) >= 2
    if zlib.crc32(document.encode()) % _ERROR_INTERVAL == 0:
        return ("other" if is_relevant else "relevant"), "A slip, as language models have them."
    reason = f"It speaks of {', '.join(key_words)}." if key_words else "It does not speak of insurance."
    return ("relevant" if is_relevant else "other"), reason


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = min(int(self.headers.get("Content-Length") or 0), _MAX_BYTES)
        try:
            prompt = json.loads(self.rfile.read(length))["messages"][-1]["content"]
            label, reason = judge(str(prompt))
        except (ValueError, KeyError, IndexError, TypeError):
            self._answer(400, {"error": {"message": "expected a request of the chat protocol"}})
            return
        content = json.dumps({"reason": reason, "label": label})
        usage = {"prompt_tokens": length // 4, "completion_tokens": len(content) // 4}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        self._answer(200, {"object": "chat.completion", "choices": [choice], "usage": usage})

    def _answer(self, status: int, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass

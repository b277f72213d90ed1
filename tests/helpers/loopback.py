"""HTTP servers on loopback: a base class of servers and one of request handlers."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class LoopbackServer:
    """A server in a thread of its own, on a free port of 127.0.0.1. Its handler has it as ``owner``."""

    def __init__(self, handler):
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (handler,), {"owner": self}))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class LoopbackHandler(BaseHTTPRequestHandler):
    """Answers requests; does not log them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # no wait for delayed acknowledgements
    owner: LoopbackServer

    def answer(self, status, content=b"", headers=(), *, length=None, part=None):
        """Send a response; with ``length`` or ``part`` it promises more bytes than it sends, and the connection ends."""
        headers = dict(headers)
        self.send_response(status)
        for name, value in {"Content-Length": str(length or len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[:part])
        if length is not None or part is not None:
            self.close_connection = True

    def log_message(self, *args):
        pass

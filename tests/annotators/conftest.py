"""A server that speaks the chat protocol on loopback, and does what a test tells it to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class ChatServer:
    """Answers by ``script(number of the request from 1, decoded body)``.

    The script gives a label, or (status, headers, bytes); with the header X-Cut the connection breaks off in the body.
    """

    def __init__(self):
        self.script = lambda number, body: "relevant" if "insurance" in self.document(body)["text"] else "other"
        self.requests, self.headers = [], []
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # no wait for delayed acknowledgements

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    server.requests.append(body)
                    server.headers.append(dict(self.headers))
                    number = len(server.requests)
                answer = server.script(number, body)
                status, headers, content = answer if isinstance(answer, tuple) else (200, {}, said(answer))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "X-Cut" in headers:
                    self.send_header("Content-Length", str(len(content) + 100))
                    self.close_connection = True
                else:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @staticmethod
    def document(body):
        return json.loads(body["messages"][-1]["content"])

    @property
    def asked(self):
        """The texts that were asked, in order."""
        return [self.document(body)["text"] for body in self.requests]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def said(label, reason="It is so.", prompt=100, answer=10, content=None):
    """The body of a usual answer."""
    text = json.dumps({"reason": reason, "label": label}) if content is None else content
    usage = {"prompt_tokens": prompt, "completion_tokens": answer}
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage}).encode()


@pytest.fixture
def answer():
    return said


@pytest.fixture
def server(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    made = ChatServer()
    yield made
    made.close()


@pytest.fixture
def filled(two_topics):
    """Thirty documents; the odd ones are about insurance."""
    return two_topics(30)

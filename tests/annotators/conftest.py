"""A server that speaks the chat protocol on loopback, and does what a test tells it to."""

import json

import pytest
from loopback import LoopbackHandler, LoopbackServer


class ChatServer(LoopbackServer):
    """Answers by ``script(number of the request from 1, decoded body)``.

    The script gives a label, or (status, headers, bytes); with the header X-Cut the connection breaks off in the body.
    """

    def __init__(self):
        self.script = lambda number, body: "relevant" if "insurance" in self.document(body)["text"] else "other"
        self.requests, self.headers = [], []
        super().__init__(_Handler)
        self.url += "/v1"

    @staticmethod
    def document(body):
        return json.loads(body["messages"][-1]["content"])

    @property
    def asked(self):
        """The texts that were asked, in order."""
        return [self.document(body)["text"] for body in self.requests]


class _Handler(LoopbackHandler):
    def do_POST(self):
        server = self.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append(body)
            server.headers.append(dict(self.headers))
            number = len(server.requests)
        answer = server.script(number, body)
        status, headers, content = answer if isinstance(answer, tuple) else (200, {}, said(answer))
        self.answer(status, content, headers, length=len(content) + 100 if "X-Cut" in headers else None)


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

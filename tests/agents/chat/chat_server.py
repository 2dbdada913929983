"""A chat server on the loopback address, for tests: it answers by a function, or does what no server should."""

import contextlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agents.chat import chat_agent
from agents.chat.exchanges import _OPEN

Answer = Callable[[dict[str, Any]], Any]
"""A text to answer with, a body in bytes, all that is sent in a bytearray, status and headers, or a misdeed."""


class Server(ThreadingHTTPServer):
    """Keeps what it was sent."""

    daemon_threads = True
    answer: Answer
    requests: list[dict[str, Any]]
    headers: list[dict[str, str]]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append({"path": self.path, **request})
        self.server.headers.append(dict(self.headers))
        with contextlib.suppress(OSError):
            self._answer(self.server.answer(request))

    def do_GET(self) -> None:
        raise AssertionError("a redirect was followed")

    def _answer(self, answer: Any) -> None:
        if answer == "hang":
            time.sleep(5)
        elif answer == "drip":
            self.send_response(200)
            self.end_headers()
            for _ in range(200):
                self.wfile.write(b" ")
                time.sleep(0.05)
        elif answer == "drip headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            for _ in range(200):
                self.wfile.write(b"x")
                time.sleep(0.05)
        elif answer == "flood":
            self.send_response(200)
            self.end_headers()
            for _ in range(300):
                self.wfile.write(b"x" * 100_000)
        elif answer == "break off":
            self.send_response(200)
            self.send_header("Content-Length", "5000")
            self.end_headers()
            self.wfile.write(b'{"choices": [')
        elif isinstance(answer, bytearray):
            self.wfile.write(answer)
        elif isinstance(answer, tuple):
            self.send_response(answer[0])
            for name, value in answer[1].items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer[2] if len(answer) > 2 else b"busy")
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer if isinstance(answer, bytes) else completion(answer))

    def log_message(self, *arguments: Any) -> None:
        pass


def completion(text: str, **usage: Any) -> bytes:
    """A body as servers write it."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage}).encode()


@contextlib.contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    """A server that runs meanwhile."""
    with Server(("127.0.0.1", 0), _Handler) as server:
        server.answer, server.requests, server.headers = answer, [], []
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def first_move(request: dict[str, Any]) -> str:
    """Always the first move of the list."""
    return "I take the first one.\n[1]"


def last_move(request: dict[str, Any]) -> str:
    """Always the last move of the list."""
    return f"[{re.findall(r'(?m)^([0-9]+) ', request['messages'][1]['content'])[-1]}]"


def new_process() -> None:
    """Forget what this process has asked."""
    _OPEN.clear()
    chat_agent.TALLIES.clear()

"""Websites on 127.0.0.1 that misbehave. Each has a port of its own, and counts its requests by path."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

Answer = Callable[[BaseHTTPRequestHandler], None]


def body(status: int, content: bytes, **headers: str) -> Answer:
    """Returns an answer with a status and a body."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(content)

    return answer


def redirect(location: str) -> Answer:
    """Returns a redirect."""
    return body(301, b"", Location=location)


def silence(seconds: float) -> Answer:
    """Returns no answer for some time, and then none at all."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        threading.Event().wait(seconds)
        request.close_connection = True

    return answer


def cut_off(content: bytes) -> Answer:
    """Returns an answer that ends before its body does."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(content) + 1_000))
        request.end_headers()
        request.wfile.write(content)
        request.close_connection = True

    return answer


def until_close(content: bytes, protocol: str = "HTTP/1.1", **headers: str) -> Answer:
    """Returns an answer whose body ends with the connection, without a length."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.protocol_version = protocol
        request.send_response(200)
        for name, value in {"Connection": "close", **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(content)
        request.close_connection = True

    return answer


def in_turn(*answers: Answer) -> Answer:
    """Returns the first answer once, then the second one, and so on. The last one is repeated."""
    left = list(answers)

    def answer(request: BaseHTTPRequestHandler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(request)

    return answer


class Endless:
    """An answer with a body that starts with some lines, and does not end by itself. It counts the bytes."""

    def __init__(self, start: bytes, limit: int) -> None:
        self.start, self.limit = start, limit
        self.sent = 0

    def __call__(self, request: BaseHTTPRequestHandler) -> None:
        # What the kernel buffers is sent, but not read.
        request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        request.send_response(200)
        request.send_header("Connection", "close")
        request.end_headers()
        request.close_connection = True
        try:
            request.wfile.write(self.start)
            while self.sent < self.limit:
                request.wfile.write(b"# " + b"x" * 8_189 + b"\n")
                self.sent += 8_192
        except OSError:
            # The crawler closed the connection.
            pass


class Site:
    """A website: answers by path. All other paths are pages."""

    def __init__(self, host: str = "127.0.0.1", /, **answers: Answer) -> None:
        """Starts the site. The keyword ``robots_txt`` is for ``/robots.txt``, any other one for its own name."""
        self.requests: Counter[str] = Counter()
        self.answers = {"/robots.txt" if name == "robots_txt" else f"/{name}": answers[name] for name in answers}
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.requests[self.path] += 1
                site.answers.get(self.path, body(200, b"<html>a page</html>", Content_Type="text/html"))(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 1_000
            daemon_threads = True

        self.server = Server((host, 0), Handler)
        self.port: int = self.server.server_address[1]
        self.url = f"http://{host}:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Site:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()

    def pages(self) -> int:
        """Returns the number of requests for pages."""
        return sum(count for path, count in self.requests.items() if path not in self.answers)


def closed_port() -> int:
    """Returns a port of 127.0.0.1 on which nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port

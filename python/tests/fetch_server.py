# SPDX-License-Identifier: Apache-2.0
"""A local server whose answers a test decides: good ones, and those that a network gives on its bad days."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.send_error(404)
            return
        try:
            answer(self)
        except OSError:  # the program has gone, as some tests expect
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server:
    """Answers by path; what is not named is a 404. Use as a context."""

    def __init__(self, answers, context=None):
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.answers = answers
        self.http.requests = []
        if context:
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.address = f"{'https' if context else 'http'}://127.0.0.1:{self.http.server_port}"

    @property
    def requests(self):
        return self.http.requests

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


def start(handler, size=None):
    handler.send_response(200)
    if size is not None:
        handler.send_header("Content-Length", str(size))
    handler.end_headers()


def whole(content):
    def answer(handler):
        start(handler, len(content))
        handler.wfile.write(content)
    return answer


def cut(content):
    """Promises all and goes away in the middle."""
    def answer(handler):
        start(handler, len(content))
        handler.wfile.write(content[:len(content) // 2])
        handler.wfile.flush()
        handler.connection.shutdown(2)
        handler.close_connection = True
    return answer


def endless(block, blocks):
    """Does not say how much will come."""
    def answer(handler):
        start(handler)
        handler.close_connection = True
        for _ in range(blocks):
            handler.wfile.write(block)
    return answer


def slow(content, seconds):
    """In ten portions."""
    def answer(handler):
        start(handler, len(content))
        portion = len(content) // 10 + 1
        for first in range(0, len(content), portion):
            handler.wfile.write(content[first:first + portion])
            handler.wfile.flush()
            time.sleep(seconds / 10)
    return answer


def dripping(start):
    """A byte after the other, and no end."""
    def answer(handler):
        handler.wfile.write(start)
        handler.close_connection = True
        for _ in range(200):
            handler.wfile.write(b"1")
            handler.wfile.flush()
            time.sleep(0.1)
    return answer


def status(code):
    return lambda handler: handler.send_error(code)


def redirect(address):
    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", address)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
    return answer

# SPDX-License-Identifier: Apache-2.0
"""Files from the network, with urllib."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any, Optional

from .. import _core
from .._errors import FileError

SECONDS_OF_SILENCE = 60
LEAST_RATE = 1000
"""Bytes per second, from when the silence would have ended a download on."""
MOST_SECONDS = 3600
MOST_REDIRECTIONS = 5
PORTION = 1 << 16
TOO_LONG = "the server takes too long"

OnProgress = Optional[Callable[[int, int], object]]
"""Given the bytes that have come and all of them; 0: the server does not say how many there are."""


class _Redirected(Exception):
    pass


class _NoRedirections(urllib.request.HTTPRedirectHandler):
    """Redirections are followed in `_open`, where their address is looked at."""

    def http_error_302(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any) -> Any:
        raise _Redirected(headers.get("Location", ""))

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _Watch:
    """Ends a download that is too slow or takes too long, whatever it waits for: names, headers, or bytes."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.is_over = False
        self._start = time.monotonic()
        self._sockets: list[socket.socket] = []
        self._ended = threading.Event()

    def __enter__(self) -> _Watch:
        threading.Thread(target=self._look, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def connection(self, kind: type[http.client.HTTPConnection]) -> Any:
        """A kind of connections that this watch can end, from before their handshakes on."""
        keep = self._keep

        class Watched(kind):  # type: ignore[valid-type, misc]
            def __init__(self, *arguments: Any, **options: Any):
                super().__init__(*arguments, **options)
                connect = self._create_connection
                self._create_connection = lambda *place: keep(connect(*place))

        return Watched

    def _keep(self, connected: socket.socket) -> socket.socket:
        if self.is_over:
            connected.close()
            raise TimeoutError
        self._sockets.append(connected.dup())  # encryption takes the socket itself away
        return connected

    def _look(self) -> None:
        while not self._ended.wait(0.1):
            seconds = time.monotonic() - self._start
            is_slow = seconds > SECONDS_OF_SILENCE and len(self.received) < LEAST_RATE * seconds
            if is_slow or seconds > MOST_SECONDS:
                self.is_over = True
                break
        for connected in self._sockets:
            with contextlib.suppress(OSError):
                if self.is_over:
                    connected.shutdown(socket.SHUT_RDWR)
                connected.close()


class _Handler(urllib.request.AbstractHTTPHandler):
    """Speaks http and https; certificates are verified."""

    def __init__(self, watch: _Watch):
        super().__init__()
        self._watch = watch

    def http_open(self, request: Any) -> Any:
        return self.do_open(self._watch.connection(http.client.HTTPConnection), request)

    def https_open(self, request: Any) -> Any:
        kind = self._watch.connection(http.client.HTTPSConnection)
        return self.do_open(kind, request, context=ssl.create_default_context())

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_


def _opener(watch: _Watch) -> urllib.request.OpenerDirector:
    """Speaks http and https alone, through the proxies of the environment."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        _Handler(watch),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        _NoRedirections(),
    ):
        opener.add_handler(handler)
    opener.addheaders = [("User-Agent", f"credens/{_core.version()}")]
    return opener


def shown(address: str) -> str:
    """The address without what may be a secret (name, password, query), for messages."""
    scheme, mark, rest = address.partition("://")
    return scheme + mark + re.split("[?#]", rest.rpartition("@")[2])[0]


def download(address: str, largest: int, on_progress: OnProgress = None) -> bytes | None:
    """The bytes at an address; None where the server says that there is no such file (404, 410).

    Redirections lead to https only; http is spoken only where `address` begins with it. Raises FileError, also for more
    than `largest` bytes.
    """
    with _Watch() as watch:
        content = _download(address, largest, on_progress, watch)
    if watch.is_over:  # without a length, a connection that was ended looks like the end of the file
        raise _failure(address, TOO_LONG)
    return content


def _download(address: str, largest: int, on_progress: OnProgress, watch: _Watch) -> bytes | None:
    try:
        with _open(address, watch) as response:
            _receive(response, watch.received, address, largest, on_progress)
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            return None
        raise _failure(address, f"the server answers with status {error.code}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        if isinstance(error, FileError):
            raise
        raise _failure(address, TOO_LONG if watch.is_over else _reason(error, len(watch.received))) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted while downloading {address}") from None
    return bytes(watch.received)


def _open(address: str, watch: _Watch) -> Any:
    place = address
    for _ in range(MOST_REDIRECTIONS + 1):
        try:
            return _opener(watch).open(place, timeout=SECONDS_OF_SILENCE)
        except _Redirected as redirection:
            place = urllib.parse.urljoin(place, str(redirection))
        if not place.startswith("https://"):
            raise _failure(address, "redirected to an address that is not https")
    raise _failure(address, f"more than {MOST_REDIRECTIONS} redirections")


def _receive(response: Any, received: bytearray, address: str, largest: int, on_progress: OnProgress) -> None:
    total = int(response.headers.get("Content-Length") or 0)
    too_long = f"{address}: the file has more than {largest} bytes, which is more than was expected"
    if total > largest:
        raise FileError(too_long)
    while portion := response.read1(PORTION):
        received += portion
        if len(received) > largest:
            raise FileError(too_long)
        if on_progress is not None:
            on_progress(len(received), total)
    if len(received) < total:
        raise http.client.IncompleteRead(bytes(received))


def _failure(address: str, reason: str) -> FileError:
    return FileError(f"{address}: cannot download: {reason}")


def _reason(error: BaseException, received: int) -> str:
    if isinstance(error, urllib.error.URLError) and isinstance(error.reason, BaseException):
        return _reason(error.reason, received)
    if isinstance(error, socket.gaierror):
        return "the name of the server cannot be resolved (is there a network?)"
    if isinstance(error, ssl.SSLCertVerificationError):
        return "the certificate of the server is not trusted"
    if isinstance(error, (TimeoutError, socket.timeout)):
        return TOO_LONG
    if isinstance(error, ConnectionRefusedError):
        return "no server answers there"
    if isinstance(error, (ConnectionError, http.client.IncompleteRead, http.client.BadStatusLine)):
        return f"the connection broke off after {received} bytes"
    if isinstance(error, (ValueError, http.client.InvalidURL)):  # which may name a password
        return "the address, or that of a proxy, is not valid"
    return str(error) or type(error).__name__

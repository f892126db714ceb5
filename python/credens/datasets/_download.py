# SPDX-License-Identifier: Apache-2.0
"""Files from the network, with urllib."""

from __future__ import annotations

import http.client
import socket
import ssl
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

OnProgress = Optional[Callable[[int, int], object]]
"""Given the bytes that have come and all of them; 0: the server does not say how many there are."""


class _Redirected(Exception):
    pass


class _NoRedirections(urllib.request.HTTPRedirectHandler):
    """Redirections are followed in `_open`, where their address is looked at."""

    def http_error_302(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any) -> Any:
        raise _Redirected(headers.get("Location", ""))

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener() -> urllib.request.OpenerDirector:
    """Speaks http and https alone, through the proxies of the environment; certificates are verified."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=ssl.create_default_context()),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        _NoRedirections(),
    ):
        opener.add_handler(handler)
    opener.addheaders = [("User-Agent", f"credens/{_core.version()}")]
    return opener


def shown(address: str) -> str:
    """The address without a name and password, for messages."""
    parts = urllib.parse.urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def download(address: str, largest: int, on_progress: OnProgress = None) -> bytes | None:
    """The bytes at an address; None where the server says that there is no such file (404, 410).

    Redirections lead to https only; http is spoken only where `address` begins with it. Raises FileError, also for more
    than `largest` bytes.
    """
    received = bytearray()
    try:
        with _open(address) as response:
            _receive(response, received, address, largest, on_progress)
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            return None
        raise _failure(address, f"the server answers with status {error.code}") from None
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, FileError):
            raise
        raise _failure(address, _reason(error, len(received))) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted while downloading {address}") from None
    return bytes(received)


def _open(address: str) -> Any:
    place = address
    for _ in range(MOST_REDIRECTIONS + 1):
        try:
            return _opener().open(place, timeout=SECONDS_OF_SILENCE)
        except _Redirected as redirection:
            place = urllib.parse.urljoin(place, str(redirection))
        if not place.startswith("https://"):
            raise _failure(address, "redirected to an address that is not https")
    raise _failure(address, f"more than {MOST_REDIRECTIONS} redirections")


def _receive(response: Any, received: bytearray, address: str, largest: int, on_progress: OnProgress) -> None:
    start = time.monotonic()
    total = int(response.headers.get("Content-Length") or 0)
    too_long = f"{address}: the file has more than {largest} bytes, which is more than was expected"
    if total > largest:
        raise FileError(too_long)
    while portion := response.read1(PORTION):
        received += portion
        seconds = time.monotonic() - start
        if seconds > MOST_SECONDS or (seconds > SECONDS_OF_SILENCE and len(received) < LEAST_RATE * seconds):
            raise TimeoutError
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
        return "the server takes too long"
    if isinstance(error, ConnectionRefusedError):
        return "no server answers there"
    if isinstance(error, (ConnectionError, http.client.IncompleteRead, http.client.BadStatusLine)):
        return f"the connection broke off after {received} bytes"
    return str(error) or type(error).__name__

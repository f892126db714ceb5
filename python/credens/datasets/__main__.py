# SPDX-License-Identifier: Apache-2.0
"""Fetches a public data set of the paper and verifies it: python -m credens.datasets NAME."""

from __future__ import annotations

import argparse
import sys
import time

from .._terminal import duration_text, run
from . import _fetch
from ._known import MEGABYTE, KnownSet, known_set


class _Display:
    """A line on standard error: live in a terminal, else now and then, in downloads over two seconds."""

    def __init__(self) -> None:
        self._is_live = sys.stderr.isatty()
        self._start = time.monotonic()
        self._next = 2.0
        self._is_shown = False

    def show(self, done: int, total: int) -> None:
        seconds = time.monotonic() - self._start
        if seconds < self._next:
            return
        self._next = seconds + (0.2 if self._is_live else 10)
        text = f"downloading, {done / MEGABYTE:.1f} MB"
        if total and done:
            left = duration_text((total - done) * seconds / done)
            text = f"downloading, {done / MEGABYTE:.1f} of {total / MEGABYTE:.1f} MB, {left} left"
        self._is_shown = self._is_live
        print(f"\r\x1b[K{text}" if self._is_live else f"credens: {text}", end="" if self._is_live else "\n", file=sys.stderr, flush=True)

    def show_verification(self, file: str, size: int) -> None:
        """Large files take seconds."""
        self.clear()
        if size > 100 * MEGABYTE:
            print(f"credens: verifying {file}, {size / MEGABYTE:.1f} MB", file=sys.stderr)

    def clear(self) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        self._is_shown = False


def _verdict(known: KnownSet) -> str:
    if known.is_confirmed:
        return "its values are the published ones"
    return "unconfirmed (size and md5 are as expected, its values were never compared)"


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m credens.datasets", description=__doc__)
    parser.add_argument("name", metavar="NAME", help="one of qsar, yacht, blog, year")
    parser.add_argument(
        "--data", metavar="DIR", help="folder to put it in; without it CREDENS_DATA or, where that is not set, the cache folder"
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="DIR|URL",
        help="folder or address with the original or the unpacked files, in place of the UCI archive; http is spoken only if "
        "the address says so",
    )
    arguments = parser.parse_args(words)
    known, display = known_set(arguments.name), _Display()
    try:
        parts = _fetch(known, arguments.data, arguments.source, display.show, display.show_verification)
    finally:
        display.clear()
    for part in parts:
        print(f"{part.file}: {'fetched' if part.is_new else 'already there'}, {_verdict(known)}")


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Programs of the package that run in a terminal: errors in one sentence, and the exit statuses of the command line."""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Callable
from typing import Any

from ._errors import CLASSES, CredensError


def run(main: Callable[[list[str]], None], words: list[str]) -> int:
    """The exit status of a program; its errors are sentences on standard error. SIGTERM interrupts like Ctrl-C."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        main(words)
    except KeyboardInterrupt as interruption:
        return _say(str(interruption) or "interrupted", 130)
    except CredensError as error:
        return _say(str(error), next(status for status, kind in CLASSES.items() if isinstance(error, kind)))
    except OSError as error:
        return _say(f"{error.filename}: {error.strerror}" if error.filename else str(error), 5)
    return 0


def _say(sentence: str, status: int) -> int:
    print(f"credens: {sentence}", file=sys.stderr)
    return status


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def duration_text(seconds: float) -> str:
    """'12 s', '3 min 20 s', '1 h 5 min'; tenths below ten seconds."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = math.floor(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"

# SPDX-License-Identifier: Apache-2.0
"""How far a study has come, on standard error."""

from __future__ import annotations

import json
import sys

from .._progress import Progress
from .._terminal import duration_text

KINDS = ("auto", "plain", "json", "none")
"""Live in a terminal and else plain; a line now and then, for studies over two seconds; one object per line; nothing."""


class Display:
    """Shows progress and warnings; close() leaves no half line."""

    def __init__(self, kind: str):
        self._kind = "live" if kind == "auto" and sys.stderr.isatty() else kind
        self._is_shown = False
        self._next_plain = 2.0

    def show(self, progress: Progress) -> None:
        if self._kind == "json":
            numbers = {name.replace("members", "runs"): value for name, value in progress._asdict().items()}
            _write(json.dumps(numbers) + "\n")
        elif self._kind == "live":
            _write(f"\r\x1b[K{_text(progress)}")
            self._is_shown = True
        elif self._kind != "none" and progress.seconds_elapsed >= self._next_plain:
            # Pauses grow with the study, so that a long one does not fill a log.
            self._next_plain = progress.seconds_elapsed + min(max(progress.seconds_elapsed / 4, 2.0), 60.0)
            _write(f"credens: {_text(progress)}\n")

    def warn(self, sentence: str) -> None:
        self.close()
        _write(f"credens: warning: {sentence}\n")

    def close(self) -> None:
        if self._is_shown:
            _write("\r\x1b[K")
        self._is_shown = False


def _text(progress: Progress) -> str:
    done = f"{int(100 * progress.fraction)} %, {progress.members_done} of {progress.members} runs"
    return f"{done}, {duration_text(progress.seconds_left)} left"


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()

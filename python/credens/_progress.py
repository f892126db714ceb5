# SPDX-License-Identifier: Apache-2.0
"""How far a fit has come: a bar in the terminal or the notebook, for fits over two seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ._errors import ArgumentTypeError, shown

SILENT_SECONDS = 2.0
BAR_CELLS = 30


class Progress(NamedTuple):
    """The argument of a `progress` callable, which is called at most ten times per second."""

    members_done: int
    members: int
    fraction: float
    """Share done of all epochs of all members."""
    seconds_elapsed: float
    seconds_left: float
    """An estimate."""


def display_of(progress: Any) -> _Silent | _Called | _Terminal | _Notebook:
    """None shows a bar where a person looks: in a terminal or a notebook. True shows it in any case, False never."""
    if callable(progress):
        return _Called(progress)
    if progress is not None and not isinstance(progress, bool):
        raise ArgumentTypeError(f"progress is {shown(progress)}, expected None, True, False or a callable")
    if progress is False:
        return _Silent()
    if _is_notebook():
        return _Notebook()
    return _Terminal() if progress or _is_terminal() else _Silent()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _is_notebook() -> bool:
    """IPython is asked only where somebody else has imported it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell is not None and hasattr(shell, "kernel")


def text_of(progress: Progress) -> str:
    if progress.members_done == progress.members:
        return f"{progress.members} members trained, widening"
    left = round(progress.seconds_left)
    duration = f"{left} s" if left < 60 else f"{left // 60} min {left % 60} s"
    return f"{int(100 * progress.fraction)} %, {progress.members_done} of {progress.members} members, {duration} left"


class _Silent:
    def __call__(self, *numbers: float) -> None:
        pass

    def close(self) -> None:
        pass


class _Called(_Silent):
    def __init__(self, callback: Callable[[Progress], object]):
        self._callback = callback

    def __call__(self, *numbers: float) -> None:
        self._callback(Progress(*numbers))


class _Terminal(_Silent):
    """One line of standard error, gone at the end."""

    _width = 0

    def __call__(self, *numbers: float) -> None:
        progress = Progress(*numbers)
        if progress.seconds_elapsed < SILENT_SECONDS:
            return
        cells = int(BAR_CELLS * progress.fraction)
        line = f"[{'#' * cells}{'.' * (BAR_CELLS - cells)}] {text_of(progress)}"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


class _Notebook(_Silent):
    """An HTML bar that is updated in place, and removed at the end."""

    _handle: Any = None

    def __call__(self, *numbers: float) -> None:
        progress = Progress(*numbers)
        if progress.seconds_elapsed < SILENT_SECONDS:
            return
        self._show(f'<progress value="{progress.fraction:.4f}" max="1"></progress> {text_of(progress)}')

    def close(self) -> None:
        if self._handle is not None:
            self._show("")

    def _show(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(html), display_id=True)
        else:
            self._handle.update(HTML(html))

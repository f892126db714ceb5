# SPDX-License-Identifier: Apache-2.0
"""One class for each kind of error that the C++ library knows, each also one of Python's own."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager


_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def _escaped(text: str) -> str:
    """What a terminal would obey is shown instead: names and words come from files of strangers."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}" if found[0] < " " else f"\\u{ord(found[0]):04x}", text)


def shown(value: object, longest: int = 80) -> str:
    """A value in a sentence: on one line, and short."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of a stranger's class
        text = f"a {type(value).__name__}"
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


class CredensError(Exception):
    """Base class of all errors of Credens."""

    def __init__(self, *arguments: object):
        super().__init__(*(_escaped(part) if isinstance(part, str) else part for part in arguments))


class Failure(CredensError, RuntimeError):
    """Anything without a class of its own."""


class UsageError(CredensError, ValueError):
    """Options that are wrong, or that contradict the data or each other."""


class ArgumentTypeError(CredensError, TypeError):
    """An argument of the wrong type, or a keyword that is not known."""


class RowIndexError(CredensError, IndexError):
    """A row that is not there."""


class DataError(CredensError, ValueError):
    """A table or an array that cannot be used."""


class ModelFileError(CredensError, ValueError):
    """A model file that is damaged or foreign."""


class FileError(CredensError, OSError):
    """A file that cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class MissingPackageError(CredensError, ImportError):
    """A file that only a package reads which is not installed."""


class NumericalError(CredensError, ArithmeticError):
    """Training diverged, or a matrix is not positive definite."""


# By the code of an error, which is the exit status of the command line.
CLASSES = {
    1: Failure,
    2: UsageError,
    3: DataError,
    4: ModelFileError,
    5: FileError,
    6: NumericalError,
    130: KeyboardInterrupt,
}


@contextmanager
def reading(path):
    """Says of a file that is not there that it is not there."""
    try:
        yield
    except FileError as error:
        if os.path.lexists(path):
            raise
        raise MissingFileError(str(error)) from None

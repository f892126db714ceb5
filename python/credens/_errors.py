# SPDX-License-Identifier: Apache-2.0
"""One class for each kind of error that the C++ library knows, each also one of Python's own."""

from __future__ import annotations

import os
from contextlib import contextmanager


class CredensError(Exception):
    """Base class of all errors of Credens."""


class Failure(CredensError, RuntimeError):
    """Anything without a class of its own."""


class UsageError(CredensError, ValueError):
    """Options that are wrong, or that contradict the data or each other."""


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

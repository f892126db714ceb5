# SPDX-License-Identifier: Apache-2.0
"""Tables in files: text and .npy are read by Credens itself, Parquet, Feather and Excel by what the user has installed."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from . import _core
from ._arguments import path as path_of
from ._errors import DataError, FileError, MissingPackageError, reading

EXTENSIONS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xls": "xls",
    ".ods": "ods",
}

NAMES = {"parquet": "a Parquet file", "arrow": "an Arrow (Feather) file", "xls": "an Excel file of the old form"}
NAMES |= {"xlsx": "an Excel file", "ods": "an OpenDocument spreadsheet"}

INSTALL = {"parquet": "pyarrow", "arrow": "pyarrow", "xlsx": "pandas openpyxl", "xls": "pandas xlrd", "ods": "pandas odfpy"}
"""Packages that read a kind of file, as pip calls them."""


def is_path(values: Any) -> bool:
    return isinstance(values, (str, os.PathLike))


def is_foreign(path: str | os.PathLike[str]) -> bool:
    """Whether somebody else must read the file."""
    return _kind(path) != ""


def read(path: str | os.PathLike[str]) -> Any:
    """All columns, as a table of the package that read them or of Credens."""
    kind = _kind(path)
    if not kind:
        warn(name_warnings(path))
        with reading(path):
            table = _core.Table.from_file(path_of(path))
        warn(table.warnings)
        return table
    with reading(path):
        _check_file(path)
    for package, function in READERS[kind]:
        try:
            module = importlib.import_module(package)
            return function(module, path_of(path))
        except ImportError:  # the package, or one that it needs for this kind of file
            continue
        except Exception as error:
            raise DataError(f"{path}: {package} cannot read it: {_first_line(error)}") from error
    raise MissingPackageError(f"{path} is {NAMES[kind]}, which needs a package: pip install {INSTALL[kind]}")


def read_inputs(path: str | os.PathLike[str], ensemble: _core.Ensemble) -> Any:
    """[N, d]: the columns of a text or .npy file that a model was trained on."""
    warn(name_warnings(path))
    with reading(path):
        inputs, sentences = _core.inputs_of_file(path_of(path), ensemble)
    warn(sentences)
    return inputs


def name_warnings(path: str | os.PathLike[str]) -> list[str]:
    """What is to be said of a file that Credens reads by itself, though its name says another kind."""
    extension = os.path.splitext(path_of(path))[1].lower()
    if not os.path.exists(path):
        return []
    return [f"{path} is no {NAMES[EXTENSIONS[extension]].split(' ', 1)[1]}, but text, and read as such"] if extension in EXTENSIONS else []


def warn(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        warnings.warn(sentence, UserWarning, stacklevel=4)


def _kind(path: str | os.PathLike[str]) -> str:
    """By the first bytes of a file; by its name where these say nothing, so that text with such a name is still text."""
    kind = _core.reader_of(path_of(path))
    extension = os.path.splitext(path_of(path))[1].lower()
    if kind or extension not in EXTENSIONS or _looks_like_text(path):
        return kind
    return EXTENSIONS[extension]


def _looks_like_text(path: str | os.PathLike[str]) -> bool:
    try:
        with open(path, "rb") as file:
            start = file.read(4096)
    except OSError:
        return False
    return len(start) > 0 and b"\0" not in start


def _check_file(path: str | os.PathLike[str]) -> None:
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise FileError(f"{path}: cannot read: {error.strerror}") from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _pyarrow_parquet(module: Any, path: str) -> Any:
    return importlib.import_module("pyarrow.parquet").read_table(path)


def _pyarrow_feather(module: Any, path: str) -> Any:
    return importlib.import_module("pyarrow.feather").read_table(path)


def _polars(name: str) -> Callable[[Any, str], Any]:
    return lambda module, path: getattr(module, name)(path)


def _pandas(name: str, **options: Any) -> Callable[[Any, str], Any]:
    return lambda module, path: getattr(module, name)(path, **options)


SHEETS = [("pandas", _pandas("read_excel")), ("polars", _polars("read_excel"))]

# (package, what reads a file with it), the best first: Arrow tables come without a copy through another package.
READERS: dict[str, list[tuple[str, Callable[[Any, str], Any]]]] = {
    "parquet": [("pyarrow", _pyarrow_parquet), ("polars", _polars("read_parquet")), ("pandas", _pandas("read_parquet"))],
    "arrow": [("pyarrow", _pyarrow_feather), ("polars", _polars("read_ipc")), ("pandas", _pandas("read_feather"))],
    "xlsx": SHEETS,
    "xls": SHEETS,
    "ods": [("pandas", _pandas("read_excel", engine="odf")), *SHEETS],
}

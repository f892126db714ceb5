# SPDX-License-Identifier: Apache-2.0
"""A dict as a table: of columns by their names or, with one value each, of one row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._errors import DataError


class Columns:
    """Has of a frame what `_tables` asks of one."""

    def __init__(self, columns: dict[Any, Any]):
        self._columns = columns

    @property
    def columns(self) -> list[Any]:
        return list(self._columns)

    def __getitem__(self, name: Any) -> Any:
        return self._columns[name]

    def drop(self, names: Iterable[Any]) -> Columns:
        gone = set(names)
        return Columns({name: column for name, column in self._columns.items() if name not in gone})

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.column_stack([np.asarray(column, dtype=dtype) for column in self._columns.values()])


def columns_of(values: Mapping[Any, Any], what: str) -> Columns:
    """Columns of one length, or one value each."""
    columns = {name: column if _is_column(column) else _column(column, name, what) for name, column in values.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    for name, length in lengths.items():
        first = next(iter(lengths))
        if length != lengths[first]:
            raise DataError(f"{what}: column {name!r} has {length} rows, expected {lengths[first]} as in column {first!r}")
    if not columns:
        raise DataError(f"{what} is an empty dict, expected columns by their names")
    return Columns(columns)


def _is_column(values: Any) -> bool:
    return hasattr(values, "dtype") and len(getattr(values, "shape", ())) == 1


def _column(values: Any, name: Any, what: str) -> np.ndarray:
    """Words and missing values stay objects, which numpy would otherwise turn into text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        values = [values]
    cells = list(values)
    if any(isinstance(cell, (list, tuple, dict)) for cell in cells):
        raise DataError(f"{what}: column {name!r} holds lists, expected one value for each row")
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array

# SPDX-License-Identifier: Apache-2.0
"""From what users have (arrays, lists, pandas, polars, Arrow) to arrays of doubles; none of these packages is needed.

Tables are known by what they can do: a frame has `columns` whose items are arrays (`__array__`), an Arrow table
has `__arrow_c_stream__`. Where a value is no finite number, the sentence names its row and column.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core, _files
from ._errors import DataError, UsageError

NUMBERS = "biuf"  # kinds of numpy types that become doubles


def matrix(values: Any, what: str) -> np.ndarray:
    """[rows, columns] of float64 whose rows lie in one piece; a list of numbers is one column."""
    array = doubles(values, what)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise DataError(f"{what} has {array.ndim} dimensions, expected [rows] or [rows, columns]")
    in_one_piece = array.strides[1] == array.itemsize or array.shape[1] <= 1
    usable = in_one_piece and array.strides[0] >= 0 and array.strides[0] % array.itemsize == 0 and array.flags.aligned
    return array if usable else np.ascontiguousarray(array)


def vector(values: Any, what: str) -> np.ndarray:
    """[rows] of float64."""
    array = doubles(values, what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{what} has {array.ndim} dimensions, expected [rows]")
    return np.ascontiguousarray(array)


def is_table(values: Any) -> bool:
    """Whether columns have names of their own, as those of a file may have."""
    return _files.is_path(values) or _is_frame(values) or _is_arrow(values)


def table(values: Any, what: str, group: str = "") -> _core.Table:
    """All columns; those that hold no numbers are refused when somebody uses them, but for texts in that of the groups."""
    if _files.is_path(values):
        read = _files.read(values)
        return read if isinstance(read, _core.Table) else table(read, str(values), group)
    if _is_arrow(values):
        made = _core.Table.from_arrow(what, values.__arrow_c_stream__())
    else:
        made = _from_frame(values, what)
    if group:
        position = made.find(group)
        cells = values.column(position) if _is_arrow(values) else _frame_column(values, position)
        if not _holds_numbers(cells):
            made.set_column(position, labels(cells, f"{what}, column {group}"))
    return made


def labels(values: Any, what: str) -> np.ndarray:
    """[rows] of float64, equal where the values are: numbers stay what they are, texts become those of `word_numbers`."""
    if _holds_numbers(values):
        return vector(values, what)
    cells = list(values.to_pylist() if hasattr(values, "to_pylist") else values)
    numbers = np.array([float(cell) if isinstance(cell, (int, float, np.number)) else 0.0 for cell in cells])
    texts = [row for row, cell in enumerate(cells) if not isinstance(cell, (int, float, np.number))]
    for row in texts:
        if not isinstance(cells[row], str) or not cells[row].strip():
            raise DataError(f"{what}: row {row} is {cells[row]!r}, expected a number or a text")
    numbers[texts] = _core.word_numbers([cells[row].strip() for row in texts])
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise DataError(f"{what}: row {row} is {cells[row]!r}, expected a number or a text")
    return numbers


def _holds_numbers(values: Any) -> bool:
    return np.asarray(values).dtype.kind in NUMBERS


def array_table(values: np.ndarray, names: Iterable[str], what: str) -> _core.Table:
    """An array as a table."""
    return _core.Table.from_columns(what, list(names), list(np.ascontiguousarray(values.T)), {})


def with_units(names: Iterable[str], units: Iterable[str]) -> list[str]:
    """`length [mm]` where there is a unit; there are as many units as names, or none at all."""
    names, units = list(names), list(units)
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units or [""] * len(names))]


def names_of(labels: Iterable[Any]) -> list[str]:
    """Labels that are whole numbers, as frames have them without names, are none."""
    labels = list(labels)
    if all(isinstance(label, (int, np.integer)) for label in labels):
        return []
    return [str(label) for label in labels]


def series_name(values: Any) -> str:
    """The name of a single column of a frame; empty where it has none."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else ""


def number(value: Any, what: str) -> float:
    """One number, or a sentence about what it is instead."""
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    raise TypeError(f"{what} is {value!r}, expected a number")


def whole(value: Any, what: str, least: int = 0, most: int = 2**64 - 1) -> int:
    if not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} is {value!r}, expected a whole number")
    if not least <= value <= most:
        raise UsageError(f"{what} is {value}, expected a whole number from {least}" + (f" to {most}" if value > most else ""))
    return int(value)


def word(value: Any, what: str) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{what} is {value!r}, expected a word")


def _is_arrow(values: Any) -> bool:
    """Columns of numbers have both `__arrow_c_stream__` and `__array__`, but no `column_names`."""
    return hasattr(values, "__arrow_c_stream__") and (hasattr(values, "column_names") or not hasattr(values, "__array__"))


def _is_frame(values: Any) -> bool:
    return hasattr(values, "columns") and hasattr(values, "__array__") and not _is_arrow(values)


def _from_frame(frame: Any, what: str) -> _core.Table:
    columns, faults = [], {}
    for index in range(len(frame.columns)):
        column, fault = _column(_frame_column(frame, index))
        columns.append(column)
        if fault is not None:
            faults[index] = fault
    return _core.Table.from_columns(what, names_of(frame.columns), columns, faults)


def _frame_column(frame: Any, position: int) -> Any:
    by_position = getattr(frame, "iloc", None)  # labels of pandas may be given twice
    return frame[list(frame.columns)[position]] if by_position is None else by_position[:, position]


def _column(values: Any) -> tuple[np.ndarray, tuple[int, str] | None]:
    """The numbers of a column, and where the first one is that is none."""
    array = np.asarray(values)
    if array.dtype.kind not in NUMBERS + "O":
        return np.full(len(array), np.nan), (0, f"is of the type {array.dtype}")
    if array.dtype.kind == "O":
        array = np.fromiter((_number(value) for value in array), float, len(array))
    array = np.ascontiguousarray(array, dtype=np.float64)
    finite = np.isfinite(array)
    if finite.all():
        return array, None
    row = int(np.argmin(finite))
    found = np.asarray(values)[row]
    return array, (row, "is missing" if found is None or found != found else f"is {found!r}")


def _number(value: Any) -> float:
    """NaN for what is no number."""
    if isinstance(value, (str, bytes)) or value is None:
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def doubles(values: Any, what: str) -> np.ndarray:
    """An array of float64 of any shape."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = ", ".join(f"{axis} {index}" for axis, index in zip(("row", "column"), np.argwhere(values.mask)[0]))
        raise DataError(f"{what}: {place} is masked, expected a finite number")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{what} is no array: {error}") from None
    if array.dtype.kind == "O":
        return _objects(array, what)
    if array.dtype.kind not in NUMBERS:
        raise DataError(f"{what} is of the type {array.dtype}, expected numbers")
    return array.astype(np.float64, copy=False)


def _objects(array: np.ndarray, what: str) -> np.ndarray:
    doubles = np.empty(array.shape)
    for place, value in np.ndenumerate(array):
        doubles[place] = _number(value)
        if not np.isfinite(doubles[place]):
            words = ", ".join(f"{axis} {index}" for axis, index in zip(("row", "column"), place))
            raise DataError(f"{what}: {words} is {value!r}, expected a finite number")
    return doubles

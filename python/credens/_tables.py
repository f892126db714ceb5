# SPDX-License-Identifier: Apache-2.0
"""From what users have (arrays, lists, pandas, polars, Arrow) to columns; none of these packages is needed.

Tables are known by what they can do: a frame has `columns` whose items are arrays (`__array__`), an Arrow table
has `__arrow_c_stream__`. A missing value is NaN, a word the index of its text, a date seconds since 1970-01-01. Where
a value cannot be used, the sentence names its row and column.
"""

from __future__ import annotations

import datetime
import decimal
import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core, _files
from ._arguments import array_of, flag, is_number, items, number, path, threads, whole, word
from ._columns import columns_of
from ._errors import ArgumentTypeError, DataError, UsageError, shown

NUMBERS = "biuf"  # kinds of numpy types that become doubles
ZONED = "date with zone"  # the content of a column


def matrix(values: Any, what: str, may_miss: bool = False) -> np.ndarray:
    """[rows, columns] of float64 whose rows lie in one piece; a list of numbers is one column."""
    array = doubles(values, what, may_miss)
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
    return _files.is_path(values) or isinstance(values, Mapping) or _is_frame(values) or _is_arrow(values)


def table(values: Any, what: str) -> _core.Table:
    """All columns; those of types that cannot be used are refused when somebody uses them."""
    if _files.is_path(values):
        read = _files.read(values)
        return read if isinstance(read, _core.Table) else table(read, str(values))
    if isinstance(values, Mapping):
        values = columns_of(values, what)
    if _is_arrow(values):
        return _core.Table.from_arrow(what, values.__arrow_c_stream__())
    return _from_frame(values, what)


def take_columns(values: Any, names: dict[str, str]) -> tuple[Any, dict[str, Any]]:
    """The table without the columns of these names, and these columns by what they are."""
    if not names:
        return values, {}
    if isinstance(values, Mapping):
        values = columns_of(values, "inputs")
    for what, name in names.items():
        if not (_is_frame(values) or _is_arrow(values)):
            raise UsageError(f"{what} is {name!r}, which would name a column of a table, but inputs is none: give one value for each row")
        known = list(values.column_names if hasattr(values, "column_names") else values.columns)
        if name not in known:
            near = difflib.get_close_matches(name, [str(label) for label in known], n=1)
            raise DataError(f"{what} is {name!r}, but inputs has no such column" + (f"; did you mean {near[0]!r}?" if near else ""))
    columns = {what: values[name] for what, name in names.items()}
    taken = list(dict.fromkeys(names.values()))
    if hasattr(values, "iloc"):
        return values.drop(columns=taken), columns
    return (values.drop_columns(taken) if hasattr(values, "drop_columns") else values.drop(taken)), columns


def labels(values: Any, what: str) -> np.ndarray:
    """[rows] of float64, equal where the values are: numbers stay what they are, texts become those of `word_numbers`."""
    if _holds_numbers(values):
        return vector(values, what)
    cells = items(values.to_pylist() if hasattr(values, "to_pylist") else values, what, "one value for each row")
    numbers = np.array([float(cell) if is_number(cell) else 0.0 for cell in cells])
    texts = [row for row, cell in enumerate(cells) if not is_number(cell)]
    for row in texts:
        if not isinstance(cells[row], str) or not cells[row].strip():
            raise DataError(f"{what}: row {row} is {shown(cells[row])}, expected a number or a text")
    numbers[texts] = _core.word_numbers([cells[row].strip() for row in texts])
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise DataError(f"{what}: row {row} is {cells[row]!r}, expected a number or a text")
    return numbers


def holds_labels(values: Any) -> bool:
    """Whether a column or list holds words or flags, which are classes where a target is expected."""
    if str(getattr(values, "dtype", None)) == "category":
        return True
    try:
        array = array_of(values, "labels")
    except DataError:
        return False
    if array.dtype.kind in "bUT":
        return array.ndim > 0
    return array.dtype.kind == "O" and any(isinstance(value, (str, bool, np.bool_)) for value in array.ravel())


def label_table(values: Any, names: Iterable[str], what: str) -> _core.Table:
    """A column of labels, or several, as a table."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(object).filled(None)
    array = values if str(getattr(values, "dtype", None)) == "category" else np.asarray(values)
    if array.ndim > 2:
        raise DataError(f"{what} has {array.ndim} dimensions, expected [rows] or [rows, columns]")
    parts = [array] if array.ndim == 1 else list(array.T)
    columns = [_column(part) for part in parts]
    return _table_of(columns, list(names) if len(columns) == 1 else [], what)


def label_text(label: Any) -> str:
    """How a class is called that is given by its label."""
    if is_missing(label):
        raise DataError(f"classes has {label!r}, expected labels")
    return _text(label)


EXPECTED_TIME = "a number, or a day or time such as 2024-05-17 or 2024-05-17T08:30:00Z, all of one kind"


def times(values: Any, what: str) -> np.ndarray:
    """[rows] of float64: numbers stay what they are, dates become seconds since 1970-01-01."""
    if _holds_numbers(values):
        return vector(values, what)
    if array_of(values, what).ndim == 0:
        raise ArgumentTypeError(f"{what} is {shown(values)}, expected one value for each row")
    column = _column(values)
    if column.fault is not None:
        row, found = column.fault
        raise DataError(f"{what}: row {row} {found}, expected {EXPECTED_TIME}")
    if np.isnan(column.values).any():
        raise DataError(f"{what}: row {int(np.argmax(np.isnan(column.values)))} is missing, expected {EXPECTED_TIME}")
    if column.content not in ("text", "word", "flag"):
        return column.values
    codes = column.values.astype(int)
    seconds = _core.date_seconds(list(column.texts))[codes]
    if np.isnan(seconds).any():
        row = int(np.argmax(np.isnan(seconds)))
        raise DataError(f"{what}: row {row} is {column.texts[codes[row]]!r}, expected {EXPECTED_TIME}")
    return seconds


def _holds_numbers(values: Any) -> bool:
    return array_of(values, "values").dtype.kind in NUMBERS


def array_table(values: np.ndarray, names: Iterable[str], what: str) -> _core.Table:
    """An array as a table."""
    return _core.Table.from_matrix(what, list(names), values)


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


def _is_arrow(values: Any) -> bool:
    """Columns of numbers have both `__arrow_c_stream__` and `__array__`, but no names; frames of pandas need pyarrow for it."""
    has_names = hasattr(values, "column_names") or hasattr(values, "columns") or not hasattr(values, "__array__")
    return hasattr(values, "__arrow_c_stream__") and has_names and not hasattr(values, "iloc")


def _is_frame(values: Any) -> bool:
    return hasattr(values, "columns") and hasattr(values, "__array__") and not _is_arrow(values)


class _Column(NamedTuple):
    """One column of a frame, as `_core.Table` takes it."""

    values: np.ndarray
    content: str = "number"
    texts: tuple[str, ...] = ()
    fault: tuple[int, str] | None = None


def _from_frame(frame: Any, what: str) -> _core.Table:
    labels = list(frame.columns)
    position = getattr(frame, "iloc", None)  # labels of pandas may be given twice
    columns = [_column(frame[label] if position is None else position[:, i]) for i, label in enumerate(labels)]
    return _table_of(columns, names_of(labels), what)


def _table_of(columns: list[_Column], names: list[str], what: str) -> _core.Table:
    return _core.Table.from_columns(
        what,
        names,
        [column.values for column in columns],
        [column.content for column in columns],
        [list(column.texts) for column in columns],
        {i: column.fault for i, column in enumerate(columns) if column.fault is not None},
    )


def _column(values: Any) -> _Column:
    """The values of a column with their kind."""
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "tz", None) is not None and hasattr(dtype, "unit"):
        in_utc = np.asarray(values, dtype=f"datetime64[{dtype.unit}]")
        return _Column(_seconds(in_utc), ZONED)
    if str(dtype) == "category":
        categories = [*values.cat.categories, None]  # the code of a missing value is -1
        return _texts([categories[code] for code in values.cat.codes], "word")
    array = np.asarray(values)
    if array.dtype.kind == "b":
        return _texts(array.astype(object), "flag")
    if array.dtype.kind in NUMBERS:
        return _Column(np.ascontiguousarray(array, dtype=np.float64))
    if array.dtype.kind == "M":
        return _Column(_seconds(array), "date")
    if array.dtype.kind in "OUT":
        return _object_column(array.astype(object))
    if array.dtype.kind == "m":
        return _unusable(array, 0, f"is a span of time ({array.dtype}), of which .dt.total_seconds() makes a number")
    return _unusable(array, 0, f"is of the type {array.dtype}")


def _unusable(array: np.ndarray, row: int, found: str) -> _Column:
    return _Column(np.full(len(array), np.nan), fault=(row, found))


_NUMBER_TYPES = (int, float, np.integer, np.floating, decimal.Decimal)


def _object_column(array: np.ndarray) -> _Column:
    """Objects that are all numbers, flags or dates are these; text, also between numbers and flags, is text."""
    present = [value for value in array if not is_missing(value)]
    if all(isinstance(value, (bool, np.bool_)) for value in present) and present:
        return _texts(array, "flag")
    if all(isinstance(value, _NUMBER_TYPES) and not isinstance(value, bool) for value in present):
        return _Column(np.fromiter((_number(value) for value in array), float, len(array)))
    if all(isinstance(value, datetime.date) for value in present):
        return _dates(array)
    for row, value in enumerate(array):
        if type(value).__name__ == "Period":
            return _unusable(array, row, f"is a period ({value}), of which .dt.to_timestamp() makes a date")
        if not isinstance(value, (str, np.bool_, *_NUMBER_TYPES)) and not is_missing(value):
            return _unusable(array, row, f"is {value!r}")
    return _texts(array, "text")


def _texts(values: Sequence[Any] | np.ndarray, content: str) -> _Column:
    """Codes of texts, in the order of their first rows."""
    known: dict[str, int] = {}
    codes = np.empty(len(values))
    for row, value in enumerate(values):
        codes[row] = np.nan if is_missing(value) else known.setdefault(_text(value), len(known))
    return _Column(codes, content, tuple(known))


def _text(value: Any) -> str:
    """Whole numbers are written without a point, as where a column of numbers is one of words."""
    return str(int(value)) if isinstance(value, (float, np.floating)) and abs(value) < 1e15 and value == int(value) else str(value)


def _seconds(array: np.ndarray) -> np.ndarray:
    """Of numpy's times; whole seconds are exact, whatever the unit."""
    unit, step = np.datetime_data(array.dtype)
    per_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}.get(unit, 1)
    ticks = array.astype("datetime64[s]" if per_second == 1 else f"datetime64[{unit}]").astype(np.int64)
    whole, rest = np.divmod(ticks, per_second)
    return np.where(np.isnat(array), np.nan, whole + rest / per_second)


def _dates(array: np.ndarray) -> _Column:
    """Days and times, all with a zone or all without."""
    seconds = np.full(len(array), np.nan)
    has_zone = None
    for row, value in enumerate(array):
        if is_missing(value):
            continue
        zone = getattr(value, "tzinfo", None)
        if has_zone is not None and has_zone != (zone is not None):
            return _unusable(array, row, f"is {value!s}, which differs from the times above in having a zone")
        has_zone = zone is not None
        if isinstance(value, datetime.datetime):
            seconds[row] = (value - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc if zone else None)).total_seconds()
        else:
            seconds[row] = (value - datetime.date(1970, 1, 1)).total_seconds()
    return _Column(seconds, ZONED if has_zone else "date")


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for these."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, _NUMBER_TYPES) and value != value


def _number(value: Any) -> float:
    """NaN for what is no number."""
    if isinstance(value, (str, bytes)) or is_missing(value):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def doubles(values: Any, what: str, may_miss: bool = False) -> np.ndarray:
    """An array of float64 of any shape; where values may be missing, None and masked ones are NaN."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        if may_miss and values.dtype.kind in NUMBERS:
            return values.astype(np.float64).filled(np.nan)
        place = ", ".join(f"{axis} {index}" for axis, index in zip(("row", "column"), np.argwhere(values.mask)[0]))
        raise DataError(f"{what}: {place} is masked, expected a finite number")
    array = np.asarray(array_of(values, what))
    if array.dtype.kind == "O":
        return _objects(array, what, may_miss)
    if array.dtype.kind not in NUMBERS:
        raise DataError(f"{what} is of the type {array.dtype}, expected numbers")
    return array.astype(np.float64, copy=False)


def _objects(array: np.ndarray, what: str, may_miss: bool) -> np.ndarray:
    doubles = np.empty(array.shape)
    for place, value in np.ndenumerate(array):
        doubles[place] = _number(value)
        if not np.isfinite(doubles[place]) and not (may_miss and is_missing(value)):
            words = ", ".join(f"{axis} {index}" for axis, index in zip(("row", "column"), place))
            raise DataError(f"{what}: {words} is {shown(value)}, expected a finite number")
    return doubles

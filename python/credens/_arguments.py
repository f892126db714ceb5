# SPDX-License-Identifier: Apache-2.0
"""Single arguments: taken, or refused with a sentence about what they are instead."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._errors import ArgumentTypeError, DataError, RowIndexError, UsageError, shown


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64)


def is_number(value: Any) -> bool:
    return is_whole(value) or isinstance(value, (float, np.floating))


def number(value: Any, what: str) -> float:
    if not is_number(value):
        raise ArgumentTypeError(f"{what} is {shown(value)}, expected a number")
    try:
        return float(value)
    except OverflowError:
        raise UsageError(f"{what} is {shown(value)}, which is too large for a double") from None


def whole(value: Any, what: str, least: int = 0, most: int = 2**64 - 1) -> int:
    if not is_whole(value):
        raise ArgumentTypeError(f"{what} is {shown(value)}, expected a whole number")
    if not least <= value <= most:
        raise UsageError(f"{what} is {value}, expected a whole number from {least}" + (f" to {most}" if value > most else ""))
    return int(value)


def threads(value: Any) -> int:
    return whole(value, "threads", most=2**31 - 1)


def word(value: Any, what: str) -> str:
    if isinstance(value, str):
        return value
    raise ArgumentTypeError(f"{what} is {shown(value)}, expected a word")


def flag(value: Any, what: str) -> bool:
    if isinstance(value, (bool, np.bool_)) or (is_whole(value) and value in (0, 1)):
        return bool(value)
    raise ArgumentTypeError(f"{what} is {shown(value)}, expected True or False")


def flag_or_none(value: Any, what: str) -> bool | None:
    return None if value is None else flag(value, what)


def path(value: Any, what: str = "path") -> str:
    try:
        return os.fsdecode(value)
    except TypeError:
        raise ArgumentTypeError(f"{what} is {shown(value)}, expected the path of a file or folder") from None


def items(values: Any, what: str, expected: str) -> list[Any]:
    """Of a list or another iterable that is no text."""
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)) and getattr(values, "ndim", 1) > 0:
        return list(values)
    raise ArgumentTypeError(f"{what} is {shown(values)}, expected {expected}")


def array_of(values: Any, what: str) -> np.ndarray:
    """As it is, whatever its type."""
    try:
        return np.asanyarray(values)
    except MemoryError:
        raise
    except Exception as error:  # whatever an object of a stranger raises
        raise DataError(f"{what} is no array: {error}") from error


def row_numbers(asked: Any, rows: int) -> list[int]:
    """From indices, which may be negative, or one bool for each row."""
    chosen = array_of(asked, "rows")
    if chosen.size > 0 and chosen.dtype.kind not in "biu":
        raise ArgumentTypeError(f"rows is {shown(asked)}, expected indices, or one bool for each row")
    try:
        return np.arange(rows)[chosen if chosen.size > 0 else np.arange(0)].ravel().tolist()
    except IndexError as error:
        raise RowIndexError(f"rows: {error}") from None

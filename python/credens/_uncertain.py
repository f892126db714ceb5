# SPDX-License-Identifier: Apache-2.0
"""Standard uncertainties and covariances of inputs, as users give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _tables
from ._arguments import items
from ._errors import ArgumentTypeError, DataError, UsageError, shown

Uncertain = tuple[list[int], "np.ndarray | None", "np.ndarray | None"]
"""Columns of the model, and standard uncertainties [rows, columns] or a covariance."""


def uncertain_inputs(keys: list[str], std: Any, covariance: Any) -> Callable[[int], Uncertain] | None:
    """What a number of rows has; None where all inputs are exact. `keys` are the names of the model's inputs, or their
    places."""
    if std is None and covariance is None:
        return None
    if std is not None and covariance is not None:
        raise UsageError("both input_std and input_covariance are given, expected one of them")
    if covariance is not None:
        names, matrix = _covariance(covariance)
        columns = [_column(name, keys, "input_covariance") for name in names]
        return lambda rows: (columns, None, matrix)
    if not isinstance(std, Mapping) or not std:
        raise ArgumentTypeError(f"input_std is {shown(std)}, expected a dict of names of inputs and their standard uncertainties")
    columns = [_column(name, keys, "input_std") for name in std]
    return lambda rows: (columns, np.column_stack([_of_rows(value, name, rows) for name, value in std.items()]), None)


def _column(name: Any, keys: list[str], what: str) -> int:
    if str(name) not in keys:
        raise UsageError(f"{what} names {name!r}, expected some of the inputs {', '.join(keys)}")
    return keys.index(str(name))


def _of_rows(value: Any, name: Any, rows: int) -> np.ndarray:
    what = f"input_std of {name}"
    values = _tables.doubles(value, what)
    if values.ndim and values.shape != (rows,):
        raise DataError(f"{what} has the shape {list(values.shape)}, expected a number or [{rows}]")
    return np.broadcast_to(values, (rows,))


def _covariance(covariance: Any) -> tuple[list[Any], np.ndarray]:
    if hasattr(covariance, "columns"):
        return list(covariance.columns), _matrix(covariance.to_numpy())
    try:
        names, matrix = covariance
    except (TypeError, ValueError):
        raise ArgumentTypeError("input_covariance is no pair, expected (names of inputs, matrix) or a frame") from None
    return items(names, "input_covariance", "(names of inputs, matrix) or a frame"), _matrix(matrix)


def _matrix(values: Any) -> np.ndarray:
    return np.ascontiguousarray(_tables.matrix(values, "input_covariance"))

# SPDX-License-Identifier: Apache-2.0
"""What calibration rows promise about intervals."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _core, _tables
from ._arguments import items
from ._errors import DataError, UsageError


@dataclass(frozen=True)
class PromisedCoverage:
    """What is promised of one output of a group, or of all outputs at once.

    Attributes
    ----------
    group, output : str
        `group` is None where all rows are one group.
    rows : int
        Calibration rows.
    promised : float
        A new row lies inside with at least this probability, over the draw of the calibration rows and of the new row.
    law : tuple of float
        a and b of the beta distribution of the coverage that one calibration realises.
    realised : tuple of float
        Its quantiles of 5 and 95 %.
    model_alone : float
        The share of calibration rows that the model's own intervals held; None for all outputs at once.
    """

    group: str | None
    output: str
    rows: int
    promised: float
    law: tuple[float, float]
    realised: tuple[float, float]
    model_alone: float | None


@dataclass(frozen=True)
class Promises:
    """What `Ensemble.calibrate` learned.

    Attributes
    ----------
    rows : int
        Calibration rows.
    by : str
        The column whose values divide them, `ignorance`, or None.
    edges : list of float
        Of standardised ignorance between the groups.
    distribution_values : dict of array
        For each group (None where there is one) the values F(y) [n, q] of the predictive distribution at what was
        observed: uniform where the model is calibrated.
    """

    rows: int
    by: str | None
    edges: list[float]
    distribution_values: dict[str | None, np.ndarray]
    _core: _core.Ensemble = field(repr=False, compare=False)

    def coverage(self, level: float = 0.95) -> list[PromisedCoverage]:
        """What intervals of this level promise: for each group its outputs and, of several, all at once."""
        document = json.loads(_core.promise_coverages(self._core, _tables.number(level, "level")))
        return [
            PromisedCoverage(one.get("group"), one["output"], one["rows"], one["promised"], tuple(one["law"]), tuple(one["realised"]), one["model_alone"])
            for one in document["coverages"]
        ]


def promises_of(core: _core.Ensemble) -> Promises | None:
    document = json.loads(_core.promise_groups(core))
    if document is None:
        return None
    values = {group["name"]: _core.distribution_values(core, at) for at, group in enumerate(document["groups"])}
    return Promises(document["rows"], document["by"], document["edges"], values, core)


@dataclass(frozen=True)
class PromisedRows:
    """Rows that a calibrated model has predicted, and their groups; None where nobody gave them."""

    model: Any  #: the Ensemble
    groups: list[str] | None

    def interval(self, predictive: _core.Predictive, level: float, joint: bool) -> tuple[np.ndarray, np.ndarray]:
        if self.groups is None:
            raise UsageError(f"groups is missing: intervals are promised by {self.model.promises.by}, so give it to predict for each row")
        return _core.guaranteed_interval(self.model._core, predictive, level, self.groups, joint)


def promised_rows(model: Any, rows: Any, groups: Any) -> PromisedRows | None:
    """None where the model has no promise."""
    column = _core.promise_column(model._core)
    if column is None:
        return None
    groups = column_of(rows, column) if groups is None and column else groups
    if not column or groups is None:
        return PromisedRows(model, None if column else [])
    return PromisedRows(model, group_names(groups))


def group_names(groups: Any) -> list[str]:
    """The group of each row as text, numbers as the program writes them."""
    cells = items(groups.to_pylist() if hasattr(groups, "to_pylist") else groups, "groups", "one label for each row")
    missing = [row for row, cell in enumerate(cells) if _tables.is_missing(cell) or cell == ""]
    if missing:
        raise DataError(f"groups: row {missing[0]} is {cells[missing[0]]!r}, expected a number or a text")
    return [_tables.label_text(cell) for cell in cells]


def column_of(rows: Any, column: str) -> Any:
    """A column of a table in memory; None where there is none."""
    if not _tables.is_table(rows) or isinstance(rows, (str, os.PathLike)):
        return None
    names = rows.keys() if isinstance(rows, Mapping) else getattr(rows, "column_names", getattr(rows, "columns", ()))
    return rows[column] if column in list(names) else None


def calibrated_core(model: Any, data: Any, targets: Any, by: str | None, groups: Any, train: Any, level: Any, parts: dict[str, Any]) -> _core.Ensemble:
    """As `Ensemble.calibrate`."""
    if model.task == "classification":
        raise UsageError("the model predicts classes, for which there are no intervals to promise")
    by = "group" if by is None and groups is not None else by
    if groups is None and by not in (None, "ignorance"):
        groups = column_of(data, by)
        if groups is None:
            raise UsageError(f"groups is missing: give the {by} of each row, or a table in memory with that column")
    rows, numbers, given = observed_rows(model, data, targets, parts)
    names = [] if groups is None else group_names(groups)
    if names and len(names) != given:
        raise UsageError(f"{len(names)} names of groups are given, expected one for each of {given} rows")
    names = [names[number] for number in numbers] if names else []
    trained = (None, None) if train is None else _training_rows(model, train, targets, parts)
    predictive, level = model.predict(rows)._core, _tables.number(level, "level")
    core, shared, known = _core.calibrate(model._core, predictive, model._inputs(rows), rows.targets, by or "", names, level, *trained)
    if shared:
        warnings.warn(f"{shared} of {known} rows that can be recognised are also rows of training", UserWarning, stacklevel=3)
    return core


def observed_rows(model: Any, data: Any, targets: Any, parts: dict[str, Any]) -> tuple[Any, list[int], int]:
    """A Dataset of the rows that have all their targets, their numbers, and how many rows were given."""
    from ._dataset import dataset_of
    from ._ensemble import with_task
    from ._scores import _with_targets

    given = dataset_of(data, targets, **with_task(model._core, data, parts))
    if given.task == "classification":
        raise UsageError("the rows have classes, but the model predicts numbers")
    rows, numbers = _with_targets(given)
    model._core.check_units(rows._core)
    return rows, numbers, len(given)


def _training_rows(model: Any, train: Any, targets: Any, parts: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and targets of a Dataset, of a pair, or of a table like that of the calibration rows."""
    pair = train if isinstance(train, tuple) else (train, targets if _tables.is_table(train) else None)
    rows, _, _ = observed_rows(model, *pair, {} if isinstance(train, tuple) or not _tables.is_table(train) else parts)
    return model._inputs(rows), rows.targets

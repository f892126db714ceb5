# SPDX-License-Identifier: Apache-2.0
"""Arrays of what members say of some rows: checked for their shapes, cut into pieces when they are read.

Letters: L members, N rows, p features of a member's last hidden layer (may differ between members), q outputs or C
classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _tables
from ._errors import DataError, UsageError

VALUES_AT_ONCE = 1 << 20  # of all arrays of a piece: 8 MB
MOST_ROWS_AT_ONCE = 1 << 16


def members_of(values: Any, what: str, dimensions: int, least: int | None = None) -> list[np.ndarray]:
    """One array per member, of `dimensions` axes (`least`: without that of one output)."""
    if not isinstance(values, (list, tuple)):
        array = numbers_of(values, what)
        if array.ndim not in (dimensions + 1, (least or dimensions) + 1):
            last = {"features": "features", "last_layer": "...", "logits": "classes"}.get(what, "outputs")
            raise DataError(
                f"{what} has the shape {list(array.shape)}, expected [members, rows, {last}] or a list of arrays, one"
                " per member"
            )
        values = list(array)
    members = [numbers_of(member, f"{what}[{index}]") for index, member in enumerate(values)]
    if not members:
        raise DataError(f"{what} is empty, expected an array for each member")
    for index, member in enumerate(members):
        if member.ndim not in (dimensions, least or dimensions):
            raise DataError(f"{what}[{index}] has the shape {list(member.shape)}, expected {dimensions} dimensions")
    return members


def numbers_of(values: Any, what: str) -> np.ndarray:
    """As it is, whatever its type: pieces are converted when they are read."""
    array = _tables.array_of(values, what)
    if array.dtype.kind not in _tables.NUMBERS:
        raise DataError(f"{what} is of the type {array.dtype}, expected numbers")
    return array


class OutputRows:
    """Features of L members at N rows, with means and variances or, of classes, logits."""

    def __init__(
        self,
        features: Any,
        mean: Any = None,
        variance: Any = None,
        targets: Any = None,
        row_weights: Any = None,
        logits: Any = None,
    ):
        self.has_classes = logits is not None
        if self.has_classes and (mean is not None or variance is not None):
            given = "variance" if mean is None else "mean"
            raise UsageError(f"{given} is given beside logits, expected mean and variance, or logits alone")
        self.features = members_of(features, "features", 2)
        self.head_name = "logits" if self.has_classes else "mean"
        if self.has_classes:
            self.head = members_of(logits, "logits", 2)
        else:
            self.head = [_columns(member) for member in members_of(mean, "mean", 2, least=1)]
        self.variance = None if self.has_classes else self._variances(variance)
        self.targets = None if targets is None else _columns(numbers_of(targets, "targets"))
        self.row_weights = None if row_weights is None else numbers_of(row_weights, "row_weights")
        self._check()

    def __len__(self) -> int:
        return len(self.head[0])

    @property
    def outputs(self) -> int:
        return self.head[0].shape[1]

    @property
    def widths(self) -> list[int]:
        return [member.shape[1] for member in self.features]

    def parts(self) -> Iterator[tuple]:
        """(features, head, variance, targets, row_weights) of some megabytes each; at least one, which may be empty."""
        at_once = VALUES_AT_ONCE // max(1, sum(self.widths) + 2 * self.outputs * len(self.head))
        step = min(max(1, at_once), MOST_ROWS_AT_ONCE)
        for first in range(0, max(len(self), 1), step):
            yield self._cut(slice(first, first + step))

    def whole(self) -> tuple:
        return self._cut(slice(None))

    def _cut(self, rows: slice) -> tuple:
        variance = None
        if self.variance is not None:
            variance = [_plain(member[rows], f"variance[{l}]") for l, member in enumerate(self.variance)]
        return (
            [_tables.matrix(member[rows], f"features[{l}]") for l, member in enumerate(self.features)],
            [_tables.matrix(member[rows], f"{self.head_name}[{l}]") for l, member in enumerate(self.head)],
            variance,
            None if self.targets is None else _tables.matrix(self.targets[rows], "targets"),
            None if self.row_weights is None else _tables.vector(self.row_weights[rows], "row_weights"),
        )

    def _variances(self, variance: Any) -> list[np.ndarray]:
        if variance is None:
            raise UsageError("variance is missing: give the noise variance, in the networks' own units")
        if not isinstance(variance, (list, tuple)) and _tables.array_of(variance, "variance").ndim == 0:
            return [np.broadcast_to(numbers_of(variance, "variance"), (len(member), 1)) for member in self.head]
        members = [_columns(member) for member in members_of(variance, "variance", 2, least=1)]
        if len(members) != len(self.head):
            raise DataError(f"variance is given for {len(members)} members, expected {len(self.head)} as in mean")
        constant = [len(member) == 1 for member in members]
        shapes = [(len(mean), member.shape[1]) for mean, member in zip(self.head, members)]
        return [np.broadcast_to(m, shape) if c else m for m, c, shape in zip(members, constant, shapes)]

    def _check(self) -> None:
        head = self.head_name
        if len(self.features) != len(self.head):
            raise DataError(f"features is given for {len(self.features)} members, {head} for {len(self.head)}")
        for name, members in (("features", self.features), (head, self.head), ("variance", self.variance or [])):
            for index, member in enumerate(members):
                if len(member) != len(self):
                    raise DataError(f"{name}[{index}] has {len(member)} rows, expected {len(self)} as in {head}[0]")
        for index, member in enumerate(self.head):
            if member.shape[1] != self.outputs:
                kind = "classes" if self.has_classes else "outputs"
                raise DataError(f"{head}[{index}] has {member.shape[1]} {kind}, expected {self.outputs} as in {head}[0]")
        for index, member in enumerate(self.variance or []):
            if member.shape[1] not in (1, self.outputs):
                raise DataError(f"variance[{index}] has {member.shape[1]} columns, expected {self.outputs} or 1")
        self._check_targets()
        if self.row_weights is not None and self.row_weights.shape != (len(self),):
            raise DataError(f"row_weights has the shape {list(self.row_weights.shape)}, expected {[len(self)]}")

    def _check_targets(self) -> None:
        if self.targets is None:
            return
        expected = [(len(self), self.outputs)]
        if self.has_classes:
            expected.insert(0, (len(self), 1))
        if self.targets.shape not in expected:
            texts = " or ".join(str(list(shape)) for shape in expected)
            raise DataError(f"targets has the shape {list(self.targets.shape)}, expected {texts}")


def _columns(array: np.ndarray) -> np.ndarray:
    return array[:, np.newaxis] if array.ndim == 1 else array


def _plain(array: np.ndarray, what: str) -> np.ndarray:
    """Without the zero strides of a constant."""
    return np.ascontiguousarray(_tables.matrix(array, what))

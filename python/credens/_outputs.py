# SPDX-License-Identifier: Apache-2.0
"""Networks trained elsewhere: what their members say of some rows, as arrays, in pieces, or in an outputs folder.

Letters: L members, N rows, p features of a member's last hidden layer (may differ between members), q outputs. All
arrays are in the networks' own units.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core, _tables
from ._ensemble import Ensemble
from ._errors import DataError, UsageError, reading

VALUES_AT_ONCE = 1 << 20  # of all arrays of a piece: 8 MB
MOST_ROWS_AT_ONCE = 1 << 16


@dataclass(eq=False)
class MemberOutputs:
    """Outputs of L members at N rows, in the networks' own units.

    `features` is [L, N, p], or a list of arrays [N, p] that may differ in p; `mean` is [L, N, q] (or [L, N] for one
    output); `variance`, of the noise, is [L, N, q], [L, N, 1] where the outputs share it, [L, 1, q] where it is
    constant, or one number. Arrays of float32, float64 and memory maps are taken as they are and read in pieces.

    `targets` [N, q] and `last_layer` (L of [q, p]) give the evidence lower bound; `row_weights` [N] count rows;
    `member_weights` [L] weigh members. y = target_shift + target_scale * (value in network units).

    Examples
    --------
    >>> import credens, numpy as np
    >>> outputs = credens.MemberOutputs(np.ones((2, 5, 3)), np.zeros((2, 5)), 0.1)
    >>> outputs
    MemberOutputs(members=2, rows=5, features=[3, 3], outputs=1)
    """

    features: Any
    mean: Any
    variance: Any
    targets: Any = None
    last_layer: Any = None
    row_weights: Any = None
    member_weights: Any = None
    target_scale: Any = None
    target_shift: Any = None
    target_names: Any = None
    prior_precision: float | None = None

    def __repr__(self) -> str:
        rows = _Rows(self.features, self.mean, self.variance)
        return (
            f"MemberOutputs(members={len(rows.mean)}, rows={len(rows)}, features={rows.widths}, outputs={rows.outputs})"
        )


def widen_outputs(
    features: Any,
    mean: Any = None,
    variance: Any = None,
    *,
    prior_precision: float | str | None = None,
    posterior: str = "isotropic",
    targets: Any = None,
    last_layer: Any = None,
    row_weights: Any = None,
    member_weights: Any = None,
    target_scale: Any = None,
    target_shift: Any = None,
    target_names: Any = None,
    random_bias: bool = False,
    threads: int = 0,
) -> Ensemble:
    """Widens an ensemble that was trained elsewhere: closed forms from its outputs at the training rows.

    `features`, `mean`, `variance` are the arrays of `MemberOutputs`. In their place there may be one argument: a
    `MemberOutputs`; the path of an outputs folder; or, for any number of rows, an iterable of pieces, each a tuple
    (features, mean, variance[, targets[, row_weights]]), a mapping with these names, or a `MemberOutputs`. How rows are
    cut into pieces does not change the bits of the result.

    `prior_precision` is lambda, the weight decay of (1/N)(sum of losses + lambda/2 |theta|^2) that the networks were
    trained with, or "evidence" to find the most probable one (needs `last_layer`). A folder brings its own.

    Examples
    --------
    >>> import credens, numpy as np
    >>> random = np.random.default_rng(0)
    >>> features, mean = random.normal(size=(3, 100, 8)), random.normal(size=(3, 100))
    >>> model = credens.widen_outputs(features, mean, 0.25, prior_precision=1.0)
    >>> bool(np.allclose(model.gamma, 8 / ((features**2).sum(axis=(1, 2)) / 0.25 + 8 * 1.0)))
    True

    The same from pieces:

    >>> pieces = ((features[:, i : i + 30], mean[:, i : i + 30], 0.25) for i in range(0, 100, 30))
    >>> credens.widen_outputs(pieces, prior_precision=1.0) == model
    True
    >>> model.predict_outputs(features[:, :5], mean[:, :5], 0.25).epistemic_variance.shape
    (5,)
    """
    rows = {"mean": mean, "variance": variance, "targets": targets, "row_weights": row_weights}
    about = dict(zip(_ABOUT, (last_layer, member_weights, target_scale, target_shift, target_names)))
    options = (posterior, bool(random_bias), threads)
    if isinstance(features, (str, os.PathLike)):
        _expect_none({**rows, **about}, "beside an outputs folder")
        return _widen_folder(features, prior_precision, options)
    if isinstance(features, MemberOutputs):
        about = {name: getattr(features, name) if value is None else value for name, value in about.items()}
        prior_precision = features.prior_precision if prior_precision is None else prior_precision
    widening = _core.OutputsWidening.make(_lambda(prior_precision), *options, True, _about(**about))
    for piece in _pieces(features, rows):
        for part in _rows_of(piece).parts():
            widening.add(*part)
    return Ensemble(widening.finish())


def save_outputs(outputs: MemberOutputs, path: str | os.PathLike[str]) -> None:
    """Writes an outputs folder, which the command line and `load_outputs` read; needs `outputs.prior_precision`.

    Examples
    --------
    >>> import credens, numpy as np
    >>> outputs = credens.MemberOutputs(np.ones((2, 5, 3)), np.zeros((2, 5)), 0.1, prior_precision=1.0)
    >>> credens.save_outputs(outputs, "arrays")
    >>> credens.load_outputs("arrays")
    MemberOutputs(members=2, rows=5, features=[3, 3], outputs=1)
    >>> credens.widen_outputs("arrays") == credens.widen_outputs(outputs)
    True
    """
    if not isinstance(outputs, MemberOutputs):
        raise TypeError(f"outputs is {type(outputs).__name__}, expected MemberOutputs")
    if not isinstance(outputs.prior_precision, (int, float)):
        raise UsageError(f"prior_precision of the outputs is {outputs.prior_precision!r}, expected a number")
    rows = _rows_of(outputs).whole()
    about = _about(**{name: getattr(outputs, name) for name in _ABOUT}, rows=rows)
    _core.save_outputs(about, float(outputs.prior_precision), path)


def load_outputs(path: str | os.PathLike[str]) -> MemberOutputs:
    """Reads an outputs folder whole. `widen_outputs(path)` reads it in pieces, whatever its size."""
    with reading(path):
        outputs, prior_precision = _core.load_outputs(path)
    names = ("features", "mean", "variance", "targets", *_ABOUT, "row_weights")
    values = {name: getattr(outputs, name) for name in names}
    for name in _ABOUT:
        values[name] = values[name] or None
    return MemberOutputs(**values, prior_precision=prior_precision)


_ABOUT = ("last_layer", "member_weights", "target_scale", "target_shift", "target_names")


def _expect_none(values: Mapping[str, Any], where: str) -> None:
    for name, value in values.items():
        if value is not None:
            raise UsageError(f"{name} is given {where}, expected one of the two")


def _lambda(prior_precision: float | str | None) -> float | None:
    """None: by evidence."""
    if prior_precision is None:
        raise UsageError("prior_precision is missing: give lambda, the prior precision of the training, or 'evidence'")
    if isinstance(prior_precision, str):
        if prior_precision == "evidence":
            return None
        raise UsageError(f"prior_precision is {prior_precision!r}, expected a number from 0, or 'evidence'")
    if not isinstance(prior_precision, (int, float, np.integer, np.floating)) or not 0 <= prior_precision < np.inf:
        raise UsageError(f"prior_precision is {prior_precision!r}, expected a number from 0, or 'evidence'")
    return float(prior_precision)


def _widen_folder(path: Any, prior_precision: float | str | None, options: tuple) -> Ensemble:
    lam = None if prior_precision is None else _lambda(prior_precision)
    with reading(path):
        return Ensemble(_core.widen_folder(path, prior_precision is None, lam, *options))


def _pieces(features: Any, rows: Mapping[str, Any]) -> Iterable[Any]:
    """All arrays as one piece, or the pieces that are given in their place."""
    if isinstance(features, MemberOutputs):
        _expect_none(rows, "beside a MemberOutputs")
        return [features]
    if rows["mean"] is not None or rows["variance"] is not None:
        return [MemberOutputs(features, **rows)]
    if isinstance(features, np.ndarray) or not isinstance(features, Iterable):
        raise UsageError("mean and variance are missing: give them with features, or give an iterable of pieces alone")
    _expect_none(rows, "beside pieces, which hold their own")
    return features


def _rows_of(piece: Any) -> _Rows:
    if isinstance(piece, MemberOutputs):
        return _Rows(piece.features, piece.mean, piece.variance, piece.targets, piece.row_weights)
    if isinstance(piece, Mapping):
        names = ("features", "mean", "variance", "targets", "row_weights")
        unknown = sorted(set(piece) - set(names))
        missing = [name for name in names[:3] if name not in piece]
        if unknown or missing:
            raise DataError(f"a piece has {unknown or 'no'} and lacks {missing or 'none'}, expected {', '.join(names)}")
        return _Rows(*(piece.get(name) for name in names))
    if isinstance(piece, (tuple, list)) and 3 <= len(piece) <= 5:
        return _Rows(*piece)
    raise DataError(
        f"a piece is {type(piece).__name__}, expected (features, mean, variance[, targets[, row_weights]]),"
        " a mapping with these names or MemberOutputs"
    )


def row_arrays(features: Any, mean: Any, variance: Any) -> tuple[list, list, list]:
    """Features, means and variances of all members, given as arrays or as one MemberOutputs."""
    if isinstance(features, MemberOutputs):
        _expect_none({"mean": mean, "variance": variance}, "beside a MemberOutputs")
        return _rows_of(features).whole()[:3]
    if mean is None or variance is None:
        raise UsageError(f"{'mean' if mean is None else 'variance'} is missing: give features, mean and variance")
    return _Rows(features, mean, variance).whole()[:3]


def _about(last_layer, member_weights, target_scale, target_shift, target_names, rows=((), (), (), None, None)):
    """The core's MemberOutputs: values of members and outputs, with rows or without."""
    layers = [] if last_layer is None else _members(last_layer, "last_layer", 2)
    layers = [_tables.matrix(layer, f"last_layer[{index}]") for index, layer in enumerate(layers)]
    names = [] if target_names is None else [str(name) for name in target_names]
    features, mean, variance, targets, row_weights = rows
    return _core.MemberOutputs.make(
        list(features),
        list(mean),
        list(variance),
        targets,
        layers,
        row_weights,
        _numbers(member_weights, "member_weights"),
        _numbers(target_scale, "target_scale"),
        _numbers(target_shift, "target_shift"),
        names,
    )


def _numbers(values: Any, what: str) -> list[float]:
    if values is None:
        return []
    return _tables.vector(np.atleast_1d(values), what).tolist()


def _members(values: Any, what: str, dimensions: int, least: int | None = None) -> list[np.ndarray]:
    """One array per member, of `dimensions` axes (`least`: without that of one output)."""
    if not isinstance(values, (list, tuple)):
        array = _array(values, what)
        if array.ndim not in (dimensions + 1, (least or dimensions) + 1):
            axes = "members, rows, " + {"features": "features", "last_layer": "..."}.get(what, "outputs")
            raise DataError(
                f"{what} has the shape {list(array.shape)}, expected [{axes}] or a list of arrays, one per member"
            )
        values = list(array)
    members = [_array(member, f"{what}[{index}]") for index, member in enumerate(values)]
    if not members:
        raise DataError(f"{what} is empty, expected an array for each member")
    for index, member in enumerate(members):
        if member.ndim not in (dimensions, least or dimensions):
            raise DataError(f"{what}[{index}] has the shape {list(member.shape)}, expected {dimensions} dimensions")
    return members


def _array(values: Any, what: str) -> np.ndarray:
    """As it is, whatever its type: pieces are converted when they are read."""
    try:
        array = np.asanyarray(values)
    except (ValueError, TypeError) as error:
        raise DataError(f"{what} is no array: {error}") from None
    if array.dtype.kind not in _tables.NUMBERS:
        raise DataError(f"{what} is of the type {array.dtype}, expected numbers")
    return array


class _Rows:
    """Arrays of L members at N rows, checked for their shapes, cut into pieces when they are read."""

    def __init__(self, features: Any, mean: Any, variance: Any, targets: Any = None, row_weights: Any = None):
        self.features = _members(features, "features", 2)
        self.mean = [_columns(member) for member in _members(mean, "mean", 2, least=1)]
        self.variance = self._variances(variance)
        self.targets = None if targets is None else _columns(_array(targets, "targets"))
        self.row_weights = None if row_weights is None else _array(row_weights, "row_weights")
        self._check()

    def __len__(self) -> int:
        return len(self.mean[0])

    @property
    def outputs(self) -> int:
        return self.mean[0].shape[1]

    @property
    def widths(self) -> list[int]:
        return [member.shape[1] for member in self.features]

    def parts(self) -> Iterator[tuple]:
        """(features, mean, variance, targets, row_weights) of some megabytes each; at least one, which may be empty."""
        at_once = VALUES_AT_ONCE // max(1, sum(self.widths) + 2 * self.outputs * len(self.mean))
        step = min(max(1, at_once), MOST_ROWS_AT_ONCE)
        for first in range(0, max(len(self), 1), step):
            yield self._cut(slice(first, first + step))

    def whole(self) -> tuple:
        return self._cut(slice(None))

    def _cut(self, rows: slice) -> tuple:
        return (
            [_tables.matrix(member[rows], f"features[{l}]") for l, member in enumerate(self.features)],
            [_tables.matrix(member[rows], f"mean[{l}]") for l, member in enumerate(self.mean)],
            [_plain(member[rows], f"variance[{l}]") for l, member in enumerate(self.variance)],
            None if self.targets is None else _tables.matrix(self.targets[rows], "targets"),
            None if self.row_weights is None else _tables.vector(self.row_weights[rows], "row_weights"),
        )

    def _variances(self, variance: Any) -> list[np.ndarray]:
        if variance is None:
            raise UsageError("variance is missing: give the noise variance, in the networks' own units")
        if np.ndim(variance) == 0 and not isinstance(variance, (list, tuple)):
            return [np.broadcast_to(_array(variance, "variance"), (len(member), 1)) for member in self.mean]
        members = [_columns(member) for member in _members(variance, "variance", 2, least=1)]
        if len(members) != len(self.mean):
            raise DataError(f"variance is given for {len(members)} members, expected {len(self.mean)} as in mean")
        constant = [len(member) == 1 for member in members]
        shapes = [(len(mean), member.shape[1]) for mean, member in zip(self.mean, members)]
        return [np.broadcast_to(m, shape) if c else m for m, c, shape in zip(members, constant, shapes)]

    def _check(self) -> None:
        if len(self.features) != len(self.mean):
            raise DataError(f"features is given for {len(self.features)} members, mean for {len(self.mean)}")
        for name in ("features", "mean", "variance"):
            for index, member in enumerate(getattr(self, name)):
                if len(member) != len(self):
                    raise DataError(f"{name}[{index}] has {len(member)} rows, expected {len(self)} as in mean[0]")
        for index, member in enumerate(self.mean):
            if member.shape[1] != self.outputs:
                raise DataError(f"mean[{index}] has {member.shape[1]} outputs, expected {self.outputs} as in mean[0]")
        for index, member in enumerate(self.variance):
            if member.shape[1] not in (1, self.outputs):
                raise DataError(f"variance[{index}] has {member.shape[1]} columns, expected {self.outputs} or 1")
        if self.targets is not None and self.targets.shape != (len(self), self.outputs):
            raise DataError(f"targets has the shape {list(self.targets.shape)}, expected {[len(self), self.outputs]}")
        if self.row_weights is not None and self.row_weights.shape != (len(self),):
            raise DataError(f"row_weights has the shape {list(self.row_weights.shape)}, expected {[len(self)]}")


def _columns(array: np.ndarray) -> np.ndarray:
    return array[:, np.newaxis] if array.ndim == 1 else array


def _plain(array: np.ndarray, what: str) -> np.ndarray:
    """Without the zero strides of a constant."""
    return np.ascontiguousarray(_tables.matrix(array, what))

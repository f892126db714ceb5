# SPDX-License-Identifier: Apache-2.0
"""Networks trained elsewhere: what their members say of some rows, as arrays, in pieces, or in an outputs folder.

Letters: L members, N rows, p features of a member's last hidden layer (may differ between members), q outputs or C
classes. All arrays are in the networks' own units.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core, _tables
from ._arguments import items
from ._ensemble import Ensemble
from ._errors import ArgumentTypeError, DataError, UsageError, reading, shown
from ._output_rows import OutputRows, members_of
from ._roles import class_texts, labels_of


@dataclass(eq=False)
class MemberOutputs:
    """Outputs of L members at N rows, in the networks' own units.

    `features` is [L, N, p], or a list of arrays [N, p] that may differ in p; `mean` is [L, N, q] (or [L, N] for one
    output); `variance`, of the noise, is [L, N, q], [L, N, 1] where the outputs share it, [L, 1, q] where it is
    constant, or one number. Arrays of float32, float64 and memory maps are taken as they are and read in pieces.

    Networks that predict classes have `logits` [L, N, C], what goes into softmax, in place of mean and variance. Their
    `targets` are numbers of classes [N], or counts or shares of the classes [N, C]; a row of counts counts as often as
    their sum. `classes` are the C labels, 0, 1, ... by default.

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
    mean: Any = None
    variance: Any = None
    targets: Any = None
    last_layer: Any = None
    row_weights: Any = None
    member_weights: Any = None
    target_scale: Any = None
    target_shift: Any = None
    target_names: Any = None
    prior_precision: float | None = None
    logits: Any = None
    classes: Any = None

    def __repr__(self) -> str:
        rows = OutputRows(self.features, self.mean, self.variance, logits=self.logits)
        kind = "classes" if rows.has_classes else "outputs"
        return (
            f"MemberOutputs(members={len(rows.head)}, rows={len(rows)}, features={rows.widths}, {kind}={rows.outputs})"
        )


def widen_outputs(
    features: Any,
    mean: Any = None,
    variance: Any = None,
    *,
    logits: Any = None,
    prior_precision: float | str | None = None,
    posterior: str | None = None,
    targets: Any = None,
    last_layer: Any = None,
    row_weights: Any = None,
    member_weights: Any = None,
    target_scale: Any = None,
    target_shift: Any = None,
    target_names: Any = None,
    classes: Any = None,
    random_bias: bool = False,
    threads: int = 0,
) -> Ensemble:
    """Widens an ensemble that was trained elsewhere: closed forms from its outputs at the training rows.

    `features`, `mean`, `variance` are the arrays of `MemberOutputs`. In their place there may be one argument: a
    `MemberOutputs`; the path of an outputs folder; or, for any number of rows, an iterable of pieces, each a tuple
    (features, mean, variance[, targets[, row_weights]]), a mapping with these names, or a `MemberOutputs`. How rows are
    cut into pieces does not change the bits of the result. Networks that predict classes give `logits` in place of mean
    and variance; pieces of them are mappings or `MemberOutputs`.

    `posterior` is "delta", "isotropic", "diagonal" or "full"; "isotropic" if not given, for classes "full".

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
    >>> wide = credens.widen_outputs(features, logits=random.normal(size=(3, 100, 4)), prior_precision=1.0)
    >>> wide.posterior, wide.classes
    ('full', [0, 1, 2, 3])
    """
    rows = {"mean": mean, "variance": variance, "targets": targets, "row_weights": row_weights, "logits": logits}
    about = dict(zip(_ABOUT, (last_layer, member_weights, target_scale, target_shift, target_names, classes)))
    posterior = None if posterior is None else _tables.word(posterior, "posterior")
    options = (posterior, _tables.flag(random_bias, "random_bias"), _tables.threads(threads))
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
        raise ArgumentTypeError(f"outputs is {type(outputs).__name__}, expected MemberOutputs")
    if not isinstance(outputs.prior_precision, (int, float)):
        raise UsageError(f"prior_precision of the outputs is {shown(outputs.prior_precision)}, expected a number")
    rows = _rows_of(outputs).whole()
    about = _about(**{name: getattr(outputs, name) for name in _ABOUT}, rows=rows)
    _core.save_outputs(about, float(outputs.prior_precision), _tables.path(path))


def load_outputs(path: str | os.PathLike[str]) -> MemberOutputs:
    """Reads an outputs folder whole. `widen_outputs(path)` reads it in pieces, whatever its size."""
    path = _tables.path(path)
    with reading(path):
        outputs, prior_precision = _core.load_outputs(path)
    values = {name: getattr(outputs, name) for name in ("features", "targets", "row_weights")}
    for name in ("mean", "variance", "logits", *_ABOUT):
        values[name] = getattr(outputs, name) or None
    if values["classes"] is not None:
        values["classes"] = labels_of(outputs)
    return MemberOutputs(**values, prior_precision=prior_precision)


_ABOUT = ("last_layer", "member_weights", "target_scale", "target_shift", "target_names", "classes")


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
        raise UsageError(f"prior_precision is {shown(prior_precision)}, expected a number from 0, or 'evidence'")
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
    if any(rows[name] is not None for name in ("mean", "variance", "logits")):
        return [MemberOutputs(features, **rows)]
    if isinstance(features, np.ndarray) or not isinstance(features, Iterable):
        raise UsageError(
            "mean and variance are missing: give them, or logits, with features, or give an iterable of pieces alone"
        )
    _expect_none(rows, "beside pieces, which hold their own")
    return features


_PIECE = ("features", "mean", "variance", "targets", "row_weights", "logits")


def _rows_of(piece: Any) -> OutputRows:
    if isinstance(piece, MemberOutputs):
        return OutputRows(*(getattr(piece, name) for name in _PIECE))
    if isinstance(piece, Mapping):
        needed = ("features", "logits") if "logits" in piece else _PIECE[:3]
        unknown = sorted(set(piece) - set(_PIECE))
        missing = [name for name in needed if name not in piece]
        if unknown or missing:
            raise DataError(f"a piece has {unknown or 'no'} and lacks {missing or 'none'}, expected {', '.join(_PIECE)}")
        return OutputRows(*(piece.get(name) for name in _PIECE))
    if isinstance(piece, (tuple, list)) and 3 <= len(piece) <= 5:
        return OutputRows(*piece)
    raise DataError(
        f"a piece is {type(piece).__name__}, expected (features, mean, variance[, targets[, row_weights]]),"
        " a mapping with these names or MemberOutputs"
    )


def row_arrays(
    features: Any, mean: Any, variance: Any, logits: Any, has_classes: bool
) -> tuple[list, list, list | None]:
    """Features, means and variances of all members, given as arrays or as one MemberOutputs; of classes logits."""
    rows = {"mean": mean, "variance": variance, "logits": logits}
    if isinstance(features, MemberOutputs):
        _expect_none(rows, "beside a MemberOutputs")
        found = _rows_of(features)
    elif logits is None and has_classes:
        raise UsageError("logits is missing: the model predicts classes from features and logits")
    elif logits is None and (mean is None or variance is None):
        raise UsageError(f"{'mean' if mean is None else 'variance'} is missing: give features, mean and variance")
    else:
        found = OutputRows(features, **rows)
    if found.has_classes != has_classes:
        kinds = ("means", "classes") if has_classes else ("logits", "numbers")
        raise UsageError(f"the outputs have {kinds[0]}, but the model predicts {kinds[1]}")
    return found.whole()[:3]


_NO_ROWS: tuple = ((), (), (), None, None)


def _about(last_layer, member_weights, target_scale, target_shift, target_names, classes=None, rows=_NO_ROWS):
    """The core's MemberOutputs: values of members and outputs, with rows or without."""
    layers = [] if last_layer is None else members_of(last_layer, "last_layer", 2)
    layers = [_tables.matrix(layer, f"last_layer[{index}]") for index, layer in enumerate(layers)]
    if isinstance(target_names, str):
        target_names = [target_names]
    names = [] if target_names is None else [str(name) for name in items(target_names, "target_names", "a list of names")]
    labels = [] if classes is None else class_texts(classes)
    features, head, variance, targets, row_weights = rows
    return _core.MemberOutputs.make(
        list(features),
        list(head),
        variance if variance is None else list(variance),
        targets,
        layers,
        row_weights,
        _numbers(member_weights, "member_weights"),
        _numbers(target_scale, "target_scale"),
        _numbers(target_shift, "target_shift"),
        names,
        labels,
        len(labels) > 0 and all(_is_number(label) for label in classes),
    )


def _is_number(label: Any) -> bool:
    return isinstance(label, (int, float, np.integer, np.floating)) and not isinstance(label, bool)


def _numbers(values: Any, what: str) -> list[float]:
    if values is None:
        return []
    return _tables.vector(np.atleast_1d(_tables.array_of(values, what)), what).tolist()

# SPDX-License-Identifier: Apache-2.0
"""Scores and pages of widened networks: what `credens.score` and `credens.report` do with them.

Rows, or pixels, come from a loader as for `widen`, in the networks' own units; scores are in those of the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from . import _core
from ._errors import DataError, UsageError
from ._predictive import Predictive
from ._torch_batches import batches_of
from ._torch_classes import ClassPrediction, ClassSums, WidenedClasses
from ._torch_layers import exact
from ._torch_models import evaluating
from ._torch_prediction import Prediction, joined
from ._torch_sums import Batch, HeadSums
from ._torch_widened import Widened


class _Judged(NamedTuple):
    """Predictions of rows beside what was observed."""

    predictive: Any  # the core's: of classes classical and extended ones
    targets: np.ndarray
    weights: np.ndarray | None


def score_text(judged: Widened, data: Any, targets: Any, weights: Any, options: dict[str, Any]) -> str:
    """JSON; options are those of `score`."""
    if isinstance(judged, WidenedClasses):
        rows = _classes(judged, _batches(data, targets, weights))
        foreign = _foreign(judged, options["foreign"])
        core = judged.ensemble._core
        return _core.compare_classes(core, rows.predictive, rows.targets, rows.weights, foreign, None, options["by"])
    rows = _numbers(judged, _batches(data, targets, weights))
    core, level, interval = judged.ensemble._core, options["level"], options["interval"]
    return _core.score(core, rows.predictive, None, rows.targets, rows.weights, None, level, interval)


def write_report(wide: Widened, data: Any, targets: Any, page: tuple[str, str, str], options: dict[str, Any]) -> None:
    core = wide.ensemble._core
    if isinstance(wide, WidenedClasses):
        rows = _classes(wide, _batches(data, targets, None))
        foreign, numbers = _foreign(wide, options["foreign"]), list(range(len(rows.targets)))
        _core.report_classes(core, rows.predictive, rows.targets, rows.weights, foreign, None, numbers, *page)
        return
    rows = _numbers(wide, _batches(data, targets, None))
    numbers = list(range(len(rows.targets)))
    level, interval = options["level"], options["interval"]
    _core.report(core, rows.predictive, None, rows.targets, rows.weights, None, numbers, *page, level, interval)


def rows_of_prediction(prediction: Prediction | ClassPrediction, values: Any, what: str) -> np.ndarray | None:
    """Targets [rows, q], or labels [rows], or weights [rows], shaped as the prediction or without its outputs."""
    if values is None:
        return None
    if isinstance(prediction, Prediction) and what != "weights":
        return prediction.rows_of(values, what)
    array = values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)
    shape = prediction.entropy.shape if isinstance(prediction, ClassPrediction) else prediction.log_prob(0.0).shape
    if array.shape != tuple(shape):
        raise DataError(f"{what} has the shape {list(array.shape)}, expected {list(shape)}")
    is_number_of_class = what == "data" and array.dtype.kind in "iub"
    return (_labels(prediction.classes, array) if is_number_of_class else array).reshape(-1)


def _labels(classes: Sequence[Any], numbers: np.ndarray) -> np.ndarray:
    """Networks are trained with numbers of classes."""
    wrong = numbers[(numbers < 0) | (numbers >= len(classes))]
    if len(wrong):
        raise DataError(f"data has the value {wrong[0]}, expected numbers of classes, 0 to {len(classes) - 1}")
    return np.asarray(classes)[numbers]


def _batches(data: Any, targets: Any, weights: Any) -> Iterator[Batch]:
    """Of a loader, or of tensors."""
    if targets is None:
        if weights is not None:
            raise UsageError("weights are given beside a loader, expected them as the third part of its batches")
        return batches_of(data, None)
    parts = [torch.as_tensor(part) for part in (data, targets, weights) if part is not None]
    if len({len(part) for part in parts}) != 1:
        raise DataError(f"data has {len(parts[0])} rows, targets have {len(parts[1])}: expected as many")
    return batches_of(torch.utils.data.TensorDataset(*parts), None)


def _observed(batch: Batch, index: int) -> str:
    where = f"batch {index}"
    if batch.targets is None:
        raise DataError(f"{where} has no targets, expected some to score by")
    return where


def _numbers(wide: Widened, batches: Iterator[Batch]) -> _Judged:
    head = wide._heads[0]
    if head.match.shuffle > 1:
        raise UsageError("a PixelShuffle comes after the last layer: score the predictions, score(wide.predict(x), y)")
    predictions: list[Prediction] = []
    targets: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    for index, batch in enumerate(batches):
        where = _observed(batch, index)
        predictions.append(wide.predict(batch.inputs))
        with evaluating(wide.models):
            _, out, parts = head.run(batch.inputs)
            sums = HeadSums(head, False)
            observed = sums._targets(batch.targets, out, parts.mean, where)
            row_weights = sums._weights(batch.weights, observed, where)
        targets.append(head.layer.rows(observed).cpu().numpy() * wide._scale + wide._shift)
        weights.append(head.layer.rows(row_weights)[:, 0].cpu().numpy())
    if not predictions:
        raise DataError("data gave no rows, expected at least 1 batch of them")
    return _Judged(joined(predictions)._core, np.concatenate(targets), _unless_ones(np.concatenate(weights)))


def _classes(wide: WidenedClasses, batches: Iterator[Batch]) -> _Judged:
    head = wide._heads[0]
    both: tuple[list[Any], list[Any]] = ([], [])
    targets: list[np.ndarray] = []
    weights: list[np.ndarray] = []
    for index, batch in enumerate(batches):
        where = _observed(batch, index)
        with evaluating(wide.models):
            _, out, parts = head.run(batch.inputs)
            sums = ClassSums(head, False, wide.ignore_index)
            logits = head.shaped(parts.mean, out)
            labels = sums._labels(batch.targets, out, parts.mean, where)
            row_weights = head.layer.rows(sums._weights(batch.weights, exact(logits), where) * labels.weight)[:, 0]
        kept = (row_weights > 0).cpu().numpy()
        targets.append(head.layer.rows(labels.values).cpu().numpy()[kept])
        weights.append(row_weights.cpu().numpy()[kept])
        for side, classical in zip(both, (True, False)):
            side.append(_class_arrays(wide, batch.inputs, classical, kept))
    if not sum(map(len, targets)):
        raise DataError("data gave no rows with a label, expected at least 1")
    predictive = tuple(_from_arrays(side) for side in both)
    return _Judged(predictive, np.concatenate(targets), _unless_ones(np.concatenate(weights)))


def _foreign(wide: WidenedClasses, foreign: Any) -> tuple[Any, Any] | None:
    if foreign is None:
        return None
    if isinstance(foreign, torch.Tensor):
        foreign = torch.utils.data.TensorDataset(foreign)
    batches = [batch.inputs for batch in batches_of(foreign, None)]
    if not batches:
        raise DataError("foreign gave no rows, expected at least 1 batch of them")
    return tuple(
        _from_arrays([_class_arrays(wide, inputs, classical, slice(None)) for inputs in batches])
        for classical in (True, False)
    )


def _class_arrays(wide: WidenedClasses, inputs: Any, classical: bool, kept: Any) -> list[np.ndarray]:
    with evaluating(wide.models):
        core = wide._mixed([wide._logits(l, inputs) for l in range(len(wide._heads))], classical)
    parts = ("probability", "epistemic_variance", "entropy", "aleatoric", "epistemic", "between_members")
    return [getattr(core, part)[kept] for part in parts]


def _from_arrays(batches: list[list[np.ndarray]]) -> Any:
    return _core.ClassPredictive.from_arrays(*(np.concatenate(parts) for parts in zip(*batches)))


def _unless_ones(weights: np.ndarray) -> np.ndarray | None:
    return None if bool((weights == 1).all()) else np.ascontiguousarray(weights)

# SPDX-License-Identifier: Apache-2.0
"""Scores of predictions against observations, and summaries of models."""

from __future__ import annotations

import datetime
import json
import math
import os
import warnings
from typing import Any

import numpy as np

from . import _core, _tables
from ._class_predictive import ClassPredictive
from ._dataset import Dataset, dataset_of
from ._ensemble import Ensemble, core_of, ensemble_of, with_task
from ._errors import ArgumentTypeError, DataError, UsageError
from ._predictive import Predictive


class Scores(dict):
    """Named scores; a name is also an attribute.

    >>> import credens
    >>> credens.Scores(rmse=0.5).rmse
    0.5
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no score {name!r}, expected one of {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __reduce__(self):
        return Scores, (dict(self),)


def score(
    prediction: Ensemble | Predictive | ClassPredictive,
    data: Any,
    targets: Any = None,
    *,
    weights: Any = None,
    truth: Any = None,
    level: float = 0.95,
    interval: str = "gaussian",
    foreign: Any = None,
    by: str = "confidence",
    **parts: Any,
) -> Scores:
    """Scores a model, or its predictions, against what was observed.

    For an Ensemble, or a fitted regressor or classifier of `credens.sklearn`, `data` and `targets` are given as to `fit`; the result has the keys of `credens evaluate --json`:
    `rmse`, `mae`, ... and two more Scores, `classical` (members without width) and `extended` (the model's own). For a
    Predictive, `data` are the targets; the result has its scores alone. `truth` are noise-free values.
    `training_share` is the share of the rows that the model was trained on, where it is known: scores of such rows say
    nothing of new ones.

    For classes the scores are `log_loss`, `brier`, `accuracy`, `balanced_accuracy`, `auroc`, `ece`, `classwise_ece`,
    `aurc`, `entropy`, `aleatoric` and `epistemic`, and `confusion` is the confusion matrix. `foreign` are inputs of rows
    that belong to no class: how well are they told from those of `data`? `by` sorts rows for the area under the risk
    curve: by `confidence` or by what is `epistemic`. For a ClassPredictive, `data` are labels [N] or counts [N, C].

    Examples
    --------
    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 50)
    >>> model = credens.fit(x, np.sin(3 * x), members=3, epochs=20, hidden=(16,))
    >>> credens.score(model, x, np.sin(3 * x)).extended.nll == credens.score(model.predict(x), np.sin(3 * x)).nll
    True
    """
    if is_of_torch(prediction):
        return _score_torch(prediction, data, targets, weights, truth, level, interval, foreign, by, parts)
    if not isinstance(prediction, (Predictive, ClassPredictive)):
        prediction = ensemble_of(prediction)
    if isinstance(prediction, ClassPredictive) or getattr(prediction, "task", None) == "classification":
        _refuse({"truth": truth, "level": level, "interval": interval}, "numbers")
        if isinstance(prediction, ClassPredictive):
            return _score_probabilities(prediction, data, weights, by)
        rows = dataset_of(data, targets, weights=weights, **with_task(prediction._core, data, parts))
        return _score_classes(prediction, rows, foreign, by)
    _refuse({"foreign": foreign, "by": by}, "classes")
    if isinstance(prediction, Predictive):
        predictive, observed, ensemble, inputs = prediction, _tables.matrix(data, "targets"), None, None
        weights = None if weights is None else _tables.vector(weights, "weights")
    else:
        ensemble = prediction._core
        given = dataset_of(data, targets, weights=weights, **with_task(ensemble, data, parts))
        if given.task == "classification":
            raise UsageError("the rows have classes, but the model predicts numbers")
        rows, numbers = _with_targets(given)
        ensemble.check_units(rows._core)
        predictive, observed, weights = prediction.predict(rows), rows.targets, rows.weights
        inputs = prediction._inputs(rows)
    truth = None if truth is None else _tables.matrix(truth, "truth", may_miss=True)
    if truth is not None and ensemble is not None and len(truth) == len(given):
        truth = truth[numbers]
    level, interval = _tables.number(level, "level"), _tables.word(interval, "interval")
    text = _core.score(ensemble, predictive._core, inputs, observed, weights, truth, level, interval)
    return json.loads(text, object_hook=Scores)


def is_of_torch(value: Any) -> bool:
    """Whether credens.torch made it: torch is not imported to find out."""
    return type(value).__module__.startswith(f"{__package__}._torch_")


def _score_torch(judged: Any, data: Any, targets: Any, weights: Any, truth: Any, level: Any, interval: Any, foreign: Any, by: Any, parts: Any) -> Scores:
    """Of networks, at a loader or at tensors, or of their predictions."""
    from ._torch_scores import rows_of_prediction, score_text

    if parts:
        raise ArgumentTypeError(f"score() got an unexpected keyword argument {next(iter(parts))!r}")
    if hasattr(judged, "predictive"):
        if targets is not None:
            raise UsageError("targets are given beside data, but predictions are scored by their targets alone")
        observed, weights, truth = (
            rows_of_prediction(judged, values, what)
            for values, what in ((data, "data"), (weights, "weights"), (truth, "truth"))
        )
        options = {"weights": weights, "truth": truth, "level": level, "interval": interval, "foreign": foreign, "by": by}
        return score(judged.predictive, observed, **options)
    has_classes = judged.ensemble.task == "classification"
    if has_classes:
        _refuse({"truth": truth, "level": level, "interval": interval}, "numbers")
    else:
        _refuse({"foreign": foreign, "by": by}, "classes")
    if truth is not None:
        raise UsageError("truth is given beside networks, expected their predictions: score(wide.predict(x), y, truth=...)")
    options = {"level": _tables.number(level, "level"), "interval": _tables.word(interval, "interval")}
    options |= {"foreign": foreign, "by": _tables.word(by, "by")}
    return json.loads(score_text(judged, data, targets, weights, options), object_hook=Scores)


def _refuse(given: dict[str, Any], of_what: str) -> None:
    """Options that are not for this task."""
    defaults = {"level": 0.95, "interval": "gaussian", "by": "confidence"}
    for name, value in given.items():
        if value is not None and not (np.isscalar(value) and value == defaults.get(name)):
            raise UsageError(f"{name} is for models that predict {of_what}")


def _score_classes(model: Ensemble, rows: Dataset, foreign: Any, by: str) -> Scores:
    rows, _ = _with_targets(rows)
    inputs = model._inputs(rows)
    targets = _core.class_targets(model._core, rows._core)
    both, strange = _both(model, inputs), None if foreign is None else _both(model, model._inputs(foreign))
    text = _core.compare_classes(model._core, both, targets, rows.weights, strange, inputs, _tables.word(by, "by"))
    return json.loads(text, object_hook=Scores)


def _both(model: Ensemble, inputs: np.ndarray) -> tuple[_core.ClassPredictive, _core.ClassPredictive]:
    """Of the classical deep ensemble inside, and of the model."""
    return model._core.predict_classes(inputs, True, 0), model._core.predict_classes(inputs, False, 0)


def _score_probabilities(predictive: ClassPredictive, targets: Any, weights: Any, by: str) -> Scores:
    """Of labels [N], or of counts [N, C]."""
    if isinstance(targets, Dataset):
        raise ArgumentTypeError("data is a Dataset, expected labels [N] or counts [N, C]")
    shape = _tables.array_of(targets, "data").shape
    if len(shape) == 2 and shape[1] == len(predictive.classes):
        observed = _tables.matrix(targets, "targets")
    else:
        observed = predictive._numbers(targets).astype(float)[:, np.newaxis]
    weights = None if weights is None else _tables.vector(weights, "weights")
    text = _core.score_classes(predictive._core, observed, weights, _tables.word(by, "by"))
    return json.loads(text, object_hook=Scores)


def _with_targets(rows: Dataset) -> tuple[Dataset, list[int]]:
    """The rows that can be scored, with their numbers; those without target are left out with one warning."""
    numbers = rows._core.rows_with_targets()
    if not numbers:
        raise DataError("no row has a target, expected at least one")
    if len(numbers) == len(rows):
        return rows, numbers
    warnings.warn(_core.left_out_sentence(len(rows) - len(numbers), len(rows)), UserWarning, stacklevel=3)
    return Dataset._of(rows._core.select(numbers)), numbers


def report(
    model: Ensemble,
    data: Any,
    targets: Any = None,
    *,
    path: str | os.PathLike[str],
    level: float = 0.95,
    interval: str = "gaussian",
    coverage_factor: float | None = None,
    title: str = "",
    date: str | datetime.date = "",
    foreign: Any = None,
    **parts: Any,
) -> None:
    """Writes one HTML page of charts of errors, calibration and uncertainty. `data` and `targets` as to `fit`.

    Intervals are those of `level`, or mean +- `coverage_factor` standard deviations. The page has a `title`, and a `date`:
    today's, or that of the environment variable SOURCE_DATE_EPOCH if this is set.

    For a model that predicts classes, inputs without targets give a page of predictions only, and `foreign` are inputs
    of rows that belong to no class.
    """
    day = str(date) if isinstance(date, datetime.date) else date
    page = (_tables.path(path), _tables.word(title, "title"), _tables.word(day, "date"))
    if is_of_torch(model):
        return _report_torch(model, data, targets, page, level, interval, coverage_factor, foreign, parts)
    model = ensemble_of(model)
    core = model._core
    if model.task == "classification":
        _refuse({"level": level, "interval": interval, "coverage_factor": coverage_factor}, "numbers")
        return _report_classes(model, data, targets, foreign, page, parts)
    _refuse({"foreign": foreign}, "classes")
    rows, numbers = _with_targets(dataset_of(data, targets, **with_task(core, data, parts)))
    core.check_units(rows._core)
    predictive, inputs = model.predict(rows), model._inputs(rows)
    level, interval = _tables.number(level, "level"), _tables.word(interval, "interval")
    if coverage_factor is not None:
        level = _level_of(coverage_factor, level, interval)
    _core.report(core, predictive._core, inputs, rows.targets, rows.weights, rows.noise_std, numbers, *page, level, interval)


def _level_of(coverage_factor: float, level: float, interval: str) -> float:
    """The probability of mean +- this many standard deviations."""
    factor = _tables.number(coverage_factor, "coverage_factor")
    if not factor > 0:
        raise UsageError(f"coverage_factor is {coverage_factor!r}, expected a number above 0")
    if level != 0.95:
        raise UsageError("both level and coverage_factor are given, expected one of them")
    if interval != "gaussian":
        raise UsageError(f"coverage_factor needs gaussian intervals, but interval is {interval!r}")
    return math.erf(factor / math.sqrt(2))


def _report_torch(wide: Any, data: Any, targets: Any, page: Any, level: Any, interval: Any, factor: Any, foreign: Any, parts: Any) -> None:
    from ._torch_scores import write_report

    if parts:
        raise ArgumentTypeError(f"report() got an unexpected keyword argument {next(iter(parts))!r}")
    if not hasattr(wide, "ensemble"):
        raise ArgumentTypeError(f"model is {type(wide).__name__}, expected what credens.torch.widen returns")
    if wide.ensemble.task == "classification":
        _refuse({"level": level, "interval": interval, "coverage_factor": factor}, "numbers")
    else:
        _refuse({"foreign": foreign}, "classes")
    level, interval = _tables.number(level, "level"), _tables.word(interval, "interval")
    if factor is not None:
        level = _level_of(factor, level, interval)
    write_report(wide, data, targets, page, {"level": level, "interval": interval, "foreign": foreign})


def _report_classes(
    model: Ensemble, data: Any, targets: Any, foreign: Any, page: tuple[str, str, str], parts: dict[str, Any]
) -> None:
    strange = None if foreign is None else _both(model, model._inputs(foreign))
    if targets is None and not isinstance(data, Dataset) and not parts:
        inputs = model._inputs(data)
        _core.report_classes(model._core, _both(model, inputs), None, None, strange, inputs, list(range(len(inputs))), *page)
        return
    rows, numbers = _with_targets(dataset_of(data, targets, **with_task(model._core, data, parts)))
    inputs, observed = model._inputs(rows), _core.class_targets(model._core, rows._core)
    _core.report_classes(model._core, _both(model, inputs), observed, rows.weights, strange, inputs, numbers, *page)


def card(
    model: Ensemble,
    data: Any = None,
    targets: Any = None,
    *,
    path: str | os.PathLike[str],
    name: str = "model",
    level: float = 0.95,
    interval: str = "gaussian",
    **parts: Any,
) -> None:
    """Writes a model card: a README in Markdown, whose front matter model hubs read.

    It says what the model predicts from which columns, with kinds and units, what new rows may expect, its limits and how
    it was made; with `data`, given as to `score`, also scores of these rows. `name` is that of the model and its file.

    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 50)
    >>> model = credens.fit(x, np.sin(3 * x), members=2, epochs=5, hidden=(8,), seed=3)
    >>> credens.card(model, path="README.md", name="sine")
    >>> print("\\n".join(open("README.md").read().splitlines()[1:3]))
    library_name: credens
    pipeline_tag: tabular-regression
    """
    model = ensemble_of(model)
    core, name = model._core, _tables.word(name, "name")
    level, interval = _tables.number(level, "level"), _tables.word(interval, "interval")
    if data is None:
        text = _core.card(core, name, None, None, None, None, level, interval)
    elif model.task == "classification":
        rows, _ = _with_targets(dataset_of(data, targets, **with_task(core, data, parts)))
        inputs, observed = model._inputs(rows), _core.class_targets(core, rows._core)
        text = _core.class_card(core, name, _both(model, inputs), observed, rows.weights, inputs)
    else:
        rows, _ = _with_targets(dataset_of(data, targets, **with_task(core, data, parts)))
        core.check_units(rows._core)
        predictive = model.predict(rows)._core
        text = _core.card(core, name, predictive, model._inputs(rows), rows.targets, rows.weights, level, interval)
    _core.write_file(_tables.path(path), text.encode())


def inspect(model: Ensemble) -> dict[str, Any]:
    """A summary of a model, with the keys of `credens inspect --json`.

    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 50)
    >>> model = credens.fit(x, np.sin(3 * x), members=2, epochs=5, hidden=(8,), seed=3)
    >>> about = credens.inspect(model)
    >>> about["members"], about["features"], about["seed"]
    (2, [8, 8], 3)
    """
    return json.loads(_core.inspect(core_of(model)))

# SPDX-License-Identifier: Apache-2.0
"""A trained ensemble, and model files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, _tables
from ._class_predictive import ClassPredictive
from ._dataset import Dataset
from ._errors import ArgumentTypeError, UsageError, reading
from ._expectation import ClassExpectation, Expectation, expectation_of
from ._model_inputs import inputs_of, noise_of
from ._predictive import Predictive
from ._promise import PromisedRows, Promises, calibrated_core, promised_rows, promises_of
from ._questions import Questions
from ._roles import labels_of
from ._trust import Check, Trust, check_of
from ._uncertain import uncertain_inputs


class Ensemble(Questions):
    """An ensemble of networks: what `fit`, `widen` and `load` return. It never changes, and it can be pickled.

    Examples
    --------
    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 50)
    >>> model = credens.fit(x, np.sin(3 * x), members=3, epochs=20, hidden=(16,), posterior="isotropic")
    >>> model
    Ensemble(members=3, inputs=1, outputs=['y'], posterior='isotropic')
    >>> model.predict(x).mean.shape
    (50,)
    """

    __slots__ = ("_core",)
    _core: _core.Ensemble

    def __init__(self, core: _core.Ensemble):
        self._core = core

    @property
    def members(self) -> int:
        return self._core.members

    @property
    def inputs(self) -> int:
        """Columns of inputs; 0 for a model without networks."""
        return self._core.inputs

    @property
    def outputs(self) -> int:
        """Of a classification, the number of its classes."""
        return self._core.outputs

    @property
    def task(self) -> str:
        """`regression` or `classification`."""
        return self._core.task

    @property
    def classes(self) -> list[Any]:
        """Of a classification, in their order: words, or numbers where the labels were numbers. Empty for a regression."""
        return labels_of(self._core)

    @property
    def input_names(self) -> list[str]:
        """Empty where the training data had no names."""
        return self._core.input_names

    @property
    def target_names(self) -> list[str]:
        return self._core.target_names

    @property
    def input_units(self) -> list[str]:
        """One for each input, '' where it has none; empty where no input has a unit."""
        return self._core.input_units

    @property
    def target_units(self) -> list[str]:
        """One for each output, '' where it has none; empty where no output has a unit."""
        return self._core.target_units

    @property
    def input_kinds(self) -> list[str]:
        """`number`, `category` or `date` for each input."""
        return self._core.input_kinds

    @property
    def has_networks(self) -> bool:
        """False for a model that was made from arrays of networks trained elsewhere."""
        return self._core.has_networks

    @property
    def posterior(self) -> str:
        """`delta`, `isotropic`, `diagonal` or `full`."""
        return self._core.posterior

    @property
    def prior_precision(self) -> float:
        """Lambda."""
        return self._core.prior_precision

    @property
    def gamma(self) -> np.ndarray:
        """[L]: the isotropic width of each member; 0 before widening."""
        return self._core.gamma

    @property
    def weights(self) -> np.ndarray:
        """[L]: of the members in the mixture, sum 1."""
        return self._core.weights

    @property
    def expected(self) -> Expectation | ClassExpectation | None:
        """What new rows may expect, by rows held out of members; None where `fit` held out no rows, and where weights,
        posterior or rows have changed since."""
        return expectation_of(self._core)

    def elbo(self, posterior: str | None = None) -> float | None:
        """The evidence lower bound of a rung, by default the model's own; None where it is not known."""
        return self._core.elbo(self.posterior if posterior is None else _tables.word(posterior, "posterior"))

    @property
    def promises(self) -> Promises | None:
        """What calibration rows promise; None before `calibrate`, and where weights or posterior have changed since."""
        return promises_of(self._core)

    def calibrate(self, data: Any, targets: Any = None, *, by: str | None = None, groups: Any = None, train: Any = None, level: float = 0.95, **parts: Any) -> Ensemble:
        """This model with promised intervals, learned from rows that it has not seen.

        `data` and `targets` are given as to `fit`. `by` divides the rows, each group with a promise of its own: the name
        of a column of a table, a name for the labels [N] in `groups`, or `ignorance` for low, middle and high ignorance
        of the model. With `train`, the training rows as a Dataset, as a pair (inputs, targets) or as a table like `data`,
        the model keeps the inputs of up to 2,000 of them and of the calibration rows, for `trust` and `check`. Too few
        rows for `level`, the highest level that will be asked for, are refused, and so are rows of
        training.

        Examples
        --------
        >>> import credens, numpy as np
        >>> rng = np.random.default_rng(1)
        >>> x = rng.uniform(-1, 1, 300)
        >>> y = np.sin(3 * x) + 0.1 * rng.normal(size=300)
        >>> model = credens.fit(x[:200], y[:200], members=3, epochs=20, hidden=(16,))
        >>> calibrated = model.calibrate(x[200:], y[200:], level=0.9)
        >>> lower, upper = calibrated.predict([0.0, 0.5]).interval(0.9, "guaranteed")
        >>> calibrated.promises.coverage(0.9)[0].promised >= 0.9
        True
        """
        return Ensemble(calibrated_core(self, data, targets, by, groups, train, level, parts))

    def trust(self, inputs: Any, *, threads: int = 0) -> Trust:
        """How strange rows are to a model that was calibrated with its training rows: p values of each row."""
        return Trust(*_core.trust(self._core, self._inputs(inputs), _threads(threads)))

    def check(self, data: Any, targets: Any = None, *, alarm: float = 0.05, **parts: Any) -> Check:
        """Whether rows have drifted from those that the model was calibrated with, and which rows are strange.

        `data` are inputs, or inputs and targets as to `fit`; the order of the rows is that of time. Of tables without
        drift at most the share `alarm` is said to drift. The model needs `calibrate` with its training rows.

        Examples
        --------
        >>> import credens, numpy as np
        >>> rng = np.random.default_rng(1)
        >>> x = rng.uniform(-1, 1, 300)
        >>> y = np.sin(3 * x) + 0.1 * rng.normal(size=300)
        >>> model = credens.fit(x[:200], y[:200], members=3, epochs=20, hidden=(16,))
        >>> judging = model.calibrate(x[200:], y[200:], train=(x[:200], y[:200]))
        >>> judging.check(rng.uniform(-1, 1, 50)).drift, judging.check(rng.uniform(0, 2, 50)).drift
        (False, True)
        >>> bool(judging.trust([2.0]).trust[0] < 0.05)
        True
        """
        return check_of(self, data, targets, _tables.number(alarm, "alarm"), parts)

    def predict(
        self,
        inputs: Any,
        *,
        noise_std: Any = None,
        groups: Any = None,
        input_std: Any = None,
        input_covariance: Any = None,
        input_method: str = "draws",
        input_draws: int = 0,
        input_seed: int = 0,
        threads: int = 0,
    ) -> Any:
        """The predictive distribution at rows of inputs: an array [N, d], a table, the path of one, or a Dataset.

        A `Predictive`; of a classification a `ClassPredictive`, as `predict_classes` gives it.

        Columns of a table are found by their names, and their words by what the model knows. In arrays NaN is a missing
        value, a date seconds since 1970-01-01, and a number may be a word. `noise_std` [N] or [N, q] is the known noise
        of each row, needed where the model was trained with it. `groups` [N] are the groups of the rows, where intervals
        are promised by group and `inputs` is no table with that column.

        `input_std` gives standard uncertainties of inputs: {name: number or array [N]}. `input_covariance` gives
        the covariance of their errors: (names, matrix), or a frame with the names as columns. `input_method` is "draws"
        (`input_draws` quasi-random draws of the inputs through the exact mixture, 0 for enough of them) or
        "first-order" (the law of propagation of uncertainty).
        """
        if isinstance(inputs, Dataset) and noise_std is None:
            noise_std = inputs.noise_std
        uncertain = uncertain_inputs(self._core.input_keys, input_std, input_covariance)
        if self.task == "classification":
            self._noise(noise_std, 0)
            if uncertain:
                raise UsageError("uncertain inputs are given, but the model predicts classes")
            return self.predict_classes(inputs, threads=threads)
        x = self._inputs(inputs)
        if uncertain:
            draws, seed = _tables.whole(input_draws, "input_draws"), _tables.whole(input_seed, "input_seed")
            options = (_tables.word(input_method, "input_method"), draws, seed, self._noise(noise_std, len(x)), _threads(threads))
            return self._predictive(self._core.predict_uncertain(x, *uncertain(len(x)), *options), x)
        core = self._core.predict(x, self._noise(noise_std, len(x)), _threads(threads))
        return self._predictive(core, x, promised_rows(self, inputs, groups))

    def _predictive(self, core: _core.Predictive, x: np.ndarray, promise: PromisedRows | None = None) -> Predictive:
        joint = self._core.joint_epistemic_covariance
        return Predictive(core, names=self.target_names, units=self.target_units, promise=promise, joint=lambda: joint(x))

    def predict_classes(self, inputs: Any, *, classical: bool = False, threads: int = 0) -> ClassPredictive:
        """Class probabilities at rows of inputs, which are given as to `predict`.

        `classical` gives those of the classical deep ensemble inside: the members' softmax probabilities averaged.
        """
        core = self._core.predict_classes(self._inputs(inputs), _tables.flag(classical, "classical"), _threads(threads))
        return ClassPredictive(core, self.classes, self._class_name)

    def sample(
        self,
        inputs: Any,
        draws: int = 1000,
        *,
        of: str = "function",
        seed: int = 0,
        noise_std: Any = None,
        input_std: Any = None,
        input_covariance: Any = None,
        threads: int = 0,
    ) -> np.ndarray:
        """[draws, N] or [draws, N, q]: each draw is one function over all rows, or with of="observation" also noise.

        Uncertain inputs, as for `predict`, are drawn for each draw and row anew.

        Of a classification [draws, N, C]: class probabilities or, with of="observation", 1 at the drawn class and 0 at all
        others.
        """
        x = self._inputs(inputs)
        draws, seed = _tables.whole(draws, "draws", 1), _tables.whole(seed, "seed")
        options = (draws, _tables.word(of, "of"), seed, self._noise(noise_std, len(x)), _threads(threads))
        uncertain = uncertain_inputs(self._core.input_keys, input_std, input_covariance)
        drawn = self._core.sample_uncertain(x, *uncertain(len(x)), *options) if uncertain else self._core.sample(x, *options)
        return drawn[..., 0] if self.outputs == 1 else drawn

    def predict_outputs(
        self,
        features: Any,
        mean: Any = None,
        variance: Any = None,
        *,
        logits: Any = None,
        classical: bool = False,
        groups: Any = None,
        threads: int = 0,
    ) -> Any:
        """The predictive distribution at rows of which the members' outputs are given, for networks trained elsewhere.

        Arrays, or one `MemberOutputs`, as in `widen_outputs`: in the networks' own units. A `Predictive`; of classes,
        whose members give `logits`, a `ClassPredictive`, with `classical` that of the classical deep ensemble inside.
        """
        from ._outputs import row_arrays

        has_classes = self.task == "classification"
        rows = row_arrays(features, mean, variance, logits, has_classes)
        if not has_classes and _tables.flag(classical, "classical"):
            raise UsageError("classical is given, but the model predicts numbers: Predictive.classical() has it")
        if not has_classes:
            core = _core.predict_outputs(self._core, *rows, _threads(threads))
            return Predictive(core, names=self.target_names, units=self.target_units, promise=promised_rows(self, None, groups))
        core = _core.predict_class_outputs(self._core, *rows[:2], _tables.flag(classical, "classical"), _threads(threads))
        return ClassPredictive(core, self.classes, self._class_name)

    def sample_outputs(
        self,
        features: Any,
        mean: Any = None,
        variance: Any = None,
        *,
        logits: Any = None,
        draws: int = 1000,
        of: str = "function",
        seed: int = 0,
        threads: int = 0,
    ) -> np.ndarray:
        """As `sample`, at rows of which the members' outputs are given."""
        from ._outputs import row_arrays

        draws, seed = _tables.whole(draws, "draws", 1), _tables.whole(seed, "seed")
        rows = row_arrays(features, mean, variance, logits, self.task == "classification")
        drawn = _core.sample_outputs(self._core, *rows, draws, _tables.word(of, "of"), seed, _threads(threads))
        return drawn[..., 0] if self.outputs == 1 else drawn

    def joint_epistemic_covariance(self, inputs: Any) -> np.ndarray:
        """[N, N] or [q, N, N]: the covariance of the regression function between rows."""
        joint = self._core.joint_epistemic_covariance(self._inputs(inputs))
        return joint[0] if self.outputs == 1 else joint

    def with_weights(self, weights: Sequence[float]) -> Ensemble:
        """This ensemble with other member weights (>= 0, any sum)."""
        return Ensemble(self._core.with_weights(_tables.vector(weights, "weights").tolist()))

    def __len__(self) -> int:
        return self.members

    def __repr__(self) -> str:
        inputs = self.input_names or self.inputs
        outputs = f"classes={self.classes}" if self.task == "classification" else f"outputs={self.target_names}"
        return f"Ensemble(members={self.members}, inputs={inputs}, {outputs}, posterior={self.posterior!r})"

    def _repr_html_(self) -> str:
        from ._repr_ensemble import ensemble_html

        return ensemble_html(self)

    def __reduce__(self):
        return _restore, (self._core.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ensemble) and self._core.to_bytes() == other._core.to_bytes()

    def __hash__(self) -> int:
        return hash(self._core.to_bytes())

    def _inputs(self, inputs: Any) -> np.ndarray:
        return inputs_of(self, inputs)

    @property
    def _class_name(self) -> str:
        """How columns of class probabilities begin: counts have one name for each class, and none for all."""
        return self.target_names[0] if len(self.target_names) == 1 else "y"

    def _refuse_classes(self, where: str) -> None:
        if self.task == "classification":
            raise UsageError(f"the model predicts classes, which {where} cannot take yet")

    def _noise(self, noise_std: Any, rows: int) -> np.ndarray | None:
        return None if noise_std is None else noise_of(self, noise_std, rows)


_threads = _tables.threads


def _restore(file: bytes) -> Ensemble:
    return Ensemble(_core.Ensemble.from_bytes(file))


def save(model: Ensemble, path: str | os.PathLike[str]) -> None:
    """Writes a model file: the same bytes as the command line. It leaves the old file or the new one, never half of one."""
    _core.save(core_of(model), _tables.path(path))


def load(path: str | os.PathLike[str]) -> Ensemble:
    """Reads a model file, whoever wrote it: `save`, or the command line."""
    with reading(path):
        return Ensemble(_core.load(_tables.path(path)))


def export(model: Ensemble, path: str | os.PathLike[str]) -> None:
    """Writes an ONNX graph that predicts as the model does; docs/onnx.md shows how to run it."""
    _core.export_onnx(core_of(model), _tables.path(path))


def with_task(core: _core.Ensemble, data: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Parts of rows that a model meets: numbers are labels where it predicts classes."""
    return parts if isinstance(data, Dataset) else {"task": core.task, **parts}


def ensemble_of(model: Any) -> Ensemble:
    """The model itself, or that of a fitted `CredensRegressor` or `CredensClassifier`."""
    found = getattr(model, "model_", model)
    if isinstance(found, Ensemble):
        return found
    if hasattr(model, "fit") and hasattr(model, "predict_dist"):
        raise UsageError(f"model is a {type(model).__name__} that is not fitted yet: call fit first")
    raise ArgumentTypeError(f"model is {type(model).__name__}, expected an Ensemble or a fitted CredensRegressor")


def core_of(model: Any) -> _core.Ensemble:
    return ensemble_of(model)._core

# SPDX-License-Identifier: Apache-2.0
"""Credens as a scikit-learn regressor and classifier, and scorers that judge whole predictive distributions.

>>> from credens.sklearn import CredensRegressor
>>> import numpy as np
>>> x = np.linspace(-2, 2, 60)[:, np.newaxis]
>>> y = np.sin(2 * x[:, 0])
>>> regressor = CredensRegressor(effort="quick", members=5).fit(x, y)
>>> mean, std = regressor.predict(x, return_std=True)
>>> mean.shape, std.shape
((60,), (60,))
>>> bool(regressor.score(x, y) > 0.5)
True
"""

from __future__ import annotations

from typing import Any

import numpy as np

from credens._sklearn_parts import (
    DEFAULTS,
    EstimatorParts,
    checked_weights,
    has_words,
    names_of_targets,
    noise_of,
    rows_of,
    seed,
    span,
    with_parameters,
)
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import credens
from credens import ArgumentTypeError, DataError, UsageError, _repr, _tables

__all__ = [
    "CredensClassifier",
    "CredensRegressor",
    "brier",
    "brier_scorer",
    "crps",
    "crps_scorer",
    "interval_score",
    "interval_scorer",
    "log_loss",
    "log_loss_scorer",
    "nll",
    "nll_scorer",
    "predict_dist",
]

# Options of `fit` that are about the noise of numbers, which classes do not have.
_OF_NUMBERS = ("noise", "noise_link", "loss_beta", "leave_out_slips")


@with_parameters(DEFAULTS)
class CredensRegressor(RegressorMixin, EstimatorParts, BaseEstimator):
    """An ensemble of neural networks whose last layers are Gaussian, as a scikit-learn regressor.

    The parameters are the options of `credens.fit`, under the same names and with the same defaults; None leaves a
    choice to the recipe. There are two more:

    random_state : int, RandomState instance or None, default None
        Takes the place of `seed` where it is given. With None, fits are repeatable: `seed` decides.
    progress : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    model_ : credens.Ensemble
        The model, to be saved, widened, exported or reported as any other.
    n_features_in_ : int
    feature_names_in_ : array of str
        Where all columns of the training table had names.

    Examples
    --------
    >>> from credens.sklearn import CredensRegressor
    >>> CredensRegressor(members=5, seed=3)
    CredensRegressor(members=5, seed=3)
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, noise_std: Any = None) -> CredensRegressor:
        """Trains on rows X [N, d] and targets y [N] or [N, q]; rows count by their sample_weight >= 0.

        X may have missing values, and where it is a table of pandas, polars or Arrow also words and dates. Rows of one
        group, a number or a text for each row, are held out together. `noise_std` is the known standard deviation of the
        noise of each row, a number or [N] or [N, q]; predictions of new rows then need theirs.
        """
        target_names = names_of_targets(y)
        self._takes_tables = has_words(X)
        if self._takes_tables:
            validate_data(self, X, skip_check_array=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(
                self,
                X,
                y,
                dtype=np.float64,
                order="C",
                multi_output=True,
                y_numeric=True,
                ensure_min_samples=2,
                ensure_all_finite="allow-nan",
            )
        y = check_array(y, dtype=np.float64, order="C", ensure_2d=False, input_name="y")
        self.model_ = credens.fit(
            X,
            y,
            weights=checked_weights(sample_weight, X),
            noise_std=noise_of(noise_std, len(y)),
            group=groups,
            target_names=target_names,
            **self._fit_options(),
        )
        self._has_columns = y.ndim == 2
        self._input_span = None if self._takes_tables else span(X)
        return self

    def predict(self, X: Any, return_std: bool = False, noise_std: Any = None) -> Any:
        """The predictive mean, [N] or [N, q]; with return_std also the standard deviation, noise and ignorance together.

        `noise_std` is as in `fit`; the mean does not depend on it.
        """
        check_is_fitted(self)
        if self.model_._core.has_known_noise and noise_std is None and not return_std:
            noise_std = 1.0
        predictive = self.predict_dist(X, noise_std)
        mean = predictive.mean.copy()
        return (mean, predictive.std) if return_std else mean

    def predict_dist(self, X: Any, noise_std: Any = None) -> credens.Predictive:
        """The predictive distribution of each row; `noise_std` is as in `fit`."""
        X = self._checked_inputs(X)
        predictive = self.model_.predict(X, noise_std=noise_of(noise_std, rows_of(X)), threads=self.threads)
        return predictive.as_columns() if self._has_columns else predictive

    def sample_y(
        self, X: Any, n_samples: int = 1, random_state: Any = 0, of: str = "observation", noise_std: Any = None
    ) -> np.ndarray:
        """Draws from the predictive distribution: [N, n_samples], or [N, q, n_samples] for several outputs.

        With of="function" draws are of the regression function, without noise, and each draw is one function over all
        rows of X. `noise_std` is as in `fit`.
        """
        X = self._checked_inputs(X)
        options = {"of": of, "seed": seed(random_state), "noise_std": noise_of(noise_std, rows_of(X)), "threads": self.threads}
        draws = self.model_.sample(X, n_samples, **options)
        if self._has_columns and draws.ndim == 2:
            draws = draws[:, :, np.newaxis]
        return np.moveaxis(draws, 0, -1)

    def _check_task(self, model):
        if model.task != "regression":
            raise UsageError("the model predicts classes: CredensClassifier.from_model takes it")
        self._has_columns = model.outputs > 1

    def _drawn(self, names):
        return _repr.regressor_picture(self.model_.predict, self._input_span, names, self.model_.target_names[0])


@with_parameters({name: default for name, default in DEFAULTS.items() if name not in _OF_NUMBERS})
class CredensClassifier(ClassifierMixin, EstimatorParts, BaseEstimator):
    """An ensemble of neural networks whose last layers are Gaussian, as a scikit-learn classifier.

    The parameters are those of `CredensRegressor` but for the ones about noise, which classes do not have.

    Attributes
    ----------
    classes_ : array [C]
        The labels, sorted; columns of `predict_proba` have this order.
    model_ : credens.Ensemble
        The model, to be saved or widened as any other.
    n_features_in_ : int
    feature_names_in_ : array of str
        Where all columns of the training table had names.

    Examples
    --------
    >>> from credens.sklearn import CredensClassifier
    >>> import numpy as np
    >>> x = np.linspace(-2, 2, 60)[:, np.newaxis]
    >>> y = np.where(x[:, 0] > 0, "up", "down")
    >>> classifier = CredensClassifier(effort="quick", members=4).fit(x, y)
    >>> classifier.predict([[-1.5], [1.5]]).tolist()
    ['down', 'up']
    >>> classifier.predict_proba(x).shape
    (60, 2)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> CredensClassifier:
        """Trains on rows X [N, d] and labels y [N] of any type that sorts; rows count by their sample_weight >= 0.

        X may have missing values, and where it is a table of pandas, polars or Arrow also words and dates. Rows of one
        group, a number or a text for each row, are held out together.
        """
        target_names = names_of_targets(y)
        _check_labels(y)
        self._takes_tables = has_words(X)
        if self._takes_tables:
            validate_data(self, X, skip_check_array=True)
            check_consistent_length(X, y)
            y = column_or_1d(y, warn=True)
        else:
            checks = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2, "ensure_all_finite": "allow-nan"}
            X, y = validate_data(self, X, y, **checks)
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        weights = checked_weights(sample_weight, X)
        _check_class_count(numbers, weights)
        as_given = _are_told_apart(self.classes_)
        self.model_ = credens.fit(
            X,
            y if as_given else numbers,
            task="classification",
            classes=self.classes_.tolist() if as_given else range(len(self.classes_)),
            weights=weights,
            group=groups,
            target_names=target_names,
            **self._fit_options(),
        )
        self._input_span = None if self._takes_tables else span(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """[N]: the most probable label."""
        return self.predict_dist(X).predicted

    def predict_proba(self, X: Any) -> np.ndarray:
        """[N, C]: the probability of each class, noise and ignorance together."""
        return self.predict_dist(X).probability.copy()

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """[N, C]: its logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_dist(self, X: Any) -> credens.ClassPredictive:
        """The predictive distribution of each row."""
        X = self._checked_inputs(X)
        return self._labelled(self.model_.predict_classes(X, threads=self.threads))

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, of: str = "observation") -> np.ndarray:
        """Draws of labels from the predictive distribution: [N, n_samples].

        With of="function" draws are of class probabilities, [N, C, n_samples], and each draw is one function over all
        rows of X.
        """
        X = self._checked_inputs(X)
        draws = self.model_.sample(X, n_samples, of=of, seed=seed(random_state), threads=self.threads)
        if of == "function":
            return np.moveaxis(draws, 0, -1)
        return self.classes_[np.argmax(draws, axis=2)].T

    def _labelled(self, predictive):
        """With the labels of y, whose type the model does not know."""
        return credens.ClassPredictive(predictive._core, self.classes_, predictive._name)

    def _check_task(self, model):
        if model.task != "classification":
            raise UsageError("the model predicts numbers: CredensRegressor.from_model takes it")
        self.classes_ = np.array(model.classes)

    def _drawn(self, names):
        return _repr.classifier_picture(lambda X: self._labelled(self.model_.predict(X)), self._input_span, names)


def nll(y, predictive, sample_weight=None) -> float:
    """Mean negative log likelihood of the exact mixture, joint over outputs, in nats per row."""
    return _scored("nll", y, predictive, sample_weight)


def crps(y, predictive, sample_weight=None) -> float:
    """Mean continuous ranked probability score of the exact mixture, in units of y."""
    return _scored("crps", y, predictive, sample_weight)


def interval_score(y, predictive, sample_weight=None, *, level=0.95) -> float:
    """Mean interval score at a level: width, plus 2 / (1 - level) times how far y lies outside."""
    return _scored("interval_score", y, predictive, sample_weight, level=level)


def log_loss(y, predictive, sample_weight=None) -> float:
    """Mean negative log probability of the labels y, in nats per row, under a `credens.ClassPredictive`."""
    return _class_scored("log_loss", y, predictive, sample_weight)


def brier(y, predictive, sample_weight=None) -> float:
    """Mean squared distance between class probabilities and labels, from 0 to 2."""
    return _class_scored("brier", y, predictive, sample_weight)


def log_loss_scorer(estimator, X, y, sample_weight=None) -> float:
    """`-log_loss`: a scorer for classifiers. Greater is better."""
    return -log_loss(y, predict_dist(estimator, X), sample_weight)


def brier_scorer(estimator, X, y, sample_weight=None) -> float:
    """`-brier`: a scorer for classifiers. Greater is better."""
    return -brier(y, predict_dist(estimator, X), sample_weight)


def nll_scorer(estimator, X, y, sample_weight=None) -> float:
    """`-nll`: a scorer for `cross_val_score`, `GridSearchCV` and the like. Greater is better."""
    return -nll(y, predict_dist(estimator, X), sample_weight)


def crps_scorer(estimator, X, y, sample_weight=None) -> float:
    """`-crps`: a scorer. Greater is better."""
    return -crps(y, predict_dist(estimator, X), sample_weight)


def interval_scorer(estimator, X, y, sample_weight=None, *, level=0.95) -> float:
    """`-interval_score`: a scorer. Greater is better. For other levels: `functools.partial(interval_scorer, level=0.8)`."""
    return -interval_score(y, predict_dist(estimator, X), sample_weight, level=level)


def _scored(name, y, predictive, sample_weight, **options) -> float:
    y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    value = credens.score(predictive, y, weights=sample_weight, **options)[name]
    return float("nan") if value is None else value  # what is not finite


def _class_scored(name, y, predictive, sample_weight) -> float:
    value = credens.score(predictive, column_or_1d(y), weights=sample_weight)[name]
    return float("inf") if value is None else value  # a label of probability 0


def _check_labels(y) -> None:
    """Labels of any type may be missing; scikit-learn itself finds NaN among numbers."""
    labels = np.asarray(y, dtype=object if isinstance(y, list) else None)
    if labels.dtype.kind != "O" or labels.ndim != 1:
        return
    for row, label in enumerate(labels):
        if _tables.is_missing(label):
            raise DataError(f"y: row {row} is {label!r}, expected a label; leave rows without one out")


def _check_class_count(numbers, weights) -> None:
    counted = np.unique(numbers if weights is None else numbers[weights > 0])
    if len(counted) < 2:
        rows = "y" if weights is None else "y, where it has weight,"
        raise DataError(f"{rows} has {len(counted)} class, expected at least 2")


def _are_told_apart(labels) -> bool:
    """Whether tables keep these labels apart: texts such as "NA" are missing values there."""
    found = credens.Dataset(np.zeros((len(labels), 1)), labels, task="classification").targets
    return not np.isnan(found).any() and len(np.unique(found)) == len(labels)


def predict_dist(estimator: Any, X: Any) -> Any:
    """The predictive distribution of each row, also behind pipelines and searches, which have no `predict_dist` themselves.

    >>> from credens.sklearn import CredensRegressor, predict_dist
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import numpy as np
    >>> x = np.linspace(-2, 2, 60)[:, np.newaxis]
    >>> pipeline = make_pipeline(StandardScaler(), CredensRegressor(effort="quick", members=4)).fit(x, x[:, 0] ** 2)
    >>> predict_dist(pipeline, x).epistemic_std.shape
    (60,)
    """
    if hasattr(estimator, "predict_dist"):
        return estimator.predict_dist(X)
    if hasattr(estimator, "best_estimator_"):
        return predict_dist(estimator.best_estimator_, X)
    if hasattr(estimator, "named_steps"):
        for _, step in estimator.steps[:-1]:
            X = X if step is None or step == "passthrough" else step.transform(X)
        return predict_dist(estimator.steps[-1][1], X)
    raise ArgumentTypeError(
        f"{type(estimator).__name__} has no predict_dist, expected an estimator of credens, or a pipeline or search that ends in one"
    )

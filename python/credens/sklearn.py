# SPDX-License-Identifier: Apache-2.0
"""Credens as a scikit-learn regressor, and scorers that judge whole predictive distributions.

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

import inspect
import numbers

import numpy as np

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils import check_array, check_consistent_length, check_random_state
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("credens.sklearn needs scikit-learn 1.6 or newer: pip install scikit-learn") from error

import credens
from credens import _files, _fit, _repr, _tables
from credens._dataset import KINDS

__all__ = ["CredensRegressor", "crps", "crps_scorer", "interval_score", "interval_scorer", "nll", "nll_scorer"]

_MOST_SEED = 2**31 - 1

# The parameters of the regressor: the options and the kinds of columns of `fit`, and two of its own.
_DEFAULTS = {
    **{name: default for name, default in credens.fit.__kwdefaults__.items() if name in (*KINDS, *_fit.OPTION_NAMES)},
    "random_state": None,
    "progress": False,
}


class CredensRegressor(RegressorMixin, BaseEstimator):
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

    def __init__(self, **options):
        unknown = options.keys() - _DEFAULTS.keys()
        if unknown:
            raise TypeError(f"CredensRegressor() has no parameter {min(unknown)!r}")
        for name, default in _DEFAULTS.items():
            setattr(self, name, options.get(name, default))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X, y, sample_weight=None, groups=None):
        """Trains on rows X [N, d] and targets y [N] or [N, q]; rows count by their sample_weight >= 0.

        X may have missing values, and where it is a table of pandas, polars or Arrow also words and dates. Rows of one
        group, a number or a text for each row, are held out together.
        """
        target_names = _names_of_targets(y)
        self._takes_tables = _has_words(X)
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
        options = self.get_params(deep=False)
        random_state = options.pop("random_state")
        if random_state is not None:
            options["seed"] = _seed(random_state)
        names = getattr(self, "feature_names_in_", None)
        self.model_ = credens.fit(
            X,
            y,
            weights=_checked_weights(sample_weight, X),
            group=groups,
            input_names=None if names is None or self._takes_tables else list(names),
            target_names=target_names,
            **options,
        )
        self._has_columns = y.ndim == 2
        self._input_span = None if self._takes_tables else _span(X)
        return self

    def predict(self, X, return_std=False):
        """The predictive mean, [N] or [N, q]; with return_std also the standard deviation, noise and ignorance together."""
        predictive = self.predict_dist(X)
        mean = predictive.mean.copy()
        return (mean, predictive.std) if return_std else mean

    def predict_dist(self, X):
        """The predictive distribution of each row: a `credens.Predictive`."""
        X = self._checked_inputs(X)
        predictive = self.model_.predict(X, threads=self.threads)
        return predictive.as_columns() if self._has_columns else predictive

    def sample_y(self, X, n_samples=1, random_state=0, of="observation"):
        """Draws from the predictive distribution: [N, n_samples], or [N, q, n_samples] for several outputs.

        With of="function" draws are of the regression function, without noise, and each draw is one function over all
        rows of X.
        """
        X = self._checked_inputs(X)
        draws = self.model_.sample(X, n_samples, of=of, seed=_seed(random_state), threads=self.threads)
        if self._has_columns and draws.ndim == 2:
            draws = draws[:, :, np.newaxis]
        return np.moveaxis(draws, 0, -1)

    def _checked_inputs(self, X):
        check_is_fitted(self)
        if self._takes_tables and _tables.is_table(X):
            return validate_data(self, X, reset=False, skip_check_array=True)
        if self._takes_tables:
            raise ValueError("X is no table, expected one as in fit, which had columns of words or dates")
        return validate_data(self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite="allow-nan")

    def _picture(self) -> str:
        """For notebooks; empty before fit."""
        if not hasattr(self, "model_") or self._input_span is None:
            return ""
        names = getattr(self, "feature_names_in_", None)
        return _repr.regressor_picture(self.model_.predict, self._input_span, names, self.model_.target_names[0])

    def _repr_html_inner(self):
        return super()._repr_html_inner() + self._picture()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._picture()
        return bundle


CredensRegressor.__init__.__signature__ = inspect.Signature(
    [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default) for name, default in _DEFAULTS.items()]
)


def nll(y, predictive, sample_weight=None) -> float:
    """Mean negative log likelihood of the exact mixture, joint over outputs, in nats per row."""
    return _scored("nll", y, predictive, sample_weight)


def crps(y, predictive, sample_weight=None) -> float:
    """Mean continuous ranked probability score of the exact mixture, in units of y."""
    return _scored("crps", y, predictive, sample_weight)


def interval_score(y, predictive, sample_weight=None, *, level=0.95) -> float:
    """Mean interval score at a level: width, plus 2 / (1 - level) times how far y lies outside."""
    return _scored("interval_score", y, predictive, sample_weight, level=level)


def nll_scorer(estimator, X, y, sample_weight=None) -> float:
    """`-nll`: a scorer for `cross_val_score`, `GridSearchCV` and the like. Greater is better."""
    return -nll(y, _predictive_of(estimator, X), sample_weight)


def crps_scorer(estimator, X, y, sample_weight=None) -> float:
    """`-crps`: a scorer. Greater is better."""
    return -crps(y, _predictive_of(estimator, X), sample_weight)


def interval_scorer(estimator, X, y, sample_weight=None, *, level=0.95) -> float:
    """`-interval_score`: a scorer. Greater is better. For other levels: `functools.partial(interval_scorer, level=0.8)`."""
    return -interval_score(y, _predictive_of(estimator, X), sample_weight, level=level)


def _scored(name, y, predictive, sample_weight, **options) -> float:
    y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    value = credens.score(predictive, y, weights=sample_weight, **options)[name]
    return float("nan") if value is None else value  # what is not finite


def _predictive_of(estimator, X):
    """Finds the distribution also behind pipelines and searches, which pass on `predict` but not `predict_dist`."""
    if hasattr(estimator, "predict_dist"):
        return estimator.predict_dist(X)
    if hasattr(estimator, "best_estimator_"):
        return _predictive_of(estimator.best_estimator_, X)
    if hasattr(estimator, "named_steps"):
        for _, step in estimator.steps[:-1]:
            X = X if step is None or step == "passthrough" else step.transform(X)
        return _predictive_of(estimator.steps[-1][1], X)
    raise TypeError(
        f"{type(estimator).__name__} has no predict_dist, expected a CredensRegressor, or a pipeline or search that ends in one"
    )


def _seed(random_state) -> int:
    """A whole number is the seed itself; a generator, or None for numpy's own, gives one."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(_MOST_SEED))


def _names_of_targets(y):
    """Names of a table's columns or of a single named column; None without names."""
    names = list(getattr(y, "columns", [getattr(y, "name", None)]))
    return names if all(isinstance(name, str) for name in names) else None


def _has_words(X) -> bool:
    """Whether X is a table with columns that are no numbers."""
    return _tables.is_table(X) and not _files.is_path(X) and not _tables.table(X, "X").holds_numbers


def _checked_weights(sample_weight, X):
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not np.any(weights > 0):
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def _span(X):
    """[3, d]: the low end, the mean and the high end of what is usual for each input, for the picture."""
    X = np.where(np.isnan(X).all(axis=0), 0.0, X)  # of a column without a value
    mean, reach = np.nanmean(X, axis=0), 2 * np.nanstd(X, axis=0)
    return np.stack([np.maximum(mean - reach, np.nanmin(X, axis=0)), mean, np.minimum(mean + reach, np.nanmax(X, axis=0))])

# SPDX-License-Identifier: Apache-2.0
"""What the estimators for scikit-learn share: parameters, checks of rows, and pictures."""

from __future__ import annotations

import inspect
import numbers

import numpy as np

try:
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("credens.sklearn needs scikit-learn 1.6 or newer: pip install scikit-learn") from error

import credens
from credens import _files, _fit, _tables
from credens._dataset import KINDS
from credens._ensemble import ensemble_of
from credens._errors import ArgumentTypeError, DataError

_MOST_SEED = 2**31 - 1

# The parameters of an estimator: the options and the kinds of columns of `fit`, and two of its own.
DEFAULTS = {
    **{name: default for name, default in credens.fit.__kwdefaults__.items() if name in (*KINDS, *_fit.OPTION_NAMES)},
    "random_state": None,
    "progress": False,
}


def with_parameters(defaults):
    """Gives a class an `__init__` with these parameters, as scikit-learn looks for them."""

    def decorate(estimator):
        def __init__(self, **options):
            unknown = options.keys() - defaults.keys()
            if unknown:
                raise ArgumentTypeError(f"{estimator.__name__}() has no parameter {min(unknown)!r}")
            for name, default in defaults.items():
                setattr(self, name, options.get(name, default))

        named = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        __init__.__signature__ = inspect.Signature([own, *named])
        estimator.__init__ = __init__
        return estimator

    return decorate


class EstimatorParts:
    """Stands before BaseEstimator among the bases of an estimator."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def from_model(cls, model):
        """A fitted estimator around a model: an Ensemble, or the path of a file that `credens.save` or `credens fit` wrote.

        Its parameters are those of the class, not those of the fit, which `credens.inspect` shows.
        """
        ensemble = credens.load(model) if _files.is_path(model) else ensemble_of(model)
        estimator = cls()
        estimator._check_task(ensemble)
        estimator.model_ = ensemble
        estimator.n_features_in_ = ensemble.inputs
        if ensemble.input_names:
            estimator.feature_names_in_ = np.array(ensemble.input_names, dtype=object)
        estimator._takes_tables = set(ensemble.input_kinds) != {"number"}
        estimator._input_span = None
        return estimator

    def _fit_options(self):
        """The keywords of `credens.fit`."""
        options = self.get_params(deep=False)
        random_state = options.pop("random_state")
        if random_state is not None:
            options["seed"] = seed(random_state)
        names = getattr(self, "feature_names_in_", None)
        options["input_names"] = None if names is None or self._takes_tables else list(names)
        return options

    def _checked_inputs(self, X):
        check_is_fitted(self)
        if self._takes_tables and _tables.is_table(X):
            return validate_data(self, X, reset=False, skip_check_array=True)
        if self._takes_tables:
            raise DataError("X is no table, expected one as in fit, which had columns of words or dates")
        return validate_data(self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite="allow-nan")

    def _picture(self) -> str:
        """For notebooks; empty before fit."""
        if not hasattr(self, "model_") or self._input_span is None:
            return ""
        return self._drawn(getattr(self, "feature_names_in_", None))

    def _repr_html_inner(self):
        return super()._repr_html_inner() + self._picture()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._picture()
        return bundle


def seed(random_state) -> int:
    """A whole number is the seed itself; a generator, or None for numpy's own, gives one."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(_MOST_SEED))


def names_of_targets(y):
    """Names of a table's columns or of a single named column; None without names."""
    names = list(getattr(y, "columns", [getattr(y, "name", None)]))
    return names if all(isinstance(name, str) for name in names) else None


def has_words(X) -> bool:
    """Whether X is a table with columns that are no numbers."""
    return _tables.is_table(X) and not _files.is_path(X) and not _tables.table(X, "X").holds_numbers


def rows_of(X) -> int:
    return len(X) if hasattr(X, "__len__") else X.num_rows


def noise_of(noise_std, rows):
    """[rows] or [rows, q], of which one number may stand for all."""
    if noise_std is None or np.ndim(noise_std) > 0:
        return noise_std
    return np.full(rows, noise_std, dtype=np.float64)


def checked_weights(sample_weight, X):
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not np.any(weights > 0):
        raise DataError("Sample weights must contain at least one non-zero number.")
    return weights


def span(X):
    """[3, d]: the low end, the mean and the high end of what is usual for each input, for the picture."""
    X = np.where(np.isnan(X).all(axis=0), 0.0, X)  # of a column without a value
    mean, reach = np.nanmean(X, axis=0), 2 * np.nanstd(X, axis=0)
    return np.stack([np.maximum(mean - reach, np.nanmin(X, axis=0)), mean, np.minimum(mean + reach, np.nanmax(X, axis=0))])

# SPDX-License-Identifier: Apache-2.0
"""The peers of the benchmark of classes, each set up and calibrated as its users would.

A method gets a pandas table of inputs as it is and labels that are words. What it gives predicts the probability of each
class at new rows.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._errors import UsageError
from ..datasets._known import suggestion
from .class_tables import Absent

MISSING_WORD = "(missing)"
FOLDS = 5
MOST_TREES = 300
"""Of one CatBoost model; it chooses its learning rate by them."""
DAY = re.compile(r"\d{4}-\d\d-\d\d([T ][\d:.]+Z?)?")

Predict = Callable[[Any], np.ndarray]
"""Class probabilities [N, C] at the rows of a table."""


@dataclass(frozen=True)
class ClassMethod:
    name: str
    title: str
    package: str
    """The one of PyPI that has it."""
    needs: str
    """A module of it."""
    setup: str
    fit: Callable[[Any, np.ndarray, int], Predict]
    """From a table, class numbers and a number of threads (0: all)."""
    most_rows: int = 1_000_000
    """Training rows beyond which it takes too long here."""
    effort: float = 1.0
    """Seconds for a thousand rows of ten inputs, roughly."""

    @property
    def settings(self) -> str:
        return f"{self.package} {importlib.metadata.version(self.package)}: {self.setup}"

    def check(self) -> None:
        """Raises Absent where it cannot run."""
        if importlib.util.find_spec(self.needs) is None:
            raise Absent(f"the package {self.package} is not installed")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps what peers print out of results and of progress."""
    for name in ("lightning", "lightning.pytorch", "lightning.fabric", "pytorch_lightning"):
        logging.getLogger(name).setLevel(logging.ERROR)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


# ---- columns ----


class Columns:
    """How the columns of a table are read, decided by the training rows: numbers, words, and dates as numbers."""

    def __init__(self, train: Any):
        self._dates = [name for name in train if train[name].dtype.kind not in "ifbu" and _is_date(train[name])]
        self._numbers = [name for name in train if train[name].dtype.kind in "ifbu"]

    def __call__(self, table: Any) -> Any:
        """A table of floats and of words, in which a missing word is a word."""
        import pandas

        columns = {}
        for name in table:
            if name in self._numbers:
                columns[name] = table[name].astype(float)
            elif name in self._dates:
                columns |= _date_columns(name, table[name])
            else:
                columns[name] = table[name].astype(object).where(table[name].notna(), MISSING_WORD).astype(str)
        return pandas.DataFrame(columns, index=table.index)


def _is_date(column: Any) -> bool:
    words = column.dropna().astype(str)
    return len(words) > 0 and bool(words.str.fullmatch(DAY).all())


def _date_columns(name: str, column: Any) -> dict[str, Any]:
    import pandas

    day = pandas.to_datetime(column, utc=True, format="ISO8601")
    since = (day - pandas.Timestamp("1970-01-01", tz="UTC")) / pandas.Timedelta(days=1)
    return {f"{name} day": since, f"{name} month": day.dt.month, f"{name} weekday": day.dt.dayofweek}


def _words_of(table: Any) -> list[str]:
    return [name for name in table if table[name].dtype.kind not in "ifbu"]


def _numeric(table: Any) -> Any:
    """A step of scikit-learn: missing numbers are imputed and marked, numbers standardised, words one-hot."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    words = _words_of(table)
    numbers = [name for name in table if name not in words]
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_column_transformer(
        (make_pipeline(imputer, StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
    )


# ---- methods ----


def _fit_pipeline(inputs: Any, labels: np.ndarray, classifier: Any) -> Predict:
    from sklearn.pipeline import make_pipeline

    columns = Columns(inputs)
    table = columns(inputs)
    model = make_pipeline(_numeric(table), classifier).fit(table, labels)
    return lambda new: model.predict_proba(columns(new))


def _fit_logistic(inputs: Any, labels: np.ndarray, threads: int) -> Predict:
    from sklearn.linear_model import LogisticRegressionCV

    classifier = LogisticRegressionCV(cv=FOLDS, scoring="neg_log_loss", max_iter=1000, n_jobs=threads or -1)
    return _fit_pipeline(inputs, labels, classifier)


def _fit_forest(inputs: Any, labels: np.ndarray, threads: int) -> Predict:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_estimators=300, random_state=0, n_jobs=threads or -1)
    return _fit_pipeline(inputs, labels, CalibratedClassifierCV(forest, method="sigmoid", cv=FOLDS))


def _fit_gaussian_process(inputs: Any, labels: np.ndarray, threads: int) -> Predict:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    return _fit_pipeline(inputs, labels, GaussianProcessClassifier(ConstantKernel(1.0) * RBF(1.0), random_state=0))


def _fit_catboost(inputs: Any, labels: np.ndarray, threads: int) -> Predict:
    """Five models, each stopped early by one fold; their probabilities are averaged."""
    from catboost import CatBoostClassifier, Pool
    from sklearn.model_selection import StratifiedKFold

    columns = Columns(inputs)
    table = columns(inputs)
    words = _words_of(table)
    loss = "Logloss" if labels.max() == 1 else "MultiClass"
    models = []
    for fold, (train, held) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(table, labels)):
        pool, held_out = (Pool(table.iloc[rows], labels[rows], cat_features=words) for rows in (train, held))
        options = {"loss_function": loss, "random_seed": fold, "thread_count": threads or -1, "allow_writing_files": False}
        model = CatBoostClassifier(iterations=MOST_TREES, early_stopping_rounds=50, verbose=0, **options)
        models.append(model.fit(pool, eval_set=held_out))

    def predict(new: Any) -> np.ndarray:
        pool = Pool(columns(new), cat_features=words)
        return np.mean([model.predict_proba(pool) for model in models], axis=0)

    return predict


def _fit_pytabkit(inputs: Any, labels: np.ndarray, threads: int, classifier: str, **options: Any) -> Predict:
    """pytabkit takes words as categories and no missing numbers."""
    import pytabkit
    from sklearn.impute import SimpleImputer

    columns = Columns(inputs)
    first = columns(inputs)
    words = _words_of(first)
    numbers = [name for name in first if name not in words]
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True).set_output(transform="pandas")
    imputer = imputer.fit(first[numbers]) if numbers else None

    def complete(table: Any) -> Any:
        whole = imputer.transform(table[numbers]) if imputer else table[[]]
        return whole.astype(float).join(table[words].astype("category"))

    options |= {"device": "cpu", "random_state": 0, "n_cv": FOLDS, "n_threads": threads or None}
    options |= {"val_metric_name": "ref-ll-ts", "calibration_method": "ts-mix"}
    model = getattr(pytabkit, classifier)(**options).fit(complete(first), labels, cat_col_names=words)
    return lambda new: model.predict_proba(complete(columns(new)))


def _fit_realmlp(inputs: Any, labels: np.ndarray, threads: int) -> Predict:
    return _fit_pytabkit(inputs, labels, threads, "RealMLP_TD_Classifier", use_ls=False)


def _fit_tabm(inputs: Any, labels: np.ndarray, threads: int) -> Predict:
    return _fit_pytabkit(inputs, labels, threads, "TabM_D_Classifier")


CALIBRATED = "five folds, refinement stopping, temperature scaling (ts-mix)"

CLASS_METHODS = (
    ClassMethod(
        "catboost",
        "CatBoost",
        "catboost",
        "catboost",
        f"words as its categories, five models of {MOST_TREES} trees each stopped early by a fold, averaged",
        _fit_catboost,
        effort=30,
    ),
    ClassMethod(
        "logistic",
        "logistic regression",
        "scikit-learn",
        "sklearn",
        "one-hot, standardised, C by the log loss of five folds",
        _fit_logistic,
        effort=3,
    ),
    ClassMethod(
        "forest",
        "random forest",
        "scikit-learn",
        "sklearn",
        "one-hot, 300 trees, CalibratedClassifierCV with sigmoids and five folds",
        _fit_forest,
        effort=5,
    ),
    ClassMethod(
        "gaussian-process",
        "Gaussian process",
        "scikit-learn",
        "sklearn",
        "one-hot, standardised, constant times RBF by the marginal likelihood",
        _fit_gaussian_process,
        most_rows=200,
        effort=20,
    ),
    ClassMethod(
        "realmlp",
        "RealMLP",
        "pytabkit",
        "pytabkit",
        f"RealMLP-TD, {CALIBRATED}, no label smoothing",
        _fit_realmlp,
        effort=60,
    ),
    ClassMethod(
        "tabm",
        "TabM",
        "pytabkit",
        "pytabkit",
        f"TabM-D, {CALIBRATED}",
        _fit_tabm,
        most_rows=200,
        effort=300,
    ),
)


def class_method(name: str, methods: Sequence[ClassMethod] = CLASS_METHODS) -> ClassMethod:
    for known in methods:
        if known.name == name:
            return known
    names = [known.name for known in methods]
    raise UsageError(f'there is no method "{name}", expected some of credens, {", ".join(names)}{suggestion(name, names)}')

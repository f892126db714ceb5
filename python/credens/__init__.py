# SPDX-License-Identifier: Apache-2.0
"""Regression and classification with deep ensembles that separate noise from ignorance.

>>> import credens, numpy as np
>>> x = np.random.default_rng(1).uniform(-1, 1, (200, 1))
>>> model = credens.fit(x, np.sin(3 * x[:, 0]), members=5, epochs=30, hidden=(32, 16))
>>> p = model.predict([[0.0], [2.0]])
>>> bool(p.epistemic_variance[1] > p.epistemic_variance[0])  # nobody has seen x = 2
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._class_predictive import ClassPredictive
from ._dataset import Dataset
from ._ensemble import Ensemble, export, load, save
from ._errors import (
    ArgumentTypeError,
    CredensError,
    DataError,
    Failure,
    FileError,
    MissingFileError,
    MissingPackageError,
    ModelFileError,
    NumericalError,
    RowIndexError,
    UsageError,
)
from ._expectation import ClassExpectation, Estimate, Expectation, OutputExpectation
from ._explain import Contributions, Explanation
from ._fit import fit, widen
from ._outputs import MemberOutputs, load_outputs, save_outputs, widen_outputs
from ._predictive import Budget, Conformity, Interval, Predictive
from ._progress import Progress
from ._promise import PromisedCoverage, Promises
from ._scores import Scores, card, inspect, report, score
from ._suggest import Suggestion
from ._trust import Check, DriftTest, Trust

__version__ = _core.version()

__all__ = [
    "ArgumentTypeError",
    "Budget",
    "Check",
    "ClassExpectation",
    "ClassPredictive",
    "Conformity",
    "Contributions",
    "CredensError",
    "DataError",
    "Dataset",
    "DriftTest",
    "Ensemble",
    "Estimate",
    "Expectation",
    "Explanation",
    "Failure",
    "FileError",
    "Interval",
    "MemberOutputs",
    "MissingFileError",
    "MissingPackageError",
    "ModelFileError",
    "NumericalError",
    "OutputExpectation",
    "Predictive",
    "Progress",
    "PromisedCoverage",
    "Promises",
    "RowIndexError",
    "Scores",
    "Suggestion",
    "Trust",
    "UsageError",
    "card",
    "export",
    "fit",
    "inspect",
    "load",
    "load_outputs",
    "report",
    "save",
    "save_outputs",
    "score",
    "widen",
    "widen_outputs",
]

# Names of modules that are imported when somebody asks for them; most need more than numpy.
_LAZY = {
    "CredensClassifier": "credens.sklearn",
    "CredensRegressor": "credens.sklearn",
    "datasets": "credens.datasets",
    "mlflow": "credens.mlflow",
    "sklearn": "credens.sklearn",
    "torch": "credens.torch",
}


if TYPE_CHECKING:  # type checkers see these names, and miss one that is not there; `import credens.torch` brings torch
    from . import datasets, sklearn
    from .sklearn import CredensClassifier, CredensRegressor
else:

    def __getattr__(name: str) -> Any:
        if name not in _LAZY:
            raise AttributeError(f"module 'credens' has no attribute {name!r}")
        from importlib import import_module

        module = import_module(_LAZY[name])
        return module if module.__name__ == f"credens.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    """The public names; of those that need another package, the ones whose package is installed."""
    return sorted([*__all__, "__version__", *(name for name, module in _LAZY.items() if _can_import(module))])


def _can_import(module: str) -> bool:
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    if module in ("credens.torch", "credens.mlflow"):
        return find_spec(module.rpartition(".")[2]) is not None
    if module != "credens.sklearn" or find_spec("sklearn") is None:
        return module != "credens.sklearn"
    try:
        major, minor = version("scikit-learn").split(".")[:2]
    except PackageNotFoundError:
        return False
    return (int(major), int(minor)) >= (1, 6)

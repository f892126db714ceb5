# SPDX-License-Identifier: Apache-2.0
"""What the paper's figures and tables show of an ensemble: coverages, errors, ratios, and where its theory is seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core
from .._dataset import Dataset
from .._ensemble import Ensemble
from .._errors import UsageError
from .._predictive import Predictive
from .._scores import Scores, score
from .results import CLASSICAL, EXTENDED, Key, Measurement

ROWS_AT_ONCE = 4096


def sum_in_order(values: Any) -> float:
    """Term by term, so that the last bits do not depend on how numpy or Python add."""
    return float(np.add.accumulate(np.ravel(values))[-1])


def mean_in_order(values: Any) -> float:
    return sum_in_order(values) / len(values)


def first_members(predictive: Predictive, members: int) -> Predictive:
    """What the first members predict by themselves, each with the same weight.

    A member does not depend on the others, so this is the ensemble that a fit of so many members gives.
    """
    if not 0 < members <= predictive.members:
        raise UsageError(f"{members} members of {predictive.members}, expected at least 1")
    _, *components = predictive._core.components()
    first = [np.ascontiguousarray(component[:, :members]) for component in components]
    return Predictive(_core.Predictive.from_components(np.full(members, 1 / members), *first))


def measurements_of(setting: Key, method: str, scores: Scores, target_std: float = 1.0) -> list[Measurement]:
    """With a truth in the scores errors are those of the regression function; else those of the targets, divided by
    `target_std`."""
    has_truth = scores.get("function_coverage") is not None
    values = {"function_coverage": scores.function_coverage} if has_truth else {}
    values["rmse"] = scores.function_rmse if has_truth else scores.rmse / target_std
    for metric in ("epistemic_coverage", "total_coverage", "epistemic_aleatoric_ratio", "epistemic_aleatoric_ratio_median"):
        values[metric] = scores[metric]
    return [Measurement(replace(setting, method=method, metric=metric), value) for metric, value in values.items()]


def measure(setting: Key, extended: Predictive, targets: Any, truth: Any = None, target_std: float = 1.0) -> list[Measurement]:
    """The scores of the extended ensemble of all members and of the classical one without their widths."""
    setting = replace(setting, members=extended.members)
    found = []
    for method, predictive in ((CLASSICAL, extended.classical()), (EXTENDED, extended)):
        found += measurements_of(setting, method, score(predictive, targets, truth=truth), target_std)
    return found


def measure_widths(setting: Key, wide: Ensemble, train: Dataset, threads: int) -> list[Measurement]:
    """gamma, mean over members; the mean over members and training rows of gamma |phi|^2 / s^2, which is
    p/N (1 - gamma lambda); and the ELBO of each rung, per training row."""
    values: dict[str, float | None] = {
        "gamma": mean_in_order(wide.gamma),
        "width_ratio_training": _mean_width_ratio(wide, train, threads),
    }
    for rung in ("isotropic", "diagonal", "full"):
        elbo = wide.elbo(rung)
        values[f"elbo_{rung}_per_row"] = None if elbo is None else elbo / len(train)
    setting = replace(setting, members=wide.members, method=EXTENDED)
    return [Measurement(replace(setting, metric=metric), value) for metric, value in values.items() if value is not None]


def _mean_width_ratio(wide: Ensemble, train: Dataset, threads: int) -> float:
    total = 0.0
    for first in range(0, len(train), ROWS_AT_ONCE):
        predictive = wide.predict(train.inputs[first : first + ROWS_AT_ONCE], threads=threads)
        _, _, aleatoric, epistemic = predictive._core.components()
        total += sum_in_order(epistemic / aleatoric)
    return total / (len(train) * wide.members * wide.outputs)

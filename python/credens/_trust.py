# SPDX-License-Identifier: Apache-2.0
"""Rows that lie where a model knows little, and tables that have drifted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._dataset import Dataset
from ._promise import observed_rows


class Trust(NamedTuple):
    """p values of rows: the share of rows like the calibration rows that are at least as strange.

    Attributes
    ----------
    trust : array [N]
        By the distance from training rows.
    ignorance : array [N]
        By the ignorance of the model.
    distance : array [N]
        By the distance to the nearest training row, in all inputs at once.
    inputs : array [N, d]
        By the distance from training rows in each input alone.
    """

    trust: np.ndarray
    ignorance: np.ndarray
    distance: np.ndarray
    inputs: np.ndarray


class DriftTest(NamedTuple):
    """One test of whether new rows are like the calibration rows.

    Attributes
    ----------
    name : str
        An input, or what else is tested.
    statistic : float
        Kolmogorov's distance; of a martingale its log10; of the strangest row its trust.
    p : float
        Of this test alone.
    row : int
        The strangest row; of a martingale the row from which it rises; otherwise None.
    """

    name: str
    statistic: float
    p: float
    row: int | None


@dataclass(frozen=True)
class Check:
    """What `Ensemble.check` found.

    Attributes
    ----------
    drift : bool
        Whether `p` is at most the share of false alarms that was asked for.
    p : float
        Of all tests together.
    tests : list of DriftTest
    rows : Trust
    """

    drift: bool
    p: float
    tests: list[DriftTest]
    rows: Trust


def check_of(model: Any, data: Any, targets: Any, alarm: float, parts: dict[str, Any]) -> Check:
    """As `Ensemble.check`."""
    predictive, observed = None, None
    if targets is not None or isinstance(data, Dataset):
        data, _, _ = observed_rows(model, data, targets, parts)
        predictive, observed = model.predict(data)._core, data.targets
    tests, p, rows = _core.check(model._core, predictive, model._inputs(data), observed)
    return Check(p <= alarm, p, [DriftTest(*test) for test in tests], Trust(*rows))

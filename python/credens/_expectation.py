# SPDX-License-Identifier: Apache-2.0
"""What new rows may expect of a model, by training rows that were held out of some of its members."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import NamedTuple

from . import _core


class Estimate(NamedTuple):
    """A number found from some rows, and the standard error that it has because there were no more."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class OutputExpectation:
    """Scores of one output, in the units of the data."""

    rmse: Estimate
    r2: Estimate
    mae: Estimate
    crps: Estimate
    nll: Estimate
    coverage: Estimate
    aleatoric_std: Estimate
    epistemic_std: Estimate


@dataclass(frozen=True)
class Expectation:
    """What new rows may expect of a model.

    Attributes
    ----------
    rows : int
        Held-out rows that it was found from.
    level : float
        Of the intervals whose coverage is given.
    nll : Estimate
        Negative log likelihood, joint over the outputs, in nats per row.
    outputs : dict of OutputExpectation
        By the names of the outputs: `rmse`, `r2`, `mae`, `crps`, `nll` (of the output alone), `coverage`,
        `aleatoric_std` (noise) and `epistemic_std` (ignorance), each an Estimate with `value` and `standard_error`.

    Examples
    --------
    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 60)
    >>> model = credens.fit(x, np.sin(3 * x), members=5, epochs=20, hidden=(16,))
    >>> model.expected.rows, sorted(model.expected.outputs)
    (60, ['y'])
    >>> model.expected.outputs["y"].rmse.standard_error > 0
    True
    """

    rows: int
    level: float
    nll: Estimate
    outputs: dict[str, OutputExpectation]


@dataclass(frozen=True)
class ClassExpectation:
    """What new rows may expect of a model that predicts classes.

    Attributes
    ----------
    rows : int
        Held-out rows that it was found from.
    accuracy, log_loss, brier : Estimate
        Of the class probabilities; the log loss in nats per row.
    aleatoric, epistemic : Estimate
        Noise and ignorance: mean expected entropy and mean mutual information of label and weights, in nats.

    Examples
    --------
    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 60)
    >>> model = credens.fit(x, np.where(x > 0, "up", "down"), members=8, epochs=20, hidden=(8,))
    >>> model.expected.rows, model.expected.accuracy.value > 0.8
    (60, True)
    """

    rows: int
    accuracy: Estimate
    log_loss: Estimate
    brier: Estimate
    aleatoric: Estimate
    epistemic: Estimate


def expectation_of(core: _core.Ensemble) -> Expectation | ClassExpectation | None:
    document = json.loads(core.expected)
    if document is None:
        return None
    if core.task == "classification":
        names = [field.name for field in fields(ClassExpectation) if field.name != "rows"]
        return ClassExpectation(document["rows"], *(_estimate(document[name]) for name in names))
    names = [field.name for field in fields(OutputExpectation)]
    outputs = {
        output["output"]: OutputExpectation(*(_estimate(output[name]) for name in names))
        for output in document["outputs"]
    }
    return Expectation(document["rows"], document["level"], _estimate(document["nll"]), outputs)


def _estimate(numbers: dict[str, float | None]) -> Estimate:
    """Numbers that are too large for a double are null in JSON."""
    return Estimate(*(float("inf") if numbers[name] is None else numbers[name] for name in Estimate._fields))

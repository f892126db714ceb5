# SPDX-License-Identifier: Apache-2.0
"""What a laboratory asks of predictions: budgets, conformity, numbers with uncertainties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _tables
from ._errors import MissingPackageError, UsageError


class Interval(NamedTuple):
    """The ends of intervals, shaped as the mean."""

    lower: np.ndarray
    upper: np.ndarray


class Conformity(NamedTuple):
    """Whether values lie within limits of tolerance; each array is shaped as the mean.

    probability : the probability of conformity, under the exact mixture
    guard_lower, guard_upper : how far inside its limit a mean must lie so that the probability of a value beyond this
        limit is the risk; 0 for simple decisions
    statement : "pass", "conditional pass", "conditional fail" or "fail"
    """

    probability: np.ndarray
    guard_lower: np.ndarray
    guard_upper: np.ndarray
    statement: np.ndarray


class Budget(NamedTuple):
    """What contributes to the uncertainty of each row; all arrays are shaped as the mean.

    contributions : standard uncertainties by name: "noise", "between members", "within members", "inputs", whose
        squares add up to that of `total`, and "input a", ..., the parts of single inputs
    shares : of the variance, by the same names
    total : the combined standard uncertainty
    coverage_factor, expanded : k and U = k total; mean ± U holds the value with probability `level`
    symmetric, shortest : coverage intervals, leaving the same probability on both sides, and the shortest
    """

    contributions: dict[str, np.ndarray]
    shares: dict[str, np.ndarray]
    total: np.ndarray
    coverage_factor: np.ndarray
    expanded: np.ndarray
    symmetric: Interval
    shortest: Interval


_statements = np.array(["pass", "conditional pass", "conditional fail", "fail"])


def conformity_arrays(found: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """With words in the place of the statements' numbers."""
    *arrays, statement = found
    return (*arrays, _statements[statement.astype(int)])


def limits_of(named_outputs: list[tuple[str, str]], limits: Any, name: str) -> list[float | None]:
    """One for each output; None: no limit."""
    outputs = [output for output, _ in named_outputs]
    if isinstance(limits, dict):
        unknown = [key for key in limits if key not in outputs]
        if unknown:
            raise UsageError(f"{name} names {unknown[0]!r}, expected some of the outputs {', '.join(outputs)}")
        limits = [limits.get(output) for output in outputs]
    elif limits is None:
        limits = [None] * len(outputs)
    elif np.ndim(limits) == 0:
        limits = [limits]
    if len(limits) != len(outputs):
        raise UsageError(f"{name} has {len(limits)} limits, expected {len(outputs)}, one for each output")
    return [None if limit is None else _tables.number(limit, name) for limit in limits]


def budget_of(found: dict[str, Any], shaped: Callable[[np.ndarray], np.ndarray]) -> Budget:
    total = shaped(found["total"])
    contributions = {name: shaped(std) for name, std, _ in found["parts"]}
    shares = {name: np.divide(std, total, out=np.zeros_like(std), where=total > 0) ** 2 for name, std in contributions.items()}
    symmetric, shortest = (Interval(*map(shaped, found[kind])) for kind in ("symmetric", "shortest"))
    return Budget(contributions, shares, total, shaped(found["coverage_factor"]), shaped(found["expanded"]), symmetric, shortest)


def correlated_numbers(p: Any, joints: np.ndarray, of: str) -> np.ndarray:
    """[N, q] of `uncertainties`. `p` has arrays [N, q]; `joints` [q, N, N] is the epistemic covariance between rows, which is
    scaled to the variances of `p`: with uncertain inputs these are means over the inputs."""
    try:
        from uncertainties import correlated_values
    except ImportError:
        raise MissingPackageError("to_uncertainties needs a package: pip install uncertainties") from None
    if of not in ("observation", "function"):
        raise UsageError(f"of is {of!r}, expected 'observation' or 'function'")
    own = p.input_variance + (p.aleatoric_variance if of == "observation" else 0)
    columns = []
    for output, joint in enumerate(joints):
        root = np.sqrt(np.diagonal(joint))
        scale = np.divide(p.epistemic_std[:, output], root, out=np.zeros_like(root), where=root > 0)
        covariance = joint * np.outer(scale, scale) + np.diag(own[:, output])
        columns.append(np.array(correlated_values(p.mean[:, output], covariance), dtype=object))
    return np.stack(columns, axis=1)

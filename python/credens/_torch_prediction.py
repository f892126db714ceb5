# SPDX-License-Identifier: Apache-2.0
"""Predictions of widened networks at tensors: at each row or pixel a mixture of Gaussians, one for each network.

Letters: L members, q outputs, [*] the shape that the networks give their mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch

from . import _core
from ._errors import DataError
from ._predictive import Predictive
from ._torch_layers import exact


class TensorInterval(NamedTuple):
    """The ends of intervals, shaped as the mean."""

    lower: torch.Tensor
    upper: torch.Tensor


class Members(NamedTuple):
    """What each network says, [L, *]."""

    mean: torch.Tensor
    aleatoric_variance: torch.Tensor
    epistemic_variance: torch.Tensor  # of the member's own last layer


class Prediction:
    """Predictions at some rows or pixels, shaped as the networks shape their mean.

    The distribution at each place is the mixture of the members' Gaussians. Moments are tensors; `interval`,
    `quantile`, `cdf`, `pdf`, `log_prob` and `sample` are those of `credens.Predictive`, as tensors.
    """

    def __init__(self, members: Members, weights: np.ndarray, output_axis: int | None, names: Sequence[str]):
        self.members = members
        self.weights = weights
        self._axis = output_axis
        self._names = list(names)

    @cached_property
    def mean(self) -> torch.Tensor:
        return self._average(self.members.mean)

    @cached_property
    def aleatoric_variance(self) -> torch.Tensor:
        """Noise: what more training rows would not take away."""
        return self._average(self.members.aleatoric_variance)

    @cached_property
    def classical_epistemic_variance(self) -> torch.Tensor:
        """Of the deep ensemble as it was: between members only."""
        return self._average((self.members.mean - self.mean).square())

    @cached_property
    def epistemic_variance(self) -> torch.Tensor:
        """Ignorance: between the members and within them."""
        return self.classical_epistemic_variance + self._average(self.members.epistemic_variance)

    @property
    def total_variance(self) -> torch.Tensor:
        return self.aleatoric_variance + self.epistemic_variance

    @property
    def std(self) -> torch.Tensor:
        """The root of the total variance."""
        return self.total_variance.sqrt()

    @property
    def aleatoric_std(self) -> torch.Tensor:
        return self.aleatoric_variance.sqrt()

    @property
    def epistemic_std(self) -> torch.Tensor:
        return self.epistemic_variance.sqrt()

    @cached_property
    def predictive(self) -> Predictive:
        """The same predictions as numpy arrays: one row for each row or pixel, and a column for each output."""
        mean, aleatoric, epistemic = (self._rows(part) for part in self.members)
        return Predictive(_core.Predictive.from_components(self.weights, mean, aleatoric, epistemic), False, self._names)

    def interval(
        self, level: float | None = None, kind: str = "gaussian", *, coverage_factor: float | None = None
    ) -> TensorInterval:
        """Interval that holds a new observation with this probability, 0.95 if not given.

        `gaussian`: mean +- z std; `mixture`: central quantiles of the exact mixture. With a coverage factor k, in place
        of a level: mean +- k std.
        """
        ends = self.predictive.interval(level, kind, coverage_factor=coverage_factor)
        return TensorInterval(*map(self._tensor, ends))

    def function_interval(
        self, level: float | None = None, kind: str = "gaussian", *, coverage_factor: float | None = None
    ) -> TensorInterval:
        """Interval that holds the regression function with this probability: epistemic uncertainty only."""
        ends = self.predictive.function_interval(level, kind, coverage_factor=coverage_factor)
        return TensorInterval(*map(self._tensor, ends))

    def quantile(self, p: float | Sequence[float]) -> torch.Tensor:
        """Quantiles of the exact mixture; several probabilities give one more axis in front."""
        return self._quantiles(p, self.predictive.quantile)

    def function_quantile(self, p: float | Sequence[float]) -> torch.Tensor:
        """Quantiles of the regression function, without noise; several probabilities give one more axis in front."""
        return self._quantiles(p, self.predictive.function_quantile)

    def cdf(self, y: Any) -> torch.Tensor:
        """The probability of a value up to y, of each output by itself; y is one number or shaped as the mean."""
        return self._tensor(self.predictive.cdf(self._values(y)))

    def function_cdf(self, y: Any) -> torch.Tensor:
        """The probability that the regression function is at most y, without noise; y is as for `cdf`."""
        return self._tensor(self.predictive.function_cdf(self._values(y)))

    def pdf(self, y: Any) -> torch.Tensor:
        """The density at y, of each output by itself."""
        return self._tensor(self.predictive.pdf(self._values(y)))

    def log_prob(self, y: Any) -> torch.Tensor:
        """The log density at y, joint over the outputs: shaped as the mean, without the axis of the outputs."""
        values = self.predictive.log_prob(self._values(y))
        shape = list(self.mean.shape)
        if self._axis is not None:
            del shape[self._axis]
        return torch.from_numpy(np.array(values)).reshape(shape).to(self.mean.device, self.mean.dtype)

    def sample(self, n: int = 1, seed: int = 0) -> torch.Tensor:
        """[n, *]: draws of observations, independent between rows and pixels.

        `Widened.sample` draws whole functions, which are not independent between rows.
        """
        drawn = self.predictive.sample(n, seed)
        return torch.stack([self._tensor(draw) for draw in drawn]) if len(drawn) else self.mean.new_zeros(0, *self.mean.shape)

    def classical(self) -> Prediction:
        """The classical deep ensemble: the same mixture with the members' own width taken away."""
        members = self.members._replace(epistemic_variance=torch.zeros_like(self.members.epistemic_variance))
        return Prediction(members, self.weights, self._axis, self._names)

    def rows_of(self, values: Any, what: str = "y") -> np.ndarray:
        """[rows, q] of values that are shaped as the mean."""
        values = torch.as_tensor(values)
        if values.shape != self.mean.shape:
            raise DataError(f"{what} has the shape {list(values.shape)}, expected {list(self.mean.shape)}")
        return self._rows(values[None])[:, 0]

    def __len__(self) -> int:
        return len(self.mean)

    def __repr__(self) -> str:
        return f"Prediction(shape={list(self.mean.shape)}, members={len(self.weights)})"

    def _average(self, values: torch.Tensor) -> torch.Tensor:
        weights = torch.as_tensor(self.weights, dtype=values.dtype, device=values.device)
        return (weights.reshape(-1, *[1] * (values.dim() - 1)) * values).sum(0)

    def _rows(self, values: torch.Tensor) -> np.ndarray:
        """[rows, L, q] of [L, *]."""
        values = exact(values.detach())
        values = values[..., None] if self._axis is None else values.movedim(self._axis + 1, -1)
        values = values.reshape(len(values), -1, values.shape[-1]).transpose(0, 1)
        return np.ascontiguousarray(values.cpu().numpy())

    def _tensor(self, rows: np.ndarray) -> torch.Tensor:
        """[*] of [rows, q]."""
        shape, axis = self.mean.shape, self._axis
        values = torch.from_numpy(np.array(rows))
        if axis is not None:
            last = [*shape[:axis], *shape[axis + 1 :], shape[axis]]
            values = values.reshape(last).movedim(-1, axis)
        return values.reshape(shape).to(self.mean.device, self.mean.dtype)

    def _values(self, y: Any) -> Any:
        is_number = (y.dim() if isinstance(y, torch.Tensor) else np.ndim(y)) == 0
        return float(y) if is_number and self.mean.dim() > 0 else self.rows_of(y)

    def _quantiles(self, p: Any, quantile: Callable[[Any], np.ndarray]) -> torch.Tensor:
        found = quantile(p)
        if np.ndim(p) == 0:
            return self._tensor(found)
        rows = found.reshape(-1, *found.shape[-2:])
        return torch.stack([self._tensor(one) for one in rows]).reshape(*np.shape(p), *self.mean.shape)


def joined(predictions: Sequence[Prediction]) -> Predictive:
    """The rows of several batches after each other."""
    parts = [[prediction._rows(part) for part in prediction.members] for prediction in predictions]
    components = [np.concatenate(arrays) for arrays in zip(*parts)]
    return Predictive(_core.Predictive.from_components(predictions[0].weights, *components), False, predictions[0]._names)

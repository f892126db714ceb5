# SPDX-License-Identifier: Apache-2.0
"""Sums over batches, in double: all that widening needs to know of the training rows.

G_k = sum_i u_i phi_i phi_i^T / s_ik^2 of each output, or its diagonal; where the noise s_k^2 is constant it is not
known before the end, so the sums are made without it and divided by it then.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from ._errors import DataError, UsageError
from ._torch_forms import MeanAndNoise
from ._torch_layers import exact
from ._torch_models import Head


class Batch(NamedTuple):
    inputs: Any
    targets: torch.Tensor | None
    weights: torch.Tensor | None  # one for each of the batch's items


def noise_of(variance: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
    """Constant noise [q] beside a mean in a layer's layout."""
    return variance.to(mean).reshape(1, -1, *[1] * (mean.dim() - 2)).expand_as(mean)


def shaped_variance(head: Head, parts: MeanAndNoise, mean: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """A variance in the layout of the mean, with its outputs or one for all of them."""
    variance = head.shaped(parts.variance, out)
    if variance is None or variance.shape[1] not in (1, mean.shape[1]):
        try:
            variance = head.shaped(parts.variance.expand_as(parts.mean), out)
        except RuntimeError:
            variance = None
    if variance is None or variance.shape[1] not in (1, mean.shape[1]):
        found, expected = list(parts.variance.shape), list(parts.mean.shape)
        raise UsageError(f"{head.what}: the variance is {found}, expected the shape of the mean, {expected}")
    return variance


class HeadSums:
    """Sums over the rows of one network."""

    def __init__(self, head: Head, with_gram: bool):
        self.head = head
        self.with_gram = with_gram
        self.outputs = head.design.outputs
        self.rows = 0
        self.weight = 0.0  # sum of u_i
        self.log_likelihood = 0.0
        self.has_targets = False
        self.estimates_noise = False
        self.noise_variance: torch.Tensor | None = None
        self._sums: torch.Tensor | None = None  # [k, P] or [k, P, P]
        self._squares = torch.zeros(self.outputs, dtype=torch.float64)  # of residuals

    def add(self, batch: Batch, where: str) -> None:
        features, out, parts = self.head.run(batch.inputs)
        layer = self.head.layer
        mean = self.head.shaped(parts.mean, out)
        if mean is None or mean.shape[1] != self.outputs:
            raise DataError(
                f"{self._at(where)} the mean is {list(parts.mean.shape)}, expected {self.outputs} outputs as before"
            )
        variance = None if parts.variance is None else exact(shaped_variance(self.head, parts, mean, out))
        mean = exact(mean)
        self._check(features, mean, variance, where)
        targets = self._targets(batch.targets, out, parts.mean, where)
        weights = self._weights(batch.weights, mean, where)
        self._begin(targets is not None, variance is None, where)
        self._add_sums(layer.inputs(exact(features)), weights if variance is None else weights / variance)
        self._add_residuals(targets, mean, variance, weights)
        self.rows += mean.numel() // self.outputs
        self.weight += float(weights.sum())

    def finish(self) -> torch.Tensor:
        """The noise of each output, [q], once all residuals are known."""
        places = self.head.match.shuffle ** 2  # of a block of pixels, which share their noise
        variance = (self._squares / self.weight).reshape(-1, places).mean(1).repeat_interleave(places)
        if not bool((variance > 0).all()):
            raise DataError(f"{self.head.what}: its residuals are all 0, expected some noise")
        self.noise_variance = variance
        terms = self.weight * torch.log(2 * math.pi * variance) + self._squares / variance
        self.log_likelihood = float(-0.5 * terms.sum())
        return variance

    def sums(self) -> np.ndarray:
        """[k, P] or [k, P, P], k = q or 1 where the outputs share their noise."""
        sums = self._sums
        if self.estimates_noise:
            sums = sums / self.noise_variance.reshape(-1, *[1] * (sums.dim() - 1)).to(sums)
        return np.ascontiguousarray(sums.cpu().numpy())

    def _at(self, where: str) -> str:
        return f"{where}, {self.head.what}:"

    def _check(self, features, mean, variance, where: str) -> None:
        for values, name in ((features, "the input of the last layer"), (mean, "the mean")):
            check_all(values, torch.isfinite(values), f"{self._at(where)} {name} has", "finite numbers")
        if variance is not None:
            good = torch.isfinite(variance) & (variance > 0)
            check_all(variance, good, f"{self._at(where)} the variance has", "finite numbers above 0")

    def _targets(self, targets, out, mean, where: str) -> torch.Tensor | None:
        if targets is None:
            return None
        shaped = self.head.shaped(targets.to(out.device), out)
        if shaped is None or shaped.shape != self.head.shaped(mean, out).shape:
            raise DataError(
                f"{self._at(where)} the targets are {list(targets.shape)}, expected {list(mean.shape)} as the mean"
            )
        shaped = exact(shaped)
        check_all(shaped, torch.isfinite(shaped), f"{where}: targets have", "finite numbers")
        return shaped

    def _weights(self, weights, mean, where: str) -> torch.Tensor:
        """One for each row or pixel, [., 1, ...]."""
        ones = torch.ones_like(mean[:, :1])
        if weights is None:
            return ones
        weights = exact(weights.to(mean.device)).reshape(-1)
        if len(mean) % max(1, len(weights)) or len(weights) == 0:
            raise DataError(f"{where}: there are {len(weights)} row weights, expected {len(mean)}")
        good = torch.isfinite(weights) & (weights >= 0)
        check_all(weights, good, f"{where}: row weights have", "finite numbers from 0")
        weights = weights.repeat_interleave(len(mean) // len(weights))
        return ones * weights.reshape(-1, *[1] * (mean.dim() - 1))

    def _begin(self, has_targets: bool, estimates_noise: bool, where: str) -> None:
        if self.rows and (has_targets != self.has_targets or estimates_noise != self.estimates_noise):
            found = "targets" if has_targets else "no targets"
            raise DataError(f"{where} has {found}, the batches before differ: expected all or none")
        self.has_targets, self.estimates_noise = has_targets, estimates_noise
        if estimates_noise and not has_targets:
            raise UsageError(
                f"{self.head.what} gives a mean only, so its noise is estimated from residuals: loader must give"
                " (inputs, targets), or say with output= where the variance is"
            )

    def _add_sums(self, x: torch.Tensor, precision: torch.Tensor) -> None:
        sums = (self.head.design.grams if self.with_gram else self.head.design.square_sums)(x, precision)
        if self._sums is not None and self._sums.shape != sums.shape:
            raise DataError(f"{self.head.what}: its variance has {len(sums)} channels, before {len(self._sums)}")
        self._sums = sums if self._sums is None else self._sums + sums

    def _add_residuals(self, targets, mean, variance, weights) -> None:
        if targets is None:
            return
        squares = (targets - mean).square()
        if variance is None:
            self._squares += self.head.layer.rows(weights * squares).sum(0).cpu()
            return
        values = weights * (torch.log(2 * math.pi * variance) + squares / variance)
        self.log_likelihood -= 0.5 * float(values.sum())


def check_all(values: torch.Tensor, good: torch.Tensor, what: str, expected: str) -> None:
    if not bool(good.all()):
        raise DataError(f"{what} the value {float(values[~good].reshape(-1)[0])}, expected {expected}")

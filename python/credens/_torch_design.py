# SPDX-License-Identifier: Apache-2.0
"""The features of each output: the part of a last layer that gives the means, or the logits of classes.

Letters: n rows, q outputs, P features of an output (with a constant 1 appended for a random bias). Outputs share their
features, unless a convolution has groups: then an output sees the channels of its group alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ._errors import UsageError
from ._torch_layers import PATCH_BYTES, Layer


class Design:
    """mean_k = signs_k (W_k phi + b_k) + what does not depend on the layer, with W_k the row `channels_k` of the layer."""

    def __init__(self, layer: Layer, channels: list[int], signs: list[int], random_bias: bool):
        self.layer, self.channels, self.signs, self.random_bias = layer, channels, signs, random_bias
        per_group = layer.channels // layer.groups
        self._group_of = [channel // per_group for channel in channels]

    @property
    def outputs(self) -> int:
        return len(self.channels)

    @property
    def shares_features(self) -> bool:
        return len(set(self._group_of)) == 1

    def weight(self) -> torch.Tensor:
        """[q, P], without the bias."""
        weight = self.layer.weight().detach()[self.channels]
        return weight * torch.tensor(self.signs, dtype=weight.dtype, device=weight.device)[:, None]

    def features(self, x: torch.Tensor, what: str) -> torch.Tensor:
        """[n, P] of all outputs, without the constant 1."""
        if not self.shares_features:
            raise UsageError(f"{what} has groups, so that outputs have features of their own: expected one group for all")
        return self.layer.patches(self._inputs_of(x, self._group_of[0]))

    def square_sums(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """sum_i precision_ik phi_ij^2, [k, P]."""
        sums = self._by_group(x, precision, self.layer.square_sums)
        if not self.random_bias:
            return sums
        constant = self._expanded(precision).transpose(0, 1).reshape(len(sums), -1).sum(1, keepdim=True)
        return torch.cat([sums, constant], 1)

    def grams(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """sum_i precision_ik phi_i phi_i^T, [k, P, P]."""
        return self._by_group(x, precision, self._grams)

    def squared_norm(self, x: torch.Tensor) -> torch.Tensor:
        """|phi_k|^2, of one channel or q."""
        return self._of_outputs(x, lambda part, outputs: self.layer.squared_norm(part)) + int(self.random_bias)

    def weighted_squares(self, x: torch.Tensor, variance: torch.Tensor) -> torch.Tensor:
        """sum_j variance_kj phi_kj^2, of one channel or q."""
        return self._of_outputs(x.square(), lambda part, outputs: self._applied(part, _picked(variance, outputs)))

    def norms_through(self, x: torch.Tensor, factors: list[torch.Tensor]) -> torch.Tensor:
        """|S_k^T phi_k|^2, of one channel or q."""

        def norms(part: torch.Tensor, outputs: list[int]) -> torch.Tensor:
            wanted = factors if len(factors) == 1 else [factors[k] for k in outputs]
            return torch.cat([self._applied(part, factor.T).square().sum(1, keepdim=True) for factor in wanted], 1)

        return self._of_outputs(x, norms)

    def moved(self, x: torch.Tensor, change: torch.Tensor) -> torch.Tensor:
        """What the means gain from a change [q, P] of W."""
        gain = self._of_outputs(x, lambda part, outputs: self._applied(part, change[outputs]))
        signs = torch.tensor(self.signs, dtype=gain.dtype, device=gain.device)
        return gain * signs.reshape(1, -1, *[1] * (gain.dim() - 2))

    def _inputs_of(self, x: torch.Tensor, group: int) -> torch.Tensor:
        if self.layer.groups == 1:
            return x
        width = self.layer.group_inputs
        return x[:, group * width : (group + 1) * width]

    def _groups(self) -> list[tuple[int, list[int]]]:
        return [(group, [k for k, own in enumerate(self._group_of) if own == group]) for group in sorted(set(self._group_of))]

    def _expanded(self, precision: torch.Tensor) -> torch.Tensor:
        """Outputs with features of their own have sums of their own, also where they share their noise."""
        if self.shares_features or precision.shape[1] > 1:
            return precision
        return precision.expand(len(precision), self.outputs, *precision.shape[2:])

    def _by_group(self, x: torch.Tensor, precision: torch.Tensor, sums_of: Callable[..., torch.Tensor]) -> torch.Tensor:
        if self.shares_features:
            return sums_of(self._inputs_of(x, self._group_of[0]), precision)
        precision = self._expanded(precision)
        parts = [(outputs, sums_of(self._inputs_of(x, group), precision[:, outputs])) for group, outputs in self._groups()]
        return torch.cat([sums for _, sums in parts])[self._order()]

    def _of_outputs(self, x: torch.Tensor, channels_of: Callable[..., torch.Tensor]) -> torch.Tensor:
        if self.shares_features:
            return channels_of(self._inputs_of(x, self._group_of[0]), list(range(self.outputs)))
        parts = []
        for group, outputs in self._groups():
            found = channels_of(self._inputs_of(x, group), outputs)
            parts.append(found.expand(len(found), len(outputs), *found.shape[2:]))
        return torch.cat(parts, 1)[:, self._order()]

    def _order(self) -> list[int]:
        """Where each output stands when groups follow each other."""
        stands = [k for _, outputs in self._groups() for k in outputs]
        return [stands.index(k) for k in range(self.outputs)]

    def _applied(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """W phi of rows [k, P]; the constant 1 is the last feature."""
        if not self.random_bias:
            return self.layer.apply(x, weight)
        out = self.layer.apply(x, weight[:, :-1])
        return out + weight[:, -1].reshape(1, -1, *[1] * (out.dim() - 2))

    def _grams(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """A few items at a time."""
        width = self.layer.features + int(self.random_bias)
        items = max(1, PATCH_BYTES // (8 * width * math.prod(precision.shape[2:])))
        sums = x.new_zeros(precision.shape[1], width, width)
        for first in range(0, len(x), items):
            patches = self.layer.patches(x[first : first + items])
            if self.random_bias:
                patches = torch.cat([patches, patches.new_ones(len(patches), 1)], 1)
            for k, column in enumerate(self.layer.rows(precision[first : first + items]).T):
                sums[k] += (patches * column[:, None]).T @ patches
        return sums


def _picked(values: torch.Tensor, outputs: list[int]) -> torch.Tensor:
    """Rows of some outputs, or the one that all share."""
    return values if len(values) == 1 else values[outputs]

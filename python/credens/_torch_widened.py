# SPDX-License-Identifier: Apache-2.0
"""Networks with a Gaussian over each one's last layer, and their predictions at tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from . import _core
from ._ensemble import Ensemble
from ._outputs import MemberOutputs
from ._torch_layers import at_least_single, exact
from ._torch_models import Head, evaluating
from ._torch_sums import noise_of, shaped_variance


@dataclass(frozen=True, eq=False)
class Prediction:
    """Moments at some rows or pixels, shaped as the networks shape their mean, in the networks' own units."""

    mean: torch.Tensor
    aleatoric_variance: torch.Tensor
    epistemic_variance: torch.Tensor
    classical_epistemic_variance: torch.Tensor  # of the deep ensemble as it was: between members only

    @property
    def total_variance(self) -> torch.Tensor:
        return self.aleatoric_variance + self.epistemic_variance

    @property
    def std(self) -> torch.Tensor:
        return self.total_variance.sqrt()


class Widened:
    """Networks with a Gaussian over each one's last layer: what `widen` returns."""

    def __init__(self, heads: list[Head], ensemble: Ensemble, noise_variance: list[torch.Tensor] | None):
        self._heads = heads
        self._posteriors = [_Posterior(ensemble, l) for l in range(len(heads))]
        self.ensemble = ensemble
        self.noise_variance = noise_variance
        """[q] of each member where it was estimated from residuals, else None."""

    @property
    def models(self) -> list[torch.nn.Module]:
        return [head.model for head in self._heads]

    @property
    def mean_layers(self) -> list[str]:
        """The names of the layers that were widened."""
        return [head.layer_name for head in self._heads]

    @property
    def gamma(self) -> np.ndarray:
        """[L]: the isotropic width of each member."""
        return self.ensemble.gamma

    @property
    def prior_precision(self) -> float:
        return self.ensemble.prior_precision

    @property
    def posterior(self) -> str:
        return self.ensemble.posterior

    def elbo(self, posterior: str | None = None) -> float | None:
        return self.ensemble.elbo(posterior)

    def predict(self, inputs: Any) -> Prediction:
        """At a batch of inputs, as the networks take it: a tensor, or a list or mapping of arguments."""
        with evaluating(self.models):
            members = [self._member(l, inputs) for l in range(len(self._heads))]
        device = members[0][0].device
        mean, aleatoric, own = (torch.stack([member[i].to(device) for member in members]) for i in range(3))
        weights = torch.as_tensor(self.ensemble.weights, dtype=mean.dtype, device=device)
        weights = weights.reshape(-1, *[1] * (mean.dim() - 1))
        centre = (weights * mean).sum(0)
        between = (weights * (mean - centre).square()).sum(0)
        return Prediction(centre, (weights * aleatoric).sum(0), between + (weights * own).sum(0), between)

    __call__ = predict

    def member_outputs(self, inputs: Any) -> MemberOutputs:
        """Arrays [n, p] and [n, q] of the members, with one row for each row or pixel: what `widen_outputs` takes."""
        features, means, variances = [], [], []
        with evaluating(self.models):
            for l, head in enumerate(self._heads):
                x, _, mean, variance = self._run(l, inputs)
                features.append(head.layer.patches(head.layer.inputs(exact(x))).cpu().numpy())
                means.append(head.layer.rows(exact(mean)).cpu().numpy())
                variances.append(head.layer.rows(exact(variance)).cpu().numpy())
        last_layer = [exact(head.weight().detach()).cpu().numpy() for head in self._heads]
        return MemberOutputs(
            features,
            means,
            variances,
            last_layer=last_layer,
            member_weights=self.ensemble.weights,
            prior_precision=self.prior_precision,
        )

    def __repr__(self) -> str:
        facts = f"members={len(self._heads)}, outputs={self.ensemble.outputs}, posterior={self.posterior!r}"
        return f"Widened({facts}, mean_layers={self.mean_layers})"

    def _run(self, member: int, inputs: Any):
        head = self._heads[member]
        features, out, parts = head.run(inputs)
        mean = head.layer.shaped(parts.mean, out)
        if parts.variance is None:
            variance = noise_of(self.noise_variance[member], mean)
        else:
            variance = shaped_variance(head, parts, mean, out)
        return features, parts.mean.shape, mean, variance

    def _member(self, member: int, inputs: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Mean, noise and own variance, shaped as the network shapes its mean."""
        head = self._heads[member]
        features, shape, mean, variance = self._run(member, inputs)
        x = at_least_single(head.layer.inputs(features))
        own = self._posteriors[member].variance(head, x).expand_as(mean)
        return tuple(part.to(mean.dtype).expand_as(mean).reshape(shape) for part in (mean, variance, own))


class _Posterior:
    """phi^T Sigma phi of one member, each rung as a squared norm."""

    def __init__(self, ensemble: Ensemble, member: int):
        variance, factors = _core.posterior_of(ensemble._core, member)
        self._kind = ensemble.posterior
        self._gamma = float(ensemble.gamma[member])
        self._variance = None if variance is None else torch.from_numpy(np.array(variance))
        self._factors = [torch.from_numpy(np.array(factor)) for factor in factors]

    def variance(self, head: Head, x: torch.Tensor) -> torch.Tensor:
        if self._kind == "isotropic":
            return self._gamma * head.layer.squared_norm(x)
        if self._kind == "diagonal":
            return head.layer.weighted_squares(x, self._variance.to(x))
        if self._kind == "full":
            norms = [head.layer.norms_through(x, factor.to(x)) for factor in self._factors]
            return torch.cat(norms, 1)
        return torch.zeros_like(head.layer.squared_norm(x))

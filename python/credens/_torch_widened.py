# SPDX-License-Identifier: Apache-2.0
"""Networks with a Gaussian over each one's last layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from . import _core, _tables
from ._ensemble import Ensemble
from ._errors import UsageError
from ._outputs import MemberOutputs
from ._torch_layers import at_least_single, exact
from ._torch_models import Head, evaluating
from ._torch_prediction import Members, Prediction
from ._torch_sums import noise_of, shaped_variance


class Widened:
    """Networks with a Gaussian over each one's last layer: what `widen` returns."""

    def __init__(
        self,
        heads: list[Head],
        ensemble: Ensemble,
        noise_variance: list[torch.Tensor] | None,
        target_names: Sequence[str] | None = None,
    ):
        self._heads = heads
        self._posteriors = [_Posterior(ensemble, l) for l in range(len(heads))]
        self._names = list(target_names or ())
        self.ensemble = ensemble
        self.noise_variance = noise_variance
        """[q] of each member where it was estimated from residuals, else None; in the networks' own units."""

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

    @property
    def random_bias(self) -> bool:
        """Whether the last layers' biases have a posterior too."""
        return self._heads[0].random_bias

    def elbo(self, posterior: str | None = None) -> float | None:
        return self.ensemble.elbo(posterior)

    def predict(self, inputs: Any) -> Prediction:
        """At a batch of inputs, as the networks take it: a tensor, or a list or mapping of arguments."""
        with evaluating(self.models):
            passes = [self._pass(l, inputs) for l in range(len(self._heads))]
            members = [self._member(l, seen) for l, seen in enumerate(passes)]
        device = members[0].mean.device
        stacked = (torch.stack([part.to(device) for part in parts]) for parts in zip(*members))
        axis = self._heads[0].output_axis(members[0].mean, passes[0].out)
        return Prediction(Members(*stacked), self.ensemble.weights, axis, self._names)

    __call__ = predict

    def sample(self, inputs: Any, draws: int = 1000, *, of: str = "function", seed: int = 0) -> torch.Tensor:
        """[draws, *mean]: each draw is one function over all rows and pixels, or with of="observation" also noise."""
        draws, generator = _tables.whole(draws, "draws", 1), _generator(seed)
        if of not in ("function", "observation"):
            raise UsageError(f"of is {of!r}, expected 'function' or 'observation'")
        with evaluating(self.models):
            passes = [self._pass(l, inputs) for l in range(len(self._heads))]
            return torch.stack([self._draw(passes, of, generator) for _ in range(draws)])

    def member_outputs(self, inputs: Any) -> MemberOutputs:
        """Arrays [n, p] and [n, q] of the members, with one row for each row or pixel: what `widen_outputs` takes."""
        features, means, variances = [], [], []
        with evaluating(self.models):
            for l, head in enumerate(self._heads):
                seen = self._pass(l, inputs)
                features.append(head.design.features(head.layer.inputs(exact(seen.features)), head.place).cpu().numpy())
                means.append(head.layer.rows(exact(seen.mean)).cpu().numpy())
                variances.append(head.layer.rows(exact(seen.variance)).cpu().numpy())
        last_layer = [exact(head.weight().detach()).cpu().numpy() for head in self._heads]
        return MemberOutputs(
            features,
            means,
            variances,
            last_layer=last_layer,
            member_weights=self.ensemble.weights,
            target_scale=self._scale,
            target_shift=self._shift,
            prior_precision=self.prior_precision,
        )

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Tensors alone: the networks' parameters and buffers, and what widening added.

        `torch.save` writes them, `torch.load(..., weights_only=True)` reads them, and `credens.torch.load` puts them into
        networks again.
        """
        from ._torch_files import state_of

        return state_of(self)

    def __repr__(self) -> str:
        facts = f"members={len(self._heads)}, outputs={self.ensemble.outputs}, posterior={self.posterior!r}"
        return f"Widened({facts}, mean_layers={self.mean_layers})"

    @property
    def _scale(self) -> np.ndarray:
        return self.ensemble._core.target_scale

    @property
    def _shift(self) -> np.ndarray:
        return self.ensemble._core.target_shift

    def _pass(self, member: int, inputs: Any) -> _Pass:
        head = self._heads[member]
        features, out, parts = head.run(inputs)
        mean = head.shaped(parts.mean, out)
        if parts.variance is None:
            variance = noise_of(self.noise_variance[member], mean)
        else:
            variance = shaped_variance(head, parts, mean, out)
        return _Pass(features, out, parts.mean.shape, mean, variance)

    def _member(self, member: int, seen: _Pass) -> Members:
        """In the units of the data, shaped as the network shapes its mean."""
        head = self._heads[member]
        x = at_least_single(head.layer.inputs(seen.features))
        own = self._posteriors[member].variance(head, x).clamp(min=0)  # fast convolutions round
        scale, shift = self._scaling(seen.mean)
        parts = Members(shift + scale * seen.mean, scale.square() * seen.variance, scale.square() * own)
        return Members(*(head.unshaped(part.to(seen.mean.dtype).expand_as(seen.mean), seen.shape) for part in parts))

    def _draw(self, passes: list[_Pass], of: str, generator: np.random.Generator) -> torch.Tensor:
        """One member, and one change of its last layer."""
        weights = self.ensemble.weights
        member = int(np.searchsorted(weights.cumsum() / weights.sum(), generator.random(), side="right"))
        member = min(member, len(weights) - 1)
        head, seen = self._heads[member], passes[member]
        x = at_least_single(head.layer.inputs(seen.features))
        values = seen.mean + head.design.moved(x, self._posteriors[member].draw(head, generator).to(x)).to(seen.mean.dtype)
        if of == "observation":
            noise = torch.from_numpy(generator.standard_normal(tuple(seen.mean.shape))).to(seen.mean)
            values = values + seen.variance.sqrt() * noise
        scale, shift = self._scaling(seen.mean)
        return head.unshaped(shift + scale * values, seen.shape).to(passes[0].mean.device)

    def _scaling(self, mean: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Scale and shift of the outputs beside a mean in a layer's layout."""
        shape = (1, -1, *[1] * (mean.dim() - 2))
        return tuple(torch.from_numpy(np.array(values)).to(mean).reshape(shape) for values in (self._scale, self._shift))


class _Pass(NamedTuple):
    """What one network says of a batch, in its last layer's layout."""

    features: torch.Tensor
    out: torch.Tensor
    shape: torch.Size  # of the mean, as the network shapes it
    mean: torch.Tensor
    variance: torch.Tensor


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
            return self._gamma * head.design.squared_norm(x)
        if self._kind == "diagonal":
            return head.design.weighted_squares(x, self._variance.to(x))
        if self._kind == "full":
            return head.design.norms_through(x, [factor.to(x) for factor in self._factors])
        return torch.zeros_like(head.design.squared_norm(x))

    def draw(self, head: Head, generator: np.random.Generator) -> torch.Tensor:
        """A change [q, P] of the last layer's weights."""
        width = head.layer.features + int(head.random_bias)
        normal = torch.from_numpy(generator.standard_normal((head.design.outputs, width)))
        if self._kind == "isotropic":
            return self._gamma**0.5 * normal
        if self._kind == "diagonal":
            return self._variance.sqrt() * normal
        if self._kind == "full":
            factors = self._factors if len(self._factors) > 1 else self._factors * len(normal)
            return torch.stack([factor @ row for factor, row in zip(factors, normal)])
        return torch.zeros_like(normal)


def _generator(seed: Any) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(_tables.whole(seed, "seed")))

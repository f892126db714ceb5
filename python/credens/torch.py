# SPDX-License-Identifier: Apache-2.0
"""Ensembles of PyTorch networks, widened as they are: nothing is retrained and no features are stored.

    wide = credens.torch.widen(models, loader, prior_precision=1.0)
    p = wide.predict(x)
    p.mean, p.aleatoric_variance, p.epistemic_variance, p.total_variance

docs/bring-your-own.md has the details.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

try:
    import torch
except ImportError as error:  # said when this module is used, never by `import credens`
    raise ImportError("credens.torch needs PyTorch, which is not installed: see https://pytorch.org") from error

from . import _core
from ._ensemble import Ensemble
from ._errors import DataError, UsageError
from ._outputs import MemberOutputs, _about, _lambda
from ._torch_layers import at_least_single, exact
from ._torch_models import Head, evaluating, find_head
from ._torch_sums import Batch, HeadSums, noise_of, shaped_variance

__all__ = ["Prediction", "Widened", "widen"]

ROWS_AT_ONCE = 256  # of a data set that is no loader


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


def widen(
    models: Iterable[torch.nn.Module],
    loader: Iterable[Any],
    mean_layer: str | torch.nn.Module | Sequence[Any] | None = None,
    *,
    output: str | Callable[[Any], Any] | None = None,
    prior_precision: float | str | None = None,
    weight_decay: float | None = None,
    loss: str | None = None,
    posterior: str = "isotropic",
    member_weights: Sequence[float] | None = None,
    target_names: Sequence[str] | None = None,
    batch: Callable[[Any], Any] | None = None,
) -> Widened:
    """Widens an ensemble of networks by one pass over their training rows.

    `loader` gives batches (inputs, targets) or (inputs, targets, row weights), or inputs alone; a data set is taken in
    batches too, and `batch` turns batches of another form into one of these. Images are rows of pixels.

    `mean_layer` is the last linear layer or convolution, by name or as a module (a list: one for each network); without
    it the layer is found. Its output must be the mean, or the mean less something that does not depend on it.

    `output` says what networks return: "mean" (noise is then estimated from residuals, for which targets are needed),
    "mean_variance", "mean_log_variance", "mean_std" or "mean_log_std" for pairs and mappings, "split_variance" and so
    on for one tensor whose second half of channels is the noise, or a function to a mean or to (mean, variance).
    Without it names of parts decide, and a single tensor is a mean.

    `prior_precision` is lambda, or "evidence". In its place `weight_decay` may be given, as torch.optim.Adam has it,
    with the `loss` that was averaged over rows and outputs: "nll" (GaussianNLLLoss; lambda = weight_decay N q) or "mse"
    (MSELoss; lambda = weight_decay N q / 2 s^2).
    """
    models = _models(models)
    given = _per_model(mean_layer, len(models))
    lam = None if weight_decay is not None else _lambda(prior_precision)
    if weight_decay is not None and prior_precision is not None:
        raise UsageError("both prior_precision and weight_decay are given, expected one of them")
    sums, heads = _sums_over(
        models, given, _batches(loader, batch), output, posterior == "full" or _is_evidence(prior_precision)
    )
    noise = [member.finish() for member in sums] if sums[0].estimates_noise else None
    if weight_decay is not None:
        lam = _converted(weight_decay, loss, sums)
    about = _about(
        [exact(head.weight().detach()).cpu().numpy() for head in heads], member_weights, None, None, target_names
    )
    likelihoods = [member.log_likelihood for member in sums] if sums[0].has_targets else []
    diagonal = [] if sums[0].with_gram else [member.sums() for member in sums]
    gram = [list(member.sums()) for member in sums] if sums[0].with_gram else []
    core = _core.widen_sums(sums[0].rows, sums[0].outputs, diagonal, gram, likelihoods, lam, posterior, about)
    return Widened(heads, Ensemble(core), noise)


def _sums_over(models, given, batches: Iterator[Batch], output, with_gram: bool) -> tuple[list[HeadSums], list[Head]]:
    sums: list[HeadSums] = []
    heads: list[Head] = []
    with evaluating(models):
        for index, batch in enumerate(batches):
            if isinstance(batch.inputs, torch.Tensor) and len(batch.inputs) == 0:
                continue
            if not heads:
                pairs = enumerate(zip(models, given))
                heads = [find_head(model, g, batch.inputs, output, f"models[{i}]") for i, (model, g) in pairs]
                _check_same(heads)
                sums = [HeadSums(head, with_gram) for head in heads]
            for member in sums:
                member.add(batch, f"batch {index}")
    if not heads:
        raise DataError("loader gave no rows, expected at least 1 batch of them")
    return sums, heads


def _check_same(heads: list[Head]) -> None:
    first = heads[0]
    for index, head in enumerate(heads):
        counts = len(head.channels), len(first.channels)
        if counts[0] != counts[1]:
            raise UsageError(f"models[{index}] has {counts[0]} outputs, models[0] has {counts[1]}: expected the same")
        if type(head.layer) is not type(first.layer):
            kinds = type(head.module).__name__, type(first.module).__name__
            raise UsageError(f"models[{index}] ends with {kinds[0]}, models[0] with {kinds[1]}: expected the same kind")


def _models(models: Any) -> list[torch.nn.Module]:
    if isinstance(models, torch.nn.Module) and not isinstance(models, torch.nn.ModuleList):
        models = [models]
    if not isinstance(models, Iterable):
        raise TypeError(f"models is {type(models).__name__}, expected a list of torch.nn.Module")
    models = list(models)
    if not models:
        raise UsageError("models is empty, expected at least 1 network")
    for index, model in enumerate(models):
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"models[{index}] is {type(model).__name__}, expected torch.nn.Module")
    return models


def _per_model(mean_layer: Any, count: int) -> list[Any]:
    if isinstance(mean_layer, (list, tuple)):
        if len(mean_layer) != count:
            raise UsageError(f"mean_layer has {len(mean_layer)} layers, expected {count}, one for each network")
        return list(mean_layer)
    if isinstance(mean_layer, torch.nn.Module) and count > 1:
        raise UsageError(f"mean_layer is one module for {count} networks, expected a name or a list of modules")
    return [mean_layer] * count


def _is_evidence(prior_precision: Any) -> bool:
    return isinstance(prior_precision, str) and prior_precision == "evidence"


def _converted(weight_decay: Any, loss: str | None, sums: list[HeadSums]) -> float:
    """Lambda of (1/N)(sum of losses + lambda/2 |theta|^2), from the decay of a loss averaged over N q values."""
    if not isinstance(weight_decay, (int, float)) or not 0 <= weight_decay < math.inf:
        raise UsageError(f"weight_decay is {weight_decay!r}, expected a number from 0")
    loss = loss or ("mse" if sums[0].estimates_noise else "nll")
    values = sums[0].weight * sums[0].outputs
    if loss == "nll":
        return weight_decay * values
    if loss != "mse":
        raise UsageError(f"loss is {loss!r}, expected 'nll' or 'mse'")
    if not sums[0].estimates_noise:
        raise UsageError("loss is 'mse', but the networks give a variance: expected 'nll'")
    variance = float(torch.stack([member.noise_variance.mean() for member in sums]).mean())
    return weight_decay * values / (2 * variance)


def _batches(loader: Any, batch: Callable[[Any], Any] | None) -> Iterator[Batch]:
    if isinstance(loader, torch.Tensor):
        raise TypeError("loader is a tensor, expected a DataLoader, a data set or an iterable of batches")
    if isinstance(loader, torch.utils.data.Dataset) and not isinstance(loader, torch.utils.data.IterableDataset):
        loader = torch.utils.data.DataLoader(loader, ROWS_AT_ONCE)
    if not isinstance(loader, Iterable):
        raise TypeError(
            f"loader is {type(loader).__name__}, expected a DataLoader, a data set or an iterable of batches"
        )
    for index, one in enumerate(loader):
        yield _batch(one if batch is None else batch(one), f"batch {index} of loader")


def _batch(value: Any, what: str) -> Batch:
    if isinstance(value, torch.Tensor):
        return Batch(value, None, None)
    if not isinstance(value, (tuple, list)) or not 1 <= len(value) <= 3:
        raise TypeError(
            f"{what} is {type(value).__name__}, expected inputs, (inputs, targets) or (inputs, targets, row weights);"
            " batch= can make that of it"
        )
    inputs, targets, weights = [*value, None, None][:3]
    for part, name in ((targets, "targets"), (weights, "row weights")):
        if part is not None and not isinstance(part, torch.Tensor):
            raise TypeError(f"{what}: {name} are {type(part).__name__}, expected a tensor")
    return Batch(inputs, targets, weights)

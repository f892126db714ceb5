# SPDX-License-Identifier: Apache-2.0
"""Ensembles of PyTorch networks, widened as they are: nothing is retrained and no features are stored.

    wide = credens.torch.widen(models, loader, prior_precision=1.0)
    p = wide.predict(x)
    p.mean, p.aleatoric_variance, p.epistemic_variance, p.total_variance

    wide = credens.torch.widen(classifiers, loader, likelihood="softmax", prior_precision=1.0)
    p = wide.predict(x)
    p.probability, p.entropy, p.aleatoric, p.epistemic

docs/bring-your-own.md has the details.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

try:
    import torch
except ImportError as error:  # said when this module is used, never by `import credens`
    raise ImportError("credens.torch needs PyTorch, which is not installed: see https://pytorch.org") from error

from . import _core
from ._ensemble import Ensemble
from ._errors import ArgumentTypeError, DataError, UsageError
from ._outputs import _about, _lambda
from ._torch_classes import ClassForm, ClassPrediction, ClassSums, WidenedClasses, find_class_head
from ._torch_layers import exact
from ._torch_models import Head, evaluating, find_head
from ._torch_sums import Batch, HeadSums
from ._torch_widened import Prediction, Widened

__all__ = ["ClassPrediction", "Prediction", "Widened", "WidenedClasses", "widen"]

ROWS_AT_ONCE = 256  # of a data set that is no loader


def widen(
    models: Iterable[torch.nn.Module],
    loader: Iterable[Any],
    mean_layer: str | torch.nn.Module | Sequence[Any] | None = None,
    *,
    likelihood: str = "gaussian",
    output: str | Callable[[Any], Any] | None = None,
    prior_precision: float | str | None = None,
    weight_decay: float | None = None,
    loss: str | None = None,
    posterior: str | None = None,
    member_weights: Sequence[float] | None = None,
    target_names: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    ignore_index: int = -100,
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

    With `likelihood="softmax"` networks return logits of classes, or their log_softmax, and `output` may be a function
    to these. Targets are numbers of classes, or counts or shares with an axis like that of the logits; rows and pixels
    whose number is `ignore_index` do not count. `classes` are the labels.

    `prior_precision` is lambda, or "evidence". In its place `weight_decay` may be given, as torch.optim.Adam has it,
    with the `loss` that was averaged over rows and outputs: "nll" (GaussianNLLLoss; lambda = weight_decay N q) or "mse"
    (MSELoss; lambda = weight_decay N q / 2 s^2); of classes it is "log_loss", the mean over rows (lambda = weight_decay N).

    `posterior` is "delta", "isotropic", "diagonal" or "full"; "isotropic" if not given, for classes "full".
    """
    has_classes = _has_classes(likelihood, classes)
    models = _models(models)
    given = _per_model(mean_layer, len(models))
    lam = None if weight_decay is not None else _lambda(prior_precision)
    if weight_decay is not None and prior_precision is not None:
        raise UsageError("both prior_precision and weight_decay are given, expected one of them")
    posterior = posterior or ("full" if has_classes else "isotropic")
    kind = _Classes(output, ignore_index) if has_classes else _Numbers(output)
    with_gram = posterior == "full" or _is_evidence(prior_precision)
    sums, heads = _sums_over(models, given, _batches(loader, batch), kind, with_gram)
    noise = [member.finish() for member in sums] if sums[0].estimates_noise else None
    if weight_decay is not None:
        lam = kind.converted(weight_decay, loss, sums)
    layers = [exact(head.weight().detach()).cpu().numpy() for head in heads]
    about = _about(layers, member_weights, None, None, target_names, classes)
    core = _widened_core(sums, lam, posterior, about, has_classes)
    return WidenedClasses(heads, Ensemble(core)) if has_classes else Widened(heads, Ensemble(core), noise)


def _widened_core(sums: list[HeadSums], lam: float | None, posterior: str, about: Any, has_classes: bool) -> Any:
    likelihoods = [member.log_likelihood for member in sums] if sums[0].has_targets else []
    diagonal = [] if sums[0].with_gram else [member.sums() for member in sums]
    gram = [list(member.sums()) for member in sums] if sums[0].with_gram else []
    rows, outputs = sums[0].rows, sums[0].outputs
    return _core.widen_sums(rows, outputs, diagonal, gram, likelihoods, lam, posterior, about, has_classes)


class _Numbers:
    """What networks that predict numbers need."""

    def __init__(self, output: str | Callable | None):
        self._output = output

    def head(self, model, given, inputs: Any, what: str) -> Head:
        return find_head(model, given, inputs, self._output, what)

    def sums(self, head: Head, with_gram: bool) -> HeadSums:
        return HeadSums(head, with_gram)

    def converted(self, weight_decay: Any, loss: str | None, sums: list[HeadSums]) -> float:
        """Lambda of (1/N)(sum of losses + lambda/2 |theta|^2), from the decay of a loss averaged over N q values."""
        _check_decay(weight_decay)
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


class _Classes:
    """What networks that predict classes need."""

    def __init__(self, output: Any, ignore_index: int):
        self._form = ClassForm(output)
        self._ignore_index = ignore_index

    def head(self, model, given, inputs: Any, what: str) -> Head:
        return find_class_head(model, given, inputs, self._form, what)

    def sums(self, head: Head, with_gram: bool) -> ClassSums:
        return ClassSums(head, with_gram, self._ignore_index)

    def converted(self, weight_decay: Any, loss: str | None, sums: list[HeadSums]) -> float:
        _check_decay(weight_decay)
        if loss not in (None, "log_loss"):
            raise UsageError(f"loss is {loss!r}, expected 'log_loss'")
        return weight_decay * sums[0].weight


def _has_classes(likelihood: str, classes: Any) -> bool:
    if likelihood not in ("gaussian", "softmax"):
        raise UsageError(f"likelihood is {likelihood!r}, expected 'gaussian' or 'softmax'")
    if classes is not None and likelihood != "softmax":
        raise UsageError("classes are given, expected likelihood='softmax' beside them")
    return likelihood == "softmax"


def _check_decay(weight_decay: Any) -> None:
    if not isinstance(weight_decay, (int, float)) or not 0 <= weight_decay < math.inf:
        raise UsageError(f"weight_decay is {weight_decay!r}, expected a number from 0")


def _sums_over(models, given, batches: Iterator[Batch], kind: Any, with_gram: bool) -> tuple[list[Any], list[Head]]:
    sums: list[HeadSums] = []
    heads: list[Head] = []
    with evaluating(models):
        for index, batch in enumerate(batches):
            if isinstance(batch.inputs, torch.Tensor) and len(batch.inputs) == 0:
                continue
            if not heads:
                pairs = enumerate(zip(models, given))
                heads = [kind.head(model, g, batch.inputs, f"models[{i}]") for i, (model, g) in pairs]
                _check_same(heads)
                sums = [kind.sums(head, with_gram) for head in heads]
            for member in sums:
                member.add(batch, f"batch {index}")
    if not heads:
        raise DataError("loader gave no rows, expected at least 1 batch of them")
    if not sums[0].weight > 0:
        raise DataError("all rows of loader have the weight 0 or no label, expected at least 1 that counts")
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
        raise ArgumentTypeError(f"models is {type(models).__name__}, expected a list of torch.nn.Module")
    models = list(models)
    if not models:
        raise UsageError("models is empty, expected at least 1 network")
    for index, model in enumerate(models):
        if not isinstance(model, torch.nn.Module):
            raise ArgumentTypeError(f"models[{index}] is {type(model).__name__}, expected torch.nn.Module")
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


def _batches(loader: Any, batch: Callable[[Any], Any] | None) -> Iterator[Batch]:
    if isinstance(loader, torch.Tensor):
        raise ArgumentTypeError("loader is a tensor, expected a DataLoader, a data set or an iterable of batches")
    if isinstance(loader, torch.utils.data.Dataset) and not isinstance(loader, torch.utils.data.IterableDataset):
        loader = torch.utils.data.DataLoader(loader, ROWS_AT_ONCE)
    if not isinstance(loader, Iterable):
        raise ArgumentTypeError(
            f"loader is {type(loader).__name__}, expected a DataLoader, a data set or an iterable of batches"
        )
    for index, one in enumerate(loader):
        yield _batch(one if batch is None else batch(one), f"batch {index} of loader")


def _batch(value: Any, what: str) -> Batch:
    if isinstance(value, torch.Tensor):
        return Batch(value, None, None)
    if not isinstance(value, (tuple, list)) or not 1 <= len(value) <= 3:
        raise ArgumentTypeError(
            f"{what} is {type(value).__name__}, expected inputs, (inputs, targets) or (inputs, targets, row weights);"
            " batch= can make that of it"
        )
    inputs, targets, weights = [*value, None, None][:3]
    for part, name in ((targets, "targets"), (weights, "row weights")):
        if part is not None and not isinstance(part, torch.Tensor):
            raise ArgumentTypeError(f"{what}: {name} are {type(part).__name__}, expected a tensor")
    return Batch(inputs, targets, weights)

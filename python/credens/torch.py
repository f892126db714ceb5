# SPDX-License-Identifier: Apache-2.0
"""Ensembles of PyTorch networks, widened as they are: nothing is retrained and no features are stored.

    wide = credens.torch.widen(models, loader, prior_precision=1.0)
    p = wide.predict(x)
    p.mean, p.aleatoric_variance, p.epistemic_variance, p.total_variance
    p.interval(0.95), p.quantile(0.9), p.log_prob(y), p.sample(100)

    credens.torch.save(wide, "wide.safetensors")
    wide = credens.torch.load("wide.safetensors", Network)

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
from ._outputs import _about, _lambda, _numbers
from ._torch_batches import batches_of
from ._torch_classes import ClassForm, ClassPrediction, ClassSums, WidenedClasses, find_class_head
from ._torch_files import load, save
from ._torch_layers import exact
from ._torch_models import Head, evaluating, find_head
from ._torch_prediction import Prediction
from ._torch_sums import Batch, HeadSums
from ._torch_widened import Widened

__all__ = ["ClassPrediction", "Prediction", "Widened", "WidenedClasses", "load", "save", "widen"]


def widen(
    models: Iterable[torch.nn.Module],
    loader: Iterable[Any],
    mean_layer: str | torch.nn.Module | Sequence[Any] | None = None,
    *,
    likelihood: str = "gaussian",
    output: str | Callable[[Any], Any] | None = None,
    random_bias: bool = False,
    target_scale: Any = None,
    target_shift: Any = None,
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
    batches too. In mappings the parts called `y`, `target(s)` or `label(s)` are targets, `weights`, `row_weights` or
    `sample_weight(s)` row weights, and what is left are inputs. `batch` turns batches of another form into one of these.
    Images are rows of pixels.

    `mean_layer` is the last linear layer or convolution, by name or as a module (a list: one for each network); without
    it the layer is found. The mean must be its output, plus or minus something that does not depend on it; a
    PixelShuffle may come after it. With `random_bias` its bias has a posterior too.

    Where networks were trained with standardised targets, `target_scale` and `target_shift`, numbers or one for each
    output, put predictions into the units of the data: y = shift + scale * (network's value). Targets of `loader` stay in
    the networks' own units.

    `output` says what networks return: "mean" (noise is then estimated from residuals, for which targets are needed),
    "mean_variance", "mean_log_variance", "mean_std" or "mean_log_std" for pairs and mappings, "split_variance" and so
    on for one tensor whose second half of channels is the noise, or a function to a mean or to (mean, variance).
    Without it names of parts decide, and a single tensor is a mean.

    With `likelihood="softmax"` networks return logits of classes, or their log_softmax; `output="probability"` takes their
    probabilities, and `output` may be a function to logits. Targets are numbers of classes, or counts or shares with an axis like that of the logits; rows and pixels
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
    if has_classes and (target_scale is not None or target_shift is not None):
        raise UsageError("target_scale or target_shift is given, which classes do not have")
    kind = _Classes(output, random_bias, ignore_index) if has_classes else _Numbers(output, random_bias)
    with_gram = posterior == "full" or _is_evidence(prior_precision)
    sums, heads = _sums_over(models, given, batches_of(loader, batch), kind, with_gram)
    noise = [member.finish() for member in sums] if sums[0].estimates_noise else None
    if weight_decay is not None:
        lam = kind.converted(weight_decay, loss, sums)
    layers = [exact(head.weight()).cpu().numpy() for head in heads]
    scaling = (_per_output(target_scale, heads[0], "target_scale"), _per_output(target_shift, heads[0], "target_shift"))
    is_shuffled = heads[0].match.shuffle > 1
    about = _about(layers, member_weights, *scaling, None if is_shuffled else target_names, classes)
    core = _widened_core(sums, lam, posterior, about, has_classes, random_bias)
    if has_classes:
        return WidenedClasses(heads, Ensemble(core), ignore_index)
    names = target_names if is_shuffled or target_names is not None else core.target_names
    return Widened(heads, Ensemble(core), noise, names)


def _per_output(values: Any, head: Head, what: str) -> Any:
    """One number is that of all outputs; a PixelShuffle repeats those of an output for each place of a block."""
    if values is None:
        return None
    values = _numbers(values, what)
    places = head.match.shuffle**2
    outputs = head.design.outputs // places
    if len(values) not in (1, outputs):
        raise UsageError(f"{what} has {len(values)} values, expected {outputs}, one for each output")
    return [value for value in values * (1 if len(values) == outputs else outputs) for _ in range(places)]


def _widened_core(
    sums: list[HeadSums], lam: float | None, posterior: str, about: Any, has_classes: bool, random_bias: bool
) -> Any:
    likelihoods = [member.log_likelihood for member in sums] if sums[0].has_targets else []
    diagonal = [] if sums[0].with_gram else [member.sums() for member in sums]
    gram = [list(member.sums()) for member in sums] if sums[0].with_gram else []
    rows, outputs = sums[0].rows, sums[0].outputs
    options = (lam, posterior, bool(random_bias), about, has_classes)
    return _core.widen_sums(rows, outputs, diagonal, gram, likelihoods, *options)


class _Numbers:
    """What networks that predict numbers need."""

    def __init__(self, output: str | Callable | None, random_bias: bool):
        self._output = output
        self._random_bias = random_bias

    def head(self, model, given, inputs: Any, what: str) -> Head:
        return find_head(model, given, inputs, self._output, what, random_bias=self._random_bias)

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

    def __init__(self, output: Any, random_bias: bool, ignore_index: int):
        self._form = ClassForm(output)
        self._random_bias = random_bias
        self._ignore_index = ignore_index

    def head(self, model, given, inputs: Any, what: str) -> Head:
        return find_class_head(model, given, inputs, self._form, what, self._random_bias)

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
        if head.match.shuffle != first.match.shuffle:
            raise UsageError(f"models[{index}] and models[0] have a PixelShuffle of another factor: expected the same")
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

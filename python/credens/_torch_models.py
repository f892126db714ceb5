# SPDX-License-Identifier: Apache-2.0
"""Networks seen from outside: what goes into their last layer, and whether that layer gives their mean."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from ._errors import ArgumentTypeError, UsageError
from ._torch_design import Design
from ._torch_forms import MeanAndNoise, parts_of
from ._torch_layers import KINDS, KINDS_TEXT, at_least_single, layer_of

LOGIT = "logit"
STEADY = 1e-3  # of rounding in float32, beside a change as large as the values themselves


@contextmanager
def evaluating(models: list[torch.nn.Module]) -> Iterator[None]:
    """Networks as they predict, without gradients; afterwards each of their modules is as it was."""
    modes = [(module, module.training) for model in models for module in model.modules()]
    try:
        for model in models:
            model.eval()
        with torch.no_grad():
            yield
    finally:
        for module, training in modes:
            module.training = training


def moved(value: Any, model: torch.nn.Module) -> Any:
    """On the device of a network; floating point in its precision."""
    parameter = next((p for p in model.parameters() if p.is_floating_point()), None)
    if parameter is None:
        return value
    if isinstance(value, torch.Tensor):
        return value.to(parameter.device, parameter.dtype if value.is_floating_point() else None)
    if isinstance(value, Mapping):
        return {name: moved(part, model) for name, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [moved(part, model) for part in value]
    return value


def called(model: torch.nn.Module, inputs: Any) -> Any:
    inputs = moved(inputs, model)
    if isinstance(inputs, Mapping):
        _check_names(model, inputs)
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, list) else model(inputs)


def _check_names(model: torch.nn.Module, inputs: Mapping[str, Any]) -> None:
    try:
        parameters = inspect.signature(model.forward).parameters
    except (TypeError, ValueError):  # of a compiled network
        return
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    unknown = [name for name in inputs if name not in parameters]
    if unknown:
        raise UsageError(
            f"inputs have {', '.join(map(repr, unknown))}, but forward of {type(model).__name__} takes"
            f" {', '.join(map(repr, parameters)) or 'nothing'}; batch= can make of a batch what it takes"
        )


class Seen(NamedTuple):
    """One pass of a network: what its layer got and gave, and what became of it."""

    features: torch.Tensor
    out: torch.Tensor
    raw: Any


def watched(model: torch.nn.Module, module: torch.nn.Module, inputs: Any, what: str, change=None) -> Seen:
    """A pass with an eye on `module`, to whose output `change` is added."""
    calls = []

    def see(_, given, out):
        calls.append((given, out))
        return None if change is None else out + change

    handle = module.register_forward_hook(see)
    try:
        raw = called(model, inputs)
    finally:
        handle.remove()
    if len(calls) != 1 or len(calls[0][0]) != 1:
        raise UsageError(f"{what} ran {len(calls)} times in a pass of its network, expected once, with one input")
    (features,), out = calls[0]
    return Seen(features, out, raw)


class Match(NamedTuple):
    """Which channels of a layer are the means: mean_k = signs_k channel_k + what does not depend on the layer."""

    channels: list[int]
    signs: list[int]
    shuffle: int  # of a PixelShuffle after the layer; 1: there is none


class Head:
    """The last layer of a network, and which of its channels are the means of the outputs, or logits of classes."""

    def __init__(
        self,
        model,
        module,
        form: str | Callable | None,
        what: str,
        layer_name: str,
        noun: str = "mean",
        random_bias: bool = False,
        *,
        inputs: Any = None,
        match: Match | None = None,
    ):
        """The match is found from `inputs`, where it is not given."""
        self.model, self.module, self.form, self.noun = model, module, form, noun
        self.what, self.layer_name, self.random_bias = what, layer_name, random_bias
        self.layer = layer_of(module, self.place)
        self.match = match or self._matched(inputs)
        self.design = Design(self.layer, self.match.channels, self.match.signs, random_bias)

    @property
    def place(self) -> str:
        return f"{self.what}: the layer {self.layer_name!r}"

    @property
    def channels(self) -> list[int]:
        """Of the layer: one for each output or, before a PixelShuffle, for each output and place of a block."""
        return self.match.channels

    def weight(self) -> torch.Tensor:
        """[q, P], without the bias."""
        return self.design.weight()

    def run(self, inputs: Any) -> tuple[torch.Tensor, torch.Tensor, MeanAndNoise]:
        """(features, the layer's output, mean and variance as the network shapes them)."""
        seen = watched(self.model, self.module, inputs, self.place)
        return seen.features, seen.out, self.parts(seen)

    def parts(self, seen: Seen) -> MeanAndNoise:
        return parts_of(seen.raw, self.form, self.layer.channel_axis, self.what)

    def shaped(self, values: torch.Tensor, out: torch.Tensor) -> torch.Tensor | None:
        """Values that are shaped as the mean, in the layer's layout; None: they do not fit."""
        return _shaped(self.layer, values, out, self.match.shuffle)

    def unshaped(self, values: torch.Tensor, shape: torch.Size) -> torch.Tensor:
        """The opposite of `shaped`."""
        if self.match.shuffle > 1:
            values = functional.pixel_shuffle(values, self.match.shuffle)
        return values.reshape(shape)

    def output_axis(self, mean: torch.Tensor, out: torch.Tensor) -> int | None:
        """That of the outputs in a mean as the network shapes it; None where one output has no axis."""
        if mean.dim() < out.dim():
            return None
        axis = self.layer.channel_axis
        return axis % mean.dim() if axis < 0 or out.dim() > self.layer.dimensions + 1 else 0

    def _matched(self, inputs: Any) -> Match:
        """Changes the layer's output at random: each mean must change by the change of one channel, or by its opposite.

        So the layer may give the mean itself, some channels beside others, or what is added to something that does not
        depend on it, or taken away from it; what bends or scales its output is found out.
        """
        before = watched(self.model, self.module, inputs, self.place)
        self._check_size(before)
        change = _change_of(before.out)
        after = watched(self.model, self.module, inputs, self.place, change)
        means = [self.parts(seen).mean for seen in (before, after)]
        shuffle = _shuffle_between(self.layer, means[0], before.out)
        means = [_shaped(self.layer, mean, before.out, shuffle) for mean in means]
        if means[0] is None or means[0].shape[1] > self.layer.channels:
            shape = list(self.parts(before).mean.shape)
            raise UsageError(
                f"{self.place} gives {list(before.out.shape)}, but the {self.noun} is {shape}: that layer does not give"
                " it"
            )
        if shuffle > 1 and self.noun == LOGIT:
            raise UsageError(f"{self.place} is followed by a PixelShuffle, which classes do not take: expected none")
        moved_by = self.layer.rows(means[1] - means[0]).double()
        changes = self.layer.rows(self.layer.shaped(change, before.out)).double()
        if self.noun == LOGIT and moved_by.shape == changes.shape:
            # What is added to all logits of a row, as log_softmax does, changes no probability.
            moved_by, changes = (values - values.mean(1, keepdim=True) for values in (moved_by, changes))
        found = [self._channel(column, changes, k) for k, column in enumerate(moved_by.T)]
        return Match([channel for channel, _ in found], [sign for _, sign in found], shuffle)

    def _check_size(self, seen: Seen) -> None:
        """A transposed convolution may be asked for another size of its output than its module says."""
        norms = self.layer.squared_norm(at_least_single(self.layer.inputs(seen.features)))
        if norms.shape[2:] != self.layer.shaped(seen.out, seen.out).shape[2:]:
            raise UsageError(
                f"{self.place} gives {list(seen.out.shape)}, which is not its own size: expected a call without"
                " output_size, and output_padding in its place"
            )

    def _channel(self, moved_by: torch.Tensor, changes: torch.Tensor, output: int) -> tuple[int, int]:
        """The channel and its sign."""
        size = changes.abs().max()
        is_half = self.module.weight.dtype in (torch.float16, torch.bfloat16)
        steady = 30 * STEADY if is_half else STEADY
        for sign in (1, -1):
            away = (sign * moved_by[:, None] - changes).abs().amax(0)
            channel = int(away.argmin())
            if away[channel] <= steady * size:
                return channel, sign
        if moved_by.abs().max() <= STEADY * size:
            raise UsageError(
                f"{self.place} does not change the {self.noun} of {self._what(output)}, expected the layer that gives it"
            )
        raise UsageError(
            f"{self.place} does not give the {self.noun} of {self._what(output)} as it is:"
            f" {_what_comes_after(moved_by, changes, steady * size)} comes after it, expected its output itself, or that plus"
            " or minus something that does not depend on it"
        )

    def _what(self, output: int) -> str:
        return f"class {output}" if self.noun == LOGIT else f"output {output}"


def _what_comes_after(moved_by: torch.Tensor, changes: torch.Tensor, most: torch.Tensor) -> str:
    factors = (moved_by[:, None] * changes).sum(0) / changes.square().sum(0)
    away = (moved_by[:, None] - factors * changes).abs().amax(0)
    channel = int(away.argmin())
    if away[channel] <= most * factors[channel].abs():
        return f"a factor of {float(factors[channel]):.4g} (let the network leave it out, and give it as target_scale=)"
    return "a nonlinear function or a factor"


def _shuffle_between(layer: Any, mean: torch.Tensor, out: torch.Tensor) -> int:
    """The factor of a PixelShuffle that could lie between images; 1: none could."""
    if layer.dimensions != 2 or mean.dim() < 2 or 0 in out.shape:
        return 1
    (height, width), (rows, columns) = mean.shape[-2:], out.shape[-2:]
    factor = height // rows
    return factor if factor > 1 and (height, width) == (factor * rows, factor * columns) else 1


def _shaped(layer: Any, values: torch.Tensor, out: torch.Tensor, shuffle: int) -> torch.Tensor | None:
    if shuffle == 1:
        return layer.shaped(values, out)
    if values.dim() == out.dim() - 1:
        values = values.unsqueeze(-3)
    if values.dim() != out.dim() or any(size % shuffle for size in values.shape[-2:]):
        return None
    return layer.shaped(functional.pixel_unshuffle(values, shuffle), out)


def _change_of(out: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    change = torch.randn(out.shape, generator=generator).to(out.device, out.dtype)
    size = out.float().std(unbiased=False) if out.numel() else torch.tensor(0.0)
    return change * (size.to(out.dtype) if bool(size > 0) and bool(torch.isfinite(size)) else 1)


def find_head(
    model,
    given: str | torch.nn.Module | None,
    inputs: Any,
    form: str | Callable | None,
    what: str,
    noun: str = "mean",
    random_bias: bool = False,
) -> Head:
    """The layer that is given by name or as it is, or the only one that turns out to give the mean or the logits."""
    modules = dict(model.named_modules())
    if isinstance(given, str):
        if given not in modules:
            usable = ", ".join(_kinds(modules)) or "no layer of a usable kind"
            raise UsageError(f"mean_layer is {given!r}, which {what} does not have; it has {usable}")
        return Head(model, modules[given], form, what, given, noun, random_bias, inputs=inputs)
    if isinstance(given, torch.nn.Module):
        name = next((name for name, module in modules.items() if module is given), None)
        if name is None:
            raise UsageError(f"mean_layer is a {type(given).__name__} that is no part of {what}")
        return Head(model, given, form, what, name, noun, random_bias, inputs=inputs)
    if given is not None:
        raise ArgumentTypeError(
            f"mean_layer is {type(given).__name__}, expected a name, a module, or a list of them, one per network"
        )
    return _only_head(model, modules, inputs, form, what, noun, random_bias)


def _kinds(modules: dict[str, torch.nn.Module]) -> list[str]:
    return [name for name, module in modules.items() if isinstance(module, KINDS)]


def _noting_shapes(seen: list[torch.Tensor]) -> Callable[..., None]:
    return lambda module, given, out: seen.append(torch.empty(out.shape, device="meta"))


def _candidates(model, modules, inputs: Any, form, what: str) -> list[str]:
    """The layers that run once and give one or more channels at each place where there is a mean, the last first."""
    shapes: dict[str, list[torch.Tensor]] = {name: [] for name in _kinds(modules)}
    handles = [modules[name].register_forward_hook(_noting_shapes(seen)) for name, seen in shapes.items()]
    try:
        raw = called(model, inputs)
    finally:
        for handle in handles:
            handle.remove()
    fitting = []
    for name, seen in reversed(shapes.items()):
        axis = -1 if isinstance(modules[name], torch.nn.Linear) else 1
        try:
            mean = torch.empty(parts_of(raw, form, axis, what).mean.shape, device="meta")
            if len(seen) == 1 and _fits(layer_of(modules[name], what), mean, seen[0]):
                fitting.append(name)
        except UsageError:
            if not isinstance(form, str) or not form.startswith("split"):
                raise
    return fitting


def _fits(layer: Any, mean: torch.Tensor, out: torch.Tensor) -> bool:
    return _shaped(layer, mean, out, _shuffle_between(layer, mean, out)) is not None


def _only_head(model, modules, inputs: Any, form, what: str, noun: str, random_bias: bool) -> Head:
    found, reasons = [], {}
    for name in _candidates(model, modules, inputs, form, what):
        try:
            found.append(Head(model, modules[name], form, what, name, noun, random_bias, inputs=inputs))
        except UsageError as error:
            reasons[name] = str(error)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(repr(head.layer_name) for head in found)
        raise UsageError(
            f"mean_layer is not given and several layers of {what} add to the {noun}: {names}; say which one"
        )
    last = next(iter(reasons.values()), f"{what} has no {KINDS_TEXT}")
    raise UsageError(f"no layer of {what} gives its {noun}; expected a linear layer or a convolution at the end ({last})")

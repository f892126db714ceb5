# SPDX-License-Identifier: Apache-2.0
"""Networks seen from outside: what goes into their last layer, and whether that layer gives their mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from ._errors import ArgumentTypeError, UsageError
from ._torch_forms import MeanAndNoise, parts_of
from ._torch_layers import KINDS, layer_of

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
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, list) else model(inputs)


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


class Head:
    """The last layer of a network, and which of its channels are the means of the outputs, or logits of classes."""

    def __init__(
        self, model, module, inputs: Any, form: str | Callable | None, what: str, layer_name: str, noun: str = "mean"
    ):
        self.model, self.module, self.form, self.noun = model, module, form, noun
        self.what, self.layer_name = what, layer_name
        self.layer = layer_of(module, self.place)
        self.channels = self._matched(inputs)

    @property
    def place(self) -> str:
        return f"{self.what}: the layer {self.layer_name!r}"

    def weight(self) -> torch.Tensor:
        """[q, P]"""
        return self.layer.weight()[self.channels]

    def run(self, inputs: Any) -> tuple[torch.Tensor, torch.Tensor, MeanAndNoise]:
        """(features, the layer's output, mean and variance as the network shapes them)."""
        seen = watched(self.model, self.module, inputs, self.place)
        return seen.features, seen.out, self.parts(seen)

    def parts(self, seen: Seen) -> MeanAndNoise:
        return parts_of(seen.raw, self.form, self.layer.channel_axis, self.what)

    def _matched(self, inputs: Any) -> list[int]:
        """Changes the layer's output at random: each mean must change by the change of one channel.

        So the layer may give the mean itself, some channels beside others, or what is added to something that does not
        depend on it; what bends or scales its output is found out.
        """
        before = watched(self.model, self.module, inputs, self.place)
        change = _change_of(before.out)
        after = watched(self.model, self.module, inputs, self.place, change)
        means = [self.layer.shaped(self.parts(seen).mean, before.out) for seen in (before, after)]
        if means[0] is None or means[0].shape[1] > self.layer.channels:
            shape = list(self.parts(before).mean.shape)
            raise UsageError(
                f"{self.place} gives {list(before.out.shape)}, but the {self.noun} is {shape}: that layer does not give"
                " it"
            )
        moved_by = self.layer.rows(means[1] - means[0]).double()
        changes = self.layer.rows(self.layer.shaped(change, before.out)).double()
        if self.noun == LOGIT and moved_by.shape == changes.shape:
            # What is added to all logits of a row, as log_softmax does, changes no probability.
            moved_by, changes = (values - values.mean(1, keepdim=True) for values in (moved_by, changes))
        return [self._channel(column, changes, k) for k, column in enumerate(moved_by.T)]

    def _channel(self, moved_by: torch.Tensor, changes: torch.Tensor, output: int) -> int:
        size = changes.abs().max()
        away = (moved_by[:, None] - changes).abs().amax(0)
        channel = int(away.argmin())
        is_half = self.module.weight.dtype in (torch.float16, torch.bfloat16)
        if away[channel] <= (30 * STEADY if is_half else STEADY) * size:
            return channel
        if moved_by.abs().max() <= STEADY * size:
            raise UsageError(
                f"{self.place} does not change the {self.noun} of {self._what(output)}, expected the layer that gives it"
            )
        raise UsageError(
            f"{self.place} does not give the {self.noun} of {self._what(output)} as it is: a nonlinear function or a"
            " factor comes after it, expected its output itself, or that plus something that does not depend on it"
        )

    def _what(self, output: int) -> str:
        return f"class {output}" if self.noun == LOGIT else f"output {output}"


def _change_of(out: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    change = torch.randn(out.shape, generator=generator).to(out.device, out.dtype)
    size = out.float().std(unbiased=False) if out.numel() else torch.tensor(0.0)
    return change * (size.to(out.dtype) if bool(size > 0) and bool(torch.isfinite(size)) else 1)


def find_head(
    model, given: str | torch.nn.Module | None, inputs: Any, form: str | Callable | None, what: str, noun: str = "mean"
) -> Head:
    """The layer that is given by name or as it is, or the only one that turns out to give the mean or the logits."""
    modules = dict(model.named_modules())
    if isinstance(given, str):
        if given not in modules:
            usable = ", ".join(_kinds(modules)) or "no layer of a usable kind"
            raise UsageError(f"mean_layer is {given!r}, which {what} does not have; it has {usable}")
        return Head(model, modules[given], inputs, form, what, given, noun)
    if isinstance(given, torch.nn.Module):
        name = next((name for name, module in modules.items() if module is given), None)
        if name is None:
            raise UsageError(f"mean_layer is a {type(given).__name__} that is no part of {what}")
        return Head(model, given, inputs, form, what, name, noun)
    if given is not None:
        raise ArgumentTypeError(
            f"mean_layer is {type(given).__name__}, expected a name, a module, or a list of them, one per network"
        )
    return _only_head(model, modules, inputs, form, what, noun)


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
            if len(seen) == 1 and layer_of(modules[name], what).shaped(mean, seen[0]) is not None:
                fitting.append(name)
        except UsageError:
            if not isinstance(form, str) or not form.startswith("split"):
                raise
    return fitting


def _only_head(model, modules, inputs: Any, form, what: str, noun: str) -> Head:
    found, reasons = [], {}
    for name in _candidates(model, modules, inputs, form, what):
        try:
            found.append(Head(model, modules[name], inputs, form, what, name, noun))
        except UsageError as error:
            reasons[name] = str(error)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(repr(head.layer_name) for head in found)
        raise UsageError(
            f"mean_layer is not given and several layers of {what} add to the {noun}: {names}; say which one"
        )
    last = next(iter(reasons.values()), f"{what} has no Linear, Conv1d, Conv2d or Conv3d")
    raise UsageError(f"no layer of {what} gives its {noun}; expected a linear layer or a convolution at the end ({last})")

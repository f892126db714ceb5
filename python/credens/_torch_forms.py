# SPDX-License-Identifier: Apache-2.0
"""Forms of a network's result: a mean, and the noise as variance, standard deviation or logarithm of one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from ._errors import UsageError

NOISES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "variance": lambda noise: noise,
    "log_variance": torch.exp,
    "std": torch.square,
    "log_std": lambda noise: torch.exp(2 * noise),
}
PAIRS = tuple(f"mean_{noise}" for noise in NOISES)
SPLITS = tuple(f"split_{noise}" for noise in NOISES)
FORMS = ("mean", *PAIRS, *SPLITS)

# Names that libraries give to the parts of an output.
MEANS = ("mean", "mu", "loc", "prediction", "predictions", "pred", "y_hat", "output", "out", "logits", "sample", "reconstruction")
NAMES = {
    "variance": ("variance", "var", "sigma2"),
    "log_variance": ("log_variance", "logvar", "log_var", "logvariance"),
    "std": ("std", "stddev", "sigma", "scale"),
    "log_std": ("log_std", "logstd", "log_sigma", "log_scale"),
}


class MeanAndNoise(NamedTuple):
    mean: torch.Tensor
    variance: torch.Tensor | None  # None: constant noise, to be estimated from residuals


def parts_of(raw: Any, form: str | Callable | None, axis: int, what: str) -> MeanAndNoise:
    """Mean and variance of an output; `axis` is that of its channels, `form` of FORMS, a function or None: by names."""
    if callable(form):
        return _checked(form(raw), what)
    if form is None:
        form = _guess(raw, what)
    elif form not in FORMS:
        raise UsageError(f"output is {form!r}, expected one of {', '.join(FORMS)}, or a function")
    if form == "mean":
        return MeanAndNoise(_tensor(_named_mean(raw) if _names(raw) else raw, f"{what}: its output"), None)
    where, _, noise = form.partition("_")
    mean, raw_noise = _halves(raw, axis, what) if where == "split" else _pair(raw, noise, what)
    return MeanAndNoise(mean, NOISES[noise](raw_noise))


def _checked(parts: Any, what: str) -> MeanAndNoise:
    if isinstance(parts, torch.Tensor):
        return MeanAndNoise(parts, None)
    if not isinstance(parts, (tuple, list)) or len(parts) != 2:
        raise UsageError(f"{what}: output() gave {described(parts)}, expected a mean or (mean, variance)")
    variance = None if parts[1] is None else _tensor(parts[1], f"{what}: the variance of output()")
    return MeanAndNoise(_tensor(parts[0], f"{what}: the mean of output()"), variance)


def _guess(raw: Any, what: str) -> str:
    """By the names of the parts; a single tensor is a mean. Two nameless tensors could be four things."""
    if isinstance(raw, torch.Tensor):
        return "mean"
    if _names(raw):
        noises = [noise for noise, names in NAMES.items() if by_name(raw, names) is not None]
        if _is_distribution(raw):
            noises = ["std"]
        if _named_mean(raw) is not None and len(noises) <= 1:
            return f"mean_{noises[0]}" if noises else "mean"
    raise UsageError(
        f"{what} gives {described(raw)}: say with output= what that is, one of {', '.join(FORMS)}, or a function"
    )


def _named_mean(raw: Any) -> Any:
    found = by_name(raw, MEANS)
    return only_tensor(raw) if found is None else found


def _pair(raw: Any, noise: str, what: str) -> tuple[torch.Tensor, torch.Tensor]:
    mean = spread = None
    if _names(raw):
        mean, spread = by_name(raw, MEANS), by_name(raw, NAMES[noise])
    if (mean is None or spread is None) and isinstance(raw, (tuple, list)) and len(raw) == 2:
        mean, spread = raw
    if mean is None or spread is None:
        raise UsageError(f"{what} gives {described(raw)}, expected (mean, {noise}), or both by these names")
    return _tensor(mean, f"{what}: the mean"), _tensor(spread, f"{what}: the {noise}")


def _halves(raw: Any, axis: int, what: str) -> tuple[torch.Tensor, torch.Tensor]:
    tensor = _tensor(raw, f"{what}: its output")
    if tensor.dim() <= abs(axis) - (axis < 0) or tensor.shape[axis] % 2:
        raise UsageError(
            f"{what} gives {described(raw)}, expected an even number of channels: means, then their noise"
        )
    mean, noise = tensor.chunk(2, axis)
    return mean, noise


def _is_distribution(raw: Any) -> bool:
    return isinstance(raw, torch.distributions.Normal)


def _names(raw: Any) -> bool:
    """Whether parts have names: in a mapping, a named tuple, a distribution, anything but a plain container."""
    return isinstance(raw, Mapping) or hasattr(raw, "_fields") or not isinstance(raw, (torch.Tensor, tuple, list))


def by_name(raw: Any, names: tuple[str, ...]) -> Any:
    for name in names:
        found = raw.get(name) if isinstance(raw, Mapping) else getattr(raw, name, None)
        if isinstance(found, torch.Tensor):
            return found
    return None


def only_tensor(raw: Any) -> torch.Tensor | None:
    """The one tensor of a mapping whose name says nothing."""
    parts = {name: part for name, part in raw.items() if isinstance(part, torch.Tensor)} if isinstance(raw, Mapping) else {}
    is_noise = any(name in names for name in parts for names in NAMES.values())
    return None if len(parts) != 1 or is_noise else next(iter(parts.values()))


def _tensor(value: Any, what: str) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise UsageError(f"{what} is {type(value).__name__}, expected a tensor")
    return value


def described(raw: Any) -> str:
    if isinstance(raw, torch.Tensor):
        return f"a tensor {list(raw.shape)}"
    if isinstance(raw, Mapping):
        return f"a mapping with {', '.join(map(str, raw)) or 'nothing'}"
    if hasattr(raw, "_fields"):
        return f"a tuple with {', '.join(raw._fields)}"
    if isinstance(raw, (tuple, list)):
        kind = "tensors" if all(isinstance(part, torch.Tensor) for part in raw) else "values"
        return f"{len(raw)} {kind} without names"
    return type(raw).__name__

# SPDX-License-Identifier: Apache-2.0
"""Batches in the forms that loaders give: pairs, triples, or mappings whose parts are known by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch

from ._errors import ArgumentTypeError, UsageError
from ._torch_sums import Batch

ROWS_AT_ONCE = 256  # of a data set that is no loader

# Names that libraries give to the parts of a batch; what is left are inputs.
TARGETS = ("y", "target", "targets", "label", "labels")
WEIGHTS = ("weights", "row_weights", "sample_weight", "sample_weights")


def batches_of(loader: Any, batch: Callable[[Any], Any] | None) -> Iterator[Batch]:
    if isinstance(loader, torch.Tensor):
        raise ArgumentTypeError("loader is a tensor, expected a DataLoader, a data set or an iterable of batches")
    if isinstance(loader, Mapping):
        raise ArgumentTypeError(f"loader is {type(loader).__name__}, expected a DataLoader, a data set or a list with this batch")
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
    if isinstance(value, Mapping):
        value = _parts(value, what)
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


def _parts(value: Mapping[str, Any], what: str) -> tuple[Any, Any, Any]:
    """Inputs, targets and weights; one input is given to a network as it is, several by their names."""
    targets, weights = (_only(value, names, what) for names in (TARGETS, WEIGHTS))
    inputs = {name: part for name, part in value.items() if name not in (*TARGETS, *WEIGHTS)}
    if not inputs:
        raise UsageError(f"{what} has {', '.join(map(repr, value)) or 'no parts'}, expected inputs beside these; batch= can say which")
    return (next(iter(inputs.values())) if len(inputs) == 1 else inputs), targets, weights


def _only(value: Mapping[str, Any], names: tuple[str, ...], what: str) -> Any:
    found = [name for name in names if value.get(name) is not None]
    if len(found) > 1:
        raise UsageError(f"{what} has {' and '.join(map(repr, found))}, expected one of them; batch= can say which")
    return value[found[0]] if found else None

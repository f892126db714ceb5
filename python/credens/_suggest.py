# SPDX-License-Identifier: Apache-2.0
"""The next measurements: which rows are expected to teach a model most."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _tables
from ._errors import DataError, UsageError

if TYPE_CHECKING:
    from ._ensemble import Ensemble

_ROWS_IN_BOX = 10000


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Rows to measure, the first one first; n of them, q outputs.

    `ignorance` [q] is the root mean epistemic variance at the rows that count, `ignorance_after` [n, q] the same once a row
    and those before it have been measured; `noise` [q] is the root mean aleatoric variance of the pool. With the goal `learn`
    a `gain` is the share of the mean epistemic variance that is expected to go, otherwise the expected improvement.
    """

    rows: np.ndarray  #: [n]: of the pool, counted from 0
    inputs: np.ndarray  #: [n, d]: of these rows, words as codes
    gain: np.ndarray  #: [n]
    repeats: list[int | None]  #: place of an earlier suggestion with nearly the same inputs
    repeats_pending: list[int | None]  #: or row of `pending`
    ignorance: np.ndarray
    ignorance_after: np.ndarray
    noise: np.ndarray
    noise_dominates: bool  #: more rows will not help: measure more precisely
    candidates: int  #: rows of the pool that were weighed up
    at: int  #: rows at which ignorance was averaged

    def __len__(self) -> int:
        return len(self.rows)


def suggest(
    model: Ensemble,
    pool: Any,
    n: int,
    at: Any,
    pending: Any,
    cost: Any,
    goal: Any,
    bounds: Mapping[str, tuple[float, float]] | None,
    noise_std: Any,
    pending_noise_std: Any,
    seed: int,
    threads: int,
) -> Suggestion:
    seed = _tables.whole(seed, "seed")
    inputs = _pool(model, pool, bounds, seed)
    waiting = None if pending is None else model._inputs(pending)
    word, output, value = _goal(model, goal)
    found = _core.suggest(
        model._core,
        inputs,
        _tables.whole(n, "n"),
        word,
        output,
        value,
        None if at is None else model._inputs(at),
        waiting,
        None if cost is None else _tables.vector(cost, "cost"),
        model._noise(noise_std, len(inputs)),
        None if waiting is None else model._noise(pending_noise_std, len(waiting)),
        seed,
        _tables.whole(threads, "threads", most=2**31 - 1),
    )
    rows = found.pop("rows").astype(np.intp)
    places = {name: [None if math.isnan(place) else int(place) for place in found.pop(name)] for name in ("repeats", "repeats_pending")}
    return Suggestion(rows=rows, inputs=np.asarray(inputs)[rows], **places, **found)


def _pool(model: Ensemble, pool: Any, bounds: Mapping[str, tuple[float, float]] | None, seed: int) -> np.ndarray:
    if (pool is None) == (bounds is None):
        raise UsageError("pool and bounds are " + ("both missing" if pool is None else "both given") + ", expected one of them")
    if bounds is None:
        return model._inputs(pool)
    names = model.input_names or [str(j) for j in range(model.inputs)]
    numbers = [name for name, kind in zip(names, model.input_kinds) if kind != "category"]
    unknown = [name for name in bounds if name not in numbers]
    missing = [name for name in numbers if name not in bounds]
    if unknown:
        raise DataError(f"bounds: {unknown[0]!r} is no input of numbers")
    if missing:
        raise DataError(f"bounds: no bounds of {missing[0]!r}, an input of the model")
    lower, upper = ([float(bounds[name][end]) if name in bounds else 0.0 for name in names] for end in (0, 1))
    return _core.rows_within(model._core, lower, upper, _ROWS_IN_BOX, seed)


def _goal(model: Ensemble, goal: Any) -> tuple[str, int, float]:
    """Word, output and value."""
    text = _tables.word(goal, "goal")
    if text in ("maximise", "minimise") and model.outputs > 1:
        raise UsageError(f"goal is {text}, which needs a model of one output, this one has {model.outputs}")
    if text in ("learn", "maximise", "minimise"):
        return text, 0, 0.0
    target, equals, value = text.rpartition("=")
    if not equals or target not in model.target_names:
        raise UsageError(f"goal is {text!r}, expected learn, maximise, minimise or TARGET=VALUE")
    try:
        return "value", model.target_names.index(target), float(value)
    except ValueError:
        raise UsageError(f"goal: {value!r} is no number") from None

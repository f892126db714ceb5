# SPDX-License-Identifier: Apache-2.0
"""Why a prediction is what it is: what each input contributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _tables

if TYPE_CHECKING:
    from ._ensemble import Ensemble


@dataclass(frozen=True, eq=False)
class Contributions:
    """What inputs contribute to a quantity: `value` = `base` + the sum of `of_inputs`. With several outputs every array has
    one more axis, the last."""

    base: Any  #: mean over the background
    value: np.ndarray  #: [N]
    of_inputs: np.ndarray  #: [N, d]
    standard_error: np.ndarray  #: [N, d]: of drawing orders and background rows
    share: np.ndarray  #: [d]: of the mean absolute contributions
    spread: np.ndarray  #: [d]: standard deviation of the contributions over rows


@dataclass(frozen=True, eq=False)
class Explanation:
    """What each input contributes to mean, noise and ignorance; the last two are standard deviations."""

    inputs: list[str]
    mean: Contributions
    noise: Contributions
    ignorance: Contributions


def explain(model: Ensemble, inputs: Any, background: Any, draws: int, seed: int, threads: int) -> Explanation:
    found = _core.explain(
        model._core,
        model._inputs(inputs),
        None if background is None else model._inputs(background),
        _tables.whole(draws, "draws"),
        _tables.whole(seed, "seed"),
        _tables.whole(threads, "threads", most=2**31 - 1),
    )
    names = model.input_names or [str(j) for j in range(model.inputs)]
    parts = {name: Contributions(**{key: _single(array) for key, array in part.items()}) for name, part in found.items()}
    return Explanation(names, **parts)


def _single(array: np.ndarray) -> Any:
    return array[..., 0] if array.shape[-1] == 1 else array

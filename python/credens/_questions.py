# SPDX-License-Identifier: Apache-2.0
"""Questions that a model answers beyond predictions: methods of `Ensemble`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._explain import Explanation
    from ._suggest import Suggestion


class Questions:
    __slots__ = ()

    def explain(self: Any, inputs: Any, *, background: Any = None, draws: int = 64, seed: int = 0, threads: int = 0) -> Explanation:
        """What each input contributes to mean, noise and ignorance of rows: Shapley values, from `draws` pairs of opposite
        orders of the inputs, with their standard errors.

        Rows are compared with those of `background`, by default with one another.
        """
        from ._explain import explain

        self._refuse_classes("explain")
        return explain(self, inputs, background, draws, seed, threads)

    def suggest(
        self: Any,
        pool: Any = None,
        n: int = 1,
        *,
        at: Any = None,
        pending: Any = None,
        cost: Any = None,
        goal: str = "learn",
        bounds: Mapping[str, tuple[float, float]] | None = None,
        noise_std: Any = None,
        pending_noise_std: Any = None,
        seed: int = 0,
        threads: int = 0,
    ) -> Suggestion:
        """The `n` rows of `pool` to measure next, so that the mean epistemic variance at the rows `at` (by default those of
        the pool) is expected to fall most.

        Rows in `pending` are being measured already. `cost` [N] > 0 is that of each row of the pool. In place of a pool,
        `bounds` gives the interval of each input by its name. `goal` is `learn`, `maximise`, `minimise` or `TARGET=VALUE`.
        """
        from ._suggest import suggest

        self._refuse_classes("suggest")
        return suggest(self, pool, n, at, pending, cost, goal, bounds, noise_std, pending_noise_std, seed, threads)

# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments on simulated data, Figures 1 and 2, as runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._dataset import Dataset
from .._ensemble import Ensemble
from .._scores import score
from ..datasets import simulate
from .measure import first_members, mean_in_order, measure, measure_widths, measurements_of
from .results import CLASSICAL, EXTENDED, Key, Measurement
from .runs import Context, Run, fit, training_effort, words_of

FIGURE1_ROWS = 200
FIGURE1_TEST_ROWS = 300
FIGURE1_MEMBERS = 10

FIGURE2_MEMBERS = 10
"""While rows vary; the learning rate is 0.001."""
FIGURE2_ROWS = 600
"""While members vary; the learning rate is 1/600."""
FIGURE2_TEST_ROWS = 1000


def simulated_settings(members: int, learning_rate: float, seed: int) -> dict[str, Any]:
    """The paper's settings for simulated data. Its lambda of one over the rows stands beside the mean loss, which makes
    a prior precision of 1."""
    return {
        "recipe": "paper",
        "members": members,
        "epochs": 60,
        "batch": 64,
        "learning_rate": learning_rate,
        "schedule": "drop-last-five",
        "prior_precision": 1.0,
        "posterior": "isotropic",
        "standardise_inputs": False,
        "seed": seed,
    }


# ---- Figure 1 ----


class Figure1(NamedTuple):
    train: Dataset
    test: Dataset
    """In the order of x."""
    truth: np.ndarray
    """The regression function at the test rows."""
    wide: Ensemble


def figure1_settings(seed: int) -> dict[str, Any]:
    return simulated_settings(FIGURE1_MEMBERS, 1 / FIGURE1_ROWS, seed)


def make_figure1(seed: int, context: Context) -> Figure1:
    """The rows and the model of `credens demo --seed SEED`."""
    data, truth = simulate("figure1", FIGURE1_ROWS + FIGURE1_TEST_ROWS, seed)
    order = FIGURE1_ROWS + np.argsort(data.inputs[FIGURE1_ROWS:, 0])
    train = data.select(range(FIGURE1_ROWS))
    return Figure1(train, data.select(order), truth[order], fit(train, figure1_settings(seed), context))


def _work_figure1(seed: int, context: Context) -> list[Measurement]:
    figure = make_figure1(seed, context)
    extended = figure.wide.predict(figure.test.inputs, threads=context.threads)
    setting = Key(data="figure1", rows=FIGURE1_ROWS, members=FIGURE1_MEMBERS)
    found = []
    for method, predictive in ((CLASSICAL, extended.classical()), (EXTENDED, extended)):
        found += measurements_of(setting, method, score(predictive, figure.test.targets, truth=figure.truth))
    return found + measure_widths(setting, figure.wide, figure.train, context.threads)


def figure1_runs(repetitions: int) -> list[Run]:
    """Figure 1 with the seeds 0, 1, ...."""
    runs = []
    for seed in range(repetitions):
        options = figure1_settings(seed)
        runs.append(
            Run(
                name=f"figure1-{seed}",
                settings=f"figure 1, {FIGURE1_ROWS} rows, {FIGURE1_TEST_ROWS} test rows; {words_of(options)}",
                effort=training_effort(options, FIGURE1_ROWS, 1),
                work=lambda context, seed=seed: _work_figure1(seed, context),  # type: ignore[misc]
            )
        )
    return runs


# ---- Figure 2 ----


class Grid(NamedTuple):
    rows: list[int]
    members: list[int]
    """Rising."""


def figure2_grid(quick: bool) -> Grid:
    """Members cost nothing: the largest ensemble is trained, the others are its first members."""
    rows = [100, 200, 300, 450, 600, 900, 1200, 1800, 2400, 3000]
    return Grid([100, 200, 300, 600, 1200, 3000] if quick else rows, [1, 2, 3, 5, 7, 10, 15, 20])


class _Setting(NamedTuple):
    series: str
    rows: int
    members: list[int]
    learning_rate: float

    def options(self, seed: int) -> dict[str, Any]:
        return simulated_settings(self.members[-1], self.learning_rate, seed)


def _gamma_against_rows(wide: Ensemble, first_row: int, seed: int, threads: int) -> list[Measurement]:
    """Theorem 3 by itself: the same networks, widened with more and more rows that none of them was trained on."""
    counts = figure2_grid(quick=False).rows
    data, _ = simulate("figure2", first_row + counts[-1], seed)
    found = []
    for rows in counts:
        given = data.select(range(first_row, first_row + rows))
        gamma = _core.widen(wide._core, given._core, None, None, False, None, threads).gamma
        key = Key("width", "figure2", rows, wide.members, EXTENDED, "gamma")
        found.append(Measurement(key, mean_in_order(gamma)))
    return found


def _work_figure2(figure: _Setting, seed: int, context: Context) -> list[Measurement]:
    """The test rows come first, so that they are the same for any number of training rows."""
    end = FIGURE2_TEST_ROWS + figure.rows
    data, truth = simulate("figure2", end, seed)
    test, train = data.select(range(FIGURE2_TEST_ROWS)), data.select(range(FIGURE2_TEST_ROWS, end))
    wide = fit(train, figure.options(seed), context)
    predictive = wide.predict(test.inputs, threads=context.threads)
    setting = Key(series=figure.series, data="figure2", rows=figure.rows)
    found = []
    for members in figure.members:
        found += measure(setting, first_members(predictive, members), test.targets, truth[:FIGURE2_TEST_ROWS])
    found += measure_widths(setting, wide, train, context.threads)
    if figure.series == "members":
        found += _gamma_against_rows(wide, end, seed, context.threads)
    return found


def _figure2_run(figure: _Setting, seed: int) -> Run:
    options = figure.options(seed)
    members = " ".join(map(str, figure.members))
    return Run(
        name=f"figure2-{figure.series}-{figure.rows}-rows-{seed}",
        settings=f"figure 2, series {figure.series}, {figure.rows} rows, first {members} members, "
        f"{FIGURE2_TEST_ROWS} test rows; {words_of(options)}",
        effort=training_effort(options, figure.rows, 2),
        work=lambda context: _work_figure2(figure, seed, context),
    )


def figure2_runs(grid: Grid, repetitions: int) -> list[Run]:
    """Series `rows` and `members`, and `width`: gamma of the networks of `members`, widened with other numbers of rows.

    All settings of one repetition are tested on the same rows, and fewer training rows are the first of more.
    """
    settings = [_Setting("rows", rows, [FIGURE2_MEMBERS], 0.001) for rows in grid.rows]
    settings.append(_Setting("members", FIGURE2_ROWS, grid.members, 1 / FIGURE2_ROWS))
    return [_figure2_run(setting, seed) for setting in settings for seed in range(repetitions)]

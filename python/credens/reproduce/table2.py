# SPDX-License-Identifier: Apache-2.0
"""The paper's Tables 1 and 2 as runs: ensembles of 5 and 10 members on real data, over splits or seeds."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from .._dataset import Dataset
from .._ensemble import Ensemble
from .._errors import UsageError
from .measure import first_members, measure, measure_widths
from .results import EXTENDED, Key, Measurement
from .runs import Context, Run, fit, training_effort, words_of

TEST_FRACTION = 0.2
MEMBERS = (5, 10)

MEAN_LOSS = "lambda_mean_loss"
LITERAL = "lambda_literal"
READINGS = (MEAN_LOSS, LITERAL)
"""The paper leaves open where its lambda stands: beside the mean loss, so that the prior precision is N lambda, or as
its equation of the prior has it, so that the prior precision is lambda. Each reading is a series."""


@dataclass(frozen=True)
class RealData:
    """A line of Table 1."""

    name: str
    title: str
    learning_rate: float
    prior: float
    """The paper's lambda."""
    batch: int
    epochs: int
    repetitions: int
    """Splits, or seeds of the official split."""
    quick_repetitions: int


TABLE1 = (
    RealData("qsar", "QSAR aquatic toxicity", 1e-3, 1e-2, batch=128, epochs=60, repetitions=20, quick_repetitions=3),
    RealData("yacht", "Yacht hydrodynamics", 1e-3, 1e-3, batch=8, epochs=100, repetitions=20, quick_repetitions=3),
    RealData("blog", "Blog feedback", 1e-5, 1e-5, batch=64, epochs=50, repetitions=5, quick_repetitions=1),
    RealData("year", "Year prediction MSD", 5e-5, 1e-4, batch=128, epochs=40, repetitions=3, quick_repetitions=1),
)


def table1_settings(table: RealData, train_rows: int, reading: str, seed: int) -> dict[str, Any]:
    return {
        "recipe": "paper",
        "members": MEMBERS[-1],
        "epochs": table.epochs,
        "batch": table.batch,
        "learning_rate": table.learning_rate,
        "schedule": "halve-last-five",
        "prior_precision": (train_rows if reading == MEAN_LOSS else 1.0) * table.prior,
        "posterior": "isotropic",
        "seed": seed,
    }


class RealRows:
    """The rows of a data set and its official split, or random ones that hold out a fifth."""

    def __init__(self, table: RealData, train: Dataset, test: Dataset | None):
        """Without `test` there is no official split. Inputs that are constant in the training part say nothing and are
        dropped from an official split, as the paper did with four of Blog."""
        self.table = table
        if test is not None:
            varies = np.ptp(train.inputs, axis=0) > 0
            if not varies.all():
                train, test = (Dataset(rows.inputs[:, varies], rows.targets) for rows in (train, test))
        self._train, self._test = train, test

    @property
    def has_official_split(self) -> bool:
        return self._test is not None

    @property
    def inputs(self) -> int:
        return self._train.inputs.shape[1]

    @property
    def fingerprint(self) -> str:
        return self._train.fingerprint + ("" if self._test is None else " " + self._test.fingerprint)

    def parts(self, seed: int) -> tuple[Dataset, Dataset]:
        """(train, test); the official ones do not depend on the seed."""
        return self._train.split(TEST_FRACTION, seed) if self._test is None else (self._train, self._test)


def _measure_table2(setting: Key, wide: Ensemble, train: Dataset, test: Dataset, threads: int) -> list[Measurement]:
    """The scores of its first 5 and 10 members at rows held out."""
    _, scale = _core.standardising_scale(train.targets)
    predictive = wide.predict(test.inputs, threads=threads)
    found = []
    for members in MEMBERS:
        found += measure(setting, first_members(predictive, members), test.targets, target_std=float(scale[0]))
    return found


def _work(rows: RealRows, reading: str, seed: int, context: Context) -> list[Measurement]:
    train, test = rows.parts(seed)
    wide = fit(train, table1_settings(rows.table, len(train), reading, seed), context)
    setting = Key(series=reading, data=rows.table.name, rows=len(train))
    found = _measure_table2(setting, wide, train, test, context.threads)
    return found + measure_widths(setting, wide, train, context.threads)


def table2_runs(rows: RealRows, repetitions: int) -> list[Run]:
    """One run per reading and repetition; each trains the largest ensemble, of which the smaller ones are the first
    members. Seed 0, 1, ... chooses the split, where that is random, and the weights."""
    name, fingerprint, members = rows.table.name, rows.fingerprint, " ".join(map(str, MEMBERS))
    train_rows = len(rows.parts(0)[0])
    runs = []
    for reading in READINGS:
        for seed in range(repetitions):
            options = table1_settings(rows.table, train_rows, reading, seed)
            split = "official" if rows.has_official_split else seed
            runs.append(
                Run(
                    name=f"table2-{name}-{reading}-{seed}",
                    settings=f"table 2, {name} {fingerprint}, split {split}, first {members} members; {words_of(options)}",
                    effort=training_effort(options, train_rows, rows.inputs),
                    work=lambda context, reading=reading, seed=seed: _work(rows, reading, seed, context),  # type: ignore[misc]
                )
            )
    return runs


# ---- synthetic rows in the place of Year ----

YEAR_SYNTHETIC = "year-synthetic"
"""Its name in results: the scores say nothing about Year."""
YEAR_INPUTS = 90
TRAINING_SHARE = 463_715 / 515_345


def make_year_shape(rows: int) -> tuple[Dataset, Dataset]:
    """(train, test): random inputs, and a target that depends on few of them, with noise, in the shape of Year.

    Few have its file at hand; this shows what a set of half a million rows takes of time and memory. The share of
    training rows is that of Year, but at least two rows stand on each side.
    """
    if rows < 4:
        raise UsageError(f"{rows} rows in the shape of Year, expected at least 4")
    random = np.random.Generator(np.random.Philox(0))
    x = random.uniform(-1, 1, (rows, YEAR_INPUTS))
    y = 1998 + 8 * x[:, 0] - 6 * x[:, 1] * x[:, 2] + (8 + 4 * x[:, 3]) * random.standard_normal(rows)
    train = _training_rows(rows)
    return Dataset(x[:train], y[:train]), Dataset(x[train:], y[train:])


def _training_rows(rows: int) -> int:
    return min(max(int(TRAINING_SHARE * rows + 0.5), 2), rows - 2)


def _work_year_shape(rows: int, context: Context) -> list[Measurement]:
    train, test = make_year_shape(rows)
    options = table1_settings(TABLE1[-1], len(train), MEAN_LOSS, 0)
    start = time.perf_counter()
    wide = fit(train, options, context)
    seconds = time.perf_counter() - start
    setting = Key(series=MEAN_LOSS, data=YEAR_SYNTHETIC, rows=len(train))
    found = _measure_table2(setting, wide, train, test, context.threads)
    times = {
        "seconds": seconds,
        "rows_per_second": len(train) * options["epochs"] * options["members"] / seconds,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }
    setting = replace(setting, members=wide.members, method=EXTENDED)
    return found + [Measurement(replace(setting, metric=metric), value) for metric, value in times.items()]


def year_shape_run(rows: int) -> Run:
    """The measurements of Table 2 with a prior precision of N lambda, which takes as long as the other reading, and of
    training and widening: `seconds`, `rows_per_second` (of all members and epochs), `peak_megabytes` (of the process)."""
    options = table1_settings(TABLE1[-1], _training_rows(rows), MEAN_LOSS, 0)
    return Run(
        name=f"table2-{YEAR_SYNTHETIC}-{rows}",
        settings=f"{rows} synthetic rows in the shape of Year; {words_of(options)}",
        effort=training_effort(options, _training_rows(rows), YEAR_INPUTS),
        work=lambda context: _work_year_shape(rows, context),
    )

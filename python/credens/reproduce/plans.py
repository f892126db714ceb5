# SPDX-License-Identifier: Apache-2.0
"""What was asked for, and the runs that follow from it."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from typing import Any, NamedTuple

from .._errors import FileError, UsageError
from ..datasets._known import find_data, known_set, load_data, suggestion
from .class_plan import plan_classes
from .reproduction import EXPERIMENTS, Reproduction
from .runs import Run, planned
from .simulated import figure1_runs, figure2_grid, figure2_runs
from .table2 import TABLE1, RealData, RealRows, table2_runs, year_shape_run
from .uci import GAP, STANDARD, UCI_SETS, UciSet, find_uci_rows, uci_runs, uci_set

REPETITIONS = 20
QUICK_REPETITIONS = 3
QUICK_SETS = 2
QUICK_SPLITS = 2
ALL_SPLITS = 1_000_000


class Plan(NamedTuple):
    """The runs of one experiment."""

    experiment: str
    runs: list[Run]


def make_plans(arguments: Namespace, reproduction: Reproduction) -> list[Plan]:
    """Raises UsageError for options of another experiment, FileError where no data are found. A data set that is not
    found while others are stands in `reproduction.left_out`."""
    experiment = arguments.experiment
    _check(arguments)
    repetitions = arguments.repetitions or (QUICK_REPETITIONS if arguments.quick else REPETITIONS)
    plans = []
    if experiment in ("figure1", "all"):
        plans.append(Plan("figure1", figure1_runs(repetitions)))
    if experiment in ("figure2", "all"):
        plans.append(Plan("figure2", figure2_runs(figure2_grid(arguments.quick), repetitions)))
    if experiment in ("table2", "all"):
        plans.append(_plan_table2(arguments, reproduction))
    if experiment == "uci":
        plans.append(_plan_uci(arguments, reproduction))
    if experiment == "classes":
        options = fit_options(arguments.settings)
        plans.append(Plan("classes", plan_classes(arguments, options, reproduction.left_out)))
    if experiment == "table2" and not plans[-1].runs:
        raise FileError(
            "no data set of Table 2 was found; `python -m credens.datasets NAME` gets them (qsar, yacht, blog, year), --data names their folder"
        )
    if experiment == "uci" and not plans[-1].runs:
        raise FileError("no split of the UCI benchmark was found; --data names the folder that holds uci-benchmark")
    return plans


def _check(arguments: Namespace) -> None:
    experiment = arguments.experiment
    if experiment not in EXPERIMENTS:
        raise UsageError(f'experiment "{experiment}" is unknown, expected one of {", ".join(EXPERIMENTS)}')
    if arguments.data and not os.path.isdir(arguments.data):
        raise FileError(f"{arguments.data}: not a folder of data sets")
    is_benchmark = experiment in ("uci", "classes")
    if not is_benchmark and (arguments.sets or arguments.splits or arguments.settings):
        raise UsageError(f"--sets, --splits, --members and --set are for the experiments uci and classes, not for {experiment}")
    if experiment != "classes" and (arguments.methods or arguments.rows or arguments.finished):
        raise UsageError(f"--methods, --rows and --finished are for the experiment classes, not for {experiment}")
    if is_benchmark and arguments.repetitions:
        raise UsageError(f"--repetitions is not for the experiment {experiment}; --splits chooses its splits")
    if arguments.year_shape and experiment not in ("table2", "all"):
        raise UsageError(f"--year-shape is for the experiment table2, not for {experiment}")


# ---- Table 2 ----


def _plan_table2(arguments: Namespace, reproduction: Reproduction) -> Plan:
    runs = [run for table in TABLE1 for run in _table2_set(table, arguments, reproduction)]
    return Plan("table2", runs)


def _table2_set(table: RealData, arguments: Namespace, reproduction: Reproduction) -> Sequence[Run]:
    known = known_set(table.name)
    found = find_data(known, arguments.data)
    if found is None:
        reason = f"its file was not found (`python -m credens.datasets {table.name}` gets it)"
        reproduction.left_out.append((table.title, reason))
        return [year_shape_run(arguments.year_shape)] if table.name == "year" and arguments.year_shape else []
    usual = table.quick_repetitions if arguments.quick else table.repetitions
    return table2_runs(RealRows(table, *load_data(known, found)), arguments.repetitions or usual)


# ---- the UCI benchmark ----


def _plan_uci(arguments: Namespace, reproduction: Reproduction) -> Plan:
    options = fit_options(arguments.settings)
    splits = arguments.splits or range(QUICK_SPLITS if arguments.quick else ALL_SPLITS)
    runs: list[Run] = []
    for known in _wanted_sets(arguments):
        rows = find_uci_rows(known, arguments.data)
        if rows is None:
            reproduction.left_out.append((known.name, f"there is no {known.file} in the folders of data"))
            continue
        for series in (STANDARD, GAP):
            runs += uci_runs(rows, series, splits, options)
    return Plan("uci", runs)


def _wanted_sets(arguments: Namespace) -> Sequence[UciSet]:
    if not arguments.sets:
        return UCI_SETS[:QUICK_SETS] if arguments.quick else UCI_SETS
    names = [uci_set(name).name for name in arguments.sets]
    return [known for known in UCI_SETS if known.name in names]


def fit_options(settings: Sequence[str]) -> dict[str, Any]:
    """Keywords of `fit` from words NAME=VALUE, as its flags write them."""
    names = list(planned({}, rows=100, inputs=1, outputs=1))
    options = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f'--set is "{setting}", expected NAME=VALUE')
        name = name.replace("-", "_")
        if name not in names:
            raise UsageError(f'--set: fit has no option "{name}"{suggestion(name, names)}')
        options["prior_precision" if name == "lambda" else name] = value
    planned(options, rows=100, inputs=1, outputs=1)  # raises for a value that cannot be
    return options

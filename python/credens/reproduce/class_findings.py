# SPDX-License-Identifier: Apache-2.0
"""What the benchmark of classes says: ranks, differences between methods, tables on which a peer wins."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .class_methods import CLASS_METHODS
from .class_scores import Ranks, rank_methods
from .class_tables import CLASS_TABLES
from .classes import FOREIGN, TABLES, UNCERTAINTIES
from .results import CLASSICAL, EXTENDED, Result

RANKED = ("log_loss", "brier", "accuracy", "ece")
TITLES = {EXTENDED: "Credens", CLASSICAL: "classical ensemble", **{method.name: method.title for method in CLASS_METHODS}}

Values = dict[str, dict[str, float]]
"""A number by table and method."""


class Difference(NamedTuple):
    """Of two methods over tables."""

    mean: float
    standard_error: float
    """NaN for one table."""
    tables: int


class Loss(NamedTuple):
    """A table on which a peer is better."""

    table: str
    peer: str
    ours: Result
    theirs: Result


@dataclass(frozen=True)
class ForeignTask:
    data: str
    rows: int
    auroc: dict[tuple[str, str], float]
    """By method and uncertainty."""


class ClassFindings:
    """Of all results of the experiment. A method counts on a table where it has all the splits that Credens has."""

    def __init__(self, results: Iterable[Result]):
        self._found: dict[str, dict[tuple[str, str], Result]] = {}
        self._foreign: dict[tuple[str, int], dict[tuple[str, str], float]] = {}
        for one in results:
            if one.experiment != "classes":
                continue
            if one.key.series == TABLES:
                self._found.setdefault(one.key.data, {})[one.key.method, one.key.metric] = one
            elif one.key.series == FOREIGN:
                kind = one.key.metric.replace("auroc_by_", "")
                self._foreign.setdefault((one.key.data, one.key.rows), {})[one.key.method, kind] = one.mean

    @property
    def tables(self) -> list[str]:
        """Those that Credens has, in the order of the list."""
        known = [table.name for table in CLASS_TABLES]
        ours = [name for name, found in self._found.items() if (EXTENDED, "log_loss") in found]
        return sorted(ours, key=lambda name: (known.index(name) if name in known else len(known), name))

    def result(self, table: str, method: str, metric: str) -> Result | None:
        found = self._found[table].get((method, metric))
        ours = self._found[table].get((EXTENDED, "log_loss"))
        return found if found and ours and found.count == ours.count else None

    def values(self, metric: str, tables: Sequence[str] | None = None) -> Values:
        methods = [EXTENDED, CLASSICAL, *(method.name for method in CLASS_METHODS)]
        cells = {
            table: {method: self.result(table, method, metric) for method in methods}
            for table in (self.tables if tables is None else tables)
        }
        return {table: {name: one.mean for name, one in found.items() if one} for table, found in cells.items()}

    def methods_on(self, tables: Sequence[str]) -> list[str]:
        """Credens and the peers that are complete on all these tables."""
        values = self.values("log_loss", tables)
        names = [EXTENDED, *(method.name for method in CLASS_METHODS)]
        return [name for name in names if tables and all(name in values[table] for table in tables)]

    @property
    def peers(self) -> list[str]:
        """Those that are complete on one table at least."""
        values = self.values("log_loss").values()
        return [method.name for method in CLASS_METHODS if any(method.name in found for found in values)]

    @property
    def comparisons(self) -> list[tuple[list[str], list[str]]]:
        """Tables and methods that are compared: all tables with the methods that have them all, then all methods with the
        tables that they share."""
        whole = self.tables, self.methods_on(self.tables)
        values = self.values("log_loss")
        everyone = [EXTENDED, *self.peers]
        shared = [table for table in self.tables if all(name in values[table] for name in everyone)]
        found = [whole] if len(whole[1]) > 1 else []
        return found + ([(shared, everyone)] if shared and everyone != whole[1] else [])

    def ranks(self, metric: str, tables: Sequence[str], methods: Sequence[str]) -> Ranks:
        sign = -1 if metric == "accuracy" else 1
        values = self.values(metric, tables)
        return rank_methods({table: {name: sign * one for name, one in found.items()} for table, found in values.items()}, methods)

    def difference(self, metric: str, method: str, other: str = EXTENDED) -> Difference:
        """`method` minus `other`, paired over the tables that both have."""
        pairs = [found[method] - found[other] for found in self.values(metric).values() if method in found and other in found]
        return mean_and_error(pairs)

    def losses(self, metric: str) -> list[Loss]:
        """The tables on which a peer has a better mean, with the best of the peers."""
        found = []
        better = (lambda a, b: a > b) if metric == "accuracy" else (lambda a, b: a < b)
        for table in self.tables:
            ours = self.result(table, EXTENDED, metric)
            best = ours
            for peer in self.peers:
                theirs = self.result(table, peer, metric)
                if theirs and best and better(theirs.mean, best.mean):
                    best = theirs
            if ours and best and best is not ours:
                found.append(Loss(table, best.key.method, ours, best))
        return found

    @property
    def foreign_tasks(self) -> list[ForeignTask]:
        wanted = {(method, kind) for method in (CLASSICAL, EXTENDED) for kind in UNCERTAINTIES}
        return [ForeignTask(data, rows, auroc) for (data, rows), auroc in sorted(self._foreign.items()) if wanted <= set(auroc)]

    def foreign_gain(self, kind: str) -> Difference:
        """AUROC of the extended ensemble minus that of the classical one, over the tasks."""
        return mean_and_error([task.auroc[EXTENDED, kind] - task.auroc[CLASSICAL, kind] for task in self.foreign_tasks])


def mean_and_error(values: Sequence[float]) -> Difference:
    count = len(values)
    if not count:
        return Difference(math.nan, math.nan, 0)
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1) if count > 1 else math.nan
    return Difference(mean, math.sqrt(variance / count), count)

# SPDX-License-Identifier: Apache-2.0
"""A reproduction of the paper's experiments or a benchmark: what its tables, charts and page are made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .. import _core
from .results import EXTENDED, Key, Result, find_result

EXPERIMENTS = ("figure1", "figure2", "table2", "uci", "classes", "all")
"""The last is the paper's three."""

Table = dict[str, Any]
Chart = dict[str, Any]
Figure = dict[str, Any]
Section = dict[str, Any]
"""Dictionaries with the names of src/report, see python/bindings/page.cpp."""

percent, fixed, significant = _core.percent, _core.fixed, _core.significant


@dataclass
class Reproduction:
    results: list[Result] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """A data set and the reason."""
    panels: Any = None
    """Of Figure 1, the first repetition."""
    command: str = ""
    """The one that makes it again."""

    def has(self, experiment: str) -> bool:
        return any(result.experiment == experiment for result in self.results)

    def find(self, experiment: str, key: Key) -> Result | None:
        return find_result(self.results, experiment, key)

    def like(self, result: Result, **changes: Any) -> Result | None:
        """The result whose key differs from that of another in these parts."""
        return self.find(result.experiment, replace(result.key, **changes))

    def settings(self, experiment: str, series: str, metric: str, method: str = EXTENDED) -> list[Result]:
        """The results of a method with this metric, in their order: one per setting."""
        wanted = (experiment, series, metric, method)
        return [one for one in self.results if (one.experiment, one.key.series, one.key.metric, one.key.method) == wanted]


def table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return {"caption": caption, "headings": list(headings), "rows": [list(row) for row in rows]}


def number_text(metric: str, value: float) -> str:
    return percent(value) if metric.endswith("coverage") else fixed(value, 3)


def mean_and_spread(result: Result | None) -> str:
    """'68.1 % ± 7.0 %'; the mean alone where there is one value."""
    if result is None:
        return ""
    mean = number_text(result.key.metric, result.mean)
    return f"{mean} ± {number_text(result.key.metric, result.std)}" if math.isfinite(result.std) else mean


def mark(kind: str, label: str, role: str, x: Sequence[float], **columns: Sequence[float]) -> dict[str, Any]:
    values = {name: [float(value) for value in column] for name, column in {"x": x, **columns}.items()}
    return {"mark": kind, "label": label, "role": role, **values}


def horizontal(label: str, start: float, end: float, y: float) -> dict[str, Any]:
    return mark("line", label, "reference", [start, end], y=[y, y])

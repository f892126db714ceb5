# SPDX-License-Identifier: Apache-2.0
"""The UCI benchmark as tables and charts: ours beside published values, and what widening does to the NLL, by set."""

from __future__ import annotations

import math
from typing import Any

from .._terminal import duration_text
from .published import UCI
from .reproduction import Chart, Figure, Reproduction, Table, horizontal, mark, percent, significant, table
from .results import CLASSICAL, EXTENDED, Result
from .uci import GAP, STANDARD, UCI_SETS

ACCURACY_HEADINGS = ["set", "splits", "members", "RMSE", "NLL", "total coverage", "time per fit"]
PUBLISHED_HEADINGS = ["best published, RMSE / NLL", "source", "deep ensembles 2017, RMSE / NLL"]
METHODS_HEADINGS = [
    "set",
    "NLL, classical",
    "NLL, extended",
    "classical − extended",
    "Gaussian NLL, classical",
    "Gaussian NLL, extended",
    "CRPS, classical",
    "CRPS, extended",
    "epistemic coverage, classical",
    "epistemic coverage, extended",
]

Found = dict[tuple[str, str], Result]
"""The results of one set in one series, by method and metric."""


def _results(reproduction: Reproduction, series: str, data: str) -> Found:
    found = [one for one in reproduction.results if (one.experiment, one.key.series, one.key.data) == ("uci", series, data)]
    return {(one.key.method, one.key.metric): one for one in found}


def with_error(result: Result | None) -> str:
    """'2.66 ± 0.19': mean and standard error, to three digits of the mean; the mean alone where there is one value."""
    if result is None:
        return ""
    mean = significant(result.mean)
    return f"{mean} ± {significant(result.standard_error, 2)}" if math.isfinite(result.standard_error) else mean


def _mean_percent(result: Result | None) -> str:
    return percent(result.mean) if result else ""


def _pair(rmse: float | None, nll: float | None) -> str:
    """As printed elsewhere; a zero was rounded to two decimals there."""
    if rmse is None or nll is None:
        return ""
    return " / ".join("0.00" if value == 0 else f"{value:g}" for value in (rmse, nll))


def _published_cells(data: str) -> list[str]:
    line = UCI.get(data)
    if line is None:
        return ["", "", ""]
    return [_pair(line.best_rmse, line.best_nll), line.source, _pair(line.ensembles_rmse, line.ensembles_nll)]


def uci_tables(reproduction: Reproduction) -> list[Table]:
    tables = []
    for series in (STANDARD, GAP):
        tables += [_accuracy_table(reproduction, series), _methods_table(reproduction, series)]
    return [found for found in tables if found["rows"]]


def _accuracy_table(reproduction: Reproduction, series: str) -> Table:
    rows = []
    for known in UCI_SETS:
        found = _results(reproduction, series, known.name)
        if not found:
            continue
        members, seconds = (found.get((EXTENDED, metric)) for metric in ("members", "seconds"))
        row = [known.name, str(members.count) if members else "", f"{members.mean:.3g}" if members else ""]
        row += [with_error(found.get((EXTENDED, metric))) for metric in ("rmse", "nll")]
        row += [_mean_percent(found.get((EXTENDED, "total_coverage"))), duration_text(seconds.mean) if seconds else ""]
        rows.append(row + (_published_cells(known.name) if series == STANDARD else []))
    headings = ACCURACY_HEADINGS + (PUBLISHED_HEADINGS if series == STANDARD else [])
    return table(f"UCI benchmark, {series} splits: extended ensemble, mean ± standard error", headings, rows)


def _methods_table(reproduction: Reproduction, series: str) -> Table:
    rows = []
    for known in UCI_SETS:
        found = _results(reproduction, series, known.name)
        if not found:
            continue
        row = [known.name]
        for metric in ("nll", "nll_gain", "nll_gaussian", "crps"):
            methods = (EXTENDED,) if metric == "nll_gain" else (CLASSICAL, EXTENDED)
            row += [with_error(found.get((method, metric))) for method in methods]
        row += [_mean_percent(found.get((method, "epistemic_coverage"))) for method in (CLASSICAL, EXTENDED)]
        rows.append(row)
    return table(f"UCI benchmark, {series} splits: classical against extended ensemble", METHODS_HEADINGS, rows)


# ---- charts: one place on the x axis per set ----


def uci_charts(reproduction: Reproduction) -> Figure:
    charts = [_published_chart(reproduction), _gain_chart(reproduction)]
    shown = [chart for chart in charts if chart["x_names"]]
    return {"caption": "Sets from the smallest to the largest.", "columns": 2, "charts": shown}


def _equal(places: int) -> dict[str, Any]:
    return horizontal("equal", 0.5, places + 0.5, 0)


def _published_chart(reproduction: Reproduction) -> Chart:
    """Our NLL of the standard splits minus that of others."""
    names: list[str] = []
    best: dict[float, float] = {}
    ensembles: dict[float, float] = {}
    for known in UCI_SETS:
        nll = _results(reproduction, STANDARD, known.name).get((EXTENDED, "nll"))
        line = UCI.get(known.name)
        if nll is None or line is None:
            continue
        names.append(known.name)
        best[len(names)] = nll.mean - line.best_nll
        if line.ensembles_nll is not None:
            ensembles[len(names)] = nll.mean - line.ensembles_nll
    return {
        "title": "NLL against published values",
        "subtitle": "standard splits; below 0 ours is lower",
        "description": "Mean NLL of the extended ensemble minus published values of the NLL, for each set.",
        "x_title": "set",
        "y_title": "difference in nats per row",
        "x_names": names,
        "marks": [
            _equal(len(names)),
            mark("points", "to the best published", "estimate", list(best), y=list(best.values())),
            mark("points", "to deep ensembles 2017", "second", list(ensembles), y=list(ensembles.values())),
        ],
    }


def _gain_chart(reproduction: Reproduction) -> Chart:
    """What widening does to the NLL, split by split."""
    names: list[str] = []
    places: dict[str, list[tuple[float, Result]]] = {STANDARD: [], GAP: []}
    for known in UCI_SETS:
        gains = {series: _results(reproduction, series, known.name).get((EXTENDED, "nll_gain")) for series in places}
        if not any(gains.values()):
            continue
        names.append(known.name)
        for series, shift in ((STANDARD, -0.1), (GAP, 0.1)):
            gain = gains[series]
            if gain is not None:
                places[series].append((len(names) + shift, gain))
    intervals, points = [], []
    for series, role, suffix in ((STANDARD, "estimate", ""), (GAP, "second", ", gap")):
        x = [place for place, _ in places[series]]
        means = [gain.mean for _, gain in places[series]]
        errors = [gain.standard_error if math.isfinite(gain.std) else 0.0 for _, gain in places[series]]
        lower, upper = ([mean + sign * error for mean, error in zip(means, errors)] for sign in (-1, 1))
        intervals.append(mark("intervals", f"± standard error{suffix}", role, x, lower=lower, upper=upper))
        points.append(mark("points", f"{series} splits", role, x, y=means))
    return {
        "title": "What widening gains",
        "subtitle": "classical − extended NLL; above 0 the extended ensemble is better",
        "description": "Mean over splits of the NLL of the classical ensemble minus that of the extended one, "
        "with standard errors, for standard and gap splits of each set.",
        "x_title": "set",
        "y_title": "nats per row",
        "x_names": names,
        "marks": [_equal(len(names)), *intervals, *points],
    }

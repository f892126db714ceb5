# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments as tables, for the page and for the terminal; none for an experiment without results."""

from __future__ import annotations

from .._terminal import duration_text
from .published import is_in_range
from .reproduction import Reproduction, Table, fixed, mean_and_spread, number_text, significant, table
from .results import CLASSICAL, EXTENDED, Key, Result
from .table2 import LITERAL, MEAN_LOSS, MEMBERS, READINGS, TABLE1, YEAR_SYNTHETIC, RealData

METRIC_TITLES = {
    "function_coverage": "coverage of the regression function",
    "total_coverage": "total coverage",
    "epistemic_coverage": "epistemic coverage",
    "rmse": "RMSE",
    "epistemic_aleatoric_ratio": "epistemic / aleatoric",
    "epistemic_aleatoric_ratio_median": "the same, median over rows",
}

TABLE2_METRICS = (
    "rmse",
    "epistemic_coverage",
    "total_coverage",
    "epistemic_aleatoric_ratio",
    "epistemic_aleatoric_ratio_median",
)


def figure1_tables(reproduction: Reproduction) -> list[Table]:
    rows, caption = [], ""
    for metric, title in METRIC_TITLES.items():
        for extended in reproduction.settings("figure1", "", metric):
            caption = f"Figure 1: mean and standard deviation over {extended.count} repetitions"
            classical = reproduction.like(extended, method=CLASSICAL)
            said = "below 60 %; complete" if metric == "function_coverage" else ""
            rows.append([title, mean_and_spread(classical), mean_and_spread(extended), said])
    return [table(caption, ["", "classical", "extended", "paper"], rows)] if rows else []


def figure2_tables(reproduction: Reproduction) -> list[Table]:
    tables = [_figure2_table(reproduction, series) for series in ("rows", "members")]
    return [found for found in tables if found["rows"]]


def _figure2_table(reproduction: Reproduction, series: str) -> Table:
    is_rows = series == "rows"
    rows, caption = [], ""
    for setting in reproduction.settings("figure2", series, "function_coverage"):
        key = setting.key
        against = f"training rows, {key.members} networks" if is_rows else f"networks, {key.rows} training rows"
        caption = f"Figure 2 against {against}"
        rows.append(
            [
                str(key.rows if is_rows else key.members),
                mean_and_spread(reproduction.like(setting, method=CLASSICAL)),
                mean_and_spread(setting),
                mean_and_spread(reproduction.like(setting, metric="rmse")),
                str(setting.count),
            ]
        )
    first = "training rows" if is_rows else "networks"
    return table(caption, [first, "coverage, classical", "coverage, extended", "RMSE of both", "repetitions"], rows)


# ---- Table 2 ----


def table2_tables(reproduction: Reproduction) -> list[Table]:
    tables, counts = [], []
    for known in TABLE1:
        found = [one for one in reproduction.results if one.experiment == "table2" and one.key.data == known.name]
        if not found:
            continue
        tables.append(_table2_of(reproduction, known, found[0]))
        counts.append([known.title, *(_count_inside(found, reading) for reading in (MEAN_LOSS, LITERAL))])
    if counts:
        caption = "Numbers of the paper's Table 2 that lie inside the range of our repetitions"
        tables.append(table(caption, ["", "prior precision N λ", "prior precision λ"], counts))
    synthetic = _year_shape_table(reproduction)
    return [*tables, synthetic] if synthetic["rows"] else tables


def _table2_of(reproduction: Reproduction, known: RealData, any_result: Result) -> Table:
    rows, count = any_result.key.rows, any_result.count
    caption = (
        f"Table 2, {known.title}: {rows} training rows, {count} {'repetition' if count == 1 else 'repetitions'}; "
        "prior precision N λ, then λ as written"
    )
    keys = [
        Key(data=known.name, rows=rows, members=members, method=method, metric=metric)
        for metric in TABLE2_METRICS
        for method in (CLASSICAL, EXTENDED)
        for members in MEMBERS
    ]
    headings = ["", "paper", "N λ", "range", "inside", "λ", "range", "inside"]
    return table(caption, headings, [_table2_row(reproduction, key) for key in keys])


def _table2_row(reproduction: Reproduction, key: Key) -> list[str]:
    found = [reproduction.find("table2", Key(**{**vars(key), "series": reading})) for reading in READINGS]
    paper = found[0].paper if found[0] else None
    title = f"{METRIC_TITLES[key.metric]}, {key.method}, {key.members} networks"
    cells = [cell for result in found for cell in _cells(result)]
    return [title, "" if paper is None else number_text(key.metric, paper), *cells]


def _cells(result: Result | None) -> list[str]:
    """The value, the range of our values, and whether the paper's lies in it."""
    if result is None:
        return ["", "", ""]
    least, largest = (number_text(result.key.metric, value) for value in (result.least, result.largest))
    inside = {None: "", True: "yes", False: "no"}[is_in_range(result)]
    return [mean_and_spread(result), f"{least} to {largest}", inside]


def _count_inside(results: list[Result], reading: str) -> str:
    found = [is_in_range(result) for result in results if result.key.series == reading]
    return f"{found.count(True)} of {len(found) - found.count(None)}"


def _year_shape_table(reproduction: Reproduction) -> Table:
    """Time and memory of synthetic rows in the place of Year."""
    rows = []
    for seconds in reproduction.results:
        if seconds.key.data != YEAR_SYNTHETIC or seconds.key.metric != "seconds":
            continue
        speed, memory = (reproduction.like(seconds, metric=metric) for metric in ("rows_per_second", "peak_megabytes"))
        rows.append(
            [
                str(seconds.key.rows),
                str(seconds.key.members),
                duration_text(seconds.mean),
                significant(speed.mean) if speed else "",
                fixed(memory.mean, 0) + " MB" if memory else "",
            ]
        )
    caption = "Synthetic rows in the shape of Year, which are not Year: time and memory"
    return table(caption, ["training rows", "networks", "time of training", "rows per second", "peak memory"], rows)

# SPDX-License-Identifier: Apache-2.0
"""`./dev bench scaling`: how time grows with rows, members, inputs, width and threads, and memory with rows."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import report
import svg
from measure import asker, measure_group
from plan import Entry, Group, Shape, shape_request
from program import fit_command, watched_run

if TYPE_CHECKING:
    from bench import Bench

BASE = Shape("scaling", 8192, 32, 128, 1)
FIGURE = "figures/scaling.svg"
MEGABYTE = 1e6


@dataclass(frozen=True)
class Sweep:
    """One request per value; `expected` is the exponent that the algorithm promises."""

    title: str
    x_label: str
    task: str
    values: list[int]
    change: Callable[[int], dict[str, object]]
    expected: str


def powers(first: int, count: int) -> list[int]:
    return [first * 2**i for i in range(count)]


def sweeps(quick: bool) -> list[Sweep]:
    count = 3 if quick else 6
    threads = [count for count in powers(1, 8) if count <= (os.cpu_count() or 1)]
    width = lambda value: {"hidden": f"{value},{value // 2},{value // 4}"}  # noqa: E731
    return [
        Sweep("training, rows", "N", "fit", powers(2048, count), lambda value: {"rows": value}, "1"),
        Sweep("training, members", "L", "fit", powers(1, min(count, 5)), lambda value: {"members": value}, "1"),
        Sweep("training, inputs", "d", "fit", powers(8, count), lambda value: {"inputs": value}, "below 1: first layer only"),
        Sweep("training, width", "units of the first layer", "fit", powers(32, min(count, 5)), width, "1 to 2: products grow with the square"),
        Sweep("training, threads", "threads, 4 members", "fit", threads, lambda value: {"threads": value, "members": 4}, "-1"),
        Sweep("prediction, rows", "N", "predict", powers(2048, count), lambda value: {"rows": value, "batch": value, "members": 10}, "1"),
        Sweep("prediction, members", "L", "predict", powers(1, min(count, 5)), lambda value: {"members": value, "batch": BASE.rows}, "1"),
        Sweep("prediction, threads", "threads", "predict", threads, lambda value: {"threads": value, "members": 10, "batch": BASE.rows}, "-1"),
        Sweep("widening, rows", "N", "widen", powers(2048, count), lambda value: {"rows": value, "members": 10}, "1"),
    ]


@dataclass(frozen=True)
class Fit:
    exponent: float
    constant: float


def log_log_fit(points: list[tuple[float, float]]) -> Fit:
    """Least squares of log y = log constant + exponent log x."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - x_mean) ** 2 for x in xs)
    exponent = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys)) / spread if spread > 0 else math.nan
    return Fit(exponent, math.exp(y_mean - exponent * x_mean) if spread > 0 else math.nan)


def sweep_request(bench: "Bench", sweep: Sweep, value: int) -> dict[str, object]:
    request = shape_request(BASE, "")
    request.update(sweep.change(value))
    request["data"] = bench.rows_file(int(request["rows"]), int(request["inputs"]))
    return request


def measure_sweep(bench: "Bench", sweep: Sweep) -> list[tuple[float, float]]:
    """(value, least seconds of a unit); the values in turn, like contenders."""
    requests = {value: sweep_request(bench, sweep, value) for value in sweep.values}
    group = Group(sweep.title, [Entry(str(value), "credens", sweep.task, request) for value, request in requests.items()])
    results = measure_group(group, asker(bench.contenders, bench.settings.seconds), bench.settings.windows)
    bench.contenders["credens"].clear()
    return [(value, work_of(sweep, request) / results[str(value)].best) for value, request in requests.items()]


def work_of(sweep: Sweep, request: dict[str, object]) -> float:
    """What the program counts as the work of one unit."""
    rows = float(request["rows"])
    return rows * float(request["epochs"]) * float(request["members"]) if sweep.task == "fit" else rows


def memory_points(bench: "Bench", quick: bool) -> dict[str, list[tuple[float, float]]]:
    """Of the real program fitting a table of 33 columns."""
    points: dict[str, list[tuple[float, float]]] = {"anonymous": [], "peak": []}
    for rows in powers(8192, 3 if quick else 6):
        table = Path(bench.csv_file(rows, BASE.inputs))
        run = watched_run(fit_command(bench.program, table, bench.work, members=2, batch=128, epochs=1, threads=2))
        points["anonymous"].append((rows, run.anonymous_bytes / MEGABYTE))
        points["peak"].append((rows, run.peak_bytes / MEGABYTE))
    return points


def panel_of(title: str, x_label: str, y_label: str, points: list[tuple[float, float]]) -> svg.Panel:
    fit = log_log_fit(points)
    return svg.Panel(title, x_label, y_label, points, fit.exponent, fit.constant)


def document_part(rows: list[list[str]]) -> str:
    note = (f"One epoch of training, or one pass, on {BASE.rows:,} rows of {BASE.inputs} inputs, batch {BASE.batch}, one member, one thread, unless "
            "the quantity on the axis says otherwise.")  # fmt: skip
    table = report.table(["quantity", "from", "to", "exponent", "expected"], rows)
    return f"{note}\n\n{table}\n\n![Time and memory against size, both logarithmic]({FIGURE})"


def run_scaling(bench: "Bench", quick: bool, document: Path) -> int:
    """Prints the exponents; a run that is not quick also writes figure and table."""
    panels, rows = [], []
    for sweep in sweeps(quick):
        if len(sweep.values) < 2:
            continue  # one core has no exponent of threads
        points = measure_sweep(bench, sweep)
        panels.append(panel_of(sweep.title, sweep.x_label, "seconds", points))
        rows.append([sweep.title, f"{points[0][0]:,}", f"{points[-1][0]:,}", f"{panels[-1].exponent:.2f}", sweep.expected])
        print(f"-- {sweep.title}: exponent {panels[-1].exponent:.2f}", flush=True)
    for kind, points in memory_points(bench, quick).items():
        field = "RssAnon" if kind == "anonymous" else "VmHWM"
        panels.append(panel_of(f"memory of fit, {field}", "N", "megabytes", points))
        rows.append([f"memory of `credens fit`, {field}", f"{points[0][0]:,}", f"{points[-1][0]:,}", f"{panels[-1].exponent:.2f}", "1 or below"])
    print(document_part(rows))
    if not quick:
        figure = document.parent / FIGURE
        figure.parent.mkdir(exist_ok=True)
        figure.write_text(svg.draw(panels), encoding="utf-8")
        report.update_document(document, "scaling", document_part(rows))
    return 0

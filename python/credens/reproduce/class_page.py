# SPDX-License-Identifier: Apache-2.0
"""The benchmark of classes as tables and charts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .class_findings import RANKED, TITLES, ClassFindings, Difference
from .class_tables import CLASS_TABLES
from .classes import UNCERTAINTIES
from .reproduction import Chart, Figure, Reproduction, Section, Table, fixed, horizontal, mark, percent, table
from .results import CLASSICAL, EXTENDED, Result

METRIC_TITLES = {"log_loss": "log loss", "brier": "Brier score", "accuracy": "accuracy", "ece": "ECE"}
PER_TABLE = ("log_loss", "brier", "accuracy")


def class_benchmark_tables(reproduction: Reproduction) -> list[Table]:
    findings = ClassFindings(reproduction.results)
    tables = [_rank_table(findings, *compared) for compared in findings.comparisons]
    if findings.tables:
        tables.append(_difference_table(findings))
        tables += [_score_table(findings, metric) for metric in PER_TABLE]
        tables += [_loss_table(findings, metric) for metric in ("log_loss", "brier")]
        tables.append(_time_table(findings))
    if findings.foreign_tasks:
        tables.append(_foreign_table(findings))
    return [found for found in tables if found["rows"]]


def _with_error(mean: float, error: float, digits: int, sign: str = "") -> str:
    spread = f" ± {error:.{digits}f}" if math.isfinite(error) else ""
    return f"{mean:{sign}.{digits}f}{spread}".replace("-", "−")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _rank_table(findings: ClassFindings, tables: Sequence[str], methods: Sequence[str]) -> Table:
    ranks = {metric: findings.ranks(metric, tables, methods) for metric in RANKED}
    rows = [
        [TITLES[method], *(_with_error(found.mean[method], found.standard_error[method], 2) for found in ranks.values())]
        for method in sorted(methods, key=lambda name: ranks["log_loss"].mean[name])
    ]
    gap = ranks["log_loss"].critical_difference
    told = f"; means that differ by less than {gap:.2f} are not told apart (Nemenyi, 5 %)" if math.isfinite(gap) else ""
    caption = f"Benchmark of classes: mean rank of {_count(len(methods), 'method')} over {_count(len(tables), 'table')}{told}"
    return table(caption, ["method", *(METRIC_TITLES[metric] for metric in RANKED)], rows)


def _difference_cell(found: Difference) -> str:
    return f"{_with_error(found.mean, found.standard_error, 4, '+')}" if found.tables else ""


def _difference_table(findings: ClassFindings) -> Table:
    rows = []
    for method in (CLASSICAL, *findings.peers):
        found = [findings.difference(metric, method) for metric in RANKED]
        rows.append([TITLES[method], str(found[0].tables), *(_difference_cell(one) for one in found)])
    caption = "Benchmark of classes: method minus Credens, mean ± standard error over the tables that both have"
    return table(caption, ["method", "tables", *(METRIC_TITLES[metric] for metric in RANKED)], rows)


def _score_text(metric: str, result: Result | None) -> str:
    if result is None:
        return ""
    return percent(result.mean) if metric == "accuracy" else fixed(result.mean, 3)


def _score_table(findings: ClassFindings, metric: str) -> Table:
    methods = [EXTENDED, CLASSICAL, *findings.peers]
    rows = []
    for name in findings.tables:
        cells = [findings.result(name, method, metric) for method in methods]
        ours = cells[0]
        if ours is not None:
            rows.append([name, str(ours.key.rows), str(ours.count), *(_score_text(metric, one) for one in cells)])
    caption = f"Benchmark of classes: {METRIC_TITLES[metric]}, mean over splits"
    return table(caption, ["table", "training rows", "splits", *(TITLES[method] for method in methods)], rows)


def _loss_table(findings: ClassFindings, metric: str) -> Table:
    known = {one.name: one for one in CLASS_TABLES}
    rows = []
    for loss in findings.losses(metric):
        seen = "yes" if loss.table in known and known[loss.table].is_development else ""
        cells = [_score_text(metric, loss.ours), _score_text(metric, loss.theirs), fixed(loss.ours.mean - loss.theirs.mean, 3)]
        rows.append([loss.table, TITLES[loss.peer], *cells, seen])
    caption = f"Tables on which a peer has a lower {METRIC_TITLES[metric]}: {len(rows)} of {len(findings.tables)}"
    return table(caption, ["table", "best peer", "Credens", "peer", "difference", "seen in development"], rows)


def _time_table(findings: ClassFindings) -> Table:
    """Times of different machines and loads do not compare, so these are ratios on the same tables."""
    values = findings.values("seconds")
    rows = []
    for peer in findings.peers:
        ratios = [math.log(found[peer] / found[EXTENDED]) for found in values.values() if peer in found and EXTENDED in found]
        if ratios:
            rows.append([TITLES[peer], str(len(ratios)), f"{math.exp(math.fsum(ratios) / len(ratios)):.2g}"])
    caption = "Benchmark of classes: time of a fit over that of Credens, geometric mean over tables"
    return table(caption, ["method", "tables", "ratio"], rows)


def _foreign_table(findings: ClassFindings) -> Table:
    rows = []
    for task in findings.foreign_tasks:
        cells = [fixed(task.auroc[method, kind], 3) for kind in UNCERTAINTIES for method in (CLASSICAL, EXTENDED)]
        rows.append([task.data, str(task.rows), *cells])
    gains = [_difference_cell(findings.foreign_gain(kind)) for kind in UNCERTAINTIES]
    rows.append(["extended − classical", "", *(cell for gain in gains for cell in ("", gain))])
    headings = [f"{kind}, {method}" for kind in UNCERTAINTIES for method in ("classical", "extended")]
    caption = "Foreign digits: AUROC of digits 5 to 9 for networks that learned 0 to 4, by uncertainty"
    return table(caption, ["table", "training rows", *headings], rows)


# ---- charts ----


def _rank_chart(findings: ClassFindings, tables: Sequence[str], methods: Sequence[str], metric: str) -> Chart:
    ranks = findings.ranks(metric, tables, methods)
    order = sorted(methods, key=lambda name: ranks.mean[name])
    x = [float(place) for place in range(1, len(order) + 1)]
    mean = [ranks.mean[name] for name in order]
    error = [ranks.standard_error[name] if math.isfinite(ranks.standard_error[name]) else 0.0 for name in order]
    marks = [
        mark("intervals", "± standard error", "estimate", x, lower=[a - b for a, b in zip(mean, error)], upper=[a + b for a, b in zip(mean, error)]),
        mark("points", "mean rank", "estimate", x, y=mean),
    ]
    if math.isfinite(ranks.critical_difference):
        told = "the best plus the critical difference"
        marks.insert(0, horizontal(told, 0.5, len(order) + 0.5, mean[0] + ranks.critical_difference))
    return {
        "title": f"Mean rank by {METRIC_TITLES[metric]}",
        "subtitle": f"{_count(len(tables), 'table')}; 1 is best; methods above the line are told apart from the best one",
        "description": "; ".join(f"{TITLES[name]} {value:.2f}" for name, value in zip(order, mean)),
        "x_title": "method",
        "y_title": "mean rank",
        "x_names": [TITLES[name] for name in order],
        "marks": marks,
    }


def _margin_chart(findings: ClassFindings) -> Chart:
    """Against the best peer of each table, which only the test rows know."""
    names, margins = [], []
    for name, found in findings.values("log_loss").items():
        peers = [value for method, value in found.items() if method in findings.peers]
        if peers:
            names.append(name)
            margins.append(min(peers) - found[EXTENDED])
    return {
        "title": "Log loss against the best peer",
        "subtitle": "best peer − Credens; above 0 Credens is better than all of them",
        "description": "; ".join(f"{name} {margin:+.3f}" for name, margin in zip(names, margins)),
        "x_title": "table",
        "y_title": "nats per row",
        "x_names": names,
        "marks": [
            horizontal("equal", 0.5, len(names) + 0.5, 0),
            mark("points", "best peer − Credens", "estimate", [float(k) for k in range(1, len(names) + 1)], y=margins),
        ],
    }


def _foreign_chart(findings: ClassFindings) -> Chart:
    tasks = findings.foreign_tasks
    x = [float(k) for k in range(1, len(tasks) + 1)]
    marks = [horizontal("equal", 0.5, len(tasks) + 0.5, 0)]
    for kind, role in (("entropy", "estimate"), ("epistemic", "second")):
        gains = [task.auroc[EXTENDED, kind] - task.auroc[CLASSICAL, kind] for task in tasks]
        marks.append(mark("points", f"by {kind}", role, x, y=gains))
    return {
        "title": "Foreign digits",
        "subtitle": "AUROC, extended − classical; above 0 widening helps",
        "description": f"Mean gain by entropy {findings.foreign_gain('entropy').mean:+.3f} over {len(tasks)} tasks.",
        "x_title": "table and training rows",
        "y_title": "difference of AUROC",
        "x_names": [f"{task.data} {task.rows}" for task in tasks],
        "marks": marks,
    }


def class_benchmark_charts(reproduction: Reproduction) -> Figure:
    findings = ClassFindings(reproduction.results)
    charts = [_rank_chart(findings, *compared, metric) for compared in findings.comparisons[:1] for metric in ("log_loss", "brier")]
    if findings.peers:
        charts.append(_margin_chart(findings))
    if findings.foreign_tasks:
        charts.append(_foreign_chart(findings))
    return {"caption": "Tables from the fewest rows to the most.", "columns": 2, "charts": charts}


def classes_section(reproduction: Reproduction) -> Section | None:
    tables = class_benchmark_tables(reproduction)
    if not tables:
        return None
    return {
        "title": "Benchmark of classes",
        "paragraphs": [
            "Public tables as they are, with their words and missing cells. Every split holds out a fifth of each class. Every "
            "method sees the same training rows and is set up and calibrated as its users would, nothing is tuned by test rows.",
            "Log loss is in nats per row, the Brier score lies between 0 and 2, ECE has 15 bins. A method counts on a table "
            "where it has all splits that Credens has.",
        ],
        "figures": [class_benchmark_charts(reproduction)],
        "tables": tables,
    }

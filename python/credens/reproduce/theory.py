# SPDX-License-Identifier: Apache-2.0
"""What the theory says of widths, ratios and evidence, beside what was found."""

from __future__ import annotations

import math
from typing import Any

from .charts import curve_of
from .reproduction import Chart, Reproduction, Section, Table, fixed, mark, significant, table
from .results import CLASSICAL, EXTENDED, Result

FEATURES = 32
"""p, of the paper's last hidden layer."""
RUNGS = ("isotropic", "diagonal", "full")
ROLES = ("estimate", "second", "third", "fourth")

PARAGRAPHS = [
    "Theorem 3 gives the width in closed form: γ = p / (Σ |φ|² / s² + p λ), with p = 32 features φ, noise variance s² and "
    "prior precision λ. For given networks it falls like one over the rows; networks trained on few rows have also made "
    "few steps and not yet learned how small the noise is, so that their γ falls faster. Averaged over the training rows, "
    "the extension adds p/N (1 − γ λ) to the ratio of epistemic to aleatoric variance, whatever the data. On test rows a "
    "few rows with little noise can move the mean far, so the median stands beside it.",
    "The paper's posterior is the first rung of a ladder: one width per network, one per weight, or a full covariance. The "
    "evidence lower bound can only grow along it.",
]


def theory_section(reproduction: Reproduction) -> Section | None:
    """None without results."""
    if not _widths(reproduction):
        return None
    charts = [_gamma_chart(reproduction), _ratio_chart(reproduction), _ladder_chart(reproduction)]
    shown = [chart for chart in charts if chart is not None]
    return {
        "title": "The theory",
        "paragraphs": PARAGRAPHS,
        "figures": [{"caption": "From the same runs as the experiments above.", "columns": 3, "charts": shown}],
        "tables": [_ratio_table(reproduction), _ladder_table(reproduction)],
    }


def _widths(reproduction: Reproduction) -> list[Result]:
    """The width ratio of each setting of the main series."""
    return [
        result
        for result in reproduction.results
        if result.key.metric == "width_ratio_training" and result.key.series in ("", "rows", "lambda_mean_loss")
    ]


# ---- gamma ----


def slope(x: list[float], y: list[float]) -> float:
    """Least squares of log y over log x."""
    log_x, log_y = [math.log(value) for value in x], [math.log(value) for value in y]
    mean_x, mean_y = sum(log_x) / len(x), sum(log_y) / len(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(log_x, log_y))
    return products / sum((a - mean_x) ** 2 for a in log_x)


def _gamma_chart(reproduction: Reproduction) -> Chart | None:
    gamma = curve_of(reproduction, "width", EXTENDED, "gamma")
    trained = curve_of(reproduction, "rows", EXTENDED, "gamma")
    if len(gamma.x) < 2:
        return None
    one_over_rows = [gamma.mean[-1] * gamma.x[-1] / rows for rows in gamma.x]
    found = f"slope {fixed(slope(gamma.x, gamma.mean), 2)}, expected −1"
    return {
        "title": "Width γ against rows",
        "subtitle": found,
        "description": "The variance γ of each weight in the last layer, mean over networks and repetitions of "
        f"Figure 2, against the rows that they are widened with; both axes are logarithmic. {found}.",
        "x_title": "rows N",
        "y_title": "γ",
        "x_logarithmic": True,
        "y_logarithmic": True,
        "marks": [
            mark("line", "∝ 1 / N", "reference", gamma.x, y=one_over_rows),
            mark("points", "γ of networks trained on N rows", "second", trained.x, y=trained.mean),
            mark("points", "γ of the same networks", "estimate", gamma.x, y=gamma.mean),
        ],
    }


# ---- the ratio of the two uncertainties ----


def _added(reproduction: Reproduction, width: Result, metric: str, in_paper: bool = False) -> float | None:
    """What the extended ensemble adds to the ratio of the classical one, in our results or in the paper's."""
    extended = reproduction.like(width, metric=metric, method=EXTENDED)
    classical = reproduction.like(width, metric=metric, method=CLASSICAL)
    if extended is None or classical is None:
        return None
    if not in_paper:
        return extended.mean - classical.mean
    if extended.paper is None or classical.paper is None:
        return None
    return extended.paper - classical.paper


def _ratio_chart(reproduction: Reproduction) -> Chart:
    points: dict[str, dict[str, list[float]]] = {name: {"x": [], "y": []} for name in ("training", "test", "paper")}
    for width in _widths(reproduction):
        values = {
            "training": width.mean,
            "test": _added(reproduction, width, "epistemic_aleatoric_ratio_median"),
            "paper": _added(reproduction, width, "epistemic_aleatoric_ratio", in_paper=True),
        }
        for name, value in values.items():
            if value is not None and value > 0:  # the axis is logarithmic
                points[name]["x"].append(FEATURES / width.key.rows)
                points[name]["y"].append(value)
    ends = [min(points["training"]["x"]), max(points["training"]["x"])]
    looks = (
        ("training", "training rows", "estimate"),
        ("test", "test rows, median", "second"),
        ("paper", "paper, test rows, mean", "truth"),
    )
    return {
        "title": "What widening adds to the ratio",
        "subtitle": "on training rows p/N (1 − γ λ)",
        "description": "The increase of the ratio of epistemic to aleatoric variance against p / N for all data, "
        "on training rows and on test rows; both axes are logarithmic.",
        "x_title": "p / N",
        "y_title": "added ratio",
        "x_logarithmic": True,
        "y_logarithmic": True,
        "marks": [
            mark("line", "p / N", "reference", ends, y=ends),
            *(mark("points", label, role, **points[name]) for name, label, role in looks if points[name]["x"]),
        ],
    }


def _ratio_table(reproduction: Reproduction) -> Table:
    rows = []
    for width in _widths(reproduction):
        gamma = reproduction.like(width, metric="gamma")
        values = [
            gamma.mean if gamma else None,
            FEATURES / width.key.rows,
            width.mean,
            _added(reproduction, width, "epistemic_aleatoric_ratio"),
            _added(reproduction, width, "epistemic_aleatoric_ratio_median"),
            _added(reproduction, width, "epistemic_aleatoric_ratio", in_paper=True),
        ]
        texts = ["" if value is None else significant(value) for value in values]
        rows.append([width.key.data, str(width.key.rows), *texts])
    headings = ["data", "N", "γ", "p / N", "training rows", "test rows, mean", "test rows, median", "paper"]
    return table("What widening adds to the ratio of epistemic to aleatoric variance", headings, rows)


# ---- the ladder of posteriors ----


def _ladder(reproduction: Reproduction, width: Result) -> list[float]:
    """The ELBO per training row of the three rungs, or nothing."""
    found = [reproduction.like(width, metric=f"elbo_{rung}_per_row") for rung in RUNGS]
    means = [result.mean for result in found if result is not None]
    return means if len(means) == len(RUNGS) else []


def _ladder_table(reproduction: Reproduction) -> Table:
    rows = []
    for width in _widths(reproduction):
        rungs = _ladder(reproduction, width)
        if rungs:
            rows.append([width.key.data, str(width.key.rows), *(fixed(value, 4) for value in rungs)])
    return table("ELBO in nats per training row along the ladder of posteriors", ["data", "N", *RUNGS], rows)


def _ladder_chart(reproduction: Reproduction) -> Chart | None:
    """One line per data set, at most as many as a chart can tell apart; the table has all."""
    marks: list[dict[str, Any]] = []
    for width in _widths(reproduction):
        is_one_of_many = width.key.data == "figure2" and width.key.rows != 600
        rungs = _ladder(reproduction, width)
        if is_one_of_many or not rungs or len(marks) == len(ROLES):
            continue
        gains = [0.0, rungs[1] - rungs[0], rungs[2] - rungs[0]]
        marks.append(mark("line", width.key.data, ROLES[len(marks)], [1, 2, 3], y=gains))
    if not marks:
        return None
    return {
        "title": "ELBO along the ladder",
        "subtitle": "gain over the isotropic posterior",
        "description": "The gain in ELBO per training row over the isotropic posterior, for the isotropic, the "
        "diagonal and the full posterior; it never falls.",
        "x_title": "posterior",
        "y_title": "nats per row",
        "x_names": list(RUNGS),
        "marks": marks,
    }

# SPDX-License-Identifier: Apache-2.0
"""Figure 2 as charts: coverage and error against rows and members, with spread bands."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from .reproduction import Chart, Figure, Reproduction, horizontal, mark, percent, significant
from .results import CLASSICAL, EXTENDED


class Curve(NamedTuple):
    x: list[float]
    mean: list[float]
    lower: list[float]
    """Mean -+ one standard deviation."""
    upper: list[float]


def curve_of(reproduction: Reproduction, series: str, method: str, metric: str, largest: float = math.inf) -> Curve:
    """`largest`: what values cannot exceed, nor can bands."""
    curve = Curve([], [], [], [])
    for result in reproduction.settings("figure2", series, metric, method):
        spread = result.std if math.isfinite(result.std) else 0.0
        curve.x.append(float(result.key.members if series == "members" else result.key.rows))
        curve.mean.append(result.mean)
        curve.lower.append(max(0.0, result.mean - spread))
        curve.upper.append(min(largest, result.mean + spread))
    return curve


def _marks(curve: Curve, label: str, role: str) -> list[dict[str, Any]]:
    band = mark("band", f"{label}, ± one standard deviation", role, curve.x, lower=curve.lower, upper=curve.upper)
    return [band, mark("line", label, role, curve.x, y=curve.mean)]


def _coverage_chart(reproduction: Reproduction, series: str, x_title: str) -> Chart:
    classical = curve_of(reproduction, series, CLASSICAL, "function_coverage", 1.0)
    extended = curve_of(reproduction, series, EXTENDED, "function_coverage", 1.0)
    return {
        "title": "Coverage of the regression function",
        "subtitle": f"against {x_title}",
        "description": "Share of test rows whose true value lies in the 95 % interval for the regression function, against "
        f"{x_title}: from {percent(classical.mean[0])} to {percent(classical.mean[-1])} for the classical ensemble, "
        f"from {percent(extended.mean[0])} to {percent(extended.mean[-1])} for the extended one.",
        "x_title": x_title,
        "y_title": "coverage",
        "y_range": (0.0, 1.0),
        "marks": [
            horizontal("95 %", extended.x[0], extended.x[-1], 0.95),
            *_marks(classical, "classical", "second"),
            *_marks(extended, "extended", "estimate"),
        ],
    }


def _error_chart(reproduction: Reproduction, series: str, x_title: str) -> Chart:
    curve = curve_of(reproduction, series, EXTENDED, "rmse")
    return {
        "title": "RMSE to the regression function",
        "subtitle": f"against {x_title}",
        "description": f"Root mean squared error of the predicted regression function against {x_title}, the same for both "
        f"ensembles: from {significant(curve.mean[0])} to {significant(curve.mean[-1])}.",
        "x_title": x_title,
        "y_title": "RMSE",
        "marks": _marks(curve, "both", "third"),
    }


def figure2_charts(reproduction: Reproduction) -> Figure:
    axes = (("rows", "training rows"), ("members", "networks"))
    return {
        "caption": "Left: ten networks, learning rate 0.001. Right: 600 training rows, learning rate 1/600. Bands are "
        "mean ± one standard deviation over repetitions.",
        "columns": 2,
        "charts": [make(reproduction, *axis) for make in (_coverage_chart, _error_chart) for axis in axes],
    }

# SPDX-License-Identifier: Apache-2.0
"""The numbers printed in the paper and, for the UCI benchmark, elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, Optional

from .results import CLASSICAL, EXTENDED, Key, Result

ROUNDING = 0.0005
"""The paper's numbers have three decimals."""


class Line(NamedTuple):
    """One metric of one data set in Table 2; coverages are fractions."""

    data: str
    metric: str
    classical_5: float
    classical_10: float
    extended_5: float
    extended_10: float


TABLE2 = (
    Line("qsar", "rmse", 0.555, 0.557, 0.555, 0.557),
    Line("qsar", "epistemic_coverage", 0.248, 0.284, 0.422, 0.477),
    Line("qsar", "total_coverage", 0.954, 0.954, 0.954, 0.954),
    Line("qsar", "epistemic_aleatoric_ratio", 0.030, 0.036, 0.088, 0.098),
    Line("yacht", "rmse", 0.085, 0.078, 0.085, 0.078),
    Line("yacht", "epistemic_coverage", 0.758, 0.871, 0.823, 0.903),
    Line("yacht", "total_coverage", 0.984, 0.984, 0.984, 0.984),
    Line("yacht", "epistemic_aleatoric_ratio", 0.284, 0.383, 0.412, 0.509),
    Line("blog", "rmse", 0.684, 0.683, 0.684, 0.683),
    Line("blog", "epistemic_coverage", 0.410, 0.447, 0.416, 0.450),
    Line("blog", "total_coverage", 0.968, 0.968, 0.968, 0.968),
    Line("blog", "epistemic_aleatoric_ratio", 0.093, 0.092, 0.094, 0.092),
    Line("year", "rmse", 0.795, 0.795, 0.795, 0.795),
    Line("year", "epistemic_coverage", 0.204, 0.228, 0.205, 0.228),
    Line("year", "total_coverage", 0.952, 0.953, 0.952, 0.953),
    Line("year", "epistemic_aleatoric_ratio", 0.024, 0.027, 0.024, 0.027),
)
"""From top to bottom."""


class UciPublished(NamedTuple):
    """What others report for a set with the same splits."""

    best_rmse: float
    """Of any method."""
    best_nll: float
    source: str
    ensembles_rmse: Optional[float] = None
    """Deep ensembles of five networks, Lakshminarayanan et al. (2017)."""
    ensembles_nll: Optional[float] = None


UCI = {
    "bostonHousing": UciPublished(2.65, 2.35, "not recorded", 3.28, 2.41),
    "concrete": UciPublished(4.15, 2.83, "not recorded", 6.03, 3.06),
    "naval": UciPublished(0.0007, -6.33, "RMSE not recorded; NLL refined variational inference", 0.00, -5.63),
    "power-plant": UciPublished(3.19, 2.60, "not recorded", 4.11, 2.79),
    "yacht": UciPublished(0.48, 0.16, "not recorded", 1.58, 1.18),
    "airfoil": UciPublished(0.1215, -0.934, "RMSE bde, NLL TabPFN v2"),
}


def published(experiment: str, key: Key) -> float | None:
    """The printed value of a result, if there is one: Table 2, the numbers in the text on Figures 1 and 2, and for the
    UCI benchmark the best that is published."""
    if experiment == "table2":
        return _in_table2(key)
    if experiment == "uci":
        return _for_uci(key)
    return _in_figure1(key) if experiment == "figure1" else _in_figure2(key)


def _in_table2(key: Key) -> float | None:
    line = next((line for line in TABLE2 if (line.data, line.metric) == (key.data, key.metric)), None)
    if line is None or key.members not in (5, 10):
        return None
    return {
        (CLASSICAL, 5): line.classical_5,
        (CLASSICAL, 10): line.classical_10,
        (EXTENDED, 5): line.extended_5,
        (EXTENDED, 10): line.extended_10,
    }[key.method, key.members]


def _in_figure1(key: Key) -> float | None:
    """"the extended deep ensembles cover the regression function completely"; of the classical ones it says "less than
    60 %", which is no number to compare with."""
    return 1.0 if (key.method, key.metric) == (EXTENDED, "function_coverage") else None


def _in_figure2(key: Key) -> float | None:
    """"Even for a single network, the coverage of the extended method is about 70 %, while there is no epistemic
    uncertainty at all in the classical method for this case." """
    if (key.series, key.members, key.metric) != ("members", 1, "function_coverage"):
        return None
    return 0.7 if key.method == EXTENDED else 0.0


def _for_uci(key: Key) -> float | None:
    line = UCI.get(key.data) if key.series == "standard" else None
    if line is None:
        return None
    return {"rmse": line.best_rmse, "nll": line.best_nll}.get(key.metric)


def is_in_range(result: Result) -> bool | None:
    """Whether the printed value lies between the least and the largest of ours, up to its own rounding; None where
    nothing is printed."""
    if result.paper is None:
        return None
    return result.paper + ROUNDING >= result.least and result.paper - ROUNDING <= result.largest


def add_published(results: Iterable[Result]) -> list[Result]:
    return [replace(result, paper=published(result.experiment, result.key)) for result in results]

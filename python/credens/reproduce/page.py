# SPDX-License-Identifier: Apache-2.0
"""All that was reproduced on one page."""

from __future__ import annotations

from typing import Any

from .. import _core
from .charts import figure2_charts
from .class_page import classes_section
from .reproduction import Reproduction, Section
from .tables import figure1_tables, figure2_tables, table2_tables
from .theory import theory_section
from .uci_page import uci_charts, uci_tables


BENCHMARKS = {
    "uci": ("The UCI benchmark", "Public data that others have measured too, beside what they report."),
    "classes": ("The benchmark of classes", "Public tables, each method trained and scored on the same rows."),
}
"""Title and first sentence of a page without the paper's experiments."""


def _introduction(reproduction: Reproduction, is_paper: bool) -> Section:
    paragraphs = ["The classical ensemble and the extended one are made of the same networks."]
    if is_paper or reproduction.has("uci"):
        paragraphs[0] += " Intervals hold 95 %, as mean ± 1.96 standard deviations."
    if is_paper:
        paragraphs.append(
            "Each network of the paper's experiments has 128, 64 and 32 hidden units and is trained by itself. The paper "
            "shows single runs; here every number is a mean over repetitions with their standard deviation."
        )
    paragraphs += [f"{title} is left out: {reason}." for title, reason in reproduction.left_out]
    return {"title": "What this page shows", "paragraphs": paragraphs}


def _figure1_section(reproduction: Reproduction) -> Section | None:
    if reproduction.panels is None:
        return None
    return {
        "title": "Figure 1",
        "paragraphs": [
            "The panels show the first repetition: 200 noisy rows of a quartic and ten networks. The table holds all "
            "repetitions, each with rows and weights of its own. The paper says of its single run that the classical "
            "ensemble covers the regression function in less than 60 % of the test cases, the extended one completely."
        ],
        "figures": [reproduction.panels],
        "tables": figure1_tables(reproduction),
    }


def _figure2_section(reproduction: Reproduction) -> Section | None:
    tables = figure2_tables(reproduction)
    if not tables:
        return None
    return {
        "title": "Figure 2",
        "paragraphs": [
            "A function of two inputs with noise of standard deviation 0.2. The paper: “coverage probability of over 80 % "
            "in almost every setting”, about 70 % for a single network, and no gain from more networks."
        ],
        "figures": [figure2_charts(reproduction)],
        "tables": tables,
    }


def _table2_section(reproduction: Reproduction) -> Section | None:
    tables = table2_tables(reproduction)
    if not tables:
        return None
    return {
        "title": "Tables 1 and 2",
        "paragraphs": [
            "Real data with the settings of the paper's Table 1. RMSE and coverages refer to the noisy targets of rows "
            "held out, RMSE in standard deviations of the training targets. Without an official split a fifth of the rows "
            "is held out at random, another fifth in each repetition; with one, repetitions differ in their initial "
            "weights and the order of rows.",
            "The paper does not say whether its λ stands beside the mean of the losses or their sum. Both readings are "
            "shown: a prior precision of N λ, and of λ as written. A published value counts as inside when it lies between "
            "our least and our largest value, up to its own rounding.",
        ],
        "tables": tables,
    }


def _uci_section(reproduction: Reproduction) -> Section | None:
    tables = uci_tables(reproduction)
    if not tables:
        return None
    return {
        "title": "UCI benchmark",
        "paragraphs": [
            "Every split is one fit, which sees its training rows alone; the scores are those of the rows held out, in the "
            "units of the data (airfoil: target standardised by the training rows). Numbers are mean ± standard error over "
            "the splits. NLL is that of the exact mixture, in nats per row. In the gap splits the middle third of one "
            "input is held out.",
            "Published values come from ensembles of other sizes and from other methods: deep ensembles 2017 had five "
            "networks of one hidden layer. Ours has the members shown.",
        ],
        "figures": [uci_charts(reproduction)],
        "tables": tables,
    }


def reproduction_page(reproduction: Reproduction) -> dict[str, Any]:
    shown = [name for name in BENCHMARKS if reproduction.has(name)]
    is_paper = any(result.experiment not in BENCHMARKS for result in reproduction.results)
    makers = (_figure1_section, _figure2_section, _table2_section, _uci_section, classes_section, theory_section)
    sections = [make(reproduction) for make in makers]
    title, lead = BENCHMARKS[shown[0]] if shown else BENCHMARKS["uci"]
    if len(shown) > 1:
        title = "Benchmarks"
    if is_paper:
        title = "Deep ensembles from a Bayesian perspective, reproduced"
        lead = (
            "The paper's figures and tables computed again, with the spread that single runs do not show, beside the "
            "published values."
        )
    return {
        "title": title,
        "lead": lead,
        "sections": [_introduction(reproduction, is_paper), *(section for section in sections if section is not None)],
        "footer": f"Made by credens {_core.version()}: {reproduction.command}",
    }

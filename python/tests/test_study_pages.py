# SPDX-License-Identifier: Apache-2.0
"""How studies of credens.reproduce are shown: tables, charts, the page."""

import math
from dataclasses import replace

import pytest

import credens
from credens import _core
from credens.reproduce import charts, published, tables, theory, uci_page
from credens.reproduce.page import reproduction_page
from credens.reproduce.reproduction import Reproduction, mean_and_spread
from credens.reproduce.results import Key, Result
from credens.reproduce.table2 import LITERAL, MEAN_LOSS



def result(experiment, key, mean):
    return Result(experiment, key, mean, std=0.01, count=20, least=mean - 0.02, largest=mean + 0.02)


@pytest.fixture
def figure2():
    """With gamma = 7 / N and the rest made up."""
    results = []

    def add(key, method, metric, mean):
        results.append(result("figure2", replace(key, method=method, metric=metric), mean))

    def add_setting(key):
        add(key, "classical", "function_coverage", 0.5)
        add(key, "extended", "function_coverage", 0.995)
        add(key, "classical", "epistemic_aleatoric_ratio_median", 0.1)
        add(key, "extended", "epistemic_aleatoric_ratio_median", 0.1 + 30 / key.rows)
        add(key, "extended", "rmse", 0.1)

    for rows in (100, 600, 3000):
        key = Key("rows", "figure2", rows, 10)
        add_setting(key)
        add(key, "extended", "gamma", 900 / rows**2)
        add(key, "extended", "width_ratio_training", 32 / rows)
        for rung, elbo in (("isotropic", -1.5), ("diagonal", -1.25), ("full", -1.0)):
            add(key, "extended", f"elbo_{rung}_per_row", elbo)
    for rows in (100, 600, 3000):
        add(Key("width", "figure2", rows, 20), "extended", "gamma", 7 / rows)
    for members in (1, 20):
        add_setting(Key("members", "figure2", 600, members))
    return Reproduction(results)


@pytest.fixture
def qsar():
    results = [
        result("table2", Key(series, "qsar", 437, members, method, "rmse"), 0.56 if series == MEAN_LOSS else 0.7)
        for series in (MEAN_LOSS, LITERAL)
        for members in (5, 10)
        for method in ("classical", "extended")
    ]
    return Reproduction(published.add_published(results))


@pytest.fixture
def yacht():
    results = []

    def add(series, method, metric, mean):
        results.append(result("uci", Key(series, "yacht", 277, 50, method, metric), mean))

    for series in ("standard", "gap"):
        for method, nll in (("classical", -1.0), ("extended", -1.25)):
            add(series, method, "rmse", 0.291)
            add(series, method, "nll", nll)
            add(series, method, "total_coverage", 0.961)
        for metric, mean in (("nll_gain", 0.25), ("members", 50), ("seconds", 12.3)):
            add(series, "extended", metric, mean)
    return Reproduction(results)


def draws(figure):
    """A page with these charts can be made."""
    return _core.render_page({"sections": [{"figures": [figure]}]})


def test_coverages_are_percent_and_one_value_stands_alone():
    one = result("figure1", Key(metric="function_coverage"), 0.985)
    assert mean_and_spread(one) == "98.5 % ± 1.0 %"
    assert mean_and_spread(replace(one, key=Key(metric="rmse"), std=math.nan)) == "0.985"


def test_tables_of_figure2_have_one_line_per_setting(figure2):
    rows, members = tables.figure2_tables(figure2)
    assert (len(rows["rows"]), len(members["rows"])) == (3, 2)
    assert rows["rows"][1] == ["600", "50.0 % ± 1.0 %", "99.5 % ± 1.0 %", "0.100 ± 0.010", "20"]
    assert rows["caption"] == "Figure 2 against training rows, 10 networks"
    assert members["caption"] == "Figure 2 against networks, 600 training rows"


def test_tables_of_table2_say_whether_the_paper_lies_in_our_range(qsar):
    whole, counts = tables.table2_tables(qsar)
    assert whole["rows"][0] == [
        *("RMSE, classical, 5 networks", "0.555"),
        *("0.560 ± 0.010", "0.540 to 0.580", "yes"),
        *("0.700 ± 0.010", "0.680 to 0.720", "no"),
    ]
    assert counts["rows"][0] == ["QSAR aquatic toxicity", "4 of 4", "0 of 4"]


def test_time_and_memory_of_synthetic_rows_stand_apart():
    values = {"rmse": 0.9, "seconds": 72.0, "rows_per_second": 654321.0, "peak_megabytes": 1234.4}
    key = Key(MEAN_LOSS, "year-synthetic", 463_715, 10, "extended")
    results = [result("table2", replace(key, metric=metric), value) for metric, value in values.items()]
    (synthetic_rows,) = tables.table2_tables(Reproduction(published.add_published(results)))
    assert synthetic_rows["rows"] == [["463715", "10", "1 min 12 s", "654321", "1234 MB"]]
    assert "which are not Year" in synthetic_rows["caption"]


def test_tables_of_the_benchmark_show_ours_beside_what_is_published(yacht):
    found = uci_page.uci_tables(yacht)
    assert len(found) == 4
    ours = ["yacht", "20", "50", "0.291 ± 0.0022", "-1.25 ± 0.0022", "96.1 %", "12 s"]
    assert found[0]["rows"] == [[*ours, "0.48 / 0.16", "not recorded", "1.58 / 1.18"]]
    assert found[1]["rows"][0][3] == "0.250 ± 0.0022"
    assert len(found[2]["headings"]) == 7  # nothing published stands beside the gap splits
    for one in found:
        assert all(len(row) == len(one["headings"]) for row in one["rows"])


def test_charts_of_the_benchmark_have_one_place_per_set(yacht):
    figure = uci_page.uci_charts(yacht)
    against, gain = figure["charts"]
    assert against["x_names"] == gain["x_names"] == ["yacht"]
    assert against["marks"][1]["y"] == [pytest.approx(-1.25 - 0.16)]
    assert gain["marks"][2]["upper"] == [pytest.approx(0.25 + 0.01 / math.sqrt(20))]
    assert draws(figure)
    assert uci_page.uci_charts(Reproduction())["charts"] == []


def test_there_is_nothing_without_results():
    nothing = Reproduction()
    for make in (tables.figure1_tables, tables.figure2_tables, tables.table2_tables, uci_page.uci_tables):
        assert make(nothing) == []
    assert theory.theory_section(nothing) is None


def test_bands_of_figure2_stay_below_one(figure2):
    figure = charts.figure2_charts(figure2)
    assert len(figure["charts"]) == 4
    assert all(chart["description"] for chart in figure["charts"])
    band = figure["charts"][0]["marks"][3]
    assert band["upper"][0] == 1.0  # 99.5 % + 1 % is more than all
    assert band["lower"][0] == pytest.approx(0.985)
    assert draws(figure)


def test_the_theory_shows_the_slope_of_gamma_and_the_gain_along_the_ladder(figure2):
    section = theory.theory_section(figure2)
    gamma, _, ladder = section["figures"][0]["charts"]
    assert gamma["subtitle"] == "slope -1.00, expected −1"
    assert ladder["marks"][0]["y"] == [0, 0.25, 0.5]
    assert ladder["x_names"] == ["isotropic", "diagonal", "full"]
    assert draws(section["figures"][0])


def test_the_page_says_what_is_left_out(qsar):
    qsar.left_out.append(("Year prediction MSD", "its file was not found"))
    page = reproduction_page(qsar)
    assert page["sections"][0]["paragraphs"][-1] == "Year prediction MSD is left out: its file was not found."
    assert page["sections"][-1]["title"] == "Tables 1 and 2"


def test_a_page_refuses_marks_and_roles_that_it_does_not_know():
    for mark in ({"mark": "cloud"}, {"mark": "line", "role": "hero"}):
        with pytest.raises(credens.Failure, match="there is no"):
            draws({"charts": [{"marks": [mark]}]})

# SPDX-License-Identifier: Apache-2.0
"""The experiments of credens.reproduce: what is trained, and what is measured."""

from dataclasses import replace

import numpy as np
import pytest

import credens
from credens import datasets
from credens.reproduce import published
from credens.reproduce.measure import first_members, measure, measure_widths
from credens.reproduce.results import Key
from credens.reproduce.runs import Context, fit
from credens.reproduce.simulated import Grid, figure1_runs, figure2_grid, figure2_runs, make_figure1, simulated_settings
from credens.reproduce.table2 import LITERAL, MEAN_LOSS, TABLE1, RealRows, make_year_shape, table1_settings, table2_runs, year_shape_run
from credens.reproduce.uci import UCI_SETS, find_uci_rows, uci_runs, uci_set

from uci_data import main as write_uci_data
from uci_data import put_index

QSAR = TABLE1[0]


def values_of(measurements, members=None):
    chosen = [one for one in measurements if members in (None, one.key.members)]
    return {(one.key.method, one.key.metric): one.value for one in chosen}


# ---- measurements ----


class SmallFit:
    def __init__(self, members):
        self.data, self.truth = datasets.simulate("figure2", 60, 4)
        self.wide = fit(self.data, simulated_settings(members, 0.01, 4), Context())
        self.predictive = self.wide.predict(self.data.inputs)


@pytest.fixture(scope="module")
def four_members():
    return SmallFit(4)


def test_first_members_are_the_ensemble_that_a_fit_of_so_many_gives(four_members):
    first = first_members(four_members.predictive, 2)._core.components()
    for found, expected in zip(first, SmallFit(2).predictive._core.components()):
        np.testing.assert_array_equal(found, expected)
    everyone = first_members(four_members.predictive, 4)
    np.testing.assert_array_equal(everyone.mean, four_members.predictive.mean)
    for members in (0, 5):
        with pytest.raises(credens.UsageError):
            first_members(four_members.predictive, members)


def test_measurements_are_what_scores_say_of_both_methods(four_members):
    found = measure(Key("rows", "d", 60), four_members.predictive, four_members.data.targets, four_members.truth)
    assert (found[0].key.members, found[0].key.rows) == (4, 60)
    values = values_of(found)
    for method, predictive in (("classical", four_members.predictive.classical()), ("extended", four_members.predictive)):
        scores = credens.score(predictive, four_members.data.targets, truth=four_members.truth)
        assert values[method, "rmse"] == scores.function_rmse
        for metric in ("function_coverage", "total_coverage", "epistemic_coverage", "epistemic_aleatoric_ratio"):
            assert values[method, metric] == scores[metric]
        assert values[method, "epistemic_aleatoric_ratio_median"] == scores.epistemic_aleatoric_ratio_median


def test_errors_without_truth_are_in_standard_deviations_of_the_targets(four_members):
    targets = four_members.data.targets
    values = values_of(measure(Key(), four_members.predictive, targets, target_std=2.0))
    assert values["extended", "rmse"] == credens.score(four_members.predictive, targets).rmse / 2


def test_the_ratio_on_training_rows_is_features_per_row_and_the_ladder_rises(four_members):
    values = values_of(measure_widths(Key(rows=60), four_members.wide, four_members.data, 1))
    expected = 32 / 60 * (1 - four_members.wide.gamma.mean())  # p/N (1 - gamma lambda), with lambda = 1
    assert values["extended", "width_ratio_training"] == pytest.approx(expected, rel=1e-5)
    isotropic, diagonal, full = (values["extended", f"elbo_{rung}_per_row"] for rung in ("isotropic", "diagonal", "full"))
    assert isotropic == four_members.wide.elbo("isotropic") / 60
    assert isotropic <= diagonal <= full


# ---- Figures 1 and 2 ----


@pytest.fixture(scope="module")
def figure1():
    return make_figure1(1, Context())


def test_figure1_has_the_sizes_of_the_paper_and_tests_no_row_it_trained_on(figure1):
    assert (len(figure1.train), figure1.wide.members, figure1.wide.posterior) == (200, 10, "isotropic")
    x = figure1.test.inputs[:, 0]
    assert (np.diff(x) > 0).all()
    assert not set(x) & set(figure1.train.inputs[:, 0])
    np.testing.assert_allclose(figure1.truth, ((4.5 * x) ** 4 - (18 * x) ** 2 + 22.5 * x) / 2, rtol=1e-12)


def test_runs_of_figure1_measure_what_it_shows(figure1):
    runs = figure1_runs(2)
    assert len(runs) == 2
    values = values_of(runs[1].work(Context()))
    predictive = figure1.wide.predict(figure1.test.inputs)
    for method, one in (("classical", predictive.classical()), ("extended", predictive)):
        lower, upper = one.function_interval(0.95)
        inside = (lower <= figure1.truth) & (figure1.truth <= upper)
        assert values[method, "function_coverage"] == pytest.approx(inside.mean())
    assert values["classical", "rmse"] == values["extended", "rmse"]
    assert values["classical", "function_coverage"] < 0.85
    assert values["extended", "function_coverage"] > 0.93


def test_the_quick_grid_keeps_six_settings_and_the_ends():
    full, quick = figure2_grid(False), figure2_grid(True)
    for grid in (full, quick):
        assert len(grid.rows) >= 6 and len(grid.members) >= 6
        assert (grid.rows[0], grid.rows[-1], grid.members[0], grid.members[-1]) == (100, 3000, 1, 20)
        assert grid.members == sorted(grid.members)
    assert set(quick.rows) <= set(full.rows)  # a full study goes on from a quick one


def test_runs_of_figure2_have_names_and_settings_of_their_own():
    runs = figure2_runs(figure2_grid(False), 3)
    assert len({run.name for run in runs}) == len({run.settings for run in runs}) == len(runs) == 33


def test_members_of_one_training_are_settings_and_gamma_falls_like_one_over_the_rows():
    (run,) = figure2_runs(Grid([], [1, 3]), 1)
    found = run.work(Context())
    assert (found[0].key.series, found[0].key.rows) == ("members", 600)
    one, three = (values_of([m for m in found if m.key.series == "members"], members) for members in (1, 3))
    assert one["classical", "function_coverage"] == 0  # one network has no spread
    assert one["extended", "function_coverage"] > 0.5
    assert three["classical", "function_coverage"] > 0
    assert three["classical", "rmse"] == three["extended", "rmse"]
    scaled = [m.value * m.key.rows for m in found if m.key.series == "width"]
    assert len(scaled) == len(figure2_grid(False).rows)
    assert max(scaled) / min(scaled) < 1.5  # while the rows grow thirtyfold


def test_runs_do_not_depend_on_the_threads():
    run = figure2_runs(Grid([100], [1]), 1)[0]
    assert run.work(Context(threads=1)) == run.work(Context(threads=2))


# ---- Table 2 ----


def synthetic(rows, seed, inputs=4):
    """Rows like those of a public table: inputs of which the second is constant, and a noisy target."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, inputs))
    x[:, 1] = 5
    return credens.Dataset(x, 3 * x[:, 0] + random.normal(size=rows))


def test_table1_has_the_settings_of_the_paper():
    blog = TABLE1[2]
    assert (blog.name, blog.learning_rate, blog.prior, blog.batch, blog.epochs) == ("blog", 1e-5, 1e-5, 64, 50)
    assert (TABLE1[1].name, TABLE1[1].batch, TABLE1[3].name, TABLE1[3].learning_rate) == ("yacht", 8, "year", 5e-5)


def test_lambda_is_read_in_two_ways():
    assert table1_settings(QSAR, 437, MEAN_LOSS, 0)["prior_precision"] == pytest.approx(4.37)
    literal = table1_settings(QSAR, 437, LITERAL, 3)
    assert (literal["prior_precision"], literal["seed"], literal["schedule"]) == (0.01, 3, "halve-last-five")


def test_random_splits_have_the_sizes_of_the_paper():
    rows = RealRows(QSAR, synthetic(546, 1), None)
    assert [len(part) for part in rows.parts(0)] == [437, 109]
    assert rows.parts(0)[1].fingerprint != rows.parts(1)[1].fingerprint
    assert [len(part) for part in RealRows(TABLE1[1], synthetic(308, 1), None).parts(5)] == [246, 62]


def test_official_splits_stay_and_lose_constant_inputs():
    whole = synthetic(20, 2)
    rows = RealRows(TABLE1[2], synthetic(50, 1), whole)
    train, test = rows.parts(0)
    assert rows.has_official_split and rows.inputs == 3
    assert rows.parts(1) == (train, test)
    np.testing.assert_array_equal(test.inputs, whole.inputs[:, [0, 2, 3]])
    np.testing.assert_array_equal(test.targets, whole.targets)


def test_runs_of_table2_measure_both_sizes_in_both_readings():
    rows = RealRows(replace(QSAR, learning_rate=0.01), synthetic(80, 3), None)
    runs = table2_runs(rows, 2)
    assert len(runs) == 4
    cells = set()
    for run in runs:
        for one in run.work(Context()):
            assert (one.key.data, one.key.rows) == ("qsar", 64)
            if one.key.metric == "rmse":
                cells.add((one.key.series, one.key.method, one.key.members))
                assert one.value < 1.2  # in standard deviations of the targets
    assert len(cells) == 8
    assert {(MEAN_LOSS, "classical", 5), (LITERAL, "extended", 10)} <= cells


def test_runs_of_table2_know_their_rows_and_settings():
    def settings(seed=1, **changes):
        return table2_runs(RealRows(replace(QSAR, **changes), synthetic(30, seed), None), 1)[0].settings

    assert settings() == settings()
    assert settings() != settings(seed=2)  # a run of other rows must not stand for this one
    for change in ({"prior": 1.0}, {"batch": 1}, {"epochs": 1}, {"learning_rate": 1.0}):
        assert settings(**change) != settings()


def test_the_shape_of_year_is_never_taken_for_year():
    train, test = make_year_shape(1000)
    assert (len(train), len(test), train.inputs.shape[1]) == (900, 100, 90)
    assert make_year_shape(1000)[1].fingerprint == test.fingerprint
    with pytest.raises(credens.UsageError, match="3 rows"):
        make_year_shape(3)
    found = year_shape_run(60).work(Context())
    assert {(one.key.data, one.key.rows, published.published("table2", one.key)) for one in found} == {("year-synthetic", 54, None)}
    values = values_of(found, members=10)
    assert values["extended", "rows_per_second"] * values["extended", "seconds"] == pytest.approx(54 * 40 * 10)
    assert 1 < values["extended", "peak_megabytes"] < 1e6
    assert ("extended", "rmse") in values
    assert year_shape_run(60).settings != year_shape_run(70).settings
    assert year_shape_run(60).name != year_shape_run(70).name


# ---- the UCI benchmark ----


@pytest.fixture
def uci(tmp_path, monkeypatch):
    """A small folder of data; nothing outside it is looked at."""
    monkeypatch.delenv("CREDENS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_uci_data(tmp_path)
    return tmp_path


SMALL_FIT = {"recipe": "paper", "members": 3, "hidden": (8, 4), "epochs": 40, "batch": 8, "learning_rate": 0.02}


def test_the_sets_of_the_benchmark_are_known():
    names = ["yacht", "bostonHousing", "concrete", "airfoil", "power-plant", "naval"]
    assert [known.name for known in UCI_SETS] == names == [uci_set(name).name for name in names]
    assert set(names) == set(published.UCI)
    with pytest.raises(credens.UsageError, match='"boston", expected some of .*; did you mean bostonHousing'):
        uci_set("boston")


def test_rows_and_splits_of_the_benchmark(uci):
    yacht = find_uci_rows(uci_set("yacht"), uci)
    assert (yacht.splits("standard"), yacht.splits("gap")) == (4, 2)
    train, test = yacht.parts("standard", 1)
    assert (len(train), test.inputs.shape) == (30, (10, 6))
    everything = credens.Dataset.from_csv(uci / "uci-benchmark/yacht/data.txt", 6, header=False, delimiter=" ")
    np.testing.assert_array_equal(test.targets, everything.targets[1::4])
    assert len(yacht.parts("gap", 1)[1]) == 20
    assert find_uci_rows(uci_set("concrete"), uci) is None


def test_gap_splits_may_be_absent(uci):
    for file in (uci / "uci-gap/yacht").iterdir():
        file.unlink()
    (uci / "uci-gap/yacht").rmdir()
    yacht = find_uci_rows(uci_set("yacht"), uci)
    assert (yacht.splits("standard"), yacht.splits("gap")) == (4, 0)


def test_columns_behind_the_target_are_left_alone(uci):
    folder = uci / "uci-benchmark/naval-propulsion-plant"
    put_index(folder, 2)
    lines = [" ".join(str((i * (j + 3)) % 17) for j in range(18)) for i in range(40)]
    (folder / "data.txt").write_text("\n".join(lines) + "\n")
    assert find_uci_rows(uci_set("naval"), uci).parts("standard", 0)[0].inputs.shape[1] == 16


def test_airfoil_is_split_at_random_with_a_standardised_target(uci):
    airfoil = find_uci_rows(uci_set("airfoil"), uci)
    assert (airfoil.splits("standard"), airfoil.splits("gap")) == (5, 0)
    train, test = airfoil.parts("standard", 0)
    assert (len(train), len(test)) == (32, 8)
    assert train.targets.mean() == pytest.approx(0, abs=1e-12)
    assert train.targets.std() == pytest.approx(1)
    raw = credens.Dataset.from_csv(uci / "airfoil/airfoil.csv", 5)
    raw_train, raw_test = raw.split(0.2, 0)
    expected = (raw_test.targets - raw_train.targets.mean()) / raw_train.targets.std()
    np.testing.assert_allclose(test.targets, expected, rtol=1e-9)  # test rows are scaled like training rows
    assert airfoil.parts("standard", 1)[1].fingerprint != test.fingerprint


@pytest.mark.parametrize(
    "index, sentence",
    [
        ("1 2\n3 40\n1\n1\n", 'test_index.txt:2: "40" is no row, expected a whole number from 0 to 39'),
        ("1 x\n", '"x" is no row'),
        ("-1\n", '"-1" is no row'),
        ("0\n", "4 splits in train_index.txt and 1 in"),
        ("1\n1\n1\n1\n", "split 0 has row 1 twice"),
    ],
)
def test_what_is_wrong_with_a_split_is_said(uci, index, sentence):
    (uci / "uci-benchmark/yacht/test_index.txt").write_text(index)
    with pytest.raises(credens.DataError, match=sentence):
        find_uci_rows(uci_set("yacht"), uci)


def test_runs_of_the_benchmark_measure_both_methods(uci):
    yacht = find_uci_rows(uci_set("yacht"), uci)
    found = uci_runs(yacht, "standard", range(1, 2), SMALL_FIT)[0].work(Context())
    assert {(m.key.series, m.key.data, m.key.rows, m.key.members) for m in found} == {("standard", "yacht", 30, 0)}
    values = values_of(found)
    for method in ("classical", "extended"):
        for metric in ("rmse", "nll", "nll_gaussian", "crps", "total_coverage", "epistemic_coverage"):
            assert (method, metric) in values
    assert len(values) == 15
    assert values["extended", "rmse"] < 1  # the standard deviation of the targets is about 0.9
    assert values["extended", "nll_gain"] == pytest.approx(values["classical", "nll"] - values["extended", "nll"])
    assert values["extended", "epistemic_coverage"] >= values["classical", "epistemic_coverage"]
    assert values["extended", "members"] == 3
    assert values["extended", "seconds"] > 0


def test_runs_of_the_benchmark_are_the_splits_that_there_are(uci):
    yacht = find_uci_rows(uci_set("yacht"), uci)
    counts = {
        (series, splits): len(uci_runs(yacht, series, splits, SMALL_FIT))
        for series, splits in (("standard", range(100)), ("gap", range(100)), ("standard", range(1, 3)), ("gap", range(7, 9)))
    }
    assert list(counts.values()) == [4, 2, 2, 0]
    runs = [run for series in ("standard", "gap") for run in uci_runs(yacht, series, range(100), SMALL_FIT)]
    assert len({run.name for run in runs}) == len({run.settings for run in runs}) == 6
    other = uci_runs(yacht, "gap", range(1), {**SMALL_FIT, "prior_precision": 2.0})[0]
    assert other.settings not in {run.settings for run in runs}

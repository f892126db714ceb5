# SPDX-License-Identifier: Apache-2.0
"""What studies of credens.reproduce keep: runs in files, results, and published values beside them."""

import json
import math
from dataclasses import replace

import pytest

import credens
from credens import _core
from credens.reproduce import published
from credens.reproduce.results import (
    Key,
    Measurement,
    Result,
    fill_members,
    find_result,
    merge_results,
    parse_results,
    results_csv,
    results_json,
    summarise,
)
from credens.reproduce.runs import Context, Run, perform, training_effort, words_of


# ---- results ----


def coverage(rows, value):
    return Measurement(Key("rows", "figure2", rows, 10, "extended", "function_coverage"), value)


@pytest.fixture
def three_repetitions():
    runs = [[coverage(300, 0.5), coverage(100, 0.25)], [coverage(300, 0.75)], [coverage(300, 1.0)]]
    return summarise("figure2", runs)


def test_a_summary_has_mean_sample_spread_and_range_in_the_order_of_keys(three_repetitions):
    first, second = three_repetitions
    assert (first.mean, first.std, first.count, first.least, first.largest) == (0.75, 0.25, 3, 0.5, 1.0)
    assert (first.key.rows, second.key.rows) == (300, 100)
    assert math.isnan(second.std)  # one value has no spread


def test_results_as_json(three_repetitions):
    document = json.loads(results_json(three_repetitions))
    keys = "experiment series data rows members method metric mean std standard_error least largest count paper".split()
    assert list(document[0]) == keys
    assert document[0]["standard_error"] == pytest.approx(0.25 / math.sqrt(3))
    assert (document[0]["mean"], document[0]["rows"], document[0]["paper"]) == (0.75, 300, None)
    assert document[1]["std"] is None


def test_results_as_csv(three_repetitions):
    first, second = three_repetitions
    first = replace(first, key=replace(first.key, series=""), paper=1.0, count=4)
    assert results_csv([first, second]) == (
        "experiment,series,data,rows,members,method,metric,mean,std,standard_error,least,largest,count,paper\n"
        "figure2,,figure2,300,10,extended,function_coverage,0.75,0.25,0.125,0.5,1,4,1\n"
        "figure2,rows,figure2,100,10,extended,function_coverage,0.25,,,0.25,0.25,1,\n"
    )
    text = results_json([first, second])
    assert json.loads(text)[0]["series"] is None
    assert results_json(parse_results(text)) == text


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"experiment": "figure1"}]', '[{"surprise": 1}]'])
def test_other_results_are_refused(text):
    with pytest.raises(credens.DataError):
        parse_results(text)


def test_results_with_values_of_other_types_are_refused(three_repetitions):
    for key, value in (("rows", "many"), ("mean", "much"), ("count", None), ("series", 3), ("experiment", 1)):
        document = json.loads(results_json(three_repetitions))
        document[0][key] = value
        with pytest.raises(credens.DataError):
            parse_results(json.dumps(document))


def test_merging_keeps_what_is_not_found_anew_in_the_order_of_experiments():
    def named(experiment, series, data, mean):
        return Result(experiment, Key(series, data), mean=mean)

    kept = [named("uci", "gap", "yacht", 1), named("uci", "standard", "yacht", 2), named("figure1", "", "figure1", 3)]
    found = [named("uci", "standard", "yacht", 4), named("figure2", "rows", "figure2", 5)]
    assert [one.mean for one in merge_results(kept, found, ["figure1", "figure2", "uci"])] == [3, 5, 1, 4]


def test_a_result_is_found_by_its_whole_key(three_repetitions):
    key = coverage(100, 0).key
    assert find_result(three_repetitions, "figure2", key) is three_repetitions[1]
    assert find_result(three_repetitions, "figure1", key) is None
    assert find_result(three_repetitions, "figure2", coverage(200, 0).key) is None


def test_the_mean_number_of_members_goes_into_the_keys():
    results = [
        Result("uci", Key("gap", "a", metric="rmse")),
        Result("uci", Key("gap", "a", metric="members"), mean=47.6),
        Result("uci", Key("gap", "b", metric="rmse")),
        Result("figure1", Key(members=10, metric="rmse")),
    ]
    assert [one.key.members for one in fill_members(results)] == [48, 48, 0, 10]


# ---- runs ----


class Counted:
    """Runs that count how often they work; the value of run i is i + 1/3."""

    def __init__(self, folder):
        self.folder, self.worked, self.stop_at = folder, 0, None

    def run(self, number, settings="usual", effort=1.0):
        def work(context):
            self.worked += 1
            context.on_progress(credens.Progress(0, 1, 0.5, 0.0, 0.0))
            if number == self.stop_at:
                raise KeyboardInterrupt
            return [Measurement(Key(metric="m"), number + 1 / 3)]

        return Run(f"run-{number}", settings, work, effort)

    def perform(self, runs, **context):
        return [found[0].value for found in perform(runs, self.folder, Context(**context))]


@pytest.fixture
def counted(tmp_path):
    return Counted(tmp_path)


def test_runs_are_worked_out_once_and_give_the_same_doubles(counted):
    runs = [counted.run(number) for number in range(3)]
    assert counted.perform(runs) == counted.perform(runs) == [1 / 3, 1 + 1 / 3, 2 + 1 / 3]
    assert counted.worked == 3


def test_stopped_runs_go_on_where_they_were(counted):
    runs = [counted.run(number) for number in range(3)]
    counted.stop_at = 1
    with pytest.raises(KeyboardInterrupt):
        counted.perform(runs)
    assert counted.worked == 2
    counted.stop_at = None
    assert len(counted.perform(runs)) == 3
    assert counted.worked == 4  # run 0 was kept


def test_other_settings_are_worked_out_anew(counted):
    counted.perform([counted.run(0)])
    counted.perform([counted.run(0, "other")])
    assert counted.worked == 2


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"version":"x"}', '{"version": "VERSION", "settings": "usual", "measurements": [1]}'])
def test_damaged_files_are_made_again(counted, damage):
    counted.perform([counted.run(0)])
    (counted.folder / "run-0.json").write_text(damage.replace("VERSION", _core.version()))
    assert counted.perform([counted.run(0)]) == [1 / 3]
    assert counted.worked == 2


def test_progress_is_that_of_all_runs(counted):
    seen = []
    runs = [counted.run(0), counted.run(1), counted.run(2, effort=2)]
    counted.perform(runs, on_progress=seen.append)
    assert [one.fraction for one in seen] == [0.125, 0.375, 0.75]


def test_the_time_left_counts_the_work_of_this_call_alone(counted):
    runs = [counted.run(number) for number in range(3)]
    counted.perform(runs[:2])
    seen = []
    counted.perform(runs, on_progress=seen.append)
    assert [one.members_done for one in seen] == [2]
    assert seen[0].seconds_left == pytest.approx(seen[0].seconds_elapsed)  # half of the only run is done


def test_words_name_every_option_that_determines_the_result():
    paper = {"recipe": "paper", "members": 3, "epochs": 7, "batch": 5, "prior_precision": 0.25}
    words = words_of(paper)
    for word in ("members 3", "epochs 7", "batch 5", "lambda 0.25", "schedule ", "seed 0"):
        assert word in words
    assert words == words_of({**paper, "threads": 9})
    small, large = (words_of({"epochs": 7}, rows, 8, 1) for rows in (300, 30_000))
    for word in ("recipe auto", "epochs 7", "members ", "hidden_precision ", "lambda "):
        assert word in small
    assert small != large


def test_effort_counts_weights_rows_epochs_and_members():
    assert training_effort({"members": 2, "hidden": [4, 3], "epochs": 5}, 7, 6) == (6 * 4 + 4 * 3) * 2 * 5 * 7


# ---- published values ----


def cell(data, metric, method, members):
    return Key("lambda_literal", data, 1, members, method, metric)


def test_table2_of_the_paper_has_four_lines_for_each_of_four_data_sets():
    assert len(published.TABLE2) == 16
    for line in published.TABLE2:
        if line.metric == "rmse":  # widening leaves the mean alone
            assert (line.classical_5, line.classical_10) == (line.extended_5, line.extended_10)
        else:
            assert line.extended_5 >= line.classical_5 and line.extended_10 >= line.classical_10


@pytest.mark.parametrize(
    "experiment, key, expected",
    [
        ("table2", cell("qsar", "epistemic_coverage", "extended", 10), 0.477),
        ("table2", cell("yacht", "epistemic_aleatoric_ratio", "classical", 5), 0.284),
        ("table2", cell("blog", "rmse", "classical", 10), 0.683),
        ("table2", cell("year", "total_coverage", "extended", 5), 0.952),
        ("table2", cell("qsar", "rmse", "classical", 7), None),
        ("table2", cell("qsar", "gamma", "extended", 10), None),
        ("figure2", Key("members", "figure2", 600, 1, "extended", "function_coverage"), 0.7),
        ("figure2", Key("members", "figure2", 600, 1, "classical", "function_coverage"), 0.0),
        ("figure2", Key("members", "figure2", 600, 2, "classical", "function_coverage"), None),
        ("figure1", Key(method="extended", metric="function_coverage"), 1.0),
        ("figure1", Key(method="classical", metric="function_coverage"), None),
        ("uci", Key("standard", "yacht", 0, 50, "extended", "rmse"), 0.48),
        ("uci", Key("standard", "yacht", 0, 50, "extended", "nll"), 0.16),
        ("uci", Key("standard", "yacht", 0, 50, "extended", "crps"), None),
        ("uci", Key("gap", "yacht", metric="nll"), None),
        ("uci", Key("standard", "wine", metric="nll"), None),
    ],
)
def test_published_values_are_found(experiment, key, expected):
    assert published.published(experiment, key) == expected
    (added,) = published.add_published([Result(experiment, key)])
    assert added.paper == expected


def test_the_range_allows_for_the_rounding_of_the_paper():
    def inside(least, largest, paper=0.555):
        return published.is_in_range(Result("table2", Key(), paper=paper, least=least, largest=largest))

    assert inside(0.5, 0.6) and inside(0.5554, 0.6) and inside(0.5, 0.5546)
    assert not inside(0.5556, 0.6) and not inside(0.5, 0.5544)
    assert inside(0, 1, None) is None
    assert (published.UCI["concrete"].ensembles_rmse, published.UCI["airfoil"].ensembles_nll) == (6.03, None)

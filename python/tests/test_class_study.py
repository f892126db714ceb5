# SPDX-License-Identifier: Apache-2.0
"""The benchmark of classes as a study: runs of all methods, peers that are there or not, and what it shows."""

import json
import math
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import credens
from credens import _core
from credens.reproduce import class_plan
from credens.reproduce.class_findings import ClassFindings, mean_and_error
from credens.reproduce.class_methods import ClassMethod
from credens.reproduce.class_page import class_benchmark_charts, class_benchmark_tables
from credens.reproduce.class_tables import Absent, ClassRows, ClassTable, class_table
from credens.reproduce.classes import credens_runs, foreign_runs, peer_runs
from credens.reproduce.page import reproduction_page
from credens.reproduce.reproduction import Reproduction
from credens.reproduce.results import Key, Result
from credens.reproduce.runs import Context, finished, perform

pandas = pytest.importorskip("pandas")

from class_study_data import SMALL, mixed_table, rows_of  # noqa: E402

# ---- runs ----


def shares(inputs, labels, threads):
    """A peer that predicts the shares of the classes."""
    found = np.bincount(labels) / len(labels)
    return lambda new: np.tile(found, (len(new), 1))


SHARES = ClassMethod("shares", "shares", "numpy", "numpy", "the shares of the classes", shares)
ABSENT = ClassMethod("absent", "Absent", "not-there", "not_there_at_all", "nothing", shares)


def values_of(measurements):
    return {(one.key.method, one.key.metric): one.value for one in measurements}


def test_runs_measure_all_methods_on_the_same_rows():
    rows = rows_of()
    ours = credens_runs(rows, range(2), SMALL)
    theirs = peer_runs(rows, range(2), SHARES)
    assert len(ours) == len(theirs) == 2
    assert len({run.name for run in ours + theirs}) == len({run.settings for run in ours + theirs}) == 4
    found = values_of(ours[0].work(Context(1)) + theirs[0].work(Context(1)))
    metrics = {"log_loss", "brier", "accuracy", "ece"}
    assert {metric for method, metric in found if method == "extended"} == metrics | {"members", "seconds"}
    assert {metric for method, metric in found if method == "shares"} == metrics | {"seconds"}
    assert {metric for method, metric in found if method == "classical"} == metrics
    labels = rows.labels[rows.parts(0).test]
    assert found["shares", "accuracy"] == pytest.approx(max((labels == name).mean() for name in rows.classes))
    assert found["extended", "log_loss"] < found["shares", "log_loss"]


def test_methods_that_take_too_long_leave_out_large_tables():
    rows = rows_of()
    assert rows.training_rows == 72
    assert len(peer_runs(rows, range(9), replace(SHARES, most_rows=72))) == 5
    assert peer_runs(rows, range(9), replace(SHARES, most_rows=71)) == []


def test_runs_know_their_rows_and_settings():
    def settings(rows=90, options=SMALL, split=0):
        return credens_runs(rows_of(rows), range(split, split + 1), options)[0].settings

    assert settings() == settings()
    assert len({settings(), settings(91), settings(options={"members": 4}), settings(split=1)}) == 4


def test_foreign_digits_are_told_from_those_that_were_learned():
    random = np.random.default_rng(4)
    labels = np.array([str(k % 10) for k in range(400)], dtype=object)
    middle = np.vstack([4 * np.eye(5, 6), np.full((5, 6), 4 / 6)])  # foreign digits lie between the others
    inputs = pandas.DataFrame(middle[labels.astype(int)] + 0.5 * random.normal(size=(400, 6)))
    inputs.columns = [f"pixel{k}" for k in range(6)]
    rows = ClassRows(class_table("digits"), inputs, labels)
    runs = foreign_runs(rows, range(100), SMALL)
    assert len(runs) == 9 and len({run.name for run in runs}) == 9
    found = runs[0].work(Context(1))
    assert {(one.key.series, one.key.rows) for one in found} == {("foreign", 50)}
    values = values_of(found)
    assert set(values) == {(m, f"auroc_by_{k}") for m in ("classical", "extended") for k in ("entropy", "epistemic", "confidence")}
    assert all(0 <= value <= 1 for value in values.values())
    for method in ("classical", "extended"):
        assert values[method, "auroc_by_entropy"] > 0.7 and values[method, "auroc_by_confidence"] > 0.7
    assert foreign_runs(rows_of(), range(9), SMALL) == []


# ---- the study ----


@pytest.fixture
def small_study(monkeypatch):
    """Two tables, and a peer beside one that is absent."""
    tables = [ClassTable(name, "test", str(size), "tree", is_development=size > 90) for name, size in (("few", 80), ("more", 100))]
    monkeypatch.setattr(class_plan, "CLASS_TABLES", (*tables, ClassTable("lost", "folder", "mnist", "digit")))
    monkeypatch.setattr(class_plan, "CLASS_METHODS", (SHARES, ABSENT))

    def load(known, explicit, most_rows):
        if known.source == "folder":
            raise Absent("there is no such folder")
        return ClassRows(known, *mixed_table(int(known.item)), most_rows)

    monkeypatch.setattr(class_plan, "load_class_rows", load)


class Arguments:
    quick, data, rows, sets, splits, methods = False, None, None, None, range(2), None

    def __init__(self, **changes):
        self.__dict__.update(changes)


def test_a_study_goes_over_tables_and_methods_and_says_what_is_left_out(small_study, tmp_path):
    left_out = []
    runs = class_plan.plan_classes(Arguments(), SMALL, left_out)
    assert left_out == [("Absent", "the package not-there is not installed"), ("lost", "there is no such folder")]
    names = [run.name for run in runs]
    first = [f"classes-{table}-0-{method}" for table in ("few", "more") for method in ("credens", "shares")]
    assert names == first + [name.replace("-0-", "-1-") for name in first]
    assert finished(runs, tmp_path) == []
    perform(runs[:2], tmp_path, Context(1))
    assert finished(runs, tmp_path) == runs[:2]
    one = class_plan.plan_classes(Arguments(methods=["shares"], sets=["more"], splits=range(1)), SMALL, [])
    assert [run.name for run in one] == ["classes-more-0-shares"]
    with pytest.raises(credens.UsageError, match="none of the methods is installed"):
        class_plan.plan_classes(Arguments(methods=["absent"]), SMALL, [])
    with pytest.raises(credens.FileError, match="no table of the benchmark of classes was found"):
        class_plan.plan_classes(Arguments(sets=["lost"]), SMALL, [])


def test_the_command_makes_tables_files_and_a_page(tmp_path):
    pytest.importorskip("sklearn")
    command = [sys.executable, "-W", "ignore", "-m", "credens.reproduce", "classes", "-o", "out", "--progress", "none", "--threads", "1"]
    words = ["--sets", "wine,breast-cancer", "--methods", "credens,logistic", "--splits", "0:2", "--rows", "60", "--members", "3", "--set", "epochs=20"]
    done = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall("^Benchmark of classes: mean rank.*", done.stdout, re.M) == [
        "Benchmark of classes: mean rank of 2 methods over 2 tables; means that differ by less than 1.39 are not told apart (Nemenyi, 5 %)"
    ]
    found = json.loads((tmp_path / "out/results.json").read_text())
    assert {(one["experiment"], one["series"], one["data"], one["rows"], one["count"]) for one in found} == {
        ("classes", "tables", "breast-cancer", 60, 2),
        ("classes", "tables", "wine", 60, 2),
    }
    assert {one["method"] for one in found} == {"classical", "extended", "logistic"}
    page = (tmp_path / "out/report.html").read_text()
    assert re.search("<h2[^>]*>Benchmark of classes", page) and "--rows 60" in page and "<title>The benchmark of classes" in page
    kept = sorted((tmp_path / "out/runs").iterdir())
    assert len(kept) == 8
    kept[0].unlink()
    again = subprocess.run([*command, *words, "--finished"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert again.returncode == 0 and len(list((tmp_path / "out/runs").iterdir())) == 7


def test_usage(tmp_path):
    def fails(status, sentence, *words):
        done = subprocess.run([sys.executable, "-m", "credens.reproduce", *words], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (status, "")
        assert done.stderr.startswith(f"credens: {sentence}")

    sentence = "--methods, --rows and --finished are for the experiment classes, not for uci\n"
    for words in (("--methods", "forest"), ("--rows", "50"), ("--finished",)):
        fails(2, sentence, "uci", *words)
    fails(2, "--repetitions is not for the experiment classes; --splits chooses its splits\n", "classes", "--repetitions", "2")
    fails(2, 'there is no table "iriss", expected some of', "classes", "--sets", "iriss", "--methods", "credens")
    fails(2, 'there is no method "forrest", expected some of credens,', "classes", "--methods", "forrest")
    fails(2, '--set: fit has no option "epochz"; did you mean epochs?', "classes", "--set", "epochz=3")
    assert not list(tmp_path.iterdir())


# ---- what it shows ----


def result(data, method, metric, mean, count=5, series="tables", rows=100):
    return Result("classes", Key(series, data, rows, 0, method, metric), mean, std=0.01, count=count)


@pytest.fixture
def found():
    """Credens wins on wine and iris by log loss, the forest on crabs; TabM has iris alone, and one split of wine."""
    results = []
    log_losses = {"iris": (0.1, 0.3, 0.2), "wine": (0.1, 0.2, 0.3), "crabs": (0.5, 0.4, 0.6)}
    for data, losses in log_losses.items():
        for method, loss in zip(("extended", "forest", "logistic"), losses):
            values = {"log_loss": loss, "brier": loss / 2, "accuracy": 1 - loss, "ece": 0.05, "seconds": 4 * loss}
            results += [result(data, method, metric, value) for metric, value in values.items()]
        for metric, value in {"log_loss": losses[0] + 0.01, "brier": 0.1, "accuracy": 0.9, "ece": 0.05}.items():
            results.append(result(data, "classical", metric, value))
    for metric, value in {"log_loss": 0.05, "brier": 0.01, "accuracy": 0.99, "ece": 0.01, "seconds": 9.0}.items():
        results += [result("iris", "tabm", metric, value), result("wine", "tabm", metric, value, count=1)]
    for rows, classical, extended in ((50, 0.9, 0.92), (300, 0.94, 0.95)):
        for kind in ("entropy", "epistemic", "confidence"):
            for method, value in (("classical", classical), ("extended", extended)):
                results.append(result("digits", method, f"auroc_by_{kind}", value, series="foreign", rows=rows))
    return Reproduction(results)


def test_methods_count_where_they_have_all_splits(found):
    findings = ClassFindings(found.results)
    assert findings.tables == ["iris", "wine", "crabs"]  # in the order of the list
    assert findings.peers == ["logistic", "forest", "tabm"]
    everything, shared = findings.comparisons
    assert everything == (["iris", "wine", "crabs"], ["extended", "logistic", "forest"])
    assert shared == (["iris"], ["extended", "logistic", "forest", "tabm"])
    assert findings.result("wine", "tabm", "log_loss") is None


def test_ranks_differences_and_losses(found):
    findings = ClassFindings(found.results)
    ranks = findings.ranks("log_loss", *findings.comparisons[0])
    assert ranks.mean == {"extended": pytest.approx(4 / 3), "logistic": pytest.approx(8 / 3), "forest": pytest.approx(2)}
    assert findings.ranks("accuracy", *findings.comparisons[0]).mean == ranks.mean
    gap = findings.difference("log_loss", "forest")
    assert (gap.tables, gap.mean) == (3, pytest.approx((0.2 + 0.1 - 0.1) / 3))
    assert gap.standard_error == pytest.approx(np.std([0.2, 0.1, -0.1], ddof=1) / math.sqrt(3))
    assert findings.difference("log_loss", "tabm").tables == 1
    assert [(loss.table, loss.peer) for loss in findings.losses("log_loss")] == [("iris", "tabm"), ("crabs", "forest")]
    assert [(loss.table, loss.peer) for loss in findings.losses("accuracy")] == [("iris", "tabm"), ("crabs", "forest")]
    assert findings.foreign_gain("entropy").mean == pytest.approx(0.015)
    assert math.isnan(mean_and_error([]).mean) and math.isnan(mean_and_error([1.0]).standard_error)


def test_tables_charts_and_page_of_the_benchmark(found):
    tables = class_benchmark_tables(found)
    for one in tables:
        assert all(len(row) == len(one["headings"]) for row in one["rows"]), one["caption"]
    assert tables[0]["rows"][0] == ["Credens", "1.33 ± 0.33", "1.33 ± 0.33", "1.33 ± 0.33", "2.00 ± 0.00"]
    by_caption = {one["caption"].split(":")[-1].strip(): one["rows"] for one in tables}
    assert by_caption["log loss, mean over splits"][0] == ["iris", "100", "5", "0.100", "0.110", "0.200", "0.300", "0.050"]
    (losses,) = [one for one in tables if "lower log loss" in one["caption"]]
    assert losses["caption"].endswith("2 of 3")
    assert losses["rows"][1] == ["crabs", "random forest", "0.500", "0.400", "0.100", ""]
    assert tables[-1]["rows"][-1][3] == "+0.0150 ± 0.0050"
    figure = class_benchmark_charts(found)
    assert [chart["title"] for chart in figure["charts"]] == [
        "Mean rank by log loss",
        "Mean rank by Brier score",
        "Log loss against the best peer",
        "Foreign digits",
    ]
    assert figure["charts"][2]["marks"][1]["y"] == [pytest.approx(-0.05), pytest.approx(0.1), pytest.approx(-0.1)]
    assert _core.render_page(reproduction_page(found))
    assert class_benchmark_tables(Reproduction()) == []


def test_benchmarks_share_a_page(found):
    assert reproduction_page(found)["title"] == "The benchmark of classes"
    assert reproduction_page(Reproduction())["title"] == "The UCI benchmark"
    uci = [Result("uci", Key("standard", "yacht", 277, 50, "extended", "rmse"), 0.3, std=0.1, count=2)]
    assert reproduction_page(Reproduction([*uci, *found.results]))["title"] == "Benchmarks"

# SPDX-License-Identifier: Apache-2.0
"""`python -m credens.reproduce`: the same numbers as version 0.1.0, files, pages, and runs that go on."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import SHARED_DATA
from uci_data import main as write_uci_data

RECORDED = json.loads((Path(__file__).parents[2] / "tests/reference/studies.json").read_text(encoding="utf-8"))
QSAR = "qsar-aquatic-toxicity"
SMALL = ("--set", "recipe=paper", "--set", "epochs=10", "--set", "hidden=8,4")


class Study:
    """The program in a folder and an environment of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "CREDENS_DATA": "", "XDG_CACHE_HOME": str(folder / "nowhere"), "LC_ALL": "C.UTF-8"}

    def start(self, *words):
        command = [sys.executable, "-m", "credens.reproduce", *words, "--progress", "none"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, text=True, **pipes)

    def run(self, *words):
        """Exit status, standard output, standard error."""
        process = self.start(*words)
        printed, complaints = process.communicate(timeout=600)
        return process.returncode, printed, complaints

    def __call__(self, *words, complaints=""):
        """Standard output of a command that must succeed."""
        status, printed, said = self.run(*words)
        assert (status, said) == (0, complaints)
        return printed

    def results(self, folder):
        return json.loads((self.folder / folder / "results.json").read_text(encoding="utf-8"))

    def bytes(self, folder):
        """All files below, but what names the command."""
        files = sorted(path for path in (self.folder / folder).rglob("*") if path.is_file() and path.name != "report.html")
        return {str(path.relative_to(self.folder / folder)): path.read_bytes() for path in files}

    def fails(self, status, sentence, *words):
        assert self.run(*words) == (status, "", f"credens: {sentence}\n")


@pytest.fixture
def study(tmp_path):
    return Study(tmp_path)


@pytest.fixture
def small(study):
    """With a benchmark in small."""
    write_uci_data(study.folder / "small")
    return study


# ---- the same numbers as before ----


@pytest.mark.parametrize("case", RECORDED["cases"])
def test_numbers_are_those_of_version_0_1_0(small, case):
    arguments, expected = (RECORDED["cases"][case][key] for key in ("arguments", "results"))
    if "real" in arguments:
        if not (SHARED_DATA / QSAR).is_dir():
            pytest.skip(f"the public data are not in {SHARED_DATA}")
        (small.folder / "real").mkdir()
        for name in (QSAR, "yacht"):
            (small.folder / "real" / name).symlink_to(SHARED_DATA / name)
    status, printed, complaints = small.run(*arguments, "--json", "-o", "out")
    assert status == 0, complaints
    found = [[result[key] for key in RECORDED["keys"]] for result in json.loads(printed) if result["metric"] != "seconds"]
    assert [row[:6] + row[8:] for row in found] == [row[:6] + row[8:] for row in expected]
    for row, before in zip(found, expected):
        assert row[6:8] == pytest.approx(before[6:8], rel=1e-9, abs=1e-12), row


# ---- files ----


def test_figure1_as_tables_files_and_a_page(study):
    printed = study("figure1", "--repetitions", "2", "-o", "out")
    shape = re.sub(r"-+", "-", re.sub(r" +", " ", re.sub(r"[0-9.]+ %|[0-9]+[.][0-9]+", "#", printed)))
    assert [line.rstrip() for line in shape.splitlines()] == [
        "Figure 1: mean and standard deviation over 2 repetitions",
        " classical extended paper",
        "- - - -",
        "coverage of the regression function # ± # # ± # below #; complete",
        "total coverage # ± # # ± #",
        "epistemic coverage # ± # # ± #",
        "RMSE # ± # # ± #",
        "epistemic / aleatoric # ± # # ± #",
        "the same, median over rows # ± # # ± #",
        "",
        "The pictures are in out/report.html, the numbers in results.json and results.csv beside it.",
    ]
    files = {str(path.relative_to(study.folder / "out")) for path in (study.folder / "out").rglob("*") if path.is_file()}
    assert files == {"report.html", "results.csv", "results.json", "runs/figure1-0.json", "runs/figure1-1.json"}
    found = study.results("out")
    table = list(csv.DictReader((study.folder / "out/results.csv").open(encoding="utf-8")))
    assert len(found) == len(table)
    for result, row in zip(found, table):
        assert list(result) == list(row)
        assert all(cell == ("" if value is None else str(value)) or float(cell) == value for value, cell in zip(result.values(), row.values()))
    places = {tuple(one[key] for key in ("experiment", "series", "data", "rows", "members", "count")) for one in found}
    assert places == {("figure1", None, "figure1", 200, 10, 2)}
    page = (study.folder / "out/report.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page and "Made by credens" in page
    assert "python -m credens.reproduce figure1 --repetitions 2" in page
    for heading in ("What this page shows", "Figure 1", "The theory"):
        assert re.search(rf"<h2[^>]*>{heading}", page), heading
    assert "Regression function, classical" in page  # one of the panels


def test_the_first_repetition_is_what_the_demo_shows(study, program, tmp_path):
    study("figure1", "--repetitions", "1", "-o", "out")
    demo = json.loads(program("demo", "-o", tmp_path / "demo", "--progress", "none", "--json"))
    run = json.loads((study.folder / "out/runs/figure1-0.json").read_text(encoding="utf-8"))
    found = {(one["method"], one["metric"]): one["value"] for one in run["measurements"]}
    for method in ("classical", "extended"):
        assert found[method, "function_coverage"] == demo[method]["function_coverage"]
        assert found[method, "rmse"] == demo[method]["function_rmse"]


def test_more_repetitions_go_on_from_fewer_with_any_number_of_threads(study):
    whole = study("figure1", "--repetitions", "3", "-o", "whole", "--threads", "1", "--json")
    assert whole == (study.folder / "whole/results.json").read_text(encoding="utf-8")
    study("figure1", "--repetitions", "2", "-o", "out")
    kept = study.folder / "out/runs/figure1-0.json"
    os.utime(kept, (1e9, 1e9))
    study("figure1", "--repetitions", "3", "-o", "out")
    assert study.bytes("out") == study.bytes("whole")
    assert (study.folder / "out/report.html").read_bytes() == (study.folder / "whole/report.html").read_bytes()
    assert kept.stat().st_mtime == 1e9
    kept.write_text("{")  # a damaged run is made again
    study("figure1", "--repetitions", "3", "-o", "out")
    assert study.bytes("out") == study.bytes("whole")


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_keeps_the_runs_that_are_done(study, word):
    process = study.start("figure2", "--quick", "-o", "stopped")
    while not list(study.folder.glob("stopped/runs/*.json")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(word)
    printed, complaints = process.communicate(timeout=60)
    expected = "credens: interrupted; finished runs are kept in stopped/runs, and the same command goes on from there\n"
    assert (process.returncode, printed, complaints) == (130, "", expected)
    assert [path.name for path in (study.folder / "stopped").iterdir()] == ["runs"]


def test_another_experiment_in_the_same_folder_stays_also_on_the_page(small):
    words = ("--quick", "--data", "small", "--members", "2", *SMALL)
    study = small
    study("uci", *words, "-o", "one")
    assert "UCI" not in study("figure1", "--repetitions", "2", "-o", "one")
    study("figure1", "--repetitions", "2", "-o", "two")
    shutil.copytree(study.folder / "one/runs", study.folder / "two/runs", dirs_exist_ok=True)
    assert "Figure 1" not in study("uci", *words, "-o", "two")
    assert study.bytes("one") == study.bytes("two")  # in any order
    for folder in ("one", "two"):
        page = (study.folder / folder / "report.html").read_text(encoding="utf-8")
        assert re.findall(r"<h2[^>]*>(Figure 1|UCI benchmark)", page) == ["Figure 1", "UCI benchmark"]


def test_progress_as_json(study):
    command = [sys.executable, "-m", "credens.reproduce", "figure1", "--repetitions", "2", "-o", "out", "--progress", "json"]
    done = subprocess.run(command, cwd=study.folder, env=study.environment, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert list(lines[-1]) == ["runs_done", "runs", "fraction", "seconds_elapsed", "seconds_left"]
    assert all(line["runs"] == 2 for line in lines)


# ---- data that are there or not ----


def test_figure2_has_its_settings_and_the_paper_beside_them(study):
    printed = study("figure2", "--quick", "--repetitions", "1", "-o", "out")
    assert re.findall("^Figure.*", printed, re.M) == [
        "Figure 2 against training rows, 10 networks",
        "Figure 2 against networks, 600 training rows",
    ]
    found = [one for one in study.results("out") if one["metric"] == "function_coverage"]
    single = [(one["method"], one["paper"], one["std"]) for one in found if one["members"] == 1]
    assert single == [("classical", 0.0, None), ("extended", 0.7, None)]
    value = {(one["series"], one["rows"], one["members"], one["method"]): one["mean"] for one in found}
    assert all(mean > value[(*key[:3], "classical")] for key, mean in value.items() if key[3] == "extended")


def test_synthetic_rows_in_the_place_of_year(study):
    (study.folder / "empty").mkdir()
    words = ("table2", "--data", "empty", "--year-shape", "60", "-o", "shape")
    status, printed, complaints = study.run(*words)
    assert status == 0, complaints
    assert printed.startswith("Synthetic rows in the shape of Year, which are not Year: time and memory\n")
    found = study.results("shape")
    assert {(one["data"], one["rows"], one["paper"]) for one in found} == {("year-synthetic", 54, None)}
    assert {"peak_megabytes", "rmse", "rows_per_second", "seconds"} <= {one["metric"] for one in found}
    page = (study.folder / "shape/report.html").read_text(encoding="utf-8")
    for text in (complaints, page):
        assert "Year prediction MSD is left out: its file was not found (`python -m credens.datasets year` gets it)" in text


@pytest.mark.skipif(not (SHARED_DATA / QSAR).is_dir(), reason=f"the public data are not in {SHARED_DATA}")
def test_a_data_set_that_is_there_is_compared_and_the_others_are_left_out(study):
    (study.folder / "data").mkdir()
    (study.folder / "data" / QSAR).symlink_to(SHARED_DATA / QSAR)
    status, _, complaints = study.run("table2", "--quick", "--repetitions", "2", "--data", "data", "-o", "out")
    assert status == 0
    page = (study.folder / "out/report.html").read_text(encoding="utf-8")
    for title in ("Yacht hydrodynamics", "Blog feedback", "Year prediction MSD"):
        assert f"{title} is left out: its file was not found" in complaints
        assert f"{title} is left out" in page
    found = study.results("out")
    assert {(one["experiment"], one["data"], one["rows"], one["count"]) for one in found} == {("table2", "qsar", 437, 2)}
    printed = [one for one in found if one["paper"] is not None]
    assert len(printed) == 32  # 16 cells in two readings of lambda
    assert all(0.4 < one["mean"] < 1 for one in printed if one["metric"] == "rmse")


@pytest.mark.skipif(not (SHARED_DATA / "uci-benchmark").is_dir(), reason=f"the benchmark is not in {SHARED_DATA}")
def test_every_set_of_the_benchmark_is_read(study):
    tiny = ("--members", "1", "--set", "recipe=paper", "--set", "epochs=1", "--set", "hidden=4")
    status, _, complaints = study.run("uci", "--data", str(SHARED_DATA), "--splits", "3:4", *tiny, "-o", "uci")
    assert status == 0, complaints
    found = {(one["series"], one["data"]): one["rows"] for one in study.results("uci")}
    standard = {"yacht": 277, "bostonHousing": 455, "concrete": 927, "airfoil": 1202, "power-plant": 8611, "naval": 10741}
    gap = {"yacht": 206, "bostonHousing": 338, "concrete": 686, "power-plant": 6378, "naval": 7956}
    expected = {("standard", name): rows for name, rows in standard.items()}
    assert found == expected | {("gap", name): rows for name, rows in gap.items()}


# ---- the UCI benchmark in small ----


def rmse_places(results):
    keys = ("series", "data", "rows", "members", "count", "paper")
    return [tuple(one[key] for key in keys) for one in results if one["metric"] == "rmse" and one["method"] == "extended"]


def test_the_benchmark_beside_published_values(small):
    printed = small("uci", "--quick", "--data", "small", "-o", "quick", "--members", "3", *SMALL)
    assert re.findall("^UCI.*", printed, re.M) == [
        f"UCI benchmark, {series} splits: {what}"
        for series in ("standard", "gap")
        for what in ("extended ensemble, mean ± standard error", "classical against extended ensemble")
    ]
    first = [
        ("standard", "yacht", 30, 3, 2, 0.48),
        ("gap", "yacht", 20, 3, 2, None),
        ("standard", "bostonHousing", 30, 3, 2, 2.65),
        ("gap", "bostonHousing", 20, 3, 2, None),
    ]
    assert rmse_places(small.results("quick")) == first
    assert len(list((small.folder / "quick/runs").iterdir())) == 8
    left_out = "credens: warning: naval is left out: there is no uci-benchmark/naval-propulsion-plant/data.txt in the folders of data\n"
    words = ("--sets", "power-plant,airfoil,naval", "--splits", "1:3", "--data", "small", "-o", "quick", "--members", "2", *SMALL)
    printed = small("uci", *words, complaints=left_out)
    assert re.findall("^(airfoil|power-plant|yacht)", printed, re.M) == ["airfoil", "power-plant"] * 2 + ["power-plant"] * 2
    assert rmse_places(small.results("quick")) == [
        *first,
        ("standard", "airfoil", 32, 2, 2, 0.1215),
        ("standard", "power-plant", 30, 2, 2, 3.19),
        ("gap", "power-plant", 20, 2, 1, None),
    ]


def test_runs_of_the_benchmark_are_used_again_unless_made_with_other_settings(small):
    words = ("uci", "--sets", "yacht", "--splits", "0:2", "--data", "small", "-o", "out", "--members", "3", *SMALL)
    small(*words)
    runs = sorted((small.folder / "out/runs").iterdir())
    for run in runs:
        os.utime(run, (1e9, 1e9))
    small(*words)
    assert [run.stat().st_mtime for run in runs] == [1e9] * 4
    small(*words, "--set", "lambda=2")
    assert all(run.stat().st_mtime > 1e9 for run in runs)
    (small.folder / "out/results.json").write_text("[1]")
    small(*words, complaints="credens: warning: out/results.json does not hold results of this version and is replaced\n")


# ---- what is refused ----


def test_usage(small):
    uci = ("uci", "--data", "small", "-o", "out")
    cases = [
        (2, 'experiment "figure3" is unknown, expected one of figure1, figure2, table2, uci, classes, all', ("figure3",)),
        (2, "--year-shape is for the experiment table2, not for figure1", ("figure1", "--year-shape", "60")),
        (2, "--repetitions is not for the experiment uci; --splits chooses its splits", (*uci, "--repetitions", "2")),
        (2, '--set is "epochs", expected NAME=VALUE', (*uci, "--set", "epochs")),
        (2, '--set: fit has no option "epochz"; did you mean epochs?', (*uci, "--set", "epochz=3")),
        (2, '--set: fit has no option "threads"', (*uci, "--set", "threads=1")),
        (2, 'members is "0", expected a whole number from 1 to 100000', (*uci, "--members", "0")),
        (
            2,
            "--sets, --splits, --members and --set are for the experiments uci and classes, not for figure1",
            ("figure1", "-o", "out", "--sets", "yacht"),
        ),
        (5, "nowhere: not a folder of data sets", ("table2", "--data", "nowhere")),
        (
            5,
            "no data set of Table 2 was found; `python -m credens.datasets NAME` gets them (qsar, yacht, blog, year), --data names their folder",
            ("table2", "-o", "out"),
        ),
        (5, "no split of the UCI benchmark was found; --data names the folder that holds uci-benchmark", ("uci", "-o", "out")),
    ]
    for status, sentence, words in cases:
        small.fails(status, sentence, *words)
    known = "yacht, bostonHousing, concrete, airfoil, power-plant, naval"
    small.fails(2, f'there is no benchmark set "yaht", expected some of {known}; did you mean yacht?', *uci, "--sets", "yaht")
    (small.folder / "small/uci-gap/yacht/test_index.txt").write_text("99\n")
    sentence = 'small/uci-gap/yacht/test_index.txt:1: "99" is no row, expected a whole number from 0 to 39'
    small.fails(3, sentence, *uci, "--sets", "yacht")
    assert not (small.folder / "out").exists()
    (small.folder / "file").touch()
    small.fails(5, "file: cannot make the folder: a file stands where a folder is expected", "figure1", "-o", "file")


@pytest.mark.parametrize("words", [("figure1", "--repetitions", "0"), ("uci", "--splits", "3:1"), ("uci", "--splits", "x"), ()])
def test_wrong_words_are_refused_with_the_usage(study, words):
    status, printed, complaints = study.run(*words)
    assert (status, printed) == (2, "")
    assert complaints.startswith("usage: python -m credens.reproduce")

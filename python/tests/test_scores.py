# SPDX-License-Identifier: Apache-2.0
"""Scores, pages and summaries: those of the command line."""

import datetime
import json
import pickle
import re

import numpy as np
import pytest
from conftest import table, write_csv

import credens


@pytest.mark.parametrize("fixture", ["model", "wide_model"])
def test_scores_are_those_of_evaluate(request, fixture, tmp_path, program):
    model = request.getfixturevalue(fixture)
    x, y = table(rows=50, outputs=model.outputs, seed=3)
    credens.save(model, tmp_path / "m.safetensors")
    write_csv(tmp_path / "test.csv", [], [x, y])
    expected = json.loads(program("evaluate", "m.safetensors", "test.csv", "--json", "--level", 0.8, "--interval", "mixture"))
    found = credens.score(model, x, y, level=0.8, interval="mixture")
    assert found == expected and list(found) == list(expected)
    assert found.extended.crps == expected["extended"]["crps"]


def test_truth_and_weights(model):
    x, y = table(rows=50, seed=3)
    weights, truth = np.linspace(1, 2, 50), np.sin(2 * x[:, 0]) + x[:, 1]
    found = credens.score(model, x, y, weights=weights, truth=truth)
    assert 0 <= found.extended.function_coverage <= 1
    error = model.predict(x).mean - truth
    np.testing.assert_allclose(found.extended.function_rmse, np.sqrt(np.average(error**2, weights=weights)))


def test_scores_of_a_prediction_alone(wide_model):
    x, y = table(rows=50, outputs=2, seed=3)
    found = credens.score(wide_model.predict(x), y)
    whole = credens.score(wide_model, x, y)
    assert found.nll == whole.extended.nll and found.rmse == whole.rmse
    assert [one.crps for one in found.per_output] == [one.extended.crps for one in whole.per_output]
    np.testing.assert_allclose(found.nll, -wide_model.predict(x).log_prob(y).mean(), rtol=1e-9)
    assert pickle.loads(pickle.dumps(whole)) == whole
    with pytest.raises(AttributeError, match="there is no score 'nil', expected one of rmse"):
        found.nil


def test_scores_that_are_wrong(model, rows):
    with pytest.raises(ValueError, match="expected 80 x 1"):
        credens.score(model.predict(rows[0]), rows[1][:3])
    with pytest.raises(ValueError, match="level is 2, expected a number between 0 and 1"):
        credens.score(model, *rows, level=2)
    with pytest.raises(TypeError, match="model is ndarray, expected an Ensemble"):
        credens.score(rows[0], rows[1])


def test_a_report_is_one_page(model, rows, tmp_path):
    credens.report(model, *rows, path=tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "The scores" in page and "largest epistemic share" in page
    with pytest.raises(OSError):
        credens.report(model, *rows, path=tmp_path / "nowhere" / "report.html")


def test_what_inspect_says(model, tmp_path, program):
    credens.save(model, tmp_path / "m.safetensors")
    assert credens.inspect(credens.load(tmp_path / "m.safetensors")) == json.loads(program("inspect", "m.safetensors", "--json"))


def test_an_export_is_that_of_the_command_line(model, tmp_path, program):
    credens.save(model, tmp_path / "m.safetensors")
    program("export", "m.safetensors", "-o", "cli.onnx")
    credens.export(credens.load(tmp_path / "m.safetensors"), tmp_path / "python.onnx")
    assert (tmp_path / "python.onnx").read_bytes() == (tmp_path / "cli.onnx").read_bytes()


def test_model_files_that_are_wrong(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.safetensors"):
        credens.load(tmp_path / "nowhere.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"\x10" + bytes(7) + b"{}              ")
    with pytest.raises(credens.ModelFileError, match="bad.safetensors"):
        credens.load(tmp_path / "bad.safetensors")
    with pytest.raises(OSError, match="folder"):
        credens.load(tmp_path)
    assert issubclass(credens.ModelFileError, ValueError) and issubclass(credens.ModelFileError, credens.CredensError)


def test_expectation_is_that_of_the_command_line(tmp_path, program):
    x, y = table(rows=80, outputs=2, seed=4)
    model = credens.fit(x, y, members=5, epochs=10, hidden=(8,))
    expected = model.expected
    assert expected.rows == 80 and expected.level == 0.95
    credens.save(model, tmp_path / "m.safetensors")
    document = json.loads(program("inspect", "m.safetensors", "--json"))["expected"]
    assert document == credens.inspect(model)["expected"]
    assert document["nll"] == expected.nll._asdict()
    for output in document["outputs"]:
        found = expected.outputs[output.pop("output")]
        assert output == {name: getattr(found, name)._asdict() for name in output}
        assert len(output) == 8 and found.rmse.value > 0 and found.rmse.standard_error > 0
    assert pickle.loads(pickle.dumps(model)).expected == expected
    assert credens.load(tmp_path / "m.safetensors").expected == expected


def test_no_expectation_without_held_out_rows():
    x, y = table(rows=40, seed=4)
    assert credens.fit(x, y, recipe="paper", members=2, epochs=2, hidden=(4,)).expected is None


def test_rows_of_training_are_recognised():
    x, y = table(rows=400, seed=5)
    model = credens.fit(x, y, recipe="paper", members=2, epochs=2, hidden=(4,))
    order = np.random.default_rng(1).permutation(400)
    assert credens.score(model, x[order], y[order]).training_share == 1
    assert credens.score(model, x[:5], y[:5]).training_share in (None, 1)
    new_x, new_y = table(rows=400, seed=6)
    assert credens.score(model, new_x, new_y).training_share == 0
    half = credens.score(model, np.vstack([x, new_x]), np.concatenate([y, new_y])).training_share
    assert 0.35 < half < 0.65


def named_rows(path):
    """Rows that the page's table of the largest epistemic shares names."""
    rows = path.read_text().split("largest epistemic share, by row")[-1].split("</table>")[0]
    return [int(number) for number in re.findall(r"<tr>\s*<t[dh][^>]*>(\d+)</t[dh]>", rows)]


def test_rows_without_target_are_left_out(model, tmp_path):
    x, y = table(rows=50, seed=3)
    truth = np.sin(2 * x[:, 0]) + x[:, 1]
    gaps = y.copy()
    gaps[[3, 20]] = np.nan
    kept = np.flatnonzero(~np.isnan(gaps))
    with pytest.warns(UserWarning, match="^2 of 50 rows without target are left out$"):
        found = credens.score(model, x, gaps, truth=truth, weights=np.arange(1, 51))
    assert found == credens.score(model, x[kept], y[kept], truth=truth[kept], weights=1 + kept)
    with pytest.warns(UserWarning, match="^2 of 50 rows without target are left out$"):
        credens.report(model, x, gaps, path=tmp_path / "gaps.html")
    credens.report(model, x[kept], y[kept], path=tmp_path / "kept.html")
    assert len(named_rows(tmp_path / "kept.html")) > 3
    assert named_rows(tmp_path / "gaps.html") == [kept[row] for row in named_rows(tmp_path / "kept.html")]
    with pytest.raises(ValueError, match="no row has a target, expected at least one"):
        credens.score(model, x, np.full(50, np.nan))


def test_a_report_has_a_title_a_date_and_a_coverage_factor(model, rows, tmp_path):
    path = tmp_path / "report.html"
    credens.report(model, *rows, path=path, title="Rods & bars", date=datetime.date(2026, 5, 1), coverage_factor=2)
    page = path.read_text()
    assert "<h1>Rods &amp; bars</h1>" in page and "Made on 2026-05-01." in page
    assert "coverage factor k = 2.00" in page and "What moves" in page
    for given, sentence in {
        "coverage_factor is -1, expected a number above 0": {"coverage_factor": -1},
        "coverage_factor needs gaussian intervals, but interval is 'mixture'": {"coverage_factor": 2, "interval": "mixture"},
        "both level and coverage_factor are given": {"coverage_factor": 2, "level": 0.9},
    }.items():
        with pytest.raises(credens.UsageError, match=given):
            credens.report(model, *rows, path=tmp_path / "no.html", **sentence)
    assert not (tmp_path / "no.html").exists()


def test_the_date_of_a_report_is_that_of_source_date_epoch(model, rows, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772323200")
    credens.report(model, *rows, path=tmp_path / "report.html")
    assert "Made on 2026-03-01." in (tmp_path / "report.html").read_text()

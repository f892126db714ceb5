# SPDX-License-Identifier: Apache-2.0
"""Calibration with a promise: what is promised, what is held, groups, files, and what is refused."""

import pickle

import numpy as np
import pytest
from conftest import QUICK, table, write_csv

import credens


@pytest.fixture(scope="module")
def calibrated(model):
    return model.calibrate(*table(199, seed=2))


def inside(interval, y):
    """Ends are calibration rows, but for rounding."""
    return (interval.lower - 1e-9 <= y) & (y <= interval.upper + 1e-9)


def share_inside(interval, y):
    return np.mean(inside(interval, y))


def test_guaranteed_intervals_hold_as_many_calibration_rows_as_they_must(calibrated):
    x, y = table(199, seed=2)
    p = calibrated.predict(x)
    assert share_inside(p.interval(0.95, "guaranteed"), y) == 191 / 199  # 190 gaps of 200, ends included
    assert share_inside(p.interval(0.8, "guaranteed"), y) == 161 / 199
    new_x, new_y = table(2000, seed=3)
    assert abs(share_inside(calibrated.predict(new_x).interval(0.9, "guaranteed"), new_y) - 0.9) < 0.08


def test_the_ends_are_quantiles_of_the_mixture_at_order_statistics(calibrated):
    x, y = table(199, seed=2)
    u = np.sort(calibrated.predict(x).cdf(y))
    p = calibrated.predict(x[:5])
    lower, upper = p.interval(0.9, "guaranteed")  # 20 gaps of 200 are left out, 10 on each side
    np.testing.assert_allclose(lower, p.quantile(u[9]), rtol=1e-9)
    np.testing.assert_allclose(upper, p.quantile(u[189]), rtol=1e-9)


def test_what_is_promised(calibrated, model):
    assert model.promises is None
    promises = calibrated.promises
    assert (promises.rows, promises.by, promises.edges) == (199, None, [])
    x, y = table(199, seed=2)
    np.testing.assert_allclose(promises.distribution_values[None][:, 0], calibrated.predict(x).cdf(y), rtol=1e-9)
    (one,) = promises.coverage()
    assert (one.group, one.output, one.rows, one.promised, one.law) == (None, "y", 199, 0.95, (190.0, 10.0))
    assert one.realised == pytest.approx((0.9222, 0.9725), abs=5e-4)  # quantiles of Beta(190, 10)
    assert one.model_alone == pytest.approx(share_inside(calibrated.predict(x).interval(0.95, "mixture"), y))


def test_the_promise_is_in_the_file_and_in_the_pickle(calibrated, tmp_path):
    credens.save(calibrated, tmp_path / "model.safetensors")
    x = table(7, seed=4)[0]
    expected = calibrated.predict(x).interval(0.9, "guaranteed")
    for again in (credens.load(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(calibrated))):
        np.testing.assert_array_equal(again.predict(x).interval(0.9, "guaranteed"), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(calibrated.predict(x))).interval(0.9, "guaranteed"), expected)
    frame = calibrated.predict(x).to_frame(kind="guaranteed", level=0.9)
    np.testing.assert_array_equal(frame["y_upper"], expected.upper)


def test_the_program_makes_the_same_bytes(model, program, tmp_path):
    x, y = table(60, seed=6)
    write_csv(tmp_path / "rows.csv", ["x0", "x1", "y"], [x, y])
    credens.save(model, tmp_path / "model.safetensors")
    program("calibrate", "model.safetensors", "rows.csv", "-o", "theirs.safetensors")
    credens.save(model.calibrate(x, y), tmp_path / "ours.safetensors")
    assert (tmp_path / "theirs.safetensors").read_bytes() == (tmp_path / "ours.safetensors").read_bytes()


def test_groups_by_labels_and_by_ignorance(model):
    x, y = table(120, seed=7)
    labs = np.where(np.arange(120) % 2 == 0, "A", "B")
    shifted = y + 5 * (labs == "B")
    by_lab = model.calibrate(x, shifted, by="lab", groups=labs)
    assert by_lab.promises.by == "lab" and list(by_lab.promises.distribution_values) == ["A", "B"]
    lower, upper = by_lab.predict(x[[0, 0]], groups=["A", "B"]).interval(0.9, "guaranteed")
    assert lower[0] < upper[0] < lower[1] < upper[1]
    with pytest.raises(credens.UsageError, match="groups is missing: intervals are promised by lab"):
        by_lab.predict(x[:2]).interval(0.9, "guaranteed")
    with pytest.raises(credens.DataError, match='row 1: lab is "C", for which nothing is promised'):
        by_lab.predict(x[:2], groups=["A", "C"]).interval(0.9, "guaranteed")
    by_ignorance = model.calibrate(x, y, by="ignorance")
    promises = by_ignorance.promises
    assert (promises.by, promises.rows, len(promises.edges)) == ("ignorance", 118, 2)
    assert by_ignorance.predict(x).interval(0.95, "guaranteed").lower.shape == (120,)


def test_groups_by_a_column_of_a_frame():
    pandas = pytest.importorskip("pandas")

    def frame_of(rows, seed):
        x, y = table(rows, seed=seed)
        return pandas.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y, "lab": np.arange(rows) % 2})

    frame = frame_of(120, 7)
    by_lab = credens.fit(frame_of(80, 1).drop(columns="lab"), "y", **QUICK).calibrate(frame, "y", by="lab")
    assert list(by_lab.promises.distribution_values) == ["0", "1"]
    with_column = by_lab.predict(frame).interval(0.9, "guaranteed")
    with_labels = by_lab.predict(frame[["a", "b"]], groups=frame["lab"]).interval(0.9, "guaranteed")
    np.testing.assert_array_equal(with_column, with_labels)


def test_several_outputs_are_held_one_by_one_and_all_at_once(wide_model):
    x, y = table(199, outputs=2, seed=8)
    p = wide_model.calibrate(x, y).predict(x)
    one_by_one, together = p.interval(0.9, "guaranteed"), p.interval(0.9, "guaranteed-joint")
    np.testing.assert_array_equal(inside(one_by_one, y).sum(0), [181, 181])
    assert inside(together, y).all(1).sum() == 180


def test_what_is_refused(model, calibrated, rows):
    x, y = table(30, seed=9)
    with pytest.raises(credens.DataError, match="level 0.95 needs 39 calibration rows: 30 are given"):
        model.calibrate(x, y)
    with pytest.raises(credens.DataError, match="80 of 80 rows that can be recognised are rows that the model was trained on"):
        model.calibrate(*rows)
    with pytest.raises(credens.UsageError, match="the model has no promise"):
        model.predict(x).interval(0.9, "guaranteed")
    with pytest.raises(credens.UsageError, match="nothing is promised of the regression function"):
        calibrated.predict(x).function_interval(0.9, "guaranteed")
    with pytest.raises(credens.UsageError, match="a joint interval is for several outputs"):
        calibrated.predict(x).interval(0.9, "guaranteed-joint")
    with pytest.raises(credens.UsageError, match="groups is missing: give the lab of each row"):
        model.calibrate(x, y, by="lab")
    with pytest.raises(credens.DataError, match="groups: row 1 is None"):
        model.calibrate(x, y, by="lab", groups=["a", None] * 15)
    with pytest.raises(credens.UsageError, match="29 names of groups are given"):
        model.calibrate(x, y, by="lab", groups=["a"] * 29)
    assert calibrated.with_weights([1, 1, 2]).promises is None
    with pytest.warns(UserWarning, match="3 of .* also rows of training"):
        model.calibrate(np.vstack([table(57, seed=3)[0], rows[0][:3]]), np.append(table(57, seed=3)[1], rows[1][:3]))

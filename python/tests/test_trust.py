# SPDX-License-Identifier: Apache-2.0
"""Trust in rows, drift of tables, and what is refused."""

import json

import numpy as np
import pytest
from conftest import table, write_csv

import credens


@pytest.fixture(scope="module")
def judging(model):
    return model.calibrate(*table(150, seed=2), train=table())


def test_strange_rows_are_found_with_their_inputs(judging):
    usual = judging.trust(table(100, seed=5)[0])
    assert np.mean(usual.trust <= 0.1) < 0.25 and np.median(usual.trust) > 0.25
    strange = judging.trust([[0.1, 7.0]])
    assert strange.trust[0] < 0.02
    assert strange.inputs.shape == (1, 2) and strange.inputs[0, 0] > 0.02 > strange.inputs[0, 1]


def test_p_values_are_ranks_among_calibration_rows(judging):
    x = table(40, seed=5)[0]
    usual, found = judging.predict(table(150, seed=2)[0]).epistemic_std, judging.predict(x).epistemic_std
    np.testing.assert_allclose(judging.trust(x).ignorance, [(1 + np.sum(usual >= one)) / 151 for one in found])
    assert set(np.round(judging.trust(table(40, seed=5)[0]).trust * 151, 9)) <= set(range(1, 152))


def test_tables_drift_or_do_not(judging):
    same = judging.check(*table(100, seed=3))
    assert not same.drift and same.p > 0.05
    assert [test.name for test in same.tests] == ["column 0", "column 1", "distance from training rows", "ignorance", "strangest row",
                                                 "PIT values of y", "PIT values of y, row by row"]  # fmt: skip
    assert len(judging.check(table(100, seed=3)[0]).tests) == 5
    x, y = table(100, seed=3)
    moved = judging.check(np.column_stack([x[:, 0] + 1, x[:, 1]]))
    assert moved.drift and moved.tests[0].p < 1e-6
    late = judging.check(x, y + np.where(np.arange(100) < 50, 0, 2))
    assert late.drift and 45 <= late.tests[-1].row <= 52


def test_the_file_keeps_what_judges_and_the_program_finds_the_same(judging, model, program, tmp_path):
    x, y = table(150, seed=2)
    write_csv(tmp_path / "rows.csv", ["x0", "x1", "y"], [x, y])
    write_csv(tmp_path / "train.csv", ["x0", "x1", "y"], table())
    credens.save(model, tmp_path / "model.safetensors")
    program("calibrate", "model.safetensors", "rows.csv", "--train", "train.csv", "-o", "theirs.safetensors")
    credens.save(judging, tmp_path / "ours.safetensors")
    assert (tmp_path / "theirs.safetensors").read_bytes() == (tmp_path / "ours.safetensors").read_bytes()
    new_x, new_y = table(60, seed=4)
    write_csv(tmp_path / "new.csv", ["x0", "x1", "y"], [new_x, new_y])
    found = json.loads(program("check", "ours.safetensors", "new.csv", "--json"))
    ours = credens.load(tmp_path / "ours.safetensors").check(new_x, new_y)
    assert (found["p"], found["drift"]) == (ours.p, ours.drift)
    assert [test["p"] for test in found["tests"]] == [test.p for test in ours.tests]
    assert found["strangest_rows"][0]["trust"] == ours.rows.trust.min()


def test_what_is_refused(model, judging):
    x, y = table(150, seed=2)
    with pytest.raises(credens.UsageError, match="the model keeps no rows to compare with"):
        model.trust(x)
    with pytest.raises(credens.DataError, match="rows of the training table that can be recognised"):
        model.calibrate(x, y, train=table(100, seed=9))
    with pytest.raises(credens.DataError, match="inputs has the shape"):
        judging.trust(x[:, :1])
    assert judging.with_weights([1, 2, 1]).promises is None

# SPDX-License-Identifier: Apache-2.0
"""The next measurements from Python."""

import numpy as np
import pytest

import credens


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    x = {"a": rng.uniform(-1, 1, 60), "b": rng.uniform(-1, 1, 60)}
    return credens.fit({**x, "y": np.sin(3 * x["a"]) + x["b"]}, "y", recipe="paper", members=4, epochs=20, hidden=(16, 8))


@pytest.fixture(scope="module")
def pool():
    return np.random.default_rng(2).uniform(-2, 2, (200, 2))


def conditioned(joint, row, noise):
    return joint - np.outer(joint[row], joint[row]) / (joint[row, row] + noise)


def test_rows_are_those_of_the_joint_covariance(model, pool):
    joint = model.joint_epistemic_covariance(pool)
    noise = model.predict(pool).aleatoric_variance
    found = model.suggest(pool, 5)
    for i, row in enumerate(found.rows):
        falls = (joint**2).mean(axis=1) / (np.diag(joint) + noise)
        falls[found.rows[:i]] = 0
        assert row == falls.argmax()
        joint = conditioned(joint, row, noise[row])
        assert found.ignorance_after[i, 0] == pytest.approx(np.sqrt(np.diag(joint).mean()), rel=1e-4)
    assert found.inputs == pytest.approx(pool[found.rows])
    assert found.repeats[0] is None
    assert len(found) == 5
    assert found.noise[0] == pytest.approx(np.sqrt(noise.mean()))


def test_rows_within_bounds(model):
    found = model.suggest(bounds={"a": (0, 0.5), "b": (-3, 3)}, n=3)
    assert ((found.inputs[:, 0] >= 0) & (found.inputs[:, 0] <= 0.5)).all()
    assert np.array_equal(found.inputs, model.suggest(bounds={"b": (-3, 3), "a": (0, 0.5)}, n=3, threads=1).inputs)


def test_goals_costs_and_pending_rows(model, pool):
    mean = model.predict(pool).mean
    assert mean[model.suggest(pool, 5, goal="maximise").rows].mean() > mean[model.suggest(pool, 5, goal="minimise").rows].mean()
    first = model.suggest(pool, 1).rows[0]
    cost = np.ones(200)
    cost[first] = 1e6
    assert model.suggest(pool, 1, cost=cost).rows[0] != first
    assert model.suggest(pool, 200, pending=pool[[first]]).repeats_pending[0] is None
    assert model.suggest(pool[[first]], 1, pending=pool[[first]]).repeats_pending == [0]
    assert model.suggest(pool, 1, goal="y=0.5").gain[0] > 0


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"n": 0}, "0 rows are asked for, expected 1 to 200"),
        ({"n": 201}, "201 rows are asked for, expected 1 to 200"),
        ({"cost": -np.ones(200)}, "cost: row 0 is -1, expected a number above 0"),
        ({"goal": "win"}, "expected learn, maximise, minimise or TARGET=VALUE"),
        ({"goal": "y=much"}, "'much' is no number"),
        ({"bounds": {"a": (0, 1)}}, "both given"),
    ],
)
def test_what_makes_no_sense_is_refused(model, pool, keywords, sentence):
    with pytest.raises(credens.CredensError, match=sentence):
        model.suggest(pool, **keywords)


def test_bounds_that_make_no_sense_are_refused(model):
    with pytest.raises(credens.CredensError, match="the bounds of a cross: 2 is above 1"):
        model.suggest(bounds={"a": (2, 1), "b": (0, 1)})
    with pytest.raises(credens.DataError, match="no bounds of 'b'"):
        model.suggest(bounds={"a": (0, 1)})
    with pytest.raises(credens.DataError, match="'c' is no input of numbers"):
        model.suggest(bounds={"a": (0, 1), "b": (0, 1), "c": (0, 1)})

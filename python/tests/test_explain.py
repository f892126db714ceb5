# SPDX-License-Identifier: Apache-2.0
"""Explanations from Python."""

import numpy as np
import pytest

import credens


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    x = {"a": rng.uniform(-1, 1, 80), "b": rng.uniform(-1, 1, 80), "idle": rng.uniform(-1, 1, 80)}
    return credens.fit({**x, "y": 3 * x["a"] + x["b"]}, "y", recipe="paper", members=4, epochs=60, hidden=(16,))


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(2).uniform(-1, 1, (30, 3))


def test_contributions_add_up(model, rows):
    explanation = model.explain(rows, draws=10)
    p = model.predict(rows)
    parts = (explanation.mean, explanation.noise, explanation.ignorance)
    for part, value in zip(parts, (p.mean, p.aleatoric_variance**0.5, p.epistemic_variance**0.5)):
        assert part.value == pytest.approx(value)
        assert part.base + part.of_inputs.sum(axis=1) == pytest.approx(value)
        assert part.share.sum() == pytest.approx(1)
        assert (part.standard_error >= 0).all()
    assert explanation.inputs == ["a", "b", "idle"]


def test_the_larger_slope_moves_more(model, rows):
    share = model.explain(rows).mean.share
    assert share[0] > share[1] > share[2]


def test_one_row_needs_a_background(model, rows):
    with pytest.raises(credens.UsageError, match="1 background rows are given"):
        model.explain(rows[:1])
    whole = model.explain(rows, background=rows, draws=4)
    assert np.array_equal(model.explain(rows[3:4], background=rows, draws=4).mean.of_inputs[0], whole.mean.of_inputs[3])


def test_several_outputs_have_an_axis_of_their_own(rows):
    y = np.stack([rows[:, 0], rows[:, 1]], axis=1)
    model = credens.fit(rows, y, recipe="paper", members=2, epochs=5, hidden=(8,))
    explanation = model.explain(rows, draws=4)
    assert explanation.mean.of_inputs.shape == (30, 3, 2)
    assert explanation.mean.base.shape == (2,)
    assert explanation.mean.share.shape == (3, 2)

# SPDX-License-Identifier: Apache-2.0
"""Predictions: shapes, moments and quantiles that agree with the mixture, draws, and what is wrong."""

import pickle

import numpy as np
import pytest
from conftest import table

import credens


def mixture(p):
    """Weights [L]; means and variances [N, L, q]."""
    weights, mean, aleatoric, epistemic = p._core.components()
    return weights, mean, aleatoric, epistemic


def normal_cdf(z):
    from math import erf

    return 0.5 * (1 + np.vectorize(erf)(z / np.sqrt(2)))


@pytest.mark.parametrize("fixture", ["model", "wide_model"])
def test_moments_are_those_of_the_mixture(request, fixture, rows):
    ensemble = request.getfixturevalue(fixture)
    p = ensemble.predict(rows[0])
    weights, mean, aleatoric, epistemic = mixture(p)
    w = weights[:, np.newaxis]
    expected = (w * mean).sum(1)
    shape = (80,) if fixture == "model" else (80, 2)
    between = (w * (mean - expected[:, np.newaxis]) ** 2).sum(1)
    np.testing.assert_allclose(p.mean, expected.reshape(shape), rtol=1e-12)
    np.testing.assert_allclose(p.aleatoric_variance, (w * aleatoric).sum(1).reshape(shape), rtol=1e-12)
    np.testing.assert_allclose(p.epistemic_variance, (between + (w * epistemic).sum(1)).reshape(shape), rtol=1e-9)
    np.testing.assert_allclose(p.total_variance, p.aleatoric_variance + p.epistemic_variance, rtol=1e-12)
    np.testing.assert_allclose(p.std**2, p.total_variance)
    assert p.as_columns().mean.shape == (80, shape[-1] if len(shape) == 2 else 1)


def test_cdf_quantile_and_density_agree(wide_model, rows):
    p = wide_model.predict(rows[0][:7])
    weights, mean, aleatoric, epistemic = mixture(p)
    y = p.mean + 0.3
    std = np.sqrt(aleatoric + epistemic)
    by_hand = (weights[:, np.newaxis] * normal_cdf((y[:, np.newaxis] - mean) / std)).sum(1)
    np.testing.assert_allclose(p.cdf(y), by_hand, rtol=1e-9)
    np.testing.assert_allclose(p.cdf(p.quantile(0.3)), 0.3, rtol=1e-9)
    step = 1e-6
    np.testing.assert_allclose(p.pdf(y), (p.cdf(y + step) - p.cdf(y - step)) / (2 * step), rtol=1e-5)
    assert p.quantile([0.1, 0.5, 0.9]).shape == (3, 7, 2)
    assert np.all(np.diff(p.quantile([0.1, 0.5, 0.9]), axis=0) > 0)
    assert p.cdf(0.0).shape == (7, 2) and p.log_prob(y).shape == (7,)


def test_log_prob_of_one_output_is_the_log_of_the_density(model, rows):
    p = model.predict(rows[0])
    np.testing.assert_allclose(p.log_prob(rows[1]), np.log(p.pdf(rows[1])), rtol=1e-9)


def test_intervals(model, rows):
    p = model.predict(rows[0])
    lower, upper = p.interval(0.95)
    np.testing.assert_allclose((upper - lower) / 2, 1.959963984540054 * p.std)
    exact = p.interval(0.9, "mixture")
    np.testing.assert_allclose(exact.lower, p.quantile(0.05))
    np.testing.assert_allclose(exact.upper, p.quantile(0.95))
    assert np.all(p.function_interval(0.95).upper < upper)
    np.testing.assert_allclose(p.function_quantile(0.5), p.mean, atol=0.5)


def test_covariances_have_the_variances_on_their_diagonal(wide_model, rows):
    p = wide_model.predict(rows[0])
    np.testing.assert_allclose(np.diag(p.epistemic_covariance(3)), p.epistemic_variance[3])
    np.testing.assert_allclose(p.total_covariance(-1), p.aleatoric_covariance(79) + p.epistemic_covariance(79))
    with pytest.raises(IndexError, match="row is 80, expected one of the 80 rows"):
        p.epistemic_covariance(80)


def test_draws_have_the_moments_of_the_distribution(wide_model, rows):
    p = wide_model.predict(rows[0][:5])
    draws = p.sample(40000, seed=3)
    assert draws.shape == (40000, 5, 2)
    np.testing.assert_allclose(draws.mean(0), p.mean, atol=5 * p.std.max() / 200)
    np.testing.assert_allclose(draws.var(0), p.total_variance, rtol=0.06)
    joint = np.cov(draws[:, 2].T)
    np.testing.assert_allclose(joint, p.total_covariance(2), atol=0.05 * p.total_variance.max())
    np.testing.assert_array_equal(draws[:2], p.sample(40000, seed=3)[:2])
    assert not np.array_equal(draws[:2], p.sample(2, seed=4))


def test_draws_of_functions(model, rows):
    draws = model.sample(rows[0][:5], 4000, seed=1)
    p = model.predict(rows[0][:5])
    assert draws.shape == (4000, 5)
    np.testing.assert_allclose(np.cov(draws.T), model.joint_epistemic_covariance(rows[0][:5]), atol=0.1 * p.epistemic_variance.max())
    noisy = model.sample(rows[0][:5], 4000, of="observation", seed=1)
    np.testing.assert_allclose(noisy.var(0), p.total_variance, rtol=0.2)


def test_the_classical_ensemble_is_inside(wide_model, rows):
    p = wide_model.predict(rows[0])
    np.testing.assert_array_equal(p.classical().mean, p.mean)
    assert np.all(p.classical().epistemic_variance < p.epistemic_variance)


def test_predictions_can_be_pickled(wide_model, model, rows):
    for ensemble in (wide_model, model):
        p = ensemble.predict(rows[0])
        again = pickle.loads(pickle.dumps(p))
        np.testing.assert_array_equal(again.mean, p.mean)
        np.testing.assert_array_equal(again.quantile(0.2), p.quantile(0.2))


def test_moments_are_computed_once_and_cannot_be_spoilt(model, rows):
    p = model.predict(rows[0])
    assert p.mean is p.mean
    with pytest.raises(ValueError, match="read-only"):
        p.mean[0] = 0


def test_what_a_prediction_says_of_itself(model, rows):
    p = model.predict(rows[0])
    assert repr(p) == "Predictive(rows=80, outputs=1, members=3)" and len(p) == 80
    assert "<svg" in p._repr_html_()


def test_known_noise_is_asked_for_and_added():
    x, y = table()
    model = credens.fit(x, y, noise_std=np.full(80, 0.2), noise="known", members=2, epochs=5, hidden=(8,))
    p = model.predict(x, noise_std=np.full(80, 0.3))
    np.testing.assert_allclose(p.aleatoric_variance, 0.09, rtol=1e-4)
    np.testing.assert_allclose(model.predict(credens.Dataset(x, y, noise_std=np.full(80, 0.3))).std, p.std)
    with pytest.raises(ValueError, match="noise"):
        model.predict(x)
    with pytest.raises(ValueError, match=r"noise_std has the shape \[3, 1\], expected \[80\] or \[80, 1\]"):
        model.predict(x, noise_std=[1, 2, 3])


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda p: p.interval(1.5), "level is 1.5, expected a number between 0 and 1"),
        (lambda p: p.interval(0.9, "exact"), 'interval "exact" is unknown, expected one of gaussian, mixture'),
        (lambda p: p.quantile(0), "is 0, expected a number between 0 and 1"),
        (lambda p: p.cdf([1.0, 2.0]), r"y has the shape \[2\], expected \[80\]"),
        (lambda p: p.log_prob(np.nan), "is nan, expected a finite number"),
        (lambda p: p.sample(-1), "n is -1, expected a whole number from 0"),
        (lambda p: p.interval("wide"), "level is 'wide', expected a number"),
        (lambda p: p.interval(0.9, 3), "kind is 3, expected a word"),
        (lambda p: p.sample(2.5), "n is 2.5, expected a whole number"),
        (lambda p: p.sample(2, seed=None), "seed is None, expected a whole number"),
        (lambda p: p.quantile("half"), "p is of the type <U4, expected numbers"),
    ],
)
def test_questions_that_are_wrong(model, rows, ask, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        ask(model.predict(rows[0]))


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (np.zeros((4, 3)), r"inputs has the shape \[4, 3\], expected \[rows, 2\]"),
        (np.full((4, 2), np.inf), "row 0, column 0 is inf, expected a finite number"),
        ([["a", "b"]], "inputs is of the type <U1, expected numbers"),
        (np.full((4, 2), 1e300), "too far from the training data"),
    ],
)
def test_inputs_that_are_wrong(model, inputs, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.predict(inputs)


def test_draws_that_are_wrong(model, rows):
    with pytest.raises(ValueError, match="draws is 0, expected a whole number from 1"):
        model.sample(rows[0], 0)
    with pytest.raises(ValueError, match="seed is -1, expected a whole number from 0"):
        model.sample(rows[0], 3, seed=-1)
    with pytest.raises(TypeError, match="threads is 1.5, expected a whole number"):
        model.predict(rows[0], threads=1.5)
    with pytest.raises(ValueError, match='"noise" is unknown, expected one of function, observation'):
        model.sample(rows[0], 3, of="noise")

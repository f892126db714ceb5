# SPDX-License-Identifier: Apache-2.0
"""What a laboratory asks of predictions: conformity with limits."""

import pickle

import numpy as np
import pytest

import credens
from credens import _core


def gaussian(mean, noise, ignorance=0.0):
    """One row, one member: a normal distribution."""
    of_all = (np.full((1, 1, 1), value, dtype=float) for value in (mean, noise**2, ignorance**2))
    return credens.Predictive(_core.Predictive.from_components(np.ones(1), *of_all))


@pytest.mark.parametrize(("lower", "upper", "risk", "words"), [(-0.4, 0.9, 0.4, 3), (-1.2, 1.2, 0.2, 2), (1.2, 3, 0.1, 2)])
def test_the_probability_of_conformity_is_that_of_the_mixture(model, rows, lower, upper, risk, words):
    p = model.predict(rows[0])
    found = p.conformity(lower, upper, risk=risk)
    assert [array.shape for array in found] == [(80,)] * 4
    np.testing.assert_allclose(found.probability, p.cdf(upper) - p.cdf(lower), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.guard_upper, p.quantile(1 - risk) - p.mean, rtol=1e-9)
    np.testing.assert_allclose(found.guard_lower, p.mean - p.quantile(risk), rtol=1e-9)
    inside = (p.mean >= lower) & (p.mean <= upper)
    passes = np.where(found.probability >= 1 - risk, "pass", "conditional pass")
    fails = np.where(found.probability <= risk, "fail", "conditional fail")
    np.testing.assert_array_equal(found.statement, np.where(inside, passes, fails))
    assert len(set(found.statement)) == words


def test_a_worked_example():
    assert gaussian(13.6, 1.8).conformity(12.5, 16.3).probability == pytest.approx(0.6626, abs=5e-5)
    assert gaussian(13.6, 1.8).conformity(12.5, 16.3).statement == "conditional pass"
    assert gaussian(13.6, 1.8).conformity(12.5, 16.3, decide="simple").statement == "pass"
    assert gaussian(13.6, 1.8, 1e-3).conformity(12.5, 16.3, of="function").statement == "pass"


def test_each_output_has_limits_of_its_own(wide_model, rows):
    p = wide_model.predict(rows[0][:5])
    found = p.conformity(upper=[None, 0.5])
    assert np.all(found.probability[:, 0] == 1) and np.all(found.statement[:, 0] == "pass")
    np.testing.assert_allclose(found.probability[:, 1], p.cdf(0.5)[:, 1], rtol=1e-9)
    name = p._named_outputs()[1][0]
    np.testing.assert_array_equal(p.conformity(upper={name: 0.5}).probability, found.probability)


def test_what_is_wrong_with_limits(model, wide_model, rows):
    p = model.predict(rows[0][:2])
    with pytest.raises(credens.UsageError, match="the lower limit 2 is not below the upper limit 1"):
        p.conformity(2, 1)
    with pytest.raises(credens.UsageError, match="no limit is given"):
        p.conformity()
    with pytest.raises(credens.UsageError, match="a limit is nan, expected a finite number"):
        p.conformity(upper=np.nan)
    with pytest.raises(credens.UsageError, match="upper names 'z', expected some of the outputs y"):
        p.conformity(upper={"z": 1})
    with pytest.raises(credens.UsageError, match="lower has 1 limits, expected 2"):
        wide_model.predict(rows[0][:2]).conformity(lower=1)
    with pytest.raises(credens.UsageError, match="decision rule .* expected one of simple, guarded"):
        p.conformity(upper=1, decide="strictly")
    with pytest.raises(credens.UsageError, match="risk is 0.7, expected a number between 0 and 0.5"):
        p.conformity(upper=1, risk=0.7)


# ---- uncertain inputs ----


def linear(rows=200):
    """A model that is nearly linear: y = 2 a - b."""
    x = np.random.default_rng(3).uniform(-1, 1, (rows, 2))
    return credens.fit(x, 2 * x[:, 0] - x[:, 1], members=3, hidden=(), epochs=60, recipe="paper", seed=1)


def test_uncertain_inputs_add_a_third_part(model, rows):
    x = rows[0][:9]
    p = model.predict(x, input_std={"0": 0.1, "1": np.linspace(0, 0.2, 9)})
    assert list(p.input_stds) == ["0", "1"] and p.members == model.members
    np.testing.assert_allclose(p.total_variance, p.aleatoric_variance + p.epistemic_variance + p.input_variance)
    assert p.input_stds["1"][0] == 0 and np.all(p.input_std > 0)
    np.testing.assert_allclose(p.cdf(p.quantile(0.3)), 0.3, rtol=1e-9)
    frame = p.to_frame()
    assert [name for name in frame.columns if "input" in name] == ["y_input_std", "y_input_std_0", "y_input_std_1"]
    again = pickle.loads(pickle.dumps(p))
    np.testing.assert_array_equal(again.input_std, p.input_std)
    np.testing.assert_array_equal(again.std, p.std)


def test_first_order_and_draws_agree_on_a_linear_model():
    ensemble = linear()
    x = [[0.2, -0.1], [0.5, 0.5]]
    covariance = [[0.04, 0.01], [0.01, 0.09]]
    draws = ensemble.predict(x, input_covariance=(["0", "1"], covariance))
    slopes = ensemble.predict(x, input_covariance=(["0", "1"], covariance), input_method="first-order")
    np.testing.assert_allclose(draws.input_variance, slopes.input_variance, rtol=1e-4)
    origin, *ends = ensemble.predict([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).mean
    slope = np.array(ends) - origin
    np.testing.assert_allclose(draws.input_variance, slope @ np.array(covariance) @ slope, rtol=1e-3)
    sampled = ensemble.sample(x, 3000, of="observation", seed=1, input_covariance=(["0", "1"], covariance))
    np.testing.assert_allclose(sampled.var(0), draws.total_variance, rtol=0.15)


def test_no_uncertainty_changes_no_bit(model, rows):
    exact, zero = model.predict(rows[0]), model.predict(rows[0], input_std={"0": 0})
    np.testing.assert_array_equal(exact.total_variance, zero.total_variance)
    np.testing.assert_array_equal(exact.quantile(0.9), zero.quantile(0.9))
    np.testing.assert_array_equal(model.sample(rows[0], 3), model.sample(rows[0], 3, input_std={"0": 0}))


def test_what_is_wrong_with_uncertain_inputs(model, rows):
    x = rows[0][:2]
    with pytest.raises(credens.UsageError, match="input_std names 'z', expected some of the inputs 0, 1"):
        model.predict(x, input_std={"z": 1})
    with pytest.raises(credens.DataError, match="is -1, expected a number from 0"):
        model.predict(x, input_std={"0": -1})
    with pytest.raises(credens.DataError, match=r"input_std of 0 has the shape \[3\], expected a number or \[2\]"):
        model.predict(x, input_std={"0": [1, 2, 3]})
    with pytest.raises(credens.UsageError, match="both input_std and input_covariance"):
        model.predict(x, input_std={"0": 1}, input_covariance=(["0"], [[1]]))
    with pytest.raises(credens.DataError, match="has the eigenvalue"):
        model.predict(x, input_covariance=(["0", "1"], [[1, 2], [2, 1]]))
    with pytest.raises(TypeError, match="expected a dict of names"):
        model.predict(x, input_std=0.1)
    with pytest.raises(credens.UsageError, match="input method"):
        model.predict(x, input_std={"0": 1}, input_method="guess")


# ---- budgets ----


def test_the_budget_adds_up(model, rows):
    p = model.predict(rows[0][:20], input_std={"0": 0.1, "1": 0.05})
    budget = p.budget(0.9)
    names = ["noise", "between members", "within members", "inputs"]
    assert list(budget.contributions) == [*names, "input 0", "input 1"]
    np.testing.assert_allclose(sum(budget.contributions[name] ** 2 for name in names), p.total_variance, rtol=1e-9)
    np.testing.assert_allclose(sum(budget.shares[name] for name in names), 1, rtol=1e-9)
    np.testing.assert_allclose(p.cdf(p.mean + budget.expanded) - p.cdf(p.mean - budget.expanded), 0.9, rtol=1e-9)
    np.testing.assert_allclose(budget.coverage_factor * budget.total, budget.expanded, rtol=1e-12)
    np.testing.assert_allclose(p.cdf(budget.shortest.upper) - p.cdf(budget.shortest.lower), 0.9, rtol=1e-9)
    np.testing.assert_array_equal(budget.shortest, p.shortest_interval(0.9))
    widths = [interval.upper - interval.lower for interval in (budget.shortest, budget.symmetric)]
    assert np.all(widths[0] <= widths[1])


def test_a_normal_distribution_has_the_usual_coverage_factor():
    budget = gaussian(10.0, 3.0, 4.0).budget()
    assert budget.total == pytest.approx(5) and budget.coverage_factor == pytest.approx(1.959963984540054)
    assert gaussian(10.0, 3.0, 4.0).budget(of="function").total == pytest.approx(4)
    with pytest.raises(credens.UsageError, match="level is 1.5"):
        gaussian(10.0, 3.0).budget(1.5)


# ---- the package uncertainties ----


def test_numbers_with_uncertainties_are_correlated_between_rows(model, wide_model, rows):
    package = pytest.importorskip("uncertainties")
    x = rows[0][:6]
    p = model.predict(x)
    numbers = p.to_uncertainties()
    np.testing.assert_allclose([number.nominal_value for number in numbers], p.mean)
    np.testing.assert_allclose([number.std_dev for number in numbers], p.std, rtol=1e-6)
    covariance = np.array(package.covariance_matrix(numbers))
    joint = model.joint_epistemic_covariance(x)
    np.testing.assert_allclose(covariance, joint + np.diag(p.aleatoric_variance), rtol=1e-6, atol=1e-9)
    difference = numbers[0] - numbers[1]
    assert difference.std_dev == pytest.approx(np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]))
    functions = p.to_uncertainties(of="function")
    np.testing.assert_allclose([number.std_dev for number in functions], p.epistemic_std, rtol=1e-6)
    assert wide_model.predict(x).to_uncertainties().shape == (6, 2)


def test_uncertain_inputs_travel_too(model, rows):
    pytest.importorskip("uncertainties")
    p = model.predict(rows[0][:4], input_std={"0": 0.1})
    np.testing.assert_allclose([number.std_dev for number in p.to_uncertainties()], p.std, rtol=1e-6)


def test_without_the_model_rows_cannot_be_correlated(model, rows):
    pytest.importorskip("uncertainties")
    alone = pickle.loads(pickle.dumps(model.predict(rows[0][:4])))
    with pytest.raises(credens.UsageError, match="these predictions came without their model"):
        alone.to_uncertainties()

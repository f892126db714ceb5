# SPDX-License-Identifier: Apache-2.0
"""What a laboratory asks of predictions: conformity with limits."""

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

# SPDX-License-Identifier: Apache-2.0
"""CRPS and log score of mixtures are those of scoringrules.

Both sides use closed forms in double; the CRPS subtracts sums of similar size, which costs a few digits. Tolerance
1e-12 relative to the mean score.
"""

import numpy as np
import pytest

import credens
from mixtures import random_mixture

scoringrules = pytest.importorskip("scoringrules", reason="scoringrules is not installed")

TOLERANCE = 1e-12


def component_weights(mixture):
    return np.broadcast_to(mixture.weights, mixture.means.shape)


@pytest.mark.parametrize("members", [1, 2, 10])
@pytest.mark.parametrize("seed", range(5))
def test_crps_is_the_same(seed, members):
    mixture = random_mixture(seed, members)
    expected = scoringrules.crps_mixnorm(
        mixture.observations, mixture.means, mixture.stds, component_weights(mixture), backend="numpy"
    )
    found = credens.score(mixture.predictive, mixture.observations).crps
    print(f"CRPS {found:.15g}, theirs {np.mean(expected):.15g}")
    assert found == pytest.approx(np.mean(expected), rel=TOLERANCE)


@pytest.mark.parametrize("members", [1, 2, 10])
@pytest.mark.parametrize("seed", range(5))
def test_log_score_is_the_same(seed, members):
    mixture = random_mixture(seed, members)
    expected = scoringrules.logs_mixnorm(
        mixture.observations, mixture.means, mixture.stds, component_weights(mixture), backend="numpy"
    )
    np.testing.assert_allclose(-mixture.predictive.log_prob(mixture.observations), expected, rtol=1e-10)
    found = credens.score(mixture.predictive, mixture.observations).nll
    print(f"log score {found:.15g}, theirs {np.mean(expected):.15g}")
    assert found == pytest.approx(np.mean(expected), rel=TOLERANCE)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_interval_score_is_the_same(level):
    mixture = random_mixture(7, 4)
    interval = mixture.predictive.interval(level)
    expected = scoringrules.interval_score(
        mixture.observations, np.ravel(interval.lower), np.ravel(interval.upper), 1 - level, backend="numpy"
    )
    found = credens.score(mixture.predictive, mixture.observations, level=level).interval_score
    assert found == pytest.approx(np.mean(expected), rel=TOLERANCE)

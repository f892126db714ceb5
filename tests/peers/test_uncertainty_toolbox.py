# SPDX-License-Identifier: Apache-2.0
"""The calibration error is uncertainty-toolbox's mean absolute calibration error.

Theirs takes Gaussian predictions, so the ensembles here have one member. Their setting that is ours: proportions under
quantiles, 101 levels 0, 0.01, ..., 1. At the levels 0 and 1 both proportions agree by definition, so their mean over
101 levels times 101/99 is our mean over 0.01, ..., 0.99. Their residuals are prediction minus observation, which
mirrors the distribution; the levels are symmetric, so the mean is the same. What remains is the rounding of the levels,
which could move a row across a level only if its PIT value lay within 1e-15 of it: tolerance 1e-12.
"""

import pytest

import credens
from mixtures import random_mixture

metrics = pytest.importorskip("uncertainty_toolbox.metrics_calibration", reason="uncertainty-toolbox is not installed")

LEVELS = 101
TOLERANCE = 1e-12


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_calibration_error_is_the_same(seed, vectorized):
    mixture = random_mixture(seed, members=1)
    theirs = metrics.mean_absolute_calibration_error(
        mixture.means[:, 0],
        mixture.stds[:, 0],
        mixture.observations,
        num_bins=LEVELS,
        vectorized=vectorized,
        prop_type="quantile",
    )
    expected = theirs * LEVELS / (LEVELS - 2)
    found = credens.score(mixture.predictive, mixture.observations).calibration_error
    print(f"calibration error {found:.15g}, theirs {expected:.15g}")
    assert found == pytest.approx(expected, rel=TOLERANCE)


def test_a_badly_calibrated_prediction_is_judged_alike():
    mixture = random_mixture(3, members=1)
    shifted = mixture.observations + 3
    theirs = metrics.mean_absolute_calibration_error(
        mixture.means[:, 0], mixture.stds[:, 0], shifted, num_bins=LEVELS, prop_type="quantile"
    )
    assert theirs > 0.2
    found = credens.score(mixture.predictive, shifted).calibration_error
    assert found == pytest.approx(theirs * LEVELS / (LEVELS - 2), rel=TOLERANCE)


def test_sharpness_is_the_same():
    mixture = random_mixture(4, members=1)
    found = credens.score(mixture.predictive, mixture.observations).sharpness
    assert found == pytest.approx(metrics.sharpness(mixture.stds[:, 0]), rel=TOLERANCE)

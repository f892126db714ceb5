# SPDX-License-Identifier: Apache-2.0
"""Ensembles made from random arrays, and by numpy the mixtures that they predict."""

import dataclasses

import numpy as np

import credens

LAMBDA = 3.0


@dataclasses.dataclass
class Mixture:
    """Weights [L]; means and standard deviations [N, L] of the components; one observation per row [N]."""

    weights: np.ndarray
    means: np.ndarray
    stds: np.ndarray
    observations: np.ndarray
    predictive: object


def random_mixture(seed, members, rows=200, features=5):
    """A component's variance is its noise plus gamma |phi|^2, with gamma = p / (sum_i |phi_i|^2 / v_i + p lambda)."""
    generator = np.random.default_rng(seed)
    phi = generator.standard_normal((members, rows, features))
    mean = generator.normal(0, 2, (members, rows, 1))
    noise = generator.uniform(0.05, 2, (members, rows, 1))
    weights = generator.uniform(0.5, 2, members)
    weights /= weights.sum()
    model = credens.widen_outputs(phi, mean, noise, prior_precision=LAMBDA, member_weights=weights)
    squares = np.sum(phi**2, axis=2, keepdims=True)
    gamma = features / (np.sum(squares / noise, axis=1, keepdims=True) + features * LAMBDA)
    stds = np.sqrt(noise + gamma * squares)[:, :, 0].T
    observations = mean.mean(axis=0)[:, 0] + generator.normal(0, 2, rows)
    predictive = model.predict_outputs(phi, mean, noise)
    return Mixture(weights, mean[:, :, 0].T, stds, observations, predictive)

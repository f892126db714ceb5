# SPDX-License-Identifier: Apache-2.0
"""Scores of class probabilities, the same for every method, and mean ranks of methods over tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

LEAST_PROBABILITY = 1e-15
BINS = 15

# Two-sided 5 % points of the studentized range for 2, 3, ... methods and infinitely many rows, divided by the root of 2.
NEMENYI = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)


def class_scores(probability: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Of probabilities [N, C], scaled to sum 1 in each row, and class numbers [N]. docs/method.md defines them."""
    p = np.asarray(probability, float)
    p = p / p.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    is_right = p.argmax(axis=1) == labels
    label = np.zeros_like(p)
    label[rows, labels] = 1
    return {
        "log_loss": float(-np.log(np.maximum(p[rows, labels], LEAST_PROBABILITY)).mean()),
        "brier": float(((p - label) ** 2).sum(axis=1).mean()),
        "accuracy": float(is_right.mean()),
        "ece": expected_calibration_error(p.max(axis=1), is_right),
    }


def expected_calibration_error(confidence: np.ndarray, is_right: np.ndarray) -> float:
    """Mean distance of accuracy from mean confidence in BINS equal bins of the confidence."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, is_right.astype(float) - confidence, BINS)
    return float(np.abs(gaps).sum() / len(confidence))


def auroc(own: np.ndarray, foreign: np.ndarray) -> float:
    """Chance that a foreign row has the larger value, ties at half."""
    everyone = np.concatenate([own, foreign])
    ranks = average_ranks(everyone)[len(own) :]
    return float((ranks.sum() - len(foreign) * (len(foreign) + 1) / 2) / (len(own) * len(foreign)))


def average_ranks(values: np.ndarray) -> np.ndarray:
    """From 1, the least value first; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]


# ---- ranks over tables ----


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of methods over tables, 1 for the best."""

    tables: int
    mean: dict[str, float]
    standard_error: dict[str, float]
    """NaN for a single table."""
    critical_difference: float
    """Nemenyi's at 5 %: methods whose mean ranks differ by less are not told apart. NaN for more methods than are listed."""


def rank_methods(values: Mapping[str, Mapping[str, float]], methods: Sequence[str]) -> Ranks:
    """`values` has a number for each method by table, the lower the better; tables without one of the methods do not count."""
    whole = [found for found in values.values() if all(method in found for method in methods)]
    ranks = np.array([average_ranks(np.array([found[method] for method in methods])) for found in whole])
    ranks = ranks.reshape(len(whole), len(methods))
    tables = len(whole)
    mean = {method: float(ranks[:, k].mean()) if tables else math.nan for k, method in enumerate(methods)}
    error = {
        method: float(ranks[:, k].std(ddof=1) / math.sqrt(tables)) if tables > 1 else math.nan for k, method in enumerate(methods)
    }
    return Ranks(tables, mean, error, critical_difference(len(methods), tables))


def critical_difference(methods: int, tables: int) -> float:
    if tables == 0 or not 2 <= methods < 2 + len(NEMENYI):
        return math.nan
    return NEMENYI[methods - 2] * math.sqrt(methods * (methods + 1) / (6 * tables))

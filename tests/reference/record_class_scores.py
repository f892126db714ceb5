#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records scores of class probabilities for tests/unit/score: python3 record_class_scores.py

Scores come from scikit-learn; of several classes, the Brier score is written out. Every class is present.
Lines of class_scores.csv: case,key,numbers (separated by blanks). Probabilities and the confusion matrix are given row by row.
"""

import pathlib

import numpy as np
from sklearn import metrics

FOLDER = pathlib.Path(__file__).parent


def random_case(seed, rows, classes, decimals, weighted):
    """Few decimals give ties between rows, with probabilities that still have the sum 1."""
    random = np.random.default_rng(seed)
    logits = np.round(random.normal(0, 1.5, (rows, classes)), decimals)
    probability = np.exp(logits)
    probability /= probability.sum(axis=1, keepdims=True)
    labels = np.array([random.choice(classes, p=p) for p in probability])
    labels[:classes] = np.arange(classes)
    weights = random.integers(1, 8, rows) / 4 if weighted else np.ones(rows)
    return probability, labels, weights


def auroc(probability, labels, weights):
    if probability.shape[1] == 2:
        return metrics.roc_auc_score(labels, probability[:, 1], sample_weight=weights)
    return metrics.roc_auc_score(labels, probability, multi_class="ovr", average="macro", sample_weight=weights)


def brier(probability, labels, weights):
    if probability.shape[1] == 2:  # scikit-learn's has the second class alone, whose gap is that of the first
        return 2 * metrics.brier_score_loss(labels, probability[:, 1], sample_weight=weights)
    one_hot = np.eye(probability.shape[1])[labels]
    return np.average(((probability - one_hot) ** 2).sum(axis=1), weights=weights)


def recorded(probability, labels, weights):
    predicted = probability.argmax(axis=1)
    chosen = {"sample_weight": weights}
    return {
        "probability": probability,
        "labels": labels,
        "weights": weights,
        "log_loss": metrics.log_loss(labels, probability, **chosen),
        "brier": brier(probability, labels, weights),
        "accuracy": metrics.accuracy_score(labels, predicted, **chosen),
        "balanced_accuracy": metrics.balanced_accuracy_score(labels, predicted, **chosen),
        "auroc": auroc(probability, labels, weights),
        "confusion": metrics.confusion_matrix(labels, predicted, **chosen),
    }


CASES = {
    "two": random_case(1, 30, 2, 6, weighted=False),
    "two_weighted_ties": random_case(2, 40, 2, 0, weighted=True),
    "three_ties": random_case(3, 50, 3, 0, weighted=False),
    "five_weighted": random_case(4, 40, 5, 6, weighted=True),
}


def lines():
    for name, case in CASES.items():
        for key, values in recorded(*case).items():
            yield f"{name},{key},{' '.join(repr(float(value)) for value in np.ravel(values))}\n"


(FOLDER / "class_scores.csv").write_text("".join(lines()))

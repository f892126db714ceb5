#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does scikit-learn's CalibratedClassifierCV make the probabilities of CredensClassifier better? It should not.

    python3 bench/calibrated.py                            # the tables that come with scikit-learn
    python3 bench/calibrated.py --tables iris --folds 3 --effort quick

Every table is cut into folds, stratified by class. Each fold is predicted by a CredensClassifier that was trained on the
others, and by CalibratedClassifierCV around one, which trains five of them on parts of the same rows and maps their
probabilities by a sigmoid or by an isotonic function. Prints for each table the log loss and the Brier score per row and
the differences (calibrated minus plain: above 0 calibration makes it worse), each with the standard error of the mean of
its rows. Runs that are in the file of --json are not repeated.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from credens.sklearn import CredensClassifier
from sklearn import datasets
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold

TABLES = {name: getattr(datasets, f"load_{name}") for name in ("iris", "wine", "breast_cancer", "digits")}
METHODS = ("plain", "sigmoid", "isotonic")
LEAST = 1e-15  # isotonic maps give probabilities of 0


def classifier(method, effort):
    plain = CredensClassifier(effort=effort, seed=1)
    return plain if method == "plain" else CalibratedClassifierCV(plain, method=method, cv=5)


def scores(probability, labels):
    """Log loss and Brier score of each row; labels are numbers of classes."""
    right = probability[np.arange(len(labels)), labels]
    one_hot = np.eye(probability.shape[1])[labels]
    return {"log_loss": (-np.log(np.maximum(right, LEAST))).tolist(), "brier": ((probability - one_hot) ** 2).sum(axis=1).tolist()}


def run(name, fold, options):
    """For each method the scores of the fold's rows."""
    x, y = TABLES[name](return_X_y=True)
    folds = StratifiedKFold(options.folds, shuffle=True, random_state=1)
    train, test = list(folds.split(x, y))[fold]
    fitted = {method: classifier(method, options.effort).fit(x[train], y[train]) for method in METHODS}
    return {method: scores(model.predict_proba(x[test]), y[test]) for method, model in fitted.items()}


def mean_text(values, sign=""):
    return f"{np.mean(values):{sign}.4f} +- {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def summary(name, results):
    for score in ("log_loss", "brier"):
        rows = {method: np.concatenate([result[method][score] for result in results]) for method in METHODS}
        differences = ", ".join(f"{method} {mean_text(rows[method] - rows['plain'], '+')}" for method in METHODS[1:])
        print(f"{name:14} {score:8}  plain {mean_text(rows['plain'])}; {differences}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--json", type=Path, help="file of results, which is completed")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", ".* cop(y|ies) of ")
    stored = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    for name in options.tables.split(","):
        results = stored.setdefault(name, [])
        for fold in range(len(results), options.folds):
            results.append(run(name, fold, options))
            if options.json:
                options.json.write_text(json.dumps(stored))
        summary(name, results)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small and noisy tables: Credens beside a Gaussian process and a random forest (docs/accuracy.md).

    python3 bench/small_tables.py build/release/credens [--qsar qsar_aquatic_toxicity.csv]

Needs numpy and scikit-learn. Every table is drawn or split three times; prints the means of RMSE / NLL of new rows.
"""

import argparse
import json
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

REPETITIONS = 3
NEW_ROWS = 1000
MOST_ROWS_OF_GAUSSIAN_PROCESS = 1000


def friedman1(rows, first_seed):
    """Ten inputs, five of them meaningless, noise of standard deviation 1."""
    return lambda k: (rows, *make_friedman1(rows + NEW_ROWS, noise=1.0, random_state=first_seed + k))


def robot_arm(rows):
    """The distance of a hand with four joints of two angles from a point, known to 5 %."""

    def draw(k):
        random = np.random.default_rng(100 + k)
        angles = random.uniform(-np.pi / 2, np.pi / 2, (rows + NEW_ROWS, 8))
        turn, lift, lengths = np.cumsum(angles[:, :4], 1), angles[:, 4:], np.array([1, 0.8, 0.6, 0.4])
        hand = [lengths * np.cos(turn) * np.cos(lift), lengths * np.sin(turn) * np.cos(lift), lengths * np.sin(lift)]
        away = np.stack([part.sum(1) for part in hand]) - np.array([[1.2], [0.3], [0.2]])
        distance = np.sqrt((away**2).sum(0))
        return rows, angles, distance * (1 + 0.05 * random.normal(size=len(distance)))

    return draw


def shuffled(inputs, targets, rows):
    def draw(k):
        order = np.random.default_rng(k).permutation(len(targets))
        return rows, inputs[order], targets[order]

    return draw


def credens(program, train, new):
    names = ",".join([f"x{i}" for i in range(train.shape[1] - 1)] + ["y"])
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("train.csv", "new.csv", "model.safetensors")]
        for path, table in zip(paths, (train, new)):
            np.savetxt(path, table, delimiter=",", header=names, comments="", fmt="%.8g")
        fit = [program, "fit", paths[0], "--target", "y", "-o", paths[2], "--progress", "none"]
        subprocess.run(fit, check=True, stdout=subprocess.DEVNULL)
        told = subprocess.run([program, "evaluate", paths[2], paths[1], "--json"], check=True, capture_output=True)
    scores = json.loads(told.stdout)
    return scores["rmse"], scores["extended"]["nll"]


def gaussian_scores(targets, mean, variance):
    residual = targets - mean
    return np.sqrt(np.mean(residual**2)), np.mean(0.5 * np.log(2 * np.pi * variance) + residual**2 / (2 * variance))


def gaussian_process(train, new):
    """One length scale per input and a noise, by maximal evidence from three starts."""
    kernel = ConstantKernel(1.0) * RBF(np.full(train.shape[1] - 1, 3.0), (1e-2, 1e3)) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=0)
    mean, std = model.fit(train[:, :-1], train[:, -1]).predict(new[:, :-1], return_std=True)
    return gaussian_scores(new[:, -1], mean, std**2)


def random_forest(train, new):
    """Its noise is the mean squared error of rows out of the bag."""
    model = RandomForestRegressor(300, oob_score=True, random_state=0).fit(train[:, :-1], train[:, -1])
    variance = np.mean((train[:, -1] - model.oob_prediction_) ** 2)
    return gaussian_scores(new[:, -1], model.predict(new[:, :-1]), variance)


def standardised(method, train, new):
    """The peer's scores in the units of the data, from columns of mean 0 and standard deviation 1."""
    mean, std = train.mean(0), train.std(0)
    std[std == 0] = 1
    rmse, nll = method((train - mean) / std, (new - mean) / std)
    return rmse * std[-1], nll + np.log(std[-1])


def compare(program, draw):
    scores = {"Credens": [], "Gaussian process": [], "random forest": []}
    for k in range(REPETITIONS):
        rows, inputs, targets = draw(k)
        table = np.column_stack([inputs, targets])
        train, new = table[:rows], table[rows:]
        scores["Credens"].append(credens(program, train, new))
        if rows <= MOST_ROWS_OF_GAUSSIAN_PROCESS:
            scores["Gaussian process"].append(standardised(gaussian_process, train, new))
        scores["random forest"].append(standardised(random_forest, train, new))
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--qsar", help="the file of the data set QSAR aquatic toxicity")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")  # of bounds that a length scale meets
    tables = {
        "friedman1, 100 rows": friedman1(100, 7),
        "friedman1, 270 rows": friedman1(270, 0),
        "friedman1, 2,000 rows": friedman1(2000, 7),
        "robot arm, 1,000 rows": robot_arm(1000),
        "diabetes, 398 rows": shuffled(*load_diabetes(return_X_y=True), 398),
    }
    if arguments.qsar:
        values = np.loadtxt(arguments.qsar, delimiter=";")
        tables["QSAR, 490 rows"] = shuffled(values[:, :-1], values[:, -1], 490)
    for name, draw in tables.items():
        scores = compare(arguments.program, draw)
        cells = ["{:.3g} / {:.3f}".format(*np.mean(runs, 0)) if runs else "not run" for runs in scores.values()]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

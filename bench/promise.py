#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether guaranteed intervals hold what they promise, on random splits of real and simulated rows.

    CREDENS_DATA=... python3 bench/promise.py [--splits 200] [--json RESULTS.json]

Needs the package credens, scipy and, in CREDENS_DATA, the folder uci-benchmark (concrete, power-plant). One model is fitted per
set, of which repeated rows count once. Each split then deals the rows that the model has not seen to calibration rows and new rows: that is what exchangeability
needs, so one fit serves all splits. For 80, 90 and 95 % it counts the new rows inside, and tests the counts of all splits against
their law, beta-binomial, by the chi-square of ten bins and by Kolmogorov's distance of randomised probabilities. By ignorance the
same is done within each group.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

import numpy as np
from scipy import stats

import credens

LEVELS = (0.8, 0.9, 0.95)
CALIBRATION_ROWS = (50, 200, 1000)
FEWEST_NEW_ROWS = 100


def grades(generator, rows=4000):
    """Whole grades from 3 to 9 by eleven inputs, most of them in the middle, with noise that depends on one input."""
    x = generator.normal(size=(rows, 11))
    latent = 6 + 0.5 * x[:, 0] - 0.4 * x[:, 1] + 0.3 * np.sin(2 * x[:, 2]) + (0.5 + 0.2 * np.abs(x[:, 3])) * generator.normal(size=rows)
    return x, np.clip(np.round(latent), 3, 9)


def sets(folder):
    """Name, rows for the fit, inputs and targets."""
    for name, trained in (("concrete", 330), ("power-plant", 2000)):
        table = np.unique(np.loadtxt(folder / "uci-benchmark" / name / "data.txt"), axis=0)
        yield name, trained, table[:, :-1], table[:, -1]
    yield "grades", 1000, *grades(np.random.default_rng(12))


def share_of(interval, y):
    return (interval.lower <= y) & (y <= interval.upper)


def probabilities(counts, generator):
    """Randomised distribution values of counts under their laws: uniform where the laws hold."""
    inside, rows, a, b = np.array(counts).T
    below = stats.betabinom.cdf(inside - 1, rows, a, b)
    return below + generator.uniform(size=len(inside)) * stats.betabinom.pmf(inside, rows, a, b)


def test(counts, generator):
    """p values of the chi-square of ten bins and of Kolmogorov's distance."""
    values = probabilities(counts, generator)
    chi_square = stats.chisquare(np.histogram(values, bins=10, range=(0, 1))[0]).pvalue
    return float(chi_square), float(stats.kstest(values, "uniform").pvalue)


def splits(model, x, y, calibration_rows, count, by, generator):
    """Per level the (inside, new rows, a, b) of each split and group, and the mean widths of both kinds of intervals."""
    counts, widths = {level: [] for level in LEVELS}, {level: [] for level in LEVELS}
    for _ in range(count):
        order = generator.permutation(len(y))
        calibration, new = order[:calibration_rows], order[calibration_rows:]
        promised = model.calibrate(x[calibration], y[calibration], by=by)
        p = promised.predict(x[new])
        for level in LEVELS:
            interval, own = p.interval(level, "guaranteed"), p.interval(level, "mixture")
            widths[level].append(float(np.mean(interval.upper - interval.lower) / np.mean(own.upper - own.lower)))
            inside = share_of(interval, y[new])
            for one, rows in zip(promised.promises.coverage(level), group_rows(promised, p)):
                counts[level].append((int(inside[rows].sum()), int(rows.sum()), *one.law))
    return counts, widths


def group_rows(promised, p):
    """Which rows are of each group: edges of ignorance are in units of the target's scale in training."""
    edges = promised.promises.edges
    group = np.searchsorted(edges, p.epistemic_std / target_scale(promised), side="right")
    return [group == g for g in range(len(edges) + 1)]


def target_scale(model):
    """As the model file has it (docs/model-format.md)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        credens.save(model, path)
        content = path.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return json.loads(header["__metadata__"]["credens"])["targets"]["scale"][0]


def study(name, trained, x, y, options):
    generator = np.random.default_rng(5)
    order = generator.permutation(len(y))
    x, y = x[order], y[order]
    model = credens.fit(x[:trained], y[:trained], seed=1, effort="quick")
    own = share_of(model.predict(x[trained:]).interval(0.95, "mixture"), y[trained:]).mean()
    print(f"{name}: {trained} rows trained, {len(y) - trained} others, of which {own:.1%} lie in the model's own 95 % intervals", flush=True)
    for calibration_rows in CALIBRATION_ROWS:
        if len(y) - trained - calibration_rows < FEWEST_NEW_ROWS:
            continue
        for by in (None, "ignorance"):
            if by and calibration_rows < 119:
                continue
            counts, widths = splits(model, x[trained:], y[trained:], calibration_rows, options.splits, by, generator)
            for level in LEVELS:
                inside, rows, a, b = np.array(counts[level]).T
                shares = inside / rows
                chi_square, kolmogorov = test(counts[level], generator)
                yield {
                    "set": name, "rows": calibration_rows, "by": by, "level": level, "promised": float((a / (a + b)).mean()),
                    "found": float(shares.mean()), "error": float(shares.std() / len(shares) ** 0.5),
                    "chi_square": chi_square, "kolmogorov": kolmogorov, "width": float(np.mean(widths[level])),
                }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    for part in sets(Path(os.environ["CREDENS_DATA"])):
        for one in study(*part, options):
            results.append(one)
            by = "by ignorance" if one["by"] else ""
            print(f"  {one['rows']:5} rows {by:12} {one['level']:.0%}: promised {one['promised']:.2%}, found {one['found']:.2%} +- {one['error']:.2%}, "
                  f"p {one['chi_square']:.4f} {one['kolmogorov']:.4f}, width {one['width']:.3f} of the model's own", flush=True)  # fmt: skip
    smallest = min(min(one["chi_square"], one["kolmogorov"]) for one in results)
    print(f"{2 * len(results)} tests, the smallest p value is {smallest:.4f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

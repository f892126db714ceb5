#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the two methods for uncertain inputs right on fitted models? 10^6 random draws of the inputs tell.

    python3 bench/uncertain_inputs.py build/release/credens concrete=data.txt yacht=yacht.csv     # tables of numbers, target last

For each table a model is fitted, and 20 rows get correlated errors: the covariance of the inputs in the table, times
the square of --size (0.1: an error is a tenth of the spread of its input). `credens predict` then says what the inputs
add and what the total uncertainty is, by draws and by first order, beside the moments of the mixtures at 10^6 random
draws of each row. Prints for each table and method the median and the largest relative error of y_input_std and
y_total_std over the rows, and the seconds that the 20 rows took.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS = 20


def run(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def predicted(program, model, table, out, *flags):
    run(program, "predict", model, table, "-o", out, *flags)
    return np.genfromtxt(out, delimiter=",", names=True) if str(out).endswith(".csv") else np.load(out)


def by_random_draws(program, folder, row, covariance, draws, random):
    """Standard deviations of the mixture's mean, and of all, over draws of one row."""
    np.save(folder / "draws.npy", random.multivariate_normal(row, covariance, draws, method="eigh"))
    table = predicted(program, folder / "model.safetensors", folder / "draws.npy", folder / "moments.npy")
    mean, total = table[:, 0], table[:, 3]
    return np.sqrt(mean.var()), np.sqrt(mean.var() + np.mean(total**2))


def study(program, name, path, size, draws, effort):
    data = np.genfromtxt(path, delimiter="," if "," in Path(path).read_text().split("\n")[1] else None)
    data = data[~np.isnan(data).any(axis=1)]
    inputs = data.shape[1] - 1
    random = np.random.default_rng(1)
    chosen = data[random.choice(len(data), ROWS, replace=False), :-1]
    covariance = size**2 * np.cov(data[:, :-1], rowvar=False)
    header = ",".join(f"x{j}" for j in range(inputs))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        np.savetxt(folder / "train.csv", data, delimiter=",", header=header + ",y", comments="", fmt="%r")
        np.savetxt(folder / "rows.csv", chosen, delimiter=",", header=header, comments="", fmt="%r")
        np.savetxt(folder / "covariance.csv", covariance, delimiter=",", header=header, comments="", fmt="%r")
        run(program, "fit", folder / "train.csv", "--target", "y", "--effort", effort, "-o", folder / "model.safetensors")
        expected = np.array([by_random_draws(program, folder, row, covariance, draws, random) for row in chosen])
        for method in ("draws", "first-order"):
            started = time.perf_counter()
            flags = ("--input-covariance", folder / "covariance.csv", "--input-method", method)
            found = predicted(program, folder / "model.safetensors", folder / "rows.csv", folder / f"{method}.csv", *flags)
            seconds = time.perf_counter() - started
            for column, of_draws in zip(("y_input_std", "y_total_std"), expected.T):
                error = np.abs(found[column] / of_draws - 1)
                print(f"{name:12} {method:12} {column:12} median {np.median(error):7.2%}  largest {error.max():7.2%}  {seconds:5.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("tables", nargs="+", metavar="NAME=PATH")
    parser.add_argument("--size", type=float, default=0.1)
    parser.add_argument("--draws", type=int, default=10**6)
    parser.add_argument("--effort", default="quick")
    options = parser.parse_args()
    for table in options.tables:
        name, _, path = table.partition("=")
        study(options.program, name, path, options.size, options.draws, options.effort)


main()

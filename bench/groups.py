#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do intervals hold new samples, where each sample was measured several times and where a table was pasted twice?

    python3 bench/groups.py build/release/credens                      # 50 draws of all cases
    python3 bench/groups.py build/release/credens --draws 5 --only equal

A draw has 40 samples with one, two or three inputs (--problem), each measured five times: target = f(inputs) + what
is the sample's own (standard deviation 0.05) + what is the repeat's own (0.01). New samples are drawn alike, one
measurement each. In the case `equal` the repeats have equal inputs and nothing is said of groups; in `group` each
repeat reads its inputs with an error of 0.001 and the table names the sample; `blind` is the same table without that
name; `once` has 200 samples measured once and `few` the 40 samples measured once, for comparison. `pasted` is a table
of 150 rows and `alone` the same rows once. Prints for each case the share of new rows within the 95 % intervals and
their NLL, means over the draws with standard errors.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SAMPLES, REPEATS, NEW_ROWS = 40, 5, 1000
BETWEEN, WITHIN, READING = 0.05, 0.01, 0.001


# Number of inputs, and a function of them: 40 samples tell the first well, the second roughly and the third hardly.
PROBLEMS = {
    "one": (1, lambda x: np.sin(3 * x[:, 0]) / 2),
    "two": (2, lambda x: np.sin(2 * x[:, 0]) / 2 + 0.3 * x[:, 1]),
    "three": (3, lambda x: np.sin(3 * x[:, 0]) / 2 + x[:, 1] * x[:, 2] / 2 + 0.3 * x[:, 1]),
}


def measured(problem, random, samples, repeats, reading=0.0):
    """Columns of inputs, the target and the sample, one row per measurement."""
    inputs, regression = PROBLEMS[problem]
    x = random.uniform(-1, 1, (samples, inputs))
    own = regression(x) + random.normal(0, BETWEEN, samples)
    rows = np.repeat(np.arange(samples), repeats)
    read = x[rows] + random.normal(0, reading, (len(rows), inputs)) if reading else x[rows]
    return np.column_stack([read, own[rows] + random.normal(0, WITHIN, len(rows)), rows])


def tables(problem, case, random):
    """Training rows, new rows and further flags of `fit`."""
    new = measured(problem, random, NEW_ROWS, 1)
    if case == "once":
        return measured(problem, random, SAMPLES * REPEATS, 1), new, ["--ignore", "sample"]
    if case == "few":
        return measured(problem, random, SAMPLES, 1), new, ["--ignore", "sample"]
    if case in ("pasted", "alone"):
        rows = measured(problem, random, 150, 1)
        return (np.concatenate([rows, rows]) if case == "pasted" else rows), new, ["--ignore", "sample"]
    train = measured(problem, random, SAMPLES, REPEATS, 0.0 if case == "equal" else READING)
    return train, new, ["--group", "sample"] if case == "group" else ["--ignore", "sample"]


def write(path, rows):
    names = [f"x{j}" for j in range(rows.shape[1] - 2)] + ["y", "sample"]
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="", fmt="%.9g")


def scores(program, problem, case, draw, effort):
    train, new, flags = tables(problem, case, np.random.default_rng(1000 + draw))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write(place / "train.csv", train)
        write(place / "new.csv", new)
        model = place / "model.safetensors"
        fit = [program, "fit", place / "train.csv", "--target", "y", "-o", model, "--progress", "none"]
        subprocess.run([*fit, "--effort", effort, "--seed", str(draw), *flags], check=True, capture_output=True)
        judge = [program, "evaluate", model, place / "new.csv", "--json"]
        found = json.loads(subprocess.run(judge, check=True, capture_output=True).stdout)
    return found["extended"]["total_coverage"], found["extended"]["nll"], found["rmse"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--only", default="equal,group,blind,once,few,pasted,alone")
    parser.add_argument("--problem", choices=PROBLEMS, default="two")
    given = parser.parse_args()
    print(f"{'case':8} {'coverage of 95 %':>20} {'NLL':>18} {'RMSE':>18}")
    for case in given.only.split(","):
        found = np.array([scores(given.program, given.problem, case, draw, given.effort) for draw in range(given.draws)])
        means, errors = found.mean(0), found.std(0, ddof=1 if len(found) > 1 else 0) / np.sqrt(len(found))
        words = [f"{mean:.4f} +- {error:.4f}" for mean, error in zip(means, errors)]
        print(f"{case:8} {words[0]:>20} {words[1]:>18} {words[2]:>18}", flush=True)


if __name__ == "__main__":
    main()

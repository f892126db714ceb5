#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often what `credens fit` expects of new rows is what test rows show, in the splits of the UCI benchmark.

    python3 bench/expected.py build/release/credens DATA --sets yacht,bostonHousing [--splits 20] [--json RESULTS.json]

DATA has the folder uci-benchmark (see python/credens/reproduce/uci.py). Each split is one fit of its training rows. Its
expected RMSE and NLL are compared with those of its test rows. A run that was stopped goes on with the results in the
file. Counted are differences within two standard errors,

* pooled: the m test rows scatter as the n held-out rows do, so that the error of the difference is that of the expectation
  times the root of 1 + n / m;
* own: the root of the sum of squares of both errors, that of the test rows from their own scatter. Errors have heavy
  tails, so few test rows without a large one seem more certain than they are;
* alone: of the expectation alone, as if the test rows were all rows there are.

The own standard error of the test NLL is found from Gaussian densities with the predicted mean and standard deviation.
"""

import argparse
import csv
import json
import lzma
import math
import subprocess
import tempfile
from pathlib import Path

TEST_COLUMNS = ("y_mean", "y_total_std")


def table(folder, name):
    path = folder / name
    text = path.read_text() if path.exists() else lzma.open(f"{path}.xz", "rt").read()
    return [[float(cell) for cell in line.split()] for line in text.splitlines() if line.strip()]


def benchmark(folder):
    """Rows of a set of the benchmark, and per split its training and test rows by number."""
    parts = [[[int(row) for row in line] for line in table(folder, f"{part}_index.txt")] for part in ("train", "test")]
    return table(folder, "data.txt"), list(zip(*parts))


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j}" for j in range(len(rows[0]) - 1)), "y"])
        writer.writerows([repr(value) for value in row] for row in rows)


def standard_error(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def test_errors(predictions, targets, rmse):
    """Standard errors of RMSE and NLL of the test rows."""
    with open(predictions, newline="") as file:
        rows = [[float(row[name]) for name in TEST_COLUMNS] for row in csv.DictReader(file)]
    squares = [(target - mean) ** 2 for target, (mean, _) in zip(targets, rows)]
    nll = [math.log(std) + square / std**2 / 2 for square, (_, std) in zip(squares, rows)]
    return {"rmse": standard_error(squares) / (2 * rmse), "nll": standard_error(nll)}


def run_split(program, rows, split, options):
    """Expected and found RMSE and NLL, each with its standard error."""
    with tempfile.TemporaryDirectory() as folder:
        train, test, model, predictions = (Path(folder) / name for name in ("a.csv", "b.csv", "m.safetensors", "p.csv"))
        for path, part in zip((train, test), split):
            write(path, [rows[row] for row in part])
        run = lambda *arguments: subprocess.run([program, *map(str, arguments)], check=True, capture_output=True).stdout
        about = json.loads(run("fit", train, "--target", "y", "-o", model, "--json", "--progress", "none", *options))
        found = json.loads(run("evaluate", model, test, "--json"))
        run("predict", model, test, "-o", predictions)
        errors = test_errors(predictions, [rows[row][-1] for row in split[1]], found["rmse"])
    values = {"rmse": found["rmse"], "nll": found["extended"]["nll"]}
    expected = about["expected"]
    return {
        score: {
            "expected": expected["outputs"][0][score],
            "found": {"value": values[score], "standard_error": errors[score]},
            "held_out_rows": expected["rows"],
            "test_rows": found["rows"],
        }
        for score in values
    }


def standard_errors(result):
    """Of the difference between expectation and test rows, in three ways."""
    own = result["expected"]["standard_error"]
    return {
        "pooled": own * math.sqrt(1 + result["held_out_rows"] / result["test_rows"]),
        "own": math.hypot(own, result["found"]["standard_error"]),
        "alone": own,
    }


def difference(result):
    return result["expected"]["value"] - result["found"]["value"]


def summary(name, results):
    for score in ("rmse", "nll"):
        of_score = [result[score] for result in results]
        mean = lambda side: sum(one[side]["value"] for one in of_score) / len(of_score)
        within = {
            way: sum(abs(difference(one)) <= 2 * standard_errors(one)[way] for one in of_score)
            for way in standard_errors(of_score[0])
        }
        bias = sum(difference(one) / standard_errors(one)["pooled"] for one in of_score) / len(of_score)
        counts = ", ".join(f"{way} {count}/{len(of_score)}" for way, count in within.items())
        print(
            f"{name:14} {score:4}  expected {mean('expected'):8.3f}  test {mean('found'):8.3f}  within 2 standard errors: "
            f"{counts}; mean difference {bias:+.2f} pooled standard errors",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="yacht,bostonHousing,concrete,power-plant")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--json", type=Path, help="file of results, which is completed")
    arguments = parser.parse_args()
    stored = arguments.json and arguments.json.exists()
    all_results = json.loads(arguments.json.read_text()) if stored else {}
    for name in arguments.sets.split(","):
        rows, splits = benchmark(arguments.data / "uci-benchmark" / name)
        results = all_results.setdefault(name, [])
        for split in splits[len(results) : arguments.splits]:
            results.append(run_split(arguments.program, rows, split, ["--effort", arguments.effort]))
            if arguments.json:
                arguments.json.write_text(json.dumps(all_results))
        summary(name, results[: arguments.splits])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many rows `credens suggest` saves against random choice (docs/tutorials/next-measurement.md).

    python3 bench/suggest.py build/release/credens DATA [--repetitions 20] [--only airfoil,ramp] [--json RESULTS.json]

DATA has the folders uci-benchmark and airfoil. A repetition sets rows aside for the test, starts with 50 random rows of the
others and adds ten in each of ten rounds: at random, as `credens suggest` says, or those with the largest total variance.
Each round is a fit with --effort quick. A run that was stopped goes on with the results in the file.

Printed are the RMSE at the test rows with 50 and 150 rows, means over repetitions, and the number of rows at which each
choice reaches the RMSE that random choice has in the end: where the mean curve crosses it, between rounds on a line.
"""

import argparse
import csv
import json
import lzma
import math
import random
import subprocess
import tempfile
from pathlib import Path

START, ROUNDS, STEP = 50, 10, 10
MOST_POOL, MOST_TEST = 2000, 1000
FIT = ("--target", "y", "--effort", "quick", "--progress", "none")
CHOICES = ("random", "suggest", "total variance")


def table(path):
    """Numbers of a text file, compressed or not, without its header."""
    text = path.read_text() if path.exists() else lzma.open(f"{path}.xz", "rt").read()
    lines = [line.replace(",", " ").split() for line in text.splitlines()]
    return [[float(cell) for cell in cells] for cells in lines if cells and not cells[0].isalpha()]


def simulated(function, noise, inputs):
    """Rows of a problem whose noise depends on the inputs; the truth stands for the target at test rows."""

    def draw(rng):
        rows = []
        for _ in range(MOST_POOL + MOST_TEST):
            x = [rng.uniform(-1, 1) for _ in range(inputs)]
            truth = function(x)
            rows.append((x, truth + noise(x) * rng.gauss(0, 1), truth))
        return rows

    return draw


def measured(path):
    def draw(rng):
        rows = [(row[:-1], row[-1], row[-1]) for row in table(path)]
        rng.shuffle(rows)
        return rows

    return draw


def problems(data):
    uci = data / "uci-benchmark"
    return {
        "concrete": measured(uci / "concrete" / "data.txt"),
        "airfoil": measured(data / "airfoil" / "airfoil.csv"),
        "power-plant": measured(uci / "power-plant" / "data.txt"),
        # A wave that is measured well on the left and badly on the right.
        "ramp": simulated(lambda x: math.sin(4 * x[0]) + x[1] * x[2], lambda x: 0.05 + 0.5 * max(0.0, x[0]), 3),
        # A narrow hill in four inputs, with noise around the rim of the box.
        "hill": simulated(
            lambda x: 2 * math.exp(-4 * sum(v * v for v in x)) + x[0], lambda x: 0.6 * max(abs(v) for v in x) ** 4, 4
        ),
    }


class Study:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *words):
        return subprocess.run([self.program, *words], check=True, capture_output=True, text=True, cwd=self.folder).stdout

    def write(self, name, rows, with_target=True):
        with open(self.folder / name, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(f"x{j}" for j in range(len(rows[0][0]))), *(["y"] if with_target else [])])
            writer.writerows([*map(repr, x), *([repr(y)] if with_target else [])] for x, y, _ in rows)

    def column(self, name):
        self.run("predict", "model.safetensors", f"{name}.csv", "-o", "predictions.csv")
        with open(self.folder / "predictions.csv", newline="") as file:
            return [(float(row["y_mean"]), float(row["y_total_std"])) for row in csv.DictReader(file)]

    def rmse(self, test):
        return math.sqrt(sum((mean - truth) ** 2 for (mean, _), (_, _, truth) in zip(self.column("test"), test)) / len(test))

    def chosen(self, choice, pool, rng):
        """Numbers of the rows of the pool that are measured next."""
        if choice == "random":
            return rng.sample(range(len(pool)), STEP)
        self.write("pool.csv", pool, with_target=False)
        if choice == "total variance":
            spread = [std for _, std in self.column("pool")]
            return sorted(range(len(pool)), key=lambda row: -spread[row])[:STEP]
        found = json.loads(self.run("suggest", "model.safetensors", "pool.csv", "-n", str(STEP), "--json"))
        return [row["row"] for row in found["rows"]]

    def curve(self, draw, choice, repetition):
        """RMSE with 50, 60, ... rows."""
        rng = random.Random(1000 + repetition)
        rows = draw(rng)
        test_rows = min(MOST_TEST, len(rows) // 3)
        test, pool = rows[:test_rows], rows[test_rows : test_rows + MOST_POOL]
        train, pool = pool[:START], pool[START:]
        self.write("test.csv", test, with_target=False)
        errors = []
        for _ in range(ROUNDS + 1):
            self.write("train.csv", train)
            self.run("fit", "train.csv", *FIT, "--seed", str(repetition), "-o", "model.safetensors")
            errors.append(self.rmse(test))
            if len(errors) > ROUNDS:
                break
            taken = set(self.chosen(choice, pool, rng))
            train = train + [pool[row] for row in sorted(taken)]
            pool = [row for number, row in enumerate(pool) if number not in taken]
        return errors


def rows_to_reach(curve, goal):
    """Where a curve of RMSE falls to the goal first; none: it does not."""
    for i, error in enumerate(curve):
        if error > goal:
            continue
        if i == 0:
            return float(START)
        return START + STEP * (i - (goal - error) / (curve[i - 1] - error))
    return None


def mean_curve(curves):
    return [sum(errors) / len(errors) for errors in zip(*curves)]


def summary(results):
    lines = [f"{'problem':<12} {'repetitions':>11}  {'choice':<15} {'RMSE, 50':>9} {'RMSE, 150':>9}  rows to random's end"]
    for problem, curves in results.items():
        means = {choice: mean_curve(list(curves.get(choice, {}).values())) for choice in CHOICES}
        if not all(means.values()):
            continue
        for choice, mean in means.items():
            reached = rows_to_reach(mean, means["random"][-1])
            rows = "not reached" if reached is None else f"{reached:.0f} ({100 * reached / (START + STEP * ROUNDS):.0f} %)"
            lines.append(f"{problem:<12} {len(curves[choice]):>11}  {choice:<15} {mean[0]:>9.3g} {mean[-1]:>9.3g}  {rows}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path, default=Path("suggest.json"))
    arguments = parser.parse_args()
    results = json.loads(arguments.json.read_text()) if arguments.json.exists() else {}
    chosen = {name: draw for name, draw in problems(arguments.data).items() if not arguments.only or name in arguments.only.split(",")}
    for repetition in range(arguments.repetitions):
        for name, draw in chosen.items():
            for choice in CHOICES:
                curves = results.setdefault(name, {}).setdefault(choice, {})
                if str(repetition) in curves:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    curves[str(repetition)] = Study(Path(arguments.program).resolve(), Path(folder)).curve(draw, choice, repetition)
                arguments.json.write_text(json.dumps(results, indent=1) + "\n")
                print(name, choice, repetition, " ".join(f"{error:.3g}" for error in curves[str(repetition)]), flush=True)
    print(summary(results))


if __name__ == "__main__":
    main()

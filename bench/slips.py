#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What slips of the pen among the targets cost: 1 % of the targets of concrete times 1,000.

    python3 bench/slips.py build/release/credens FOLDER [--splits 5] [--effort normal]

FOLDER holds data.txt, train_index.txt and test_index.txt of the concrete benchmark. For each split the members are
trained on the rows as they are and on rows with slips; prints RMSE, coverage of the 95 % intervals and NLL on the test
rows, which have none, and how many slips were named.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SHARE, FACTOR = 0.01, 1000


def scores(program, train, test, effort, seed):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, rows in (("train.csv", train), ("test.csv", test)):
            np.savetxt(place / name, rows, delimiter=",", fmt="%.17g")
        model = place / "model.safetensors"
        fit = [program, "fit", place / "train.csv", "--target=-1", "-o", model, "--progress", "none", "--json"]
        made = subprocess.run([*fit, "--effort", effort, "--seed", str(seed)], check=True, capture_output=True, text=True)
        judge = [program, "evaluate", model, place / "test.csv", "--target=-1", "--json"]
        found = json.loads(subprocess.run(judge, check=True, capture_output=True).stdout)
    said = [line for line in made.stderr.splitlines() if "hard to believe" in line]
    return found["rmse"], found["extended"]["total_coverage"], found["extended"]["nll"], said[0] if said else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--effort", default="normal")
    given = parser.parse_args()
    rows = np.loadtxt(given.folder / "data.txt")
    lines = {name: (given.folder / f"{name}_index.txt").read_text().splitlines() for name in ("train", "test")}
    found = {"clean": [], "slips": []}
    print(f"{'split':6} {'rows':6} {'RMSE':>7} {'coverage':>9} {'NLL':>7}")
    for split in range(given.splits):
        train, test = (rows[np.array(lines[name][split].split(), float).astype(int)] for name in ("train", "test"))
        wrong = train.copy()
        slips = np.random.default_rng(split).choice(len(train), round(SHARE * len(train)), replace=False)
        wrong[slips, -1] *= FACTOR
        for name, table in (("clean", train), ("slips", wrong)):
            *numbers, said = scores(given.program, table, test, given.effort, split)
            found[name].append(numbers)
            print(f"{split:<6} {name:6} {numbers[0]:7.3f} {numbers[1]:9.4f} {numbers[2]:7.3f}  {said}", flush=True)
    clean, slipped = (np.mean(found[name], axis=0) for name in ("clean", "slips"))
    print(f"RMSE {clean[0]:.3f} becomes {slipped[0]:.3f} ({100 * (slipped[0] / clean[0] - 1):+.1f} %), ", end="")
    print(f"coverage {clean[1]:.4f} becomes {slipped[1]:.4f}, NLL {clean[2]:.3f} becomes {slipped[2]:.3f}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""How much faster two ranks are than one, each with one thread: mpirun -n 1 and -n 2 on the same fit, in turn.

Usage: ranks.py [PROGRAM] [--rows N] [--members L] [--epochs E] [--repeat R]. Prints the median of each and their ratio, and fails
unless both write the same bytes.
"""

import argparse
import hashlib
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


def write_table(path, rows):
    source = random.Random(1)
    with open(path, "w", encoding="utf-8") as table:
        table.write("a,b,c,d,e,f,g,h,y\n")
        for _ in range(rows):
            inputs = [source.gauss(0, 1) for _ in range(8)]
            table.write(",".join(f"{value:.6f}" for value in [*inputs, inputs[0] * inputs[1] + source.gauss(0, 0.1)]) + "\n")


def fit(options, folder, ranks):
    """Seconds, and the SHA-256 of the model."""
    model = folder / f"model-{ranks}"
    start = time.monotonic()
    subprocess.run([*MPIRUN, "-n", str(ranks), options.program, "fit", folder / "train.csv", "--target", "y", "--recipe", "paper",
                    "--members", str(options.members), "--epochs", str(options.epochs), "--hidden", "128,64,32", "--threads", "1",
                    "--progress", "none", "-o", model], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return time.monotonic() - start, hashlib.sha256(model.read_bytes()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", default="build/release/credens", type=Path)
    for name, value in {"rows": 20000, "members": 8, "epochs": 80, "repeat": 3}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    options.program = options.program.resolve()
    seconds = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as place:
        write_table(Path(place) / "train.csv", options.rows)
        models = set()
        for _ in range(options.repeat):
            for ranks, times in seconds.items():
                taken, model = fit(options, Path(place), ranks)
                times.append(taken)
                models.add(model)
    assert len(models) == 1, "the ranks wrote other bytes"
    medians = {ranks: statistics.median(times) for ranks, times in seconds.items()}
    print(f"1 rank {medians[1]:.2f} s, 2 ranks {medians[2]:.2f} s: {medians[1] / medians[2]:.2f} times as fast; medians of {options.repeat}")


if __name__ == "__main__":
    main()

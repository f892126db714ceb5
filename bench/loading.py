# SPDX-License-Identifier: Apache-2.0
"""How the time to load a model grows with its members, with tensors that no model has, and with decisions: 1,000 to 100,000 of them.

Usage: loading.py [PROGRAM] [--repeat R] [--largest N]. Prints processor seconds (the least of R runs, without those of a model with one
such part) and the exponent of the straight line through their logarithms; fails where one is above 1.1.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path[:0] = [str(TESTS / "attack"), str(TESTS / "golden")]
import many  # noqa: E402

COUNTS = [1_000, 3_000, 10_000, 30_000, 100_000]
MOST_EXPONENT = 1.1


def small_model(program, folder):
    (folder / "t.csv").write_text("a,b,y\n" + "".join(f"{i % 7},{i % 5},{i % 7 + 2 * (i % 5)}\n" for i in range(40)), encoding="ascii")
    subprocess.run([program, "fit", "t.csv", "--target", "y", "--recipe", "paper", "--members", "1", "--hidden", "4", "--epochs", "1", "-o", "m"],
                   cwd=folder, check=True, capture_output=True)  # fmt: skip
    return (folder / "m").read_bytes()


def seconds(program, file, status, repeat):
    """The least of some runs."""
    found = []
    for _ in range(repeat):
        process = subprocess.Popen([program, "inspect", file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        if process.returncode != status:
            sys.exit(f"{file}: status {process.returncode}, expected {status}")
        found.append(usage.ru_utime + usage.ru_stime)
    return min(found)


def slope(xs, ys):
    """Of the least squares line."""
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", default="build/release/credens", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--largest", type=int, default=COUNTS[-1])
    options = parser.parse_args()
    program = options.program.resolve()
    counts = [count for count in COUNTS if count <= options.largest]
    worst = 0
    with tempfile.TemporaryDirectory() as place:
        model = small_model(program, Path(place))
        file = Path(place) / "many"
        for what, (make, status) in many.KINDS.items():
            taken = {}
            for count in (1, *counts):
                file.write_bytes(make(model, count).content())
                taken[count] = seconds(program, file, status, options.repeat)
            times = [max(taken[count] - taken[1], 1e-4) for count in counts]
            exponent = slope([math.log(count) for count in counts], [math.log(time) for time in times])
            worst = max(worst, exponent)
            print(f"{what:<16}" + "".join(f"{count:>9,}: {time:.3f} s" for count, time in zip(counts, times)) + f"  exponent {exponent:.2f}")
    return 0 if worst <= MOST_EXPONENT else 1


if __name__ == "__main__":
    sys.exit(main())

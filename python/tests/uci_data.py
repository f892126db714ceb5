# SPDX-License-Identifier: Apache-2.0
"""Writes a small folder of data in the layout of the UCI benchmark: three sets of 40 rows with splits and gap splits, and airfoil.

Usage: uci_data.py FOLDER
"""

import math
import sys
from pathlib import Path

ROWS = 40


def row(i, inputs):
    x = [(i * (37 + 2 * j)) % 101 / 101 for j in range(inputs)]
    return x + [3 * x[0] + 0.1 * math.sin(i * i)]


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def put_index(folder, splits):
    """Split K holds back rows K, K + splits, ...."""
    for name, is_held in (("train", False), ("test", True)):
        lines = [" ".join(str(i) for i in range(ROWS) if (i % splits == k) == is_held) for k in range(splits)]
        put(folder / f"{name}_index.txt", "\n".join(lines) + "\n")


def main(folder):
    for name, gap, inputs in (("yacht", "yacht", 6), ("bostonHousing", "boston", 13), ("power-plant", "power", 4)):
        lines = [" " + " \t".join(f"{value:.5f}" for value in row(i, inputs)) + " \n" for i in range(ROWS)]
        put(folder / "uci-benchmark" / name / "data.txt", "".join(lines))
        put_index(folder / "uci-benchmark" / name, 4)
        put_index(folder / "uci-gap" / gap, 2)
    lines = ["frequency,angle,length,velocity,thickness,target"] + [",".join(map(str, row(i, 5))) for i in range(ROWS)]
    put(folder / "airfoil" / "airfoil.csv", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

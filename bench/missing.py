#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cells missing at random: Credens beside CatBoost on concrete and power-plant (docs/accuracy.md).

    python3 bench/missing.py build/release/credens DATA --json missing.json [--splits concrete=5,power-plant=2]
    python3 bench/missing.py --json missing.json                                # shows what the file has

DATA has the folder uci-benchmark (see python/credens/reproduce/uci.py), whose standard splits are used. In each split 5, 20
or 50 % of the input cells are deleted, in training and test rows alike. beside_catboost.py says what CatBoost gets. A run
that was stopped goes on with the results in the file.

Needs numpy, pandas, scipy and catboost.
"""

import argparse
from pathlib import Path

import numpy as np

from beside_catboost import Record, compare, markdown
from expected import benchmark

PERCENT_MISSING = (5, 20, 50)
TARGET = "y"


def with_missing(rows, percent, split):
    """A table of the rows, the last column its target, in which every input cell is missing with the same probability."""
    import pandas

    cells = np.array(rows)
    inputs = cells[:, :-1]
    inputs[np.random.default_rng([split, percent]).random(inputs.shape) < percent / 100] = np.nan
    return pandas.DataFrame(cells, columns=[*(f"x{j}" for j in range(inputs.shape[1])), TARGET])


def counts_of_splits(text):
    return {name: int(count) for name, count in (one.split("=") for one in text.split(","))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="credens; without it nothing is computed")
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--splits", type=counts_of_splits, default="concrete=5,power-plant=2")
    parser.add_argument("--json", type=Path, help="file of results, which is completed")
    arguments = parser.parse_args()
    record = Record(arguments.json)
    for name, count in arguments.splits.items() if arguments.program else []:
        rows, splits = benchmark(arguments.data / "uci-benchmark" / name)
        for percent in PERCENT_MISSING:
            case = f"{name}, {percent} % missing"
            for split, parts in enumerate(splits[:count]):
                compare(record, case, split, arguments.program, with_missing(rows, percent, split), TARGET, *parts)
            print(markdown({case: record.results[case]}, "table").splitlines()[2], flush=True)
    print(markdown(record.results, "table"))


if __name__ == "__main__":
    main()

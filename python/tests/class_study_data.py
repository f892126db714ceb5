# SPDX-License-Identifier: Apache-2.0
"""A small table of classes for the tests of the benchmark."""

import numpy as np
import pytest

from credens.reproduce.class_tables import ClassRows, ClassTable

pandas = pytest.importorskip("pandas")

SMALL = {"members": 3, "epochs": 20, "hidden": (8,)}


def mixed_table(rows=90, seed=1):
    """Numbers, words, dates and missing cells, and three classes that the number and the word tell."""
    random = np.random.default_rng(seed)
    size = random.normal(size=rows)
    colour = random.choice(["red", "green", "blue"], rows)
    labels = np.array(["ash", "elm", "oak"], dtype=object)[np.where(colour == "red", 2, (size > 0).astype(int))]
    weight = np.where(random.uniform(size=rows) < 0.2, np.nan, random.normal(size=rows))
    day = [f"2024-0{1 + k % 9}-11" for k in range(rows)]
    where = np.array([None if k % 7 == 0 else f"place {k % 3}" for k in range(rows)], dtype=object)
    columns = {"size": size, "colour": colour, "weight": weight, "day": day, "where": where, "old": random.uniform(size=rows) < 0.5}
    return pandas.DataFrame(columns), labels


def rows_of(rows=90, name="trees", **parts):
    return ClassRows(ClassTable(name, "test", "", "tree", **parts), *mixed_table(rows))

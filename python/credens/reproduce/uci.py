# SPDX-License-Identifier: Apache-2.0
"""The UCI regression benchmark: public data sets with splits that everybody uses. Every split is one fit.

In a folder of data: `uci-benchmark/SET/data.txt` (also compressed) with `train_index.txt` and `test_index.txt`, whose
line K holds the 0-based rows of split K; the same two files in `uci-gap/SET` for the gap splits, in which the middle
third of one input is held out; and `airfoil/airfoil.csv`, which is split at random.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from .. import _core
from .._dataset import Dataset
from .._errors import DataError, UsageError
from .._scores import score
from ..datasets._known import PACKED_ENDINGS, data_folders, read_bytes, suggestion
from .results import CLASSICAL, EXTENDED, Key, Measurement
from .runs import Context, Options, Run, fit, training_effort, words_of

STANDARD = "standard"
GAP = "gap"
RANDOM_TEST_FRACTION = 0.2
METRICS = ("rmse", "nll", "nll_gaussian", "crps", "total_coverage", "epistemic_coverage")


@dataclass(frozen=True)
class UciSet:
    name: str
    file: str
    """Below a folder of data."""
    inputs: int
    """The first columns; the target is the next one."""
    gap_folder: str = ""
    """With gap splits; empty: there are none."""
    random_splits: int = 0
    """> 0: so many random ones, with a fifth held out and a standardised target."""


UCI_SETS = (
    UciSet("yacht", "uci-benchmark/yacht/data.txt", 6, "uci-gap/yacht"),
    UciSet("bostonHousing", "uci-benchmark/bostonHousing/data.txt", 13, "uci-gap/boston"),
    UciSet("concrete", "uci-benchmark/concrete/data.txt", 8, "uci-gap/concrete"),
    UciSet("airfoil", "airfoil/airfoil.csv", 5, random_splits=5),
    UciSet("power-plant", "uci-benchmark/power-plant/data.txt", 4, "uci-gap/power"),
    UciSet("naval", "uci-benchmark/naval-propulsion-plant/data.txt", 16, "uci-gap/naval"),
)
"""From the smallest to the largest."""


def uci_set(name: str) -> UciSet:
    for known in UCI_SETS:
        if known.name == name:
            return known
    names = [known.name for known in UCI_SETS]
    raise UsageError(f'there is no benchmark set "{name}", expected some of {", ".join(names)}{suggestion(name, names)}')


# ---- rows and splits ----


class Split(NamedTuple):
    """Rows of a table."""

    train: list[int]
    test: list[int]


class UciRows:
    """A set with its splits."""

    def __init__(self, known: UciSet, data: Dataset, standard: Sequence[Split], gap: Sequence[Split]):
        self.known = known
        self._data = data
        self._splits = {STANDARD: standard, GAP: gap}

    def splits(self, series: str) -> int:
        """Random ones are not listed."""
        return self.known.random_splits if series == STANDARD and self.known.random_splits else len(self._splits[series])

    def parts(self, series: str, split: int) -> tuple[Dataset, Dataset]:
        """(train, test). A standardised target has mean 0 and standard deviation 1 in the training part."""
        if not self.known.random_splits:
            rows = self._splits[series][split]
            return self._data.select(rows.train), self._data.select(rows.test)
        train, test = self._data.split(RANDOM_TEST_FRACTION, split)
        shift, scale = _core.standardising_scale(train.targets)
        standardised = [Dataset(part.inputs, (part.targets - shift) / scale) for part in (train, test)]
        return standardised[0], standardised[1]


def find_uci_rows(known: UciSet, explicit: str | None) -> UciRows | None:
    """From the first folder of data that has the set; None where none has. Gap splits may be absent."""
    for folder in data_folders(explicit):
        file = _find_file(folder / known.file)
        if file is None:
            continue
        data = _read_rows(known, file)
        standard = [] if known.random_splits else _read_splits(file.parent, len(data))
        has_gap = bool(known.gap_folder) and (folder / known.gap_folder).is_dir()
        return UciRows(known, data, standard, _read_splits(folder / known.gap_folder, len(data)) if has_gap else [])
    return None


def _find_file(path: Path) -> Optional[Path]:
    files = [path.with_name(path.name + ending) for ending in PACKED_ENDINGS]
    return next((file for file in files if file.exists()), None)


def _read_rows(known: UciSet, file: Path) -> Dataset:
    inputs = list(range(known.inputs))
    if known.random_splits:
        return Dataset.from_csv(file, known.inputs, inputs=inputs)
    return Dataset.from_csv(file, known.inputs, inputs=inputs, header=False, delimiter=" ")


def _read_index(file: Path, rows: int) -> list[list[int]]:
    """The rows that each line names, all below `rows`."""
    lines: list[list[int]] = []
    for line in read_bytes(file).decode("utf-8", "replace").split("\n"):
        if not line.strip():
            continue
        for word in line.split():
            if not (word.isascii() and word.isdigit() and int(word) < rows):
                raise DataError(
                    f'{file}:{len(lines) + 1}: "{word}" is no row, expected a whole number from 0 to {rows - 1}'
                )
        lines.append([int(word) for word in line.split()])
    return lines


def _read_splits(folder: Path, rows: int) -> list[Split]:
    train, test = (_read_index(folder / f"{part}_index.txt", rows) for part in ("train", "test"))
    if len(train) != len(test):
        raise DataError(
            f"{folder}: {len(train)} splits in train_index.txt and {len(test)} in test_index.txt, expected as many in both"
        )
    splits = [Split(*parts) for parts in zip(train, test)]
    for number, split in enumerate(splits):
        found, counts = np.unique([*split.train, *split.test], return_counts=True)
        if len(counts) and counts.max() > 1:
            row = found[counts.argmax()]
            raise DataError(f"{folder}: split {number} has row {row} twice, expected every row once at most")
    return splits


# ---- runs ----


def _work(rows: UciRows, key: Key, split: int, options: Options, context: Context) -> list[Measurement]:
    train, test = rows.parts(key.series, split)
    start = time.perf_counter()
    wide = fit(train, options, context)
    seconds = time.perf_counter() - start
    extended = wide.predict(test.inputs, threads=context.threads)
    scores = {CLASSICAL: score(extended.classical(), test.targets), EXTENDED: score(extended, test.targets)}
    found = {(method, metric): values[metric] for method, values in scores.items() for metric in METRICS}
    found[EXTENDED, "nll_gain"] = scores[CLASSICAL].nll - scores[EXTENDED].nll
    found[EXTENDED, "members"] = float(wide.members)
    found[EXTENDED, "seconds"] = seconds
    return [Measurement(replace(key, method=method, metric=metric), value) for (method, metric), value in found.items()]


def _uci_run(rows: UciRows, key: Key, split: int, options: Options) -> Run:
    train, test = rows.parts(key.series, split)
    inputs, outputs = train.inputs.shape[1], train.targets.shape[1]
    return Run(
        name=f"uci-{key.series}-{key.data}-{split}",
        settings=f"uci {key.series}, {key.data}, split {split}, training rows {train.fingerprint}, "
        f"test rows {test.fingerprint}; {words_of(options, len(train), inputs, outputs)}",
        effort=training_effort(options, len(train), inputs),
        work=lambda context: _work(rows, key, split, options, context),
    )


def uci_runs(rows: UciRows, series: str, splits: range, options: Options) -> list[Run]:
    """Each trains on the training part of its split and measures METRICS, classical and extended.

    Of the extended ensemble also `nll_gain`, how much lower its NLL is than the classical one's, `members` (those that
    were kept) and `seconds` (of training and widening). Numbers of members differ, so that of the keys is left at 0.
    """
    wanted = range(splits.start, min(splits.stop, rows.splits(series)))
    if not wanted:
        return []
    key = Key(series=series, data=rows.known.name, rows=len(rows.parts(series, 0)[0]))
    return [_uci_run(rows, key, split, options) for split in wanted]

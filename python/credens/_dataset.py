# SPDX-License-Identifier: Apache-2.0
"""Rows of inputs and targets, with the names of their columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, _files, _tables
from ._arguments import flag_or_none, items, row_numbers
from ._errors import DataError, UsageError, reading
from ._roles import (
    Column,
    Columns,
    Labels,
    Task,
    check_kinds,
    class_roles,
    class_texts,
    inputs_table,
    kinds_of,
    labels_of,
    names_columns,
    part_of,
    roles_of,
    target_names_of,
    targets_table,
)


class Dataset:
    """Rows of inputs and targets, in double; none is infinite, and NaN is a missing value. It never changes.

    Parameters
    ----------
    inputs : array or table [N, d]
        Also a pandas, polars or Arrow table, whose column names are kept, and whose columns may hold words or dates.
    targets : array, column or table [N] or [N, q]
        Rows with a missing target are left out of training. Words and flags (bool) are classes.
    weights : array [N], optional
        Values >= 0: what each row counts. A row of weight 2 counts as the row twice.
    noise_std : array [N] or [N, q], optional
        Values > 0: the known standard deviation of each row's noise.
    group : array [N] of numbers or texts, optional
        Rows of one group (a sample, a patient, a day) are held out together. Weights, group and time may also be the
        name of a column of `inputs`, which then is no input.
    time : array [N] of numbers, dates or texts such as "2024-05-17", optional
        Rows are held out in blocks of time.
    task : "auto", "regression" or "classification"
        "auto" takes words and flags for classes and numbers for numbers: labels that are numbers need "classification".
    classes : sequence of labels, optional
        The classes in their order, also those that no row has; else those of the rows, sorted.
    counts : array or table [N, C], optional
        In place of targets: how often each row had each class. Names of the columns, or `classes`, name the classes.
    input_names, target_names : sequences of str, optional
        Where the arrays have no names of their own. Targets without names are `y`, or `y0`, `y1`, ...
    categories, numbers, dates : columns, optional
        Inputs that are words, numbers or dates, whatever they look like: names or 0-based indices.
    strict : bool
        Takes finite numbers only: words, dates and missing values are refused.

    Examples
    --------
    >>> import credens, numpy as np
    >>> data = credens.Dataset(np.arange(6.0).reshape(3, 2), [1, 2, 4], input_names=["a", "b"])
    >>> data
    Dataset(rows=3, inputs=['a', 'b'], targets=['y'])
    >>> train, test = data.split(test_fraction=0.3, seed=1)
    >>> len(train), len(test)
    (2, 1)
    """

    __slots__ = ("_core",)
    _core: _core.Dataset

    def __init__(
        self,
        inputs: Any,
        targets: Any = None,
        *,
        weights: Any = None,
        noise_std: Any = None,
        group: Any = None,
        time: Any = None,
        task: Task = "auto",
        classes: Labels = (),
        counts: Any = None,
        input_names: Sequence[str] | None = None,
        target_names: Sequence[str] | None = None,
        categories: Columns = (),
        numbers: Columns = (),
        dates: Columns = (),
        strict: bool = False,
    ):
        named = {"weights": weights, "group": group, "time": time}
        inputs, columns = _tables.take_columns(inputs, {what: name for what, name in named.items() if isinstance(name, str)})
        weights, group, time = (columns.get(what, part) for what, part in named.items())
        x = inputs_table(inputs, input_names)
        y = targets_table(targets, counts)
        noise, noise_names = (None, []) if noise_std is None else part_of(noise_std, "noise_std")
        if len(noise if noise is not None else range(x.rows)) != x.rows:
            raise DataError(f"noise_std has {len(noise)} values, expected one for each of the {x.rows} rows")
        check_kinds(x, numbers=numbers, categories=categories, dates=dates)
        q = y.columns
        names = target_names_of(target_names, y.names, classes, counts is not None)
        # The arrays are taken for one table, in this order: a file with these columns gives the same model.
        single = sum(part is not None for part in (weights, group, time))
        columns = x.columns + q + single + (0 if noise is None else noise.shape[1])
        self._core = _core.Dataset.from_parts(
            x,
            y,
            _tables.word(task, "task"),
            [] if counts is not None else class_texts(classes),
            counts is not None,
            (
                None if weights is None else _tables.vector(weights, "weights"),
                noise if noise is None or noise.shape[1] != 1 else np.repeat(noise, q, axis=1),
                None if group is None else _tables.labels(group, "group"),
                None if time is None else _tables.times(time, "time"),
            ),
            (names, _tables.series_name(weights), noise_names, _tables.series_name(group), _tables.series_name(time)),
            y.units if target_names is None and names == y.names else [],
            columns,
            kinds_of(numbers, categories, dates, strict),
        )

    @classmethod
    def from_table(
        cls,
        table: Any,
        targets: Columns = (),
        *,
        inputs: Columns = (),
        ignore: Columns = (),
        weight: Column | None = None,
        noise_std: Columns = (),
        group: Column | None = None,
        time: Column | None = None,
        task: Task = "auto",
        classes: Labels = (),
        counts: Columns = (),
        categories: Columns = (),
        numbers: Columns = (),
        dates: Columns = (),
        strict: bool = False,
    ) -> Dataset:
        """From one table with columns in several roles; a column is a name or a 0-based index, negative from the end.

        The table is an array, a table of pandas, polars or Arrow, or the path of a file.

        Columns without another role are inputs, unless `inputs` says which are or `ignore` which are not. `counts` names
        a column for each class, in place of targets.

        >>> import credens, numpy as np
        >>> credens.Dataset.from_table(np.arange(6.0).reshape(2, 3), targets=-1)
        Dataset(rows=2, inputs=2, targets=['y'])
        """
        if _files.is_path(table) and not _files.is_foreign(table):
            parts = {"weight": weight, "noise_std": noise_std, "group": group, "time": time}
            parts |= {"task": task, "classes": classes, "counts": counts}
            kinds = {"categories": categories, "numbers": numbers, "dates": dates, "strict": strict}
            return cls._read(table, False, targets, inputs=inputs, ignore=ignore, **parts, **kinds)
        if _tables.is_table(table):
            table = _tables.table(table, "table")
        else:
            table = _tables.array_table(_tables.matrix(table, "table", True), [], "table")
        roles = roles_of(targets, inputs, ignore, weight, noise_std, group, time)
        kinds = kinds_of(numbers, categories, dates, strict)
        return cls._of(_core.Dataset.from_table(table, roles, class_roles(task, classes, counts), kinds, []))

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], targets: Columns = (), **options: Any) -> Dataset:
        """From delimited text, also `.gz`, `.xz` and `.zst`. The options are those of `from_file`."""
        return cls._read(path, True, targets, **options)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], targets: Columns = (), **options: Any) -> Dataset:
        """From delimited text, an `.npy` file with one row per line or, with pyarrow, polars or pandas, from Parquet,
        Feather, Excel and OpenDocument files.

        Options are those of `from_table`; `missing`, texts that stand for a missing value beside the usual ones; and,
        where they are not to be recognised from the text, `header` (True or False), `delimiter` (',', ';', '\\t' or
        ' '), `decimal` ('.' or ',') and `unit_line` (whether the line below the names holds units).
        """
        return cls._read(path, False, targets, **options)

    @classmethod
    def _read(
        cls,
        path: str | os.PathLike[str],
        is_text: bool,
        targets: Columns,
        *,
        inputs: Columns = (),
        ignore: Columns = (),
        weight: Column | None = None,
        noise_std: Columns = (),
        group: Column | None = None,
        time: Column | None = None,
        task: Task = "auto",
        classes: Labels = (),
        counts: Columns = (),
        categories: Columns = (),
        numbers: Columns = (),
        dates: Columns = (),
        strict: bool = False,
        missing: str | Sequence[str] = (),
        header: bool | None = None,
        delimiter: str = "",
        decimal: str = "",
        unit_line: bool | None = None,
    ) -> Dataset:
        if len(_tables.word(delimiter, "delimiter")) > 1 or delimiter not in ",;\t ":
            raise UsageError(f"delimiter is {delimiter!r}, expected ',', ';', '\\t' or ' '")
        if _tables.word(decimal, "decimal") not in ("", ".", ","):
            raise UsageError(f"decimal is {decimal!r}, expected '.' or ','")
        roles = roles_of(targets, inputs, ignore, weight, noise_std, group, time), class_roles(task, classes, counts)
        kinds = kinds_of(numbers, categories, dates, strict)
        texts = [_tables.word(text, "missing") for text in ([missing] if isinstance(missing, str) else items(missing, "missing", "a text or a list of texts"))]
        if _files.is_foreign(path) and not is_text:
            if header is not None or delimiter or decimal or unit_line is not None:
                raise UsageError(f"{path} is no text, but header, delimiter, decimal or unit_line is given")
            return cls._of(_core.Dataset.from_table(_tables.table(path, "table"), *roles, kinds, texts))
        form = (flag_or_none(header, "header"), delimiter, decimal, flag_or_none(unit_line, "unit_line"))
        if not is_text:
            _files.warn(_files.name_warnings(path))
        with reading(path):
            core, sentences = _core.Dataset.from_file(_tables.path(path), bool(is_text), *roles, kinds, texts, *form)
        _files.warn(sentences)
        return cls._of(core)

    @classmethod
    def _of(cls, core: _core.Dataset) -> Dataset:
        made = cls.__new__(cls)
        made._core = core
        return made

    @property
    def inputs(self) -> np.ndarray:
        """[N, d], read-only."""
        return self._core.inputs

    @property
    def targets(self) -> np.ndarray:
        """[N, q], read-only. Of a classification the shares of the classes [N, C] where counts were given, else [N, 1]:
        numbers, or codes of words; `labels` has these as they were given."""
        return self._core.targets

    @property
    def task(self) -> str:
        """`regression` or `classification`."""
        return self._core.task

    @property
    def classes(self) -> list[Any]:
        """Of a classification, in their order: words, or numbers where the labels are numbers. Empty for a regression."""
        return labels_of(self._core)

    @property
    def labels(self) -> np.ndarray | None:
        """[N]: the class of each row, None where it is missing. None for a regression and for counts."""
        core = self._core
        if core.task != "classification" or core.targets.shape[1] != 1:
            return None
        targets = core.targets[:, 0]
        if core.has_number_classes:
            return np.array(targets)
        words = np.array([*core.target_levels, None], dtype=object)
        found = words[np.where(np.isnan(targets), len(words) - 1, targets).astype(int)]
        return found if np.isnan(targets).any() else found.astype(str)

    @property
    def weights(self) -> np.ndarray | None:
        """[N], or None where every row counts once."""
        return self._core.weights

    @property
    def noise_std(self) -> np.ndarray | None:
        """[N, q], or None where no noise is known."""
        return self._core.noise_std

    @property
    def group(self) -> np.ndarray | None:
        """[N] numbers, equal for rows that are held out together, or None."""
        return self._core.groups

    @property
    def time(self) -> np.ndarray | None:
        """[N], or None."""
        return self._core.times

    @property
    def input_names(self) -> list[str]:
        """Empty where the inputs have no names."""
        return self._core.input_names

    @property
    def target_names(self) -> list[str]:
        return self._core.target_names

    @property
    def input_units(self) -> list[str]:
        """One for each input, '' where it has none; empty where no input has a unit."""
        return self._core.input_units

    @property
    def target_units(self) -> list[str]:
        """One for each target, '' where it has none; empty where no target has a unit."""
        return self._core.target_units

    @property
    def input_kinds(self) -> list[str]:
        """`number`, `category` or `date` for each input; a category's values are indices of `input_levels`."""
        return self._core.input_kinds

    @property
    def input_levels(self) -> list[list[str]]:
        """The words of each input, empty where it holds none."""
        return self._core.input_levels

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits over names and values: equal for files and arrays with equal content."""
        return self._core.fingerprint()

    def select(self, rows: Any) -> Dataset:
        """These rows, in this order: indices, or one bool per row."""
        return Dataset._of(self._core.select(row_numbers(rows, len(self))))

    def split(self, test_fraction: float = 0.1, seed: int = 0) -> tuple[Dataset, Dataset]:
        """(rest, test), rows in their old order."""
        rest, test = self._core.split(_tables.number(test_fraction, "test_fraction"), _tables.whole(seed, "seed"))
        return Dataset._of(rest), Dataset._of(test)

    def __len__(self) -> int:
        return self._core.rows

    def __repr__(self) -> str:
        inputs = self.input_names or self.inputs.shape[1]
        task = ", task='classification'" if self.task == "classification" else ""
        return f"Dataset(rows={len(self)}, inputs={inputs}, targets={self.target_names}{task})"

    def __reduce__(self):
        core = self._core
        parts = (core.weights, core.noise_std, core.groups, core.times)
        arrays = tuple(None if part is None else np.array(part) for part in parts)
        names = (core.target_names, core.weight_name, core.noise_names, core.group_name, core.time_name)
        units = (core.input_units, core.target_units)
        places = (core.input_columns, core.target_columns, core.table_columns)
        kinds = (core.input_kinds, core.input_levels, core.wanted_inputs, core.input_zones)
        classes = (core.task, core.given_classes, core.target_levels)
        inputs, targets = np.array(core.inputs), np.array(core.targets)
        rest = (*units, *places, kinds, core.allows_missing, core.missing, classes)
        return _restore, (inputs, core.input_names, targets, arrays, names, *rest)


def dataset_of(data: Any, targets: Any = None, **parts: Any) -> Dataset:
    """The Dataset that arguments of `fit` and others describe: a dataset; inputs and targets; or a table and its targets' names."""
    if isinstance(data, Dataset):
        given = ["targets"] * (targets is not None) + [name for name, part in parts.items() if _is_given(part)]
        if given:
            raise UsageError(f"{given[0]} is given beside a Dataset, expected it inside")
        return data
    counts = parts.get("counts")
    if targets is None and not _is_given(counts):
        raise UsageError("targets is missing: give a Dataset, or inputs and targets")
    if names_columns(counts if targets is None else targets) and _tables.is_table(data):
        return _named(data, targets, **parts)
    if isinstance(targets, (int, np.integer)) and not isinstance(targets, bool):
        return _named(data, targets, **parts)
    return Dataset(data, targets, **parts)


def _is_given(part: Any) -> bool:
    is_default = isinstance(part, (tuple, str)) and part in ((), "auto")
    return part is not None and part is not False and not is_default


KINDS = ("categories", "numbers", "dates", "strict")
CLASS_PARTS = ("task", "classes", "counts")


def _named(table: Any, targets: Any, weights: Any = None, noise_std: Any = None, group: Any = None, time: Any = None, **names: Any) -> Dataset:
    kinds = {name: names.pop(name) for name in (*KINDS, *CLASS_PARTS) if name in names and names[name] is not None}
    names = {name: value for name, value in names.items() if name not in CLASS_PARTS}
    for name, value in (("weights", weights), ("noise_std", noise_std), ("group", group), ("time", time)):
        if value is not None and not names_columns(value):
            raise UsageError(f"{name} is no name of a column, but targets are names: give all of them as names or as arrays")
    for name, value in names.items():
        if value is not None:
            raise UsageError(f"{name} is given, but the table has names of its own")
    noise = () if noise_std is None else noise_std
    return Dataset.from_table(table, () if targets is None else targets, weight=weights, noise_std=noise, group=group, time=time, **kinds)


def _restore(*parts: Any) -> Dataset:
    return Dataset._of(_core.Dataset.from_arrays(*parts))

# SPDX-License-Identifier: Apache-2.0
"""Rows of inputs and targets, with the names of their columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from . import _core, _files, _tables
from ._errors import DataError, UsageError, reading

Column = Union[str, int]
Columns = Union[Column, Sequence[Column]]


class Dataset:
    """Rows of inputs and targets, in double; none is infinite, and NaN is a missing value. It never changes.

    Parameters
    ----------
    inputs : array or table [N, d]
        Also a pandas, polars or Arrow table, whose column names are kept, and whose columns may hold words or dates.
    targets : array, column or table [N] or [N, q]
        Rows with a missing target are left out of training.
    weights : array [N], optional
        Values >= 0: what each row counts. A row of weight 2 counts as the row twice.
    noise_std : array [N] or [N, q], optional
        Values > 0: the known standard deviation of each row's noise.
    group : array [N] of numbers or texts, optional
        Rows of one group (a sample, a patient, a day) are held out together.
    time : array [N] of numbers, optional
        Rows are held out in blocks of time.
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
        targets: Any,
        *,
        weights: Any = None,
        noise_std: Any = None,
        group: Any = None,
        time: Any = None,
        input_names: Sequence[str] | None = None,
        target_names: Sequence[str] | None = None,
        categories: Columns = (),
        numbers: Columns = (),
        dates: Columns = (),
        strict: bool = False,
    ):
        x = _inputs(inputs, input_names)
        y, found_targets, target_units = _part(targets, "targets")
        noise, noise_names, _ = (None, [], []) if noise_std is None else _part(noise_std, "noise_std")
        q = y.shape[1]
        # The arrays are taken for one table, in this order: a file with these columns gives the same model.
        single = sum(part is not None for part in (weights, group, time))
        columns = x.columns + q + single + (0 if noise is None else noise.shape[1])
        self._core = _core.Dataset.from_parts(
            x,
            y,
            None if weights is None else _tables.vector(weights, "weights"),
            noise if noise is None or noise.shape[1] != 1 else np.repeat(noise, q, axis=1),
            _names(target_names, found_targets, "target_names"),
            target_units if target_names is None else [],
            _tables.series_name(weights),
            noise_names,
            columns,
            _kinds(numbers, categories, dates, strict),
            None if group is None else _tables.labels(group, "group"),
            None if time is None else _tables.vector(time, "time"),
            _tables.series_name(group),
            _tables.series_name(time),
        )

    @classmethod
    def from_table(
        cls,
        table: Any,
        targets: Columns,
        *,
        inputs: Columns = (),
        ignore: Columns = (),
        weight: Column | None = None,
        noise_std: Columns = (),
        group: Column | None = None,
        time: Column | None = None,
        categories: Columns = (),
        numbers: Columns = (),
        dates: Columns = (),
        strict: bool = False,
    ) -> Dataset:
        """From one table with columns in several roles; a column is a name or a 0-based index, negative from the end.

        The table is an array, a table of pandas, polars or Arrow, or the path of a file.

        Columns without another role are inputs, unless `inputs` says which are or `ignore` which are not.

        >>> import credens, numpy as np
        >>> credens.Dataset.from_table(np.arange(6.0).reshape(2, 3), targets=-1)
        Dataset(rows=2, inputs=2, targets=['y'])
        """
        if _files.is_path(table) and not _files.is_foreign(table):
            parts = {"weight": weight, "noise_std": noise_std, "group": group, "time": time}
            kinds = {"categories": categories, "numbers": numbers, "dates": dates, "strict": strict}
            return cls._read(table, False, targets, inputs=inputs, ignore=ignore, **parts, **kinds)
        if _tables.is_table(table):
            table = _tables.table(table, "table")
        else:
            table = _tables.array_table(_tables.matrix(table, "table", True), [], "table")
        roles = _roles(targets, inputs, ignore, weight, noise_std, group, time)
        return cls._of(_core.Dataset.from_table(table, roles, _kinds(numbers, categories, dates, strict), []))

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], targets: Columns, **options: Any) -> Dataset:
        """From delimited text, also `.gz`, `.xz` and `.zst`. The options are those of `from_file`."""
        return cls._read(path, True, targets, **options)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], targets: Columns, **options: Any) -> Dataset:
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
        if len(delimiter) > 1 or delimiter not in ",;\t ":
            raise UsageError(f"delimiter is {delimiter!r}, expected ',', ';', '\\t' or ' '")
        if decimal not in ("", ".", ","):
            raise UsageError(f"decimal is {decimal!r}, expected '.' or ','")
        roles = _roles(targets, inputs, ignore, weight, noise_std, group, time)
        kinds = _kinds(numbers, categories, dates, strict)
        texts = [_tables.word(text, "missing") for text in ([missing] if isinstance(missing, str) else missing)]
        if _files.is_foreign(path) and not is_text:
            if header is not None or delimiter or decimal or unit_line is not None:
                raise UsageError(f"{path} is no text, but header, delimiter, decimal or unit_line is given")
            return cls._of(_core.Dataset.from_table(_tables.table(path, "table"), roles, kinds, texts))
        form = (header, delimiter, decimal, unit_line)
        with reading(path):
            core, sentences = _core.Dataset.from_file(os.fspath(path), is_text, roles, kinds, texts, *form)
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
        """[N, q], read-only."""
        return self._core.targets

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
        chosen = np.arange(len(self))[np.asarray(rows)]
        return Dataset._of(self._core.select(chosen.ravel().tolist()))

    def split(self, test_fraction: float = 0.1, seed: int = 0) -> tuple[Dataset, Dataset]:
        """(rest, test), rows in their old order."""
        rest, test = self._core.split(_tables.number(test_fraction, "test_fraction"), _tables.whole(seed, "seed"))
        return Dataset._of(rest), Dataset._of(test)

    def __len__(self) -> int:
        return self._core.rows

    def __repr__(self) -> str:
        inputs = self.input_names or self.inputs.shape[1]
        return f"Dataset(rows={len(self)}, inputs={inputs}, targets={self.target_names})"

    def __reduce__(self):
        core = self._core
        arrays = [None if part is None else np.array(part) for part in (core.inputs, core.targets, core.weights, core.noise_std)]
        names = (core.input_names, core.target_names, core.input_units, core.target_units, core.weight_name, core.noise_names)
        places = (core.input_columns, core.target_columns, core.table_columns)
        kinds = (core.input_kinds, core.input_levels, core.allows_missing, core.missing)
        labels = [None if part is None else np.array(part) for part in (core.groups, core.times)]
        return _restore, (*arrays, *names, *places, *kinds, *labels, core.group_name, core.time_name)


def dataset_of(data: Any, targets: Any = None, **parts: Any) -> Dataset:
    """The Dataset that arguments of `fit` and others describe: a dataset; inputs and targets; or a table and its targets' names."""
    if isinstance(data, Dataset):
        given = ["targets"] * (targets is not None) + [name for name, part in parts.items() if _is_given(part)]
        if given:
            raise UsageError(f"{given[0]} is given beside a Dataset, expected it inside")
        return data
    if targets is None:
        raise UsageError("targets is missing: give a Dataset, or inputs and targets")
    if _names_columns(targets) and _tables.is_table(data):
        return _named(data, targets, **parts)
    return Dataset(data, targets, **parts)


def _is_given(part: Any) -> bool:
    return part is not None and part is not False and not (isinstance(part, tuple) and not part)


KINDS = ("categories", "numbers", "dates", "strict")


def _named(table: Any, targets: Any, weights: Any = None, noise_std: Any = None, group: Any = None, time: Any = None, **names: Any) -> Dataset:
    kinds = {name: names.pop(name) for name in KINDS if name in names}
    for name, value in (("weights", weights), ("noise_std", noise_std), ("group", group), ("time", time)):
        if value is not None and not _names_columns(value):
            raise UsageError(f"{name} is no name of a column, but targets are names: give all of them as names or as arrays")
    for name, value in names.items():
        if value is not None:
            raise UsageError(f"{name} is given, but the table has names of its own")
    noise = () if noise_std is None else noise_std
    return Dataset.from_table(table, targets, weight=weights, noise_std=noise, group=group, time=time, **kinds)


def _restore(*parts: Any) -> Dataset:
    return Dataset._of(_core.Dataset.from_arrays(*parts))


def _names_columns(targets: Any) -> bool:
    return isinstance(targets, str) or (
        isinstance(targets, (list, tuple)) and len(targets) > 0 and all(isinstance(name, str) for name in targets)
    )


def _inputs(values: Any, names: Sequence[str] | None) -> _core.Table:
    """A table whose columns are the inputs."""
    if _tables.is_table(values):
        table = _tables.table(values, "inputs")
    else:
        name = _tables.series_name(values)
        table = _tables.array_table(_tables.matrix(values, "inputs", True), [name] if name else [], "inputs")
    if names is not None:
        table.rename(_names(names, [], "input_names"))
    return table


def _part(values: Any, what: str) -> tuple[np.ndarray, list[str], list[str]]:
    """Numbers, names and units."""
    if _tables.is_table(values):
        table = _tables.table(values, what)
        return table.matrix(), table.names, table.units
    array, name = _tables.matrix(values, what, may_miss=what == "targets"), _tables.series_name(values)
    if not name or array.shape[1] != 1:
        return array, [name] if name else [], []
    column = _tables.array_table(array, [name], what)
    return array, column.names, column.units


def _names(given: Sequence[str] | None, found: list[str], what: str) -> list[str]:
    if given is None:
        return found
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise DataError(f"{what} is {given!r}, expected a list of names")
    return list(given)


def _roles(
    targets: Columns,
    inputs: Columns,
    ignore: Columns,
    weight: Column | None,
    noise_std: Columns,
    group: Column | None,
    time: Column | None,
) -> Any:
    parts = _columns(targets), _columns(inputs), _columns(ignore), _column(weight), _columns(noise_std)
    return *parts, _column(group), _column(time)


def _kinds(numbers: Columns, categories: Columns, dates: Columns, strict: bool) -> Any:
    return _columns(numbers), _columns(categories), _columns(dates), bool(strict)


def _column(column: Column | None) -> str:
    return "" if column is None else str(column)


def _columns(columns: Columns | None) -> list[str]:
    if columns is None:
        return []
    if isinstance(columns, (str, int, np.integer)):
        return [str(columns)]
    return [str(column) for column in columns]

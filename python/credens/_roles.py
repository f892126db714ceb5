# SPDX-License-Identifier: Apache-2.0
"""The arguments of `Dataset` as the C++ library takes them: tables, and columns by their role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Union

import numpy as np

from . import _core, _tables
from ._arguments import is_whole, items
from ._errors import ArgumentTypeError, DataError, UsageError, shown

Column = Union[str, int]
Columns = Union[Column, Sequence[Column]]
Task = Literal["auto", "regression", "classification"]
Labels = Sequence[Any]


def names_columns(targets: Any) -> bool:
    return isinstance(targets, str) or (
        isinstance(targets, (list, tuple)) and len(targets) > 0 and all(isinstance(name, str) for name in targets)
    )


def inputs_table(values: Any, names: Sequence[str] | None) -> _core.Table:
    """A table whose columns are the inputs."""
    if _tables.is_table(values):
        table = _tables.table(values, "inputs")
    else:
        name = _tables.series_name(values)
        table = _tables.array_table(_tables.matrix(values, "inputs", True), [name] if name else [], "inputs")
    if names is not None:
        names = _names(names, [], "input_names")
        if len(names) != table.columns:
            raise DataError(f"input_names has {len(names)} name{'s' * (len(names) != 1)} for {table.columns} inputs")
        table.rename(names)
    return table


def targets_table(targets: Any, counts: Any) -> _core.Table:
    """A table whose columns are the targets, or counts of the classes."""
    if (targets is None) == (counts is None):
        raise UsageError("targets is missing" if targets is None else "targets and counts are given, expected one of the two")
    values, what = (targets, "targets") if counts is None else (counts, "counts")
    if _tables.is_table(values):
        return _tables.table(values, what)
    name = _tables.series_name(values)
    if counts is None and _tables.holds_labels(values):
        return _tables.label_table(values, [name] if name else [], what)
    array = _tables.matrix(values, what, may_miss=True)
    return _tables.array_table(array, [name] if name and array.shape[1] == 1 else [], what)


def part_of(values: Any, what: str) -> tuple[np.ndarray, list[str]]:
    """Numbers and names."""
    if _tables.is_table(values):
        table = _tables.table(values, what)
        return table.matrix(), table.names
    array, name = _tables.matrix(values, what), _tables.series_name(values)
    return array, [name] if name else []


def check_target_names(train: Any, targets: Any, target_names: Sequence[str] | None) -> None:
    """Refuses a target that is an input too: a column that was left in the table it came from."""
    twins = [name for name in train.target_names if name in train.input_names]
    is_default = train.target_names in (["y"], [f"y{k}" for k in range(len(train.target_names))])
    has_name = target_names is not None or _tables.is_table(targets) or _tables.series_name(targets) != ""
    columns = [(train.inputs[:, train.input_names.index(name)], train.targets[:, train.target_names.index(name)]) for name in twins]
    twins = [name for name, (x, y) in zip(twins, columns) if np.array_equal(x, y, equal_nan=True)]
    if twins and (has_name or not is_default):
        raise UsageError(f"the target {twins[0]!r} is a column of the inputs too: give its name in place of its values, or leave the column out")


def target_names_of(given: Sequence[str] | None, found: list[str], classes: Labels, are_counts: bool) -> list[str]:
    if not are_counts:
        return _names(given, found, "target_names")
    if given is not None:
        raise UsageError("target_names is given beside counts, whose columns are named by classes")
    return class_texts(classes) or found


def class_texts(classes: Labels) -> list[str]:
    if isinstance(classes, (str, bytes)) or not hasattr(classes, "__iter__") or getattr(classes, "ndim", 1) == 0:
        raise UsageError(f"classes is {shown(classes)}, expected a list of labels")
    return [_tables.label_text(label) for label in classes]


def class_roles(task: Task, classes: Labels, counts: Columns) -> Any:
    return _tables.word(task, "task"), class_texts(classes), _columns(counts, "counts")


def labels_of(core: _core.Dataset | _core.Ensemble) -> list[Any]:
    """The classes as labels: numbers where the labels are, whole ones as int."""
    if not core.has_number_classes:
        return core.classes
    numbers = [float(text) for text in core.classes]
    return [int(number) for number in numbers] if all(number.is_integer() for number in numbers) else numbers


def _names(given: Sequence[str] | None, found: list[str], what: str) -> list[str]:
    if given is None:
        return found
    if isinstance(given, str) or not hasattr(given, "__iter__") or getattr(given, "ndim", 1) == 0 or not all(isinstance(name, str) for name in given):
        raise DataError(f"{what} is {shown(given)}, expected a list of names")
    return list(given)


def roles_of(
    targets: Columns,
    inputs: Columns,
    ignore: Columns,
    weight: Column | None,
    noise_std: Columns,
    group: Column | None,
    time: Column | None,
) -> Any:
    parts = _columns(targets, "targets"), _columns(inputs, "inputs"), _columns(ignore, "ignore")
    parts = *parts, _column(weight, "weight"), _columns(noise_std, "noise_std")
    return *parts, _column(group, "group"), _column(time, "time")


def kinds_of(numbers: Columns, categories: Columns, dates: Columns, strict: bool) -> Any:
    return _columns(numbers, "numbers"), _columns(categories, "categories"), _columns(dates, "dates"), _tables.flag(strict, "strict")


def check_kinds(table: _core.Table, **kinds: Columns) -> None:
    """Refuses columns that are no inputs, naming the argument that has them."""
    for what, columns in kinds.items():
        for name in _columns(columns, what):
            is_index = name.removeprefix("-").isdigit()
            if name in table.names or (is_index and -table.columns <= int(name) < table.columns):
                continue
            expected = ", ".join(table.names) if table.names else f"an index below {table.columns}"
            raise DataError(f'{what}: inputs has no column "{name}", expected {expected}')


def _column(column: Column | None, what: str) -> str:
    if column is None:
        return ""
    if not isinstance(column, str) and not is_whole(column):
        raise ArgumentTypeError(f"{what} is {shown(column)}, expected the name or index of a column")
    return str(column)


def _columns(columns: Columns | None, what: str) -> list[str]:
    if columns is None:
        return []
    if isinstance(columns, (str, int, np.integer)):
        return [str(columns)]
    return [_column(column, what) for column in items(columns, what, "names or indices of columns")]

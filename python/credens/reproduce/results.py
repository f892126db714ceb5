# SPDX-License-Identifier: Apache-2.0
"""What studies find: single measurements, their means and spreads, and the files that hold them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from .._errors import DataError

CLASSICAL = "classical"
EXTENDED = "extended"


@dataclass(frozen=True)
class Key:
    """What was measured where; two measurements with equal keys are repetitions of each other."""

    series: str = ""
    """Empty: the experiment has one only."""
    data: str = ""
    rows: int = 0
    """For training."""
    members: int = 0
    method: str = ""
    """CLASSICAL or EXTENDED."""
    metric: str = ""


@dataclass(frozen=True)
class Measurement:
    key: Key
    value: float


@dataclass(frozen=True)
class Result:
    experiment: str
    """The word of the command."""
    key: Key
    mean: float = 0.0
    std: float = math.nan
    """Sample standard deviation; NaN for a single value."""
    count: int = 0
    paper: float | None = None
    """The published value."""
    least: float = 0.0
    """Of the values."""
    largest: float = 0.0

    @property
    def standard_error(self) -> float:
        return self.std / math.sqrt(self.count)


KEY_TYPES: dict[str, type] = {"series": str, "data": str, "rows": int, "members": int, "method": str, "metric": str}
RESULT_KEYS = ("experiment", *KEY_TYPES, "mean", "std", "standard_error", "least", "largest", "count", "paper")
assert list(KEY_TYPES) == [field.name for field in fields(Key)]


def summarise(experiment: str, runs: Iterable[Sequence[Measurement]]) -> list[Result]:
    """One result per key, in the order in which keys first appear; published values are left open."""
    values: dict[Key, list[float]] = {}
    for run in runs:
        for measurement in run:
            values.setdefault(measurement.key, []).append(measurement.value)
    return [_summary(experiment, key, found) for key, found in values.items()]


def _summary(experiment: str, key: Key, values: list[float]) -> Result:
    count = len(values)
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) * (value - mean) for value in values) / count
    return Result(
        experiment,
        key,
        mean=mean,
        std=math.sqrt(variance * count / (count - 1)) if count > 1 else math.nan,
        count=count,
        least=min(values),
        largest=max(values),
    )


def find_result(results: Iterable[Result], experiment: str, key: Key) -> Result | None:
    return next((result for result in results if result.experiment == experiment and result.key == key), None)


# ---- files ----


def finite_or_none(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def document_text(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _document(result: Result) -> dict[str, Any]:
    numbers = {name: getattr(result, name) for name in ("mean", "std", "standard_error", "least", "largest")}
    return {
        "experiment": result.experiment,
        **asdict(result.key),
        "series": result.key.series or None,
        **{name: finite_or_none(value) for name, value in numbers.items()},
        "count": result.count,
        "paper": finite_or_none(result.paper),
    }


def results_json(results: Iterable[Result]) -> str:
    """A list with one object per result; a number that is not finite is null."""
    return document_text([_document(result) for result in results])


def results_csv(results: Iterable[Result]) -> str:
    """A table with the keys of results_json; what is null there is an empty cell. No text here holds a comma."""
    lines = [",".join(RESULT_KEYS)]
    lines += [",".join(_cell(value) for value in _document(result).values()) for result in results]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        text = repr(value)
        return text[:-2] if text.endswith(".0") else text
    return "" if value is None else str(value)


def key_of(document: dict[str, Any]) -> Key:
    """Raises DataError where a value has another type than that of a key."""
    values = {name: document[name] for name in KEY_TYPES}
    for name, value in values.items():
        if type(value) is not KEY_TYPES[name]:
            raise DataError(f"{name} is {value!r}")
    return Key(**values)


def number_of(value: Any) -> float:
    """NaN for null."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DataError(f"{value!r} is no number")
    return float(value)


def parse_results(text: str) -> list[Result]:
    """What results_json wrote; other text raises DataError."""
    try:
        documents = json.loads(text)
    except ValueError:
        raise DataError("no JSON") from None
    if not isinstance(documents, list):
        raise DataError("no list of results")
    return [_parse_result(document) for document in documents]


def _parse_result(document: Any) -> Result:
    if not isinstance(document, dict) or set(document) != set(RESULT_KEYS):
        raise DataError("no result")
    if not isinstance(document["experiment"], str) or type(document["count"]) is not int:
        raise DataError("no result")
    return Result(
        document["experiment"],
        key_of({**document, "series": document["series"] or ""}),
        mean=number_of(document["mean"]),
        std=number_of(document["std"]),
        count=document["count"],
        paper=finite_or_none(number_of(document["paper"])),
        least=number_of(document["least"]),
        largest=number_of(document["largest"]),
    )


def merge_results(kept: Sequence[Result], found: Sequence[Result], experiments: Iterable[str]) -> list[Result]:
    """`found`, and those of `kept` with another experiment, series or data, in the order of `experiments`."""
    anew = {(result.experiment, result.key.series, result.key.data) for result in found}
    old = [result for result in kept if (result.experiment, result.key.series, result.key.data) not in anew]
    return [result for name in experiments for result in (*old, *found) if result.experiment == name]


def fill_members(results: Sequence[Result]) -> list[Result]:
    """Gives each result of the benchmark the mean number of members of its set, rounded, in place of 0."""
    members = {
        (result.key.series, result.key.data): math.floor(result.mean + 0.5)
        for result in results
        if result.experiment == "uci" and result.key.metric == "members" and result.key.members == 0
    }
    filled = []
    for result in results:
        count = members.get((result.key.series, result.key.data)) if result.experiment == "uci" else None
        filled.append(result if count is None else replace(result, key=replace(result.key, members=count)))
    return filled

# SPDX-License-Identifier: Apache-2.0
"""A study as a list of runs: each is one repetition of one setting, and is kept in a small file when it is done.

A study that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import _core
from .._dataset import Dataset
from .._ensemble import Ensemble
from .._errors import CredensError, DataError
from .._fit import option_text
from .._progress import Progress
from .results import KEY_TYPES, Measurement, document_text, finite_or_none, key_of, number_of

Options = Mapping[str, Any]
"""Keywords of `credens.fit` that determine a result."""


def _ignore(*_: Any) -> None:
    pass


@dataclass(frozen=True)
class Context:
    """What does not change a result."""

    threads: int = 0
    on_progress: Callable[[Progress], object] = _ignore
    on_warning: Callable[[str], object] = _ignore


def _texts(options: Options) -> list[tuple[str, str]]:
    return [(name, option_text(name, value)) for name, value in options.items()]


def fit(train: Dataset, options: Options, context: Context) -> Ensemble:
    """Trained and widened."""
    given = [*_texts(options), ("threads", str(context.threads))]
    report = lambda *numbers: context.on_progress(Progress(*numbers))  # noqa: E731
    return Ensemble(_core.fit(train._core, given, None, report, context.on_warning))


def planned(options: Options, rows: int = 0, inputs: int = 0, outputs: int = 0, classes: int = 0) -> dict[str, str]:
    """Every option that determines a fit, also those that the recipe decides. The paper's needs no size of the data."""
    return dict(_core.planned_options(_texts(options), rows, inputs, outputs, classes))


def words_of(options: Options, rows: int = 0, inputs: int = 0, outputs: int = 0, classes: int = 0) -> str:
    """'recipe paper, members 10, ...'"""
    return ", ".join(f"{name} {value}" for name, value in planned(options, rows, inputs, outputs, classes).items())


def training_effort(options: Options, rows: int, inputs: int) -> float:
    """Multiplications of one step forward, over all rows, epochs and members."""
    plan = planned(options, rows, inputs, 1)
    first = plan["hidden"].split("/")[0]
    widths = [inputs] + ([] if first == "none" else [int(width) for width in first.split(",")])
    weights = sum(before * after for before, after in zip(widths, widths[1:]))
    return float(weights * rows * int(plan["epochs"]) * int(plan["members"]))


@dataclass(frozen=True)
class Run:
    name: str
    """Of its file, without extension."""
    settings: str
    """All that determines the result, in words; a file with other words is not used."""
    work: Callable[[Context], list[Measurement]]
    effort: float = 1.0
    """In any unit: how long it takes compared with others."""


@dataclass
class _Meter:
    """How far all runs are, by their effort."""

    runs: int
    total: float
    kept: float
    runs_done: int
    done: float = field(init=False)
    start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.done = self.kept

    def add(self, effort: float) -> None:
        self.done += effort
        self.runs_done += 1

    def at(self, effort_of_current: float) -> Progress:
        elapsed = time.monotonic() - self.start
        reached = self.done + effort_of_current
        worked = reached - self.kept
        return Progress(
            members_done=self.runs_done,
            members=self.runs,
            fraction=min(1.0, reached / self.total) if self.total > 0 else 1.0,
            seconds_elapsed=elapsed,
            seconds_left=elapsed * max(0.0, self.total - reached) / worked if worked > 0 else 0.0,
        )


def perform(runs: Sequence[Run], folder: Path, context: Context) -> list[list[Measurement]]:
    """The measurements of each run.

    A file of `folder` that holds the run with the same settings, made by the same version of Credens, stands for it;
    what is absent, damaged or other is worked out and written. Progress is over all runs, which it calls members.
    KeyboardInterrupt leaves the runs that are done in their files.
    """
    _core.make_folder(folder)
    found = [_load(run, folder) for run in runs]
    kept = [run.effort for run, measurements in zip(runs, found) if measurements is not None]
    meter = _Meter(len(runs), sum(run.effort for run in runs), sum(kept), len(kept))
    results = []
    for run, measurements in zip(runs, found):
        if measurements is None:
            measurements = _work_out(run, context, meter)
            _save(run, measurements, folder)
        results.append(measurements)
    return results


def _work_out(run: Run, context: Context, meter: _Meter) -> list[Measurement]:
    report = lambda progress: context.on_progress(meter.at(progress.fraction * run.effort))  # noqa: E731
    measurements = run.work(Context(context.threads, report, context.on_warning))
    meter.add(run.effort)
    return measurements


def finished(runs: Sequence[Run], folder: Path) -> list[Run]:
    """Those that `perform` would find in its folder."""
    return [run for run in runs if _load(run, folder) is not None]


def _file_of(run: Run, folder: Path) -> Path:
    return folder / f"{run.name}.json"


def _save(run: Run, measurements: Sequence[Measurement], folder: Path) -> None:
    found = [{**asdict(one.key), "value": finite_or_none(one.value)} for one in measurements]
    document = {"version": _core.version(), "settings": run.settings, "measurements": found}
    _core.write_file(_file_of(run, folder), document_text(document).encode())


def _load(run: Run, folder: Path) -> list[Measurement] | None:
    """None where there is no such run: its file can be made again, so what is wrong with it does not matter."""
    file = _file_of(run, folder)
    try:
        return _parse(file.read_text(encoding="utf-8"), run) if file.exists() else None
    except (CredensError, ValueError, TypeError):
        return None


def _parse(text: str, run: Run) -> list[Measurement]:
    document = json.loads(text)
    if not isinstance(document, dict) or set(document) != {"version", "settings", "measurements"}:
        raise DataError("no run")
    if document["version"] != _core.version() or document["settings"] != run.settings:
        raise DataError("made with other settings")
    measurements = []
    for one in document["measurements"]:
        if not isinstance(one, dict) or set(one) != {*KEY_TYPES, "value"}:
            raise DataError("no measurement")
        measurements.append(Measurement(key_of(one), number_of(one["value"])))
    return measurements

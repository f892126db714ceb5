# SPDX-License-Identifier: Apache-2.0
"""Windows in turn, so that what the machine does meanwhile hits all contenders alike; best and median; ratios."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from contenders import Absent, Contender, Window
from plan import Entry, Group, Ratio


@dataclass
class Result:
    """Speeds in work per second; `absent` says why there are none."""

    speeds: list[float] = field(default_factory=list)
    check: float = 0.0
    absent: str = ""

    @property
    def best(self) -> float:
        return max(self.speeds)

    @property
    def median(self) -> float:
        return median(self.speeds)


Results = dict[str, dict[str, Result]]  # by group and entry
Ask = Callable[[Entry], Window]


def measure_group(group: Group, ask: Ask, windows: int) -> dict[str, Result]:
    """One window each to warm up, then round-robin, each round beginning one contender later."""
    results = {entry.name: Result() for entry in group.entries}
    for number in range(-1, windows):
        present = [entry for entry in group.entries if not results[entry.name].absent]
        turn = max(number, 0) % max(len(present), 1)
        for entry in present[turn:] + present[:turn]:
            note(results[entry.name], entry, ask, is_warm=number >= 0)
    return results


def note(result: Result, entry: Entry, ask: Ask, is_warm: bool) -> None:
    try:
        window = ask(entry)
    except Absent as why:
        result.absent = str(why)
        return
    result.check = window.check
    if is_warm:
        result.speeds.append(window.speed)


def asker(contenders: Mapping[str, Contender], seconds: float) -> Ask:
    return lambda entry: contenders[entry.contender].ask(entry.task, entry.request, seconds)


@dataclass(frozen=True)
class Value:
    """A ratio of best speeds, and of medians."""

    best: float
    median: float


def value_of(ratio: Ratio, results: Results) -> Value | None:
    """None where one side is absent. Of several opponents the fastest counts."""
    group = results.get(ratio.group, {})
    over = group.get(ratio.over)
    unders = [group[name] for name in ratio.under if name in group and group[name].speeds and not group[name].absent]
    if over is None or over.absent or not over.speeds or not unders:
        return None
    best = ratio.factor * over.best / max(under.best for under in unders)
    middle = ratio.factor * over.median / max(under.median for under in unders)
    return Value(best, middle)


def values_of(ratios: list[Ratio], results: Results) -> dict[str, Value]:
    values = {ratio.key: value_of(ratio, results) for ratio in ratios}
    return {key: value for key, value in values.items() if value is not None}


def disagreeing_losses(results: Results, tolerance: float = 0.5) -> list[str]:
    """Contenders of a training group whose final loss is far from ours: they would not have done the same work.

    On QSAR's shape the losses of twelve seeds spread by 0.6, with torch as with us, around means 0.03 apart.
    """
    found = []
    for name, group in results.items():
        ours = group.get("credens")
        if not name.startswith("train/") or ours is None or not ours.speeds:
            continue
        for entry, result in group.items():
            if entry.startswith("peak") or entry.endswith("classes"):  # classes have a loss of their own
                continue
            if result.speeds and abs(result.check - ours.check) > tolerance:
                found.append(f"{name}: {entry} ends with the loss {result.check:.3f}, credens with {ours.check:.3f}")
    return found

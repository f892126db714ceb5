# SPDX-License-Identifier: Apache-2.0
"""The last recorded ratios, and what has become worse since: ratios of one run, so that another machine or a busy one matters less."""

import json
from pathlib import Path

from measure import Results, Value
from plan import SMALL_FIT_KEY, Ratio

# Best of nine windows repeats to a few per cent; tiny batches and single rows vary more.
TOLERANCE = 0.10
TOLERANCE_OF_SMALL_STEPS = 0.20
SMALL_STEPS = ("yacht", "/1/", "widen/qsar")


def tolerance_of(key: str) -> float:
    return TOLERANCE_OF_SMALL_STEPS if any(word in key for word in SMALL_STEPS) else TOLERANCE


def costs(ratios: list[Ratio]) -> set[str]:
    return {ratio.key for ratio in ratios if ratio.smaller_is_better}


def is_worse(now: float, recorded: float, tolerance: float, smaller_is_better: bool) -> bool:
    return now > recorded * (1 + tolerance) if smaller_is_better else now < recorded * (1 - tolerance)


def regressions(now: dict[str, Value], recorded: dict[str, float], smaller_is_better: set[str]) -> list[str]:
    """A sentence for each ratio that has become worse by more than its tolerance."""
    found = []
    for key, old in recorded.items():
        tolerance = tolerance_of(key)
        if key in now and is_worse(now[key].best, old, tolerance, key in smaller_is_better):
            found.append(f"{key}: {now[key].best:.3g}, recorded {old:.3g}, tolerance {tolerance:.0%}")
    return found


def other_machine(now: dict[str, object], recorded: dict[str, object]) -> str:
    """A sentence where ratios may differ because the machines do; empty where these are alike."""
    other = [f"{name} {now[name]}, recorded {recorded[name]}" for name in ("vectors", "cores") if now[name] != recorded.get(name, now[name])]
    return f"this is another kind of machine ({'; '.join(other)}): ratios may differ for that alone" if other else ""


def read_record(path: Path) -> dict[str, dict]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SystemExit(f"{path} is absent: nothing was recorded yet; --record does") from None


def read_ratios(path: Path) -> dict[str, float]:
    return read_record(path)["ratios"]


def recorded_ratios(values: dict[str, Value]) -> dict[str, float]:
    """Seconds are no ratio: they are shown, not compared."""
    return {key: float(f"{value.best:.4g}") for key, value in values.items() if key != SMALL_FIT_KEY}


def own_speeds(results: Results) -> dict[str, dict[str, float]]:
    """Of the product and of the FMA peak: what bench/simulate.py reckons with."""
    ours = ("credens", "peak", "pass", "widen")
    groups = ("train/", "widen/", "csv")
    return {f"{group}: {name}": {"best": float(f"{result.best:.4g}"), "median": float(f"{result.median:.4g}")}
            for group, entries in results.items() if group.startswith(groups)
            for name, result in entries.items() if name.startswith(ours) and result.speeds}  # fmt: skip


def write_record(path: Path, machine: dict[str, object], values: dict[str, Value], results: Results | None = None) -> None:
    """What this run could not measure stays as it was."""
    old = read_record(path) if path.exists() else {"ratios": {}, "speeds": {}}
    record = {"machine": machine, "ratios": {**old["ratios"], **recorded_ratios(values)},
              "speeds": {**old["speeds"], **own_speeds(results or {})}}  # fmt: skip
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

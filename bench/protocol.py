# SPDX-License-Identifier: Apache-2.0
"""The contender's side of the protocol of request.hpp, for peers written in Python."""

import sys
from collections.abc import Callable

Request = dict[str, str]
Window = tuple[float, float, float]
Unit = Callable[[], Window]


def parse(line: str) -> Request:
    task, *words = line.split()
    return {"task": task, **dict(word.split("=", 1) for word in words)}


def run_window(unit: Unit, least_seconds: float) -> Window:
    """Whole units until the window is long enough, after half a window that does not count; see request.hpp."""
    warm = 0.0
    while warm < least_seconds / 2:
        one = unit()
        if one[0] >= least_seconds:
            return one
        warm += one[0]
    seconds, work, check = 0.0, 0.0, 0.0
    while seconds == 0 or seconds < least_seconds:
        one = unit()
        seconds, work, check = seconds + one[0], work + one[1], one[2]
    return seconds, work, check


def serve(prepare: Callable[[Request], Unit]) -> None:
    units: dict[str, Unit] = {}
    for line in sys.stdin:
        if line.strip() == "clear":
            units.clear()
            continue
        try:
            request = parse(line)
            if line not in units:
                units[line] = prepare(request)
            print(*(f"{number:.9g}" for number in run_window(units[line], float(request["seconds"]))), flush=True)
        except Exception as error:  # whatever a peer cannot do is said, not died of
            words = " ".join(str(error).split())[:200]
            print(f"absent: {type(error).__name__}: {words}", flush=True)

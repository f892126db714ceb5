# SPDX-License-Identifier: Apache-2.0
"""Tables for people: speeds, ratios, what was required; and the part of a document between two markers."""

import os
from pathlib import Path

from measure import Result, Results, Value
from plan import Requirement


def machine() -> dict[str, object]:
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    vectors = "AVX-512" if " avx512f" in flags else "AVX2" if " avx2" in flags else "SSE"
    return {"processor": model, "vectors": vectors, "cores": os.cpu_count()}


def table(header: list[str], rows: list[list[str]]) -> str:
    """In Markdown, columns aligned for the eye; numbers to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        padded = [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = "|" + "|".join("-" * (width + 2) if i == 0 else "-" * (width + 1) + ":" for i, width in enumerate(widths)) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def speed_row(group: str, name: str, result: Result) -> list[str]:
    if result.absent or not result.speeds:
        return [f"{group}: {name}", f"absent: {result.absent}", ""]
    return [f"{group}: {name}", short(result.best), short(result.median)]


def speed_table(results: Results) -> str:
    rows = [speed_row(group, name, result) for group, entries in results.items() for name, result in entries.items()]
    return table(["speed, work per second", "best", "median"], rows)


def ratio_table(values: dict[str, Value]) -> str:
    rows = [[key, short(value.best), short(value.median)] for key, value in values.items()]
    return table(["ratio", "of bests", "of medians"], rows)


def required_row(requirement: Requirement, values: dict[str, Value]) -> list[str]:
    bound = ("at most " if requirement.at_most else "at least ") + short(requirement.must)
    value = values.get(requirement.key)
    if value is None:
        return [requirement.text, bound, "not measured", "-"]
    return [requirement.text, bound, short(value.best), "yes" if requirement.is_met(value.best) else "NO"]


def required_table(requirements: list[Requirement], values: dict[str, Value]) -> str:
    return table(["requirement", "required", "measured", "met"], [required_row(one, values) for one in requirements])


def replace_between(text: str, name: str, content: str) -> str:
    """Replaces what stands between the lines `<!-- name -->` and `<!-- end of name -->`."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    if begin not in text or end not in text:
        raise SystemExit(f"the document has no markers {begin.strip()} and {end}")
    head, rest = text.split(begin, 1)
    return head + begin + "\n" + content.strip("\n") + "\n\n" + end + rest.split(end, 1)[1]


def update_document(path: Path, name: str, content: str) -> None:
    path.write_text(replace_between(path.read_text(encoding="utf-8"), name, content), encoding="utf-8")

# SPDX-License-Identifier: Apache-2.0
"""The shape of checkouts side by side, and what they cost: a Markdown table with one column for each.

Usage: house.py [CHECKOUT..] [--times COMMAND..] [--fit OLD NEW] [--repeat N]. Without a checkout, this one. --times clones each checkout
and runs the commands demo, test and ci there, each from a fresh clone and with empty caches of compiler, pip and npm; Debian packages
that are installed already cost nothing. --fit runs two programs in turn on 300 and on 463,715 rows.
"""

import argparse
import json
import os
import re
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/architecture"))

from cpp_shape import shape_of  # noqa: E402

SOURCES = {".hpp", ".h", ".cpp"}
COMMANDS = {"demo": ["./dev", "demo"], "test": ["./dev", "test"], "ci": [".ci/run"]}


# ---- the shape ----


@dataclass
class Layer:
    files: int = 0
    lines: int = 0
    sources: int = 0

    def __str__(self):
        return f"{self.lines:,} in {self.files}"


def layers_of(root):
    """Lines, files and .cpp files of each folder under src/, and of the public headers."""
    found = {}
    for file in sorted([*root.glob("src/*/**/*"), *root.glob("include/credens/*")]):
        if file.suffix in SOURCES:
            name = "include" if root / "include" in file.parents else file.relative_to(root / "src").parts[0]
            layer = found.setdefault(name, Layer())
            layer.files += 1
            layer.lines += len(file.read_text(encoding="utf-8").splitlines())
            layer.sources += file.suffix == ".cpp"
    return found


def shapes_of(root):
    files = [file for folder in ("include", "src") for file in root.glob(f"{folder}/**/*") if file.suffix in SOURCES]
    return [shape_of(file.read_text(encoding="utf-8")) for file in files]


def translation_units(root):
    """How often the compiler runs for the program, as build/release was configured; None where it was not."""
    commands = root / "build/release/compile_commands.json"
    if not commands.is_file():
        return None
    entries = json.loads(commands.read_text(encoding="utf-8"))
    return sum(bool(re.search(r"-o (library/)?src/", entry["command"])) and "credens" in entry["command"] for entry in entries)


def describe(root):
    """Rows of the table: name and text."""
    layers, shapes = layers_of(root), shapes_of(root)
    lengths = sorted(lines for shape in shapes for _, lines in shape.functions)
    inside = [layer for name, layer in layers.items() if name != "include"]
    rows = {"src: lines in files": f"{sum(layer.lines for layer in inside):,} in {sum(layer.files for layer in inside)}"}
    rows |= {f"{name}: lines in files": str(layer) for name, layer in layers.items()}
    rows["types at namespace scope"] = str(sum(len(shape.types) for shape in shapes))
    rows["functions"] = f"{len(lengths):,}"
    tenths = statistics.quantiles(lengths, n=10)
    rows["lines of a function: median, 90th percentile, largest"] = f"{statistics.median(lengths):.0f}, {tenths[8]:.0f}, {lengths[-1]}"
    rows["files to compile in src"] = str(sum(layer.sources for layer in inside))
    units = translation_units(root)
    rows["translation units of the program"] = "not configured" if units is None else str(units)
    return rows


# ---- cold times ----


def cold_time(root, command, place):
    """Seconds from clone to end, and how it ended."""
    clone = place / "credens"
    environment = {**os.environ, "CCACHE_DIR": str(place / "ccache"), "npm_config_cache": str(place / "npm"), "PIP_NO_CACHE_DIR": "1"}
    if (root / "../shared").is_dir():
        (place / "shared").symlink_to((root / "../shared").resolve())
    start = time.monotonic()
    subprocess.run(["git", "clone", "--quiet", root, clone], check=True)
    with open(place / "log", "w", encoding="utf-8") as log:
        status = subprocess.run(command, cwd=clone, env=environment, stdout=log, stderr=subprocess.STDOUT).returncode
    seconds = time.monotonic() - start
    if status != 0:
        print("\n".join((place / "log").read_text(encoding="utf-8", errors="replace").splitlines()[-40:]), file=sys.stderr)
    return seconds, "" if status == 0 else " (FAILED)"


def cold_times(root, names):
    rows = {}
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            seconds, outcome = cold_time(root, COMMANDS[name], Path(place))
        rows[f"{' '.join(COMMANDS[name])}, cold"] = f"{seconds / 60:.1f} min{outcome}"
    return rows


# ---- fits ----


def write_table(path, rows, inputs):
    """At most 20,000 different rows, again and again: a large file has to be read, not to be drawn."""
    source = random.Random(1)
    lines = []
    for _ in range(min(rows, 20000)):
        values = [source.uniform(-1, 1) for _ in range(inputs)]
        target = 8 * values[0] - 6 * values[1] * values[2] + (2 + values[3]) * source.gauss(0, 1)
        lines.append(",".join(f"{value:.5f}" for value in [*values, target]) + "\n")
    with open(path, "w", encoding="utf-8") as table:
        table.write(",".join([*(f"x{column}" for column in range(inputs)), "y"]) + "\n")
        table.writelines(lines[row % len(lines)] for row in range(rows))


@dataclass
class Fit:
    seconds: float
    megabytes: float  # the most memory that was resident


def fit(program, table, options):
    command = [program, "fit", table, "--target", "y", "--progress", "none", "-o", table.with_suffix(".model"), *options]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if status != 0:
        sys.exit(f"{program} fit ended with {os.waitstatus_to_exitcode(status)}")
    return Fit(seconds, usage.ru_maxrss * 1024 / 1e6)


SIZES = (
    # rows, inputs, options
    (300, 8, ["--effort", "quick"]),
    (463715, 90, ["--members", "4", "--epochs", "1", "--hidden", "50"]),
)


def compare_fits(programs, repeat):
    """Rows of a table: the medians of runs in turn."""
    rows = []
    for count, inputs, options in SIZES:
        with tempfile.TemporaryDirectory() as place:
            table = Path(place) / "train.csv"
            write_table(table, count, inputs)
            runs = [[fit(program, table, options) for program in programs] for _ in range(repeat)]
        for name, unit, pattern in (("seconds", "s", "{:.2f}"), ("megabytes", "MB", "{:.0f}")):
            before, after = (statistics.median(getattr(run[i], name) for run in runs) for i in (0, 1))
            what = {"seconds": "time", "megabytes": "peak memory"}[name]
            rows.append([f"fit of {count:,} rows: {what}", *(f"{pattern.format(value)} {unit}" for value in (before, after)), f"{after / before:.3f}"])
    return rows


# ---- output ----


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path)
    parser.add_argument("--times", nargs="+", choices=COMMANDS, default=[])
    parser.add_argument("--fit", nargs=2, type=Path, metavar=("OLD", "NEW"))
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if options.checkouts or not options.fit:
        roots = [root.resolve() for root in options.checkouts] or [ROOT]
        columns = [describe(root) | cold_times(root, options.times) for root in roots]
        names = list(dict.fromkeys(name for column in columns for name in column))
        print_table(["", *map(str, options.checkouts or ["here"])], [[name, *(column.get(name, "none") for column in columns)] for name in names])
    if options.fit:
        print_table(["", "old", "new", "new / old"], compare_fits([program.resolve() for program in options.fit], options.repeat))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Says which share of the lines of src and include the tests ran through, by layer, and which lines of which files they did not.

Usage: report.py BUILD LEAST_PERCENT, after programs of BUILD ran with LLVM_PROFILE_FILE in BUILD/profiles. Exits 1 where it is less.
"""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WORST_FILES = 12


def programs(build):
    return [build / "credens", *sorted(path for path in build.glob("tests/**/test_*") if path.is_file() and not path.suffix)]


def lcov(build):
    """The export of llvm-cov in the format of lcov."""
    profile = build / "tests.profdata"
    subprocess.run(["llvm-profdata-16", "merge", "-sparse", "-o", profile, *build.glob("profiles/*.profraw")], check=True)
    first, *others = programs(build)
    objects = [word for other in others for word in ("-object", other)]
    return subprocess.run(["llvm-cov-16", "export", "-format=lcov", "-instr-profile", profile, first, *objects],
                          stdout=subprocess.PIPE, text=True, check=True).stdout


def lines_by_file(text):
    """{path from the root: {line: how often it was run}} of our own files."""
    files, lines = {}, {}
    for record in text.splitlines():
        if record.startswith("SF:"):
            path = Path(record[3:])
            inside = path.is_relative_to(ROOT / "src") or path.is_relative_to(ROOT / "include")
            lines = files.setdefault(str(path.relative_to(ROOT)), {}) if inside else {}
        elif record.startswith("DA:"):
            line, count = map(int, record[3:].split(",")[:2])
            lines[line] = max(lines.get(line, 0), count)
    return files


def ranges(numbers):
    """[3, 4, 5, 9] as 3-5, 9"""
    runs = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def print_layers(files):
    """The share in total, in percent."""
    layers = defaultdict(lambda: [0, 0])
    for path, lines in files.items():
        layer = "/".join(Path(path).parts[:2])
        for name in (layer, "total"):
            layers[name][0] += sum(count > 0 for count in lines.values())
            layers[name][1] += len(lines)
    for name in [*sorted(layers.keys() - {"total"}), "total"]:
        run, lines = layers[name]
        print(f"{name:<16} {run:>7,} of {lines:>7,} lines {100 * run / lines:>6.1f} %")
    run, lines = layers["total"]
    return 100 * run / lines


def main(arguments):
    build, least = Path(arguments[0]).resolve(), float(arguments[1])
    files = lines_by_file(lcov(build))
    missed = {path: [line for line, count in lines.items() if count == 0] for path, lines in files.items()}
    print("most lines that no test runs through:")
    for path in sorted(missed, key=lambda path: -len(missed[path]))[:WORST_FILES]:
        print(f"  {path}: {ranges(missed[path])}")
    (build / "missed.txt").write_text("".join(f"{path}: {ranges(lines)}\n" for path, lines in sorted(missed.items()) if lines))
    print(f"all of them are in {build / 'missed.txt'}\n")
    share = print_layers(files)
    if share < least:
        print(f"less than {least:g} %")
    return 0 if share >= least else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

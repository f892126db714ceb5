# SPDX-License-Identifier: Apache-2.0
"""Checks the sources against the layers: an include may only point to a lower layer.

Also: public headers use the standard library alone, every source stands in the CMakeLists.txt of its folder, no file is longer
than 400 lines, and each begins with its licence.

Usage: check_architecture.py ROOT. Prints one line per violation and exits 1 if there are any.
"""

import re
import sys
from pathlib import Path

LAYERS = {
    "base": 0,
    "math": 1,
    "data": 2,
    "model": 3,
    "score": 4,
    "store": 4,
    "learn": 5,
    "study": 6,
    "report": 6,
    "mpi": 6,
    "serve": 6,
    "cli": 7,
}

PUBLIC_HEADERS = {
    "choice": "base",
    "error": "base",
    "matrix": "base",
    "version": "base",
    "network": "base",
    "dataset": "data",
    "problems": "data",
    "ensemble": "model",
    "member_outputs": "model",
    "output_rows": "model",
    "predictive": "model",
    "predictor": "model",
    "score": "score",
    "store": "store",
    "onnx": "store",
    "outputs_folder": "store",
    "outputs_widening": "learn",
    "fit": "learn",
    "widen": "learn",
    "credens": "cli",
}

# Headers that one folder alone may see, so that what they bring stays behind a seam.
RESERVED_HEADERS = {"mpi.h": "mpi", "curl/curl.h": "cli"}

LONGEST_FILE = 400
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOURCE_FOLDERS = ("include", "src", "tests", "bench", "examples", "python")
HEADER_SUFFIXES = {".hpp", ".h"}
SOURCE_SUFFIXES = HEADER_SUFFIXES | {".cpp", ".py"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(file):
    """(line number, '<' or '"', what is included) of each include line."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def folder_of_include(name):
    """The folder under src/ that an include belongs to; None for the standard library and other packages."""
    first, _, rest = name.partition("/")
    if first == "credens":
        return PUBLIC_HEADERS.get(rest.removesuffix(".hpp"), "unknown")
    return first if first in LAYERS else None


def folder_of_file(root, file):
    relative = file.relative_to(root)
    if relative.parts[0] == "include":
        return PUBLIC_HEADERS.get(relative.stem, "unknown")
    return relative.parts[1]


def may_include(folder, other):
    return folder == other or LAYERS[other] < LAYERS[folder]


def check_include(folder, name):
    """A sentence, or None when the include is fine."""
    other = folder_of_include(name)
    if name in RESERVED_HEADERS and RESERVED_HEADERS[name] != folder:
        return f"{name} is reserved for src/{RESERVED_HEADERS[name]}"
    if other is None:
        return None
    if other == "unknown":
        return f"{name} has no layer; give it one in PUBLIC_HEADERS"
    if not may_include(folder, other):
        return f"{folder} (layer {LAYERS[folder]}) includes {name} of {other} (layer {LAYERS[other]})"
    return None


def layered_files(root):
    found = [*root.glob("src/*/**/*"), *root.glob("include/credens/*")]
    return sorted(file for file in found if file.suffix in HEADER_SUFFIXES | {".cpp"})


def check_layers(root):
    for file in layered_files(root):
        folder = folder_of_file(root, file)
        if folder not in LAYERS:
            yield f"{file.relative_to(root)}: no layer is known for this place"
            continue
        for line, _, name in includes(file):
            if sentence := check_include(folder, name):
                yield f"{file.relative_to(root)}:{line}: {sentence}"


def check_quoted_includes_exist(root):
    for file in layered_files(root):
        for line, bracket, name in includes(file):
            if bracket == '"' and not (root / "src" / name).is_file():
                yield f'{file.relative_to(root)}:{line}: "{name}" is not a file under src/'


def check_public_headers_are_plain(root):
    """Standard headers have neither a dot nor a slash in their name."""
    for file in sorted(root.glob("include/credens/*.hpp")):
        for line, _, name in includes(file):
            if not name.startswith("credens/") and re.search(r"[./]", name):
                yield f"{file.relative_to(root)}:{line}: a public header includes {name}, expected the standard library or credens/"


def check_sources_are_listed(root):
    """Looks in the nearest CMakeLists.txt at or above each source."""
    for file in sorted([*root.glob("src/**/*.cpp"), *root.glob("tests/unit/**/*.cpp"), *root.glob("tests/property/**/*.cpp")]):
        folder = next((parent for parent in file.parents if (parent / "CMakeLists.txt").is_file()), None)
        if folder is None:
            yield f"{file.relative_to(root)}: no CMakeLists.txt at or above it"
            continue
        listed = re.findall(r"[\w./-]+", (folder / "CMakeLists.txt").read_text(encoding="utf-8"))
        if str(file.relative_to(folder)) not in listed:
            yield f"{file.relative_to(root)}: missing from {(folder / 'CMakeLists.txt').relative_to(root)}"


def source_files(root):
    for folder in SOURCE_FOLDERS:
        yield from sorted(file for file in root.glob(f"{folder}/**/*") if file.suffix in SOURCE_SUFFIXES and file.is_file())


def check_length_and_licence(root):
    for file in source_files(root):
        lines = file.read_text(encoding="utf-8").splitlines()
        if len(lines) > LONGEST_FILE:
            yield f"{file.relative_to(root)}: {len(lines)} lines, expected at most {LONGEST_FILE}"
        if not any(LICENCE in line for line in lines[:2]):
            yield f"{file.relative_to(root)}: does not begin with {LICENCE}"


CHECKS = (
    check_layers,
    check_quoted_includes_exist,
    check_public_headers_are_plain,
    check_sources_are_listed,
    check_length_and_licence,
)


def violations(root):
    return [sentence for check in CHECKS for sentence in check(root)]


def main(arguments):
    root = Path(arguments[0]).resolve()
    if not (root / "src").is_dir():
        sys.exit(f"{root} has no folder src")
    found = violations(root)
    print("\n".join(found) if found else "Every include points down.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

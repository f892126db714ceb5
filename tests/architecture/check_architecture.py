# SPDX-License-Identifier: Apache-2.0
"""Checks the sources against the layers: an include may only point to a lower layer.

Also: public headers use the standard library alone, every source stands in the CMakeLists.txt of its folder, no file is longer
than 400 lines and no function longer than 60, each file begins with its licence, every layer has a README, nothing uses a word
that docs/glossary.md replaces by another, and no comment begins with a word that points to its neighbour.

Usage: check_architecture.py ROOT. Prints one line per violation and exits 1 if there are any.
"""

import re
import sys
from pathlib import Path

from cpp_shape import shape_of

LAYERS = {
    "base": 0,
    "math": 1,
    "data": 2,
    "model": 3,
    "score": 4,
    "store": 4,
    "learn": 5,
    "decide": 6,
    "mpi": 6,
    "report": 7,
    "serve": 7,
    "cli": 8,
}

PUBLIC_HEADERS = {
    "choice": "base",
    "error": "base",
    "matrix": "base",
    "version": "base",
    "network": "base",
    "class_predictive": "model",
    "class_score": "score",
    "budget": "decide",
    "conformity": "decide",
    "explain": "decide",
    "suggest": "decide",
    "uncertain_inputs": "decide",
    "dataset": "data",
    "guarantee": "decide",
    "problems": "data",
    "ensemble": "model",
    "expectation": "model",
    "member_outputs": "model",
    "output_rows": "model",
    "predictive": "model",
    "predictor": "model",
    "promise": "model",
    "score": "score",
    "store": "store",
    "trust": "decide",
    "onnx": "store",
    "outputs_folder": "store",
    "outputs_widening": "learn",
    "fit": "learn",
    "widen": "learn",
    "credens": "cli",
}

# Headers that one folder alone may see, so that what they bring stays behind a seam.
RESERVED_HEADERS = {"mpi.h": "mpi"}

LEANING = re.compile(r"\s*///? (Of|What|The same|Where)\b")
LONGEST_FILE = 400
LONGEST_FUNCTION = 60
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOURCE_FOLDERS = ("include", "src", "tests", "bench", "examples", "python")
HEADER_SUFFIXES = {".hpp", ".h"}
SOURCE_SUFFIXES = HEADER_SUFFIXES | {".cpp", ".py"}
GLOSSARY = Path("docs/glossary.md")
WORDED_FOLDERS = ("include", "src", "python", "docs")
WORDED_SUFFIXES = SOURCE_SUFFIXES | {".md", ".js", ".pyi"}
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


def check_functions(root):
    for file in layered_files(root):
        for line, length in shape_of(file.read_text(encoding="utf-8")).functions:
            if length > LONGEST_FUNCTION:
                yield f"{file.relative_to(root)}:{line}: a function of {length} lines, expected at most {LONGEST_FUNCTION}"


def check_readmes(root):
    for folder in sorted(root.glob("src/*")):
        if folder.is_dir() and any(folder.iterdir()) and not (folder / "README.md").is_file():
            yield f"{folder.relative_to(root)}: no README.md says what this layer is for"


def plain_words(text):
    """Lower case, with a blank at the seams of identifiers: held_out, HeldOut and held-out become held out."""
    return re.sub(r"[_\-]+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)).lower()


def table_cells(line):
    return [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]


def replaced_words(glossary):
    """Which term stands for each word of the glossary's column `not`."""
    terms, head = {}, []
    for line in glossary.read_text(encoding="utf-8").splitlines():
        cells = table_cells(line) if line.lstrip().startswith("|") else []
        if {"term", "not"} <= {cell.lower() for cell in cells}:
            head = [cell.lower() for cell in cells]
        elif len(cells) < len(head) or not cells or not head:
            head = head if cells else []
        else:
            row = dict(zip(head, cells))
            words = (plain_words(word.replace("`", "")).strip() for word in row["not"].split(","))
            terms |= {word: row["term"].replace("`", "") for word in words if word.strip(" :")}
    return terms


def worded_files(root):
    for folder in WORDED_FOLDERS:
        for file in sorted(root.glob(f"{folder}/**/*")):
            place = file.relative_to(root)
            if file.suffix in WORDED_SUFFIXES and place != GLOSSARY and place.parts[:2] != ("docs", "decisions"):
                yield file


def check_words(root):
    terms = replaced_words(root / GLOSSARY) if (root / GLOSSARY).is_file() else {}
    if not terms:
        return
    pattern = re.compile(r"\b(" + "|".join(sorted(map(re.escape, terms), key=len, reverse=True)) + r")\b")
    for file in worded_files(root):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            for word in pattern.findall(plain_words(line)):
                yield f"{file.relative_to(root)}:{number}: '{word}', expected '{terms[word]}' (docs/glossary.md)"


def check_comments(root):
    """The first word of a comment must not lean on a neighbour."""
    for folder in ("include", "src", "python/bindings"):
        for file in sorted(root.glob(f"{folder}/**/*")):
            if file.suffix not in (".cpp", ".hpp", ".h"):
                continue
            before = ""
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                if LEANING.match(line) and (not before.startswith("//") or before == "//"):
                    yield f"{file.relative_to(root)}:{number}: a comment that begins with a riddle, expected one that stands alone"
                before = line.strip()


CHECKS = (
    check_layers,
    check_quoted_includes_exist,
    check_public_headers_are_plain,
    check_sources_are_listed,
    check_length_and_licence,
    check_functions,
    check_readmes,
    check_words,
    check_comments,
)


def violations(root):
    return [sentence for check in CHECKS for sentence in check(root)]


def main(arguments):
    root = Path(arguments[0]).resolve()
    if not (root / "src").is_dir():
        sys.exit(f"{root} has no folder src")
    found = violations(root)
    print("\n".join(found) if found else "The sources are in shape.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

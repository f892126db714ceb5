#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that C++, shell and YAML blocks of the documents stand in examples/, and runs the C++ ones.

usage: check_examples.py SOURCE_FOLDER FOLDER_OF_PROGRAMS
"""

import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

DOCUMENTS = ["README.md", "docs/bring-your-own.md", "docs/cpp.md", "docs/scaling.md"]
FILES = {"cpp": "*.cpp", "bash": "cluster/*.sh", "yaml": "cluster/*.yaml"}  # by the language of a block


def blocks_that_stand_nowhere(source):
    for document in DOCUMENTS:
        text = (source / document).read_text()
        for language, block in re.findall(r"^```(cpp|bash|yaml)\n(.*?)^```", text, re.M | re.S):
            if not any(block in path.read_text() for path in (source / "examples").glob(FILES[language])):
                yield f"{document}: this block is not part of a program in examples/:\n{block}"


def write_table(path):
    rows = random.Random(1)
    lines = ["a,b,site,y"]
    for row in range(120):
        a, b, site = rows.uniform(-1, 1), rows.uniform(0, 2), row % 3
        lines.append(f"{a!r},{b if row % 9 else ''},{'ABC'[site]},{math.sin(2 * a) + b + site + rows.gauss(0, 0.1)!r}")
    path.write_text("\n".join(lines) + "\n")


def failing_programs(programs):
    with tempfile.TemporaryDirectory() as scratch:
        write_table(pathlib.Path(scratch) / "table.csv")
        (pathlib.Path(scratch) / "new.csv").write_text("site,b,a\nC,1,0.5\nD,,0.1\n")
        for name, arguments in {"quickstart": ["table.csv", "y"], "own_ensemble": [], "many_rows": [], "figure1": ["1"]}.items():
            result = subprocess.run([programs / f"example_{name}", *arguments], cwd=scratch, capture_output=True, text=True)
            print(result.stdout, end="")
            if result.returncode != 0 or not result.stdout:
                yield f"examples/{name}.cpp ended with {result.returncode}: {result.stderr}"


def main():
    source, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    problems = [*blocks_that_stand_nowhere(source), *failing_programs(programs)]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()

# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a document: in fenced blocks, lines after `$ ` are commands, the lines below them what they print.

All blocks run in order in one scratch folder with train.csv, test.csv, words.csv, plants.csv and new.csv. `...` stands for any text or, as a whole line, for any
lines; a command without lines below may print what it likes.

Usage: docs_test.py PROGRAM DOCUMENT
"""

import re
import sys
import tempfile
from pathlib import Path

from program import Program, write_tables
from run import matches


def commands(document):
    """(command, expected lines) of each example."""
    for block in re.findall(r"^```[a-z]*\n(.*?)^```", document, re.DOTALL | re.MULTILINE):
        if not block.startswith("$ "):
            continue
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = example.splitlines()
            last = (lambda line: line == "END") if lines[0].endswith("<<END") else (lambda line: not line.endswith("\\"))
            end = next(i for i, line in enumerate(lines) if last(line)) + 1
            yield "\n".join(lines[:end]), lines[end:]


def expectation(lines):
    return ["<...>" if line.strip() == "..." else line.replace("...", "<*>") for line in lines]


def main(program, document):
    program = Program(program)
    examples = list(commands(Path(document).read_text(encoding="utf-8")))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        write_tables(folder)
        for command, lines in examples:
            done = program.run(command, folder)
            printed = done.stdout.splitlines()
            if done.returncode != 0 or (lines and not matches(expectation(lines), printed)):
                failures += 1
                print(f"$ {command}\nstatus {done.returncode}", done.stdout, done.stderr, sep="\n")
    print(f"{len(examples)} examples, {failures} failed")
    return 1 if failures or not examples else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

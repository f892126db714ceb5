# SPDX-License-Identifier: Apache-2.0
"""Runs golden tests of the command line: text files of commands and of what they must print.

    # a comment
    % file train.csv          a file of the scratch folder: the lines up to %end
    x,y
    %end
    $ credens fit ...         a command for the shell; a backslash at the end continues it, lines after <<END belong to it up to END
    > line                    expected on standard output
    ! line                    expected on standard error
    ? 2                       expected exit status, 0 if not given

In expected lines <*> stands for any text, and a line <...> for any number of lines. Each test file runs in a scratch folder of
its own, with the program under test first in PATH and this folder as $GOLDEN.
Pages are made on 2026-03-01.

Usage: run.py --program PATH [--update] FILE.txt...
"""

import argparse
import difflib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS_PER_COMMAND = 300
STREAMS = (">", "!")


class Step:
    """A command and what is expected of it."""

    def __init__(self, line):
        self.source = [line]
        self.expected = {">": [], "!": []}
        self.status = 0

    @property
    def command(self):
        return "\n".join(line.removeprefix("$ ") for line in self.source)


def parse(text):
    """The lines of a test file as a list of steps, files (name, lines) and plain lines that are kept as they are."""
    items = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("% file "):
            items.append((line.removeprefix("% file "), list(iter(lambda: next(lines), "%end"))))
        elif line.startswith("$ "):
            step = Step(line)
            while step.source[-1].endswith("\\") or ("<<END" in line and step.source[-1] != "END"):
                step.source.append(next(lines))
            items.append(step)
        elif line[:1] in STREAMS:
            items[-1].expected[line[0]].append(line[2:])
        elif line.startswith("? "):
            items[-1].status = int(line[2:])
        elif not line or line.startswith("#"):
            items.append(line)
        else:
            raise ValueError(f"a line that is neither command nor expectation: {line}")
    return items


def matches_line(expected, line):
    pattern = ".*".join(re.escape(piece) for piece in expected.split("<*>"))
    return re.fullmatch(pattern, line, re.DOTALL) is not None


def matches(expected, lines):
    if not expected:
        return not lines
    if expected[0] == "<...>":
        return any(matches(expected[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and matches_line(expected[0], lines[0]) and matches(expected[1:], lines[1:])


def lines_of(output):
    return output.decode("utf-8", errors="backslashreplace").splitlines()


def run_step(step, folder, environment):
    """The command's output by stream, and its exit status. Ctrl-C must reach it, so nothing is ignored."""
    done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS_PER_COMMAND,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), check=False)
    return {">": lines_of(done.stdout), "!": lines_of(done.stderr)}, done.returncode


def prefixed(printed, status):
    lines = [f"{stream} {line}".rstrip() for stream in STREAMS for line in printed[stream]]
    return lines + ([f"? {status}"] if status else [])


def is_as_expected(step, printed, status):
    return status == step.status and all(matches(step.expected[stream], printed[stream]) for stream in STREAMS)


def run_file(test, environment):
    """The sentences of what went wrong, and the lines of the file with expectations as they came out."""
    complaints, updated = [], []
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        for item in parse(test.read_text(encoding="utf-8")):
            if isinstance(item, str):
                updated.append(item)
            elif isinstance(item, tuple):
                name, lines = item
                Path(folder, name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
                updated += [f"% file {name}", *lines, "%end"]
            else:
                printed, status = run_step(item, folder, environment)
                wanted, found = prefixed(item.expected, item.status), prefixed(printed, status)
                updated += item.source
                if is_as_expected(item, printed, status):
                    updated += wanted
                    continue
                updated += found
                complaints.append("\n".join([f"{test.name}: {item.source[0]}",
                                             *difflib.unified_diff(wanted, found, "expected", "found", lineterm="", n=99)]))
    return complaints, updated


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--update", action="store_true", help="rewrite what is expected as it came out")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.txt")
    options = parser.parse_args(arguments)
    if not options.program.is_file():
        sys.exit(f"{options.program} is not a program")
    environment = dict(os.environ, GOLDEN=str(Path(__file__).resolve().parent), LC_ALL="C.UTF-8",
                       PYTHONDONTWRITEBYTECODE="1", SOURCE_DATE_EPOCH="1772323200",
                       PATH=f"{options.program.resolve().parent}{os.pathsep}{os.environ['PATH']}")
    failed = False
    for test in options.files:
        complaints, updated = run_file(test, environment)
        if options.update:
            test.write_text("".join(line + "\n" for line in updated), encoding="utf-8")
        for complaint in complaints:
            print(complaint, end="\n\n")
        failed = failed or (bool(complaints) and not options.update)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

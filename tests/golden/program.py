# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests of help and documents: the program's verbs, their help, and commands run with it."""

import os
import re
import subprocess
import sys
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent


class Program:
    def __init__(self, path):
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", PATH=f"{Path(path).resolve().parent}{os.pathsep}{os.environ['PATH']}")

    def run(self, command, folder="."):
        return subprocess.run(["bash", "-c", command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)

    def verbs(self):
        return re.findall(r"^  (\w+)  ", self.run("credens --help").stdout, re.MULTILINE)

    def help(self, verb):
        return self.run(f"credens {verb} --help").stdout

    def flags(self, verb):
        """Long flags with all that `--help` says of each; `--[no-]x` counts as `--x`."""
        flags = {}
        for line in self.help(verb).split("\nExample:")[0].splitlines():
            if start := re.match(r"  (?:-\w, )?(--[a-z[][]a-z-]*)", line):
                flag = start[1].replace("[no-]", "")
                flags[flag] = ""
            if flags:
                flags[flag] += " " + line.strip()
        return flags


def write_tables(folder):
    subprocess.run([sys.executable, "-B", GOLDEN / "data.py", "train.csv", "test.csv", "words.csv", "plants.csv", "new.csv"], cwd=folder, check=True)

# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the tests of faults: small models and tables in a folder, and the program run there while something fails.

Every test is started as TEST.py PROGRAM FAULTS SAVE_LOOP: the program, the library of faults.cpp, and save_loop. With CREDENS_TORTURE=1
they try all instants where they otherwise try some.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from instants import TORTURE, random_source  # noqa: E402, F401

PROGRAM, FAULTS, SAVE_LOOP = (Path(word).resolve() for word in sys.argv[1:4])
DATA_SCRIPT = Path(__file__).resolve().parent.parent / "golden" / "data.py"
SMALL_FIT = ["--target", "y", "--recipe", "paper", "--members", "2", "--epochs", "60", "--threads", "1", "--progress", "none"]
LEFTOVER = re.compile(r"\.credens-\d+-\d+\.tmp")


class Run:
    """How a run of the program ended."""

    def __init__(self, process, complaints, log):
        self.status = process.returncode
        self.complaints = complaints
        self.fired = "fired" in log.split("\n")
        self.leaks = re.findall("^leaked (.*)", log, re.MULTILINE)
        counted = re.search(r"^counted (\d+)", log, re.MULTILINE)
        self.counted = int(counted[1]) if counted else None


class Workshop(unittest.TestCase):
    """A folder with train.csv and test.csv, whose files are watched, and a log beside it."""

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="credens-fault-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name).resolve() / "watched"
        self.folder.mkdir()
        self.log = Path(place.name).resolve() / "log"
        subprocess.run([sys.executable, "-B", DATA_SCRIPT, "train.csv", "test.csv"], cwd=self.folder, check=True)

    def path(self, name):
        return str(self.folder / name)

    def run_program(self, words, fault=None):
        """`fault` as CREDENS_FAULT has it; no run takes longer than a minute."""
        self.log.unlink(missing_ok=True)
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        if fault:
            environment.update(LD_PRELOAD=str(FAULTS), CREDENS_FAULT=fault, CREDENS_FAULT_FOLDER=str(self.folder),
                               CREDENS_FAULT_LOG=str(self.log))
        process = subprocess.run([PROGRAM, *words], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        return Run(process, process.stderr, self.log.read_text() if self.log.exists() else "")

    def must(self, *words):
        run = self.run_program(words)
        self.assertEqual(run.status, 0, f"{words}: {run.complaints}")

    def fit_words(self, name, hidden="3", seed=0):
        return ["fit", self.path("train.csv"), *SMALL_FIT, "--hidden", hidden, "--seed", str(seed), "-o", self.path(name)]

    def fit(self, name, **options):
        self.must(*self.fit_words(name, **options))

    def files(self):
        """The files of the folder and of those in it, by name."""
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def put(self, files):
        """Makes the folder hold these files."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_dir():
                path.rmdir()
            elif str(path.relative_to(self.folder)) not in files:
                path.unlink()
            elif path.read_bytes() == files[str(path.relative_to(self.folder))]:
                continue
            else:
                path.unlink()
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            if not path.exists():
                path.write_bytes(content)

    def assert_files(self, what, *allowed, without=None):
        """The folder, without the files of one that is in it, is in one of these states; contents are not printed."""
        files = {name: content for name, content in self.files().items() if not (without and name.startswith(without))}
        self.assertTrue(files in allowed, f"{what}: neither of the states that are allowed, with {sorted(files)}")

    def assert_one_sentence(self, run, what):
        self.assertRegex(run.complaints, r"\Acredens: [^\n]+\n\Z", f"{what}: expected one sentence")


def main():
    unittest.main(argv=sys.argv[:1])

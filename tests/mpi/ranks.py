# SPDX-License-Identifier: Apache-2.0
"""What the tests of ranks share: a folder with tables, and the program started by mpirun there.

Every test is started as TEST.py PROGRAM MESSAGES. With CREDENS_TORTURE=1 cases are tried that are left out otherwise.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

for folder in ("identity", "support"):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / folder))
from instants import TORTURE, sampled  # noqa: E402, F401
from one_fit import MEMBERS, TABLES, OneFit, npy_bytes, row, sha256, write_tables  # noqa: E402, F401

PROGRAM, MESSAGES = (Path(word).resolve() for word in sys.argv[1:3])
MODULE = PROGRAM.parent / "credens_mpi.so"
# Tests run as root in containers, on fewer cores than ranks.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
SECONDS_TO_END = 30  # after a rank was lost


def why_skipped():
    if shutil.which("mpirun") is None:
        return "there is no mpirun"
    return "" if MODULE.exists() else f"there is no {MODULE.name}: it was built without MPI"


def said_by_us(text):
    """The lines that credens wrote; mpirun adds its own."""
    return re.findall("^credens[^\n]*", text, re.MULTILINE)


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if reason := why_skipped():
            raise unittest.SkipTest(reason)
        place = tempfile.TemporaryDirectory(prefix="credens-mpi-")
        cls.addClassCleanup(place.cleanup)
        cls.folder = Path(place.name)
        write_tables(cls.folder)

    def start(self, count, *words, mpirun=None, program=PROGRAM):
        """The program on so many ranks, as a process that is under way."""
        return subprocess.Popen([str(word) for word in (*(mpirun or MPIRUN), "-n", count, program, *words)], cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=dict(os.environ, LC_ALL="C.UTF-8"))

    def run_ranks(self, count, *words, status=0, program=PROGRAM):
        """What it printed and what it complained about."""
        process = self.start(count, *words, program=program)
        printed, complaints = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, f"{words} on {count} ranks: {complaints}")
        return printed, complaints

    def run_alone(self, *words):
        done = subprocess.run([str(word) for word in (PROGRAM, *words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=True)
        return done.stdout


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)

# SPDX-License-Identifier: Apache-2.0
"""Fits of arrays that are more than a window holds: the same bytes from memory, from the file, and resumed; in an address space that is
smaller than the rows; and one sentence for files that cannot be read so, or change.

Usage: large_test.py PROGRAM
"""

import hashlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from arrays import write_bytes_array

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from instants import sampled  # noqa: E402

PROGRAM = Path(sys.argv[1]).resolve()
COLS = 1001  # 1,000 inputs: 66,000 rows fill a window
FIT = ["--recipe", "paper", "--hidden", "4", "--batch", "512"]
ONCE = ["--epochs", "1", "--progress", "none"]
LIMIT = 700 * 10**6
WINDOWS = ["--memory", "200MB"]


def run(*words, limit=None):
    def confine():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=600, preexec_fn=confine if limit else None)


@sampled(1)
class LargeTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="credens-large-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def fit(self, table, name, *words, **options):
        done = run("fit", table, "--target", COLS - 1, *FIT, *ONCE, *words, "-o", self.folder / name, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return hashlib.sha256((self.folder / name).read_bytes()).hexdigest()

    def test_the_bytes_are_the_same_from_memory_and_from_the_file(self):
        table = self.folder / "rows.npy"
        write_bytes_array(table, 70_000, COLS)
        held = self.fit(table, "held", "--members", "2", "--memory", "4GB")
        self.assertEqual(self.fit(table, "windows", "--members", "2", *WINDOWS, "--threads", "1"), held)
        kept = self.folder / "kept"
        self.fit(table, "part", "--members", "2", *WINDOWS, "--member-range", "1:2", "--checkpoint", kept)
        self.assertEqual(self.fit(table, "resumed", "--members", "2", "--checkpoint", kept, "--resume"), held)

    def test_rows_need_not_fit_into_the_address_space(self):
        rows = 250_000
        self.assertGreater(rows * (COLS + 8) * 4, 1.4 * LIMIT)
        table = self.folder / "rows.npy"
        write_bytes_array(table, rows, COLS)
        self.fit(table, "model", "--members", "1", limit=LIMIT)

    def test_a_text_table_that_does_not_fit_is_refused_and_can_be_packed(self):
        table = self.folder / "rows.csv"
        inputs = [",".join(str((i + shift) % 7) for i in range(COLS - 1)) for shift in range(3)]
        with open(table, "w", encoding="ascii") as file:
            file.write(",".join(f"x{i}" for i in range(COLS - 1)) + ",y\n")
            for i in range(67_000):
                file.write(f"{inputs[i % 3]},{i % 5}\n")
        done = run("fit", table, *FIT, *ONCE, "--target", "y", *WINDOWS, "-o", self.folder / "model")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"\Acredens: the rows need 0.27 GB of memory and may have 0.2 GB[^\n]*credens pack[^\n]*\n\Z")
        self.assertFalse((self.folder / "model").exists())
        packed = self.folder / "rows.npy"
        self.assertEqual(run("pack", table, "-o", packed).returncode, 0)
        held = run("fit", table, *FIT, *ONCE, "--target", "y", "--members", "1", "--memory", "4GB", "-o", self.folder / "held")
        windows = run("fit", packed, *FIT, *ONCE, "--target", "y", "--members", "1", *WINDOWS, "-o", self.folder / "windows")
        self.assertEqual((held.returncode, windows.returncode), (0, 0), windows.stderr)
        self.assertEqual((self.folder / "held").read_bytes(), (self.folder / "windows").read_bytes())

    def test_a_file_that_becomes_shorter_ends_in_one_sentence(self):
        table = self.folder / "rows.npy"
        write_bytes_array(table, 70_000, COLS)
        words = ["fit", table, "--target", COLS - 1, *FIT, *WINDOWS, "--epochs", "100000", "--progress", "json", "--members", "1", "-o",
                 self.folder / "model"]
        with subprocess.Popen([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            process.stderr.readline()  # it is training
            with open(table, "r+b") as file:
                file.truncate(10**6)
            for _ in range(600):
                if process.poll() is not None:
                    break
                time.sleep(0.1)
            else:
                process.send_signal(signal.SIGKILL)
            complaints = [line for line in process.stderr.read().splitlines() if not line.startswith("{")]
        self.assertEqual(process.returncode, 5)
        self.assertEqual(len(complaints), 1, complaints)
        self.assertRegex(complaints[0], r"\Acredens: a file could not be read to its end")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

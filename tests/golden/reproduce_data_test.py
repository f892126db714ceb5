# SPDX-License-Identifier: Apache-2.0
"""Table 2 and the UCI benchmark on real data sets, where they are at hand: ../shared/data beside the checkout, or CREDENS_DATA. Else skipped (status 77).

Usage: reproduce_data_test.py PROGRAM FOLDER
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKIPPED = 77
QSAR = "qsar-aquatic-toxicity"


class RealData(unittest.TestCase):
    program = None
    data = None

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)
        (self.folder / "data").mkdir()
        (self.folder / "data" / QSAR).symlink_to(self.data / QSAR)

    def reproduce(self, *words):
        environment = os.environ | {"CREDENS_DATA": "", "XDG_CACHE_HOME": str(self.folder / "none")}
        command = [self.program, "reproduce", *words, "--progress", "none"]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def test_a_data_set_that_is_there_is_compared_and_the_others_are_left_out(self):
        done = self.reproduce("table2", "--quick", "--repetitions", "2", "--data", "data", "-o", "out")
        self.assertEqual(0, done.returncode, done.stderr)
        for title in ("Yacht hydrodynamics", "Blog feedback", "Year prediction MSD"):
            self.assertIn(f"{title} is left out: its file was not found", done.stderr)
            self.assertIn(f"{title} is left out", (self.folder / "out" / "report.html").read_text(encoding="utf-8"))
        results = json.loads((self.folder / "out" / "results.json").read_text(encoding="utf-8"))
        published = [result for result in results if result["paper"] is not None]
        self.assertEqual(32, len(published), "16 cells in two readings of lambda")
        for result in results:
            self.assertEqual(("table2", "qsar", 437, 2), tuple(result[key] for key in ("experiment", "data", "rows", "count")))
        rmse = [result["mean"] for result in published if result["metric"] == "rmse"]
        self.assertTrue(all(0.4 < value < 1 for value in rmse), rmse)

    def test_every_set_of_the_benchmark_is_read(self):
        if not (self.data / "uci-benchmark").is_dir():
            self.skipTest("the benchmark is not there")
        small = ("--members", "1", "--set", "recipe=paper", "--set", "epochs=1", "--set", "hidden=4")
        done = self.reproduce("uci", "--data", str(self.data), "--splits", "3:4", *small, "-o", "uci")
        self.assertEqual(0, done.returncode, done.stderr)
        results = json.loads((self.folder / "uci" / "results.json").read_text(encoding="utf-8"))
        found = {(result["series"], result["data"]): result["rows"] for result in results}
        standard = {"yacht": 277, "bostonHousing": 455, "concrete": 927, "airfoil": 1202, "power-plant": 8611, "naval": 10741}
        gap = {"yacht": 206, "bostonHousing": 338, "concrete": 686, "power-plant": 6378, "naval": 7956}
        expected = {("standard", name): rows for name, rows in standard.items()} | {("gap", name): rows for name, rows in gap.items()}
        self.assertEqual(expected, found)


if __name__ == "__main__":
    RealData.program = str(Path(sys.argv[1]).resolve())
    RealData.data = Path(os.environ.get("CREDENS_DATA") or sys.argv[2]).resolve()
    if not (RealData.data / QSAR).is_dir():
        print(f"skipped: there is no {RealData.data / QSAR}")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])

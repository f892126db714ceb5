# SPDX-License-Identifier: Apache-2.0
"""One fit has one SHA-256: with any number of threads, from text and arrays, in parts that are merged in any order, killed and
interrupted at random instants and resumed. What it predicts has one, too. tests/mpi holds ranks against the same fit.

Usage: identity_test.py PROGRAM. CREDENS_TORTURE=1 kills more often.
"""

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from instants import TORTURE, random_source  # noqa: E402
from one_fit import MEMBERS, RECIPES, TABLES, OneFit, run, sha256, write_tables  # noqa: E402

PROGRAM = Path(sys.argv[1]).resolve()
THREADS = [1, 2, 4]
PARTS = [(0, 1), (1, 4), (4, MEMBERS)]
KILLS = 200 if TORTURE else 10  # of each recipe
INTERRUPTED = 130


class Identity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="credens-identity-")
        cls.addClassCleanup(place.cleanup)
        cls.folder = Path(place.name)
        write_tables(cls.folder)
        cls.fits = {recipe: OneFit(PROGRAM, cls.folder, recipe) for recipe in RECIPES}
        cls.expected = {recipe: fit.sha256(recipe, "--threads", 1) for recipe, fit in cls.fits.items()}

    def check(self, recipe, model, what):
        self.assertEqual(sha256(self.folder / model), self.expected[recipe], f"recipe {recipe}, {what}")

    def test_threads_and_tables(self):
        for (recipe, fit), (threads, table) in itertools.product(self.fits.items(), zip([4, 2, 4], TABLES)):
            self.assertEqual(fit.sha256("model", "--threads", threads, table=table), self.expected[recipe],
                             f"recipe {recipe}, {threads} threads, {table}")

    def test_threads_without_a_plan(self):
        """The decisions of the recipe and their reasons are in the file then."""
        for fit in self.fits.values():
            found = set()
            for threads, table in zip(THREADS, TABLES):
                run(PROGRAM, "fit", self.folder / table, *fit.options, "--threads", threads, "--progress", "none",
                    "-o", self.folder / "model")
                found.add(sha256(self.folder / "model"))
            self.assertEqual(len(found), 1)

    def test_parts_in_any_order(self):
        for recipe, fit in self.fits.items():
            parts = [self.folder / f"part-{first}-{end}" for first, end in PARTS]
            for part, (first, end) in zip(parts, PARTS):
                run(*fit.words(part.name, "--member-range", f"{first}:{end}"))
            for order in itertools.permutations(parts):
                run(PROGRAM, "merge", *order, "--train", self.folder / "train.npy", "--target", "2", "-o", self.folder / "merged")
                self.check(recipe, "merged", f"parts merged as {[part.name for part in order]}")

    def stopped_after(self, words, seconds, how):
        """Whether the program was still at work then."""
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(how)
            complaints = process.stderr.read().decode()
        self.assertIn(process.returncode, [0, -how] + [INTERRUPTED] * (how == signal.SIGINT), complaints)
        return process.returncode != 0

    def resumed_until_done(self, fit, seconds, instants):
        """How often it was stopped on the way."""
        for stops in itertools.count():
            words = fit.words("resumed", "--resume", "--threads", instants.choice(THREADS), table=instants.choice(TABLES))
            if not self.stopped_after(words, instants.uniform(0, seconds), instants.choice([signal.SIGKILL, signal.SIGINT])):
                return stops

    def test_killed_and_resumed(self):
        instants = random_source()
        for recipe, fit in self.fits.items():
            start = time.monotonic()
            fit.sha256("undisturbed")
            seconds = time.monotonic() - start
            before = set(os.listdir(self.folder))
            stops = 0
            while stops < KILLS:
                stops += self.resumed_until_done(fit, seconds, instants)
                self.check(recipe, "resumed", f"stopped {stops} times")
                self.assertEqual(set(os.listdir(self.folder)) - before, {"resumed"})
                (self.folder / "resumed").unlink()
            print(f"recipe {recipe}: killed or interrupted {stops} times, one SHA-256", flush=True)

    def test_predictions(self):
        """By one core and by all of them, from a file and from a pipe."""
        cores = os.sched_getaffinity(0)
        for recipe, name in itertools.product(RECIPES, ["predicted.csv", "predicted.npy"]):
            words = [PROGRAM, "predict", self.folder / recipe, "-", "--quantiles", "0.1,0.9", "-o", self.folder / name]
            run(*words[:3], self.folder / "new.csv", *words[4:])
            found = {sha256(self.folder / name)}
            for allowed in (cores, {min(cores)}):
                with open(self.folder / "new.csv", "rb") as rows:
                    subprocess.run(words, stdin=rows, check=True, preexec_fn=lambda: os.sched_setaffinity(0, allowed))
                found.add(sha256(self.folder / name))
            self.assertEqual(len(found), 1, f"recipe {recipe}, {name}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

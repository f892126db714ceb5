# SPDX-License-Identifier: Apache-2.0
"""A fit that is killed at random instants and resumed writes the bytes of one that was left alone, and leaves nothing else."""

import os
import subprocess
import time

from workshop import PROGRAM, TORTURE, Workshop, main, random_source, sha256

FIT = ["--target", "y", "--members", "6", "--progress", "none"]
RECIPES = {"paper": ["--recipe", "paper", "--epochs", "1500", "--hidden", "64,32"], "auto": ["--recipe", "auto", "--epochs", "200"]}


class ResumeTest(Workshop):
    def killed_after(self, words, seconds):
        """Whether the program was still at work then."""
        with subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=dict(os.environ, LC_ALL="C.UTF-8")) as process:
            try:
                process.wait(seconds)
                self.assertEqual(process.returncode, 0, process.stderr.read())
                return False
            except subprocess.TimeoutExpired:
                process.kill()
                return True

    def check_recipe(self, options, kills, instants):
        words = ["fit", self.path("train.csv"), *FIT, *options]
        start = time.monotonic()
        self.must(*words, "-o", self.path("undisturbed"))
        seconds = time.monotonic() - start
        expected = sha256(self.path("undisturbed"))
        before = self.files().keys()
        killed = 0
        while killed < kills:
            model = self.path("model")
            while self.killed_after([*words, "-o", model, "--resume"], instants.uniform(0, seconds)):
                killed += 1
            self.assertEqual(sha256(model), expected)
            self.assertEqual(self.files().keys() - before, {"model"})
            (self.folder / "model").unlink()
        return killed

    def test_killed_and_resumed_it_ends_where_it_would_have(self):
        instants = random_source()
        for name, options in RECIPES.items():
            killed = self.check_recipe(options, 20 if TORTURE else 3, instants)
            print(f"recipe {name}: killed {killed} times, one SHA-256")


if __name__ == "__main__":
    main()

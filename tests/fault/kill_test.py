# SPDX-License-Identifier: Apache-2.0
"""SIGKILL while a model is saved: before, in and after each call to the system, and at random instants. What is there is the old model
or the new one, whole, and the next run sweeps what was left.
"""

import itertools
import signal
import subprocess
import time

from workshop import LEFTOVER, SAVE_LOOP, TORTURE, Workshop, main, random_source


class KillTest(Workshop):
    def assert_only_leftovers(self, names, what):
        for name in names:
            self.assertRegex(name.split("/")[-1], rf"\A{LEFTOVER.pattern}\Z", what)

    def test_at_each_call(self):
        self.fit("model")
        words = ["widen", self.path("model"), self.path("train.csv"), "--posterior", "full", "-o", self.path("result")]
        inputs = self.files()
        self.must(*words)
        after = self.files()
        before = {**inputs, "result": inputs["model"]}
        left = 0
        instants = random_source()
        for call, effect in [*itertools.product(["open", "write", "fsync", "linkat", "rename", "close"], ["before", "after"]),
                             ("write", "cut")]:
            # Every instant, or every other one, others in each run. Between linkat and rename something is left: both are always tried.
            step = 1 if TORTURE or call in ("linkat", "rename") else 2
            for number in itertools.count(1 + instants.randrange(step), step):
                self.put(before)
                run = self.run_program(words, f"{call}:{number}:{effect}")
                if not run.fired:
                    break
                what = f"{call}:{number}:{effect}"
                self.assertEqual(run.status, -signal.SIGKILL, what)
                files = self.files()
                self.assertTrue(files["result"] in (before["result"], after["result"]), f"{what}: neither the old file nor the new one")
                self.assert_only_leftovers(files.keys() - before.keys(), what)
                left += len(files.keys() - before.keys())
                self.must(*words)
                self.assert_files(f"{what}, run again", after)
        self.assertGreater(left, 0, "no instant was tried at which something is left")

    def test_leftovers_of_the_living_stay(self):
        """Another program holds a lock on its file while it writes."""
        self.fit("model")
        held = self.folder / ".credens-1-1.tmp"
        with subprocess.Popen(["flock", "-x", held, "sh", "-c", "echo locked; cat"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as holder:
            holder.stdout.readline()
            self.fit("other")
            self.assertTrue(held.exists())
            holder.stdin.close()
        self.fit("other")
        self.assertFalse(held.exists())

    def test_only_our_own_names_are_swept(self):
        names = [".credens-.tmp", ".credens-a-1.tmp", ".credens-1.tmp", ".credens-1-.tmp", ".credens-1-1.tmpx", "credens-1-1.tmp"]
        for name in names:
            (self.folder / name).write_text("mine")
        self.fit("model")
        for name in names:
            self.assertTrue((self.folder / name).exists(), name)

    def test_at_random_instants(self):
        kills = 1000 if TORTURE else 25
        instants = random_source()
        # Large enough that writing takes its time.
        for name, seed in [("a", 1), ("b", 2)]:
            self.fit(name, hidden="300,300", seed=seed)
        models = self.files()
        found = {"a": 0, "b": 0}
        target = self.folder / "target"
        target.touch()
        for _ in range(kills):
            with subprocess.Popen([SAVE_LOOP, self.path("a"), self.path("b"), target], stderr=subprocess.PIPE) as writer:
                before = target.stat().st_ino
                while target.stat().st_ino == before and writer.poll() is None:
                    time.sleep(0.001)
                time.sleep(instants.uniform(0, 0.05))
                self.assertIsNone(writer.poll(), "it ended by itself")
                writer.kill()
            content = target.read_bytes()
            self.assertTrue(content in (models["a"], models["b"]), "neither the one model nor the other")
            found["a" if content == models["a"] else "b"] += 1
            leftovers = self.files().keys() - models.keys() - {"target"}
            self.assert_only_leftovers(leftovers, "beside the target")
            self.assertLessEqual(len(leftovers), 1, "those of the run before were swept")
        print(f"killed {kills} times while saving: {found['a']} times the one model was there, {found['b']} times the other")
        self.must("inspect", str(target))
        self.fit("model")
        self.assertEqual(self.files().keys() - models.keys(), {"target", "model"})


if __name__ == "__main__":
    main()

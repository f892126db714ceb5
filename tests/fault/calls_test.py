# SPDX-License-Identifier: Apache-2.0
"""Calls to the system fail, each one in turn, once or from then on: the program says so and exits 5, the old file is as it was, nothing
is left behind or open. Signals that come in between and writes that write less than asked for change nothing.
"""

import errno
import itertools

from workshop import TORTURE, Workshop, main, random_source

CALLS = ["open", "read", "write", "fsync", "linkat", "rename", "close", "mmap"]
WRITERS = ["write", "fsync", "linkat", "rename"]  # of each of these every failure must show
REPLACERS = ["write", "linkat", "rename"]  # and of these it must show before the old file is replaced
FAILURES = [*itertools.product([errno.ENOSPC, errno.EIO], ["", "+"])]  # an error, and whether it stays


class CallsTest(Workshop):
    def commands(self):
        """(words, the name of what they write)"""
        model, test, train = self.path("model"), self.path("test.csv"), self.path("train.csv")
        return [
            (["predict", model, test, "-o", self.path("result.csv")], "result.csv"),
            (["widen", model, train, "--posterior", "diagonal", "-o", self.path("result")], "result"),
            (["pack", train, "-o", self.path("result.npy")], "result.npy"),
            (["sample", model, test, "--draws", "3", "-o", self.path("result.npy")], "result.npy"),
            (["export", model, "-o", self.path("result.onnx")], "result.onnx"),
            (self.fit_words("result"), "result"),
        ]

    def cases(self):
        """(words, files before, files after an undisturbed run) of each command"""
        self.fit("model")
        inputs = self.files()
        for words, target in self.commands():
            self.put(inputs)
            self.must(*words)
            after = self.files()
            yield words, {**inputs, target: b"the old file"}, after
            self.put(inputs)

    def setUp(self):
        super().setUp()
        self.random = random_source()

    def sample(self, choices):
        """All of them, or one, another in each run."""
        return choices if TORTURE else [self.random.choice(choices)]

    def faults(self, words, before, call, effect, step=1):
        """The runs with this effect at the first call, the second, and so on, up to one that does not come; or at one in `step` of them."""
        for number in itertools.count(1 + self.random.randrange(step), step):
            self.put(before)
            run = self.run_program(words, f"{call}:{number}{effect}")
            if not run.fired:
                self.assertEqual(run.status, 0, f"{words}, {call}:{number}{effect}: {run.complaints}")
                self.assertLess(number, 1000)
                return
            self.tried += 1
            self.assertEqual(run.leaks, [], f"{words}, {call}:{number}{effect}")
            yield f"{words[0]}, {call}:{number}{effect}", run

    def assert_failed_cleanly(self, what, run, call, states):
        """A failure while the folder is synced or after the result was written leaves the new file there, whole. The members that
        `fit` finished stay where --resume finds them.
        """
        self.assertEqual(run.status, 5, f"{what}: {run.complaints}")
        self.assert_one_sentence(run, what)
        before, after = states
        self.assert_files(what, *([before] if call in REPLACERS else [before, after]), without="result.checkpoint/")

    def assert_resumes(self, what, words, after):
        if words[0] == "fit":
            self.must(*words, "--resume")
            self.assert_files(f"{what}, resumed", after)

    def test_a_failure_exits_5_and_leaves_the_old_file(self):
        self.tried = 0
        for words, before, after in self.cases():
            failures = [(call, *failure) for call in CALLS for failure in self.sample(FAILURES)]
            for call, error, lasting in failures:
                for what, run in self.faults(words, before, call, f"{lasting}:{error}"):
                    if run.status == 0:  # there is another way than the one that failed, or nothing depends on it
                        self.assertFalse(call in WRITERS, f"{what}: a failure was not noticed")
                        self.assert_files(what, after)
                        continue
                    self.assert_failed_cleanly(what, run, call, (before, after))
                    self.assert_resumes(what, words, after)
        print(f"{self.tried} runs with failing calls")
        self.assertGreater(self.tried, 60)

    def test_interrupted_calls_and_short_writes_change_nothing(self):
        self.tried = 0
        effects = [(call, f":{errno.EINTR}") for call in CALLS if call != "mmap"] + [("write", ":short")]
        for words, before, after in self.cases():
            for call, effect in effects:
                for what, run in self.faults(words, before, call, effect, step=1 if TORTURE else 3):
                    self.assertEqual(run.status, 0, f"{what}: {run.complaints}")
                    self.assert_files(what, after)
        print(f"{self.tried} runs with interrupted calls")
        self.assertGreater(self.tried, 25)

    def test_a_table_that_shrinks_while_it_is_read_is_an_error(self):
        self.fit("model")
        before = self.files()
        words = ["predict", self.path("model"), self.path("test.csv"), "-o", self.path("result.csv")]
        self.tried = 0
        for what, run in self.faults(words, before, "mmap", ":shrink"):
            self.assertIn(run.status, [3, 5], f"{what}: {run.complaints}")
            self.assert_one_sentence(run, what)
            self.assertEqual(set(self.files()), set(before), what)
        self.assertGreater(self.tried, 0)


if __name__ == "__main__":
    main()

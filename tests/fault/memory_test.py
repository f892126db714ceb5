# SPDX-License-Identifier: Apache-2.0
"""Memory runs out at one allocation, or at one and all after it, while a model is loaded and predicts: one sentence and exit 1."""

from workshop import TORTURE, Workshop, main, random_source

OUT_OF_MEMORY = "credens: not enough memory\n"
NEVER = 10**9


class MemoryTest(Workshop):
    def setUp(self):
        super().setUp()
        self.fit("model")
        self.words = ["predict", self.path("model"), self.path("test.csv"), "-o", self.path("result.csv")]
        self.before = self.files()
        self.must(*self.words)
        self.after = self.files()
        self.put(self.before)
        self.allocations = self.run_program(self.words, f"memory:{NEVER}:12").counted

    def numbers(self, most):
        """All of them, or about `most` of them, others in each run."""
        step = 1 if TORTURE else max(1, self.allocations // most)
        return range(1 + random_source().randrange(step), self.allocations + 1, step)

    def check(self, number, lasting):
        self.put(self.before)
        fault = f"memory:{number}{lasting}:12"
        run = self.run_program(self.words, fault)
        if run.status == 0:  # it was not needed: a hint, a thread
            self.assert_files(fault, self.after)
            return 0
        self.assertEqual((run.status, run.complaints), (1, OUT_OF_MEMORY), fault)
        self.assert_files(fault, self.before, self.after)  # the last allocations come after the file is there
        self.assertEqual(run.leaks, [], fault)
        return 1

    def test_every_allocation_may_fail(self):
        numbers = self.numbers(120)
        failed = sum(self.check(number, "") for number in numbers)
        print(f"{self.allocations} allocations; {len(numbers)} failed one at a time, {failed} of them ended the program")
        self.assertGreater(failed, 0.8 * len(numbers))

    def test_all_allocations_from_one_on_may_fail(self):
        for number in self.numbers(40):
            self.check(number, "+")


if __name__ == "__main__":
    main()

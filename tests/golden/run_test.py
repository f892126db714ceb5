# SPDX-License-Identifier: Apache-2.0
"""The runner itself: it must notice what is off, and an update must keep what was right."""

import sys
import tempfile
import unittest
from pathlib import Path

import run


class Runner(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.test = Path(self.folder.name, "some.txt")
        self.program = ["--program", sys.executable]
        self.addCleanup(self.folder.cleanup)

    def run_test(self, text, *more):
        self.test.write_text(text, encoding="utf-8")
        with open("/dev/null", "w", encoding="utf-8") as nowhere:
            before, sys.stdout = sys.stdout, nowhere
            try:
                return run.main([*self.program, *more, str(self.test)])
            finally:
                sys.stdout = before

    def test_passes_what_is_as_expected(self):
        self.assertEqual(0, self.run_test("# words\n\n$ echo one; echo two >&2; exit 3\n> one\n! two\n? 3\n"))

    def test_notices_other_lines_streams_and_statuses(self):
        for text in ("$ echo one\n> two\n", "$ echo one\n", "$ true\n> one\n", "$ echo one\n! one\n", "$ false\n", "$ true\n? 1\n",
                     "$ echo one >&2\n> one\n"):
            self.assertEqual(1, self.run_test(text), text)

    def test_makes_files_in_a_folder_of_its_own(self):
        self.assertEqual(0, self.run_test("% file a.txt\none\n\n%end\n$ ls; cat a.txt\n> a.txt\n> one\n> \n"))

    def test_takes_any_text_for_a_wildcard_and_any_lines_for_dots(self):
        self.assertEqual(0, self.run_test("$ echo one 12 two\n> one <*> two\n"))
        self.assertEqual(0, self.run_test("$ seq 5\n> 1\n> <...>\n> 5\n"))
        self.assertEqual(1, self.run_test("$ echo one 12 three\n> one <*> two\n"))
        self.assertEqual(1, self.run_test("$ seq 5\n> 1\n> <...>\n> 6\n"))

    def test_continues_commands_after_a_backslash(self):
        self.assertEqual(0, self.run_test("$ echo one \\\n  two\n> one two\n"))

    def test_update_writes_what_came_out_and_keeps_wildcards_that_match(self):
        self.run_test("# why\n$ echo one 12\n> one <*>\n$ echo two; exit 4\n> three\n", "--update")
        self.assertEqual("# why\n$ echo one 12\n> one <*>\n$ echo two; exit 4\n> two\n? 4\n", self.test.read_text(encoding="utf-8"))

    def test_refuses_lines_that_are_nothing(self):
        with self.assertRaises(ValueError):
            self.run_test("echo one\n")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""`--help`: every verb ends with an example that runs, and docs/cli.md, for fit together with
docs/parameters.md, lists the flags that the program has, and no others.

Usage: help_test.py PROGRAM CLI_PAGE PARAMETER_PAGE
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from program import Program, write_tables


class Help(unittest.TestCase):
    program = None
    document = None
    parameters = None

    def section(self, verb):
        found = re.search(rf"^## credens {verb}\n(.*?)(?=^## |\Z)", self.document, re.DOTALL | re.MULTILINE)
        self.assertIsNotNone(found, f"docs/cli.md has no section of {verb}")
        return found[1] + (self.parameters if verb == "fit" else "")

    def test_every_verb_explains_itself(self):
        self.assertGreaterEqual(len(self.program.verbs()), 9)
        for verb in self.program.verbs():
            done = self.program.run(f"credens {verb} --help")
            self.assertEqual((0, ""), (done.returncode, done.stderr), verb)
            self.assertRegex(done.stdout, rf"^{verb}: .*\.\n\nUsage: credens {verb}")
            self.assertEqual(done.stdout, self.program.run(f"credens {verb} -h").stdout)
            self.assertLessEqual(max(map(len, done.stdout.split("\nExample:")[0].splitlines())), 100, verb)

    def test_examples_run(self):
        for verb in self.program.verbs():
            example = self.program.help(verb).split("\nExample:\n")[1].splitlines()
            self.assertTrue(example, verb)
            with tempfile.TemporaryDirectory() as folder:
                write_tables(folder)
                for command in example:
                    done = self.program.run(command, folder)
                    self.assertEqual(0, done.returncode, f"{command}\n{done.stderr}")

    def test_the_document_lists_the_same_flags(self):
        for verb in self.program.verbs():
            rows = [line for line in self.section(verb).splitlines() if line.startswith("| `-")]
            listed = {flag for row in rows for flag in re.findall(r"--[a-z][a-z-]*", row.replace("[no-]", "").split("|")[1])}
            self.assertEqual(set(self.program.flags(verb)), listed, verb)

    def test_the_document_has_the_defaults_of_fit(self):
        section = self.section("fit").replace("[no-]", "").replace("*the recipe's*", "`the recipe's`")
        shown = {flag: re.search(r"\(default ([^)]+)\)", text) for flag, text in self.program.flags("fit").items()}
        self.assertGreaterEqual(sum(map(bool, shown.values())), 15)
        for flag, default in shown.items():
            row = next(line for line in section.splitlines() if line.startswith("| `") and re.search(rf"{flag}[ `]", line))
            if default:
                self.assertIn(f"| `{default[1]}` |", row)


if __name__ == "__main__":
    Help.program = Program(sys.argv[1])
    Help.document, Help.parameters = (Path(page).read_text(encoding="utf-8") for page in sys.argv[2:4])
    unittest.main(argv=sys.argv[:1])

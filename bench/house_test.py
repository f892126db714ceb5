# SPDX-License-Identifier: Apache-2.0
"""The counts of house.py on a small tree."""

import json
import tempfile
import unittest
from pathlib import Path

from house import describe, layers_of, translation_units, write_table


class HouseTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = Path(place.name)
        self.write("include/credens/fit.hpp", "struct Options {\n};\n")
        self.write("src/base/text.hpp", "int one() {\n  return 1;\n}\n")
        self.write("src/base/text.cpp", "struct A {};\nint two() { return 2; }\n")
        self.write("src/learn/deep/fit.cpp", "\n\n")
        self.write("src/learn/README.md", "not a source\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def test_lines_and_files_by_layer(self):
        layers = {name: (layer.files, layer.lines, layer.sources) for name, layer in layers_of(self.root).items()}
        self.assertEqual(layers, {"include": (1, 2, 0), "base": (2, 5, 1), "learn": (1, 2, 1)})

    def test_the_whole(self):
        rows = describe(self.root)
        self.assertEqual(rows["src: lines in files"], "7 in 3")
        self.assertEqual(rows["types at namespace scope"], "2")
        self.assertEqual(rows["functions"], "2")
        self.assertEqual(rows["translation units of the program"], "not configured")

    def test_translation_units_are_those_of_the_program(self):
        outputs = ["src/base/CMakeFiles/credens_base.dir/text.cpp.o", "library/src/base/CMakeFiles/credens_base.dir/file.cpp.o", "tests/unit/base/CMakeFiles/test_base.dir/text_test.cpp.o"]
        self.write("build/release/compile_commands.json", json.dumps([{"command": f"c++ -o {output} -c file"} for output in outputs]))
        self.assertEqual(translation_units(self.root), 2)

    def test_tables_have_as_many_rows_as_asked_for(self):
        write_table(self.root / "train.csv", 20003, 4)
        lines = (self.root / "train.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual((lines[0], len(lines)), ("x0,x1,x2,x3,y", 20004))
        self.assertEqual(lines[1], lines[20001])


if __name__ == "__main__":
    unittest.main()

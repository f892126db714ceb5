# SPDX-License-Identifier: Apache-2.0
"""Plants one violation at a time in a small healthy tree and expects it to be named."""

import tempfile
import unittest
from pathlib import Path

from check_architecture import violations
from cpp_shape import shape_of

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
GLOSSARY = """# Glossary

| term | meaning | not |
|---|---|---|
| held out | rows that a member does not see | held back, unseen |
| `asinh transform` | of inputs with heavy tails | `bent`, bend |
| member | a network | |

After the table, a bend | is | fine.
"""


class ArchitectureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("include/credens/matrix.hpp", "#include <vector>\n")
        self.write("src/base/text.hpp")
        self.write("src/model/CMakeLists.txt", "credens_add_layer(model SOURCES mlp.cpp)\n")
        self.write("src/model/mlp.cpp", '#include <credens/matrix.hpp>\n#include "base/text.hpp"\n#include "model/mlp.hpp"\n')
        self.write("src/model/mlp.hpp")
        self.write("src/score/point.hpp")
        self.write("src/learn/fit.hpp")
        for layer in ("base", "model", "score", "learn"):
            self.write(f"src/{layer}/README.md", "A layer.\n")

    def write(self, path, text="", licence=True):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        needs_licence = licence and file.suffix in (".hpp", ".cpp")
        file.write_text((LICENCE if needs_licence else "") + text, encoding="utf-8")

    def assert_violation(self, words):
        found = violations(self.root)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_healthy_tree_has_none(self):
        self.assertEqual(violations(self.root), [])

    def test_an_include_upwards(self):
        self.write("src/model/mlp.hpp", '#include "learn/fit.hpp"\n')
        self.assert_violation("src/model/mlp.hpp:2: model (layer 3) includes learn/fit.hpp of learn (layer 5)")

    def test_an_include_upwards_in_a_part_of_a_source(self):
        self.write("src/model/mlp-inl.h", LICENCE + '#include "learn/fit.hpp"\n')
        self.assert_violation("src/model/mlp-inl.h:2: model (layer 3)")

    def test_an_include_sideways(self):
        self.write("src/store/README.md")
        self.write("src/store/file.hpp", '#include "score/point.hpp"\n')
        self.assert_violation("store (layer 4) includes score/point.hpp of score (layer 4)")

    def test_a_public_header_upwards(self):
        self.write("src/model/mlp.hpp", "#include <credens/fit.hpp>\n")
        self.assert_violation("model (layer 3) includes credens/fit.hpp of learn (layer 5)")

    def test_an_include_upwards_between_public_headers(self):
        self.write("include/credens/matrix.hpp", "#include <credens/dataset.hpp>\n")
        self.assert_violation("include/credens/matrix.hpp:2: base (layer 0) includes credens/dataset.hpp")

    def test_spaces_do_not_hide_an_include(self):
        self.write("src/model/mlp.hpp", '  #  include   "learn/fit.hpp"\n')
        self.assert_violation("learn/fit.hpp")

    def test_a_public_header_without_a_layer(self):
        self.write("include/credens/surprise.hpp")
        self.assert_violation("include/credens/surprise.hpp: no layer is known")

    def test_a_folder_without_a_layer(self):
        self.write("src/attic/README.md")
        self.write("src/attic/old.hpp")
        self.assert_violation("src/attic/old.hpp: no layer is known")

    def test_a_public_header_with_a_foreign_type(self):
        self.write("include/credens/matrix.hpp", "#include <Eigen/Core>\n")
        self.assert_violation("a public header includes Eigen/Core")

    def test_mpi_outside_its_folder(self):
        self.write("src/learn/fit.hpp", "#include <mpi.h>\n")
        self.assert_violation("mpi.h is reserved for src/mpi")

    def test_an_include_of_nothing(self):
        self.write("src/model/mlp.hpp", '#include "base/absent.hpp"\n')
        self.assert_violation('"base/absent.hpp" is not a file under src/')

    def test_a_source_that_is_not_built(self):
        self.write("src/model/forgotten.cpp")
        self.assert_violation("src/model/forgotten.cpp: missing from src/model/CMakeLists.txt")

    def test_a_source_whose_name_is_only_part_of_a_listed_one(self):
        self.write("src/model/lp.cpp")
        self.assert_violation("src/model/lp.cpp: missing")

    def test_a_long_file(self):
        self.write("src/base/text.hpp", "\n" * 400)
        self.assert_violation("401 lines, expected at most 400")

    def test_a_file_without_a_licence(self):
        self.write("src/base/text.hpp", "#pragma once\n", licence=False)
        self.assert_violation("src/base/text.hpp: does not begin with")

    def test_a_long_function(self):
        self.write("src/base/text.hpp", "int many() {\n" + "  ;\n" * 59 + "}\n")
        self.assert_violation("src/base/text.hpp:2: a function of 61 lines, expected at most 60")

    def test_a_layer_without_a_readme(self):
        (self.root / "src/score/README.md").unlink()
        self.assert_violation("src/score: no README.md")

    def test_a_comment_that_leans_on_its_neighbour(self):
        for riddle in ("Of rows.", "What rows say.", "The same in double.", "Where rows end."):
            self.write("src/base/text.hpp", f"\nint x;\n/// {riddle}\nint y;\n")
            self.assert_violation("src/base/text.hpp:4: a comment that begins with a riddle")
        self.write("src/base/text.hpp", "\n/// Rows, wherever they lie, and\n/// What is in them.\nint y;\n")
        self.assertEqual(violations(self.root), [])

    def test_words_of_the_glossary_itself_are_fine(self):
        self.write("docs/glossary.md", GLOSSARY)
        self.write("docs/decisions/0006-bent-inputs.md", "Inputs were bent.\n")
        self.write("docs/method.md", "Rows held out, a bender, unbent, a bending. Go back; held.\n")
        self.assertEqual(violations(self.root), [])

    def test_words_that_the_glossary_replaces(self):
        self.write("docs/glossary.md", GLOSSARY)
        for path, text in {
            "src/base/text.hpp": "// A bent line.\n",
            "include/credens/matrix.hpp": "bool bend_inputs;\n",
            "src/model/mlp.hpp": "class BentInputs;\n",
            "python/credens/fit.py": "# SPDX-License-Identifier: Apache-2.0\nheld_back = 1\n",
            "docs/method.md": "Unseen rows.\n",
        }.items():
            with self.subTest(path):
                before = (self.root / path).read_text(encoding="utf-8") if (self.root / path).exists() else None
                self.write(path, text)
                self.assert_violation("(docs/glossary.md)")
                if before is None:
                    (self.root / path).unlink()
                else:
                    (self.root / path).write_text(before, encoding="utf-8")

    def test_the_term_to_use_is_named(self):
        self.write("docs/glossary.md", GLOSSARY)
        self.write("docs/method.md", "One\nand rows Held-Back.\n")
        self.assert_violation("docs/method.md:2: 'held back', expected 'held out'")


SOURCE = r"""
#include <vector>
// A comment with { braces }.
namespace credens {
namespace {

enum class Kind { one, two };

template <class T, class U = std::vector<T>>
struct Pair : Base<T> {
  struct Inner { int x = 0; };
  Pair() : first_{1}, second_(2) {}
  int sum() const {
    return first_ + second_;
  }
  int first_{};
};

const char* text = "} not the end {";
constexpr Pair<int> pairs[] = {{1}, {2}};

void work(int value) {
  if (value == '{') {
    struct Local { int y; };
    const auto call = [&](int z) { return z; };
  }
}

}  // namespace
Pair<int> make(int a,
               int b) {
  return {};
}
struct Declared;
}
"""


class ShapeTest(unittest.TestCase):
    def test_types_at_namespace_scope(self):
        self.assertEqual(shape_of(SOURCE).types, ["Kind", "Pair"])

    def test_functions_from_their_first_word_to_the_closing_brace(self):
        self.assertEqual([lines for _, lines in shape_of(SOURCE).functions], [1, 3, 6, 4])
        self.assertEqual([first for first, _ in shape_of(SOURCE).functions], [12, 13, 22, 30])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Runs exported models in ONNX Runtime and compares with `credens predict`. Exits 77, which CTest takes for skipped, where a
runtime is missing.

The number of ensembles is CREDENS_ONNX_ENSEMBLES, 50 if not set, and half as many of classes; Node and the browser see the first 32,
and 24 of classes.

Usage: run.py python PROGRAM GENERATOR VENV
       run.py node|browser PROGRAM GENERATOR MODULES    MODULES: folder node_modules
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import ensembles, make_cases

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "docs" / "onnx.md"
SKIPPED = 77
ENSEMBLES_IN_JAVASCRIPT = 32  # every posterior with every kind of noise, for numbers alone and for columns of every kind
CLASSES_IN_JAVASCRIPT = 24  # every posterior with 2, 3 and 10 classes, for numbers alone and for columns of every kind; 100 classes
EXAMPLES = {"model": ["train.csv", "--target", "y"], "words": ["words.csv", "--target", "y"], "plants": ["plants.csv", "--target", "species", "--ignore", "grade"]}
PAGES = 2  # of the browser
PREDICTION = re.compile(r"^-?\d+\.\d{3} \+- \d+\.\d{3}$|^(?:fern|moss|reed) 0\.\d{3}, entropy \d\.\d{3}, of which ignorance \d\.\d{3}$", re.MULTILINE)


def python_test(environment):
    """(command, None) or (None, what is missing)."""
    python = Path(environment, "bin", "python")
    if not python.exists() or subprocess.run([python, "-c", "import numpy, onnx, onnxruntime"], capture_output=True, check=False).returncode:
        return None, f"numpy, onnx and onnxruntime in {environment}"
    return [python, "-B", HERE / "python_test.py"], None


def javascript_test(script, programs, modules, packages):
    missing = [name for name in programs if not shutil.which(name)] + [name for name in packages if not Path(modules, name).is_dir()]
    if missing:
        return None, f"{', '.join(missing)} (packages in {modules})"
    return ["node", HERE / script, modules], None


def test_of(kind, place):
    if kind == "python":
        return python_test(place)
    if kind == "node":
        return javascript_test("node_test.mjs", ["node"], place, ["onnxruntime-node"])
    return javascript_test("browser_test.mjs", ["node", "chromium"], place, ["onnxruntime-web", "playwright-core"])


def write_models(program, folder):
    """The models and tables that the document's examples read."""
    subprocess.run([sys.executable, "-B", HERE.parent / "golden" / "data.py", "train.csv", "test.csv", "words.csv", "plants.csv", "new.csv"], cwd=folder, check=True)
    for name, arguments in EXAMPLES.items():
        fit = [program, "fit", *arguments, "--members", "5", "--epochs", "40", "-o", f"{name}.safetensors"]
        subprocess.run(fit, cwd=folder, check=True, capture_output=True)
        subprocess.run([program, "export", f"{name}.safetensors", "-o", f"{name}.onnx"], cwd=folder, check=True)


def write_examples(folder, language, ending):
    """The document's examples in this language, each a file of its own."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    names = [f"example{i}.{ending}" for i in range(len(blocks))]
    for name, block in zip(names, blocks):
        Path(folder, name).write_text(block, encoding="utf-8")
    return names


def runs_example(command, folder, lines):
    """Whether it prints as many predictions."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(f"an example of the document:\n{done.stdout}{done.stderr}", end="")
    return done.returncode == 0 and len(PREDICTION.findall(done.stdout)) == lines


def examples_pass(kind, program, place, folder):
    """Those of the browser are opened by its own test, with the other pages."""
    write_models(program, folder)
    if kind == "python":
        names, command, lines = write_examples(folder, "python", "py"), [Path(place, "bin", "python"), "-B"], 3
    elif kind == "node":
        names, command, lines = write_examples(folder, "js", "mjs"), ["node"], 2
        Path(folder, "node_modules").symlink_to(place)
    else:
        return len(write_examples(folder, "html", "html")) == PAGES
    passes = [runs_example([*command, name], folder, lines) for name in names]
    return len(passes) == len(EXAMPLES) and all(passes)


def main(kind, *paths):
    program, generator, place = (Path(path).absolute() for path in paths)
    command, missing = test_of(kind, place)
    if missing:
        print(f"skipped: this test needs {missing}; ./dev test installs them where their registry can be reached")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        passes = examples_pass(kind, program, place, folder)
        numbers, classes = ensembles(), max(ensembles() // 2, CLASSES_IN_JAVASCRIPT)
        if kind != "python":
            numbers, classes = min(numbers, ENSEMBLES_IN_JAVASCRIPT), CLASSES_IN_JAVASCRIPT
        cases = make_cases(program, generator, folder, numbers, classes)
        return subprocess.run([*command, cases], check=False).returncode or int(not passes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

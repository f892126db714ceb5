# SPDX-License-Identifier: Apache-2.0
"""Runs exported models in ONNX Runtime and compares with `credens predict`. Exits 77, which CTest takes for skipped, where a
runtime is missing.

The number of ensembles is CREDENS_ONNX_ENSEMBLES, 50 if not set; Node and the browser see the first 16.

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
ENSEMBLES_IN_JAVASCRIPT = 16  # every posterior with every kind of noise


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


def write_example(program, folder, language, name):
    """The document's example in this language, beside the model and the table that it reads."""
    subprocess.run([sys.executable, "-B", HERE.parent / "golden" / "data.py", "train.csv", "test.csv"], cwd=folder, check=True)
    fit = [program, "fit", "train.csv", "--target", "y", "--members", "5", "--epochs", "40", "-o", "model.safetensors"]
    subprocess.run(fit, cwd=folder, check=True, capture_output=True)
    subprocess.run([program, "export", "model.safetensors", "-o", "model.onnx"], cwd=folder, check=True)
    blocks = re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    Path(folder, name).write_text("".join(blocks), encoding="utf-8")


def runs_example(command, folder, lines):
    """Whether it prints as many predictions."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(f"the document's example:\n{done.stdout}{done.stderr}", end="")
    return done.returncode == 0 and len(re.findall(r"^-?\d+\.\d{3} \+- \d+\.\d{3}$", done.stdout, re.MULTILINE)) == lines


def example_passes(kind, program, place, folder):
    """That of the browser is opened by its own test, with the other pages."""
    if kind == "python":
        write_example(program, folder, "python", "example.py")
        return runs_example([Path(place, "bin", "python"), "-B", "example.py"], folder, 3)
    if kind == "node":
        write_example(program, folder, "js", "example.mjs")
        Path(folder, "node_modules").symlink_to(place)
        return runs_example(["node", "example.mjs"], folder, 2)
    write_example(program, folder, "html", "example.html")
    return True


def main(kind, *paths):
    program, generator, place = (Path(path).absolute() for path in paths)
    command, missing = test_of(kind, place)
    if missing:
        print(f"skipped: this test needs {missing}; ./dev test installs them where their registry can be reached")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        passes = example_passes(kind, program, place, folder)
        count = ensembles() if kind == "python" else min(ensembles(), ENSEMBLES_IN_JAVASCRIPT)
        cases = make_cases(program, generator, folder, count)
        return subprocess.run([*command, cases], check=False).returncode or int(not passes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Being a package: what an import costs, types, and documents whose examples run."""

import ast
import doctest
import importlib
import importlib.metadata
import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import credens

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(credens.__file__).parent
MODULES = ["", "._class_predictive", "._dataset", "._ensemble", "._expectation", "._fit", "._predictive", "._scores", "._outputs", ".datasets"]


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_import_brings_numpy_only():
    heavy = "{'pandas', 'polars', 'pyarrow', 'sklearn', 'scipy', 'torch', 'IPython'}"
    assert run(f"import sys, credens; print({heavy} & set(sys.modules))") == "set()\n"


def test_an_import_takes_little_more_time_than_that_of_numpy():
    """Ratios, the best of five: the clock of a busy machine proves nothing."""
    code = "import time, sys; start = time.perf_counter(); import numpy; middle = time.perf_counter(); import credens; print(middle - start, time.perf_counter() - middle)"
    times = [tuple(map(float, run(code).split())) for _ in range(5)]
    assert min(own for _, own in times) < 2 * min(numpy for numpy, _ in times)


def test_numpy_is_all_that_is_required():
    needed = [text for text in importlib.metadata.requires("credens") if "extra ==" not in text]
    assert [re.match(r"\w+", text)[0] for text in needed] == ["numpy"]


def test_the_version_is_that_of_the_project():
    version = re.search(r"project\(credens VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert credens.__version__ == importlib.metadata.version("credens") == version


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_run(module):
    result = doctest.testmod(importlib.import_module("credens" + module))
    assert result.failed == 0


def test_every_public_name_has_a_docstring_and_is_there():
    assert credens.__all__ == sorted(credens.__all__, key=lambda name: (name.islower(), name))
    for name in credens.__all__:
        assert getattr(credens, name).__doc__, name
    with pytest.raises(AttributeError, match="module 'credens' has no attribute 'fitt'"):
        credens.fitt


# ---- types ----


def test_the_stub_has_what_the_extension_has():
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    named = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert {name for name in dir(credens._core) if not name.startswith("_")} <= named
    assert (PACKAGE / "py.typed").exists()


def test_types_are_checked(tmp_path):
    pytest.importorskip("mypy")
    good = """
import credens, numpy as np
model: credens.Ensemble = credens.fit(np.zeros((3, 2)), np.zeros(3), members=3, hidden=(8,), posterior="full")
lower: np.ndarray = model.predict(np.zeros((3, 2))).interval(0.9).lower
credens.save(credens.widen(model, np.zeros((3, 2)), np.zeros(3), prior_precision="evidence"), "m.safetensors")
score: float = credens.score(model, np.zeros((3, 2)), np.zeros(3)).rmse
regressor: credens.CredensRegressor = credens.CredensRegressor(members=3).fit(np.zeros((3, 2)), np.zeros(3), noise_std=0.1)
predictive: credens.Predictive = regressor.predict_dist(np.zeros((3, 2)), noise_std=0.1)
"""
    bad = 'import credens\ncredens.fit([1.0], [1.0], members="three")\ncredens.fit([1.0], [1.0], posterior="wide")\ncredens.load(3)\ncredens.fit([1.0], [1.0], member=3)\ncredens.fitt\n'
    (tmp_path / "good.py").write_text(good)
    (tmp_path / "bad.py").write_text(bad)
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", tmp_path / "cache"]
    done = subprocess.run([*command, tmp_path / "good.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    done = subprocess.run([*command, tmp_path / "bad.py"], capture_output=True, text=True)
    assert re.findall(r"bad.py:(\d+): error", done.stdout) == ["2", "3", "4", "5", "6"], done.stdout


# ---- documents ----


def blocks(document):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.M | re.S)


@pytest.mark.parametrize("document", ["docs/measurement.md", "docs/python.md", "README.md", "docs/start.md", "docs/tutorials/pandas.md"])
def test_the_examples_of_documents_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(1)
    x = generator.uniform(-1, 1, (120, 2))
    lines = ["a,b,y", *(f"{a!r},{b!r},{np.sin(3 * a) + b!r}" for a, b in x.tolist())]
    for name in ("train.csv", "test.csv"):
        pathlib.Path(name).write_text("\n".join(lines))
    examples = blocks(document)
    assert examples
    names = {}
    if "sklearn" in "".join(examples):
        pytest.importorskip("credens.sklearn", reason="scikit-learn 1.6 or newer is not installed")
        pytest.importorskip("pandas")
    for block in examples:
        if "import pandas" in block and not importlib.util.find_spec("pandas"):
            continue
        exec(compile(block, document, "exec"), names)


def test_the_options_of_the_document_are_those_of_fit():
    page = (ROOT / "docs/parameters.md").read_text()
    listed = {flag.replace("-", "_"): default for flag, default in re.findall(r"^\| `--(?:\[no-\])?([\w-]+).*?` \| (.*?) \|", page, re.M)}
    flags = {"prior_precision": "lambda", "validation_fraction": "validation"}
    for name, default, *_ in credens._fit.OPTIONS:
        assert listed[flags.get(name, name)] == (f"`{default}`" if default else "*the recipe's*"), name


def test_every_file_of_tests_is_run():
    listed = (ROOT / "python/tests/CMakeLists.txt").read_text()
    for file in pathlib.Path(__file__).parent.glob("test_*.py"):
        assert re.search(rf"\b{file.stem.removeprefix('test_')}\b", listed), file.name

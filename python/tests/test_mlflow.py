# SPDX-License-Identifier: Apache-2.0
"""The flavour of MLflow: models that are saved and logged come back, and serve tables."""

import subprocess
import sys

import numpy as np
import pytest

import credens

pandas = pytest.importorskip("pandas", reason="pandas is not installed")
mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: pip install mlflow-skinny")

import credens.mlflow  # noqa: E402


def rows(count=80):
    generator = np.random.default_rng(1)
    x = generator.uniform(-1, 1, count)
    site = np.array(["A", "B", "C"])[generator.integers(0, 3, count)]
    table = pandas.DataFrame({"x": x, "site": site})
    return table, np.sin(3 * x) + (site == "B") + 0.1 * generator.normal(size=count)


@pytest.fixture(scope="module")
def model():
    table, y = rows()
    return credens.fit(table, y, members=2, epochs=5, hidden=(8,), seed=1, target_names=["strength"])


@pytest.fixture
def tracked(tmp_path, monkeypatch):
    """Runs in a folder: mlflow-skinny brings no database."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())


def test_a_saved_model_comes_back_and_serves_tables(tmp_path, model):
    credens.mlflow.save_model(model, tmp_path / "saved")
    uri = str(tmp_path / "saved")
    assert credens.mlflow.load_model(uri) == model
    served = mlflow.pyfunc.load_model(uri)
    table, _ = rows(20)
    expected = model.predict(table).to_frame(package="pandas")
    pandas.testing.assert_frame_equal(served.predict(table), expected)
    pandas.testing.assert_frame_equal(served.predict(table[["site", "x"]]), expected)
    narrow = served.predict(table, params={"level": 0.5})
    pandas.testing.assert_frame_equal(narrow, model.predict(table).to_frame(level=0.5, package="pandas"))
    twice = served.predict(table, params={"coverage_factor": 2.0})
    pandas.testing.assert_frame_equal(twice, model.predict(table).to_frame(coverage_factor=2, package="pandas"))
    names = [column.name for column in served.metadata.signature.inputs]
    assert names == ["x", "site"]
    assert "library_name: credens" in (tmp_path / "saved" / "README.md").read_text()
    assert f"credens=={credens.__version__}" in (tmp_path / "saved" / "requirements.txt").read_text()


def test_classes_are_served_too(tmp_path):
    table, y = rows()
    model = credens.fit(table, np.where(y > 0.3, "high", "low"), members=4, epochs=5, hidden=(8,))
    credens.mlflow.save_model(model, tmp_path / "saved")
    served = mlflow.pyfunc.load_model(str(tmp_path / "saved"))
    pandas.testing.assert_frame_equal(served.predict(table), model.predict(table).to_frame(package="pandas"))


def test_a_logged_model_comes_back(tracked, model):
    with mlflow.start_run():
        logged = credens.mlflow.log_model(model, name="strength", metadata={"purpose": "test"})
    assert credens.mlflow.load_model(logged.model_uri) == model
    assert mlflow.pyfunc.load_model(logged.model_uri).metadata.metadata["purpose"] == "test"


def test_what_cannot_be_saved_or_loaded_is_said(tmp_path, model):
    credens.mlflow.save_model(model, tmp_path / "saved")
    with pytest.raises(ValueError, match="is there already, expected a new folder"):
        credens.mlflow.save_model(model, tmp_path / "saved")
    arrays = credens.widen_outputs(np.ones((2, 5, 3)), np.zeros((2, 5)), 0.1, prior_precision=1.0)
    with pytest.raises(ValueError, match="was made from arrays and has no networks"):
        credens.mlflow.save_model(arrays, tmp_path / "other")
    with pytest.raises(ValueError, match="name is missing"):
        credens.mlflow.log_model(model)
    document = mlflow.models.Model()
    document.add_flavor("python_function", loader_module="x")
    (tmp_path / "foreign").mkdir()
    document.save(str(tmp_path / "foreign" / "MLmodel"))
    with pytest.raises(ValueError, match="has no model of Credens, but of python_function"):
        credens.mlflow.load_model(str(tmp_path / "foreign"))


def test_credens_does_not_import_mlflow():
    script = "import sys, credens; assert 'mlflow' not in sys.modules; credens.mlflow.save_model; assert 'mlflow' in sys.modules"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

# SPDX-License-Identifier: Apache-2.0
"""What one types without looking it up: help, completion, dicts, frames, estimators where a model is expected."""

import contextlib
import inspect
import io
import math
import os
import pickle
import rlcompleter
import subprocess
import sys

import numpy as np
import pytest

import credens


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(5)
    x = generator.uniform(-1, 1, (80, 2))
    return x, np.sin(3 * x[:, 0]) + x[:, 1] + 0.1 * generator.standard_normal(80)


@pytest.fixture(scope="module")
def model(rows):
    table = {"a": rows[0][:, 0], "b": rows[0][:, 1], "height [mm]": rows[1]}
    return credens.fit(table, "height", members=3, epochs=10, hidden=(8,), seed=3)


# ---- looking around ----

WITHOUT = """
import sys
for name in ("torch", "sklearn"):
    sys.modules[name] = None
import contextlib, inspect, io, rlcompleter
import credens
with contextlib.redirect_stdout(io.StringIO()) as page:
    help(credens)
names = {name for name, _ in inspect.getmembers(credens)}
assert names == set(dir(credens)) == {*credens.__all__, "__version__", "datasets"}, names
complete = rlcompleter.Completer({"credens": credens}).complete
assert complete("credens.Cred", 0) and "credens.fit(" == complete("credens.fi", 0)
try:
    credens.CredensRegressor
except ImportError as error:
    print(error)
"""


def test_help_and_completion_need_neither_torch_nor_scikit_learn():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "pip install scikit-learn" in done.stdout


def test_dir_has_the_public_names_alone():
    assert not [name for name in dir(credens) if name.startswith("_") and name != "__version__"]
    assert {"annotations", "Any"}.isdisjoint(dir(credens))
    for name in dir(credens):
        assert getattr(credens, name) is not None


# ---- the program ----


def test_the_program_is_installed_and_run_by_the_module():
    script = os.path.join(os.path.dirname(sys.executable), "credens")
    assert os.access(script, os.X_OK)
    for command in ([script], [sys.executable, "-m", "credens"]):
        done = subprocess.run([*command, "version"], capture_output=True, text=True)
        assert done.stdout.startswith(f"credens {credens.__version__} "), done
    assert subprocess.run([sys.executable, "-m", "credens", "frobnicate"], capture_output=True).returncode == 2


# ---- dicts ----


def test_a_dict_of_columns_is_a_table(model, rows):
    x, _ = rows
    expected = model.predict(x).mean
    assert np.array_equal(model.predict({"b": x[:, 1], "a": x[:, 0].tolist(), "unused": ["?"] * len(x)}).mean, expected)
    assert model.predict({"a": x[0, 0], "b": float(x[0, 1])}).mean == expected[:1]  # one row


def test_a_dict_trains_what_a_file_trains(rows, tmp_path):
    x, y = rows
    words = np.where(x[:, 1] > 0, "up", "down").tolist()
    words[3] = None
    table = {"a": x[:, 0], "word": words, "y": y}
    lines = ["a,word,y", *(f"{a!r},{word or ''},{value!r}" for a, word, value in zip(x[:, 0].tolist(), words, y.tolist()))]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    options = {"members": 2, "epochs": 3, "hidden": (8,), "seed": 1}
    assert credens.fit(table, "y", **options) == credens.fit(tmp_path / "table.csv", "y", **options)
    weighted = credens.fit({**table, "w": np.arange(1.0, 81.0)}, "y", weights="w", **options)
    assert weighted.input_names == ["a", "word"]


@pytest.mark.parametrize(
    "table, sentence",
    [
        ({}, "inputs is an empty dict, expected columns by their names"),
        ({"a": [1.0, 2.0], "b": [1.0]}, "inputs: column 'b' has 1 rows, expected 2 as in column 'a'"),
        ({"a": [[1.0], [2.0]], "b": [1.0, 2.0]}, "inputs: column 'a' holds lists, expected one value for each row"),
        ({"a": [1.0]}, "b"),
    ],
)
def test_a_dict_that_is_no_table_is_refused(model, table, sentence):
    with pytest.raises(credens.CredensError) as error:
        model.predict(table)
    assert sentence in str(error.value)


# ---- predictions ----


def test_the_function_has_a_distribution_of_its_own(model, rows):
    p = model.predict(rows[0][:5])
    assert np.allclose(p.function_cdf(p.function_quantile(0.3)), 0.3, atol=1e-10)
    weights, mean, _, epistemic = p._core.components()
    by_hand = sum(w * math.erfc(-(0.2 - m) / math.sqrt(2 * e)) / 2 for w, m, e in zip(weights, mean[0, :, 0], epistemic[0, :, 0]))
    assert p.function_cdf(0.2)[0] == pytest.approx(by_hand, abs=1e-13)


def test_intervals_take_coverage_factors(model, rows):
    p = model.predict(rows[0])
    assert np.allclose(p.interval(coverage_factor=2).upper, p.mean + 2 * p.std)
    assert np.allclose(p.function_interval(coverage_factor=2).lower, p.mean - 2 * p.epistemic_std)
    with pytest.raises(credens.UsageError, match="both level and coverage_factor are given"):
        p.interval(0.9, coverage_factor=2)
    with pytest.raises(credens.UsageError, match="kind is 'mixture', expected 'gaussian'"):
        p.interval(kind="mixture", coverage_factor=2)
    with pytest.raises(credens.CredensError, match="coverage factor"):
        p.interval(coverage_factor=-1)


def program(*words):
    done = subprocess.run([os.environ["CREDENS_PROGRAM"], *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_frame_has_what_the_program_writes(model, rows, tmp_path, package):
    frames = pytest.importorskip(package)
    credens.save(model, tmp_path / "model.safetensors")
    np.savetxt(tmp_path / "rows.csv", rows[0], delimiter=",", header="a,b", comments="", fmt="%r")
    program("predict", tmp_path / "model.safetensors", tmp_path / "rows.csv", "--level", 0.9, "--quantiles", "0.05,0.5", "-o", tmp_path / "out.csv")
    exactly = {"float_precision": "round_trip"} if package == "pandas" else {}
    written = frames.read_csv(tmp_path / "out.csv", **exactly)
    made = model.predict(rows[0]).to_frame(level=0.9, quantiles=[0.05, 0.5], package=package)
    assert type(made) is type(written)
    assert list(made.columns) == list(written.columns)
    assert "height_mean [mm]" in made.columns and "height_quantile_0.05 [mm]" in made.columns
    assert np.array_equal(np.asarray(made), np.asarray(written))


def test_a_frame_of_classes_has_what_the_program_writes(rows, tmp_path):
    pandas = pytest.importorskip("pandas")
    x, y = rows
    model = credens.fit({"a": x[:, 0], "b": x[:, 1], "sign": np.where(y > 0, "up", "down")}, "sign", members=2, epochs=5, hidden=(8,))
    credens.save(model, tmp_path / "model.safetensors")
    np.savetxt(tmp_path / "rows.csv", x, delimiter=",", header="a,b", comments="", fmt="%r")
    program("predict", tmp_path / "model.safetensors", tmp_path / "rows.csv", "--std", "-o", tmp_path / "out.csv")
    written = pandas.read_csv(tmp_path / "out.csv", float_precision="round_trip")
    pandas.testing.assert_frame_equal(model.predict(x).to_frame(std=True, package="pandas"), written, check_exact=True)


def test_frames_of_arrays_and_of_several_outputs(rows):
    pytest.importorskip("pandas")
    x, y = rows
    model = credens.fit(x, np.column_stack([y, -y]), members=2, epochs=3, hidden=(8,))
    p = pickle.loads(pickle.dumps(model.predict(x[:4])))
    frame = p.to_frame(coverage_factor=2)
    assert list(frame.columns[:2]) == ["y0_mean", "y0_aleatoric_std"] and "y1_function_upper" in frame
    assert np.array_equal(frame["y1_upper"], p.interval(coverage_factor=2).upper[:, 1])
    with pytest.raises(credens.UsageError, match="package is 'numpy', expected 'pandas' or 'polars'"):
        p.to_frame(package="numpy")


# ---- estimators ----


@pytest.fixture(scope="module")
def estimators():
    return pytest.importorskip("credens.sklearn", reason="scikit-learn 1.6 or newer is not installed")


def small(estimators, **options):
    return estimators.CredensRegressor(**{"recipe": "paper", "members": 2, "hidden": [8], "epochs": 5, **options})


def test_functions_of_models_take_an_estimator(estimators, rows, tmp_path):
    regressor = small(estimators).fit(*rows)
    assert credens.score(regressor, *rows).rmse == credens.score(regressor.model_, *rows).rmse
    credens.save(regressor, tmp_path / "model.safetensors")
    assert credens.load(tmp_path / "model.safetensors") == regressor.model_
    credens.report(regressor, *rows, path=tmp_path / "report.html")
    credens.export(regressor, tmp_path / "model.onnx")
    assert (tmp_path / "report.html").exists() and (tmp_path / "model.onnx").exists()
    assert credens.inspect(regressor)["members"] == 2
    assert credens.widen(regressor, *rows, posterior="full").posterior == "full"
    with pytest.raises(credens.UsageError, match="model is a CredensRegressor that is not fitted yet: call fit first"):
        credens.save(small(estimators), tmp_path / "none")
    with pytest.raises(TypeError, match="model is dict, expected an Ensemble or a fitted CredensRegressor"):
        credens.save({}, tmp_path / "none")


def test_a_file_gives_a_regressor_back(estimators, rows, tmp_path):
    x, y = rows
    regressor = small(estimators).fit(x, y)
    credens.save(regressor, tmp_path / "model.safetensors")
    again = estimators.CredensRegressor.from_model(tmp_path / "model.safetensors")
    assert np.array_equal(again.predict(x), regressor.predict(x))
    assert again.n_features_in_ == 2 and again.score(x, y) == regressor.score(x, y)
    with pytest.raises(credens.UsageError, match="CredensRegressor.from_model takes it"):
        estimators.CredensClassifier.from_model(regressor.model_)
    labels = np.where(y > 0, "up", "down")
    classifier = estimators.CredensClassifier(effort="quick", members=2, epochs=3).fit(x, labels)
    assert np.array_equal(estimators.CredensClassifier.from_model(classifier.model_).predict(x), classifier.predict(x))


def test_a_regressor_takes_known_noise(estimators, rows):
    x, y = rows
    noise = np.linspace(0.05, 0.2, len(y))
    regressor = small(estimators, seed=4).fit(x, y, noise_std=noise)
    options = {"recipe": "paper", "members": 2, "hidden": [8], "epochs": 5, "seed": 4}
    assert regressor.model_ == credens.fit(x, y, noise_std=noise, **options)
    p = regressor.predict_dist(x, noise_std=noise)
    assert np.array_equal(p.std, regressor.model_.predict(x, noise_std=noise).std)
    assert np.array_equal(regressor.predict(x), p.mean)  # of which noise is no part
    assert regressor.score(x, y) > -10
    assert regressor.sample_y(x, 3, noise_std=0.1).shape == regressor.sample_y(x, 3, of="function").shape == (80, 3)
    again = estimators.CredensRegressor.from_model(regressor.model_)
    assert np.array_equal(again.predict(x), p.mean)
    assert small(estimators).fit(x, y, noise_std=0.1).predict(x, return_std=True, noise_std=0.1)[1].shape == y.shape
    with pytest.raises(credens.CredensError, match="noise_std"):
        regressor.predict_dist(x)


def test_distributions_come_through_a_pipeline(estimators, rows):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = rows
    pipeline = make_pipeline(StandardScaler(), small(estimators)).fit(x, y)
    p = estimators.predict_dist(pipeline, x)
    assert np.array_equal(p.mean, pipeline.predict(x))


# ---- sentences ----

WRONG = {"members": "three", "hidden": object(), "activation": 3.5, "epochs": [1, 2], "batch": "many", "learning_rate": "fast", "seed": -1,
         "threads": -2, "memory": "much", "posterior": "wide", "noise": 7, "schedule": 1, "folds": -3, "prior_precision": -1.0, "patience": 0,
         "validation_fraction": 2.0, "effort": "", "recipe": "", "random_bias": "perhaps", "weights": "w", "noise_std": [1.0], "group": [1],
         "time": object(), "input_names": ["a"], "target_names": 3, "categories": ["q"], "numbers": [9], "dates": 1.5, "classes": 1,
         "counts": "c", "task": "guess", "strict": "yes", "validation": [1], "progress": 3, "embedding": -1, "frequencies": 0}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_the_argument(rows, name):
    with pytest.raises((credens.CredensError, TypeError)) as error:
        credens.fit(*rows, **{"members": 2, "epochs": 1, "hidden": (4,), name: WRONG[name]})
    words = {"validation_fraction": "validation", "prior_precision": "lambda"}
    found = str(error.value).replace("-", "_")
    assert name in found or words.get(name, name) in found, error.value

# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments, systematically: every parameter of every public function is given values of other types. Each is taken, or refused
with one sentence by an error class of Credens."""

import contextlib
import inspect
import io
import warnings

import numpy as np
import pytest

import credens
import credens.datasets
from credens._dataset import dataset_of

X = np.linspace(-1, 1, 24).reshape(12, 2)
Y = X[:, 0] - X[:, 1]
LABELS = np.array(["low", "high", "none"] * 4)
QUICK = {"recipe": "paper", "members": 2, "epochs": 1, "hidden": (3,), "progress": False}
FEATURES, MEAN, LOGITS = np.ones((2, 5, 3)), np.zeros((2, 5)), np.zeros((2, 5, 3))

WRONG = {
    "an object": object(),
    "a class": type("Taker", (), {"__init__": lambda self, *_: None}),
    "a function": lambda *_: None,
    "bytes": b"x",
    "a word": "x",
    "no word": "",
    "a control character": "\x1b[2J",
    "a negative number": -7,
    "a fraction": 1.5,
    "nan": float("nan"),
    "infinity": float("inf"),
    "a complex number": 1j,
    "a huge number": 10**30,
    "true": True,
    "an empty list": [],
    "an empty dict": {},
    "a dict": {"x": 1},
    "a set": {1, 2},
    "a list of objects": [object(), None],
    "a ragged list": [[1], [2, 3]],
    "a list of lists": [[[1]]],
    "an array of words": np.array(["x", "y"]),
    "an array without rows": np.zeros((0, 2)),
    "an array of four axes": np.zeros((1, 1, 1, 1)),
    "an array of complex numbers": np.ones(12, dtype=complex),
    "times": np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"),
    "spans of time": np.zeros(12, dtype="timedelta64[s]"),
    "a masked array": np.ma.masked_all(12),
    "records": np.zeros(12, dtype=[("a", float), ("b", int)]),
}


class Hostile:
    """Has nothing of what is asked for, and fails when it is looked at."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    def __repr__(self):
        raise RuntimeError("no text")


WRONG["a hostile object"] = Hostile()


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """What calls are made of."""
    folder = tmp_path_factory.mktemp("wrong")
    model = credens.fit(X, Y, **QUICK)
    classes = credens.fit(X, LABELS, **QUICK)
    foreign = credens.widen_outputs(FEATURES, MEAN, 0.1, prior_precision=1.0)
    outputs = credens.MemberOutputs(FEATURES, MEAN, 0.1, prior_precision=1.0)
    credens.save_outputs(outputs, folder / "outputs")
    (folder / "t.csv").write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for (a, b), y in zip(X, Y)))
    return {"folder": folder, "model": model, "classes": classes, "foreign": foreign, "outputs": outputs, "data": credens.Dataset(X, Y)}


def calls(p):
    """Name, function, and arguments with which it works."""
    model, classes, foreign, data, folder = p["model"], p["classes"], p["foreign"], p["data"], p["folder"]
    rows, labels, table = model.predict(X), classes.predict(X), {"a": X[:, 0], "b": X[:, 1], "y": Y}
    arrays = {"features": FEATURES, "mean": MEAN, "variance": 0.1}
    yield "fit", credens.fit, {"data": X, "targets": Y, **QUICK}
    yield "fit of classes", credens.fit, {"data": X, "targets": LABELS, **QUICK}
    yield "fit of a table", credens.fit, {"data": table, "targets": "y", **QUICK}
    yield "Dataset", credens.Dataset, {"inputs": X, "targets": Y}
    yield "Dataset.from_table", credens.Dataset.from_table, {"table": table, "targets": "y"}
    yield "Dataset.from_file", credens.Dataset.from_file, {"path": folder / "t.csv", "targets": "y"}
    yield "Dataset.from_csv", credens.Dataset.from_csv, {"path": folder / "t.csv", "targets": "y"}
    yield "Dataset._read", credens.Dataset._read, {"path": folder / "t.csv", "is_text": True, "targets": "y"}
    yield "Dataset.select", data.select, {"rows": [0, 1]}
    yield "Dataset.split", data.split, {}
    yield "widen", credens.widen, {"model": model, "data": X, "targets": Y}
    yield "widen_outputs", credens.widen_outputs, {**arrays, "prior_precision": 1.0}
    yield "widen_outputs of classes", credens.widen_outputs, {"features": FEATURES, "logits": LOGITS, "prior_precision": 1.0}
    yield "widen_outputs of a folder", credens.widen_outputs, {"features": folder / "outputs"}
    yield "save_outputs", credens.save_outputs, {"outputs": p["outputs"], "path": folder / "again"}
    yield "load_outputs", credens.load_outputs, {"path": folder / "outputs"}
    yield "save", credens.save, {"model": model, "path": folder / "m"}
    yield "load", credens.load, {"path": folder / "m"}
    yield "export", credens.export, {"model": model, "path": folder / "m.onnx"}
    yield "score", credens.score, {"prediction": model, "data": X, "targets": Y}
    yield "score of predictions", credens.score, {"prediction": rows, "data": Y}
    yield "score of classes", credens.score, {"prediction": classes, "data": X, "targets": LABELS}
    yield "score of probabilities", credens.score, {"prediction": labels, "data": LABELS}
    yield "report", credens.report, {"model": model, "data": X, "targets": Y, "path": folder / "r.html"}
    yield "report of classes", credens.report, {"model": classes, "data": X, "targets": LABELS, "path": folder / "r.html"}
    yield "inspect", credens.inspect, {"model": model}
    for name, owner, given in (("Ensemble", model, {"inputs": X}), ("Ensemble of classes", classes, {"inputs": X})):
        yield f"{name}.predict", owner.predict, given
        yield f"{name}.sample", owner.sample, {**given, "draws": 3}
        yield f"{name}.joint_epistemic_covariance", owner.joint_epistemic_covariance, given
    yield "Ensemble.predict_classes", classes.predict_classes, {"inputs": X}
    yield "Ensemble.predict_outputs", foreign.predict_outputs, arrays
    yield "Ensemble.sample_outputs", foreign.sample_outputs, {**arrays, "draws": 3}
    yield "Ensemble.with_weights", model.with_weights, {"weights": [1, 2]}
    yield "Ensemble.elbo", model.elbo, {}
    for name in ("interval", "function_interval", "sample", "to_frame"):
        yield f"Predictive.{name}", getattr(rows, name), {}
    for name in ("quantile", "function_quantile"):
        yield f"Predictive.{name}", getattr(rows, name), {"p": 0.5}
    for name in ("cdf", "function_cdf", "pdf", "log_prob"):
        yield f"Predictive.{name}", getattr(rows, name), {"y": Y}
    for name in ("aleatoric_covariance", "epistemic_covariance", "total_covariance"):
        yield f"Predictive.{name}", getattr(rows, name), {"row": 0}
    yield "ClassPredictive.log_prob", labels.log_prob, {"y": LABELS}
    yield "ClassPredictive.sample", labels.sample, {}
    yield "ClassPredictive.to_frame", labels.to_frame, {}
    yield "datasets.simulate", credens.datasets.simulate, {"problem": "figure1", "rows": 3}
    yield "datasets.load", credens.datasets.load, {"name": "yacht", "folder": folder}
    yield "datasets.fetch", credens.datasets.fetch, {"name": "yacht", "folder": folder / "data", "source": folder}


def parameters_of(function):
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [name for name, parameter in inspect.signature(function).parameters.items() if parameter.kind not in kinds and name != "is_text"]


def outcome(function, arguments):
    """None for what is taken or refused as it should be, else what is wrong."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            function(**arguments)
    except credens.CredensError as error:
        sentence = str(error)
        return None if sentence and "\n" not in sentence and "\x1b" not in sentence else f"{type(error).__name__}: {sentence!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def test_wrong_arguments(parts, monkeypatch):
    monkeypatch.chdir(parts["folder"])  # words are names of files too
    tried, faults = 0, []
    for name, function, arguments in calls(parts):
        for parameter in parameters_of(function):
            for kind, value in WRONG.items():
                tried += 1
                fault = outcome(function, {**arguments, parameter: value})
                if fault is not None:
                    faults.append(f"{name}({parameter}={kind}): {fault}")
    print(f"{tried} wrong arguments")
    assert not faults, f"{len(faults)} of {tried}:\n" + "\n".join(faults)
    assert tried > 1000


def test_all_arguments_work(parts):
    for name, function, arguments in calls(parts):
        if not name.startswith("datasets."):
            assert outcome(function, arguments) is None, name
    assert len(dataset_of(parts["data"])) == 12

# SPDX-License-Identifier: Apache-2.0
"""Models that predict classes: those of the command line, with scores that scikit-learn finds too."""

import csv
import io
import json
import pickle
import re

import numpy as np
import pytest

import credens

QUICK = {"members": 4, "epochs": 15, "hidden": (12, 8), "seed": 5}
NAMES = ["ash", "elm", "oak"]


def table(rows=120, seed=1):
    """Inputs [N, 2] and one of three words [N], which the inputs do not quite tell."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, (rows, 2))
    logits = 2 * np.column_stack([x[:, 0], x[:, 1], -x.sum(axis=1)]) + generator.gumbel(size=(rows, 3))
    return x, np.array(NAMES)[np.argmax(logits, axis=1)]


def write_table(path, x, y):
    lines = ["a,b,tree", *(f"{a!r},{b!r},{label}" for (a, b), label in zip(x.tolist(), y))]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def trees():
    return credens.fit(*table(), **QUICK, input_names=["a", "b"], target_names=["tree"])


@pytest.fixture(scope="module")
def new_rows():
    return table(rows=70, seed=2)


# ---- predictions ----


def test_a_fit_is_that_of_the_command_line(trees, tmp_path, program):
    write_table(tmp_path / "train.csv", *table())
    program("fit", "train.csv", "--target", "tree", "--members", 4, "--epochs", 15, "--hidden", "12,8", "--seed", 5, "-o", "m.safetensors")
    assert credens.load(tmp_path / "m.safetensors") == trees
    assert credens.fit(tmp_path / "train.csv", "tree", **QUICK) == trees
    assert trees.task == "classification" and trees.classes == NAMES and trees.outputs == 3


def test_predictions_are_those_of_the_command_line(trees, new_rows, tmp_path, program):
    x, y = new_rows
    credens.save(trees, tmp_path / "m.safetensors")
    write_table(tmp_path / "new.csv", x, y)
    program("predict", "m.safetensors", "new.csv", "--std", "-o", "p.csv")
    written = list(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text())))
    p = trees.predict(x)
    assert [row["tree_class"] for row in written] == p.predicted.tolist()
    column = lambda name: np.array([float(row[name]) for row in written])
    for k, name in enumerate(NAMES):
        np.testing.assert_allclose(column(f"tree_probability_{name}"), p.probability[:, k], rtol=1e-12)
        np.testing.assert_allclose(column(f"tree_epistemic_std_{name}"), p.epistemic_std[:, k], rtol=1e-9)
    for name in ("entropy", "aleatoric", "epistemic"):
        np.testing.assert_allclose(column(f"tree_{name}"), getattr(p, name), rtol=1e-9, atol=1e-15)


def test_probabilities_are_what_they_are_called(trees, new_rows):
    p = trees.predict(new_rows[0])
    assert isinstance(p, credens.ClassPredictive) and len(p) == 70 and p.classes == NAMES
    np.testing.assert_allclose(p.probability.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(p.entropy, -np.sum(p.probability * np.log(p.probability), axis=1), rtol=1e-12)
    np.testing.assert_allclose(p.entropy, p.aleatoric + p.epistemic, rtol=1e-12)
    assert np.all(p.between_members <= p.epistemic) and np.all(p.between_members >= 0) and np.all(p.epistemic > 0)
    np.testing.assert_array_equal(p.epistemic_std**2, np.sqrt(p.epistemic_variance) ** 2)
    np.testing.assert_array_equal(p.predicted, np.array(NAMES)[p.probability.argmax(axis=1)])
    np.testing.assert_array_equal(p.confidence, p.probability.max(axis=1))
    again = trees.predict_classes(new_rows[0], threads=1)
    np.testing.assert_array_equal(again.probability, p.probability)
    assert not p.probability.flags.writeable and repr(p) == "ClassPredictive(rows=70, classes=['ash', 'elm', 'oak'])"


def test_the_classical_ensemble_inside(trees, new_rows):
    narrow = credens.widen(trees, *table(), posterior="delta", input_names=["a", "b"], target_names=["tree"])
    classical = trees.predict_classes(new_rows[0], classical=True)
    np.testing.assert_array_equal(classical.probability, narrow.predict(new_rows[0]).probability)
    np.testing.assert_allclose(classical.between_members, classical.epistemic, rtol=1e-9, atol=1e-15)
    assert np.any(classical.probability != trees.predict(new_rows[0]).probability)


def test_draws_have_the_moments_of_the_prediction(trees, new_rows):
    x = new_rows[0][:5]
    p = trees.predict(x)
    functions = trees.sample(x, 20000, seed=1)
    assert functions.shape == (20000, 5, 3)
    np.testing.assert_allclose(functions.sum(axis=2), 1, rtol=1e-12)
    np.testing.assert_allclose(functions.mean(axis=0), p.probability, atol=0.01)
    np.testing.assert_allclose(functions.std(axis=0), p.epistemic_std, atol=0.02)
    labels = trees.sample(x, 20000, of="observation", seed=1)
    assert set(np.unique(labels)) == {0, 1} and np.all(labels.sum(axis=2) == 1)
    np.testing.assert_allclose(labels.mean(axis=0), p.probability, atol=0.02)
    drawn = p.sample(20000, seed=2)
    assert drawn.shape == (20000, 5)
    shares = np.stack([(drawn == name).mean(axis=0) for name in NAMES], axis=1)
    np.testing.assert_allclose(shares, p.probability, atol=0.02)


def test_numbers_and_flags_are_predicted_as_they_are():
    x, y = table()
    codes = np.array([NAMES.index(label) for label in y])
    digits = credens.fit(x, 5 * codes, task="classification", **QUICK)
    assert digits.classes == [0, 5, 10] and digits.predict(x).predicted.dtype.kind == "i"
    assert credens.score(digits, x, 5 * codes).extended.accuracy == np.mean(digits.predict(x).predicted == 5 * codes)
    flags = credens.fit(x, codes == 1, **QUICK)
    assert flags.classes == ["False", "True"]
    accuracy = np.mean(flags.predict(x).predicted == (codes == 1).astype(str))
    assert credens.score(flags.predict(x), codes == 1).accuracy == accuracy == credens.score(flags, x, codes == 1).extended.accuracy


def test_words_and_numbers_give_the_same_probabilities():
    """Classes whose order is the same, called otherwise."""
    x, y = table()
    codes = [NAMES.index(label) for label in y]
    words = credens.fit(x, y, **QUICK).predict(x)
    np.testing.assert_array_equal(credens.fit(x, codes, task="classification", **QUICK).predict(x).probability, words.probability)
    turned = credens.fit(x, y, classes=NAMES[::-1], **QUICK)
    assert turned.classes == NAMES[::-1] and turned.predict(x).classes == NAMES[::-1]
    assert credens.fit(x, y, classes=[*NAMES, "yew"], **QUICK).predict(x).probability.shape == (120, 4)


def test_counts_of_one_row_are_rows():
    x, y = table()
    counts = (y[:, np.newaxis] == np.array(NAMES)).astype(float)
    model = credens.fit(x, counts=counts, classes=NAMES, **QUICK)
    assert model.classes == NAMES
    p, q = model.predict(x), credens.fit(x, y, **QUICK).predict(x)
    np.testing.assert_allclose(p.probability, q.probability, atol=0.15)
    found = credens.score(model, x, counts=counts, classes=NAMES)
    assert found.extended.accuracy == np.mean(p.predicted == y) == credens.score(model, x, y).extended.accuracy


def test_counts_are_columns_of_a_table(tmp_path, program):
    pandas = pytest.importorskip("pandas")
    x, y = table(rows=60)
    counts = np.random.default_rng(3).poisson(1, (60, 3)) + (y[:, np.newaxis] == np.array(NAMES))
    frame = pandas.DataFrame({"a": x[:, 0], "b": x[:, 1], **dict(zip(NAMES, counts.T))})
    frame.to_csv(tmp_path / "t.csv", index=False)
    program("fit", "t.csv", "--counts", ",".join(NAMES), "--members", 4, "--epochs", 15, "--hidden", "12,8", "--seed", 5, "-o", "m.safetensors")
    model = credens.fit(frame, counts=NAMES, **QUICK)
    assert model == credens.load(tmp_path / "m.safetensors") == credens.fit(tmp_path / "t.csv", counts=NAMES, **QUICK)
    found = credens.score(model, frame, counts=NAMES)
    assert found == json.loads(program("evaluate", "m.safetensors", "t.csv", "--json"))
    p = model.predict(frame)
    assert found.extended.log_loss == pytest.approx(-np.sum(counts * np.log(p.probability)) / counts.sum(), rel=1e-9)


def test_validation_rows_may_meet_the_classes_in_another_order():
    x, y = table()
    order = np.argsort(y, kind="stable")[::-1]
    rows = credens.Dataset(x[:40], y[:40]), credens.Dataset(x[:40][order[order < 40]], y[:40][order[order < 40]])
    options = {"recipe": "paper", "members": 2, "epochs": 30, "hidden": (8,), "patience": 5}
    first, second = (credens.fit(x[40:], y[40:], validation=validation, **options).predict(x) for validation in rows)
    np.testing.assert_allclose(first.probability, second.probability, rtol=1e-6)


def test_frames_are_read_by_name(trees, new_rows):
    pandas = pytest.importorskip("pandas")
    x, y = table()
    frame = pandas.DataFrame({"a": x[:, 0], "b": x[:, 1], "tree": pandas.Categorical(y)})
    assert credens.fit(frame, "tree", **QUICK) == trees
    new = pandas.DataFrame({"b": new_rows[0][:, 1], "tree": new_rows[1], "a": new_rows[0][:, 0]})
    np.testing.assert_array_equal(trees.predict(new).probability, trees.predict(new_rows[0]).probability)
    found = credens.score(trees, new, "tree")
    assert found == credens.score(trees, *new_rows, input_names=["a", "b"], target_names=["tree"])
    back = new.assign(tree=trees.predict(new).predicted)
    assert credens.score(trees, back, "tree").extended.accuracy == 1


# ---- files, copies, summaries ----


def test_saves_loads_and_pickles(trees, new_rows, tmp_path, program):
    credens.save(trees, tmp_path / "m.safetensors")
    loaded, copied = credens.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(trees))
    assert loaded == copied == trees and loaded.classes == NAMES and loaded.expected == trees.expected
    assert credens.inspect(trees) == json.loads(program("inspect", "m.safetensors", "--json"))
    p = trees.predict(new_rows[0])
    again = pickle.loads(pickle.dumps(p))
    assert again.classes == p.classes
    for name in ("probability", "epistemic_std", "entropy", "aleatoric", "epistemic", "between_members", "predicted"):
        np.testing.assert_array_equal(getattr(again, name), getattr(p, name))
    assert repr(trees) == f"Ensemble(members=4, inputs=['a', 'b'], classes={NAMES}, posterior={trees.posterior!r})"


def test_an_export_is_that_of_the_command_line(trees, tmp_path, program):
    credens.save(trees, tmp_path / "m.safetensors")
    program("export", "m.safetensors", "-o", "cli.onnx")
    credens.export(trees, tmp_path / "python.onnx")
    graph = (tmp_path / "python.onnx").read_bytes()
    assert graph == (tmp_path / "cli.onnx").read_bytes() and json.dumps(NAMES, separators=(",", ":")).encode() in graph


def test_the_expectation_is_that_of_the_file(trees):
    expected = trees.expected
    assert isinstance(expected, credens.ClassExpectation) and expected.rows == 96  # four members, five folds
    document = credens.inspect(trees)["expected"]
    assert document.pop("rows") == 96
    assert document == {name: getattr(expected, name)._asdict() for name in document} and len(document) == 5
    assert 0 < expected.accuracy.value <= 1 and expected.log_loss.standard_error > 0
    assert trees.with_weights([1, 2, 3, 4]).expected is None


def test_pictures_for_notebooks(trees, new_rows):
    page = trees.predict(new_rows[0])._repr_html_()
    assert "3 (ash, elm, oak)" in page and "48 of 70 rows, by entropy" in page and 'role="img"' in page
    assert "3 (ash, elm, oak)" in trees._repr_html_()
    assert "rows" in trees.predict(np.empty((0, 2)))._repr_html_()


# ---- scores ----


def test_scores_are_those_of_evaluate(trees, new_rows, tmp_path, program):
    credens.save(trees, tmp_path / "m.safetensors")
    write_table(tmp_path / "test.csv", *new_rows)
    far = new_rows[0] + 5
    write_table(tmp_path / "far.csv", far, new_rows[1])
    expected = json.loads(program("evaluate", "m.safetensors", "test.csv", "--json"))
    found = credens.score(trees, *new_rows)
    assert found == expected and list(found) == list(expected)
    expected = json.loads(program("evaluate", "m.safetensors", "test.csv", "--json", "--foreign", "far.csv", "--by", "epistemic"))
    assert credens.score(trees, *new_rows, foreign=far, by="epistemic") == expected
    assert credens.score(trees, credens.Dataset(*new_rows)) == found


def test_scores_are_those_of_scikit_learn(trees, new_rows):
    metrics = pytest.importorskip("sklearn.metrics")
    x, y = new_rows
    weights = np.linspace(1, 2, 70)
    p = trees.predict(x)
    one_hot = y[:, np.newaxis] == np.array(NAMES)
    for w in (None, weights):
        found = credens.score(p, y, weights=w)
        assert found.log_loss == pytest.approx(metrics.log_loss(y, p.probability, sample_weight=w), rel=1e-9)
        assert found.accuracy == pytest.approx(metrics.accuracy_score(y, p.predicted, sample_weight=w), rel=1e-12)
        assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(y, p.predicted, sample_weight=w), rel=1e-9)
        assert found.brier == pytest.approx(np.average(((p.probability - one_hot) ** 2).sum(axis=1), weights=w), rel=1e-9)
        whole = credens.score(trees, x, y, weights=w)
        assert {name: whole.extended[name] for name in found} == found
        np.testing.assert_allclose(whole.confusion, metrics.confusion_matrix(y, p.predicted, sample_weight=w), rtol=1e-9)
    assert credens.score(p, one_hot.astype(float)).log_loss == credens.score(p, y).log_loss
    np.testing.assert_allclose(-p.log_prob(y).mean(), credens.score(p, y).log_loss, rtol=1e-12)


def test_the_auroc_and_brier_score_of_two_classes():
    metrics = pytest.importorskip("sklearn.metrics")
    x, y = table()
    two = np.where(y == "ash", "yes", "no")
    p = credens.fit(x, two, **QUICK).predict(x)
    found = credens.score(p, two)
    assert found.auroc == pytest.approx(metrics.roc_auc_score(two == "yes", p.probability[:, 1]), rel=1e-9)
    assert found.brier == pytest.approx(2 * metrics.brier_score_loss(two == "yes", p.probability[:, 1]), rel=1e-9)
    assert credens.score(p, ["no"] * 120).auroc is None


def test_rows_of_training_are_recognised(new_rows):
    x, y = table(rows=400, seed=5)
    model = credens.fit(x, y, recipe="paper", members=2, epochs=2, hidden=(4,))
    order = np.random.default_rng(1).permutation(400)
    assert credens.score(model, x[order], y[order]).training_share == 1
    assert credens.score(model, *table(rows=400, seed=6)).training_share == 0


# ---- what is refused ----


def test_labels_that_the_model_does_not_know(trees, new_rows):
    x, y = new_rows
    strange = y.astype(object)
    strange[3] = "fir"
    with pytest.raises(credens.DataError, match='row 3 is "fir", a class that the training rows did not have, expected one of ash, elm, oak'):
        credens.score(trees, x, strange)
    with pytest.raises(credens.DataError, match="y: row 3 is 'fir', expected one of the classes"):
        credens.score(trees.predict(x), strange)
    with pytest.raises(credens.UsageError, match='the class "ash" is no number, but the target "y" has numbers'):
        credens.score(trees, x, np.arange(70))


def charts_of(path):
    return re.findall(r'<script type="application/json">(.*?)</script>', path.read_text())


def test_a_report_has_the_charts_of_the_command_line(trees, new_rows, tmp_path, program):
    x, y = new_rows
    credens.save(trees, tmp_path / "m.safetensors")
    write_table(tmp_path / "new.csv", x, y)
    write_table(tmp_path / "foreign.csv", 4 + x, y)
    program("report", "m.safetensors", "new.csv", "--foreign", "foreign.csv", "-o", "expected.html")
    expected = charts_of(tmp_path / "expected.html")
    assert len(expected) == 10
    credens.report(trees, x, y, path=tmp_path / "arrays.html", foreign=4 + x)
    credens.report(trees, tmp_path / "new.csv", "tree", path=tmp_path / "files.html", foreign=tmp_path / "foreign.csv")
    assert charts_of(tmp_path / "arrays.html") == charts_of(tmp_path / "files.html") == expected
    page = (tmp_path / "arrays.html").read_text()
    assert "For the 70 rows of the data, the model has a log loss of" in page and "rows of training:" not in page
    credens.report(trees, *table(), path=tmp_path / "training.html")
    assert "These are rows of training" in (tmp_path / "training.html").read_text()


def test_a_report_needs_no_targets(trees, new_rows, tmp_path, program):
    x, y = new_rows
    credens.save(trees, tmp_path / "m.safetensors")
    (tmp_path / "inputs.csv").write_text("a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in x.tolist()))
    program("report", "m.safetensors", "inputs.csv", "-o", "expected.html")
    credens.report(trees, x, path=tmp_path / "found.html")
    assert charts_of(tmp_path / "found.html") == charts_of(tmp_path / "expected.html") != []
    assert "which have no tree to compare it with" in (tmp_path / "found.html").read_text()


def test_a_report_leaves_out_rows_without_target(trees, new_rows, tmp_path):
    x, y = new_rows
    labels = y.astype(object)
    labels[[4, 9]] = None
    with pytest.warns(UserWarning, match="2 of 70 rows without target are left out"):
        credens.report(trees, x, labels, path=tmp_path / "gaps.html")
    kept = np.delete(np.arange(70), [4, 9])
    credens.report(trees, x[kept], y[kept], path=tmp_path / "kept.html")
    assert charts_of(tmp_path / "gaps.html") == charts_of(tmp_path / "kept.html")


def test_words_that_look_like_measurements_are_no_classes_unasked():
    x = np.linspace(0, 1, 30)[:, np.newaxis]
    shares = [f"{value:.0f} %" for value in 10 * x[:, 0]]
    with pytest.raises(credens.DataError, match="look like numbers with a percent sign, such as \"0 %\": a regression needs plain numbers"):
        credens.fit(x, shares, **QUICK)
    assert len(credens.fit(x, shares, task="classification", **QUICK).classes) == 11
    with pytest.raises(credens.DataError, match='holds 30 different words in 30 rows, such as "row 0"'):
        credens.fit(x, [f"row {i}" for i in range(30)], **QUICK)


def test_a_label_that_is_missing_leaves_its_row_out():
    pandas = pytest.importorskip("pandas")
    x = np.linspace(0, 1, 30)[:, np.newaxis]
    for missing in (None, float("nan"), pandas.NA):
        labels = np.array(["low", "high", "low"] * 10, dtype=object)
        labels[4] = missing
        for given in (labels, labels.tolist(), pandas.Series(labels), pandas.Series(labels).astype("category"), pandas.Series(labels).astype("string")):
            with pytest.warns(UserWarning, match="1 of 30 rows without target is left out"):
                assert credens.fit(x, given, **QUICK).classes == ["high", "low"]


def test_one_class_is_not_enough():
    with pytest.raises(credens.DataError, match='the target "y" has 1 class, expected at least 2'):
        credens.fit(np.arange(10.0), ["a"] * 10, **QUICK)


def test_what_classes_do_not_have(trees, new_rows, tmp_path):
    x, y = new_rows
    calls = {
        "noise_std is given, which classes do not have": lambda: trees.predict(x, noise_std=np.ones(70)),
        "noise_std is given, which classes": lambda: trees.sample(x, 2, noise_std=np.ones(70)),
        "noise is given, but a classification has no noise": lambda: credens.fit(x, y, **QUICK, noise="constant"),
        "level is for models that predict numbers": lambda: credens.score(trees, x, y, level=0.9),
        "truth is for models that predict numbers": lambda: credens.score(trees, x, y, truth=np.ones(70)),
        "level is for models that predict": lambda: credens.report(trees, x, y, path=tmp_path / "r.html", level=0.9),
        "by is \"size\", expected confidence or epistemic": lambda: credens.score(trees, x, y, by="size"),
        "logits is missing: the model predicts classes": lambda: trees.predict_outputs(np.ones((4, 2, 8)), np.ones((4, 2, 3)), 1.0),
        "this model predicts classes": lambda: trees.joint_epistemic_covariance(x),
    }
    for sentence, call in calls.items():
        with pytest.raises(ValueError) as caught:
            call()
        assert sentence in str(caught.value)


def test_what_numbers_do_not_have(new_rows):
    x, y = new_rows
    model = credens.fit(x, x[:, 0], **QUICK)
    assert model.task == "regression" and model.classes == []
    for sentence, call in {
        "this model predicts numbers, not classes": lambda: model.predict_classes(x),
        "foreign is for models that predict classes": lambda: credens.score(model, x, x[:, 0], foreign=x),
        "the rows have classes, but the model predicts numbers": lambda: credens.score(model, credens.Dataset(x, y)),
    }.items():
        with pytest.raises(credens.UsageError, match=sentence):
            call()

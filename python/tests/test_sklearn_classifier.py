# SPDX-License-Identifier: Apache-2.0
"""CredensClassifier keeps scikit-learn's contract, for labels of any type."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn 1.6 or newer is not installed")

import credens
from credens.sklearn import CredensClassifier, CredensRegressor, brier, brier_scorer, log_loss, log_loss_scorer
from sklearn import metrics
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_sklearn import EXPECTED_TO_FAIL


def small(**options):
    """A classifier that is trained in no time."""
    return CredensClassifier(**{"recipe": "paper", "members": 2, "hidden": [16], "epochs": 20, **options})


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(4)
    x = generator.uniform(-2, 2, (90, 3))
    logits = 2 * np.column_stack([x[:, 0], x[:, 1], -x[:, 0] - x[:, 1]])
    return x, np.array(["ash", "elm", "oak"])[np.argmax(logits + generator.gumbel(size=(90, 3)), axis=1)]


@pytest.fixture(scope="module")
def fitted(rows):
    return small(epochs=60).fit(*rows)


@parametrize_with_checks(
    [CredensClassifier(recipe="paper", members=2, hidden=[32], epochs=40), CredensClassifier(effort="quick", members=4)],
    expected_failed_checks=lambda classifier: EXPECTED_TO_FAIL if classifier.recipe == "auto" else {},
)
def test_keeps_the_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("missing", [None, float("nan"), "pandas"])
def test_a_label_that_is_missing_is_refused(rows, missing):
    x, y = rows
    if missing == "pandas":
        missing = pytest.importorskip("pandas").NA
    for labels in (y.astype(object), np.arange(90).astype(object) % 3):
        labels[7] = missing
        for given in (labels, labels.tolist()):
            with pytest.raises(credens.DataError, match="^y: row 7 is .*, expected a label; leave rows without one out$"):
                small().fit(x, given)


# ---- predictions ----


def test_predicts_what_the_functional_way_predicts(rows, fitted):
    x, y = rows
    expected = credens.fit(x, y, recipe="paper", members=2, hidden=[16], epochs=60).predict(x)
    np.testing.assert_array_equal(fitted.predict_proba(x), expected.probability)
    np.testing.assert_array_equal(fitted.predict(x), expected.predicted)
    np.testing.assert_array_equal(fitted.predict_log_proba(x), np.log(expected.probability))
    assert fitted.classes_.tolist() == fitted.model_.classes == ["ash", "elm", "oak"] and is_classifier(fitted)
    assert fitted.predict_proba(x).flags.writeable


def test_gives_one_object_with_everything(rows, fitted):
    dist = fitted.predict_dist(rows[0])
    assert isinstance(dist, credens.ClassPredictive)
    np.testing.assert_allclose(dist.entropy, dist.aleatoric + dist.epistemic, rtol=1e-12)
    np.testing.assert_array_equal(dist.predicted, fitted.predict(rows[0]))


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a", "c"],
        np.array(["b", "a", "c"], dtype=object),
        [True, False],
        [7, -1, 10],
        np.array([2, 0, 1], dtype=np.uint8),
        [1.0, 2.0],
        ["NA", "", "yes"],  # missing values of a table
        ["1", "01", "1.0"],  # one number to a table
        ["10", "9", "8"],
        [2**60, 2**60 + 1],  # one double
        ["a ", "a", " a"],
    ],
    ids=str,
)
def test_labels_of_any_type_come_back(rows, labels):
    x, y = rows
    labels = np.asarray(labels)
    numbers = np.searchsorted(["ash", "elm", "oak"], y) % len(labels)
    given = labels[numbers]
    classifier = small(epochs=150).fit(x, given)
    np.testing.assert_array_equal(classifier.classes_, np.unique(given))
    predicted = classifier.predict(x)
    assert predicted.dtype == classifier.classes_.dtype and set(predicted) <= set(given)
    np.testing.assert_array_equal(predicted, classifier.classes_[classifier.predict_proba(x).argmax(axis=1)])
    assert classifier.score(x, given) == np.mean(predicted == given) > 0.5
    dist = classifier.predict_dist(x)
    assert log_loss(given, dist) == pytest.approx(metrics.log_loss(given, dist.probability, labels=classifier.classes_), rel=1e-9)
    same = np.searchsorted(classifier.classes_, given)
    np.testing.assert_array_equal(small(epochs=150).fit(x, same).predict_proba(x), classifier.predict_proba(x))


def test_is_exported_with_its_classes(fitted, tmp_path):
    credens.export(fitted.model_, tmp_path / "trees.onnx")
    assert b'["ash","elm","oak"]' in (tmp_path / "trees.onnx").read_bytes()


def test_draws_have_the_shares_of_the_probabilities(rows, fitted):
    x = rows[0][:5]
    probability = fitted.predict_proba(x)
    draws = fitted.sample_y(x, n_samples=20000, random_state=3)
    assert draws.shape == (5, 20000)
    shares = np.stack([(draws == label).mean(axis=1) for label in fitted.classes_], axis=1)
    np.testing.assert_allclose(shares, probability, atol=0.02)
    functions = fitted.sample_y(x, n_samples=20000, random_state=3, of="function")
    assert functions.shape == (5, 3, 20000)
    np.testing.assert_allclose(functions.mean(axis=2), probability, atol=0.01)
    assert np.any(fitted.sample_y(x, 50, random_state=1) != fitted.sample_y(x, 50, random_state=2))


# ---- training ----


def test_row_weights_enter_the_fit(rows):
    x, y = rows
    even = small().fit(x, y).predict_proba(x)
    assert np.any(small().fit(x, y, sample_weight=np.arange(90.0)).predict_proba(x) != even)
    weights = np.where(y == "ash", 20.0, 1.0)
    assert np.all(small().fit(x, y, sample_weight=weights).predict_proba(x)[:, 0].mean() > even[:, 0].mean())


def test_groups_are_held_out_together(rows):
    x, y = rows
    groups = np.repeat(np.arange(15), 6)
    auto = CredensClassifier(effort="quick", members=5, epochs=5)
    assert np.any(auto.fit(x, y, groups=groups).predict_proba(x) != clone(auto).fit(x, y).predict_proba(x))


def test_takes_tables_with_words_gaps_and_dates():
    pandas = pytest.importorskip("pandas")
    generator = np.random.default_rng(0)
    words = generator.choice(["a", "b", "c"], 60)
    table = pandas.DataFrame({"x": generator.normal(size=60), "word": words, "day": pandas.date_range("2024-01-01", periods=60)})
    table.loc[3, ["x", "word", "day"]] = None
    y = pandas.Series(np.where(words == "a", "yes", "no"), name="answer").astype("category")
    classifier = small(epochs=300).fit(table, y)
    assert classifier.feature_names_in_.tolist() == ["x", "word", "day"] and classifier.model_.target_names == ["answer"]
    assert classifier.model_.classes == ["no", "yes"] and classifier.score(table, y) > 0.9
    np.testing.assert_array_equal(classifier.predict_proba(table[::-1])[::-1], classifier.predict_proba(table))
    assert classifier._repr_html_()
    with pytest.raises(ValueError, match="X is no table"):
        classifier.predict(table.to_numpy())


def test_refuses_what_are_no_classes(rows):
    x, y = rows
    with pytest.raises(ValueError, match="y has 1 class, expected at least 2"):
        small().fit(x, np.full(90, "ash"))
    with pytest.raises(ValueError, match="y, where it has weight, has 1 class, expected at least 2"):
        small().fit(x, y, sample_weight=(y == "elm").astype(float))
    with pytest.raises(ValueError, match="Unknown label type"):
        small().fit(x, x[:, 0])
    with pytest.raises(ValueError, match="1d array"):
        small().fit(x, np.column_stack([y, y]))
    with pytest.raises(TypeError, match=r"CredensClassifier\(\) has no parameter 'noise'"):
        small(noise="constant")
    for call in (lambda c: c.predict(x), lambda c: c.predict_proba(x), lambda c: c.sample_y(x)):
        with pytest.raises(NotFittedError):
            call(small())


# ---- living among estimators ----


def test_clones_and_pickles(rows, fitted):
    x, _ = rows
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params() and not hasattr(copy, "model_")
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(x), fitted.predict_proba(x))
    np.testing.assert_array_equal(again.predict(x), fitted.predict(x))


def test_parameters_are_those_of_the_regressor_without_noise():
    options = CredensRegressor().get_params()
    for name in ("noise", "noise_link", "loss_beta", "leave_out_slips"):
        del options[name]
    assert CredensClassifier().get_params() == options


def test_is_found_by_searches_and_pipelines(rows):
    x, y = rows
    pipeline = make_pipeline(StandardScaler(), small())
    search = GridSearchCV(pipeline, {"credensclassifier__epochs": [1, 60]}, scoring=log_loss_scorer, cv=3).fit(x, y)
    assert search.best_params_ == {"credensclassifier__epochs": 60}
    assert log_loss_scorer(search, x, y) == log_loss_scorer(search.best_estimator_, x, y)
    np.testing.assert_allclose(cross_val_score(search.best_estimator_, x, y, scoring="neg_log_loss", cv=3).mean(), search.best_score_, rtol=1e-9)
    assert OneVsRestClassifier(small()).fit(x, y).score(x, y) > 0.5


def test_scorers_are_scores_with_the_sign_turned(rows, fitted):
    x, y = rows
    dist, weights = fitted.predict_dist(x), np.linspace(1, 2, 90)
    for w in (None, weights):
        assert log_loss_scorer(fitted, x, y, w) == -log_loss(y, dist, w) == -credens.score(dist, y, weights=w).log_loss
        assert log_loss(y, dist, w) == pytest.approx(metrics.log_loss(y, fitted.predict_proba(x), sample_weight=w), rel=1e-9)
        assert brier_scorer(fitted, x, y, w) == -brier(y, dist, w) == -credens.score(dist, y, weights=w).brier
    with pytest.raises(TypeError, match="LogisticRegression has no predict_dist"):
        log_loss_scorer(LogisticRegression().fit(x, y), x, y)


def test_shows_a_picture_in_notebooks(fitted):
    assert "Probability of " in fitted._repr_mimebundle_()["text/html"]
    assert "Probability of " not in small()._repr_html_()

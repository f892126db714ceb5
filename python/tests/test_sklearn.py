# SPDX-License-Identifier: Apache-2.0
"""CredensRegressor keeps scikit-learn's contract, and its scorers judge what `credens.score` judges."""

import doctest
import functools
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn 1.6 or newer is not installed")

import credens
from credens.sklearn import (
    CredensRegressor,
    crps,
    crps_scorer,
    interval_score,
    interval_scorer,
    nll,
    nll_scorer,
)
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

# The recipe `paper` sees the few rows of this check in one minibatch, where weights and copies are the same.
WEIGHTS_ARE_NOT_COPIES = (
    "A row of weight k counts k times in the loss and in the posterior, but k copies of it fall into different minibatches "
    "and folds, so that training takes other steps to another optimum."
)
EXPECTED_TO_FAIL = {"check_sample_weight_equivalence_on_dense_data": WEIGHTS_ARE_NOT_COPIES}


def small(**options):
    """A regressor that is trained in no time."""
    return CredensRegressor(**{"recipe": "paper", "members": 2, "hidden": [16], "epochs": 5, **options})


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(4)
    x = generator.uniform(-2, 2, (80, 3))
    y = np.sin(2 * x[:, 0]) + x[:, 1] + 0.1 * generator.standard_normal(80)
    return x, y


@pytest.fixture(scope="module")
def fitted(rows):
    return small(epochs=60).fit(*rows)


@pytest.fixture(scope="module")
def fitted_to_two(rows):
    x, y = rows
    return small(epochs=20).fit(x, np.column_stack([y, -3 * y]))


# ---- scikit-learn's own checks ----


# tests/peers checks the one that is constructed by default, which takes minutes.
@parametrize_with_checks(
    [CredensRegressor(recipe="paper", members=2, hidden=[32]), CredensRegressor(effort="quick", members=2)],
    expected_failed_checks=lambda regressor: EXPECTED_TO_FAIL if regressor.recipe == "auto" else {},
)
def test_keeps_the_contract(estimator, check):
    check(estimator)


# ---- predictions ----


def test_predicts_what_the_functional_way_predicts(rows, fitted):
    x, y = rows
    model = credens.fit(x, y, recipe="paper", members=2, hidden=[16], epochs=60)
    expected = model.predict(x)
    mean, std = fitted.predict(x, return_std=True)
    np.testing.assert_array_equal(mean, np.ravel(expected.mean))
    np.testing.assert_array_equal(std, np.sqrt(np.ravel(expected.total_variance)))


def test_keeps_the_dimensions_of_the_targets(rows, fitted, fitted_to_two):
    x, y = rows
    assert fitted.predict(x).shape == (80,)
    assert small().fit(x, y[:, np.newaxis]).predict(x).shape == (80, 1)
    assert [a.shape for a in fitted_to_two.predict(x, return_std=True)] == [(80, 2), (80, 2)]


def test_gives_one_object_with_everything(rows, fitted):
    x, y = rows
    dist = fitted.predict_dist(x)
    assert isinstance(dist, credens.Predictive)
    np.testing.assert_allclose(dist.aleatoric_variance + dist.epistemic_variance, dist.total_variance, rtol=1e-12)
    interval = dist.interval(0.9)
    assert np.all(interval.lower < dist.mean) and np.all(dist.mean < interval.upper)
    np.testing.assert_allclose(dist.cdf(dist.quantile(0.3)), 0.3, rtol=1e-9)
    assert dist.log_prob(y).shape == (80,)
    assert dist.sample(7, seed=1).shape[0] == 7


def test_draws_have_the_moments_of_the_distribution(rows, fitted):
    x = rows[0][:5]
    dist = fitted.predict_dist(x)
    draws = fitted.sample_y(x, n_samples=20000, random_state=3)
    assert draws.shape == (5, 20000)
    np.testing.assert_allclose(draws.mean(axis=1), dist.mean, atol=5 * np.max(dist.std) / np.sqrt(20000))
    np.testing.assert_allclose(draws.var(axis=1), dist.total_variance, rtol=0.08)
    functions = fitted.sample_y(x, n_samples=20000, random_state=3, of="function")
    np.testing.assert_allclose(functions.var(axis=1), dist.epistemic_variance, rtol=0.08)


def test_draws_follow_the_random_state(rows, fitted, fitted_to_two):
    x = rows[0]
    np.testing.assert_array_equal(fitted.sample_y(x, 3, random_state=1), fitted.sample_y(x, 3, random_state=1))
    assert np.any(fitted.sample_y(x, 3, random_state=1) != fitted.sample_y(x, 3, random_state=2))
    generator = np.random.RandomState(0)
    assert np.any(fitted.sample_y(x, 3, generator) != fitted.sample_y(x, 3, generator))
    assert fitted_to_two.sample_y(x, 4).shape == (80, 2, 4)


def test_the_score_is_that_of_the_mean(rows, fitted):
    x, y = rows
    residual = np.sum((y - fitted.predict(x)) ** 2) / np.sum((y - y.mean()) ** 2)
    assert fitted.score(x, y) == pytest.approx(1 - residual, rel=1e-12)


# ---- training ----


def test_random_state_takes_the_place_of_the_seed(rows):
    x, y = rows
    by_seed = small(seed=7).fit(x, y).predict(x)
    np.testing.assert_array_equal(small(random_state=7).fit(x, y).predict(x), by_seed)
    assert np.any(small(random_state=8, seed=7).fit(x, y).predict(x) != by_seed)
    generator = np.random.RandomState(0)
    first, second = (small(random_state=generator).fit(x, y).predict(x) for _ in range(2))
    assert np.any(first != second)


def test_row_weights_enter_the_fit(rows):
    x, y = rows
    even = small().fit(x, y).predict(x)
    np.testing.assert_array_equal(small().fit(x, y, sample_weight=np.full(80, 1.0)).predict(x), even)
    assert np.any(small().fit(x, y, sample_weight=np.arange(80.0)).predict(x) != even)


def test_rows_without_weight_do_not_count(rows):
    """With all rows in one batch, a wrong target of weight 0 changes nothing."""
    x, y = rows
    weights = np.ones(80)
    weights[3] = 0
    wrong = y.copy()
    wrong[3] = 1000
    fits = [small(batch=80).fit(x, targets, sample_weight=weights).predict(x) for targets in (y, wrong)]
    np.testing.assert_allclose(fits[0], fits[1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.zeros(80), "at least one non-zero"),
        (np.full(80, -1.0), "[Nn]egative"),
        (np.ones(79), "shape"),
        (np.full(80, np.nan), "NaN"),
    ],
)
def test_refuses_weights_that_are_none(rows, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        small().fit(*rows, sample_weight=weights)


def test_takes_tables_with_words_gaps_and_dates():
    pandas = pytest.importorskip("pandas")
    generator = np.random.default_rng(0)
    words = generator.choice(["a", "b", "c"], 60)
    table = pandas.DataFrame({"x": generator.normal(size=60), "word": words, "day": pandas.date_range("2024-01-01", periods=60)})
    table.loc[3, ["x", "word", "day"]] = None
    y = pandas.Series(np.where(words == "a", 1.0, 0.0), name="y")
    regressor = small().fit(table, y)
    assert regressor.feature_names_in_.tolist() == ["x", "word", "day"] and regressor.n_features_in_ == 3
    assert regressor.model_.input_kinds == ["number", "category", "date"]
    backwards = regressor.predict(table[::-1])
    np.testing.assert_array_equal(backwards[::-1], regressor.predict(table))
    np.testing.assert_array_equal(clone(regressor).fit(table, y).predict(table), regressor.predict(table))
    assert regressor.sample_y(table, 2).shape == (60, 2) and np.isfinite(regressor.score(table, y))
    assert regressor._repr_html_()
    with pytest.raises(ValueError, match="feature names"):
        regressor.predict(table[["word", "x", "day"]])
    with pytest.raises(ValueError, match="X is no table"):
        regressor.predict(table.to_numpy())
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        small().fit(table, y[:7])


def test_takes_missing_inputs(rows):
    x, y = rows
    gaps = np.where(x > 0.8, np.nan, x)
    regressor = small().fit(gaps, y)
    assert np.all(np.isfinite(regressor.predict(gaps))) and regressor._repr_html_()
    with pytest.raises(ValueError, match="infinity"):
        regressor.predict(np.where(x > 0.8, np.inf, x))


def test_takes_small_and_odd_data():
    generator = np.random.default_rng(0)
    for x, y in [
        (generator.normal(size=(2, 1)), [1.0, 2.0]),
        (generator.normal(size=(12, 4)), np.full(12, 3.0)),
        (np.column_stack([np.ones(15), np.arange(15)]), np.arange(15)),
        (generator.normal(size=(5, 40)), generator.normal(size=5)),
    ]:
        for regressor in (small(), CredensRegressor(effort="quick")):
            mean, std = regressor.fit(x, y).predict(x, return_std=True)
            assert np.all(np.isfinite(mean)) and np.all(std > 0)


def test_a_constant_target_is_predicted_as_it_is():
    x = np.random.default_rng(0).normal(size=(30, 2))
    np.testing.assert_allclose(small(epochs=500).fit(x, np.full(30, 5.0)).predict(x), 5, rtol=0.02)


def test_refuses_one_row_and_sparse_targets():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="1 sample"):
        small().fit([[1.0]], [1.0])
    with pytest.raises((TypeError, ValueError), match="[Ss]parse"):
        small().fit(np.ones((4, 1)), scipy_sparse.csr_matrix(np.ones((4, 1))))


def test_refuses_unknown_choices_by_name(rows):
    with pytest.raises(credens.UsageError, match='recipe is "papre", expected one of auto, paper'):
        small(recipe="papre").fit(*rows)


def test_is_not_fitted_before_fit(rows):
    for call in (lambda r: r.predict(rows[0]), lambda r: r.predict_dist(rows[0]), lambda r: r.sample_y(rows[0])):
        with pytest.raises(NotFittedError):
            call(small())


# ---- living among estimators ----


def test_clones_and_pickles(rows, fitted, fitted_to_two):
    x, _ = rows
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params() and not hasattr(copy, "model_")
    for regressor in (fitted, fitted_to_two):
        again = pickle.loads(pickle.dumps(regressor))
        np.testing.assert_array_equal(again.predict(x), regressor.predict(x))
        np.testing.assert_array_equal(again.predict(x, return_std=True)[1], regressor.predict(x, return_std=True)[1])


def test_knows_the_columns_of_tables(rows):
    pandas = pytest.importorskip("pandas")
    x, y = rows
    table = pandas.DataFrame(x, columns=["a", "b", "c"])
    regressor = small().fit(table, pandas.Series(y, name="z"))
    assert list(regressor.feature_names_in_) == ["a", "b", "c"] and regressor.n_features_in_ == 3
    assert regressor.model_.input_names == ["a", "b", "c"] and regressor.model_.target_names == ["z"]
    both = pandas.DataFrame({"u": y, "v": -y})
    assert small().fit(table, both).model_.target_names == ["u", "v"]
    assert small().fit(table, pandas.Series(y, name="a")).predict(table).shape == (80,)
    np.testing.assert_array_equal(regressor.predict(table), small().fit(x, y).predict(x))
    with pytest.raises(ValueError, match="feature names"):
        regressor.predict(table[["b", "a", "c"]])


def test_is_found_by_searches_and_pipelines(rows):
    x, y = rows
    pipeline = make_pipeline(StandardScaler(), small())
    search = GridSearchCV(pipeline, {"credensregressor__epochs": [1, 60]}, scoring=nll_scorer, cv=3).fit(x, y)
    assert search.best_params_ == {"credensregressor__epochs": 60}
    assert nll_scorer(search, x, y) == nll_scorer(search.best_estimator_, x, y)
    mean, std = search.best_estimator_.predict(x, return_std=True)
    assert mean.shape == std.shape == (80,)
    with_passthrough = make_pipeline("passthrough", small()).fit(x, y)
    assert crps_scorer(with_passthrough, x, y) == crps_scorer(small().fit(x, y), x, y)


# ---- scorers ----


def test_scorers_are_scores_with_the_sign_turned(rows, fitted, fitted_to_two):
    x, y = rows
    for regressor, targets in ((fitted, y), (fitted_to_two, np.column_stack([y, -3 * y]))):
        dist = regressor.predict_dist(x)
        scores = credens.score(dist, targets)
        assert nll_scorer(regressor, x, targets) == -nll(targets, dist) == -scores.nll
        assert crps_scorer(regressor, x, targets) == -crps(targets, dist) == -scores.crps
        assert interval_scorer(regressor, x, targets) == -interval_score(targets, dist) == -scores.interval_score


def test_scores_take_levels_and_weights(rows, fitted):
    x, y = rows
    narrow = functools.partial(interval_scorer, level=0.5)
    assert narrow(fitted, x, y) == -credens.score(fitted.predict_dist(x), y, level=0.5).interval_score
    first = np.zeros(80)
    first[0] = 1
    assert nll_scorer(fitted, x, y, sample_weight=first) == pytest.approx(nll_scorer(fitted, x[:1], y[:1]), rel=1e-12)


def test_nll_is_the_mean_log_probability(rows, fitted):
    x, y = rows
    dist = fitted.predict_dist(x)
    assert nll(y, dist) == pytest.approx(-np.mean(dist.log_prob(y)), rel=1e-12)


@pytest.mark.parametrize("scorer", [nll_scorer, crps_scorer, interval_scorer])
def test_scorers_work_in_cross_validation(rows, scorer):
    scores = cross_val_score(small(), *rows, scoring=scorer, cv=3)
    assert scores.shape == (3,) and np.all(np.isfinite(scores))


def test_scorers_name_what_has_no_distribution(rows):
    for regressor in (Ridge(), TransformedTargetRegressor(Ridge())):
        with pytest.raises(TypeError, match=f"{type(regressor).__name__} has no predict_dist"):
            nll_scorer(regressor.fit(*rows), *rows)


# ---- notebooks and imports ----


def test_shows_a_picture_in_notebooks(rows, fitted):
    page = fitted._repr_mimebundle_()["text/html"]
    assert "y against input" in page and 'role="img"' in page
    assert "y against input" in fitted._repr_html_()
    assert "y against input" not in small()._repr_html_()
    with sklearn.config_context(display="text"):
        assert "text/html" not in fitted._repr_mimebundle_()


def test_parameters_are_the_options_of_fit():
    options = CredensRegressor().get_params()
    assert options.pop("random_state") is None and options.pop("progress") is False
    of_data = {"weights", "noise_std", "group", "time", "task", "classes", "counts", "input_names", "target_names", "validation", "progress"}
    assert options == {name: default for name, default in credens.fit.__kwdefaults__.items() if name not in of_data}


def test_examples_run():
    results = doctest.testmod(credens.sklearn)
    assert results.attempted > 5 and results.failed == 0


def test_examples_of_the_document_run():
    document = pathlib.Path(__file__).parents[2] / "docs" / "python-sklearn.md"
    if not document.exists():
        pytest.skip("the documents are not beside the tests")
    blocks = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.M | re.S)
    assert len(blocks) == 3
    exec("\n".join(blocks), {})


def test_importing_credens_does_not_import_scikit_learn():
    program = "import sys, credens; assert 'sklearn' not in sys.modules; credens.CredensRegressor; assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)

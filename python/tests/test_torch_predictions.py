# SPDX-License-Identifier: Apache-2.0
"""Predictions of widened networks as distributions, their scores and pages, beside those of arrays made by hand."""

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402
from torch_networks import networks, rows  # noqa: E402

nn = torch.nn
LAMBDA = 0.7
METHODS = {
    "interval": lambda p, y: torch.stack(list(map(torch.as_tensor, p.interval(0.9)))),
    "mixture interval": lambda p, y: torch.stack(list(map(torch.as_tensor, p.interval(0.8, "mixture")))),
    "coverage factor": lambda p, y: torch.stack(list(map(torch.as_tensor, p.interval(coverage_factor=2)))),
    "function interval": lambda p, y: torch.stack(list(map(torch.as_tensor, p.function_interval()))),
    "quantile": lambda p, y: p.quantile(0.3),
    "quantiles": lambda p, y: p.quantile([0.1, 0.5, 0.9]),
    "function quantile": lambda p, y: p.function_quantile(0.3),
    "cdf": lambda p, y: p.cdf(y),
    "cdf of a number": lambda p, y: p.cdf(0.25),
    "cdf of a tensor of one": lambda p, y: p.cdf(y.reshape(-1)[0]),
    "function cdf": lambda p, y: p.function_cdf(y),
    "pdf": lambda p, y: p.pdf(y),
    "log_prob": lambda p, y: p.log_prob(y),
    "sample": lambda p, y: p.sample(4, seed=3),
    "mean": lambda p, y: p.mean,
    "std": lambda p, y: p.std,
    "aleatoric_std": lambda p, y: p.aleatoric_std,
    "epistemic_std": lambda p, y: p.epistemic_std,
    "classical": lambda p, y: p.classical().epistemic_variance,
}


def row_model():
    x, y = rows()
    return credens.torch.widen(networks(), [(x, y)], output="mean_log_variance", prior_precision=LAMBDA), x, y


def image_model(outputs=2, *after):
    torch.manual_seed(1)
    x = torch.randn(4, 1, 6, 5, dtype=torch.float64)
    body = [nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.Tanh(), nn.Conv2d(3, outputs, 3, padding=1), *after) for _ in range(3)]
    models = [model.double() for model in body]
    with torch.no_grad():
        y = models[0](x) + 0.4 * torch.randn(models[0](x).shape, dtype=torch.float64)
    return credens.torch.widen(models, [(x, y)], prior_precision=LAMBDA, posterior="full"), x, y


@pytest.mark.parametrize("name", METHODS)
def test_rows_have_the_distributions_of_arrays(name):
    wide, x, y = row_model()
    new, observed = x[:20], y[:20]
    expected = wide.ensemble.predict_outputs(wide.member_outputs(new))
    found = METHODS[name](wide.predict(new), observed)
    of_arrays = METHODS[name](expected, observed.numpy())
    assert isinstance(found, torch.Tensor) and tuple(found.shape) == np.shape(of_arrays)
    np.testing.assert_allclose(found, of_arrays, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_images_have_maps(name):
    wide, x, y = image_model()
    expected = wide.ensemble.predict_outputs(wide.member_outputs(x)).as_columns()
    found = METHODS[name](wide.predict(x), y)
    observed = y.movedim(1, -1).reshape(-1, 2).numpy()
    of_arrays = np.asarray(METHODS[name](expected, observed))
    if name == "log_prob":
        assert found.shape == (4, 6, 5)
        found = found.reshape(-1)
    else:
        assert found.shape[-4:] == y.shape
        found = found.movedim(-3, -1).reshape(of_arrays.shape)
    np.testing.assert_allclose(found, of_arrays, rtol=1e-9, atol=1e-12)


def test_shapes_follow_the_networks():
    wide, x, y = image_model(1, nn.Flatten(1, 2))
    p = wide.predict(x)
    assert p.quantile([0.1, 0.9]).shape == (2, 4, 6, 5) and p.interval().lower.shape == (4, 6, 5)
    assert p.log_prob(y).shape == (4, 6, 5) and p.sample(3).shape == (3, 4, 6, 5)
    wide, x, y = image_model()
    alone = wide.predict(x[1])
    assert alone.quantile(0.2).shape == (2, 6, 5) and alone.log_prob(y[1]).shape == (6, 5)
    torch.testing.assert_close(alone.quantile(0.2), wide.predict(x).quantile(0.2)[1])
    single = [model.float() for model in networks()]
    x, y = rows()
    wide = credens.torch.widen(single, [(x, y)], output="mean_log_variance", prior_precision=LAMBDA)
    assert wide.predict(x).quantile(0.5).dtype == torch.float32
    assert wide.predict(x[0]).log_prob(y[0]).shape == ()


def test_distributions_obey_their_laws():
    wide, x, y = image_model()
    p = wide.predict(x)
    torch.testing.assert_close(p.cdf(p.quantile(0.3)), torch.full_like(p.mean, 0.3))
    torch.testing.assert_close(p.total_variance, p.aleatoric_variance + p.epistemic_variance)
    torch.testing.assert_close(p.classical().total_variance, p.aleatoric_variance + p.classical_epistemic_variance)
    step = 1e-5
    torch.testing.assert_close((p.cdf(y + step) - p.cdf(y - step)) / (2 * step), p.pdf(y), rtol=1e-5, atol=1e-6)
    drawn = p.sample(3000, seed=1)
    assert float(((drawn.mean(0) - p.mean) / (p.std / 3000**0.5)).abs().max()) < 5
    assert float((drawn.var(0) / p.total_variance - 1).abs().max()) < 0.25
    functions = wide.sample(x, 3000, of="observation", seed=1)
    assert float((functions.var(0) / p.total_variance - 1).abs().max()) < 0.25
    with pytest.raises(ValueError, match=r"y has the shape \[4, 6, 5\], expected \[4, 2, 6, 5\]"):
        p.log_prob(y[:, 0])
    with pytest.raises(ValueError, match="of is 'values', expected 'function' or 'observation'"):
        wide.sample(x, of="values")


SCORES = ["rmse", "mae", "level", "rows"]
SIDES = ["nll", "crps", "total_coverage", "epistemic_coverage", "calibration_error"]


def assert_same_scores(found, expected):
    for name in SCORES:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9)
    for name in SIDES:
        np.testing.assert_allclose(found.extended[name], expected[name], rtol=1e-9)


@pytest.mark.parametrize("make", [row_model, image_model])
def test_scores_take_networks_and_their_predictions(make):
    wide, x, y = make()
    p = wide.predict(x)
    of_prediction = credens.score(p, y)
    by_arrays = credens.score(p.predictive, p.rows_of(y))
    assert of_prediction == by_arrays
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 3)
    for found in (credens.score(wide, loader), credens.score(wide, x, y)):
        assert_same_scores(found, of_prediction | {"rows": found.rows, "level": 0.95})
        assert found.classical.nll == pytest.approx(credens.score(p.classical(), y).nll, rel=1e-9)
    assert credens.score(p, y, truth=y)["function_rmse"] == pytest.approx(of_prediction.rmse)
    weights = torch.arange(len(x)) + 1.0
    weighed = credens.score(wide, x, y, weights=weights)
    places = p.log_prob(y)
    whole = weights.double().reshape(-1, *[1] * (places.dim() - 1)).expand_as(places)
    assert weighed.extended.nll == pytest.approx(float(-(whole * places).sum() / whole.sum()), rel=1e-9)
    assert credens.score(p, y, weights=whole).nll == pytest.approx(weighed.extended.nll, rel=1e-9)


def test_scores_are_in_the_units_of_the_data():
    x, y = rows()
    given = {"output": "mean_log_variance", "prior_precision": LAMBDA}
    plain = credens.torch.widen(networks(), [(x, y)], **given)
    wide = credens.torch.widen(networks(), [(x, y)], target_scale=100, target_shift=7, **given)
    found, expected = credens.score(wide, [(x, y)]), credens.score(plain, [(x, y)])
    assert found.rmse == pytest.approx(100 * expected.rmse)
    assert found.extended.total_coverage == expected.extended.total_coverage
    assert found.extended.nll == pytest.approx(expected.extended.nll + 2 * np.log(100))


def class_model():
    torch.manual_seed(1)
    x = torch.randn(90, 3, dtype=torch.float64)
    labels = torch.arange(90) % 4
    models = [nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4)).double() for _ in range(3)]
    wide = credens.torch.widen(
        models, [(x, labels)], likelihood="softmax", prior_precision=LAMBDA, classes=["a", "b", "c", "d"]
    )
    return wide, x, labels


def test_scores_take_classes():
    wide, x, labels = class_model()
    p = wide.predict(x)
    names = np.array(wide.classes)[labels]
    expected = credens.score(wide.ensemble.predict_outputs(wide.member_outputs(x)), names)
    of_prediction = credens.score(p, labels)
    assert of_prediction == credens.score(p, names)
    found = credens.score(wide, [(x[:50], labels[:50]), (x[50:], labels[50:])])
    for name in ("log_loss", "accuracy", "brier"):
        assert found.extended[name] == pytest.approx(expected[name], rel=1e-9)
        assert of_prediction[name] == pytest.approx(expected[name], rel=1e-9)
    classical = wide.ensemble.predict_outputs(wide.member_outputs(x), classical=True)
    assert found.classical.log_loss == pytest.approx(credens.score(classical, names).log_loss, rel=1e-9)
    hidden = labels.clone()
    hidden[::2] = -100
    assert credens.score(wide, x, hidden).extended.log_loss == pytest.approx(
        credens.score(wide, x[1::2], labels[1::2]).extended.log_loss, rel=1e-12
    )
    strange = credens.score(wide, x, labels, foreign=4 * x)
    assert strange.extended.foreign_auroc["epistemic"] > 0.9 and strange.extended.log_loss == found.extended.log_loss


def test_labels_that_are_no_class_are_refused():
    wide, x, labels = class_model()
    with pytest.raises(ValueError, match="data has the value 4, expected numbers of classes, 0 to 3"):
        credens.score(wide.predict(x), labels + 4)


def test_scores_take_maps_of_classes():
    torch.manual_seed(1)
    x, labels = torch.randn(5, 1, 6, 4, dtype=torch.float64), torch.randint(0, 3, (5, 6, 4))
    models = [nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 3, 1)).double() for _ in range(2)]
    wide = credens.torch.widen(models, [(x, labels)], likelihood="softmax", prior_precision=LAMBDA)
    probability = wide.predict(x).probability.gather(1, labels[:, None])
    found = credens.score(wide, [(x[:2], labels[:2]), (x[2:], labels[2:])])
    assert found.rows == 120
    assert found.extended.log_loss == pytest.approx(float(-probability.log().mean()), rel=1e-9)
    assert credens.score(wide.predict(x), labels).log_loss == pytest.approx(found.extended.log_loss, rel=1e-9)
    assert wide.sample(x, 7).shape == (7, 5, 3, 6, 4)


def test_pages_take_networks(tmp_path):
    for name, (wide, x, y) in {"rows": row_model(), "images": image_model(), "classes": class_model()}.items():
        path = tmp_path / f"{name}.html"
        credens.report(wide, [(x, y)], path=path)
        page = path.read_text()
        assert "<html" in page and len(page) > 20000
        assert ("accuracy" in page.lower()) == (name == "classes")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda wide, x, y: credens.score(wide, [x]), "batch 0 has no targets, expected some to score by"),
        (lambda wide, x, y: credens.score(wide, []), "data gave no rows"),
        (lambda wide, x, y: credens.score(wide, x, y[:5]), "data has 300 rows, targets have 5: expected as many"),
        (lambda wide, x, y: credens.score(wide, x, y, truth=y), "expected their predictions: score(wide.predict(x), y, truth=...)"),
        (lambda wide, x, y: credens.score(wide, x, y, foreign=x), "foreign is for models that predict classes"),
        (lambda wide, x, y: credens.score(wide, [(x, y)], weights=y), "weights are given beside a loader"),
        (lambda wide, x, y: credens.score(wide.predict(x), y[:5]), "data has the shape [5, 2], expected [300, 2]"),
        (lambda wide, x, y: credens.score(wide.predict(x), x, y), "predictions are scored by their targets alone"),
        (lambda wide, x, y: credens.score(wide.predict(x), y, weights=y), "weights has the shape [300, 2], expected [300]"),
    ],
)
def test_what_cannot_be_scored_is_said(call, words):
    with pytest.raises(ValueError) as raised:
        call(*row_model())
    assert words in str(raised.value)


def test_other_things_are_type_errors(tmp_path):
    wide, x, y = row_model()
    with pytest.raises(TypeError, match="unexpected keyword argument 'grop'"):
        credens.score(wide, x, y, grop=3)
    with pytest.raises(TypeError, match="model is Prediction, expected what credens.torch.widen returns"):
        credens.report(wide.predict(x), y, path=tmp_path / "x.html")

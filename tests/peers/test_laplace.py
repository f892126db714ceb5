# SPDX-License-Identifier: Apache-2.0
"""For constant noise the last-layer posterior is laplace-torch's, and 1/gamma the mean of its diagonal.

laplace-torch's precision of the last layer is lambda I + sum_i phi_i phi_i^T / s^2, once per output: the matrix A of
docs/method.md. Its diagonal has q p entries, so its mean is sum_k trace(A_k) / (q p) = 1 / gamma. Everything is in
double on both sides; they sum in another order, hence a relative difference of some 1e-15 and a tolerance of 1e-12.
"""

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="torch is not installed")
laplace = pytest.importorskip("laplace", reason="laplace-torch is not installed")

TOLERANCE = 1e-12
ROWS, INPUTS, WIDTH = 150, 4, 9
NOISE_STD, LAMBDA = 0.3, 2.5


@pytest.fixture(autouse=True)
def double_precision():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def network(outputs, bias):
    torch.manual_seed(5)
    trunk = [torch.nn.Linear(INPUTS, 16), torch.nn.Tanh(), torch.nn.Linear(16, WIDTH), torch.nn.Tanh()]
    return torch.nn.Sequential(*trunk, torch.nn.Linear(WIDTH, outputs, bias=bias))


def rows(outputs, count=ROWS, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, INPUTS, generator=generator), torch.randn(count, outputs, generator=generator)


def theirs(model, structure, x, y):
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=32)
    posterior = laplace.Laplace(
        model,
        "regression",
        subset_of_weights="last_layer",
        hessian_structure=structure,
        sigma_noise=NOISE_STD,
        prior_precision=LAMBDA,
    )
    posterior.fit(loader)
    return posterior


def arrays(model, x):
    """Features, mean and noise variance of one member at rows x: [1, N, p], [1, N, q], [1, N, 1]."""
    with torch.no_grad():
        features, mean = model[:-1](x).numpy(), model(x).numpy()
    return features[np.newaxis], mean[np.newaxis], np.full((1, len(x), 1), NOISE_STD**2)


def ours(model, x, rung, bias):
    features, mean, variance = arrays(model, x)
    return credens.widen_outputs(features, mean, variance, prior_precision=LAMBDA, posterior=rung, random_bias=bias)


def diagonal(precision):
    precision = precision.detach().numpy()
    return np.diag(precision) if precision.ndim == 2 else precision


@pytest.mark.parametrize("structure", ["full", "diag"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("outputs", [1, 3])
def test_one_over_gamma_is_the_mean_of_the_diagonal_of_the_precision(structure, bias, outputs):
    model = network(outputs, bias)
    x, y = rows(outputs)
    expected = diagonal(theirs(model, structure, x, y).posterior_precision)
    assert expected.shape == (outputs * (WIDTH + bias),)
    (gamma,) = ours(model, x, "isotropic", bias).gamma
    print(f"1/gamma {1 / gamma:.15g}, mean of the diagonal {expected.mean():.15g}")
    assert 1 / gamma == pytest.approx(expected.mean(), rel=TOLERANCE)


@pytest.mark.parametrize(("rung", "structure"), [("full", "full"), ("diagonal", "diag")])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_variance_of_the_function_is_that_of_the_same_structure(rung, structure, bias, outputs):
    model = network(outputs, bias)
    posterior = theirs(model, structure, *rows(outputs))
    x, _ = rows(outputs, count=20, seed=2)
    _, covariance = posterior(x)
    expected = np.diagonal(covariance.detach().numpy(), axis1=1, axis2=2)
    predictive = ours(model, rows(outputs)[0], rung, bias).predict_outputs(*arrays(model, x))
    np.testing.assert_allclose(predictive.epistemic_variance.reshape(expected.shape), expected, rtol=1e-10)


def with_noise(mean):
    return mean, torch.full_like(mean, NOISE_STD**2)


@pytest.mark.parametrize(("rung", "structure"), [("full", "full"), ("diagonal", "diag")])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("outputs", [1, 3])
def test_networks_are_widened_as_docs_laplace_says(rung, structure, bias, outputs):
    import credens.torch

    model = network(outputs, bias)
    x, y = rows(outputs)
    posterior = theirs(model, structure, x, y)
    options = {"output": with_noise, "random_bias": bias, "posterior": rung, "prior_precision": LAMBDA}
    wide = credens.torch.widen(model, [(x, y)], **options)
    new, _ = rows(outputs, count=20, seed=2)
    mean, covariance = posterior(new)
    expected = np.diagonal(covariance.detach().numpy(), axis1=1, axis2=2)
    p = wide.predict(new)
    np.testing.assert_allclose(p.mean, mean.detach().numpy(), rtol=TOLERANCE, atol=TOLERANCE)
    np.testing.assert_allclose(p.epistemic_variance, expected, rtol=1e-10)

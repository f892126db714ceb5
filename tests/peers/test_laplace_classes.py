# SPDX-License-Identifier: Apache-2.0
"""For classes laplace-torch takes the curvature of the softmax where it is, Credens the largest that it can have.

The generalised Gauss-Newton matrix of the last layer is lambda I + sum_i H_i (x) phi_i phi_i^T with H = diag(v) - v v^T
and v = softmax(z). Its trace is C p lambda + sum_i |phi_i|^2 (1 - |v_i|^2). Since 1 - |v|^2 <= (C - 1) / C, the trace of
(C - 1) (A - lambda I), with the A of docs/method.md ("Classes"), bounds it, and both are equal where all logits are.
laplace-torch 0.1 computes the matrix in single precision, hence the tolerance.
"""

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="torch is not installed")
laplace = pytest.importorskip("laplace", reason="laplace-torch is not installed")

TOLERANCE = 1e-6
ROWS, INPUTS, WIDTH, LAMBDA = 150, 4, 9, 2.5


@pytest.fixture(autouse=True)
def double_precision():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def network(classes, scale):
    torch.manual_seed(5)
    trunk = [torch.nn.Linear(INPUTS, 16), torch.nn.Tanh(), torch.nn.Linear(16, WIDTH), torch.nn.Tanh()]
    model = torch.nn.Sequential(*trunk, torch.nn.Linear(WIDTH, classes, bias=False))
    with torch.no_grad():
        model[-1].weight.mul_(scale)
    return model


def rows(classes):
    generator = torch.Generator().manual_seed(1)
    return torch.randn(ROWS, INPUTS, generator=generator), torch.randint(0, classes, (ROWS,), generator=generator)


def theirs(model, x, y):
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=32)
    posterior = laplace.Laplace(
        model, "classification", subset_of_weights="last_layer", hessian_structure="full", prior_precision=LAMBDA
    )
    posterior.fit(loader)
    return posterior.posterior_precision.detach().numpy()


def ours(model, x):
    """phi, v, and trace(A - lambda I)."""
    with torch.no_grad():
        features, logits = model[:-1](x).numpy(), model(x)
    wide = credens.widen_outputs(
        [features], logits=[logits.numpy()], prior_precision=LAMBDA, posterior="isotropic"
    )
    return features, torch.softmax(logits, 1).numpy(), WIDTH / wide.gamma[0] - WIDTH * LAMBDA


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_its_matrix_is_that_of_our_features_and_probabilities(classes):
    model = network(classes, scale=3)
    x, y = rows(classes)
    found = theirs(model, x, y)
    features, v, _ = ours(model, x)
    curvature = np.einsum("nc,cd->ncd", v, np.eye(classes)) - np.einsum("nc,nd->ncd", v, v)
    expected = np.einsum("ncd,ni,nj->cidj", curvature, features, features).reshape(classes * WIDTH, -1)
    expected += LAMBDA * np.eye(classes * WIDTH)
    np.testing.assert_allclose(found, expected, atol=TOLERANCE * np.abs(expected).max())
    trace = classes * WIDTH * LAMBDA + np.sum((features**2).sum(1) * (1 - (v**2).sum(1)))
    assert np.trace(found) == pytest.approx(trace, rel=TOLERANCE)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_our_bound_is_its_trace_where_all_logits_are_equal_and_lies_above_elsewhere(classes):
    x, y = rows(classes)
    prior = classes * WIDTH * LAMBDA
    for scale in (0, 1, 3):
        model = network(classes, scale)
        found = np.trace(theirs(model, x, y)) - prior
        bound = (classes - 1) * ours(model, x)[2]
        if scale == 0:
            assert bound == pytest.approx(found, rel=TOLERANCE)
        else:
            assert bound > found * (1 + 1e-3)

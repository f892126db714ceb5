# SPDX-License-Identifier: Apache-2.0
"""Last layers of every kind, held against the Jacobian of the mean by their weights, which autograd computes."""

import itertools
import math

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402

nn = torch.nn
LAMBDA = 0.7
RUNGS = ["isotropic", "diagonal", "full"]


class Network(nn.Module):
    """Mean and log variance; `after` is what becomes of the mean's layer, `noises` the channels of the noise."""

    def __init__(self, trunk, head, noise, after=lambda out, x: out):
        super().__init__()
        self.trunk, self.head, self.noise, self.after = trunk, head, noise, after

    def forward(self, x):
        phi = torch.tanh(self.trunk(x))
        mean, noise = self.after(self.head(phi), x), self.noise(phi)
        if mean.dim() > 2:
            noise = nn.functional.interpolate(noise, mean.shape[2:])
        return {"mean": mean, "log_variance": noise}


def jacobian(model, x, with_bias=False):
    """[values of the mean, weights of the head], one column after the other; features are what does not depend on these."""
    weight, bias = model.head.weight, model.head.bias

    def mean_of(values, constants):
        with torch.no_grad():
            phi = torch.tanh(model.trunk(x))
        named = {"weight": values} | ({} if bias is None else {"bias": constants})
        return model.after(nn.utils.stateless.functional_call(model.head, named, (phi,)), x)

    constants = torch.zeros(0).double() if bias is None else bias.detach()
    parts = torch.autograd.functional.jacobian(mean_of, (weight.detach(), constants), strict=False)
    columns = [parts[0].reshape(-1, weight.numel())]
    if with_bias:
        columns.append(parts[1].reshape(-1, bias.numel()))
    return torch.cat(columns, 1).numpy()


def by_jacobian(model, x, new, rung, with_bias=False):
    """(gamma, epistemic variance of the mean at `new`) of one network, from the matrix A over all weights of the head."""
    j = jacobian(model, x, with_bias)
    with torch.no_grad():
        out = model(x)
        variance = out["log_variance"].exp().expand_as(out["mean"]).reshape(-1).numpy()
    a = LAMBDA * np.eye(j.shape[1]) + (j / variance[:, None]).T @ j
    gamma = j.shape[1] / np.trace(a)
    covariance = {"isotropic": gamma * np.eye(len(a)), "diagonal": np.diag(1 / np.diag(a)), "full": np.linalg.inv(a)}[rung]
    at = jacobian(model, new, with_bias)
    return gamma, np.einsum("ij,jk,ik->i", at, covariance, at)


def image_network(head, after=lambda out, x: out, noises=None, channels=4, kind=nn.Conv2d):
    """The noise has the mean's shape or, with noises=1, one channel."""
    torch.manual_seed(1)
    trunk = kind(1, channels, 3, padding=1)
    probe = torch.randn(1, 1, *[6, 5, 4][: len(trunk.kernel_size)])
    mean = after(head(trunk(probe)), probe)
    return Network(trunk, head, kind(channels, noises or mean.shape[1], 1), after).double()


def images(count=2, space=(6, 5), seed=3):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, 1, *space, generator=generator, dtype=torch.float64)


def shuffled(factor):
    return lambda out, x: nn.functional.pixel_shuffle(out, factor)


NETWORKS = {
    "transposed": lambda: image_network(nn.ConvTranspose2d(4, 2, 3, padding=1)),
    "transposed, stride": lambda: image_network(nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1)),
    "transposed, dilation": lambda: image_network(nn.ConvTranspose2d(4, 1, (3, 2), stride=(1, 2), dilation=(2, 1))),
    "transposed, output padding": lambda: image_network(nn.ConvTranspose2d(4, 1, 2, stride=1, dilation=2, output_padding=1)),
    "transposed, groups": lambda: image_network(nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2)),
    "groups": lambda: image_network(nn.Conv2d(4, 4, 3, padding=1, groups=2)),
    "groups, one noise": lambda: image_network(nn.Conv2d(4, 4, 3, padding=1, groups=2), noises=1),
    "depthwise": lambda: image_network(nn.Conv2d(4, 8, (3, 1), padding=(1, 0), groups=4)),
    "groups, circular": lambda: image_network(nn.Conv2d(4, 2, 3, padding=1, padding_mode="circular", groups=2)),
    "shuffled": lambda: image_network(nn.Conv2d(4, 8, 3, padding=1), shuffled(2)),
    "shuffled, one output": lambda: image_network(nn.Conv2d(4, 9, 1), shuffled(3)),
    "shuffled, one noise": lambda: image_network(nn.Conv2d(4, 8, 3, padding=1), shuffled(2), noises=1),
    "less the layer": lambda: image_network(nn.Conv2d(4, 1, 3, padding=1), lambda out, x: x - out),
    "less a transposed": lambda: image_network(nn.ConvTranspose2d(4, 1, 3, padding=1), lambda out, x: x - out),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("posterior", RUNGS)
def test_widths_are_those_of_the_jacobian(name, posterior):
    model = NETWORKS[name]()
    x, new = images(), images(1, seed=8)
    loader = [x[:1], x[1:]]
    wide = credens.torch.widen(model, loader, prior_precision=LAMBDA, posterior=posterior)
    assert wide.mean_layers == ["head"]
    gamma, variance = by_jacobian(model, x, new, posterior)
    np.testing.assert_allclose(wide.gamma[0], gamma, rtol=1e-10)
    p = wide.predict(new)
    with torch.no_grad():
        torch.testing.assert_close(p.mean, model(new)["mean"])
    np.testing.assert_allclose(p.epistemic_variance.reshape(-1), variance, rtol=1e-9)


@pytest.mark.parametrize(
    ("head", "kind", "space"),
    [
        (lambda: nn.ConvTranspose1d(4, 4, 3, stride=2, groups=2), nn.Conv1d, (7,)),
        (lambda: nn.ConvTranspose3d(4, 2, 2, stride=2), nn.Conv3d, (3, 4, 2)),
        (lambda: nn.Conv3d(4, 2, 2, groups=2), nn.Conv3d, (3, 4, 3)),
    ],
)
def test_signals_and_volumes_have_these_layers_too(head, kind, space):
    torch.manual_seed(2)
    model = Network(kind(1, 4, 3, padding=1), head(), kind(4, 1, 1)).double()
    x, new = images(space=space), images(1, space=space, seed=8)
    wide = credens.torch.widen(model, [x], "head", prior_precision=LAMBDA, posterior="full")
    gamma, variance = by_jacobian(model, x, new, "full")
    np.testing.assert_allclose(wide.gamma[0], gamma, rtol=1e-10)
    np.testing.assert_allclose(wide.predict(new).epistemic_variance.reshape(-1), variance, rtol=1e-9)


def row_network(outputs=2, after=lambda out, x: out, noises=2):
    torch.manual_seed(3)
    return Network(nn.Linear(2, 5), nn.Linear(5, outputs), nn.Linear(5, noises), after).double()


def rows(count=40, seed=4):
    return torch.randn(count, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("posterior", RUNGS)
@pytest.mark.parametrize("noises", [1, 2])
@pytest.mark.parametrize(
    "make",
    [
        lambda noises: (row_network(noises=noises), rows(), rows(5, seed=9)),
        lambda noises: (image_network(nn.Conv2d(4, 2, 3, padding=1), noises=noises), images(), images(1, seed=8)),
        lambda noises: (image_network(nn.Conv2d(4, 2, 3, groups=2), noises=noises), images(), images(1, seed=8)),
        lambda noises: (image_network(nn.ConvTranspose2d(4, 2, 3, stride=2), noises=noises), images(), images(1, seed=8)),
    ],
    ids=["rows", "convolution", "groups", "transposed"],
)
def test_a_random_bias_is_a_weight_of_the_constant_1(make, noises, posterior):
    model, x, new = make(noises)
    wide = credens.torch.widen(model, [x], "head", random_bias=True, prior_precision=LAMBDA, posterior=posterior)
    gamma, variance = by_jacobian(model, x, new, posterior, with_bias=True)
    np.testing.assert_allclose(wide.gamma[0], gamma, rtol=1e-10)
    np.testing.assert_allclose(wide.predict(new).epistemic_variance.reshape(-1), variance, rtol=1e-9)
    assert wide.random_bias


def test_a_random_bias_is_that_of_arrays():
    models = [row_network()]
    x = rows()
    wide = credens.torch.widen(models, [x], random_bias=True, prior_precision=LAMBDA, posterior="full")
    expected = credens.widen_outputs(wide.member_outputs(x), random_bias=True, posterior="full")
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
    new = rows(6, seed=9)
    p = expected.predict_outputs(wide.member_outputs(new))
    np.testing.assert_allclose(wide.predict(new).epistemic_variance, p.epistemic_variance, rtol=1e-9)


def test_the_elbo_of_groups_is_that_of_the_formula():
    model = NETWORKS["groups"]()
    x = images()
    with torch.no_grad():
        out = model(x)
    y = out["mean"] + 0.3
    wide = credens.torch.widen(model, [(x, y)], prior_precision=LAMBDA, posterior="full")
    j, variance = jacobian(model, x), out["log_variance"].exp().numpy().reshape(-1)
    a = LAMBDA * np.eye(j.shape[1]) + (j / variance[:, None]).T @ j
    likelihood = -0.5 * (np.log(2 * math.pi * variance) + 0.09 / variance).sum()
    prior = -0.5 * LAMBDA * float(model.head.weight.square().sum()) + 0.5 * len(a) * (1 + math.log(LAMBDA))
    entropy = -0.5 * (len(a) + np.linalg.slogdet(a)[1])
    np.testing.assert_allclose(wide.elbo("full"), likelihood + prior + entropy, rtol=1e-9)


def test_a_layer_that_is_taken_away_has_the_opposite_weights():
    model = row_network(after=lambda out, x: x - out)
    x = rows()
    plus = row_network(after=lambda out, x: x + out)
    with torch.no_grad():
        for opposite, own in zip(plus.head.parameters(), model.head.parameters()):
            opposite.copy_(-own)
        y = plus(x)["mean"] + 1
    found, expected = (credens.torch.widen(m, [(x, y)], prior_precision=LAMBDA, posterior="full") for m in (model, plus))
    np.testing.assert_allclose(found.elbo(), expected.elbo(), rtol=1e-12)
    np.testing.assert_allclose(found.member_outputs(x).last_layer[0], expected.member_outputs(x).last_layer[0])
    mixed = row_network(after=lambda out, x: torch.stack([out[:, 1], x[:, 0] - out[:, 0]], 1))
    wide = credens.torch.widen(mixed, [x], prior_precision=LAMBDA)
    np.testing.assert_allclose(wide.member_outputs(x).last_layer[0], mixed.head.weight.detach()[[1, 0]] * torch.tensor([[1.0], [-1.0]]))


@pytest.mark.parametrize("name", ["groups", "transposed, stride", "shuffled", "less the layer"])
@pytest.mark.parametrize("posterior", RUNGS)
def test_draws_of_functions_have_the_covariance_of_the_jacobian(name, posterior):
    model = NETWORKS[name]()
    x, new, draws = images(2, (2, 2)), images(1, (2, 2), seed=8), 4000
    wide = credens.torch.widen(model, [x], prior_precision=LAMBDA, posterior=posterior)
    drawn = wide.sample(new, draws, seed=5)
    assert torch.equal(drawn, wide.sample(new, draws, seed=5))
    j, at = jacobian(model, x), jacobian(model, new)
    with torch.no_grad():
        out = model(x)
    variance = out["log_variance"].exp().expand_as(out["mean"]).reshape(-1).numpy()
    a = LAMBDA * np.eye(j.shape[1]) + (j / variance[:, None]).T @ j
    covariance = {
        "isotropic": j.shape[1] / np.trace(a) * np.eye(len(a)),
        "diagonal": np.diag(1 / np.diag(a)),
        "full": np.linalg.inv(a),
    }[posterior]
    expected = at @ covariance @ at.T
    found = drawn.reshape(draws, -1).numpy()
    away = np.cov(found.T) - expected
    error = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / draws)
    assert np.abs(away / error).max() < 5.5
    centre = (found.mean(0) - wide.predict(new).mean.reshape(-1).numpy()) / np.sqrt(np.diag(expected) / draws)
    assert np.abs(centre).max() < 5.5


def test_noise_of_a_shuffled_output_is_that_of_all_its_pixels():
    torch.manual_seed(6)
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 4, 3, padding=1), nn.PixelShuffle(2)).double()
    x = images()
    with torch.no_grad():
        mean = model(x)
    y = mean + torch.randn(mean.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    wide = credens.torch.widen(model, [(x, y)], prior_precision=LAMBDA, target_scale=3.0, target_shift=1.0)
    expected = float((y - mean).square().mean())
    np.testing.assert_allclose(wide.noise_variance[0], [expected] * 4, rtol=1e-12)
    p = wide.predict(x)
    torch.testing.assert_close(p.mean, 1 + 3 * mean)
    torch.testing.assert_close(p.aleatoric_variance, torch.full_like(mean, 9 * expected))
    assert p.log_prob(y).shape == (2, 12, 10)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            lambda: nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 2, 1), nn.Upsample(scale_factor=2)),
            "that layer does not give it",
        ),
        (
            lambda: row_network(after=lambda out, x: 3 * out),
            "a factor of 3 (let the network leave it out, and give it as target_scale=) comes after it",
        ),
        (lambda: row_network(after=lambda out, x: x - 0.5 * out), "a factor of -0.5"),
        (lambda: row_network(after=lambda out, x: out * x), "a nonlinear function or a factor comes after it"),
    ],
)
def test_what_changes_a_layer_otherwise_is_refused(model, words):
    model = model().double()
    x = images() if isinstance(model, nn.Sequential) else rows()
    with pytest.raises(ValueError) as raised:
        credens.torch.widen(model, [(x, x)], prior_precision=LAMBDA, mean_layer="2" if isinstance(model, nn.Sequential) else "head")
    assert words in str(raised.value)


class Sized(nn.Module):
    """A transposed convolution that is asked for a size which is not its own."""

    def __init__(self):
        super().__init__()
        self.head = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)

    def forward(self, x):
        return self.head(x, output_size=[2 * size for size in x.shape[2:]])


def test_groups_have_no_arrays_and_a_size_from_outside_is_refused():
    model = NETWORKS["groups"]()
    wide = credens.torch.widen(model, [images()], prior_precision=LAMBDA)
    with pytest.raises(ValueError, match="the layer 'head' has groups, so that outputs have features of their own"):
        wide.member_outputs(images())
    x = images()
    with pytest.raises(ValueError, match="expected a call without output_size, and output_padding in its place"):
        credens.torch.widen(Sized().double(), [(x, torch.zeros(2, 1, 12, 10))], "head", prior_precision=LAMBDA)
    classes = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 4, 1, groups=2)).double()
    labels = torch.zeros(2, 6, 5, dtype=torch.long)
    with pytest.raises(ValueError, match="has groups, so that classes have features of their own"):
        credens.torch.widen(classes, [(x, labels)], likelihood="softmax", prior_precision=LAMBDA)


@pytest.mark.parametrize("posterior", RUNGS)
def test_target_scales_put_predictions_into_the_units_of_the_data(posterior):
    models = [row_network(), row_network()]
    x = rows()
    plain = credens.torch.widen(models, [x], prior_precision=LAMBDA, posterior=posterior)
    given = {"target_scale": [2.0, 10.0], "target_shift": [1.0, -5.0]}
    wide = credens.torch.widen(models, [x], prior_precision=LAMBDA, posterior=posterior, **given)
    scale, shift = torch.tensor([2.0, 10.0]).double(), torch.tensor([1.0, -5.0]).double()
    p, q = plain.predict(x), wide.predict(x)
    torch.testing.assert_close(q.mean, shift + scale * p.mean)
    for name in ("aleatoric_variance", "epistemic_variance", "classical_epistemic_variance", "total_variance"):
        torch.testing.assert_close(getattr(q, name), scale**2 * getattr(p, name))
    again = wide.ensemble.predict_outputs(wide.member_outputs(x))
    np.testing.assert_allclose(again.epistemic_variance, q.epistemic_variance, rtol=1e-9)
    torch.testing.assert_close(wide.sample(x, 3, seed=1), shift + scale * plain.sample(x, 3, seed=1))
    with pytest.raises(ValueError, match="target_scale has 3 values, expected 2, one for each output"):
        credens.torch.widen(models, [x], prior_precision=LAMBDA, target_scale=[1, 2, 3])
    with pytest.raises(ValueError, match="which classes do not have"):
        credens.torch.widen(models, [x], likelihood="softmax", prior_precision=LAMBDA, target_scale=2)


def test_columns_of_the_jacobian_are_the_features_of_a_dense_layer():
    """The oracle itself, by finite differences."""
    model, x = NETWORKS["transposed, stride"](), images(1, (3, 2))
    j = jacobian(model, x)
    with torch.no_grad():
        before = model.after(model.head(torch.tanh(model.trunk(x))), x).reshape(-1)
        for index in itertools.islice(range(j.shape[1]), 0, None, 7):
            model.head.weight.reshape(-1)[index] += 1e-3
            after = model.after(model.head(torch.tanh(model.trunk(x))), x).reshape(-1)
            model.head.weight.reshape(-1)[index] -= 1e-3
            np.testing.assert_allclose((after - before) / 1e-3, j[:, index], atol=1e-9)

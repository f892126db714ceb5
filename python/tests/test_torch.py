# SPDX-License-Identifier: Apache-2.0
"""Networks of PyTorch: what `credens.torch.widen` finds is held against arrays made by hand with numpy."""

import collections
import pickle
import subprocess
import sys

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402
from torch_networks import networks, rows  # noqa: E402

nn = torch.nn
functional = torch.nn.functional
Dataset = torch.utils.data.TensorDataset
Loader = torch.utils.data.DataLoader
RUNGS = ["isotropic", "diagonal", "full"]
LAMBDA = 0.7


def by_hand(models, x):
    """(features, mean, variance) of each member, as numpy arrays."""
    arrays = ([], [], [])
    for model in models:
        model.eval()
        with torch.no_grad():
            phi = model.trunk(x)
            for part, array in zip((phi, model.head(phi), model.noise(phi).exp()), arrays):
                part = part.numpy()
                array.append(part)
    return arrays


def assert_same(prediction, model, arrays, shape=None):
    """A prediction of networks beside that of `widen_outputs` from arrays."""
    p = model.predict_outputs(*arrays).as_columns()
    for name in ("mean", "aleatoric_variance", "epistemic_variance", "total_variance"):
        found = getattr(prediction, name)
        expected = getattr(p, name)
        np.testing.assert_allclose(
            found.numpy().reshape(expected.shape) if shape is None else shape(found), expected, rtol=1e-9
        )


@pytest.mark.parametrize("posterior", RUNGS)
@pytest.mark.parametrize("noises", [None, 1])
def test_gives_what_arrays_by_hand_give(posterior, noises):
    models = networks(noises=noises)
    x, y = rows()
    wide = credens.torch.widen(
        models,
        Loader(Dataset(x, y), 64),
        "head",
        output="mean_log_variance",
        prior_precision=LAMBDA,
        posterior=posterior,
    )
    arrays = by_hand(models, x)
    layers = [model.head.weight.detach().numpy() for model in models]
    expected = credens.widen_outputs(
        *arrays, prior_precision=LAMBDA, posterior=posterior, targets=y.numpy(), last_layer=layers
    )
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
    for rung in RUNGS if posterior == "full" else RUNGS[:2]:
        np.testing.assert_allclose(wide.elbo(rung), expected.elbo(rung), rtol=1e-10)
    new = rows(40, seed=5)[0]
    assert_same(wide.predict(new), expected, by_hand(models, new))
    assert_same(wide(new), wide.ensemble, by_hand(models, new))


def test_gamma_and_covariance_are_those_of_the_formula():
    models = networks(1, outputs=1)
    x, y = rows(outputs=1)
    (phi,), _, (variance,) = by_hand(models, x)
    a = LAMBDA * np.eye(phi.shape[1]) + (phi / variance).T @ phi
    isotropic = credens.torch.widen(models, [(x, y)], "head", output="mean_log_variance", prior_precision=LAMBDA)
    np.testing.assert_allclose(isotropic.gamma[0], phi.shape[1] / np.trace(a), rtol=1e-12)
    full = credens.torch.widen(
        models, [(x, y)], "head", output="mean_log_variance", prior_precision=LAMBDA, posterior="full"
    )
    expected = np.einsum("ij,jk,ik->i", phi, np.linalg.inv(a), phi)
    np.testing.assert_allclose(full.predict(x).epistemic_variance.numpy()[:, 0], expected, rtol=1e-9)


@pytest.mark.parametrize(
    "form",
    [
        "mean_variance",
        "mean_log_variance",
        "mean_std",
        "mean_log_std",
        "split_variance",
        "split_log_variance",
        "split_std",
        "split_log_std",
    ],
)
def test_reads_every_form_of_output(form):
    models = networks(form=form)
    x, y = rows()
    for layer in ("head", None):
        wide = credens.torch.widen(models, [(x, y)], layer, output=form, prior_precision=LAMBDA)
        assert wide.mean_layers == ["head"] * 3
        assert_same(
            wide.predict(x), credens.widen_outputs(*by_hand(models, x), prior_precision=LAMBDA), by_hand(models, x)
        )


class Wrapped(nn.Module):
    """The output of another network in another form."""

    def __init__(self, network, wrap):
        super().__init__()
        self.network, self.wrap = network, wrap

    def forward(self, x):
        return self.wrap(self.network(x))


Named = collections.namedtuple("Named", ["loc", "log_scale"])


@pytest.mark.parametrize(
    "wrap",
    [
        lambda out: {"mean": out[0], "log_variance": out[1]},
        lambda out: {"mu": out[0], "var": out[1].exp(), "other": None},
        lambda out: {"mean": out[0], "sigma": (out[1] / 2).exp()},
        lambda out: Named(out[0], out[1] / 2),
        lambda out: torch.distributions.Normal(out[0], (out[1] / 2).exp()),
    ],
)
def test_knows_parts_by_their_names(wrap):
    models = networks()
    x, y = rows()
    wide = credens.torch.widen([Wrapped(model, wrap) for model in models], [(x, y)], prior_precision=LAMBDA)
    assert wide.mean_layers == ["network.head"] * 3
    assert_same(wide.predict(x), credens.widen_outputs(*by_hand(models, x), prior_precision=LAMBDA), by_hand(models, x))


def test_takes_a_function_for_the_output():
    models = networks()
    x, y = rows()
    odd = [Wrapped(model, lambda out: [out, "more"]) for model in models]
    wide = credens.torch.widen(
        odd, [(x, y)], output=lambda raw: (raw[0][0], functional.softplus(raw[0][1])), prior_precision=LAMBDA
    )
    features, mean, _ = by_hand(models, x)
    with torch.no_grad():
        variance = [functional.softplus(model.noise(model.trunk(x))).numpy() for model in models]
    assert_same(
        wide.predict(x),
        credens.widen_outputs(features, mean, variance, prior_precision=LAMBDA),
        (features, mean, variance),
    )


class OneLayer(nn.Module):
    """Mean and noise from one layer, by turns."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, 6), nn.Tanh())
        self.last = nn.Linear(6, 4)

    def forward(self, x):
        out = self.last(self.trunk(x))
        return out[:, 0::2], out[:, 1::2]


def test_finds_the_channels_that_give_the_mean():
    torch.manual_seed(3)
    model = OneLayer().double()
    x, y = rows()
    wide = credens.torch.widen(model, [(x, y)], output="mean_log_variance", prior_precision="evidence")
    with torch.no_grad():
        phi, (mean, log_variance) = model.trunk(x), model(x)
    arrays = [phi.numpy()], [mean.numpy()], [log_variance.exp().numpy()]
    layers = [model.last.weight.detach().numpy()[0::2]]
    expected = credens.widen_outputs(*arrays, prior_precision="evidence", last_layer=layers, targets=y.numpy())
    np.testing.assert_allclose(wide.prior_precision, expected.prior_precision, rtol=1e-9)
    np.testing.assert_allclose(wide.elbo(), expected.elbo(), rtol=1e-9)


def test_estimates_constant_noise_from_residuals():
    models = networks(form="mean")
    x, y = rows()
    wide = credens.torch.widen(models, Loader(Dataset(x, y), 77), prior_precision=LAMBDA, posterior="full")
    features, mean, _ = by_hand(models, x)
    variance = [np.mean((y.numpy() - m) ** 2, axis=0, keepdims=True) for m in mean]
    layers = [model.head.weight.detach().numpy() for model in models]
    expected = credens.widen_outputs(
        features, mean, variance, prior_precision=LAMBDA, posterior="full", targets=y.numpy(), last_layer=layers
    )
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
    np.testing.assert_allclose(wide.elbo(), expected.elbo(), rtol=1e-10)
    np.testing.assert_allclose(np.stack([v.numpy() for v in wide.noise_variance]), np.concatenate(variance), rtol=1e-12)
    assert_same(wide.predict(x[:9]), expected, ([f[:9] for f in features], [m[:9] for m in mean], variance))


def test_converts_weight_decay():
    x, y = rows()
    noisy = networks()
    wide = credens.torch.widen(noisy, [(x, y)], output="mean_log_variance", weight_decay=1e-3)
    assert wide.prior_precision == pytest.approx(1e-3 * 300 * 2)
    plain = networks(form="mean")
    wide = credens.torch.widen(plain, [(x, y)], weight_decay=1e-3)
    variance = float(torch.stack(wide.noise_variance).mean())
    assert wide.prior_precision == pytest.approx(1e-3 * 300 * 2 / (2 * variance))
    assert credens.torch.widen(plain, [(x, y)], weight_decay=1e-3, loss="nll").prior_precision == pytest.approx(0.6)


def test_takes_data_in_every_form():
    models = networks()
    x, y = rows()
    given = {"output": "mean_log_variance", "prior_precision": LAMBDA}
    expected = credens.torch.widen(models, Loader(Dataset(x, y), 32), **given)
    for loader in (
        Dataset(x, y),
        [(x, y)],
        [[x[:100], y[:100]], [x[100:], y[100:]]],
        iter([(x, y)]),
        ((a, b) for a, b in [(x, y)]),
    ):
        np.testing.assert_allclose(credens.torch.widen(models, loader, **given).gamma, expected.gamma, rtol=1e-12)
    for loader in ([x], [(x,)], Dataset(x)):
        wide = credens.torch.widen(models, loader, **given)
        np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
        assert wide.elbo() is None
    named = [{"x": x, "y": y}]
    np.testing.assert_allclose(
        credens.torch.widen(models, named, batch=lambda b: (b["x"], b["y"]), **given).gamma, expected.gamma, rtol=1e-12
    )
    for batch in (
        {"x": x, "y": y},
        {"anything": x, "target": y},
        {"input": x, "labels": y, "sample_weight": torch.ones(300)},
        collections.OrderedDict(features=x, targets=y, weights=None),
        collections.UserDict(x=x, label=y),
    ):
        np.testing.assert_allclose(credens.torch.widen(models, [batch], **given).elbo(), expected.elbo(), rtol=1e-12)
    twice = credens.torch.widen(models, [(torch.cat([x, x]), torch.cat([y, y]))], **given)
    weighed = credens.torch.widen(models, [(x, y, torch.full((300,), 2.0))], **given)
    np.testing.assert_allclose(weighed.gamma, twice.gamma, rtol=1e-12)


class TwoInputs(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, left, right):
        return {"prediction": self.network(torch.cat([left, right], 1))[0], "hidden": [left]}


def test_several_parts_of_a_batch_are_arguments_by_their_names():
    x, y = rows()
    models = [TwoInputs(model) for model in networks()]
    named = [{"right": x[:, 1:], "left": x[:, :1], "y": y}]
    wide = credens.torch.widen(models, named, prior_precision=LAMBDA)
    plain = credens.torch.widen(networks(form="mean"), [(x, y)], prior_precision=LAMBDA)
    np.testing.assert_allclose(wide.elbo(), plain.elbo(), rtol=1e-12)
    torch.testing.assert_close(wide.predict({"left": x[:, :1], "right": x[:, 1:]}).std, plain.predict(x).std)
    assert credens.score(wide, named) == credens.score(plain, [(x, y)])


@pytest.mark.parametrize(
    "wrap",
    [
        lambda out: {"logits": out[0], "loss": None},
        lambda out: {"whatever": out[0]},
        lambda out: {"y_hat": out[0], "features": out[1]},
        lambda out: collections.OrderedDict(reconstruction=out[0], hidden=(out[1],)),
    ],
)
def test_a_mean_is_found_among_other_parts(wrap):
    models = networks()
    x, y = rows()
    wide = credens.torch.widen([Wrapped(model, wrap) for model in models], [(x, y)], prior_precision=LAMBDA)
    plain = credens.torch.widen(networks(form="mean"), [(x, y)], prior_precision=LAMBDA)
    np.testing.assert_allclose(wide.elbo(), plain.elbo(), rtol=1e-12)


def test_leaves_networks_as_they_were():
    models = networks()
    models[0].trunk[2].eval()
    before = [[module.training for module in model.modules()] for model in models]
    hooks = [len(module._forward_hooks) for model in models for module in model.modules()]
    x, y = rows()
    wide = credens.torch.widen(models, [(x, y)], output="mean_log_variance", prior_precision=LAMBDA)
    assert torch.equal(wide.predict(x).mean, wide.predict(x).mean)  # no dropout
    assert not wide.predict(x).mean.requires_grad
    assert [[module.training for module in model.modules()] for model in models] == before
    assert [len(module._forward_hooks) for model in models for module in model.modules()] == hooks
    with pytest.raises(ValueError):
        credens.torch.widen(models, [(x, y), (x * float("nan"), y)], output="mean_log_variance", prior_precision=LAMBDA)
    assert [[module.training for module in model.modules()] for model in models] == before
    again = pickle.loads(pickle.dumps(wide))
    assert torch.equal(again.predict(x).epistemic_variance, wide.predict(x).epistemic_variance)


def test_single_precision_gives_about_the_same():
    double = networks()
    single = [model.float() for model in networks()]
    x, y = rows()
    given = {"output": "mean_log_variance", "prior_precision": LAMBDA}
    expected = credens.torch.widen(double, [(x, y)], **given)
    wide = credens.torch.widen(single, [(x, y)], **given)  # rows in double are taken too
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-5)
    assert wide.predict(x.float()).mean.dtype == torch.float32
    np.testing.assert_allclose(wide.predict(x).epistemic_variance, expected.predict(x).epistemic_variance, rtol=1e-4)


class Residual(nn.Module):
    """The mean is the input plus what the layer gives."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2, 6), nn.Tanh())
        self.head = nn.Linear(6, 2)

    def forward(self, x):
        return x + self.head(self.trunk(x))


def test_a_layer_may_be_added_to_something():
    torch.manual_seed(4)
    model = Residual().double()
    x, y = rows(inputs=2)
    wide = credens.torch.widen(model, [(x, y)], prior_precision=LAMBDA)
    with torch.no_grad():
        phi, mean = model.trunk(x).numpy(), model(x).numpy()
    variance = np.mean((y.numpy() - mean) ** 2, axis=0, keepdims=True)
    expected = credens.widen_outputs([phi], [mean], [variance], prior_precision=LAMBDA)
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)


def test_sequences_have_a_row_for_each_step():
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1)).double()
    x = torch.randn(20, 7, 3, dtype=torch.float64)
    wide = credens.torch.widen(model, [(x, torch.randn(20, 7, 1, dtype=torch.float64))], prior_precision=LAMBDA)
    assert wide.mean_layers == ["2"]
    assert wide.predict(x).epistemic_variance.shape == (20, 7, 1)
    flat = credens.torch.widen(model, [(x.reshape(140, 3), torch.randn(140, 1).double())], prior_precision=LAMBDA)
    scale = float(wide.noise_variance[0] / flat.noise_variance[0])
    assert scale > 0 and wide.ensemble.outputs == 1


def test_one_output_without_an_axis():
    torch.manual_seed(6)
    model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1), nn.Flatten(0)).double()
    x, y = rows(outputs=1)
    wide = credens.torch.widen(model, [(x, y[:, 0])], prior_precision=LAMBDA)
    assert wide.predict(x).mean.shape == (300,)
    assert wide.predict(x).total_variance.shape == (300,)


def test_credens_does_not_import_torch():
    script = (
        "import sys, credens; assert 'torch' not in sys.modules; credens.torch.widen; assert 'torch' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

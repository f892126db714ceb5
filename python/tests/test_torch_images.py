# SPDX-License-Identifier: Apache-2.0
"""Networks from images to images: each pixel is a row, its features are the patch that the last convolution sees."""

import itertools

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402

nn = torch.nn
functional = torch.nn.functional
LAMBDA = 0.7


class Images(nn.Module):
    """Mean and log variance of each pixel."""

    def __init__(self, outputs=2, noises=None, kind=nn.Conv2d, channels=3, **options):
        super().__init__()
        self.trunk = nn.Sequential(kind(1, channels, 3, padding=1), nn.Tanh())
        self.mean = kind(channels, outputs, **options)
        self.log_variance = kind(channels, outputs if noises is None else noises, **options)

    def forward(self, x):
        features = self.trunk(x)
        return {"mean": self.mean(features), "log_variance": self.log_variance(features)}


def networks(count=2, **options):
    torch.manual_seed(1)
    return [Images(**{"kernel_size": 3, "padding": 1, **options}).double() for _ in range(count)]


def images(count=5, space=(9, 8), seed=3):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, 1, *space, generator=generator, dtype=torch.float64)


def patches_by_hand(x, layer):
    """[pixels, P], one pixel after the other, with loops."""
    pads = []
    for axis, size in enumerate(layer.kernel_size):
        total = layer.dilation[axis] * (size - 1)
        pads.append((total // 2, total - total // 2) if layer.padding == "same" else (layer.padding[axis],) * 2)
    mode = {"zeros": "constant", "circular": "wrap", "reflect": "reflect", "replicate": "edge"}[layer.padding_mode]
    x = np.pad(x.numpy(), [(0, 0), (0, 0), *pads], mode=mode)
    reach = [d * (k - 1) + 1 for d, k in zip(layer.dilation, layer.kernel_size)]
    starts = [range(0, n - r + 1, s) for n, r, s in zip(x.shape[2:], reach, layer.stride)]
    rows = []
    for image in x:
        for start in itertools.product(*starts):
            at = tuple(slice(s, s + r, d) for s, r, d in zip(start, reach, layer.dilation))
            rows.append(image[(slice(None), *at)].ravel())
    return np.array(rows)


def by_hand(models, x):
    arrays = ([], [], [])
    for model in models:
        with torch.no_grad():
            out, trunk = model(x), model.trunk(x)
        arrays[0].append(patches_by_hand(trunk, model.mean))
        for part, array in ((out["mean"], arrays[1]), (out["log_variance"].exp(), arrays[2])):
            array.append(part.movedim(1, -1).reshape(-1, part.shape[1]).numpy())
    return arrays


def rows_of(tensor):
    return tensor.movedim(1, -1).reshape(-1, tensor.shape[1]).numpy()


SHAPES = [
    {"kernel_size": 1, "padding": 0},
    {"kernel_size": 3, "padding": 1},
    {"kernel_size": (3, 2), "padding": (2, 0), "stride": (2, 1)},
    {"kernel_size": 3, "padding": 2, "dilation": 2},
    {"kernel_size": 3, "padding": "same", "dilation": 2},
    {"kernel_size": (2, 4), "padding": "same"},
    {"kernel_size": 3, "padding": 1, "padding_mode": "reflect"},
    {"kernel_size": 3, "padding": 1, "padding_mode": "circular", "stride": 2},
    {"kernel_size": 3, "padding": 1, "padding_mode": "replicate"},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("posterior", ["isotropic", "diagonal", "full"])
def test_gives_what_patches_by_hand_give(shape, posterior):
    models = networks(**shape)
    x = images()
    with torch.no_grad():
        targets = models[0](x)["mean"] + 0.5
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, targets), 2)
    wide = credens.torch.widen(models, loader, "mean", prior_precision=LAMBDA, posterior=posterior)
    arrays = by_hand(models, x)
    layers = [model.mean.weight.detach().reshape(2, -1).numpy() for model in models]
    expected = credens.widen_outputs(
        *arrays, prior_precision=LAMBDA, posterior=posterior, targets=rows_of(targets), last_layer=layers
    )
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
    np.testing.assert_allclose(wide.elbo(), expected.elbo(), rtol=1e-10)
    new = images(3, seed=8)
    prediction, p = wide.predict(new), expected.predict_outputs(*by_hand(models, new))
    assert prediction.mean.shape == prediction.epistemic_variance.shape == models[0](new)["mean"].shape
    for name in ("mean", "aleatoric_variance", "epistemic_variance", "total_variance"):
        np.testing.assert_allclose(rows_of(getattr(prediction, name)), getattr(p, name), rtol=1e-9)
    outputs = wide.member_outputs(new)
    for found, by_loops in zip(outputs.features, by_hand(models, new)[0]):
        np.testing.assert_allclose(found, by_loops, rtol=1e-12)
    np.testing.assert_allclose(
        wide.ensemble.predict_outputs(outputs).epistemic_variance, p.epistemic_variance, rtol=1e-9
    )


@pytest.mark.parametrize(("kind", "space"), [(nn.Conv1d, (11,)), (nn.Conv3d, (5, 4, 6))])
def test_signals_and_volumes_are_images_too(kind, space):
    models = networks(kind=kind)
    x = images(space=space)
    for posterior in ("diagonal", "full"):
        wide = credens.torch.widen(models, [x], "mean", prior_precision=LAMBDA, posterior=posterior)
        expected = credens.widen_outputs(*by_hand(models, x), prior_precision=LAMBDA, posterior=posterior)
        np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
        p = expected.predict_outputs(*by_hand(models, x))
        np.testing.assert_allclose(rows_of(wide.predict(x).epistemic_variance), p.epistemic_variance, rtol=1e-9)


def test_pixels_may_share_their_noise_or_have_none():
    shared = networks(noises=1)
    x = images()
    wide = credens.torch.widen(shared, [x], prior_precision=LAMBDA)
    np.testing.assert_allclose(
        wide.gamma, credens.widen_outputs(*by_hand(shared, x), prior_precision=LAMBDA).gamma, rtol=1e-12
    )

    torch.manual_seed(4)
    plain = nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1), nn.Tanh(), nn.Conv2d(3, 1, 3, padding=1), nn.Flatten(1, 2)
    ).double()
    targets = images(seed=9)[:, 0]
    wide = credens.torch.widen(plain, [(x, targets)], prior_precision=LAMBDA, posterior="diagonal")
    with torch.no_grad():
        mean = plain(x)
        phi = patches_by_hand(plain[1](plain[0](x)), plain[2])
    variance = float((targets - mean).square().mean())
    np.testing.assert_allclose(float(wide.noise_variance[0]), variance, rtol=1e-12)
    expected = credens.widen_outputs(
        [phi], [mean.reshape(-1).numpy()], variance, prior_precision=LAMBDA, posterior="diagonal"
    )
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
    assert wide.predict(x).mean.shape == (5, 9, 8)
    own = expected.predict_outputs([phi], [mean.reshape(-1).numpy()], variance).epistemic_variance
    np.testing.assert_allclose(wide.predict(x).epistemic_variance.reshape(-1).numpy(), own, rtol=1e-9)


def test_residual_denoisers_are_found():
    class Denoiser(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))

        def forward(self, x):
            return x - self.body(x) * -1

    torch.manual_seed(5)
    x = images()
    wide = credens.torch.widen(Denoiser().double(), [(x, x)], prior_precision=LAMBDA)
    assert wide.mean_layers == ["body.2"]


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (nn.Bilinear(4, 4, 2), "is Bilinear, expected Linear, Conv1d, Conv2d or Conv3d, or a ConvTranspose of these"),
        (nn.Sequential(nn.Conv2d(4, 2, 1), nn.Sigmoid()), "is Sequential, expected Linear"),
    ],
)
def test_other_last_layers_are_refused(last, words):
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), last).double()
    with pytest.raises(ValueError) as raised:
        credens.torch.widen(model, [(images(), images())], "2", prior_precision=LAMBDA)
    assert words in str(raised.value)


def test_a_sigmoid_at_the_end_is_found_out():
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1), nn.Sigmoid()).double()
    with pytest.raises(ValueError, match="a nonlinear function or a factor comes after it"):
        credens.torch.widen(model, [(images(), images())], prior_precision=LAMBDA)

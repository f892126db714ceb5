# SPDX-License-Identifier: Apache-2.0
"""Networks from images to maps of classes: each pixel is a row, its features are the patch that the last layer sees."""

import itertools

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402

nn = torch.nn
LAMBDA = 0.7
CLASSES = 3


def networks(count=2, kernel=3, kind=nn.Conv2d):
    torch.manual_seed(1)
    return [
        nn.Sequential(
            nn.Sequential(kind(1, 4, 3, padding=1), nn.Tanh()), kind(4, CLASSES, kernel, padding=kernel // 2)
        ).double()
        for _ in range(count)
    ]


def images(count=5, space=(7, 6), seed=3):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 1, *space, generator=generator, dtype=torch.float64)
    return x, torch.randint(0, CLASSES, (count, *space), generator=generator)


def patches_by_hand(x, kernel):
    """[pixels, C k k], with loops."""
    side = kernel // 2
    x = np.pad(x.numpy(), [(0, 0), (0, 0), (side, side), (side, side)])
    rows = []
    for image in x:
        for i, j in itertools.product(range(x.shape[2] - 2 * side), range(x.shape[3] - 2 * side)):
            rows.append(image[:, i : i + kernel, j : j + kernel].ravel())
    return np.array(rows)


def rows_of(tensor):
    return tensor.movedim(1, -1).reshape(-1, tensor.shape[1]).numpy()


def by_hand(models, x, kernel):
    with torch.no_grad():
        features = [patches_by_hand(model[0](x), kernel) for model in models]
        return features, [rows_of(model(x)) for model in models]


@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("posterior", ["delta", "isotropic", "diagonal", "full"])
def test_gives_what_patches_by_hand_give(kernel, posterior):
    models = networks(kernel=kernel)
    x, y = images()
    y[0, :3] = 255
    y[3, 2, 4] = 255
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 2)
    wide = credens.torch.widen(
        models, loader, likelihood="softmax", prior_precision=LAMBDA, posterior=posterior, ignore_index=255
    )
    features, logits = by_hand(models, x, kernel)
    labels = y.reshape(-1).numpy()
    expected = credens.widen_outputs(
        features,
        logits=logits,
        targets=np.where(labels == 255, 0, labels),
        row_weights=(labels != 255).astype(float),
        last_layer=[model[1].weight.detach().reshape(CLASSES, -1).numpy() for model in models],
        prior_precision=LAMBDA,
        posterior=posterior,
    )
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
    np.testing.assert_allclose(wide.elbo("isotropic"), expected.elbo("isotropic"), rtol=1e-10)
    new, _ = images(3, seed=8)
    prediction = wide.predict(new)
    new_features, new_logits = by_hand(models, new, kernel)
    p = expected.predict_outputs(new_features, logits=new_logits)
    assert prediction.probability.shape == prediction.epistemic_std.shape == (3, CLASSES, 7, 6)
    for name in ("entropy", "aleatoric", "epistemic", "between_members", "predicted", "confidence"):
        assert getattr(prediction, name).shape == (3, 7, 6)
    for name in ("probability", "epistemic_variance"):
        np.testing.assert_allclose(rows_of(getattr(prediction, name)), getattr(p, name), rtol=1e-9, atol=1e-12)
    for name in ("entropy", "aleatoric", "epistemic", "between_members"):
        np.testing.assert_allclose(getattr(prediction, name).reshape(-1), getattr(p, name), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(prediction.predicted.reshape(-1), p.probability.argmax(1))
    again = wide.ensemble.predict_outputs(wide.member_outputs(new))
    np.testing.assert_allclose(again.probability, p.probability, rtol=1e-12)


def test_one_image_and_shares_of_pixels():
    models = networks()
    x, y = images()
    wide = credens.torch.widen(models, [(x, y)], likelihood="softmax", prior_precision=LAMBDA)
    alone, together = wide.predict(x[1]), wide.predict(x)
    assert alone.probability.shape == (CLASSES, 7, 6) and alone.entropy.shape == (7, 6)
    torch.testing.assert_close(alone.probability, together.probability[1])
    torch.testing.assert_close(alone.predicted, together.predicted[1])
    one_hot = nn.functional.one_hot(y, CLASSES).movedim(-1, 1)
    same = credens.torch.widen(models, [(x, one_hot)], likelihood="softmax", prior_precision=LAMBDA)
    np.testing.assert_allclose(same.elbo(), wide.elbo(), rtol=1e-12)
    log_probability = [nn.Sequential(*model, nn.LogSoftmax(1)) for model in models]
    same = credens.torch.widen(log_probability, [(x, y)], likelihood="softmax", prior_precision=LAMBDA)
    np.testing.assert_allclose(same.elbo(), wide.elbo(), rtol=1e-10)
    weighed = credens.torch.widen(
        models, [(x, y, torch.arange(5.0))], likelihood="softmax", prior_precision=LAMBDA, posterior="isotropic"
    )
    features, logits = by_hand(models, x, 3)
    weights = np.repeat(np.arange(5.0), 42)
    expected = credens.widen_outputs(
        features, logits=logits, row_weights=weights, prior_precision=LAMBDA, posterior="isotropic"
    )
    np.testing.assert_allclose(weighed.gamma, expected.gamma, rtol=1e-12)


@pytest.mark.parametrize(("kind", "space"), [(nn.Conv1d, (11,)), (nn.Conv3d, (5, 4, 6))])
def test_signals_and_volumes_are_images_too(kind, space):
    models = networks(kind=kind)
    x, y = images(space=space)
    wide = credens.torch.widen(models, [(x, y)], likelihood="softmax", prior_precision=LAMBDA)
    p = wide.predict(x)
    assert p.probability.shape == (5, CLASSES, *space) and p.epistemic.shape == (5, *space)
    again = wide.ensemble.predict_outputs(wide.member_outputs(x))
    np.testing.assert_allclose(p.epistemic.reshape(-1), again.epistemic, rtol=1e-9, atol=1e-12)


def test_refusals_say_what_was_expected():
    models = networks()
    x, y = images()
    given = {"likelihood": "softmax", "prior_precision": LAMBDA}
    probabilities = [nn.Sequential(*model, nn.Softmax(1)) for model in models]
    with pytest.raises(ValueError, match="returns class probabilities, expected logits"):
        credens.torch.widen(probabilities, [(x, y)], **given)
    with pytest.raises(ValueError, match="labels have the value 255.0, expected numbers of classes, 0 to 2, or ignore_index"):
        credens.torch.widen(models, [(x, torch.full_like(y, 255))], **given)
    with pytest.raises(ValueError, match="the labels are \\[5, 3, 6\\]"):
        credens.torch.widen(models, [(x, y[:, :3])], **given)
    larger = [nn.Sequential(*model, nn.Upsample(scale_factor=2)) for model in models]
    with pytest.raises(ValueError, match="gives its logit"):
        credens.torch.widen(larger, [(x, y)], **given)

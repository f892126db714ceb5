# SPDX-License-Identifier: Apache-2.0
"""Networks of PyTorch that predict classes, beside arrays that are made by hand."""

import collections
import pickle

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402

nn = torch.nn
LAMBDA = 0.7
RUNGS = ["delta", "isotropic", "diagonal", "full"]


def classifiers(count=3, classes=4):
    torch.manual_seed(1)
    trunks = [nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 5 + l), nn.ReLU()) for l in range(count)]
    return [nn.Sequential(trunk, nn.Linear(5 + l, classes)).double() for l, trunk in enumerate(trunks)]


def labelled(count=200, classes=4, seed=2):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 3, generator=generator, dtype=torch.float64)
    return x, torch.randint(0, classes, (count,), generator=generator)


def by_hand(models, x):
    """(features, logits) of each member, as numpy arrays."""
    with torch.no_grad():
        features = [model.eval()[0](x) for model in models]
        logits = [model[1](phi).numpy() for model, phi in zip(models, features)]
    return [phi.numpy() for phi in features], logits


def layers_of(models):
    return [model[1].weight.detach().numpy() for model in models]


def assert_same(prediction, p, rows=lambda tensor: tensor.numpy(), maps=lambda tensor: tensor.numpy()):
    """A prediction of networks beside that of arrays."""
    for name in ("probability", "epistemic_variance"):
        np.testing.assert_allclose(rows(getattr(prediction, name)), getattr(p, name), rtol=1e-9, atol=1e-12)
    for name in ("entropy", "aleatoric", "epistemic", "between_members"):
        np.testing.assert_allclose(maps(getattr(prediction, name)), getattr(p, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("posterior", RUNGS)
def test_gives_what_arrays_by_hand_give(posterior):
    models = classifiers()
    x, y = labelled()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 64)
    given = {"prior_precision": LAMBDA, "posterior": posterior, "member_weights": [1, 2, 5]}
    wide = credens.torch.widen(models, loader, likelihood="softmax", **given)
    features, logits = by_hand(models, x)
    expected = credens.widen_outputs(
        features, logits=logits, targets=y.numpy(), last_layer=layers_of(models), **given
    )
    assert wide.mean_layers == ["1"] * 3
    np.testing.assert_allclose(wide.gamma, expected.gamma, rtol=1e-12)
    for rung in RUNGS[1:] if posterior == "full" else RUNGS[1:3]:
        np.testing.assert_allclose(wide.elbo(rung), expected.elbo(rung), rtol=1e-10)
    new = labelled(40, seed=5)[0]
    new_features, new_logits = by_hand(models, new)
    assert_same(wide.predict(new), expected.predict_outputs(new_features, logits=new_logits))
    classical = expected.predict_outputs(new_features, logits=new_logits, classical=True)
    assert_same(wide.predict(new, classical=True), classical)
    assert_same(wide(new), wide.ensemble.predict_outputs(wide.member_outputs(new)))


def test_predictions_are_shaped_as_the_networks_shape_their_logits():
    models = classifiers()
    x, y = labelled()
    wide = credens.torch.widen(
        models, [(x, y)], likelihood="softmax", prior_precision=LAMBDA, classes=["a", "b", "c", "d"]
    )
    p = wide.predict(x)
    assert p.probability.shape == p.epistemic_std.shape == (200, 4)
    assert p.entropy.shape == p.predicted.shape == p.confidence.shape == (200,)
    torch.testing.assert_close(p.probability.sum(1), torch.ones(200).double())
    torch.testing.assert_close(p.entropy, p.aleatoric + p.epistemic)
    torch.testing.assert_close(p.epistemic_std.square(), p.epistemic_variance)
    assert torch.equal(p.predicted, p.probability.argmax(1))
    assert torch.equal(p.confidence, p.probability.amax(1))
    assert wide.classes == ["a", "b", "c", "d"]
    assert wide.predict(x[0]).probability.shape == (4,) and wide.predict(x[0]).entropy.shape == ()
    torch.testing.assert_close(wide.predict(x[0]).probability, p.probability[0])
    again = pickle.loads(pickle.dumps(wide))
    assert torch.equal(again.predict(x).epistemic, p.epistemic)
    single = credens.torch.widen(
        [model.float() for model in models], [(x.float(), y)], likelihood="softmax", prior_precision=LAMBDA
    )
    assert single.predict(x.float()).probability.dtype == torch.float32
    torch.testing.assert_close(single.predict(x.float()).probability.double(), p.probability, rtol=1e-4, atol=1e-5)


def test_labels_may_be_numbers_shares_or_counts():
    models = classifiers()
    x, y = labelled()
    given = {"likelihood": "softmax", "prior_precision": LAMBDA}
    expected = credens.torch.widen(models, [(x, y)], **given)
    one_hot = nn.functional.one_hot(y, 4)
    for labels in (y[:, None], y.to(torch.uint8), y.double(), one_hot, one_hot.float()):
        found = credens.torch.widen(models, [(x, labels)], **given)
        np.testing.assert_allclose(found.elbo(), expected.elbo(), rtol=1e-12)
    counts = credens.torch.widen(models, [(x, 3 * one_hot)], **given)
    weighed = credens.torch.widen(models, [(x, y, torch.full((200,), 3.0))], **given)
    np.testing.assert_allclose(counts.gamma, weighed.gamma, rtol=1e-12)
    np.testing.assert_allclose(counts.elbo(), weighed.elbo(), rtol=1e-12)
    shares = torch.softmax(torch.randn(200, 4), 1)
    features, logits = by_hand(models, x)
    by_arrays = credens.widen_outputs(
        features, logits=logits, targets=shares.numpy(), last_layer=layers_of(models), prior_precision=LAMBDA
    )
    np.testing.assert_allclose(credens.torch.widen(models, [(x, shares)], **given).elbo(), by_arrays.elbo(), rtol=1e-10)
    without = credens.torch.widen(models, [x], **given)
    np.testing.assert_allclose(without.gamma, expected.gamma, rtol=1e-12)
    assert without.elbo() is None


def test_rows_without_label_do_not_count():
    models = classifiers()
    x, y = labelled()
    hidden = y.clone()
    hidden[::3] = -100
    kept = hidden != -100
    given = {"likelihood": "softmax", "prior_precision": LAMBDA}
    expected = credens.torch.widen(models, [(x[kept], y[kept])], **given)
    found = credens.torch.widen(models, [(x, hidden)], **given)
    np.testing.assert_allclose(found.gamma, expected.gamma, rtol=1e-12)
    np.testing.assert_allclose(found.elbo(), expected.elbo(), rtol=1e-12)
    assert credens.inspect(found.ensemble)["data"]["rows"] == int(kept.sum())
    hidden[::3] = 255
    other = credens.torch.widen(models, [(x, hidden)], ignore_index=255, **given)
    np.testing.assert_allclose(other.gamma, expected.gamma, rtol=1e-12)


class Wrapped(nn.Module):
    def __init__(self, network, wrap):
        super().__init__()
        self.network, self.wrap = network, wrap

    def forward(self, x):
        return self.wrap(self.network(x))


Named = collections.namedtuple("Named", ["logits", "hidden"])


@pytest.mark.parametrize(
    ("wrap", "output"),
    [
        (lambda z: {"logits": z, "loss": None}, None),
        (lambda z: {"out": z}, None),
        (lambda z: Named(z, None), None),
        (lambda z: torch.distributions.Categorical(logits=z), None),
        (lambda z: z.log_softmax(1), None),
        (lambda z: z + 3, None),
        (lambda z: z.softmax(1), torch.log),
        (lambda z: (z, "more"), lambda raw: raw[0]),
    ],
    ids=["logits", "out", "named tuple", "Categorical", "log_softmax", "shifted", "log of softmax", "function"],
)
def test_logits_are_found_in_every_form(wrap, output):
    models = classifiers()
    x, y = labelled()
    expected = credens.torch.widen(models, [(x, y)], likelihood="softmax", prior_precision=LAMBDA)
    wrapped = [Wrapped(model, wrap) for model in models]
    found = credens.torch.widen(wrapped, [(x, y)], likelihood="softmax", output=output, prior_precision=LAMBDA)
    np.testing.assert_allclose(found.elbo(), expected.elbo(), rtol=1e-10)
    torch.testing.assert_close(found.predict(x).epistemic, expected.predict(x).epistemic)


def test_classes_may_be_permuted_channels():
    models = classifiers()
    x, y = labelled()
    order = torch.tensor([2, 0, 3, 1])
    permuted = [Wrapped(model, lambda z: z[:, order]) for model in models]
    found = credens.torch.widen(permuted, [(x, y)], likelihood="softmax", prior_precision=LAMBDA)
    expected = credens.torch.widen(models, [(x, order[y])], likelihood="softmax", prior_precision=LAMBDA)
    np.testing.assert_allclose(found.elbo(), expected.elbo(), rtol=1e-10)
    outputs = found.member_outputs(x)
    np.testing.assert_allclose(outputs.last_layer[0], layers_of(models)[0][order.numpy()], rtol=1e-12)


def test_converts_weight_decay():
    x, y = labelled()
    given = {"likelihood": "softmax", "weight_decay": 1e-3}
    assert credens.torch.widen(classifiers(), [(x, y)], **given).prior_precision == pytest.approx(0.2)
    wide = credens.torch.widen(classifiers(), [(x, y)], loss="log_loss", **given)
    assert wide.prior_precision == pytest.approx(0.2)
    found = credens.torch.widen(classifiers(), [(x, y)], likelihood="softmax", prior_precision="evidence")
    features, logits = by_hand(classifiers(), x)
    expected = credens.widen_outputs(
        features, logits=logits, last_layer=layers_of(classifiers()), prior_precision="evidence"
    )
    np.testing.assert_allclose(found.prior_precision, expected.prior_precision, rtol=1e-9)


def test_sequences_have_a_row_for_each_step():
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 4)).double()
    x = torch.randn(20, 7, 3, dtype=torch.float64)
    y = torch.randint(0, 4, (20, 7))
    wide = credens.torch.widen(model, [(x, y)], likelihood="softmax", prior_precision=LAMBDA)
    flat = credens.torch.widen(
        model, [(x.reshape(140, 3), y.reshape(140))], likelihood="softmax", prior_precision=LAMBDA
    )
    np.testing.assert_allclose(wide.elbo(), flat.elbo(), rtol=1e-12)
    p = wide.predict(x)
    assert p.probability.shape == (20, 7, 4) and p.epistemic.shape == (20, 7)
    torch.testing.assert_close(p.epistemic.reshape(140), flat.predict(x.reshape(140, 3)).epistemic)


X, Y = labelled()


def widen(models=None, loader=None, layer=None, **options):
    models = classifiers() if models is None else models
    options = {"likelihood": "softmax", "prior_precision": LAMBDA, **options}
    return credens.torch.widen(models, [(X, Y)] if loader is None else loader, layer, **options)


def bent(bend):
    return [Wrapped(model, bend) for model in classifiers()]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: widen(likelihood="poisson"), "likelihood is 'poisson', expected 'gaussian' or 'softmax'"),
        (lambda: widen(likelihood="gaussian", classes=["a"] * 4), "classes are given, expected likelihood='softmax'"),
        (lambda: widen(output="mean"), "output is 'mean', expected 'logits' or 'probability', or a function from what the network returns"),
        (lambda: widen(bent(lambda z: z.softmax(1))), "models[0] returns class probabilities, expected logits"),
        (lambda: widen(bent(lambda z: z.softmax(1))), "or give output='probability'"),
        (lambda: widen(bent(lambda z: 2 * z)), "does not give the logit of class 0 as it is"),
        (lambda: widen(bent(lambda z: z.sigmoid())), "no layer of models[0] gives its logit"),
        (lambda: widen(bent(lambda z: (z, z))), "gives 2 tensors without names, expected logits"),
        (lambda: widen(classifiers(classes=1)), "models[0] gives 1 logit, expected one for each class"),
        (lambda: widen(bent(lambda z: z[:, 0])), "models[0] gives 1 logit, expected one for each class"),
        (lambda: widen(classifiers(2) + classifiers(1, classes=3)), "models[2] has 3 outputs, models[0] has 4"),
        (lambda: widen(loader=[(X, Y + 1)]), "batch 0: labels have the value 4.0, expected numbers of classes, 0 to 3"),
        (lambda: widen(loader=[(X, Y - 1)]), "labels have the value -1.0"),
        (lambda: widen(loader=[(X, Y + 0.5)]), "expected numbers of classes, 0 to 3, or ignore_index=-100"),
        (lambda: widen(loader=[(X, Y * float("nan"))]), "labels have the value nan"),
        (lambda: widen(loader=[(X, Y[:50])]), "models[0]: the labels are [50], expected numbers of classes, or counts"),
        (lambda: widen(loader=[(X, torch.zeros(200, 3))]), "the labels are [200, 3]"),
        (lambda: widen(loader=[(X, torch.zeros(200, 4))]), "sums of a row's shares have the value 0.0"),
        (lambda: widen(loader=[(X, -torch.ones(200, 4))]), "labels have the value -1.0, expected counts or shares"),
        (lambda: widen(loader=[(X, torch.full_like(Y, -100))]), "all rows of loader have the weight 0 or no label"),
        (lambda: widen(loader=[(X, Y), (X,)]), "batch 1 has no targets, the batches before differ"),
        (lambda: widen(loader=[(X, Y, -torch.ones(200))]), "row weights have the value -1.0"),
        (lambda: widen(loader=[(X * float("nan"), Y)]), "models[0]"),
        (lambda: widen(classes=["a", "b"]), "classes has 2 names, expected 4"),
        (lambda: widen(target_names=["a", "b"]), "target_names has 2 names, expected one for all classes"),
        (lambda: widen(layer="0.0"), "models[0]: the layer '0.0' does not give the logit of class 0 as it is"),
        (lambda: widen(prior_precision=None, weight_decay=1, loss="nll"), "loss is 'nll', expected 'log_loss'"),
        (lambda: widen(prior_precision=None, weight_decay=-1), "weight_decay is -1, expected a number from 0"),
        (lambda: widen(prior_precision=0), "the full posterior needs lambda above 0"),
    ],
)
def test_bad_input_is_a_value_error_that_says_what_was_expected(call, words):
    with pytest.raises(ValueError) as raised:
        call()
    assert words in str(raised.value)

# SPDX-License-Identifier: Apache-2.0
"""Networks trained elsewhere that predict classes, as arrays: numpy and Gauss-Hermite sums are the oracle."""

import itertools

import numpy as np
import pytest

import credens

LAMBDA = 0.7
RUNGS = ["isotropic", "diagonal", "full"]


def made_up(members=3, rows=60, features=(4, 6, 2), classes=3, seed=1):
    random = np.random.default_rng(seed)
    arrays = [random.normal(size=(rows, p)) for p in features[:members]]
    return arrays, 2 * random.normal(size=(members, rows, classes))


def covariance(features, classes, posterior, weights=None):
    """S of one member by hand: that of regression with noise variance C."""
    p = features.shape[1]
    weighted = features if weights is None else features * np.asarray(weights)[:, None]
    a = LAMBDA * np.eye(p) + features.T @ weighted / classes
    if posterior == "isotropic":
        return p / np.trace(a) * np.eye(p)
    return np.diag(1 / np.diag(a)) if posterior == "diagonal" else np.linalg.inv(a)


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def entropy(p):
    return -(p * np.log(p)).sum(-1)


def moments_by_nodes(z, e, nodes=24):
    """(E v, E v^2, E H(v)) of softmax(z + sqrt(e) xi): the product of Gauss-Hermite rules in C dimensions."""
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    w = w / w.sum()
    points = np.array(list(itertools.product(x, repeat=len(z))))
    weights = np.array([np.prod(ws) for ws in itertools.product(w, repeat=len(z))])
    v = softmax(z + np.sqrt(e) * points)
    return weights @ v, weights @ v**2, weights @ entropy(v)


@pytest.mark.parametrize("posterior", RUNGS)
@pytest.mark.parametrize("classes", [2, 3])
def test_gives_the_probabilities_of_the_formulas(posterior, classes):
    arrays, logits = made_up(classes=classes)
    new_arrays, new_logits = made_up(rows=4, classes=classes, seed=2)
    weights = np.array([1, 2, 5]) / 8
    model = credens.widen_outputs(
        arrays, logits=logits, prior_precision=LAMBDA, posterior=posterior, member_weights=weights
    )
    p = model.predict_outputs(new_arrays, logits=new_logits)
    for row in range(4):
        parts = []
        for l, features in enumerate(arrays):
            phi = new_arrays[l][row]
            parts.append(moments_by_nodes(new_logits[l, row], phi @ covariance(features, classes, posterior) @ phi))
        mean, square, expected = (sum(w * part[i] for w, part in zip(weights, parts)) for i in range(3))
        np.testing.assert_allclose(p.probability[row], mean, atol=1e-5)
        np.testing.assert_allclose(p.epistemic_variance[row], square - mean**2, atol=2e-5)
        np.testing.assert_allclose(p.aleatoric[row], expected, atol=5e-5)
        np.testing.assert_allclose(p.epistemic[row], entropy(mean) - expected, atol=5e-5)
        between = entropy(mean) - sum(w * entropy(part[0]) for w, part in zip(weights, parts))
        np.testing.assert_allclose(p.between_members[row], between, atol=2e-5)
    assert model.task == "classification" and not model.has_networks
    assert model.classes == list(range(classes))


def test_points_are_the_classical_ensemble():
    arrays, logits = made_up()
    expected = softmax(logits).mean(0)
    for posterior in ("delta", "full"):
        model = credens.widen_outputs(arrays, logits=logits, prior_precision=LAMBDA, posterior=posterior)
        p = model.predict_outputs(arrays, logits=logits, classical=True)
        np.testing.assert_allclose(p.probability, expected, rtol=1e-13)
    delta = credens.widen_outputs(arrays, logits=logits, prior_precision=LAMBDA, posterior="delta")
    np.testing.assert_array_equal(delta.predict_outputs(arrays, logits=logits).probability, p.probability)


def test_the_rung_is_full_unless_given():
    arrays, logits = made_up()
    assert credens.widen_outputs(arrays, logits=logits, prior_precision=LAMBDA).posterior == "full"
    assert credens.widen_outputs(arrays, logits, 0.1, prior_precision=LAMBDA).posterior == "isotropic"


def test_labels_give_the_elbo_and_evidence():
    arrays, logits = made_up(members=1)
    labels = np.arange(60) % 3
    layer = np.random.default_rng(5).normal(size=(3, 4))
    given = {"logits": logits, "targets": labels, "last_layer": [layer]}
    model = credens.widen_outputs(arrays, **given, prior_precision=LAMBDA)
    contrasts = np.sum((layer - layer.mean(0)) ** 2)
    likelihood = np.log(softmax(logits[0]))[np.arange(60), labels].sum()
    common = likelihood - LAMBDA / 2 * contrasts + 2 * 4 * (1 + np.log(LAMBDA)) / 2
    a = np.linalg.inv(covariance(arrays[0], 3, "full"))
    np.testing.assert_allclose(model.elbo("full"), common - 2 * (4 + np.linalg.slogdet(a)[1]) / 2, rtol=1e-10)
    np.testing.assert_allclose(model.elbo("diagonal"), common - 2 * (4 + np.log(np.diag(a)).sum()) / 2, rtol=1e-10)
    found = credens.widen_outputs(arrays, **given, prior_precision="evidence").prior_precision
    d = np.linalg.eigvalsh(arrays[0].T @ arrays[0] / 3)
    np.testing.assert_allclose(2 * (d / (found + d)).sum(), found * contrasts, rtol=1e-9)
    one_hot = credens.widen_outputs(arrays, **{**given, "targets": np.eye(3)[labels]}, prior_precision=LAMBDA)
    assert one_hot.elbo() == model.elbo()
    assert credens.widen_outputs(arrays, logits=logits, prior_precision=LAMBDA).elbo() is None


def test_counts_weigh_as_much_as_their_sum():
    arrays, logits = made_up(members=1)
    counts = np.random.default_rng(6).integers(1, 5, size=(60, 3)).astype(float)
    weights = np.linspace(0.5, 2, 60)
    found = credens.widen_outputs(
        arrays, logits=logits, targets=counts, row_weights=weights, prior_precision=LAMBDA, posterior="isotropic"
    )
    expected = covariance(arrays[0], 3, "isotropic", weights * counts.sum(1))[0, 0]
    np.testing.assert_allclose(found.gamma[0], expected, rtol=1e-12)
    shares = (counts / counts.sum(1, keepdims=True)).astype(np.float32)
    once = credens.widen_outputs(
        arrays, logits=logits, targets=shares, row_weights=weights, prior_precision=LAMBDA, posterior="isotropic"
    )
    np.testing.assert_allclose(once.gamma[0], covariance(arrays[0], 3, "isotropic", weights)[0, 0], rtol=1e-12)


@pytest.mark.parametrize("size", [7, 4096, 20_000])
def test_gives_the_same_bits_however_rows_are_cut(size):
    rows = 9_000 if size > 7 else 60
    arrays, logits = made_up(rows=rows)
    targets = np.arange(rows) % 3
    layers = [np.ones((3, p)) for p in (4, 6, 2)]
    whole = credens.widen_outputs(arrays, logits=logits, targets=targets, last_layer=layers, prior_precision=LAMBDA)

    def pieces(kind):
        for first in range(0, rows, size):
            at = slice(first, first + size)
            yield kind(features=[a[at] for a in arrays], logits=logits[:, at], targets=targets[at])

    for kind in (dict, credens.MemberOutputs):
        found = credens.widen_outputs(pieces(kind), last_layer=layers, prior_precision=LAMBDA)
        assert found == whole
        assert found.elbo() == whole.elbo()


@pytest.mark.parametrize("classes", [["fern", "moss", "reed"], [3, 5, 8], [0.5, 1.5, 2.5], None])
def test_folders_and_files_keep_everything(tmp_path, classes):
    arrays, logits = made_up()
    outputs = credens.MemberOutputs(
        arrays,
        logits=logits,
        targets=np.arange(60) % 3,
        last_layer=[np.ones((3, p)) for p in (4, 6, 2)],
        member_weights=[1, 2, 1],
        target_names="species",
        classes=classes,
        prior_precision=LAMBDA,
    )
    assert repr(outputs) == "MemberOutputs(members=3, rows=60, features=[4, 6, 2], classes=3)"
    credens.save_outputs(outputs, tmp_path / "arrays")
    again = credens.load_outputs(tmp_path / "arrays")
    assert again.mean is None and again.variance is None
    assert again.classes == classes and again.target_names == ["species"]
    for name in ("features", "logits", "last_layer"):
        for left, right in zip(getattr(again, name), getattr(outputs, name)):
            np.testing.assert_array_equal(left, right)
    np.testing.assert_array_equal(again.targets[:, 0], outputs.targets)
    model = credens.widen_outputs(tmp_path / "arrays")
    assert model == credens.widen_outputs(outputs) == credens.widen_outputs(again)
    assert model.classes == (classes or [0, 1, 2])
    p = model.predict_outputs(again)
    assert p.classes == model.classes
    credens.save(model, tmp_path / "model.safetensors")
    np.testing.assert_array_equal(
        credens.load(tmp_path / "model.safetensors").predict_outputs(again).probability, p.probability
    )
    labels = np.array(model.classes)[np.arange(60) % 3]
    expected = -np.log(p.probability[np.arange(60), np.arange(60) % 3]).mean()
    np.testing.assert_allclose(credens.score(p, labels).log_loss, expected, rtol=1e-12)


def test_draws_are_probabilities_and_classes():
    arrays, logits = made_up(rows=5)
    model = credens.widen_outputs(arrays, logits=logits, prior_precision=LAMBDA)
    p = model.predict_outputs(arrays, logits=logits)
    for of in ("function", "observation"):
        draws = model.sample_outputs(arrays, logits=logits, draws=4000, of=of, seed=3)
        assert draws.shape == (4000, 5, 3)
        np.testing.assert_allclose(draws.sum(2), 1, rtol=1e-12)
        np.testing.assert_allclose(draws.mean(0), p.probability, atol=0.04)  # five standard errors of a share
    assert set(np.unique(draws)) == {0.0, 1.0}


NAN = float("nan")
ARRAYS, LOGITS = made_up()


def with_value(value, at):
    logits = LOGITS.copy()
    logits[at] = value
    return logits


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mean": LOGITS}, "mean is given beside logits"),
        ({"variance": 0.1}, "variance is given beside logits"),
        ({"logits": with_value(NAN, (1, 7, 2))}, "logits of member 1: row 7, column 2 is nan"),
        ({"logits": LOGITS[:2]}, "features is given for 3 members, logits for 2"),
        ({"logits": LOGITS[:, :9]}, "features[0] has 60 rows, expected 9 as in logits[0]"),
        ({"logits": LOGITS[..., :1]}, "logits has 1 column, expected one for each class, 2 to 1000"),
        ({"logits": LOGITS[0]}, "logits has the shape [60, 3], expected [members, rows, classes]"),
        ({"logits": [LOGITS[0], LOGITS[1], LOGITS[2][:, :2]]}, "logits[2] has 2 classes, expected 3 as in logits[0]"),
        ({"targets": np.full(60, 3)}, "targets: row 0 is 3, expected the number of a class, 0 to 2"),
        ({"targets": np.full(60, 0.5)}, "targets: row 0 is 0.5"),
        ({"targets": np.full(60, NAN)}, "targets: row 0 is nan"),
        ({"targets": np.zeros((60, 3))}, "targets: row 0 has the sum 0"),
        ({"targets": -np.eye(60, 3)}, "targets: row 0, class 0 is -1, expected a count or a share"),
        ({"targets": np.zeros((60, 2))}, "targets has the shape [60, 2], expected [60, 1] or [60, 3]"),
        ({"targets": np.zeros(59)}, "targets has the shape [59, 1], expected [60, 1] or [60, 3]"),
        ({"targets": np.array(["a"] * 60)}, "targets is of the type <U1, expected numbers"),
        ({"target_scale": [1, 1, 1]}, "target_scale is given beside logits"),
        ({"classes": ["a", "b"]}, "classes has 2 names, expected 3"),
        ({"classes": ["a", "b", "a"]}, 'classes has "a" twice'),
        ({"classes": "abc"}, "classes is 'abc', expected a list of labels"),
        ({"target_names": ["a", "b", "c"]}, "target_names has 3 names, expected one for all classes"),
        ({"last_layer": [np.ones((2, p)) for p in (4, 6, 2)]}, "last_layer of member 0 is 2 x 4, expected 3 x 4"),
        ({"prior_precision": 0}, "the full posterior needs lambda above 0"),
        ({"prior_precision": "evidence"}, "needs the last layers"),
        ({"posterior": "wide"}, "wide"),
    ],
)
def test_bad_input_is_a_value_error_that_says_what_was_expected(given, words):
    with pytest.raises(ValueError) as raised:
        credens.widen_outputs(ARRAYS, **{"logits": LOGITS, "prior_precision": LAMBDA, **given})
    assert words in str(raised.value)
    assert isinstance(raised.value, credens.CredensError)


def test_classes_and_numbers_do_not_mix():
    classes = credens.widen_outputs(ARRAYS, logits=LOGITS, prior_precision=LAMBDA)
    numbers = credens.widen_outputs(ARRAYS, LOGITS, 0.1, prior_precision=LAMBDA)
    with pytest.raises(ValueError, match="logits is missing: the model predicts classes"):
        classes.predict_outputs(ARRAYS, LOGITS, 0.1)
    with pytest.raises(ValueError, match="the outputs have means, but the model predicts classes"):
        classes.predict_outputs(credens.MemberOutputs(ARRAYS, LOGITS, 0.1))
    with pytest.raises(ValueError, match="the outputs have logits, but the model predicts numbers"):
        numbers.sample_outputs(ARRAYS, logits=LOGITS)
    with pytest.raises(ValueError, match="classical is given, but the model predicts numbers"):
        numbers.predict_outputs(ARRAYS, LOGITS, 0.1, classical=True)
    with pytest.raises(ValueError, match="classes are given, but there are no logits"):
        credens.widen_outputs(ARRAYS, LOGITS, 0.1, prior_precision=LAMBDA, classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="the outputs are means, those of the rows before logits"):
        pieces = [{"features": ARRAYS, "logits": LOGITS}, {"features": ARRAYS, "mean": LOGITS, "variance": 0.1}]
        credens.widen_outputs(iter(pieces), prior_precision=LAMBDA)
    with pytest.raises(ValueError, match="lacks \\['logits'\\]|lacks \\['mean'"):
        credens.widen_outputs(iter([{"features": ARRAYS}]), prior_precision=LAMBDA)
    with pytest.raises(ValueError, match="made from arrays"):
        classes.predict(np.ones((3, 2)))

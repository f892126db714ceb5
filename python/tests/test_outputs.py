# SPDX-License-Identifier: Apache-2.0
"""Networks trained elsewhere, as arrays: the closed forms of the paper in a few lines of numpy are the oracle."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import credens

LAMBDA = 0.7


def made_up(members=3, rows=200, features=(4, 4, 4), outputs=2, shared=False, seed=1):
    random = np.random.default_rng(seed)
    arrays = [random.normal(size=(rows, p)) for p in features[:members]]
    mean = random.normal(size=(members, rows, outputs))
    variance = np.exp(random.normal(size=(members, rows, 1 if shared else outputs)))
    return arrays, mean, variance


def gram(features, variance, k, weights=None):
    """A_k - lambda I."""
    scaled = features / variance[:, [k if variance.shape[1] > 1 else 0]]
    return features.T @ (scaled if weights is None else scaled * weights[:, None])


def covariances(features, variance, outputs, posterior, weights=None):
    """Sigma_k of one member by hand."""
    p = features.shape[1]
    precisions = [LAMBDA * np.eye(p) + gram(features, variance, k, weights) for k in range(outputs)]
    if posterior == "isotropic":
        gamma = outputs * p / sum(np.trace(a) for a in precisions)
        return [gamma * np.eye(p)] * outputs
    if posterior == "diagonal":
        return [np.diag(1 / np.diag(a)) for a in precisions]
    return [np.linalg.inv(a) for a in precisions]


def moments(arrays, mean, variance, posterior, weights, at):
    """(mean, aleatoric, epistemic) of the mixture at `at` = (features, mean, variance), by hand."""
    outputs = mean.shape[2]
    new_arrays, new_mean, new_variance = at
    own = np.empty(new_mean.shape)
    for l, features in enumerate(arrays):
        for k, sigma in enumerate(covariances(features, variance[l], outputs, posterior)):
            own[l, :, k] = np.einsum("ij,jk,ik->i", new_arrays[l], sigma, new_arrays[l])
    w = np.asarray(weights)[:, None, None] / np.sum(weights)
    centre = (w * new_mean).sum(0)
    spread = np.broadcast_to(new_variance, new_mean.shape)
    return centre, (w * spread).sum(0), (w * (own + (new_mean - centre) ** 2)).sum(0)


@pytest.mark.parametrize("posterior", ["isotropic", "diagonal", "full"])
@pytest.mark.parametrize("shared", [False, True])
def test_gives_the_moments_of_the_formulas(posterior, shared):
    train = made_up(features=(4, 6, 2), shared=shared)
    new = made_up(rows=7, features=(4, 6, 2), shared=shared, seed=2)
    weights = [1, 2, 5]
    model = credens.widen_outputs(*train, prior_precision=LAMBDA, posterior=posterior, member_weights=weights)
    p = model.predict_outputs(*new)
    mean, aleatoric, epistemic = moments(*train, posterior, weights, new)
    np.testing.assert_allclose(p.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(p.aleatoric_variance, aleatoric, rtol=1e-12)
    np.testing.assert_allclose(p.epistemic_variance, epistemic, rtol=1e-9)
    assert not model.has_networks
    assert model.posterior == posterior


def test_takes_units_names_and_row_weights():
    arrays, mean, variance = made_up()
    weights = np.arange(200.0) % 4
    model = credens.widen_outputs(
        arrays,
        mean,
        variance,
        prior_precision=LAMBDA,
        row_weights=weights,
        target_scale=[2, 3],
        target_shift=[1, -1],
        target_names=["u", "v"],
    )
    expected = covariances(arrays[0], variance[0], 2, "isotropic", weights)[0][0, 0]
    np.testing.assert_allclose(model.gamma[0], expected, rtol=1e-12)
    assert model.target_names == ["u", "v"]
    p = model.predict_outputs(arrays, mean, variance)
    np.testing.assert_allclose(p.mean, mean.mean(0) * [2, 3] + [1, -1], rtol=1e-12)
    np.testing.assert_allclose(p.aleatoric_variance, variance.mean(0) * [4, 9], rtol=1e-12)


def test_has_an_elbo_with_targets_and_last_layers():
    arrays, mean, variance = made_up(members=1, outputs=1)
    layer = np.full((1, 4), 0.5)
    targets = mean[0] + 0.3
    given = {"prior_precision": LAMBDA, "targets": targets, "last_layer": [layer]}
    model = credens.widen_outputs(arrays, mean, variance, **given)
    a = LAMBDA * np.eye(4) + gram(arrays[0], variance[0], 0)
    likelihood = -0.5 * np.sum(np.log(2 * np.pi * variance[0]) + 0.3**2 / variance[0])
    common = likelihood - LAMBDA / 2 * np.sum(layer**2) + 4 * (1 + np.log(LAMBDA)) / 2
    np.testing.assert_allclose(model.elbo("full"), common - (4 + np.linalg.slogdet(a)[1]) / 2, rtol=1e-10)
    np.testing.assert_allclose(model.elbo("diagonal"), common - (4 + np.log(np.diag(a)).sum()) / 2, rtol=1e-10)
    assert credens.widen_outputs(arrays, mean, variance, prior_precision=LAMBDA).elbo() is None
    found = credens.widen_outputs(arrays, mean, variance, **{**given, "prior_precision": "evidence"})
    d = np.linalg.eigvalsh(gram(arrays[0], variance[0], 0))
    lam = found.prior_precision
    np.testing.assert_allclose((d / (lam + d)).sum(), lam * np.sum(layer**2), rtol=1e-9)


def test_is_the_same_whatever_form_arrays_have():
    arrays, mean, variance = made_up()
    stack = np.stack(arrays)
    expected = credens.widen_outputs(stack, mean, variance, prior_precision=LAMBDA)
    for features in (arrays, tuple(arrays), [a.tolist() for a in arrays], np.asfortranarray(stack), stack[:, ::1]):
        assert credens.widen_outputs(features, mean, variance, prior_precision=LAMBDA) == expected
    single = [a.astype(np.float32) for a in (stack, mean, variance)]
    doubled = [a.astype(np.float64) for a in single]
    assert credens.widen_outputs(*single, prior_precision=LAMBDA) == credens.widen_outputs(
        *doubled, prior_precision=LAMBDA
    )
    one = credens.widen_outputs(stack, mean[..., :1], 0.25, prior_precision=LAMBDA)
    assert one == credens.widen_outputs(stack, mean[..., 0], np.full((3, 200), 0.25), prior_precision=LAMBDA)
    assert one == credens.widen_outputs(stack, list(mean[..., 0]), np.full((3, 1, 1), 0.25), prior_precision=LAMBDA)


def test_takes_memory_maps_and_slices(tmp_path):
    arrays, mean, variance = made_up(rows=10_000)
    expected = credens.widen_outputs(arrays, mean, variance, prior_precision=LAMBDA)
    for name, array in (("f", np.stack(arrays)), ("m", mean), ("v", variance)):
        np.save(tmp_path / f"{name}.npy", array)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "fmv"]
    assert credens.widen_outputs(*mapped, prior_precision=LAMBDA) == expected
    wide = np.zeros((3, 10_000, 9))
    wide[..., 2:6] = arrays
    assert credens.widen_outputs(wide[..., 2:6], mean, variance, prior_precision=LAMBDA) == expected
    assert credens.widen_outputs([a[::-1][::-1] for a in arrays], mean, variance, prior_precision=LAMBDA) == expected


@pytest.mark.parametrize("size", [1, 100, 4096, 5000, 20_000])
@pytest.mark.parametrize("posterior", ["isotropic", "full"])
def test_gives_the_same_bits_however_rows_are_cut(size, posterior):
    rows = 9_000 if size > 1 else 300
    arrays, mean, variance = made_up(rows=rows)
    targets, weights = mean[0] + 1, np.linspace(0, 1, rows)
    layers = [np.ones((2, 4))] * 3
    whole = credens.widen_outputs(
        arrays,
        mean,
        variance,
        targets=targets,
        row_weights=weights,
        last_layer=layers,
        prior_precision=LAMBDA,
        posterior=posterior,
    )

    def pieces(kind):
        for first in range(0, rows, size):
            at = slice(first, first + size)
            piece = ([a[at] for a in arrays], mean[:, at], variance[:, at], targets[at], weights[at])
            names = ("features", "mean", "variance", "targets", "row_weights")
            yield {
                "tuple": piece,
                "mapping": dict(zip(names, piece)),
                "outputs": credens.MemberOutputs(**dict(zip(names, piece))),
            }[kind]

    for kind in ("tuple", "mapping", "outputs"):
        found = credens.widen_outputs(pieces(kind), last_layer=layers, prior_precision=LAMBDA, posterior=posterior)
        assert found == whole
        assert found.elbo() == whole.elbo()


def test_folders_are_what_the_command_line_reads(tmp_path):
    arrays, mean, variance = made_up(features=(4, 6, 2))
    outputs = credens.MemberOutputs(
        arrays,
        mean,
        variance,
        targets=mean[0],
        row_weights=np.ones(200),
        last_layer=[np.ones((2, p)) for p in (4, 6, 2)],
        member_weights=[1, 2, 1],
        target_names=["u", "v"],
        prior_precision=LAMBDA,
    )
    credens.save_outputs(outputs, tmp_path / "arrays")
    again = credens.load_outputs(tmp_path / "arrays")
    for name in ("features", "mean", "variance", "last_layer"):
        for left, right in zip(getattr(again, name), getattr(outputs, name)):
            np.testing.assert_array_equal(left, right)
    assert again.target_names == ["u", "v"]
    assert again.prior_precision == LAMBDA
    model = credens.widen_outputs(tmp_path / "arrays", posterior="full")
    assert model == credens.widen_outputs(again, posterior="full")
    assert model == credens.widen_outputs(outputs, posterior="full")
    assert credens.widen_outputs(tmp_path / "arrays", prior_precision=3.0).prior_precision == 3.0
    assert model.predict_outputs(again).mean.shape == (200, 2)


def test_draws_functions_and_observations():
    train = made_up(rows=50)
    model = credens.widen_outputs(*train, prior_precision=LAMBDA)
    draws = model.sample_outputs(*train, draws=4000, seed=3)
    assert draws.shape == (4000, 50, 2)
    p = model.predict_outputs(*train)
    np.testing.assert_allclose(draws.var(0), p.epistemic_variance, rtol=0.25)
    noisy = model.sample_outputs(*train, draws=4000, of="observation", seed=3)
    np.testing.assert_allclose(noisy.var(0), p.total_variance, rtol=0.25)
    np.testing.assert_array_equal(draws, model.sample_outputs(*train, draws=4000, seed=3))


NAN = float("nan")


def spoiled(which, index, value):
    train = [np.stack(a) if isinstance(a, list) else a.copy() for a in made_up(rows=5000)]
    train[which][index] = value
    return train


@pytest.mark.parametrize(
    ("arrays", "options", "words"),
    [
        (spoiled(0, (1, 4999, 2), NAN), {}, "features of member 1: row 4999, column 2 is nan"),
        (spoiled(1, (0, 7, 1), np.inf), {}, "mean of member 0: row 7, column 1 is inf"),
        (
            spoiled(2, (2, 4100, 0), -0.5),
            {},
            "variance of member 2: row 4100, column 0 is -0.5, expected a finite number above 0",
        ),
        (spoiled(2, (2, 0, 0), 0), {}, "variance of member 2: row 0, column 0 is 0"),
        (made_up(), {"prior_precision": None}, "prior_precision is missing"),
        (made_up(), {"prior_precision": -1}, "prior_precision is -1, expected a number from 0"),
        (made_up(), {"prior_precision": "guess"}, "prior_precision is 'guess'"),
        (made_up(), {"prior_precision": "evidence"}, "needs the last layers"),
        (made_up(), {"posterior": "wide"}, "wide"),
        (made_up(), {"prior_precision": 0, "posterior": "full"}, "needs lambda above 0"),
        (made_up(), {"targets": np.zeros((200, 3))}, "targets has the shape [200, 3], expected [200, 2]"),
        (made_up(), {"row_weights": np.ones(3)}, "row_weights has the shape [3], expected [200]"),
        (made_up(), {"row_weights": -np.ones(200)}, "row_weights: value 0 is -1"),
        (made_up(), {"row_weights": np.zeros(200)}, "row_weights has the sum 0"),
        (made_up(), {"member_weights": [1, 2]}, "member_weights has 2 values, expected 3"),
        (made_up(), {"last_layer": [np.ones((2, 5))] * 3}, "last_layer of member 0 is 2 x 5, expected 2 x 4"),
        (made_up(), {"target_names": ["a"]}, "target_names has 1 names, expected 2"),
        (made_up(), {"target_scale": [1, 0]}, "target_scale: value 1 is 0"),
        ((made_up()[0][0], *made_up()[1:]), {}, "features has the shape [200, 4], expected [members, rows, features]"),
        ((made_up()[0][:2], *made_up()[1:]), {}, "features is given for 2 members, mean for 3"),
        ((made_up()[0], made_up()[1][:, :50], made_up()[2]), {}, "features[0] has 200 rows, expected 50"),
        ((*made_up()[:2], made_up()[2][:2]), {}, "variance is given for 2 members, expected 3"),
        ((*made_up()[:2], np.ones((3, 200, 3))), {}, "variance[0] has 3 columns, expected 2 or 1"),
        ((*made_up()[:2], None), {}, "variance is missing"),
        ((np.array([["a"]]), *made_up()[1:]), {}, "features is of the type <U1, expected numbers"),
        (([], *made_up()[1:]), {}, "features is empty"),
        (([],), {}, "no outputs were added"),
        ((iter([(1, 2)]),), {}, "a piece is tuple, expected (features, mean, variance"),
        ((5,), {}, "mean and variance are missing"),
    ],
)
def test_bad_input_is_a_value_error_that_says_what_was_expected(arrays, options, words):
    with pytest.raises(ValueError) as raised:
        credens.widen_outputs(*arrays, **{"prior_precision": LAMBDA, **options})
    assert words in str(raised.value)
    assert isinstance(raised.value, credens.CredensError)


def test_bad_pieces_and_predictions_are_refused():
    arrays, mean, variance = made_up()
    with pytest.raises(ValueError, match="features of member 1 have 3 columns, those of the rows before had 4"):
        credens.widen_outputs(
            iter([(arrays, mean, variance), ([arrays[0], arrays[1][:, :3], arrays[2]], mean, variance)]),
            prior_precision=1,
        )
    with pytest.raises(ValueError, match="targets are given for some of the rows only"):
        credens.widen_outputs(iter([(arrays, mean, variance, mean[0]), (arrays, mean, variance)]), prior_precision=1)
    model = credens.widen_outputs(arrays, mean, variance, prior_precision=1)
    with pytest.raises(ValueError, match="2 members, expected 3"):
        model.predict_outputs(arrays[:2], mean[:2], variance[:2])
    with pytest.raises(ValueError, match="3 features for member 0, expected 4"):
        model.predict_outputs([a[:, :3] for a in arrays], mean, variance)
    with pytest.raises(ValueError, match="variance is missing"):
        model.predict_outputs(arrays, mean)
    with pytest.raises(ValueError, match="made from arrays"):
        model.predict(np.ones((3, 2)))
    with pytest.raises(FileNotFoundError):
        credens.load_outputs("nowhere")
    with pytest.raises(OSError):
        credens.widen_outputs("nowhere")
    with pytest.raises(TypeError, match="outputs is list, expected MemberOutputs"):
        credens.save_outputs([], "x")


PEAK = """
with open("/proc/self/status") as status:  # of this program alone; getrusage counts what its parent had
    print(next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""

STREAM = """
import numpy as np
import credens

rows, features, step = {rows}, 64, 50_000
random = np.random.default_rng(0)
block = random.standard_normal((1, step, features), dtype=np.float32)
mean = random.standard_normal((1, step))

def pieces():
    for _ in range(0, rows, step):
        yield block, mean, 0.25

model = credens.widen_outputs(pieces(), prior_precision=1.0, posterior="{posterior}")
expected = features / (rows // step * float((block.astype(float) ** 2).sum()) / 0.25 + features)
assert abs(model.gamma[0] / expected - 1) < 1e-6, (model.gamma, expected)
"""


def peak_megabytes(script):
    done = subprocess.run([sys.executable, "-c", script + PEAK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("posterior", ["isotropic", "full"])
def test_ten_million_rows_take_less_than_200_megabytes(posterior):
    assert peak_megabytes(STREAM.format(rows=10_000_000, posterior=posterior)) < 200


def test_a_large_folder_is_not_held_in_memory(tmp_path):
    rows, features = 400_000, 64  # 205 MB
    folder = tmp_path / "arrays"
    folder.mkdir()
    stored = np.lib.format.open_memmap(folder / "features.npy", mode="w+", dtype=np.float64, shape=(1, rows, features))
    stored[:] = np.random.default_rng(0).standard_normal((1, 1000, features)).repeat(rows // 1000, axis=1)
    del stored
    np.save(folder / "mean.npy", np.zeros((1, rows, 1)))
    np.save(folder / "variance.npy", np.ones((1, rows, 1)))
    pathlib.Path(folder / "outputs.json").write_text('{"lambda": 1.0}')
    script = f"import credens; credens.widen_outputs({str(folder)!r}, posterior='full')"
    assert peak_megabytes(script) < 150

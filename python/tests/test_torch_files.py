# SPDX-License-Identifier: Apache-2.0
"""Widened networks in files: what is loaded predicts the same bits, no code is stored, damage is found."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402
from torch_networks import Network, networks, rows  # noqa: E402

nn = torch.nn
LAMBDA = 0.7
RUNGS = ["delta", "isotropic", "diagonal", "full"]
SUFFIXES = [".safetensors", ".pt"]


def new_networks():
    """The architecture of `networks`, with other weights."""
    torch.manual_seed(99)
    return [Network(features=5 + index) for index in range(3)]


def widened(**options):
    return credens.torch.widen(networks(), [rows()], output="mean_log_variance", prior_precision=LAMBDA, **options)


def assert_alike(found, expected, x):
    assert found.ensemble == expected.ensemble
    assert found.mean_layers == expected.mean_layers
    p, q = found.predict(x), expected.predict(x)
    for name in ("mean", "aleatoric_variance", "epistemic_variance"):
        assert torch.equal(getattr(p, name), getattr(q, name))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("posterior", RUNGS)
def test_gives_back_what_was_saved(tmp_path, suffix, posterior):
    wide = widened(posterior=posterior, target_scale=2.0, random_bias=posterior == "full")
    path = tmp_path / f"wide{suffix}"
    credens.torch.save(wide, path)
    again = credens.torch.load(path, new_networks())  # in single precision, which becomes double as it was saved
    assert_alike(again, wide, rows(20, seed=5)[0])
    assert torch.equal(again.sample(rows(5)[0], 3), wide.sample(rows(5)[0], 3))
    credens.torch.save(again, tmp_path / f"again{suffix}")
    assert_alike(credens.torch.load(tmp_path / f"again{suffix}", new_networks()), wide, rows(20, seed=5)[0])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_gives_back_networks_of_images_and_estimated_noise(tmp_path, suffix):
    def denoiser():
        return nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.ConvTranspose2d(4, 1, 3, padding=1))

    torch.manual_seed(1)
    x = torch.randn(6, 1, 8, 8)
    wide = credens.torch.widen([denoiser() for _ in range(2)], [(x, x)], prior_precision=LAMBDA, target_names=["brightness"])
    credens.torch.save(wide, tmp_path / f"wide{suffix}")
    again = credens.torch.load(tmp_path / f"wide{suffix}", denoiser)
    assert_alike(again, wide, x)
    assert again.predict(x).predictive.to_frame(package="pandas").columns[0] == "brightness_mean"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_gives_back_classes(tmp_path, suffix):
    def classifier():
        return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4), nn.Softmax(-1))

    torch.manual_seed(1)
    x, labels = rows(60)[0].float(), torch.arange(60) % 4
    labels[0] = 7
    options = {"output": "probability", "classes": ["a", "b", "c", "d"], "ignore_index": 7}
    models = [classifier() for _ in range(3)]
    wide = credens.torch.widen(models, [(x, labels)], likelihood="softmax", prior_precision=LAMBDA, **options)
    credens.torch.save(wide, tmp_path / f"wide{suffix}")
    again = credens.torch.load(tmp_path / f"wide{suffix}", classifier)
    assert again.classes == ["a", "b", "c", "d"] and again.ignore_index == 7
    assert torch.equal(again.predict(x).epistemic, wide.predict(x).epistemic)


def test_a_named_form_of_probabilities_is_that_of_the_logarithm():
    torch.manual_seed(1)
    models = [nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4), nn.Softmax(1)).double() for _ in range(2)]
    x, labels = rows(60)[0], torch.arange(60) % 4
    given = {"likelihood": "softmax", "prior_precision": LAMBDA}
    named = credens.torch.widen(models, [(x, labels)], output="probability", **given)
    by_function = credens.torch.widen(models, [(x, labels)], output=torch.log, **given)
    assert named.elbo() == by_function.elbo()
    assert torch.equal(named.predict(x).epistemic, by_function.predict(x).epistemic)


def test_functions_are_given_again():
    x, y = rows()
    take = lambda raw: (raw[0], raw[1].exp())  # noqa: E731
    wide = credens.torch.widen(networks(), [(x, y)], output=take, prior_precision=LAMBDA)
    state = wide.state_dict()
    assert_alike(credens.torch.load(state, new_networks(), output=take), wide, x)
    with pytest.raises(ValueError, match="the state was widened with a function as output=, which is not stored: give it"):
        credens.torch.load(state, new_networks())
    with pytest.raises(ValueError, match="output is given, but the state has its own: mean_log_variance"):
        credens.torch.load(widened().state_dict(), new_networks(), output=take)


def test_state_dicts_hold_tensors_alone(tmp_path):
    wide = widened()
    state = wide.state_dict()
    assert all(isinstance(value, torch.Tensor) for value in state.values())
    torch.save(state, tmp_path / "state.pt")
    read = torch.load(tmp_path / "state.pt", weights_only=True)
    assert_alike(credens.torch.load(read, new_networks()), wide, rows(9)[0])
    assert credens.torch.load(tmp_path / "state.pt", new_networks()).ensemble == wide.ensemble


def test_another_process_reads_a_file(tmp_path):
    """That knows nothing but the architecture."""
    wide = widened()
    credens.torch.save(wide, tmp_path / "wide.safetensors")
    script = """
import sys, torch, credens.torch
sys.path.insert(0, sys.argv[2])
from torch_networks import Network, rows
wide = credens.torch.load(sys.argv[1], [Network(features=5 + index) for index in range(3)])
print(wide.predict(rows(20, seed=5)[0]).epistemic_variance.sum().item().hex())
"""
    folder = __file__.rpartition("/")[0]
    arguments = [sys.executable, "-c", script, str(tmp_path / "wide.safetensors"), folder]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == wide.predict(rows(20, seed=5)[0]).epistemic_variance.sum().item().hex()


def test_other_programs_read_the_file(tmp_path):
    """The container by hand, and by the package safetensors where it is installed."""
    wide = widened()
    credens.torch.save(wide, tmp_path / "wide.safetensors")
    content = (tmp_path / "wide.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    entry = header["networks.1.head.weight"]
    values = np.frombuffer(content[8 + length :][slice(*entry["data_offsets"])], "<f8").reshape(entry["shape"])
    np.testing.assert_array_equal(values, wide.models[1].head.weight.detach())
    assert length % 8 == 0 and header["__metadata__"] == {"format": "pt"}
    try:
        from safetensors.torch import load_file, save_file
    except ImportError:
        return
    state = load_file(tmp_path / "wide.safetensors")
    assert_alike(credens.torch.load(state, new_networks()), wide, rows(9)[0])
    save_file(state, tmp_path / "theirs.safetensors")
    assert_alike(credens.torch.load(tmp_path / "theirs.safetensors", new_networks()), wide, rows(9)[0])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int8, torch.bool, torch.int64])
def test_tensors_of_every_kind_come_back(dtype):
    from credens._safetensors import packed, unpacked

    tensors = {"a": torch.tensor([[1, 0, 3]]).to(dtype), "b": torch.tensor(1).to(dtype), "c": torch.zeros(0, 3, dtype=dtype)}
    again = unpacked(packed(tensors), "x")
    assert all(torch.equal(again[name], tensors[name]) and again[name].dtype == dtype for name in tensors)


@pytest.mark.parametrize(
    ("networks_given", "words"),
    [
        (lambda: new_networks()[:2], "networks has 2 networks, expected 3 as in the file"),
        (lambda: [Network()] * 3, "networks has one network twice"),
        (lambda: [Network() for _ in range(3)], "networks[0]: 'trunk.3.weight' is [6, 8], expected [5, 8] as in the state"),
        (lambda: [nn.Linear(3, 2) for _ in range(3)], "the state lacks 'weight', which networks[0] has"),
        (lambda: [nn.Module() for _ in range(3)], "networks[0] lacks 'trunk.0.weight', which the state has"),
    ],
)
def test_other_architectures_are_refused(networks_given, words):
    with pytest.raises(ValueError) as raised:
        credens.torch.load(widened().state_dict(), networks_given())
    assert words in str(raised.value)


def test_other_things_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="cannot read"):
        credens.torch.load(tmp_path / "absent.pt", Network)
    (tmp_path / "text.safetensors").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="is neither a safetensors file nor one of torch.save"):
        credens.torch.load(tmp_path / "text.safetensors", Network)
    torch.save(Network().state_dict(), tmp_path / "plain.pt")
    with pytest.raises(ValueError, match="lacks what widening added, expected what credens.torch.save wrote"):
        credens.torch.load(tmp_path / "plain.pt", Network)
    torch.save(networks(), tmp_path / "code.pt")
    with pytest.raises(ValueError, match="torch.load cannot read it with weights_only"):
        credens.torch.load(tmp_path / "code.pt", Network)
    with pytest.raises(TypeError, match="wide is Network, expected what credens.torch.widen returns"):
        credens.torch.save(Network(), tmp_path / "x.pt")
    with pytest.raises(TypeError, match="networks is int"):
        credens.torch.load(widened().state_dict(), 5)


def test_damage_is_found(tmp_path):
    path = tmp_path / "wide.safetensors"
    credens.torch.save(widened(), path)
    content = path.read_bytes()
    for length in [*range(0, 60, 7), *np.linspace(60, len(content) - 1, 30).astype(int)]:
        path.write_bytes(content[:length])
        with pytest.raises(credens.ModelFileError):
            credens.torch.load(path, new_networks())
    at = content.index(b"credens_checksum") + 40  # in the ensemble, which has a checksum
    path.write_bytes(content[:at] + b"?" + content[at + 1 :])
    with pytest.raises(credens.ModelFileError):
        credens.torch.load(path, new_networks())


def changed_about(state, change):
    about = json.loads(state["about"].numpy().tobytes())
    change(about)
    return state | {"about": torch.frombuffer(bytearray(json.dumps(about).encode()), dtype=torch.uint8)}


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about.pop("likelihood"),
        lambda about: about.update(kind="other"),
        lambda about: about.update(likelihood="softmax"),
        lambda about: about.update(random_bias=3),
        lambda about: about.update(members=[]),
        lambda about: about.update(members=about["members"][:2]),
        lambda about: about.update(target_names="yy"),
        lambda about: about["members"][0].update(channels=[0, -1]),
        lambda about: about["members"][0].update(channels=[0]),
        lambda about: about["members"][0].update(signs=[1, 2]),
        lambda about: about["members"][0].update(features=4),
        lambda about: about["members"][1].update(shuffle=0),
        lambda about: about["members"][1].pop("layer"),
        lambda about: about.update(output="exec"),
    ],
)
def test_documents_that_do_not_fit_are_refused(change):
    with pytest.raises(credens.ModelFileError, match="lacks what widening added"):
        credens.torch.load(changed_about(widened().state_dict(), change), new_networks())


def test_newer_versions_are_refused_by_number():
    state = changed_about(widened().state_dict(), lambda about: about.update(version=2))
    with pytest.raises(credens.ModelFileError, match="the state has version 2 of its format, expected 1"):
        credens.torch.load(state, new_networks())
    with pytest.raises(ValueError, match="the layer 'tail' is no such layer, expected Linear as in the state"):
        credens.torch.load(
            changed_about(widened().state_dict(), lambda about: about["members"][0].update(layer="tail")), new_networks()
        )


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "wide.pt"
    path.write_text("old")
    with pytest.raises(OSError):
        credens.torch.save(widened(), tmp_path / "no folder" / "wide.pt")
    credens.torch.save(widened(), path)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["wide.pt"]


def test_pickles_still_hold_networks():
    wide = widened()
    again = pickle.loads(pickle.dumps(wide))
    assert_alike(again, wide, rows(9)[0])

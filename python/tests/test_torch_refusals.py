# SPDX-License-Identifier: Apache-2.0
"""Refusals of `credens.torch.widen` and their messages."""

import pytest

import credens

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import credens.torch  # noqa: E402
from torch_networks import networks, rows  # noqa: E402

nn = torch.nn
functional = torch.nn.functional
LAMBDA = 0.7


class Bent(nn.Module):
    def __init__(self, bend):
        super().__init__()
        self.trunk, self.head, self.bend = nn.Sequential(nn.Linear(3, 6), nn.Tanh()), nn.Linear(6, 2), bend

    def forward(self, x):
        return self.bend(self.head(self.trunk(x)))


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.a, self.b = nn.Linear(3, 6), nn.Linear(6, 2), nn.Linear(6, 2)

    def forward(self, x):
        phi = torch.tanh(self.trunk(x))
        return self.a(phi) + self.b(phi)


def widen(models=None, loader=None, layer=None, **options):
    x, y = rows()
    models = networks() if models is None else models
    options = {"output": "mean_log_variance", "prior_precision": LAMBDA, **options}
    return credens.torch.widen(models, [(x, y)] if loader is None else loader, layer, **options)


X, Y = rows()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: widen([]), "models is empty"),
        (lambda: widen(loader=[]), "loader gave no rows, expected at least 1 batch"),
        (lambda: widen(loader=[(X[:0], Y[:0])]), "loader gave no rows"),
        (
            lambda: widen(layer="tail"),
            "mean_layer is 'tail', which models[0] does not have; it has trunk.0, trunk.3, head, noise",
        ),
        (
            lambda: widen(layer="trunk.1"),
            "models[0]: the layer 'trunk.1' is Tanh, expected Linear, Conv1d, Conv2d or Conv3d",
        ),
        (lambda: widen(layer="trunk.0"), "does not give the mean of output 0 as it is"),
        (lambda: widen(layer="noise"), "does not change the mean of output 0"),
        (lambda: widen(layer=nn.Linear(3, 2)), "expected a name or a list of modules"),
        (lambda: widen(networks(1), layer=nn.Linear(3, 2)), "mean_layer is a Linear that is no part of models[0]"),
        (lambda: widen(layer=["head"]), "mean_layer has 1 layers, expected 3"),
        (lambda: widen([Bent(torch.relu).double()], output="mean"), "no layer of models[0] gives its mean"),
        (
            lambda: widen([Bent(functional.softplus).double()], layer="head", output="mean"),
            "a nonlinear function or a factor comes after it",
        ),
        (
            lambda: widen([Bent(lambda out: 3 * out).double()], layer="head", output="mean"),
            "a factor of 3 (let the network leave it out, and give it as target_scale=) comes after it",
        ),
        (
            lambda: widen([TwoHeads().double()], output="mean"),
            "several layers of models[0] add to the mean: 'b', 'a'; say which one",
        ),
        (lambda: widen([nn.Tanh()], output="mean"), "has no Linear, Conv1d, Conv2d or Conv3d"),
        (lambda: widen(output=None), "models[0] gives 2 tensors without names: say with output= what that is"),
        (lambda: widen(output="variance"), "output is 'variance', expected one of mean, mean_variance"),
        (lambda: widen(output="split_variance"), "models[0]"),
        (
            lambda: widen(networks(form="mean"), output="mean_variance"),
            "gives a tensor [300, 2], expected (mean, variance)",
        ),
        (lambda: widen(output="mean_variance"), "batch 0, models[0]: the variance has the value -"),
        (lambda: widen(networks(2) + networks(1, outputs=1, noises=1)), "models[2] has 1 outputs, models[0] has 2"),
        (
            lambda: widen(loader=[(X, Y), (X * float("nan"), Y)]),
            "batch 1, models[0]: the input of the last layer has the value nan",
        ),
        (lambda: widen(loader=[(X, Y * float("inf"))]), "batch 0: targets have the value"),
        (lambda: widen(loader=[(X, Y[:, :1])]), "the targets are [300, 1], expected [300, 2]"),
        (lambda: widen(loader=[{"y": Y}]), "batch 0 of loader has 'y', expected inputs beside these; batch= can say which"),
        (lambda: widen(loader=[{"x": X, "y": Y, "label": Y}]), "has 'y' and 'label', expected one of them"),
        (
            lambda: widen(loader=[{"x": X, "mask": X, "y": Y}]),
            "inputs have 'mask', but forward of Network takes 'x'; batch= can make of a batch what it takes",
        ),
        (lambda: widen(loader=[(X, Y), (X,)]), "batch 1 has no targets, the batches before differ"),
        (lambda: widen(loader=[(X, Y, -torch.ones(300))]), "row weights have the value -1.0"),
        (
            lambda: widen(networks(form="mean"), loader=[X], output=None),
            "noise is estimated from residuals: loader must give (inputs, targets)",
        ),
        (lambda: widen(prior_precision=None), "prior_precision is missing"),
        (lambda: widen(prior_precision=-2), "prior_precision is -2"),
        (lambda: widen(weight_decay=1e-3), "both prior_precision and weight_decay are given"),
        (lambda: widen(prior_precision=None, weight_decay=-1), "weight_decay is -1, expected a number from 0"),
        (lambda: widen(prior_precision=None, weight_decay=1, loss="mae"), "loss is 'mae', expected 'nll' or 'mse'"),
        (
            lambda: widen(prior_precision=None, weight_decay=1, loss="mse"),
            "the networks give a variance: expected 'nll'",
        ),
        (lambda: widen(posterior="wide"), "wide"),
        (lambda: widen(member_weights=[1, 2]), "member_weights has 2 values, expected 3"),
    ],
)
def test_bad_input_is_a_value_error_that_says_what_was_expected(call, words):
    with pytest.raises(ValueError) as raised:
        call()
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: widen([1, 2]), "models[0] is int, expected torch.nn.Module"),
        (lambda: widen(5), "models is int"),
        (lambda: widen(loader=X), "loader is a tensor"),
        (lambda: widen(loader=5), "loader is int"),
        (lambda: widen(loader=[{"x": X, "y": 3}]), "batch 0 of loader: targets are int, expected a tensor"),
        (lambda: widen(loader={"x": X, "y": Y}), "loader is dict, expected a DataLoader, a data set or a list with this"),
        (lambda: widen(loader=[{X}]), "batch 0 of loader is set, expected inputs, (inputs, targets)"),
        (lambda: widen(loader=[(X, 3)]), "targets are int, expected a tensor"),
        (lambda: widen(layer=5), "mean_layer is int"),
    ],
)
def test_things_of_another_kind_are_type_errors(call, words):
    with pytest.raises(TypeError) as raised:
        call()
    assert words in str(raised.value)

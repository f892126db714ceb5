#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records PyTorch's word on small networks for tests/unit/learn: python3 record_torch.py

Writes torch.json beside it: the loss, all gradients, and the parameters after ten steps of Adam.
The loss is (1 / N) (sum_i l_i + lambda / 2 |theta|^2) with l_i = 1/2 sum_k [(y - m)^2 / v + log v] and v = softplus(raw) + 1e-6, over all rows.
Everything that goes in is a float32 number; PyTorch computes in float64. Layers are [out x in]; the last holds q means, then raw noise.
"""

import json
import pathlib

import torch

CASES = [
    {"activation": "relu", "noise": "shared", "outputs": 1},
    {"activation": "silu", "noise": "shared", "outputs": 2},
    {"activation": "silu", "noise": "per-output", "outputs": 1},
    {"activation": "relu", "noise": "per-output", "outputs": 2},
]
ROWS, INPUTS, HIDDEN, LAMBDA, RATE, STEPS = 12, 3, [6, 5], 0.8, 1e-2, 10
ACTIVATIONS = {"relu": torch.nn.functional.relu, "silu": torch.nn.functional.silu}


def float32_normal(*shape, scale=1.0):
    return (scale * torch.randn(*shape)).to(torch.float32).to(torch.float64)


def initial_layers(outputs, noise):
    widths = [INPUTS, *HIDDEN, outputs + (1 if noise == "shared" else outputs)]
    return [
        (float32_normal(out, in_, scale=0.4).requires_grad_(), float32_normal(out, scale=0.2).requires_grad_())
        for in_, out in zip(widths, widths[1:])
    ]


def map_loss(layers, case, inputs, targets):
    x = inputs
    for weight, bias in layers[:-1]:
        x = ACTIVATIONS[case["activation"]](x @ weight.T + bias)
    head = x @ layers[-1][0].T + layers[-1][1]
    mean, raw = head[:, : case["outputs"]], head[:, case["outputs"] :]
    variance = torch.nn.functional.softplus(raw) + 1e-6
    likelihood = 0.5 * ((targets - mean) ** 2 / variance + torch.log(variance)).sum()
    prior = 0.5 * LAMBDA * sum((weight**2).sum() + (bias**2).sum() for weight, bias in layers)
    return (likelihood + prior) / ROWS


def values(layers, of):
    return [{"weight": of(weight).tolist(), "bias": of(bias).tolist()} for weight, bias in layers]


def record(case):
    inputs, targets = float32_normal(ROWS, INPUTS), float32_normal(ROWS, case["outputs"])
    layers = initial_layers(case["outputs"], case["noise"])
    parameters = [parameter for layer in layers for parameter in layer]
    optimiser = torch.optim.Adam(parameters, lr=RATE)
    result = {**case, "inputs": inputs.tolist(), "targets": targets.tolist(), "start": values(layers, torch.Tensor.detach)}
    for step in range(STEPS):
        optimiser.zero_grad()
        loss = map_loss(layers, case, inputs, targets)
        loss.backward()
        if step == 0:
            result["loss"] = loss.item()
            result["gradient"] = values(layers, lambda parameter: parameter.grad)
        optimiser.step()
    result["after_ten_steps"] = values(layers, torch.Tensor.detach)
    return result


def main():
    torch.manual_seed(20)
    torch.set_default_dtype(torch.float64)
    runs = [record(case) for case in CASES]
    header = {"torch": torch.__version__, "hidden": HIDDEN, "lambda": LAMBDA, "rate": RATE, "steps": STEPS}
    (pathlib.Path(__file__).parent / "torch.json").write_text(json.dumps({**header, "runs": runs}) + "\n")


main()

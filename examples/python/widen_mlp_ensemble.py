# SPDX-License-Identifier: Apache-2.0
"""An ensemble of small networks, trained with PyTorch alone, learns to say where it knows little.

Rows lie left and right of a gap. Members that were trained as usual agree in the gap more than they should; a Gaussian
over each one's last layer, found by one pass over the training rows and without retraining, adds what they do not know.

Usage: python examples/python/widen_mlp_ensemble.py
"""

import torch
from torch import nn

import credens.torch

MEMBERS = 5
ROWS = 200
LAMBDA = 1.0  # prior precision: weight decay of the sum of losses


class Network(nn.Module):
    """Mean and log variance at each row."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
        self.mean = nn.Linear(32, 1)
        self.log_variance = nn.Linear(32, 1)

    def forward(self, x):
        features = self.body(x)
        return self.mean(features), self.log_variance(features)


def made_up_rows():
    x = torch.cat([torch.rand(ROWS // 2, 1) * 2 - 3, torch.rand(ROWS // 2, 1) * 2 + 1])  # nothing between -1 and 1
    return x, torch.sin(2 * x) + (0.05 + 0.05 * x.abs()) * torch.randn_like(x)


def train(x, y, seed):
    torch.manual_seed(seed)
    network = Network()
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=LAMBDA / len(x))
    for _ in range(400):
        mean, log_variance = network(x)
        loss = nn.functional.gaussian_nll_loss(mean, y, log_variance.exp())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network


def main():
    torch.manual_seed(0)
    x, y = made_up_rows()
    models = [train(x, y, seed) for seed in range(MEMBERS)]

    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=64)
    options = {"output": "mean_log_variance", "prior_precision": LAMBDA, "posterior": "full"}
    wide = credens.torch.widen(models, loader, mean_layer="mean", **options)
    print(wide)
    print("gamma", " ".join(f"{gamma:.5f}" for gamma in wide.gamma))

    at = torch.tensor([[-2.0], [0.0], [2.0], [6.0]])
    p = wide.predict(at)
    print("     x    mean   noise  ignorance  of which between members")
    for row in range(len(at)):
        values = p.mean, p.aleatoric_variance.sqrt(), p.epistemic_variance.sqrt(), p.classical_epistemic_variance.sqrt()
        print(f"{float(at[row]):6.1f}", *(f"{float(value[row]):8.3f}" for value in values))


if __name__ == "__main__":
    main()

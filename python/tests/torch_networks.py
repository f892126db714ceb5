# SPDX-License-Identifier: Apache-2.0
"""Small networks of PyTorch and rows for them."""

import torch
from torch import nn


class Network(nn.Module):
    """Trunk, mean and noise; `form` says what it returns."""

    def __init__(self, form="mean_log_variance", inputs=3, features=6, outputs=2, noises=None):
        super().__init__()
        self.form = form
        self.trunk = nn.Sequential(nn.Linear(inputs, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, features), nn.ReLU())
        self.head = nn.Linear(features, outputs)
        self.noise = nn.Linear(features, outputs if noises is None else noises)

    def forward(self, x):
        features = self.trunk(x)
        mean, log_variance = self.head(features), self.noise(features)
        if self.form == "mean":
            return mean
        if self.form.startswith("split"):
            return torch.cat([mean, self.spread(self.form[6:], log_variance)], -1)
        return mean, self.spread(self.form[5:], log_variance)

    @staticmethod
    def spread(kind, log_variance):
        return {
            "log_variance": log_variance,
            "variance": log_variance.exp(),
            "std": (log_variance / 2).exp(),
            "log_std": log_variance / 2,
        }[kind]


def networks(count=3, **options):
    torch.manual_seed(1)
    models = []
    for index in range(count):
        models.append(Network(features=5 + index, **options).double())
    return models


def rows(count=300, inputs=3, outputs=2, seed=2):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, inputs, generator=generator, dtype=torch.float64)
    return x, torch.randn(count, outputs, generator=generator, dtype=torch.float64)

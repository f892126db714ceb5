# SPDX-License-Identifier: Apache-2.0
"""Modules that Lightning trained are widened as they are: a LightningModule is a network like any other.

Usage: python examples/python/widen_lightning.py
"""

import sys
import warnings

import torch
from torch import nn

try:
    import lightning.pytorch as lightning
except ImportError:
    try:
        import pytorch_lightning as lightning
    except ImportError:
        sys.exit(print("skipped: Lightning is not installed: pip install lightning"))

import credens.torch

MEMBERS = 3
ROWS = 200
LAMBDA = 1.0  # prior precision: weight decay of the sum of losses


class Regression(lightning.LightningModule):
    """Mean and log variance at each row."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(self.body(x))

    def training_step(self, batch, index):
        mean, log_variance = self(batch["x"]).chunk(2, 1)
        return nn.functional.gaussian_nll_loss(mean, batch["y"], log_variance.exp())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01, weight_decay=LAMBDA / ROWS)


def made_up_rows():
    x = torch.cat([torch.rand(ROWS // 2, 1) * 2 - 3, torch.rand(ROWS // 2, 1) * 2 + 1])  # nothing between -1 and 1
    y = torch.sin(2 * x) + 0.1 * torch.randn_like(x)
    return [{"x": x[row], "y": y[row]} for row in range(ROWS)]


def train(loader, seed):
    torch.manual_seed(seed)
    module = Regression()
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
    lightning.Trainer(max_epochs=30, accelerator="cpu", devices=1, **quiet).fit(module, loader)
    return module


def main():
    warnings.filterwarnings("ignore")  # of workers that so few rows do not need
    torch.manual_seed(0)
    loader = torch.utils.data.DataLoader(made_up_rows(), batch_size=50, shuffle=True)
    modules = [train(loader, seed) for seed in range(MEMBERS)]

    # Batches are mappings with x and y; half of the channels are the noise.
    wide = credens.torch.widen(modules, loader, output="split_log_variance", prior_precision=LAMBDA, posterior="full")
    print(wide)
    p = wide.predict(torch.tensor([[-2.0], [0.0], [2.0]]))
    lower, upper = p.interval(0.95)
    print("     x    mean   noise  ignorance   95 %")
    for row, x in enumerate((-2.0, 0.0, 2.0)):
        values = p.mean, p.aleatoric_std, p.epistemic_std, lower, upper
        print(f"{x:6.1f}", *(f"{float(value[row]):8.3f}" for value in values))


if __name__ == "__main__":
    main()

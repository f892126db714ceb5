# SPDX-License-Identifier: Apache-2.0
"""Small convolutional networks take noise out of images and draw maps of what they do not know.

The last layer of each network is a 3 x 3 convolution: each pixel of the output is a linear function of the 3 x 3 patch
of features around it, so that the paper's closed forms hold pixel by pixel. Digits of MNIST are used where
CREDENS_DATA names a folder that holds them, otherwise drawn rings and crosses. At a kind of image that was not in the
training set (stripes) the map of ignorance lights up.

Usage: python examples/python/widen_denoising.py [FOLDER FOR THE MAPS]
"""

import lzma
import os
import pathlib
import struct
import sys
import zlib

import torch
from torch import nn

import credens.torch

MEMBERS = 4
IMAGES = 256
SIZE = 28
NOISE = 0.3


class Denoiser(nn.Module):
    """Mean and log variance of the clean image, at each pixel."""

    def __init__(self, channels=8):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1), nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()
        )
        self.mean = nn.Conv2d(channels, 1, 3, padding=1)
        self.log_variance = nn.Conv2d(channels, 1, 1)

    def forward(self, images):
        features = self.body(images)
        return {"mean": self.mean(features), "log_variance": self.log_variance(features).clamp(-12, 4)}


def mnist(count):
    """None where there is no such file."""
    path = pathlib.Path(os.environ.get("CREDENS_DATA", "")) / "mnist" / "train-images-idx3-ubyte.xz"
    if not path.is_file():
        return None
    with lzma.open(path) as file:
        _, _, rows, columns = struct.unpack(">4i", file.read(16))
        pixels = bytearray(file.read(count * rows * columns))
    return torch.frombuffer(pixels, dtype=torch.uint8).reshape(count, 1, rows, columns).float() / 255


def drawn(count):
    """Rings and crosses at random places."""
    y, x = torch.meshgrid(torch.arange(SIZE).float(), torch.arange(SIZE).float(), indexing="ij")
    centre, radius = torch.rand(count, 2, 1, 1) * 12 + 8, torch.rand(count, 1, 1) * 4 + 3
    dx, dy = x - centre[:, 0], y - centre[:, 1]
    ring = ((dx.square() + dy.square()).sqrt() - radius).abs() < 1.2
    cross = (torch.minimum(dx.abs(), dy.abs()) < 1.2) & (torch.maximum(dx.abs(), dy.abs()) < radius + 2)
    is_ring = torch.rand(count, 1, 1) < 0.5
    return torch.where(is_ring, ring, cross).float()[:, None]


def stripes():
    """What no training image looks like."""
    return (3 * ((torch.arange(SIZE) // 2) % 2).float()).expand(1, 1, SIZE, SIZE)


def noisy(images):
    return images + NOISE * torch.randn_like(images)


def train(clean, seed, passes=6):
    torch.manual_seed(seed)
    network = Denoiser()
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(passes):
        for batch in clean[torch.randperm(len(clean))].split(32):
            out = network(noisy(batch))
            loss = nn.functional.gaussian_nll_loss(out["mean"], batch, out["log_variance"].exp())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return network


def write_png(path, image):
    """An 8 bit grey image, values from 0 to 1."""
    rows = (image.clamp(0, 1) * 255).round().to(torch.uint8)
    raw = b"".join(b"\0" + bytes(row.tolist()) for row in rows)

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">2I5B", rows.shape[1], rows.shape[0], 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    )


def magnified(image, factor=8):
    return image.repeat_interleave(factor, 0).repeat_interleave(factor, 1)


def main(folder):
    torch.manual_seed(0)
    found = mnist(IMAGES)
    clean = drawn(IMAGES) if found is None else found
    print("images:", "drawn" if found is None else "MNIST")
    models = [train(clean, seed) for seed in range(MEMBERS)]

    given = noisy(clean)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(given, clean), batch_size=32)
    wide = credens.torch.widen(models, loader, mean_layer="mean", prior_precision=1.0)
    print(wide)
    print("gamma", " ".join(f"{gamma:.3e}" for gamma in wide.gamma))

    tests = {"known": noisy(clean[:1]), "unknown": noisy(stripes())}
    predicted = {name: wide.predict(image) for name, image in tests.items()}
    largest = predicted["unknown"].epistemic_variance.sqrt().max()
    folder.mkdir(parents=True, exist_ok=True)
    for name, p in predicted.items():
        ignorance = p.epistemic_variance.sqrt()
        pictures = [tests[name], p.mean, p.aleatoric_variance.sqrt() / NOISE, ignorance / largest]
        sheet = torch.cat([picture[0, 0] for picture in pictures], dim=1)
        write_png(folder / f"{name}.png", magnified(sheet))
        print(f"{name:8} mean ignorance {float(ignorance.mean()):.4f}, wrote {name}.png: given, mean, noise, ignorance")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "denoising"))

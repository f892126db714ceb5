# SPDX-License-Identifier: Apache-2.0
"""Small convolutional networks learn the digits 0 to 4 of MNIST; digits 5 to 9 are foreign to them.

The last layer of each network gets a Gaussian in closed form. The script prints the scores of the classical deep
ensemble beside those of the widened one, and how well entropy and ignorance tell foreign digits from own ones. It draws
the entropies of both kinds of digits.

Usage: python examples/python/classify_digits.py [--images 500] [--networks 5] [--passes 30] [-o digits.svg]
The folder with the data is the environment variable CREDENS_DATA, or ../shared/data beside the repository.
"""

import argparse
import lzma
import os
import pathlib
import struct
import sys

import numpy as np
import torch
from torch import nn

import credens
import credens.torch

KNOWN = 5  # digits 0 to 4
PRIOR_PRECISION = 1.0
BINS = 24


def data_folder():
    beside = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data"
    return pathlib.Path(os.environ.get("CREDENS_DATA", beside)) / "mnist"


def read_idx(path, count=None):
    """An array of bytes in the format of MNIST: its rank is the last byte of the first number."""
    with lzma.open(path) as file:
        rank = struct.unpack(">i", file.read(4))[0] & 255
        shape = list(struct.unpack(f">{rank}i", file.read(4 * rank)))
        shape[0] = min(shape[0], count or shape[0])
        return np.frombuffer(file.read(int(np.prod(shape))), np.uint8).reshape(shape)


def digits(folder, part, count):
    """Images [n, 1, 28, 28] and labels [n] of the first `count`."""
    images = read_idx(folder / f"{part}-images-idx3-ubyte.xz", count)
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.xz", count)
    return torch.from_numpy(images[:, None] / np.float32(255)), torch.from_numpy(labels.astype(np.int64))


def network():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 7 * 7, 64),
        nn.ReLU(),
        nn.Linear(64, KNOWN),
    )


def train(images, labels, seed, passes):
    torch.manual_seed(seed)
    model = network()
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=PRIOR_PRECISION / len(images))
    for _ in range(passes):
        for rows in torch.randperm(len(images)).split(32):
            loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model


def auroc(own, foreign):
    """Chance that a foreign row has the larger value, ties at half."""
    own = np.sort(own)
    below = np.searchsorted(own, foreign, "left") + np.searchsorted(own, foreign, "right")
    return below.mean() / (2 * len(own))


def scores(own, labels, foreign):
    p = own.probability.numpy()
    hits = own.predicted.numpy() == labels.numpy()
    return {
        "log loss": -np.log(np.maximum(p[np.arange(len(p)), labels.numpy()], 1e-15)).mean(),
        "accuracy": hits.mean(),
        "AUROC of foreign digits by entropy": auroc(own.entropy.numpy(), foreign.entropy.numpy()),
        "AUROC of foreign digits by ignorance": auroc(own.epistemic.numpy(), foreign.epistemic.numpy()),
        "largest probability of foreign digits, mean": foreign.confidence.numpy().mean(),
    }


def bars(values, left, colour):
    """A histogram of entropies between 0 and log 5, 300 wide and 120 high."""
    shares, _ = np.histogram(values, BINS, (0, np.log(KNOWN)))
    shares = np.sqrt(shares / len(values))
    return "".join(
        f'<rect x="{left + 12.5 * i:g}" y="{150 - 120 * share:.1f}" width="12" height="{120 * share:.1f}"'
        f' fill="{colour}" fill-opacity="0.6"/>'
        for i, share in enumerate(shares)
        if share > 0
    )


def picture(panels):
    """`panels`: title, entropies of own digits, entropies of foreign digits."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 200" font-family="sans-serif" font-size="13">',
        '<rect width="680" height="200" fill="#ffffff"/>',
    ]
    for index, (title, own, foreign) in enumerate(panels):
        left = 20 + 340 * index
        parts += [
            f'<text x="{left}" y="20">{title}</text>',
            bars(own, left, "#2166ac"),
            bars(foreign, left, "#d6604d"),
            f'<line x1="{left}" x2="{left + 300}" y1="150.5" y2="150.5" stroke="#444444"/>',
            f'<text x="{left}" y="167">0</text>',
            f'<text x="{left + 300}" y="167" text-anchor="end">log 5</text>',
            f'<text x="{left + 150}" y="167" text-anchor="middle">entropy</text>',
        ]
    parts += [
        '<rect x="20" y="180" width="12" height="12" fill="#2166ac" fill-opacity="0.6"/>',
        '<text x="38" y="191">digits 0 to 4, which were learned</text>',
        '<rect x="280" y="180" width="12" height="12" fill="#d6604d" fill-opacity="0.6"/>',
        '<text x="298" y="191">digits 5 to 9, never seen (heights: square roots of shares)</text>',
        "</svg>\n",
    ]
    return "\n".join(parts)


def parsed(arguments):
    parser = argparse.ArgumentParser(description="Digits 0 to 4 are learned, digits 5 to 9 are foreign.")
    parser.add_argument("--images", type=int, default=500, help="training images of the digits 0 to 4")
    parser.add_argument("--networks", type=int, default=5)
    parser.add_argument("--passes", type=int, default=30, help="over the training images")
    parser.add_argument("--test", type=int, default=4000, help="test images of all digits")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("digits.svg"))
    return parser.parse_args(arguments)


def main(arguments):
    options = parsed(arguments)
    folder = data_folder()
    if not folder.is_dir():
        print(f"skipped: {folder} is not there; CREDENS_DATA names the folder that holds mnist")
        return
    torch.set_num_threads(1)  # faster for networks this small, and the same numbers on any machine with this PyTorch
    images, labels = digits(folder, "train", 4 * options.images)
    images, labels = images[labels < KNOWN][: options.images], labels[labels < KNOWN][: options.images]
    models = [train(images, labels, seed, options.passes) for seed in range(options.networks)]

    rows = torch.utils.data.TensorDataset(images, labels)
    wide = credens.torch.widen(models, rows, likelihood="softmax", prior_precision=PRIOR_PRECISION)
    print(f"{len(models)} networks, {len(images)} training images, posterior {wide.posterior}")
    print("gamma", " ".join(f"{gamma:.2e}" for gamma in wide.gamma))

    test, answers = digits(folder, "t10k", options.test)
    own, foreign, answers = test[answers < KNOWN], test[answers >= KNOWN], answers[answers < KNOWN]
    print(f"{len(own)} test images of the digits 0 to 4, {len(foreign)} of the digits 5 to 9")
    predictions = [(wide.predict(own, classical=c), wide.predict(foreign, classical=c)) for c in (True, False)]
    classical, widened = (scores(of_own, answers, of_foreign) for of_own, of_foreign in predictions)
    print(f"{'':44} classical   widened")
    for name, value in classical.items():
        print(f"{name:44} {value:9.4f} {widened[name]:9.4f}")
    titles = ("classical deep ensemble", "widened")
    panels = [(title, a.entropy.numpy(), b.entropy.numpy()) for title, (a, b) in zip(titles, predictions)]
    options.output.write_text(picture(panels), encoding="utf-8")
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main(sys.argv[1:])

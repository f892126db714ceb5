#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Classes of which the inputs tell nothing: log loss of new rows beside the entropy of the shares, the least possible.

    python3 bench/class_noise.py

docs/accuracy.md shows what it prints. Needs the Python package of Credens and numpy.
"""

import numpy as np

import credens

CASES = ((6, 150, 0.1), (30, 150, 0.1), (30, 300, 0.1), (10, 80, 0.05))  # inputs, training rows, share of the rarer class
DRAWS = 3
NEW_ROWS = 3000


def draw(random, rows, inputs, share):
    return random.normal(size=(rows, inputs)), (np.arange(rows) < share * rows).astype(int)


def log_loss(inputs, rows, share, seed):
    random = np.random.default_rng(seed)
    model = credens.fit(*draw(random, rows, inputs, share), task="classification", effort="quick")
    x, y = draw(random, NEW_ROWS, inputs, share)
    return credens.score(model.predict_classes(x), y).log_loss


def main():
    print("| inputs | training rows | rarer class | entropy | log loss |\n|---|---|---|---|---|")
    for inputs, rows, share in CASES:
        entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
        found = np.mean([log_loss(inputs, rows, share, seed) for seed in range(DRAWS)])
        print(f"| {inputs} | {rows} | {100 * share:.0f} % | {entropy:.3f} | {found:.3f} |", flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Data and models that several tests use."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import credens

SHARED_DATA = pathlib.Path(__file__).parents[2].parent / "shared" / "data"
"""Public data beside the checkout, where they are at hand."""

QUICK = {"members": 3, "epochs": 15, "hidden": (12, 8), "seed": 5}


def table(rows=80, outputs=1, seed=1):
    """Inputs [N, 2] and targets [N] or [N, q]."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, (rows, 2))
    means = np.stack([np.sin((2 + k) * x[:, 0]) + x[:, 1] for k in range(outputs)], axis=1)
    y = means + 0.1 * generator.normal(size=means.shape)
    return x, y[:, 0] if outputs == 1 else y


@pytest.fixture
def rows():
    return table()


@pytest.fixture(scope="session")
def model():
    return credens.fit(*table(), **QUICK)


@pytest.fixture(scope="session")
def wide_model():
    """Two outputs."""
    return credens.fit(*table(outputs=2), **QUICK, posterior="full", target_names=["a", "b"])


@pytest.fixture
def program(tmp_path):
    """The command line, run in the test's folder."""
    path = os.environ.get("CREDENS_PROGRAM")
    if path is None:
        pytest.skip("CREDENS_PROGRAM does not say where the command line is")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def write_csv(path, names, columns):
    lines = [",".join(names)] if names else []
    lines += [",".join(repr(float(value)) for value in row) for row in np.column_stack(columns)]
    path.write_text("\n".join(lines) + "\n")

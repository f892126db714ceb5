# SPDX-License-Identifier: Apache-2.0
"""A small fit and the SHA-256 of its model, which no way to run it may change. tests/mpi asks for the same one."""

import gzip
import hashlib
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
from data import csv_bytes, npy_bytes, row  # noqa: E402

MEMBERS = 6
RECIPES = {
    "paper": ["--recipe", "paper", "--epochs", "60", "--hidden", "64,32/32,16"],
    "auto": ["--recipe", "auto", "--effort", "quick", "--epochs", "12", "--hidden", "48,32/32,16"],
}
# More than the 4,096 rows that statistics are summed by.
ROWS = 5000
TABLES = ["train.csv", "train.csv.gz", "train.npy"]


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def write_tables(folder):
    """train.* hold the same rows: two inputs and a target, without names; new.csv has rows to predict."""
    rows = [(a, b, y) for a, b, _, y in map(row, range(ROWS))]
    text = csv_bytes(None, rows)
    for name, content in zip(TABLES, [text, gzip.compress(text), npy_bytes(rows)]):
        (folder / name).write_bytes(content)
    (folder / "new.csv").write_bytes(csv_bytes(None, [row(i)[:2] for i in range(ROWS, 2 * ROWS)]))


def run(*words):
    subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


class OneFit:
    """A fit by one of the recipes, as its plan has it, in a folder that holds the tables of write_tables()."""

    def __init__(self, program, folder, recipe):
        self.program, self.folder = program, folder
        self.plan = folder / f"{recipe}.toml"
        self.options = ["--target", "2", "--members", MEMBERS, *RECIPES[recipe]]
        run(program, "fit", folder / "train.csv", *self.options, "--plan-only", "-o", self.plan)

    def words(self, model, *more, table="train.csv"):
        return [str(word) for word in (self.program, "fit", self.folder / table, "--config", self.plan, "--progress", "none",
                                       "-o", self.folder / model, *more)]

    def sha256(self, model, *more, **options):
        """Digest of the model that one undisturbed process writes."""
        run(*self.words(model, *more, **options))
        return sha256(self.folder / model)

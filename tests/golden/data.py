# SPDX-License-Identifier: Apache-2.0
"""Writes the small tables and arrays that golden tests work with; values depend on nothing but the row's number.

Usage: data.py FILE...   the name decides: train.csv, test.csv, two.csv (two targets), noisy.csv (noise and weight columns),
                         plain.csv (no header), many.csv (10,000 rows), samples.csv (words that name samples, a day, copies of
                         inputs), slips.csv (two targets times 1,000), words.csv (words, days and gaps), classes.csv (a kind, a
                         grade and counts), plants.csv and new.csv (species and grades),
                         known.csv, usual.csv and fresh.csv (rows drawn at random), labs.csv (120 rows of three laboratories), *.csv.gz, *.csv.xz, *.npy
"""

import gzip
import lzma
import math
import struct
import sys
from pathlib import Path
from random import Random

DRAWN = {"known": (1, 80), "usual": (2, 120), "fresh": (3, 60)}


def row(i):
    """Two inputs, the noise-free truth and a target with a wobble of a tenth that looks like noise."""
    a = (i * 37 % 101) / 101
    b = (i * 59 % 97) / 97
    truth = math.sin(3 * a) + b
    return a, b, truth, truth + 0.1 * math.sin(i * i)


def table(name):
    """(names or None, rows)"""
    if name == "labs":  # laboratories A and B in turn, where B measures 0.2 too much; the last ten rows are of C
        labs = ["AB"[i % 2] if i < 110 else "C" for i in range(120)]
        return ["lab", "a", "b", "y"], [(lab, a, b, y + 0.2 * (lab == "B")) for lab, (a, b, _, y) in zip(labs, map(row, range(200, 320)))]
    if name in DRAWN:  # at random, with the seeds 1, 2, 3
        seed, rows = DRAWN[name]
        random = Random(seed)
        drawn = [(random.random(), random.random(), random.gauss(0, 0.1)) for _ in range(rows)]
        return ["a", "b", "y"], [(a, b, math.sin(3 * a) + b + noise) for a, b, noise in drawn]
    if name == "two":
        return ["a", "b", "u", "v"], [(a, b, y, 2 - truth) for a, b, truth, y in map(row, range(40))]
    if name == "noisy":
        return ["a", "b", "y", "s", "w"], [(a, b, y, 0.1 + 0.1 * b, 1 + i % 3) for i in range(40) for a, b, _, y in [row(i)]]
    if name == "plain":
        return None, [(a, b, y) for a, b, _, y in map(row, range(40))]
    if name == "test":
        return ["b", "a", "y", "truth"], [(b, a, y, truth) for a, b, truth, y in map(row, range(100, 112))]
    if name == "samples":
        samples = [row(i // 4)[:2] for i in range(48)]
        return ["sample", "day", "a", "b", "y"], [(f"s{i // 4}", i // 8, *samples[i], row(i)[3]) for i in range(48)]
    if name == "words":
        colours = ("red", "green", "blue", '"a, b"')
        rows = [("" if i % 7 == 3 else row(i)[0], colours[i % 4], f"2024-{1 + i % 12:02}-{1 + i % 28:02}", i % 4 + row(i)[3]) for i in range(60)]
        return ["x", "colour", "when", "y"], rows
    if name == "classes":
        kinds = ("tall", "short", "flat")
        grades = [int(3 * row(i)[0] + 0.3 * math.sin(i * i)) for i in range(60)]
        rows = [(*row(i)[:2], kinds[max(0, min(2, grade))], 1 + grade % 3, i % 4, 3 - i % 4, f"r{i}") for i, grade in enumerate(grades)]
        return ["x", "w", "kind", "grade", "a", "b", "id"], rows
    if name in ("plants", "new"):
        species = ("moss", "fern", "reed")
        plants = [(a, b, int(2.99 * min(1, max(0, a + 0.2 * math.sin(i * i))))) for i in (range(90) if name == "plants" else range(200, 212)) for a, b, *_ in [row(i)]]
        return ["height", "width", "species", "grade"], [(a, b, species[kind], kind + 1) for a, b, kind in plants]
    if name == "slips":
        return ["a", "b", "y"], [(a, b, y * 1000 if i in (5, 30) else y) for i in range(120) for a, b, _, y in [row(i)]]
    if name == "many":
        return ["a", "b"], [row(i)[:2] for i in range(10000)]
    return ["a", "b", "y"], [(a, b, y) for a, b, _, y in map(row, range(40))]


def csv_bytes(names, rows):
    lines = [",".join(names)] if names else []
    lines += [",".join(value if isinstance(value, str) else repr(float(value)) for value in values) for values in rows]
    return "".join(line + "\n" for line in lines).encode()


def npy_bytes(rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [float(value) for values in rows for value in values]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}d", *values)


def write(path):
    names, rows = table(path.name.split(".")[0])
    content = npy_bytes(rows) if path.suffix == ".npy" else csv_bytes(names, rows)
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    if path.suffix == ".xz":
        content = lzma.compress(content)
    path.write_bytes(content)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write(Path(argument))

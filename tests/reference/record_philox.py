#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records words of numpy's Philox for tests/unit/base/random_test.cpp: python3 record_philox.py

Lines of philox.csv: seed,purpose,member,attempt,epoch,words  (ten words separated by blanks)
"""

import pathlib

import numpy

LARGEST = 2**64 - 1
NAMES = [
    (0, 0, 0, 0, 0),
    (7, 1, 0, 0, 0),
    (7, 2, 3, 0, 0),
    (7, 2, 3, 1, 0),
    (7, 2, 3, 1, 59),
    (1234567890123456789, 8, 9, 2, 1000),
    (LARGEST, LARGEST, LARGEST, LARGEST, LARGEST),
    (0x0123456789ABCDEF, 5, 2**32, 2**33 + 1, 2**63),
]

lines = []
for seed, purpose, member, attempt, epoch in NAMES:
    key = numpy.array([seed, purpose], dtype=numpy.uint64)
    counter = numpy.array([0, member, attempt, epoch], dtype=numpy.uint64)
    words = numpy.random.Philox(key=key, counter=counter).random_raw(10)
    lines.append(",".join(map(str, (seed, purpose, member, attempt, epoch, " ".join(map(str, words))))))

(pathlib.Path(__file__).parent / "philox.csv").write_text("\n".join(lines) + "\n")

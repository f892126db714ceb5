# SPDX-License-Identifier: Apache-2.0
"""Large .npy files, made quickly and without NumPy: what a fit must read, not what it should learn."""

import array
import random

INPUTS = 64


def write_header(file, descr, shape):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode())


def write_bytes_array(path, rows, cols, seed=1):
    """Small whole numbers: in the units of networks a row takes 4 times as much."""
    source = random.Random(seed)
    with open(path, "wb") as file:
        write_header(file, "|i1", (rows, cols))
        for first in range(0, rows, 10_000):
            file.write(source.randbytes(min(10_000, rows - first) * cols))


def write_float_array(path, size, seed=1):
    """About `size` bytes of float32 [rows, INPUTS + 1]: the last column is a function of the first ones and noise. One piece is written
    again and again, from another row on each time. Returns the number of rows."""
    source = random.Random(seed)
    cols, piece_rows = INPUTS + 1, 20_000
    piece = array.array("f")
    for _ in range(piece_rows):
        row = [source.uniform(-1, 1) for _ in range(INPUTS)]
        piece.extend([*row, row[0] * row[1] + row[2] + 0.3 * source.gauss(0, 1)])
    twice = 2 * piece.tobytes()
    pieces = max(1, size // (len(twice) // 2))
    with open(path, "wb") as file:
        write_header(file, "<f4", (pieces * piece_rows, cols))
        for _ in range(pieces):
            start = source.randrange(piece_rows) * cols * 4
            file.write(memoryview(twice)[start:start + len(twice) // 2])
    return pieces * piece_rows

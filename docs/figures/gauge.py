#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/gauge.svg, the picture of docs/tutorials/calibration.md, from a fit of the table on that page.

usage: gauge.py PROGRAM > docs/figures/gauge.svg
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[1] / "tutorials" / "calibration.md"
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 860, 380, 56, 20, 20, 74
X, Y = (0.0, 12.0), (-1.0, 1.2)
INK, CURVE, FUNCTION, READING, DOT = "#333333", "#1f5fa8", "#86b0dc", "#dbe8f5", "#d0652b"


def table():
    return re.search(r"<<END\n(pressure \[bar\],deviation.*?)END", PAGE.read_text(encoding="utf-8"), re.S)[1]


def rows_of(text):
    return [list(map(float, row)) for row in list(csv.reader(text.splitlines()))[1:]]


def predicted(program, readings):
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "gauge.csv").write_text(readings)
        (place / "grid.csv").write_text("pressure [bar],u [mbar]\n" + "".join(f"{i / 20},0.10\n" for i in range(241)))
        fit = [program, "fit", "gauge.csv", "--target", "deviation", "--noise-std", "u", "--noise", "known", "-o", "gauge.safetensors"]
        subprocess.run(fit, cwd=place, check=True, capture_output=True)
        predict = [program, "predict", "gauge.safetensors", "grid.csv", "--coverage-factor", "2", "-o", "-"]
        text = subprocess.run(predict, cwd=place, check=True, capture_output=True, text=True).stdout
    return [(i / 20, *row) for i, row in enumerate(rows_of(text))]


def at(x, y):
    across = LEFT + (x - X[0]) / (X[1] - X[0]) * (WIDTH - LEFT - RIGHT)
    return across, TOP + (Y[1] - y) / (Y[1] - Y[0]) * (HEIGHT - TOP - BOTTOM)


def path(points):
    return "M" + "L".join("{:.1f} {:.1f}".format(*at(x, y)) for x, y in points)


def band(rows, low, high, colour):
    edge = [(row[0], row[high]) for row in rows] + [(row[0], row[low]) for row in reversed(rows)]
    return f'<path d="{path(edge)}Z" fill="{colour}"/>'


def text(x, y, words, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="13" fill="{INK}">{words}</text>'


def legend():
    marks = [
        (f'<path d="M0 -4h22" stroke="{CURVE}" stroke-width="2"/>', "deviation", 110),
        (f'<rect width="22" height="10" y="-9" fill="{FUNCTION}"/>', "of the curve, k = 2", 165),
        (f'<rect width="22" height="10" y="-9" fill="{READING}"/>', "of a single reading, k = 2", 205),
        (f'<circle cx="16" cy="-4" r="3" fill="{DOT}"/>', "reading", 100),
    ]
    x = 140
    for mark, words, width in marks:
        yield f'<g transform="translate({x} {HEIGHT - 14})">{mark}{text(28, 0, words, "start")}</g>'
        x += width


def draw(program):
    readings = table()
    rows = predicted(program, readings)
    bottom = HEIGHT - BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<clipPath id="axes"><rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{bottom - TOP}"/></clipPath>',
        '<g clip-path="url(#axes)">',
        band(rows, 5, 6, READING),
        band(rows, 7, 8, FUNCTION),
        f'<path d="{path([row[:2] for row in rows])}" fill="none" stroke="{CURVE}" stroke-width="2"/>',
        *('<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>'.format(*at(x, y), DOT) for x, y, _ in rows_of(readings)),
        "</g>",
        f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="{INK}"/>',
        *(text(at(x, 0)[0], bottom + 18, f"{x}") for x in range(0, 13, 2)),
        *(text(LEFT - 8, at(0, y / 2)[1] + 4, f"{y / 2:g}", "end") for y in range(-2, 3)),
        text(WIDTH / 2, bottom + 36, "pressure in bar"),
        f'<g transform="translate(16 {(TOP + bottom) / 2}) rotate(-90)">{text(0, 0, "deviation in mbar")}</g>',
        *legend(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(draw(str(pathlib.Path(sys.argv[1]).resolve())))

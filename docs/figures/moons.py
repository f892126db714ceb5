#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/moons.svg, a picture of docs/classification.md, from a run of `credens demo`.

The maps are what `credens predict` gives at places of a grid, with the demo's model of two moons and, for the classical ensemble, with the
posterior `delta`. tests/docs/check_numbers.py holds the stored picture against a new one.

usage: moons.py PROGRAM > docs/figures/moons.svg
"""

import csv
import math
import pathlib
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 860, 318
PANEL = (260, 216)  # width and height of the axes
TOP, LEFT, GAP = 44, 30, 24
X, Y, STEP = (-3.0, 4.0), (-2.5, 3.0), 0.125
LEVELS = 12  # colours of a map
INK, UPPER, LOWER, HIGH = "#333333", "#0067b1", "#8a5a00", (106, 44, 145)


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def places():
    columns, lines = round((X[1] - X[0]) / STEP), round((Y[1] - Y[0]) / STEP)
    return [[(X[0] + STEP * (i + 0.5), Y[0] + STEP * (j + 0.5)) for i in range(columns)] for j in range(lines)]


def predicted(program, folder, model):
    """Lines of columns of predictions at the places of the grid."""
    grid = places()
    table = folder / "grid.csv"
    table.write_text("x1,x2\n" + "".join(f"{x},{y}\n" for line in grid for x, y in line))
    rows = csv.DictReader(run(program, "predict", model, table).splitlines())
    return [[next(rows) for _ in line] for line in grid]


def colour(level):
    share = level / (LEVELS - 1)
    return "#" + "".join(f"{round(255 + share * (high - 255)):02x}" for high in HIGH)


def runs_of(levels):
    """(level, first, end) of equal neighbours."""
    first = 0
    for i in range(1, len(levels) + 1):
        if i == len(levels) or levels[i] != levels[first]:
            yield levels[first], first, i
            first = i


def at(left, x, y):
    return left + (x - X[0]) / (X[1] - X[0]) * PANEL[0], TOP + (Y[1] - y) / (Y[1] - Y[0]) * PANEL[1]


def draw_map(rows, column, most, left):
    """One path per colour; cells without colour are left out."""
    paths = {level: [] for level in range(1, LEVELS)}
    width, height = STEP / (X[1] - X[0]) * PANEL[0], STEP / (Y[1] - Y[0]) * PANEL[1]
    for j, line in enumerate(rows):
        levels = [min(LEVELS - 1, int(float(row[column]) / most * LEVELS)) for row in line]
        y = at(left, 0, Y[0] + STEP * (j + 1))[1]
        for level, first, end in runs_of(levels):
            if level > 0:
                x = at(left, X[0] + STEP * first, 0)[0]
                paths[level].append(f"M{x:.1f} {y:.1f}h{width * (end - first):.1f}v{height:.1f}h{-width * (end - first):.1f}z")
    return [f'<path fill="{colour(level)}" d="{"".join(path)}"/>' for level, path in paths.items() if path]


def text(x, y, words, size=12, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">{words}</text>'


def draw_dots(train, left):
    for row in train:
        x, y = at(left, float(row["x1"]), float(row["x2"]))
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.7" fill="{UPPER if row["moon"] == "upper" else LOWER}"/>'


def draw_panel(title, rows, column, most, train, left):
    return [
        text(left + PANEL[0] / 2, 18, title, 14),
        text(left + PANEL[0] / 2, 35, f"colour from 0 to {most:.2g} nats", 11),
        *draw_map(rows, column, most, left),
        *draw_dots(train, left),
        f'<rect x="{left}" y="{TOP}" width="{PANEL[0]}" height="{PANEL[1]}" fill="none" stroke="{INK}"/>',
        *(text(at(left, x, 0)[0], TOP + PANEL[1] + 15, f"{x:g}", 11) for x in (-2, 0, 2, 4)),
    ]


def draw_legend(y):
    parts, x = [], 320
    for fill, words in ((UPPER, "training row, upper"), (LOWER, "training row, lower")):
        parts.append(f'<circle cx="{x}" cy="{y - 4}" r="3" fill="{fill}"/>{text(x + 10, y, words, 12, "start")}')
        x += 150
    return parts


def draw(program, folder):
    """`folder` holds a run of the demo."""
    delta = folder / "moons-delta.safetensors"
    run(program, "widen", folder / "moons.safetensors", folder / "moons-train.csv", "--posterior", "delta", "-o", delta)
    extended, classical = predicted(program, folder, folder / "moons.safetensors"), predicted(program, folder, delta)
    train = list(csv.DictReader((folder / "moons-train.csv").read_text().splitlines()))
    most = math.ceil(20 * max(float(row["moon_epistemic"]) for line in extended for row in line)) / 20
    panels = [("Noise, widened", extended, "moon_aleatoric", 0.7), ("Ignorance, classical", classical, "moon_epistemic", most),
              ("Ignorance, widened", extended, "moon_epistemic", most)]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for number, (title, rows, column, highest) in enumerate(panels):
        parts += draw_panel(title, rows, column, highest, train, LEFT + number * (PANEL[0] + GAP))
    parts += [text(LEFT - 5, at(0, 0, y)[1] + 4, f"{y:g}", 11, "end") for y in (-2, 0, 2)]
    return "\n".join([*parts, *draw_legend(HEIGHT - 14), "</svg>"]) + "\n"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        run(program, "demo", "-o", folder, "--progress", "none")
        sys.stdout.write(draw(program, pathlib.Path(folder)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/demo.svg, the picture of README.md, from a run of `credens demo`.

The demo's model is wide. `credens widen --posterior delta` makes the classical ensemble of it, and `credens predict` gives the
intervals of both at the test rows. tests/docs/check_demo.py holds the stored picture against a new one.

usage: demo.py PROGRAM > docs/figures/demo.svg
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 860, 372
PANEL = (380, 250)  # width and height of the axes
TOP, LEFT, GAP = 52, 40, 44
X, Y = (-1.0, 1.0), (-68.0, 62.0)
INK, BAND, MEAN, TRUTH, ROW = "#333333", "#b9d3ee", "#1f5fa8", "#d0652b", "#8a8a8a"


def run_demo(program, folder):
    """Runs the demo in `folder`; returns what it printed."""
    done = subprocess.run([program, "demo", "-o", folder, "--progress", "none"], check=True, capture_output=True, text=True)
    return done.stdout


def read_columns(text):
    rows = list(csv.DictReader(text.splitlines()))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def predictions(program, folder, posterior):
    """Columns of `predict` at the test rows, with x and truth, of the demo's members under `posterior`."""
    model = folder / f"{posterior}.safetensors"
    widen = [program, "widen", folder / "model.safetensors", folder / "train.csv", "--posterior", posterior, "-o", model]
    subprocess.run(widen, check=True, capture_output=True)
    predict = [program, "predict", model, folder / "test.csv", "--keep", "x,truth"]
    return read_columns(subprocess.run(predict, check=True, capture_output=True, text=True).stdout)


def coverage(columns):
    """Share of the test rows at which the interval of the regression function holds the true function."""
    held = [low <= t <= high for low, t, high in zip(columns["y_function_lower"], columns["truth"], columns["y_function_upper"])]
    return sum(held) / len(held)


def text(x, y, words, size=12, anchor="middle", colour=INK):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{words}</text>'


def draw_panel(title, columns, train, left):
    def at(x, y):
        return (left + (x - X[0]) / (X[1] - X[0]) * PANEL[0], TOP + (Y[1] - y) / (Y[1] - Y[0]) * PANEL[1])

    def path(points):
        return "M" + "L".join("{:.1f} {:.1f}".format(*at(x, y)) for x, y in points)

    xs = columns["x"]
    band = [*zip(xs, columns["y_function_upper"]), *reversed([*zip(xs, columns["y_function_lower"])])]
    dots = [at(x, y) for x, y in zip(train["x"], train["y"])]
    parts = [
        text(left + PANEL[0] / 2, 20, title, 15),
        text(left + PANEL[0] / 2, 39, f"true function inside the interval at {100 * coverage(columns):.1f} % of test rows"),
        f'<path d="{path(band)}Z" fill="{BAND}"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6" fill="{ROW}"/>' for x, y in dots),
        f'<path d="{path(zip(xs, columns["truth"]))}" fill="none" stroke="{TRUTH}" stroke-width="2" stroke-dasharray="6 4"/>',
        f'<path d="{path(zip(xs, columns["y_mean"]))}" fill="none" stroke="{MEAN}" stroke-width="2"/>',
        f'<path d="M{left} {TOP}V{TOP + PANEL[1]}H{left + PANEL[0]}" fill="none" stroke="{INK}"/>',
    ]
    parts += [text(at(x, 0)[0], TOP + PANEL[1] + 16, f"{x:g}", 11) for x in (-1, -0.5, 0, 0.5, 1)]
    return parts + [text(left - 6, at(0, y)[1] + 4, f"{y:g}", 11, "end") for y in (-60, -40, -20, 0, 20, 40, 60)]


def draw_legend(y):
    entries = [
        (f'<rect width="22" height="10" y="-9" fill="{BAND}"/>', "95 % interval of the function", 220),
        (f'<path d="M0 -4h22" stroke="{MEAN}" stroke-width="2"/>', "predicted mean", 145),
        (f'<path d="M0 -4h22" stroke="{TRUTH}" stroke-width="2" stroke-dasharray="6 4"/>', "true function", 125),
        (f'<circle cx="16" cy="-4" r="2" fill="{ROW}"/>', "training row", 110),
    ]
    parts, x = [], 130
    for mark, words, width in entries:
        parts.append(f'<g transform="translate({x} {y})">{mark}{text(28, 0, words, 12, "start")}</g>')
        x += width
    return parts


def draw(program, folder):
    train = read_columns((folder / "train.csv").read_text())
    classical, extended = (predictions(program, folder, posterior) for posterior in ("delta", "isotropic"))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *draw_panel("Classical deep ensemble", classical, train, LEFT),
        *draw_panel("The same networks, widened by Credens", extended, train, LEFT + PANEL[0] + GAP),
        *draw_legend(HEIGHT - 18),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        run_demo(program, folder)
        sys.stdout.write(draw(program, pathlib.Path(folder)))


if __name__ == "__main__":
    main()

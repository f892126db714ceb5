# SPDX-License-Identifier: Apache-2.0
"""Random ensembles as ONNX files, rows for them, and what `credens predict` says of these rows."""

import csv
import json
import os
import subprocess
from pathlib import Path

MOMENTS = ("mean", "aleatoric_variance", "epistemic_variance", "total_variance")
ENSEMBLES_IN_CI = 50


def ensembles():
    return int(os.environ.get("CREDENS_ONNX_ENSEMBLES", ENSEMBLES_IN_CI))


def read_table(path):
    """Names, and rows of numbers."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    return lines[0], [[float(cell) for cell in line] for line in lines[1:]]


def columns(names, rows, wanted):
    places = [names.index(name) for name in wanted]
    return [[row[place] for place in places] for row in rows]


def moments_of(path):
    """{moment: rows of one number per output} of a table that `credens predict` wrote."""
    names, rows = read_table(path)
    outputs = [name.removesuffix("_mean") for name in names if name.endswith("_mean")]
    moments = {"mean": columns(names, rows, [f"{output}_mean" for output in outputs])}
    for part in ("aleatoric", "epistemic", "total"):
        stds = columns(names, rows, [f"{output}_{part}_std" for output in outputs])
        moments[f"{part}_variance"] = [[std * std for std in row] for row in stds]
    return moments


def noise_of(names, rows, outputs):
    """One column of known noise serves all outputs. None where nothing is known."""
    found = [name for name in names if name.startswith("u")]
    if not found:
        return None
    return columns(names, rows, found if len(found) == outputs else found * outputs)


def make_case(program, folder, index):
    model, graph, table, predictions = (Path(folder, f"{index}{end}") for end in (".safetensors", ".onnx", ".csv", ".predictions.csv"))
    subprocess.run([program, "export", model, "-o", graph], check=True)
    subprocess.run([program, "predict", model, table, "-o", predictions], check=True)
    names, rows = read_table(table)
    moments = moments_of(predictions)
    return {
        "name": f"ensemble {index}",
        "file": str(graph),
        "inputs": columns(names, rows, [name for name in names if name.startswith("x")]),
        "noise_std": noise_of(names, rows, len(moments["mean"][0])),
        "expected": moments,
    }


def make_cases(program, generator, folder, count):
    """Writes them, with the models, into the folder, and returns the path of the list."""
    subprocess.run([generator, folder, str(count)], check=True)
    path = Path(folder, "cases.json")
    path.write_text(json.dumps([make_case(program, folder, index) for index in range(count)]), encoding="utf-8")
    return path

# SPDX-License-Identifier: Apache-2.0
"""Random ensembles as ONNX files, rows for them, and what `credens predict` says of these rows."""

import csv
import json
import os
import subprocess
from datetime import datetime, timezone
from pathlib import Path

MOMENTS = ("mean", "aleatoric_variance", "epistemic_variance", "total_variance")
ENSEMBLES_IN_CI = 50
TABLE_FORMAT = ("--header", "yes", "--delimiter", ",", "--unit-line", "no")  # a table of words alone may look otherwise


def ensembles():
    return int(os.environ.get("CREDENS_ONNX_ENSEMBLES", ENSEMBLES_IN_CI))


def value_of(name, cell):
    """Of a column that make_models.cpp called t a date in seconds, of w the word as it is, else a number. None is missing."""
    if name.startswith("w"):
        return cell
    if cell == "NA":
        return None
    return datetime.fromisoformat(cell).replace(tzinfo=timezone.utc).timestamp() if name.startswith("t") else float(cell)


def read_table(path):
    """Names and rows."""
    with open(path, encoding="utf-8", newline="") as file:
        names, *lines = csv.reader(file)
    return names, [[value_of(name, cell) for name, cell in zip(names, line, strict=True)] for line in lines]


def columns(names, rows, wanted):
    places = [names.index(name) for name in wanted]
    return [[row[place] for place in places] for row in rows]


def columns_called(names, rows, letters):
    """Those whose names begin with one of the letters. None where there are none."""
    found = [name for name in names if name[0] in letters]
    return columns(names, rows, found) if found else None


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
    found = columns_called(names, rows, "u")
    return found and [row if len(row) == outputs else row * outputs for row in found]


def make_case(program, folder, index):
    model, graph, table, predictions = (Path(folder, f"{index}{end}") for end in (".safetensors", ".onnx", ".csv", ".predictions.csv"))
    subprocess.run([program, "export", model, "-o", graph], check=True)
    subprocess.run([program, "predict", model, table, *TABLE_FORMAT, "-o", predictions], check=True)
    names, rows = read_table(table)
    moments = moments_of(predictions)
    return {
        "name": f"ensemble {index}",
        "file": str(graph),
        "inputs": columns_called(names, rows, "xt"),
        "categories": columns_called(names, rows, "w"),
        "noise_std": noise_of(names, rows, len(moments["mean"][0])),
        "expected": moments,
    }


def make_cases(program, generator, folder, count):
    """Writes them, with the models, into the folder, and returns the path of the list."""
    subprocess.run([generator, folder, str(count)], check=True)
    path = Path(folder, "cases.json")
    path.write_text(json.dumps([make_case(program, folder, index) for index in range(count)]), encoding="utf-8")
    return path

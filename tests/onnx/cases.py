# SPDX-License-Identifier: Apache-2.0
"""Random ensembles as ONNX files, rows for them, and what `credens predict` says of these rows."""

import csv
import json
import math
import os
import subprocess
from datetime import datetime, timezone
from pathlib import Path

MOMENTS = ("mean", "aleatoric_variance", "epistemic_variance", "total_variance")
CLASS_MOMENTS = ("probability", "class", "entropy", "aleatoric", "epistemic", "epistemic_variance")
GIVEN = (2, 3, 10, 100)  # classes of the models whose inputs are logits
TOLERANCE = 1e-5
ROOT_TOLERANCE = 1e-6
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


def bounds(expected):
    """How far each moment may be off: means by 1e-5 of their size and spread, variances by 1e-5 of themselves.

    The epistemic variance of members that agree at a row by chance is a difference of nearly equal floats: its root may be off by
    1e-6 of the prediction's size and spread."""

    def bound(moment, row, col):
        value = expected[moment][row][col]
        size = abs(expected["mean"][row][col]) + math.sqrt(expected["total_variance"][row][col])
        if moment == "mean":
            return TOLERANCE * size
        root = math.sqrt(value) if moment == "epistemic_variance" else 0
        return max(TOLERANCE * value, 2 * root * ROOT_TOLERANCE * size)

    return {moment: [[bound(moment, row, col) for col in range(len(values))] for row, values in enumerate(expected[moment])] for moment in MOMENTS}


def class_moments_of(path):
    """The same of classes, for each row one number, or one per class."""
    names, rows = read_table(path)

    def of_classes(prefix):
        return columns(names, rows, [name for name in names if name.startswith(prefix)])

    moments = {"probability": of_classes("y_probability_")}
    for moment in ("class", "entropy", "aleatoric", "epistemic"):
        moments[moment] = [int(row[0]) if moment == "class" else row[0] for row in columns(names, rows, [f"y_{moment}"])]
    moments["epistemic_variance"] = [[std * std for std in row] for row in of_classes("y_epistemic_std_")]
    return moments


def class_errors(variance):
    """Largest errors of a probability, of entropies and of a variance where logits have this variance.

    Beyond 3 `predict` promises 5e-4 for entropies (docs/method.md), and the graph less (docs/onnx.md)."""
    for largest, errors in ((2.1, (2e-7, 5e-6, 1e-6)), (3.1, (1e-6, 1e-5, 1e-5)), (6.1, (1e-5, 6e-4, 1e-4))):
        if variance <= largest:
            return errors
    return 1e-4, 1e-3, 3e-4


def class_bounds(expected, errors_of_rows):
    """How far each moment may be off. Any class may be named that is about as probable as the first."""
    allowed = {moment: [] for moment in CLASS_MOMENTS}
    for probability, (of_probability, of_entropy, of_variance) in zip(expected["probability"], errors_of_rows, strict=True):
        classes = len(probability)
        first, second = sorted(probability, reverse=True)[:2]
        allowed["probability"].append([of_probability] * classes)
        allowed["class"].append(classes if first - second <= 2 * of_probability else 0)
        for moment in ("entropy", "aleatoric", "epistemic"):
            allowed[moment].append(of_entropy)
        allowed["epistemic_variance"].append([of_variance] * classes)
    return allowed


def noise_of(names, rows, outputs):
    """One column of known noise serves all outputs. None where nothing is known."""
    found = columns_called(names, rows, "u")
    return found and [row if len(row) == outputs else row * outputs for row in found]


def predicted(program, folder, name, *flags):
    """Exports a model and predicts its rows. The graph, names and rows of the table, and the path of the predictions."""
    model, graph, table, predictions = (Path(folder, f"{name}{end}") for end in (".safetensors", ".onnx", ".csv", ".predictions.csv"))
    subprocess.run([program, "export", model, "-o", graph], check=True)
    subprocess.run([program, "predict", model, table, *TABLE_FORMAT, *flags, "-o", predictions], check=True)
    return graph, *read_table(table), predictions


def make_case(program, folder, index):
    graph, names, rows, predictions = predicted(program, folder, index)
    moments = moments_of(predictions)
    return {
        "name": f"ensemble {index}",
        "file": str(graph),
        "inputs": columns_called(names, rows, "xt"),
        "categories": columns_called(names, rows, "w"),
        "noise_std": noise_of(names, rows, len(moments["mean"][0])),
        "expected": moments,
        "allowed": bounds(moments),
    }


def make_class_case(program, folder, name, errors_of):
    """`errors_of` says from a row's cells how large its errors may be."""
    graph, names, rows, predictions = predicted(program, folder, name, "--std")
    moments = class_moments_of(predictions)
    return {
        "name": name,
        "file": str(graph),
        "inputs": columns_called(names, rows, "xt"),
        "categories": columns_called(names, rows, "w"),
        "noise_std": None,
        "expected": moments,
        "allowed": class_bounds(moments, [errors_of(row) for row in rows]),
    }


def errors_of_ensemble(index):
    """A delta posterior has no integrals: there only floats are rounded."""
    return (3e-6, 1e-5, 3e-6) if index % 4 == 0 else class_errors(math.inf)


def make_cases(program, generator, folder, numbers, classes):
    """Writes them, with the models, into the folder, and returns the path of the list."""
    subprocess.run([generator, folder, str(numbers), str(classes)], check=True)
    cases = [make_case(program, folder, index) for index in range(numbers)]
    for index in range(classes):
        cases.append(make_class_case(program, folder, f"classes{index}", lambda row, index=index: errors_of_ensemble(index)))
    cases += [make_class_case(program, folder, f"given{count}", lambda row: class_errors(row[-1] ** 2)) for count in GIVEN]
    path = Path(folder, "cases.json")
    path.write_text(json.dumps(cases), encoding="utf-8")
    return path

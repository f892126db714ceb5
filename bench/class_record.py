#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the benchmark of classes as docs/accuracy.md shows them, from results.csv of a study.

    python3 bench/class_record.py results.csv

tests/docs/check_class_numbers.py holds the document against the same file, which then is bench/recorded_classes.csv.
"""

import csv
import math
import sys
from collections import defaultdict

SCORES = ("log_loss", "brier", "accuracy", "ece")
TITLES = {
    "extended": "Credens",
    "classical": "classical ensemble",
    "catboost": "CatBoost",
    "logistic": "logistic regression",
    "forest": "random forest",
    "gaussian-process": "Gaussian process",
    "realmlp": "RealMLP",
    "tabm": "TabM",
}
PEERS = list(TITLES)[2:]
ENOUGH_TABLES = 20


def read(path):
    """{series: {(table, rows): {(method, metric): (mean, count)}}}."""
    found = {"tables": defaultdict(dict), "foreign": defaultdict(dict)}
    with open(path, encoding="utf-8") as file:
        for line in csv.DictReader(file):
            cell = float(line["mean"]), int(line["count"])
            found[line["series"]][line["data"], line["rows"]][line["method"], line["metric"]] = cell
    found["tables"] = {key: cells for key, cells in found["tables"].items() if ("extended", "log_loss") in cells}
    return found


def values_of(found, metric):
    """{table: {method: mean}}, of methods with all splits that Credens has; the lower the better."""
    values = {}
    for (table, _), cells in found["tables"].items():
        splits = cells["extended", metric][1]
        means = {method: mean for (method, name), (mean, count) in cells.items() if name == metric and count == splits}
        values[table] = {method: 1 - mean if metric == "accuracy" else mean for method, mean in means.items()}
    return values


def mean_and_error(numbers):
    mean = math.fsum(numbers) / len(numbers)
    spread = math.fsum((number - mean) ** 2 for number in numbers) / max(1, len(numbers) - 1)
    return mean, math.sqrt(spread / len(numbers))


def place(of, method, methods):
    others = [of[other] for other in methods]
    return sum(value < of[method] for value in others) + (sum(value == of[method] for value in others) + 1) / 2


def lines_of(headings, rows):
    return ["| " + " | ".join(cells) + " |" for cells in (headings, ["---"] * len(headings), *rows)]


def rank_lines(found, methods):
    values = {metric: values_of(found, metric) for metric in SCORES}
    whole = [table for table, of in values["log_loss"].items() if set(methods) <= set(of)]
    ranks = {
        (method, metric): mean_and_error([place(values[metric][table], method, methods) for table in whole])
        for method in methods
        for metric in SCORES
    }
    order = sorted(methods, key=lambda method: ranks[method, "log_loss"])
    rows = [[TITLES[one], f"`{one}`", *("{:.2f} ± {:.2f}".format(*ranks[one, metric]) for metric in SCORES)] for one in order]
    heading = f"### Mean ranks of {len(methods)} methods over {len(whole)} tables"
    return [heading, "", *lines_of(["method", "key", "log loss", "Brier score", "accuracy", "ECE"], rows), ""]


def difference_lines(found, peers):
    rows = []
    for method in ("classical", *peers):
        cells = []
        for metric in SCORES:
            sign = -1 if metric == "accuracy" else 1
            gaps = [sign * (of[method] - of["extended"]) for of in values_of(found, metric).values() if method in of]
            cells.append("{:+.4f} ± {:.4f}".format(*mean_and_error(gaps)).replace("-", "−"))
        rows.append([TITLES[method], str(len(gaps)), *cells])
    headings = ["method minus Credens", "tables", "log loss", "Brier score", "accuracy", "ECE"]
    return ["### Differences to Credens", "", *lines_of(headings, rows), ""]


def score_lines(found, peers):
    methods = ["extended", "classical", *peers]
    rows = []
    for table, of in values_of(found, "log_loss").items():
        best = min(value for method, value in of.items() if method != "classical")
        cells = [f"{of[method]:.3f}" if method in of else "" for method in methods]
        marked = [f"**{cell}**" if method != "classical" and of.get(method) == best else cell for method, cell in zip(methods, cells)]
        rows.append([table, *marked])
    return ["### Log loss of each table", "", *lines_of(["table", *(f"`{one}`" for one in methods)], rows), ""]


def loss_lines(found):
    for title, metric in (("log loss", "log_loss"), ("Brier score", "brier"), ("accuracy", "accuracy")):
        values = values_of(found, metric)
        lost = [name for name, of in values.items() if min(of[one] for one in of if one != "classical") < of["extended"]]
        yield f"* By {title} a peer is better on {len(lost)} of {len(values)}: {', '.join(f'`{name}`' for name in lost)}."


def foreign_lines(found):
    kinds = [(kind, method) for kind in ("entropy", "epistemic") for method in ("classical", "extended")]
    rows = [
        [name, rows, *(f"{cells[method, f'auroc_by_{kind}'][0]:.3f}" for kind, method in kinds)]
        for (name, rows), cells in found["foreign"].items()
    ]
    headings = ["table", "training rows", *(f"{kind}, {method}" for kind, method in kinds)]
    lines = ["", "### Foreign digits", "", *lines_of(headings, rows), ""]
    for kind in ("entropy", "epistemic"):
        gains = [cells["extended", f"auroc_by_{kind}"][0] - cells["classical", f"auroc_by_{kind}"][0] for cells in found["foreign"].values()]
        lines.append("By {}, extended − classical: {:+.4f} ± {:.4f} over the tasks.".format(kind, *mean_and_error(gains)))
    return lines


def main():
    found = read(sys.argv[1])
    values = values_of(found, "log_loss").values()
    peers = [peer for peer in PEERS if any(peer in of for of in values)]
    lines, shown = [], []
    for fewest in (len(values), ENOUGH_TABLES, 1):  # tables that a peer must have
        methods = ["extended", *(peer for peer in peers if sum(peer in of for of in values) >= fewest)]
        if methods not in shown:
            lines += rank_lines(found, methods)
            shown.append(methods)
    lines += difference_lines(found, peers) + score_lines(found, peers) + list(loss_lines(found))
    print("\n".join(lines + (foreign_lines(found) if found["foreign"] else [])))


if __name__ == "__main__":
    main()

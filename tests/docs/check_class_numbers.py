#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tables of the benchmark of classes in docs/accuracy.md against bench/recorded_classes.csv.

Ranks are counted here in a plain way.

usage: check_class_numbers.py SOURCE_FOLDER
"""

import csv
import math
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1]).resolve()
CREDENS, CLASSICAL = "extended", "classical"


def table_rows(text):
    """{first cell: other cells} of the first table in `text`."""
    lines = re.search(r"(?:^\|.*\n)+", text, re.M)[0].splitlines()
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])}


def recorded_classes():
    """{series: {(table, rows): {(method, metric): (mean, count)}}}."""
    found = {"tables": {}, "foreign": {}}
    with (SOURCE / "bench/recorded_classes.csv").open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            place = found[line["series"]].setdefault((line["data"], line["rows"]), {})
            place[line["method"], line["metric"]] = float(line["mean"]), int(line["count"])
    found["tables"] = {key: cells for key, cells in found["tables"].items() if (CREDENS, "log_loss") in cells}
    return found


def class_values(found, metric):
    """{table: {method: mean}} of methods that have all splits that Credens has; of accuracies what they lack to 1."""
    values = {}
    for (table, _), cells in found["tables"].items():
        splits = cells[CREDENS, metric][1]
        means = {method: mean for (method, name), (mean, count) in cells.items() if name == metric and count == splits}
        values[table] = {method: 1 - mean if metric == "accuracy" else mean for method, mean in means.items()}
    return values


def mean_ranks(values, methods):
    """{method: (mean, standard error)} over the tables that have all methods."""
    whole = [found for found in values.values() if set(methods) <= set(found)]
    ranks = {}
    for method in methods:
        places = []
        for found in whole:
            others = [found[other] for other in methods]
            ties = sum(value == found[method] for value in others)
            places.append(sum(value < found[method] for value in others) + (ties + 1) / 2)
        mean = sum(places) / len(places)
        spread = math.sqrt(sum((place - mean) ** 2 for place in places) / (len(places) - 1) / len(places))
        ranks[method] = mean, spread
    return ranks


def class_rank_problems(found, section):
    for part in section.split("\n### ")[1:]:
        if not part.startswith("Mean ranks"):
            continue
        shown = table_rows(part)
        methods = [cells[0].strip("`") for cells in shown.values()]
        for column, metric in enumerate(("log_loss", "brier", "accuracy", "ece"), start=1):
            ranks = mean_ranks(class_values(found, metric), methods)
            for title, cells in shown.items():
                expected = "{:.2f} ± {:.2f}".format(*ranks[cells[0].strip("`")])
                if cells[column].strip("*") != expected:
                    yield f"docs/accuracy.md: the rank of {title} by {metric} is {cells[column]}, recorded {expected}"


def class_score_problems(found, section):
    values = class_values(found, "log_loss")
    part = section.partition("\n### Log loss")[2]
    methods = [cell.strip(" `") for cell in part[part.index("| table") :].split("\n")[0].strip("|").split("|")[1:]]
    shown = table_rows(part)
    if set(shown) != set(values):
        yield f"docs/accuracy.md: the tables of the benchmark of classes are not the recorded ones: {set(shown) ^ set(values)}"
    for table, cells in shown.items():
        recorded = [f"{values[table][method]:.3f}" if method in values[table] else "" for method in methods]
        if [cell.strip("*") for cell in cells] != recorded:
            yield f"docs/accuracy.md: the log losses of {table} are not the recorded ones: {recorded}"


def class_loss_problems(found, section):
    """Lines that name the tables on which a peer is better."""
    for title, metric in (("By log loss", "log_loss"), ("By Brier score", "brier"), ("By accuracy", "accuracy")):
        line = re.search(rf"^\* {title} a peer is better on .*$", section, re.M)
        values = class_values(found, metric)
        lost = [name for name, of in values.items() if min(of[one] for one in of if one != CLASSICAL) < of[CREDENS]]
        if line is None or set(re.findall(r"`(.*?)`", line[0])) != set(lost):
            yield f"docs/accuracy.md: {title.lower()} a peer is better on {', '.join(sorted(lost))}"


def foreign_problems(found, section):
    shown = re.findall(r"^\| ([a-z]+) \| (\d+) \| (.*) \|$", section.partition("\n### Foreign digits")[2], re.M)
    if {(name, rows) for name, rows, _ in shown} != set(found["foreign"]):
        yield "docs/accuracy.md: the tasks of foreign digits are not the recorded ones"
    for name, rows, cells in shown:
        recorded = [
            f"{found['foreign'][name, rows][method, f'auroc_by_{kind}'][0]:.3f}"
            for kind in ("entropy", "epistemic")
            for method in (CLASSICAL, CREDENS)
        ]
        if cells.split(" | ") != recorded:
            yield f"docs/accuracy.md: foreign digits, {name} with {rows} rows: recorded {recorded}"


def class_problems():
    found = recorded_classes()
    section = (SOURCE / "docs/accuracy.md").read_text(encoding="utf-8").partition("\n## Classes\n")[2].partition("\n## ")[0]
    for check in (class_rank_problems, class_score_problems, class_loss_problems, foreign_problems):
        yield from check(found, section)


problems = list(class_problems())
print("\n".join(problems) or "the numbers are where they come from")
sys.exit(1 if problems else 0)

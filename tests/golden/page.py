# SPDX-License-Identifier: Apache-2.0
"""Looks into a report page; standard library only.

Usage: page.py CHECK PAGE.html ARGUMENT....
"""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path


class Page(HTMLParser):
    """Sections with their titles, chart specs and tables (rows of cells)."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.titles, self.specs, self.tables, self.captions = [], [], [], []
        self.words = None
        self.feed(Path(path).read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        if tag in ("h2", "td", "th", "caption", "figcaption") or (tag == "script" and ("type", "application/json") in attributes):
            self.words = ""
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])

    def handle_data(self, data):
        if self.words is not None:
            self.words += data

    def handle_endtag(self, tag):
        if self.words is None:
            return
        if tag == "h2":
            self.titles.append(self.words)
        elif tag in ("td", "th"):
            self.tables[-1][-1].append(self.words)
        elif tag == "script":
            self.specs.append(json.loads(self.words))
        elif tag == "figcaption":
            self.captions += [self.words] * (len(self.specs) - len(self.captions))  # of all charts of the figure
        self.words = None

    def spec(self, title):
        return next(spec for spec in self.specs if spec["title"]["text"] == title)

    def values(self, title, label):
        return next(layer["data"]["values"] for layer in self.spec(title)["layer"] if layer["name"] == label)


def titles(page):
    print(*page.titles, sep="\n")


def charts(page):
    """Every chart has a caption that says what good looks like or how to read it, and something to draw."""
    for spec, caption in zip(page.specs, page.captions, strict=True):
        assert spec["description"] and len(caption) > 80, spec["title"]
        assert any(layer["data"]["values"] for layer in spec["layer"]), spec["title"]
        print(spec["title"]["text"])


def scores(page, path):
    """The table of scores is what `evaluate` printed."""
    printed = Path(path).read_text(encoding="utf-8").splitlines()
    for name, *values in page.tables[0][1:]:
        line = next(line for line in printed if line.startswith(name + "  "))
        assert re.split(r"  +", line[len(name):].strip()) == values, (line, values)
    print(len(page.tables[0]) - 1, "scores")


def most_epistemic(page, data, predictions, output):
    """The table names lines of the file in order of their epistemic share, with the inputs that stand there; lines without target are not named."""
    table = next(table for table in page.tables if "epistemic share" in table[0])
    lines = Path(data).read_text(encoding="utf-8").splitlines()
    names, *rows = [line.split(",") for line in Path(predictions).read_text(encoding="utf-8").splitlines()]
    column = {name: [float(row[k]) for row in rows] for k, name in enumerate(names)}
    share = [(e / t) ** 2 for e, t in zip(column[f"{output}_epistemic_std"], column[f"{output}_total_std"], strict=True)]
    target = lines[0].split(",").index(output)
    order = sorted((row for row in range(len(share)) if lines[row + 1].split(",")[target]), key=lambda row: -share[row])
    inputs = table[0][6:]
    for cells, row in zip(table[1:], order, strict=False):
        assert int(cells[0]) == row + 2, (cells, row)
        assert cells[1] == f"{100 * share[row]:.1f} %", (cells, share[row])
        found = dict(zip(lines[0].split(","), lines[row + 1].split(","), strict=True))
        for name, cell in zip(inputs, cells[6:], strict=True):
            assert abs(float(cell) - float(found[name])) < 1e-3, (name, cell, found)
    print(len(table) - 1, "rows, inputs", *inputs)


def calibration(page, path):
    """The curve lies as far from the diagonal as the calibration error says."""
    error = json.loads(Path(path).read_text(encoding="utf-8"))["extended"]["calibration_error"]
    values = page.values("Calibration curve", "this model")
    assert len(values) == 99
    assert abs(sum(abs(value["y"] - value["x"]) for value in values) / 99 - 100 * error) < 1e-5
    assert abs(sum(bar["height"] for bar in page.values("Histogram of PIT values", "rows")) - 100) < 1e-4
    print("calibrated as scored")


def marks(page, title):
    """{label: its values}"""
    return {layer["name"]: layer["data"]["values"] for layer in page.spec(title)["layer"]}


def class_charts(page, path):
    """Curves, bars and matrix say the same as `evaluate --json` does."""
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    extended = found["extended"]
    line = page.values("Reliability diagram", "this model")
    bars = marks(page, "How sure the predictions are")
    right, wrong = (bars[f"rows, predicted class {what}"] for what in ("right", "wrong"))
    shares = [a["height"] + b["height"] for a, b in zip(right, wrong, strict=True)]
    assert abs(sum(shares) - 100) < 1e-4
    assert abs(sum(bar["height"] for bar in right) - 100 * extended["accuracy"]) < 1e-4
    gaps = sum(share * abs(point["x"] - point["y"]) for share, point in zip(shares, line, strict=True))
    assert abs(gaps / 1e4 - extended["ece"]) < 1e-6, (gaps, extended["ece"])
    for side, label in (("extended", "this model, by probability"), ("classical", "classical, by probability")):
        risk = {value["x"]: value["y"] for value in page.values("Risk against coverage", label)}
        for share, expected in zip(*found[side]["selective_risk"].values(), strict=True):
            assert abs(risk[round(100 * share)] - 100 * expected) < 1e-5, (side, share)
    for cell in page.values("Confusion matrix", "share of the class"):
        row, col = int(cell["low"]), int(cell["left"])
        weights = found["confusion"][row]
        assert abs(cell["value"] - 100 * weights[col] / sum(weights)) < 1e-5, cell
    print("charts as scored")


def least_known(page, data, predictions, target):
    """The table names lines of the file in order of their ignorance, with the probabilities that `predict` gives."""
    table = next(table for table in page.tables if "ignorance" in table[0])
    names, *lines = [line.split(",") for line in Path(data).read_text(encoding="utf-8").splitlines()]
    head, *rows = [line.split(",") for line in Path(predictions).read_text(encoding="utf-8").splitlines()]
    predicted = [dict(zip(head, row, strict=True)) for row in rows]
    order = sorted(range(len(rows)), key=lambda row: -float(predicted[row][f"{target}_epistemic"]))
    for cells, row in zip(table[1:], order, strict=False):
        found = dict(zip(names, lines[row], strict=True))
        line = dict(zip(table[0][:5] + [f"{name} of row" for name in table[0][5:]], cells, strict=True))
        assert int(cells[0]) == row + 2, (cells, row)
        assert abs(float(line["ignorance"]) / float(predicted[row][f"{target}_epistemic"]) - 1) < 6e-3, cells
        assert line["predicted"] == predicted[row][f"{target}_class"], cells
        probability = float(predicted[row][f"{target}_probability_{line['predicted']}"])
        assert line["its probability"] == f"{100 * probability:.1f} %", cells
        for name in table[0]:
            if name in found and name != target:
                cell = cells[table[0].index(name)]
                is_number = re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell)
                assert (abs(float(cell) - float(found[name])) < 1e-3) if is_number else cell == found[name], (name, cell)
        if "observed" in table[0]:
            assert cells[table[0].index("observed")] == found[target], cells
    print(len(table) - 1, "rows:", *table[0])


def foreign(page, path):
    """Histograms hold all rows, and the AUROCs are those of `evaluate`."""
    auroc = json.loads(Path(path).read_text(encoding="utf-8"))["extended"]["foreign_auroc"]
    for title, key in (("Foreign rows by ignorance", "epistemic"), ("Foreign rows by entropy", "entropy")):
        for label, bars in marks(page, title).items():
            assert abs(sum(bar["height"] for bar in bars) - 100) < 1e-4, (title, label)
        assert abs(float(page.spec(title)["title"]["subtitle"].removeprefix("AUROC ")) - auroc[key]) < 6e-4, (title, auroc)
    print("foreign rows as scored")


def size(page):
    """At most 2,000 marks for single rows, and captions that say so."""
    most = max(len(layer["data"]["values"]) for spec in page.specs for layer in spec["layer"])
    assert most <= 2000 and Path(page.path).stat().st_size < 2_000_000, most
    print(most, sum("Shown are" in caption for caption in page.captions))


if __name__ == "__main__":
    globals()[sys.argv[1]](Page(sys.argv[2]), *sys.argv[3:])

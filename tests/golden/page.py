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
            self.captions.append(self.words)
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


def size(page):
    """At most 2,000 marks for single rows, and captions that say so."""
    most = max(len(layer["data"]["values"]) for spec in page.specs for layer in spec["layer"])
    assert most <= 2000 and Path(page.path).stat().st_size < 2_000_000, most
    print(most, sum("Shown are" in caption for caption in page.captions))


if __name__ == "__main__":
    globals()[sys.argv[1]](Page(sys.argv[2]), *sys.argv[3:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds numbers of documents against where they come from.

In README.md the demo's table and picture come from a run of `credens demo`, so does the picture of two moons, and the table of the UCI benchmark is that of
docs/accuracy.md, rounded. The ratios of docs/benchmarks.md are those of bench/recorded.json, the tables beside CatBoost those of bench/results.

usage: check_numbers.py PROGRAM SOURCE_FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(SOURCE / "docs" / "figures"))
import demo  # noqa: E402
import moons  # noqa: E402

README = (SOURCE / "README.md").read_text(encoding="utf-8")
# Kernels without fused multiply-add round otherwise, and training then takes another way.
WITHOUT_FMA = {"SSE2", "SSSE3", "SSE4", "EMU128", "SCALAR"}
PIXELS = 0.3  # by which a picture may differ from the stored one


def demo_table_problems(folder):
    printed = demo.run_demo(PROGRAM, folder).split("\n\n")[0]
    if "\n".join("    " + line for line in printed.splitlines()) not in README:
        yield f"README.md: the table of the demo is not what it prints:\n{printed}"
    shares = re.findall(r"regression function +([\d.]+ %) +([\d.]+ %)", printed)[0]
    if not all(share in README.split("## Install")[0] for share in shares):
        yield f"README.md: the text below the picture lacks {shares[0]} or {shares[1]}"


def numbers_and_rest(picture):
    number = r"-?\d+(?:\.\d+)?"
    return [float(found) for found in re.findall(number, picture)], re.sub(number, "", picture)


def picture_problems(script, folder):
    name = f"docs/figures/{script.__name__}"
    stored, rest = numbers_and_rest((SOURCE / f"{name}.svg").read_text(encoding="utf-8"))
    drawn, drawn_rest = numbers_and_rest(script.draw(PROGRAM, folder))
    if rest != drawn_rest or any(abs(a - b) > PIXELS for a, b in zip(stored, drawn)):
        yield f"{name}.svg is not the picture of this program's demo: python3 {name}.py PROGRAM > {name}.svg"


def table_rows(text):
    """{first cell: other cells} of the first table in `text`."""
    lines = re.search(r"(?:^\|.*\n)+", text, re.M)[0].splitlines()
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:])}


def is_rounded(short, exact):
    """Whether `short` is `exact`, whose standard error may follow, with fewer digits."""
    short, exact = short.replace("−", "-"), exact.split("±")[0].strip().replace("−", "-")
    digits = len(short.partition(".")[2])
    return abs(float(short) - float(exact)) <= 0.5 * 10**-digits * (1 + 1e-9)


def benchmark_problems():
    accuracy = (SOURCE / "docs/accuracy.md").read_text(encoding="utf-8")
    whole = table_rows(accuracy.partition("\nStandard splits")[2])  # splits, members, RMSE, NLL, ...
    five = table_rows(accuracy.partition("\n### With 5 members")[2])  # splits, RMSE, NLL, ...
    published = table_rows(accuracy.partition("\n## Published values")[2])  # best, source, deep ensembles
    for name, cells in table_rows(README.partition("\n## How good it is")[2]).items():
        pairs = zip(cells[0].split(" / ") + cells[1].split(" / "), whole[name][2:4] + five[name][1:3])
        if not all(is_rounded(short, exact) for short, exact in pairs):
            yield f"README.md: the scores of {name} are not those of docs/accuracy.md"
        if [cells[3].replace("−", "-"), cells[2].replace("−", "-")] != [published[name][0], published[name][2]]:
            yield f"README.md: the published values of {name} are not those of docs/accuracy.md"


def recorded_problems():
    recorded = json.loads((SOURCE / "bench/recorded.json").read_text(encoding="utf-8"))["ratios"]
    document = (SOURCE / "docs/benchmarks.md").read_text(encoding="utf-8")
    shown = table_rows(document[document.index("| ratio ") :])  # of bests, of medians
    for key, ratio in recorded.items():
        if key not in shown or not is_rounded(shown[key][0], str(ratio)):
            yield f"docs/benchmarks.md: {key} is {shown.get(key)}, in bench/recorded.json {ratio}"


def cells_beside_catboost(splits):
    """RMSE, NLL, CRPS and coverage of Credens and of CatBoost's best form, as docs/accuracy.md writes them."""
    methods = set.intersection(*(set(methods) for methods in splits.values()))
    mean = lambda method, score: sum(one[method][score] for one in splits.values()) / len(splits)  # noqa: E731
    forms = methods - {"credens"}
    cells = []
    for score, form in (("rmse", ".4g"), ("nll", ".3f"), ("crps", ".4g")):
        cells.append([format(mean("credens", score), form), format(min(mean(one, score) for one in forms), form)])
    best = min(forms, key=lambda one: mean(one, "nll"))
    cells.append([f"{100 * mean(one, 'coverage'):.1f} %" for one in ("credens", best)])
    return [str(len(splits)), *(" / ".join(pair) for pair in cells)]


def beside_catboost_problems():
    accuracy = (SOURCE / "docs/accuracy.md").read_text(encoding="utf-8")
    for heading, name in (("\n### Tables as they are", "raw_tables"), ("\n### Cells missing at random", "missing")):
        shown = table_rows(accuracy.partition(heading)[2])
        for case, splits in json.loads((SOURCE / f"bench/results/{name}.json").read_text(encoding="utf-8")).items():
            cells = [cell.replace("**", "").replace("−", "-") for cell in shown.get(case, [])]
            if cells != cells_beside_catboost(splits):
                yield f"docs/accuracy.md: {case} is {cells}, in bench/results/{name}.json {cells_beside_catboost(splits)}"


def demo_problems():
    kernels = json.loads(subprocess.run([PROGRAM, "version", "--json"], check=True, capture_output=True).stdout)["kernels"]
    if kernels in WITHOUT_FMA:
        print(f"the demo is not compared: the kernels {kernels} have no fused multiply-add")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield from demo_table_problems(folder)
        for script in (demo, moons):
            yield from picture_problems(script, pathlib.Path(folder))


problems = [*benchmark_problems(), *recorded_problems(), *beside_catboost_problems(), *demo_problems()]
print("\n".join(problems) or "the numbers are where they come from")
sys.exit(1 if problems else 0)

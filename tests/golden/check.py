# SPDX-License-Identifier: Apache-2.0
"""Checks what the program wrote where bytes cannot be compared; standard library only.

Usage: check.py CHECK ARGUMENT.... Prints what a golden test expects, or fails with the first value that is off.
"""

import csv
import json
import math
import re
import struct
import sys
from pathlib import Path
from statistics import NormalDist, fmean

KEYS = ["rows", "level", "posterior", "outputs", "rmse", "rmse_standardised", "mae", "classical", "extended"]
INSPECT_KEYS = ["members", "inputs", "outputs", "features", "lambda", "posterior", "gamma", "elbo", "weights", "seed", "options",
                "data", "decisions", "expected", "input_kinds", "input_words", "version"]


def read_npy(path):
    """(shape, values) of a float64 array in C order; names may follow."""
    content = Path(path).read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00", content[:8]
    end = 10 + struct.unpack("<H", content[8:10])[0]
    header = content[10:end].decode()
    assert "'<f8'" in header and "'fortran_order': False" in header, header
    shape = [int(size) for size in re.findall(r"\d+", header.split("'shape':")[1])]
    return shape, struct.unpack_from(f"<{math.prod(shape)}d", content, end)


def read_csv(path):
    """The columns of a table by name, in order."""
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return {name: [float(row[k]) for row in rows] for k, name in enumerate(names)}


def near(a, b, tolerance=1e-9):
    assert math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance), f"{a} is not {b}"


def same_table(csv_path, npy_path):
    columns = list(read_csv(csv_path).values())
    shape, values = read_npy(npy_path)
    assert shape == [len(columns[0]), len(columns)], shape
    assert list(values) == [column[i] for i in range(shape[0]) for column in columns]
    print("the same", shape)


def close_table(left, right):
    left, right = read_csv(left), read_csv(right)
    assert list(left) == list(right), (list(left), list(right))
    for name, column in left.items():
        for a, b in zip(column, right[name], strict=True):
            near(a, b, 1e-6)
    print("close")


def three_parts(path, output):
    """The total uncertainty is the root of the sum of the squares of noise, ignorance and inputs."""
    columns = read_csv(path)
    parts = zip(*(columns[f"{output}_{part}_std"] for part in ("total", "aleatoric", "epistemic", "input")), strict=True)
    for total, *rest in parts:
        assert rest[-1] > 0
        near(total, math.hypot(*rest))
    print("the total is the root of the sum of squares")


def near_columns(left, right, column, tolerance):
    for a, b in zip(read_csv(left)[column], read_csv(right)[column], strict=True):
        assert abs(a - b) <= float(tolerance) * abs(b), (a, b)
    print("near")


def budget(path, predictions, output):
    """Squares add up, shares are those of the squares, and predict says the same of what both say."""
    found, predicted = read_csv(path), read_csv(predictions)
    of = {name.removeprefix(f"{output}_"): column for name, column in found.items()}
    for name in ("mean", "aleatoric_std", "input_std", "input_std_a", "total_std", "lower", "upper"):
        for a, b in zip(of[name], predicted[f"{output}_{name}"], strict=True):
            near(a, b)
    for i, total in enumerate(of["total_std"]):
        parts = [of[f"{part}_std"][i] for part in ("aleatoric", "between", "within", "input")]
        near(math.hypot(*parts), total)
        near(math.hypot(*parts[1:3]), predicted[f"{output}_epistemic_std"][i])
        near(sum(of[f"{part}_share"][i] for part in ("aleatoric", "between", "within", "input")), 1)
        near(of["coverage_factor"][i] * total, of["expanded"][i])
        assert of["shortest_upper"][i] - of["shortest_lower"][i] <= of["upper"][i] - of["lower"][i]
    print("parts, shares and intervals")


def conformity(path, output, lower, upper, risk):
    """Guard bands are distances of quantiles from the mean; statements follow from the mean and the probability."""
    lower, upper, tail = float(lower), float(upper), float(risk)
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        mean, probability = float(row[f"{output}_mean"]), float(row[f"{output}_conformity"])
        near(float(row[f"{output}_guard_lower"]), mean - float(row[f"{output}_quantile_{tail:g}"]))
        near(float(row[f"{output}_guard_upper"]), float(row[f"{output}_quantile_{1 - tail:g}"]) - mean)
        inside = ("conditional pass" if probability < 1 - tail else "pass") if lower <= mean <= upper else None
        expected = inside or ("conditional fail" if probability > tail else "fail")
        assert row[f"{output}_statement"] == expected, row
    print("guard bands and statements")


def parts_of(columns, output):
    kinds = ["mean", "aleatoric_std", "epistemic_std", "total_std", "lower", "upper", "function_lower", "function_upper"]
    return zip(*[columns[f"{output}_{kind}"] for kind in kinds], strict=True)


def intervals(columns, output, z):
    for mean, aleatoric, epistemic, total, lower, upper, function_lower, function_upper in parts_of(columns, output):
        near(total**2, aleatoric**2 + epistemic**2)
        assert aleatoric > 0 and epistemic > 0
        near(lower, mean - z * total)
        near(upper, mean + z * total)
        near(function_lower, mean - z * epistemic)
        near(function_upper, mean + z * epistemic)


def prediction(path, output, level):
    intervals(read_csv(path), output, NormalDist().inv_cdf((1 + float(level)) / 2))
    print("mean +- z std")


def card(path, scores_path):
    """The front matter of a model card has the scores of evaluate."""
    text = Path(path).read_text(encoding="utf-8")
    matter = text.split("---\n")[1]
    scores = json.loads(Path(scores_path).read_text(encoding="utf-8"))
    for kind, value in (("rmse", scores["rmse"]), ("mae", scores["mae"]), ("nll", scores["extended"]["nll"])):
        found = re.findall(rf"- type: {kind}\n +name: .*\n +value: (\S+)\n", matter)
        near(float(found[-1]), value)
    print("the scores of evaluate")


def coverage_factor(path, output, factor):
    intervals(read_csv(path), output, float(factor))
    print("mean +- K std")


def share_inside(path, output):
    columns = read_csv(path)
    rows = list(zip(*(columns[name] for name in (f"{output}_lower", output, f"{output}_upper")), strict=True))
    inside = sum(lower - 1e-9 <= value <= upper + 1e-9 for lower, value, upper in rows)  # ends are observed values, but for rounding
    print(inside, "of", len(rows), "inside")


def mixture(path, output):
    columns = read_csv(path)
    names = ["lower", "quantile_0.025", "quantile_0.5", "quantile_0.975", "upper"]
    for lower, low, middle, high, upper in zip(*(columns[f"{output}_{name}"] for name in names), strict=True):
        near(lower, low)
        near(upper, high)
        assert low < middle < high
    print("quantiles of the mixture")


def joint(npy_path, csv_path, *outputs):
    """Symmetric, and on its diagonal the epistemic variance of each row."""
    (q, n, m), values = read_npy(npy_path)
    assert q == len(outputs) and n == m
    columns = read_csv(csv_path)
    for k, output in enumerate(outputs):
        at = k * n * n
        for i, std in enumerate(columns[f"{output}_epistemic_std"]):
            near(values[at + i * n + i], std**2)
            for j in range(i):
                near(values[at + i * n + j], values[at + j * n + i])
    print("covariance", [q, n, n])


def known_noise(path, output, column):
    columns = read_csv(path)
    for given, aleatoric in zip(columns[column], columns[f"{output}_aleatoric_std"], strict=True):
        near(given, aleatoric, 1e-6)
    print("the noise given")


def shape(path):
    print(read_npy(path)[0])


def moments(npy_path, csv_path, kind, *outputs):
    """Mean and standard deviation over draws, within five standard errors."""
    (draws, n, q), values = read_npy(npy_path)
    columns = read_csv(csv_path)
    for k, output in enumerate(outputs):
        for i in range(n):
            column = values[i * q + k::n * q]
            mean, std = columns[f"{output}_mean"][i], columns[f"{output}_{kind}_std"][i]
            found = fmean(column)
            found_std = math.sqrt(fmean((value - found) ** 2 for value in column))
            assert abs(found - mean) < 5 * std / math.sqrt(draws), f"row {i}: mean {found}, expected {mean}"
            assert abs(found_std / std - 1) < 0.1, f"row {i}: std {found_std}, expected {std}"
    print("as predicted")


def expected(path):
    """What new rows may expect, as `inspect --json` and `fit --json` have it."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))["expected"]
    assert list(document) == ["rows", "level", "nll", "outputs"] and document["level"] == 0.95 and document["rows"] > 0
    estimates = [document["nll"]]
    for output in document["outputs"]:
        assert list(output)[1:] == ["rmse", "r2", "mae", "crps", "nll", "coverage", "aleatoric_std", "epistemic_std"]
        estimates += list(output.values())[1:]
        assert 0 <= output["coverage"]["value"] <= 1 and output["rmse"]["value"] >= output["mae"]["value"] > 0
    assert all(list(one) == ["value", "standard_error"] and one["standard_error"] > 0 for one in estimates), estimates
    print(*(output["output"] for output in document["outputs"]))


def finite(value):
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return value is not None and (isinstance(value, str) or math.isfinite(value))


def keys(path):
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    assert list(document)[:len(KEYS)] == KEYS, list(document)
    assert list(document["classical"]) == list(document["extended"])
    share = document.pop("training_share")
    assert share is None or 0 <= share <= 1, share
    assert finite(document), document
    print(*document["extended"], sep="\n")


def per_output(path):
    """Means over outputs, and each output by itself."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    parts = document["per_output"]
    assert [part["output"] for part in parts] == document["outputs"]
    for key in ("rmse", "rmse_standardised", "mae"):
        near(document[key], fmean(part[key] for part in parts))
    for side in ("classical", "extended"):
        assert list(document[side]) == list(parts[0][side])
        for key in ("crps", "total_coverage", "interval_width"):
            near(document[side][key], fmean(part[side][key] for part in parts))
    print("means over", *document["outputs"])


def close(left, right, *chosen):
    left, right = (json.loads(Path(path).read_text(encoding="utf-8")) for path in (left, right))
    for key in chosen:
        a, b = left[key], right[key]
        for name in a if isinstance(a, dict) else [None]:
            near(a[name] if name else a, b[name] if name else b, 1e-6)
    print("close")


def inspect(path):
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    assert list(document) == INSPECT_KEYS, list(document)
    members = document["members"]
    assert len(document["gamma"]) == len(document["weights"]) == len(document["features"]) == members
    assert list(document["elbo"]) == ["isotropic", "diagonal", "full", "ensemble"]
    assert all(len(document["elbo"][rung]) == members for rung in ("isotropic", "diagonal", "full"))
    near(sum(document["weights"]), 1)
    near(document["elbo"]["ensemble"], fmean(document["elbo"][document["posterior"]]) + math.log(members))
    assert re.fullmatch("[0-9a-f]{32}", document["data"]["fingerprint"])
    for key in ("inputs", "outputs", "features", "lambda", "posterior", "seed"):
        print(key, document[key])


def classes(path, target):
    """Probabilities have the sum 1, the class is the most probable one, and entropy is the sum of its two parts."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    start = f"{target}_probability_"
    for row in rows:
        shares = {name.removeprefix(start): float(value) for name, value in row.items() if name.startswith(start)}
        near(sum(shares.values()), 1)
        assert row[f"{target}_class"] == max(shares, key=shares.get), row
        near(float(row[f"{target}_entropy"]), -sum(p * math.log(p) for p in shares.values() if p > 0))
        near(float(row[f"{target}_entropy"]), float(row[f"{target}_aleatoric"]) + float(row[f"{target}_epistemic"]))
    print(len(rows), *shares)


def ladder(path):
    """The ELBO never falls along the ladder."""
    elbo = json.loads(Path(path).read_text(encoding="utf-8"))["elbo"]
    for isotropic, diagonal, full in zip(elbo["isotropic"], elbo["diagonal"], elbo["full"], strict=True):
        assert isotropic <= diagonal <= full, (isotropic, diagonal, full)
    print("rising")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

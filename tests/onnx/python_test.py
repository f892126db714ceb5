# SPDX-License-Identifier: Apache-2.0
"""Exported models pass the ONNX checker and predict as `credens predict` does.

Usage: python_test.py CASES.json
"""

import json
import sys

import numpy
import onnx
import onnxruntime

from cases import MOMENTS

TOLERANCE = 1e-5
ROOT_TOLERANCE = 1e-6
OPERATOR_SETS = range(13, 18)


def feeds(case, rows=slice(None)):
    """What is missing, None among numbers, becomes NaN."""
    types = {"inputs": float, "categories": object, "noise_std": float}
    return {name: numpy.array(case[name], dtype=kind)[rows] for name, kind in types.items() if case[name] is not None}


def file_complaints(case):
    model = onnx.load(case["file"])
    onnx.checker.check_model(model, full_check=True)
    sets = {entry.domain: entry.version for entry in model.opset_import}
    if sets.pop("", None) not in OPERATOR_SETS or sets != ({"ai.onnx.ml": 2} if case["categories"] else {}):
        yield f"operator sets are {model.opset_import}"
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    named = [len(json.loads(metadata.get(f"{kind}_names", "[]"))) for kind in ("input", "category", "output")]
    given = [len(rows[0]) if rows else 0 for rows in (case["inputs"], case["categories"], case["expected"]["mean"])]
    if named != given:
        yield f"metadata name {named} inputs, categories and outputs, expected {given}"


def bounds(expected):
    """How far each moment may be off: means by 1e-5 of their size and spread, variances by 1e-5 of themselves.

    The epistemic variance of members that agree at a row by chance is a difference of nearly equal floats: its root may be off by
    1e-6 of the prediction's size and spread."""
    size = numpy.abs(expected["mean"]) + numpy.sqrt(expected["total_variance"])
    allowed = {moment: TOLERANCE * (size if moment == "mean" else expected[moment]) for moment in MOMENTS}
    root = numpy.sqrt(expected["epistemic_variance"])
    allowed["epistemic_variance"] = numpy.maximum(allowed["epistemic_variance"], 2 * root * ROOT_TOLERANCE * size)
    return allowed


def ratios(case, found):
    """{moment: largest difference in units of what is allowed}."""
    expected = {moment: numpy.array(case["expected"][moment]) for moment in MOMENTS}
    allowed = bounds(expected)
    worst = {}
    for moment, values in zip(MOMENTS, found):
        difference = numpy.abs(values - expected[moment])
        shares = numpy.where(difference == 0, 0, difference / numpy.maximum(allowed[moment], 1e-300))
        worst[moment] = numpy.inf if values.shape != difference.shape or not numpy.isfinite(values).all() else shares.max()
    return worst


def session_complaints(case, session, found):
    names = [output.name for output in session.get_outputs()]
    if names != list(MOMENTS):
        yield f"outputs are {names}"
    if any((values < 0).any() for values in found[1:]):
        yield "a variance is negative"
    one = session.run(None, feeds(case, slice(0, 1)))
    if any(not numpy.allclose(alone, values[:1], rtol=1e-4, atol=1e-30) for alone, values in zip(one[:2], found[:2])):
        yield "one row alone differs from the same row among others"
    if any(values.shape != (0, values.shape[1]) for values in session.run(None, feeds(case, slice(0, 0)))):
        yield "no rows in, but some out"


def main(path):
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    complaints = 0
    worst = dict.fromkeys(MOMENTS, 0.0)
    for case in cases:
        session = onnxruntime.InferenceSession(case["file"], providers=["CPUExecutionProvider"])
        found = session.run(None, feeds(case))
        shares = ratios(case, found)
        said = [*file_complaints(case), *session_complaints(case, session, found)]
        said += [f"{moment} is off by {share:.3g} times what is allowed" for moment, share in shares.items() if share > 1]
        for sentence in said:
            print(f"{case['name']}: {sentence}")
        complaints += len(said)
        worst = {moment: max(worst[moment], shares[moment]) for moment in MOMENTS}
    print(f"{len(cases)} ensembles; largest differences in units of what is allowed:", {moment: round(float(share), 3) for moment, share in worst.items()})
    return 1 if complaints or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

# SPDX-License-Identifier: Apache-2.0
"""Exported models pass the ONNX checker and predict as `credens predict` does.

Usage: python_test.py CASES.json
"""

import json
import sys

import numpy
import onnx
import onnxruntime

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
    kinds, outputs = ("input_names", "category_names", "output_names"), case["expected"].get("mean")
    if outputs is None:
        kinds, outputs = ("input_names", "category_names", "classes"), case["expected"]["probability"]
    named = [len(json.loads(metadata.get(kind, "[]"))) for kind in kinds]
    given = [len(rows[0]) if rows else 0 for rows in (case["inputs"], case["categories"], outputs)]
    if named != given:
        yield f"metadata name {named} inputs, categories and outputs, expected {given}"


def ratios(case, found):
    """{moment: largest difference in units of what is allowed}."""
    worst = {}
    for (moment, expected), values in zip(case["expected"].items(), found):
        difference = numpy.abs(values - numpy.array(expected))
        shares = numpy.where(difference == 0, 0, difference / numpy.maximum(case["allowed"][moment], 1e-300))
        worst[moment] = numpy.inf if values.shape != difference.shape or not numpy.isfinite(values).all() else shares.max()
    return worst


def session_complaints(case, session, found):
    names = [output.name for output in session.get_outputs()]
    if names != list(case["expected"]):
        yield f"outputs are {names}"
    if any((values < 0).any() for values in found[1:]):
        yield "a moment is negative"
    if "class" in names:
        yield from class_complaints(dict(zip(names, found)))
    one = session.run(None, feeds(case, slice(0, 1)))
    if any(not numpy.allclose(alone, values[:1], rtol=1e-4, atol=1e-30) for alone, values in zip(one[:2], found[:2])):
        yield "one row alone differs from the same row among others"
    if any(values.shape != (0, *before.shape[1:]) for values, before in zip(session.run(None, feeds(case, slice(0, 0))), found)):
        yield "no rows in, but some out"


def class_complaints(found):
    probability = found["probability"]
    if (probability < 0).any() or numpy.abs(probability.sum(axis=1) - 1).max() > 1e-14:
        yield "probabilities do not sum to 1"
    if found["class"].dtype != numpy.int64 or (found["class"] != probability.argmax(axis=1)).any():
        yield "the class is not the most probable one"
    if numpy.abs(found["aleatoric"] + found["epistemic"] - found["entropy"]).max() > 1e-15 * max(1, found["entropy"].max()):
        yield "aleatoric and epistemic do not sum to the entropy"
    if (found["epistemic_variance"] > probability * (1 - probability) + 1e-15).any():
        yield "a probability varies more than one can"


def kind_of(case):
    return "numbers" if "mean" in case["expected"] else case["name"].rstrip("0123456789")


def main(path):
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    complaints = 0
    worst = {}
    for case in cases:
        session = onnxruntime.InferenceSession(case["file"], providers=["CPUExecutionProvider"])
        found = session.run(None, feeds(case))
        shares = ratios(case, found)
        said = [*file_complaints(case), *session_complaints(case, session, found)]
        said += [f"{moment} is off by {share:.3g} times what is allowed" for moment, share in shares.items() if share > 1]
        for sentence in said:
            print(f"{case['name']}: {sentence}")
        complaints += len(said)
        before = worst.setdefault(kind_of(case), dict.fromkeys(shares, 0.0))
        before.update({moment: max(before[moment], float(share)) for moment, share in shares.items()})
    for kind, shares in worst.items():
        print(f"{kind}: largest differences in units of what is allowed:", {moment: round(share, 3) for moment, share in shares.items()})
    print(f"{len(cases)} ensembles in Python, {complaints} complaints")
    return 1 if complaints or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

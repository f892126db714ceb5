# SPDX-License-Identifier: Apache-2.0
"""Displays of notebooks: well formed, readable by screen readers, legible on light and dark pages."""

import types
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from conftest import table

import credens
from credens import _repr
from credens._expectation import ClassExpectation, Estimate, Expectation, OutputExpectation
from credens._repr_ensemble import ensemble_html


def predictive(rows, outputs=1):
    generator = np.random.default_rng(1)
    epistemic = generator.uniform(0.1, 1, (rows, outputs))
    return types.SimpleNamespace(
        mean=generator.normal(size=(rows, outputs)),
        epistemic_variance=epistemic,
        total_variance=epistemic + 0.5,
        members=3,
    )


def expectation(**changes):
    scores = dict.fromkeys(("rmse", "r2", "mae", "crps", "nll"), Estimate(12.3456, 0.0789))
    scores |= {"coverage": Estimate(0.95, 0.01), "aleatoric_std": Estimate(3.0, 0.1), "epistemic_std": Estimate(1.0, 0.1)}
    return Expectation(40, 0.95, Estimate(1.0, 0.1), {"y": OutputExpectation(**(scores | changes))})


def ensemble(weights=(0.5, 0.3, 0.2), **changes):
    facts = {"members": len(weights), "inputs": 2, "outputs": 1, "has_networks": True, "posterior": "isotropic"}
    facts |= {"prior_precision": 1.0, "weights": np.array(weights), "target_names": ["y"], "target_units": ["MPa"]}
    facts |= {"input_names": ["a", "<b>"], "input_units": ["mm", ""], "input_kinds": ["number", "category"]}
    return types.SimpleNamespace(**(facts | {"task": "regression", "expected": expectation()} | changes))


def parts(page, tag):
    root = ElementTree.fromstring(page)
    return [element for element in root.iter() if element.tag.rpartition("}")[2] == tag]


@pytest.mark.parametrize("rows", [1, 2, 47, 48, 49, 5000])
def test_a_prediction_shows_some_rows_with_both_intervals(rows):
    page = _repr.predictive_html(predictive(rows))
    shown = min(rows, _repr.MOST_ROWS)
    assert len(parts(page, "circle")) == shown
    colours = [line.get("stroke-width") for line in parts(page, "line")]
    assert colours.count("4") == colours.count("1.2") == shown
    assert f"{shown} of {rows} rows" in page


def test_rows_are_ordered_by_their_mean():
    heights = [float(circle.get("cy")) for circle in parts(_repr.predictive_html(predictive(30)), "circle")]
    assert heights == sorted(heights, reverse=True)


def test_one_dimensional_predictions_look_the_same():
    flat = predictive(9)
    expected = len(parts(_repr.predictive_html(flat), "line"))
    for name in ("mean", "epistemic_variance", "total_variance"):
        setattr(flat, name, getattr(flat, name)[:, 0])
    assert len(parts(_repr.predictive_html(flat), "line")) == expected


def test_no_rows_give_facts_without_a_picture():
    page = _repr.predictive_html(predictive(0))
    assert parts(page, "svg") == [] and "rows" in page


def test_equal_and_extreme_values_have_a_picture():
    for value in (0.0, 1e300, -1e-300):
        same = types.SimpleNamespace(
            mean=np.full((4, 1), value), epistemic_variance=np.zeros((4, 1)), total_variance=np.zeros((4, 1)), members=1
        )
        assert "nan" not in _repr.predictive_html(same)


def cells(page):
    return {row[0].text: row[1].text for row in parts(page, "tr")}


def bars(page):
    """Widths of the rectangles, by their colour."""
    found = [(rect.get("fill"), float(rect.get("width"))) for rect in parts(page, "rect")]
    return [width for fill, width in found if fill == "currentColor"], [width for fill, width in found if fill == _repr.COLOUR]


def test_an_ensemble_begins_with_what_new_rows_may_expect():
    facts = cells(ensemble_html(ensemble()))
    assert next(iter(facts.items())) == (
        "new rows may expect",
        "RMSE 12.346 ± 0.079 MPa, R² 12.346 ± 0.079, 95.0 ± 1.0 % inside the 95 % intervals (by 40 held-out rows)",
    )
    assert facts["inputs"] == "2: a [mm], <b> (words)" and facts["outputs"] == "y [MPa]"
    assert facts["members"] == "3, weights 20 % to 50 %"


def test_an_ensemble_shows_noise_against_ignorance_and_weights():
    page = ensemble_html(ensemble())
    (noise, *weights), (ignorance,) = bars(page)
    assert (noise + 1) / (ignorance + 1) == pytest.approx(9, rel=1e-2)  # variances 9 and 1; bars end 1 before the next
    assert [width + 1 for width in weights] == pytest.approx([(weights[0] + 1) * share for share in (1, 0.6, 0.4)], abs=0.2)
    assert "10 % ignorance" in page and "2.6 effective" in page


def test_an_ensemble_of_classes_shows_entropies():
    expected = ClassExpectation(30, Estimate(0.9, 0.05), Estimate(0.3, 0.04), Estimate(0.1, 0.02), Estimate(0.3, 0.1), Estimate(0.1, 0.1))
    page = ensemble_html(ensemble(task="classification", classes=["ash", "oak"], expected=expected))
    assert cells(page)["new rows may expect"] == "accuracy 90.0 ± 5.0 %, log loss 0.300 ± 0.040 nats (by 30 held-out rows)"
    assert cells(page)["classes"] == "2 (ash, oak)" and "25 % ignorance" in page and "expected entropy" in page


def test_an_ensemble_without_expectations_says_so():
    page = ensemble_html(ensemble([1.0], expected=None, posterior="delta", has_networks=False))
    assert parts(page, "svg") == [] and "delta" in page and "made from arrays" in page
    assert cells(page)["new rows may expect"].startswith("not known")
    assert len(bars(ensemble_html(ensemble(expected=None)))[0]) == 3


def test_extreme_expectations_and_many_outputs_have_a_picture():
    for aleatoric, epistemic in ((0.0, 0.0), (float("inf"), 1.0), (1e-200, 0.0), (1e100, 1e100)):
        scores = expectation(aleatoric_std=Estimate(aleatoric, 0.0), epistemic_std=Estimate(epistemic, float("inf")))
        assert "nan" not in ensemble_html(ensemble(expected=scores))
    outputs = {f"output number {k}": expectation().outputs["y"] for k in range(20)}
    page = ensemble_html(ensemble(expected=Expectation(9, 0.95, Estimate(1, 1), outputs), target_units=[]))
    assert len(bars(page)[1]) == 6


def test_class_probabilities_show_noise_and_ignorance():
    entropy = np.linspace(0.1, 0.6, 100)
    facts = {"classes": ["<a>", "b"], "confidence": 1 - entropy / 2, "aleatoric": 0.75 * entropy, "epistemic": 0.25 * entropy}
    found = type("Found", (), {**facts, "entropy": entropy, "__len__": lambda self: 100})()
    page = _repr.class_predictive_html(found)
    bars = [line for line in parts(page, "line") if line.get("stroke") == _repr.COLOUR]
    thin = [line for line in parts(page, "line") if line.get("stroke-width") == "1.2"]
    assert len(bars) == len(thin) == _repr.MOST_ROWS and "2 (<a>, b)" not in page
    length = lambda bar: float(bar.get("y1")) - float(bar.get("y2"))
    assert length(thin[-1]) == pytest.approx(3 * length(bars[-1]), abs=0.3)


def test_the_probability_follows_the_input_that_moves_a_class_most():
    def predict(x):
        first = 1 / (1 + np.exp(-0.1 * x[:, 0] - 5 * x[:, 1]))
        return types.SimpleNamespace(probability=np.column_stack([first, 1 - first]), epistemic_std=np.full((len(x), 2), 0.4), classes=["p", "q"])

    page = _repr.classifier_picture(predict, np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]), ["u", "v"])
    assert "Probability of p against v, the other inputs at their mean" in page
    ys = [float(point.split(",")[1]) for point in parts(page, "polygon")[0].get("points").split()]
    assert min(ys) == _repr.TOP and max(ys) == _repr.HEIGHT - _repr.BOTTOM  # a band of probabilities ends at 0 and 1


def test_the_band_follows_the_input_that_moves_the_mean_most():
    def predict(x):
        mean = (0.1 * x[:, 0] + 5 * x[:, 1])[:, np.newaxis]
        return types.SimpleNamespace(mean=mean, epistemic_variance=0 * mean + 0.1, total_variance=0 * mean + 0.3)

    span = np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]])
    page = _repr.regressor_picture(predict, span, ["a", "b"], "y")
    assert "y against b, the other inputs at their mean" in page
    assert "y goes from -5 at b = -1 to 5 at 1." in page
    assert len(parts(page, "polygon")) == 2 and len(parts(page, "polyline")) == 1


def test_pictures_speak_to_screen_readers():
    first, second = (ensemble_html(ensemble()) for _ in range(2))
    (svg,) = parts(first, "svg")
    assert svg.get("role") == "img"
    named = {element.get("id") for tag in ("title", "desc") for element in parts(first, tag)}
    assert set(svg.get("aria-labelledby").split()) == named
    assert not named & {element.get("id") for element in parts(second, "title")}


def test_names_cannot_break_out():
    page = ensemble_html(ensemble(target_names=["<script>&\"'"]))
    assert "<script>" not in page and ElementTree.fromstring(page) is not None


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return np.dot(linear, [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("paper", ["#ffffff", "#111111"])
def test_the_colour_stands_out_on_light_and_dark_paper(paper):
    high, low = sorted([luminance(_repr.COLOUR), luminance(paper)], reverse=True)
    assert (high + 0.05) / (low + 0.05) > 4


def test_models_and_predictions_show_themselves(model, wide_model):
    facts, page = cells(model._repr_html_()), model._repr_html_()
    assert facts["new rows may expect"].endswith(f"(by {model.expected.rows} held-out rows)") and facts["outputs"] == "y"
    assert "Noise and ignorance" in page and parts(page, "svg")
    assert cells(wide_model._repr_html_())["outputs"] == "a, b"
    assert "not known" in credens.widen(model, *table(), posterior="delta")._repr_html_()
    x = np.zeros((5, 2))
    assert "Predictions with 95 % intervals." in model.predict(x)._repr_html_()
    assert "of the first output" in wide_model.predict(x)._repr_html_()

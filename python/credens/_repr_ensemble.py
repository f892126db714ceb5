# SPDX-License-Identifier: Apache-2.0
"""The display of an ensemble in notebooks: what new rows may expect, the columns, and one picture of noise against ignorance
and of the members' weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ._expectation import ClassExpectation, Estimate
from ._repr import COLOUR, WIDTH, block, class_text, figure, number, text

MOST_NAMES = 8
MOST_OUTPUTS = 6
LABEL = 110
"""Width of the names on the left of the picture."""
ROW = 24
BAR = 14


def ensemble_html(ensemble) -> str:
    """An `Ensemble`: expected scores first, then what it reads, predicts and is made of."""
    facts = [
        *_expected_facts(ensemble),
        ("inputs", _inputs_text(ensemble) if ensemble.has_networks else "none: made from arrays"),
        _outputs_fact(ensemble),
        ("members", _members_text(ensemble)),
        ("posterior", f"{ensemble.posterior}, lambda {number(float(ensemble.prior_precision))}"),
    ]
    return block("Ensemble", facts, _picture(ensemble))


def _expected_facts(ensemble) -> Iterable[tuple[str, str]]:
    expected = ensemble.expected
    if expected is None:
        yield "new rows may expect", "not known: no rows were held out, or the model was changed since"
    elif isinstance(expected, ClassExpectation):
        yield (
            "new rows may expect",
            f"accuracy {_percent(expected.accuracy)}, log loss {estimate_text(expected.log_loss)} nats "
            f"(by {expected.rows} held-out rows)",
        )
    else:
        units = ensemble.target_units or [""] * len(expected.outputs)
        for (name, scores), unit in list(zip(expected.outputs.items(), units))[:MOST_OUTPUTS]:
            of_name = "" if len(expected.outputs) == 1 else f" of {name}"
            yield (
                f"new rows may expect{of_name}",
                f"RMSE {estimate_text(scores.rmse)}{' ' + unit if unit else ''}, R² {estimate_text(scores.r2)}, "
                f"{_percent(scores.coverage)} inside the {100 * expected.level:g} % intervals (by {expected.rows} held-out rows)",
            )


def estimate_text(estimate: Estimate, factor: float = 1.0) -> str:
    """The value with as many decimals as two digits of its standard error need.

    >>> estimate_text(Estimate(12.3456, 0.0789))
    '12.346 ± 0.079'
    """
    value, error = factor * estimate.value, factor * estimate.standard_error
    if not (math.isfinite(value) and 1e-7 <= error < 1e7):
        return f"{value:.4g} ± {error:.2g}"
    decimals = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def _percent(share: Estimate) -> str:
    return f"{estimate_text(share, 100)} %"


def _with_units(names: Sequence[str], units: Sequence[str]) -> list[str]:
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units or [""] * len(names))]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")


def _inputs_text(ensemble) -> str:
    names = _with_units(ensemble.input_names, ensemble.input_units)
    words = {"category": " (words)", "date": " (dates)"}
    kinds = ensemble.input_kinds or ["number"] * len(names)
    described = [name + words.get(kind, "") for name, kind in zip(names, kinds)]
    return f"{ensemble.inputs}: {_listed(described)}" if described else str(ensemble.inputs)


def _outputs_fact(ensemble) -> tuple[str, str]:
    if ensemble.task == "classification":
        return "classes", class_text(ensemble.classes)
    names = _with_units(ensemble.target_names, ensemble.target_units)
    return "outputs", _listed(names) or str(ensemble.outputs)


def _members_text(ensemble) -> str:
    weights = np.asarray(ensemble.weights, dtype=float)
    if len(weights) < 2 or np.ptp(weights) < 1e-9:
        return str(ensemble.members)
    return f"{ensemble.members}, weights {100 * weights.min():.2g} % to {100 * weights.max():.2g} %"


def _parts(expected) -> list[tuple[str, float]]:
    """The names of the bars, and the share of ignorance of each."""
    if expected is None:
        return []
    if isinstance(expected, ClassExpectation):
        sizes = [("class", expected.aleatoric.value, expected.epistemic.value)]
    else:
        sizes = [
            (name, scores.aleatoric_std.value**2, scores.epistemic_std.value**2)
            for name, scores in list(expected.outputs.items())[:MOST_OUTPUTS]
        ]
    return [
        (name, ignorance / (noise + ignorance)) for name, noise, ignorance in sizes if 0 < noise + ignorance < math.inf
    ]


def _picture(ensemble) -> str:
    """A bar for each output, cut into noise and ignorance, and one for the members, cut into their weights."""
    parts, weights = _parts(ensemble.expected), np.asarray(ensemble.weights, dtype=float)
    body: list[str] = []
    for i, (name, ignorance) in enumerate(parts):
        body += _bar(i, name, [1 - ignorance, ignorance], f"{100 * ignorance:.0f} % ignorance", ["currentColor", COLOUR])
    if len(weights) > 1:
        body += _bar(len(parts), "weights", weights, f"{1 / float(np.sum(weights**2)):.1f} effective", ["currentColor"])
    if not body:
        return ""
    what = "entropy" if ensemble.task == "classification" else "variance"
    title = "Noise and ignorance" if parts else "Weights of the members"
    words = [f"the expected {what} of new rows, cut into noise (grey) and ignorance (blue)"] if parts else []
    words += ["the weight of each member (effective: as many equal ones)"] if len(weights) > 1 else []
    caption = f"{title}. Bars: {'; last: '.join(words)}."
    description = " ".join(f"{name}: {100 * ignorance:.0f} % of the {what} is ignorance." for name, ignorance in parts)
    rows = len(parts) + (len(weights) > 1)
    return figure(title, description or caption, body, caption, rows * ROW + 6)


def _bar(row: int, name: str, shares: Sequence[float], remark: str, colours: Sequence[str]) -> Iterable[str]:
    """Shares of one bar; neighbours are told apart by gaps, and the ones of ignorance also by their colour."""
    top, length = row * ROW + 4, WIDTH - LABEL - 100
    short = name if len(name) <= 16 else name[:15] + "…"
    yield text(LABEL - 8, top + BAR - 3, short, "end")
    left = float(LABEL)
    gap = min(1.0, 0.25 * length / len(shares))
    for i, share in enumerate(shares):
        width = float(share) * length
        colour = colours[i % len(colours)]
        opacity = 1 if colour == COLOUR else 0.45
        yield (
            f'<rect x="{left:.1f}" y="{top}" width="{max(0.0, width - gap):.1f}" height="{BAR}" '
            f'fill="{colour}" fill-opacity="{opacity:g}"/>'
        )
        left += width
    yield text(LABEL + length + 8, top + BAR - 3, remark, "start")

# SPDX-License-Identifier: Apache-2.0
"""Displays of notebooks: facts as a table and one small picture, drawn here as SVG so that no plotting library is needed.

Text, axes and marks take the notebook's own text colour, so that they fit light and dark pages. The one colour that is
added keeps a contrast above 4 to 1 against white and against near-black. Meaning never rests on colour alone: marks
also differ in width, and every picture has a title and a description for screen readers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

import numpy as np

__all__ = [
    "band_picture",
    "block",
    "class_predictive_html",
    "class_text",
    "classifier_picture",
    "figure",
    "number",
    "predictive_html",
    "regressor_picture",
    "text",
]

COLOUR = "#2f7fd3"
FACTOR = 1.959963984540054  # of 95 % intervals
WIDTH, HEIGHT = 460, 190
LEFT, RIGHT, TOP, BOTTOM = 58, 10, 10, 34
MOST_ROWS = 48
MOST_CLASSES = 8
BAND_POINTS = 61

_numbers = itertools.count(1)


def predictive_html(predictive) -> str:
    """A `Predictive`: some of its rows, ordered by their mean, with both intervals."""
    mean, epistemic, total = _columns(predictive)
    rows, outputs = mean.shape
    facts = [("rows", rows), ("outputs", outputs), ("members", predictive.members)]
    if rows == 0:
        return block("Predictive", facts, "")
    facts += [
        ("mean noise std", number(float(np.mean(np.sqrt(np.maximum(total - epistemic, 0)))))),
        ("mean epistemic std", number(float(np.mean(np.sqrt(epistemic))))),
    ]
    return block("Predictive", facts, _rows_picture(mean[:, 0], epistemic[:, 0], total[:, 0], outputs))


def class_predictive_html(predictive) -> str:
    """A `ClassPredictive`: some of its rows, ordered by their entropy, with noise and ignorance."""
    classes = predictive.classes
    facts = [("rows", len(predictive)), ("classes", class_text(classes))]
    if len(predictive) == 0:
        return block("ClassPredictive", facts, "")
    facts += [
        ("mean confidence", number(float(np.mean(predictive.confidence)))),
        ("mean noise, nats", number(float(np.mean(predictive.aleatoric)))),
        ("mean ignorance, nats", number(float(np.mean(predictive.epistemic)))),
    ]
    return block("ClassPredictive", facts, _entropy_picture(predictive.aleatoric, predictive.entropy))


def class_text(classes: Sequence[object]) -> str:
    shown = ", ".join(str(label) for label in classes[:MOST_CLASSES])
    return f"{len(classes)} ({shown}{', ...' if len(classes) > MOST_CLASSES else ''})"


def regressor_picture(predict: Callable, span: np.ndarray, input_names: Sequence[str] | None, target: str) -> str:
    """How the first output goes with the input that moves it most, the other inputs at their mean.

    `predict` maps [N, d] to a `Predictive`; `span` [3, d] holds the low end, the mean and the high end of each input.
    """
    low, middle, high = span
    chosen = _most_moving(predict, low, middle, high)
    grid = np.linspace(low[chosen], high[chosen], BAND_POINTS)
    inputs = np.tile(middle, (BAND_POINTS, 1))
    inputs[:, chosen] = grid
    mean, epistemic, total = (column[:, 0] for column in _columns(predict(inputs)))
    name = input_names[chosen] if input_names is not None else f"input {chosen}"
    return band_picture(grid, mean, epistemic, total, name, target, "the other inputs at their mean" if len(low) > 1 else "")


def classifier_picture(predict: Callable, span: np.ndarray, input_names: Sequence[str] | None) -> str:
    """How the class that moves most goes with the input that moves it most, the other inputs at their mean.

    `predict` maps [N, d] to a `ClassPredictive`; `span` as for `regressor_picture`.
    """
    low, middle, high = span
    steps, inputs = 9, len(low)
    moved = predict(_moved_rows(low, middle, high, steps))
    spread = np.ptp(moved.probability.reshape(inputs, steps, -1), axis=1)
    chosen, label = np.unravel_index(np.argmax(spread), spread.shape)
    grid = np.linspace(low[chosen], high[chosen], BAND_POINTS)
    rows = np.tile(middle, (BAND_POINTS, 1))
    rows[:, chosen] = grid
    found = predict(rows)
    probability, reach = found.probability[:, label], FACTOR * found.epistemic_std[:, label]
    name = input_names[chosen] if input_names is not None else f"input {chosen}"
    remark = "the other inputs at their mean" if inputs > 1 else ""
    return probability_picture(grid, probability, reach, name, str(moved.classes[label]), remark)


def probability_picture(grid, probability, reach, x_name: str, label: str, remark: str = "") -> str:
    """The probability of a class with its epistemic 95 % band over a grid of one input."""
    x = _Scale(float(grid[0]), float(grid[-1]), LEFT, WIDTH - RIGHT)
    y = _Scale(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    lower, upper = np.clip(probability - reach, 0, 1), np.clip(probability + reach, 0, 1)
    body = [
        _area(x, y, grid, lower, upper, f'fill="{COLOUR}" fill-opacity="0.6"'),
        f'<polyline points="{_points(x, y, grid, probability)}" fill="none" stroke="currentColor" stroke-width="1.6"/>',
        *_y_axis(y),
        *_x_axis(x, x_name),
    ]
    title = f"Probability of {label} against {x_name}" + (f", {remark}" if remark else "")
    description = (
        f"The probability of {label} goes from {number(float(probability[0]))} at {x_name} = {number(float(grid[0]))} "
        f"to {number(float(probability[-1]))} at {number(float(grid[-1]))}."
    )
    return figure(title, description, body, f"{title}. Line: probability; band: 95 % epistemic.")


def band_picture(grid, mean, epistemic, total, x_name: str, y_name: str, remark: str = "") -> str:
    """Mean, epistemic and total 95 % band over a grid of one input."""
    wide, narrow = FACTOR * np.sqrt(total), FACTOR * np.sqrt(epistemic)
    x = _Scale(float(grid[0]), float(grid[-1]), LEFT, WIDTH - RIGHT)
    y = _Scale(float(np.min(mean - wide)), float(np.max(mean + wide)), HEIGHT - BOTTOM, TOP)
    body = [
        _area(x, y, grid, mean - wide, mean + wide, 'fill="currentColor" fill-opacity="0.16"'),
        _area(x, y, grid, mean - narrow, mean + narrow, f'fill="{COLOUR}" fill-opacity="0.6"'),
        f'<polyline points="{_points(x, y, grid, mean)}" fill="none" stroke="currentColor" stroke-width="1.6"/>',
        *_y_axis(y),
        *_x_axis(x, x_name),
    ]
    title = f"{y_name} against {x_name}" + (f", {remark}" if remark else "")
    description = (
        f"{y_name} goes from {number(float(mean[0]))} at {x_name} = {number(float(grid[0]))} "
        f"to {number(float(mean[-1]))} at {number(float(grid[-1]))}."
    )
    caption = f"{title}. Line: mean; inner band: 95 % epistemic; outer band: 95 % total."
    return figure(title, description, body, caption)


def _columns(predictive) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, epistemic and total variance, each [N, q]."""
    arrays = (predictive.mean, predictive.epistemic_variance, predictive.total_variance)
    return tuple(array[:, np.newaxis] if array.ndim == 1 else array for array in arrays)


def _most_moving(predict: Callable, low, middle, high) -> int:
    """The input along whose range the mean spreads most; looks at 9 points of each."""
    steps, inputs = 9, len(low)
    mean = _columns(predict(_moved_rows(low, middle, high, steps)))[0][:, 0].reshape(inputs, steps)
    return int(np.argmax(mean.max(axis=1) - mean.min(axis=1)))


def _moved_rows(low, middle, high, steps: int) -> np.ndarray:
    """[d * steps, d]: each input in turn along its range, the others in the middle of theirs."""
    inputs = len(low)
    rows = np.tile(middle, (inputs * steps, 1))
    for j in range(inputs):
        rows[j * steps : (j + 1) * steps, j] = np.linspace(low[j], high[j], steps)
    return rows


def _entropy_picture(aleatoric, entropy) -> str:
    order = np.argsort(entropy, kind="stable")
    shown = order[np.unique(np.linspace(0, len(order) - 1, min(MOST_ROWS, len(order))).round().astype(int))]
    aleatoric, entropy = aleatoric[shown], entropy[shown]
    x = _Scale(-0.5, len(shown) - 0.5, LEFT, WIDTH - RIGHT)
    y = _Scale(0.0, float(max(entropy.max(), 1e-12)), HEIGHT - BOTTOM, TOP)
    body = []
    for i in range(len(shown)):
        body.append(_bar(x(i), y(0.0), y(aleatoric[i]), "currentColor", 1.2, 0.7))
        body.append(_bar(x(i), y(aleatoric[i]), y(entropy[i]), COLOUR, 4, 1))
    body += _y_axis(y)
    body.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, f"{len(shown)} of {len(order)} rows, by entropy"))
    title = "Entropy of the class, in nats"
    description = f"Entropies from {number(float(entropy[0]))} to {number(float(entropy[-1]))}."
    return figure(title, description, body, f"{title}. Thin: noise; thick: ignorance.")


def _rows_picture(mean, epistemic, total, outputs: int) -> str:
    order = np.argsort(mean, kind="stable")
    shown = order[np.unique(np.linspace(0, len(order) - 1, min(MOST_ROWS, len(order))).round().astype(int))]
    mean, narrow, wide = mean[shown], FACTOR * np.sqrt(epistemic[shown]), FACTOR * np.sqrt(total[shown])
    x = _Scale(-0.5, len(shown) - 0.5, LEFT, WIDTH - RIGHT)
    y = _Scale(float(np.min(mean - wide)), float(np.max(mean + wide)), HEIGHT - BOTTOM, TOP)
    body = []
    for i in range(len(shown)):
        body.append(_bar(x(i), y(mean[i] - wide[i]), y(mean[i] + wide[i]), "currentColor", 1.2, 0.7))
        body.append(_bar(x(i), y(mean[i] - narrow[i]), y(mean[i] + narrow[i]), COLOUR, 4, 1))
        body.append(f'<circle cx="{x(i):.1f}" cy="{y(mean[i]):.1f}" r="1.6" fill="currentColor"/>')
    body += _y_axis(y)
    body.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, f"{len(shown)} of {len(order)} rows, by mean"))
    title = "Predictions with 95 % intervals" + (" of the first output" if outputs > 1 else "")
    description = f"Means from {number(float(mean[0]))} to {number(float(mean[-1]))}."
    return figure(title, description, body, f"{title}. Dot: mean; thick: epistemic; thin: total.")


class _Scale:
    """Maps values linearly to places of the picture; a range without length gets one."""

    def __init__(self, low: float, high: float, start: float, end: float):
        if not high > low:
            margin = abs(low) / 2 or 1.0
            low, high = low - margin, high + margin
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value):
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Up to six round values: steps of 1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [i * step for i in range(first, last + 1)]


def _y_axis(y: _Scale) -> Iterable[str]:
    yield f'<line x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{HEIGHT - BOTTOM}" stroke="currentColor" stroke-opacity="0.5"/>'
    for value in y.ticks():
        yield f'<line x1="{LEFT - 4}" y1="{y(value):.1f}" x2="{LEFT}" y2="{y(value):.1f}" stroke="currentColor"/>'
        yield text(LEFT - 7, y(value) + 3.5, number(value), "end")


def _x_axis(x: _Scale, name: str) -> Iterable[str]:
    base = HEIGHT - BOTTOM
    yield f'<line x1="{LEFT}" y1="{base}" x2="{WIDTH - RIGHT}" y2="{base}" stroke="currentColor" stroke-opacity="0.5"/>'
    for value in x.ticks():
        yield f'<line x1="{x(value):.1f}" y1="{base}" x2="{x(value):.1f}" y2="{base + 4}" stroke="currentColor"/>'
        yield text(x(value), base + 15, number(value))
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, name)


def _bar(x: float, bottom: float, top: float, colour: str, width: float, opacity: float) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{bottom:.1f}" x2="{x:.1f}" y2="{top:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}" stroke-opacity="{opacity:g}"/>'
    )


def _points(x: _Scale, y: _Scale, xs, ys) -> str:
    return " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(xs, ys))


def _area(x: _Scale, y: _Scale, xs, lower, upper, look: str) -> str:
    return f'<polygon points="{_points(x, y, xs, upper)} {_points(x, y, xs[::-1], lower[::-1])}" {look}/>'


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="10.5" fill="currentColor">{escape(words)}</text>'


def number(value: float) -> str:
    return f"{value:.4g}"


def figure(title: str, description: str, body: Iterable[str], caption: str, height: int = HEIGHT) -> str:
    number = next(_numbers)  # identifiers must differ between the pictures of one notebook
    return (
        f'<figure style="margin:0;max-width:{WIDTH}px">'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="100%" role="img" '
        f'aria-labelledby="credens-title-{number} credens-text-{number}" font-family="sans-serif">'
        f'<title id="credens-title-{number}">{escape(title)}</title>'
        f'<desc id="credens-text-{number}">{escape(description)}</desc>'
        f"{''.join(body)}</svg>"
        f'<figcaption style="font-size:0.85em">{escape(caption)}</figcaption></figure>'
    )


def block(kind: str, facts: Sequence[tuple[str, object]], picture: str) -> str:
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in facts
    )
    caption = f'<caption style="text-align:left;color:inherit"><b>credens.{escape(kind)}</b></caption>'
    table = f'<table style="color:inherit;font-size:inherit">{caption}<tbody>{rows}</tbody></table>'
    return f"<div>{table}{picture}</div>"

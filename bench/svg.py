# SPDX-License-Identifier: Apache-2.0
"""Small log-log charts as SVG: panels of measured points and their fitted line, or of several lines with their names."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

PANEL_WIDTH, PANEL_HEIGHT, MARGIN = 300, 230, 46
PANELS_PER_ROW = 3
LINES_WIDTH, LINES_HEIGHT, LEGEND_STEP = 450, 360, 14
INK, POINT, LINE = "#333", "#1f5fa8", "#d0652b"
LINE_COLOURS = ("#888888", "#1f5fa8", "#d0652b", "#2a7f4f", "#8a4fa8", "#b59a00", "#444444")


@dataclass(frozen=True)
class Panel:
    title: str
    x_label: str
    y_label: str
    points: list[tuple[float, float]]
    exponent: float
    constant: float  # y = constant * x^exponent

    def line(self) -> list[tuple[float, float]]:
        ends = min(x for x, _ in self.points), max(x for x, _ in self.points)
        return [(x, self.constant * x**self.exponent) for x in ends]


def scale(values: list[float], low: float, high: float):
    """From the logarithm of a value to pixels, with some room at both ends."""
    first, last = math.log(min(values)), math.log(max(values))
    room = 0.08 * (last - first) or 0.5
    span = last - first + 2 * room
    return lambda value: low + (math.log(value) - first + room) / span * (high - low)


def text(x: float, y: float, words: str, anchor: str = "middle", size: int = 11) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">{escape(words)}</text>'


def tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def draw_panel(panel: Panel, left: float, top: float) -> list[str]:
    right, bottom = left + PANEL_WIDTH - MARGIN, top + PANEL_HEIGHT - MARGIN
    all_points = panel.points + panel.line()
    at_x = scale([x for x, _ in all_points], left + MARGIN, right)
    at_y = scale([y for _, y in all_points], bottom, top + 24)
    (x0, y0), (x1, y1) = [(at_x(x), at_y(y)) for x, y in panel.line()]
    parts = [
        f'<path d="M{left + MARGIN:.1f} {top + 24:.1f}V{bottom:.1f}H{right:.1f}" fill="none" stroke="{INK}"/>',
        f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="{LINE}" stroke-width="1.5"/>',
        text((left + MARGIN + right) / 2, top + 14, f"{panel.title}: exponent {panel.exponent:.2f}", size=12),
        text((left + MARGIN + right) / 2, bottom + 30, f"{panel.y_label} against {panel.x_label}"),
    ]
    for x, y in panel.points:
        parts.append(f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3.5" fill="{POINT}"/>')
        parts.append(text(at_x(x), bottom + 14, tick(x), size=9))
    for y in (min(y for _, y in panel.points), max(y for _, y in panel.points)):
        parts.append(text(left + MARGIN - 4, at_y(y) + 3, tick(y), "end", 9))
    return parts


def picture(width: int, height: int, parts: list[str]) -> str:
    begin = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
             f'<rect width="{width}" height="{height}" fill="white"/>']  # fmt: skip
    return "\n".join([*begin, *parts, "</svg>"]) + "\n"


def draw(panels: list[Panel]) -> str:
    rows = -(-len(panels) // PANELS_PER_ROW)
    parts = []
    for number, panel in enumerate(panels):
        parts += draw_panel(panel, number % PANELS_PER_ROW * PANEL_WIDTH, number // PANELS_PER_ROW * PANEL_HEIGHT)
    return picture(PANELS_PER_ROW * PANEL_WIDTH, rows * PANEL_HEIGHT, parts)


# ---- several lines in one panel ----


@dataclass(frozen=True)
class Lines:
    title: str
    x_label: str
    lines: dict[str, list[tuple[float, float]]]


def powers_of_ten(values: list[float]) -> list[float]:
    return [10.0**power for power in range(math.ceil(math.log10(min(values)) - 1e-9), math.floor(math.log10(max(values)) + 1e-9) + 1)]


def draw_axes(panel: Lines, left: float, right: float, top: float, bottom: float) -> tuple[list[str], Callable, Callable]:
    xs, ys = ([point[axis] for line in panel.lines.values() for point in line] for axis in (0, 1))
    at_x, at_y = scale(xs, left, right), scale(ys, bottom, top)
    parts = [f'<path d="M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}" fill="none" stroke="{INK}"/>',
             text((left + right) / 2, top - 8, panel.title, size=12), text((left + right) / 2, bottom + 30, panel.x_label)]  # fmt: skip
    parts += [text(at_x(x), bottom + 14, tick(x), size=9) for x in powers_of_ten(xs)]
    parts += [text(left - 4, at_y(y) + 3, tick(y), "end", 9) for y in powers_of_ten(ys)]
    return parts, at_x, at_y


def draw_lines_panel(panel: Lines, begin: float) -> list[str]:
    legend = LEGEND_STEP * len(panel.lines)
    left, right, top, bottom = begin + MARGIN, begin + LINES_WIDTH - 16, 24, LINES_HEIGHT - MARGIN - legend
    parts, at_x, at_y = draw_axes(panel, left, right, top, bottom)
    for number, (name, points) in enumerate(panel.lines.items()):
        colour, y = LINE_COLOURS[number], bottom + 46 + number * LEGEND_STEP
        way = "L".join(f"{at_x(x):.1f} {at_y(y):.1f}" for x, y in points)
        parts.append(f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="2.5" fill="{colour}"/>' for x, y in points]
        parts.append(f'<path d="M{left:.1f} {y - 4:.1f}h18" stroke="{colour}" stroke-width="2"/>')
        parts.append(text(left + 24, y, name, "start", 10))
    return parts


def draw_lines(panels: list[Lines]) -> str:
    parts = [part for number, panel in enumerate(panels) for part in draw_lines_panel(panel, number * LINES_WIDTH)]
    return picture(LINES_WIDTH * len(panels), LINES_HEIGHT, parts)

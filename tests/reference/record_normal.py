#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records values of the normal distribution and of mixtures for tests/unit/math: python3 record_normal.py

The normal comes from SciPy, checked against mpmath with 40 digits; the mixtures from mpmath alone.
Lines of normal.csv:   function,argument,value
Lines of mixture.csv:  weights,means,stds,probability,quantile,cdf_at_2,survival_at_2,log_density_at_2  (lists separated by blanks)
"""

import pathlib

import mpmath
from mpmath import mp, mpf
from scipy import special

mp.dps = 40
FOLDER = pathlib.Path(__file__).parent

POINTS = [-37.5, -37.0, -30.0, -20.0, -10.0, -5.0, -2.5, -1.0, -0.1, -1e-8, 0.0, 1e-8, 0.1, 0.5, 1.96, 3.0, 6.0, 8.0, 8.5, 15.0, 37.5]
PROBABILITIES = [5e-324, 1e-310, 1e-300, 1e-100, 1e-20, 1e-10, 1e-6, 1e-3, 0.025, 0.3, 0.5, 0.5000001, 0.7, 0.975, 0.999, 1 - 1e-6, 1 - 1e-10, 1 - 2.0**-53]

MIXTURES = {
    "one": ([1.0], [2.0], [3.0]),
    "two": ([0.25, 0.75], [-1.0, 4.0], [0.5, 2.0]),
    "apart": ([0.5, 0.3, 0.2], [-1000.0, 0.0, 1000.0], [0.01, 1.0, 0.02]),
    "nested": ([0.5, 0.5], [0.0, 0.0], [1e-5, 1.0]),
    "many": ([0.1] * 10, [0.3 * (l - 4.5) ** 3 / 10 for l in range(10)], [0.2 + 0.1 * l for l in range(10)]),
}
LEVELS = [1e-6, 1e-3, 0.05, 0.31, 0.55, 0.9, 0.999, 1 - 1e-6]


def exact_cdf(z):
    return mpmath.erfc(-mpf(z) / mpmath.sqrt(2)) / 2


def agreed(ours, exact):
    assert abs(mpf(ours) - exact) <= mpf("2e-13") * abs(exact), (ours, exact)
    return repr(float(exact))


def normal_lines():
    for z in POINTS:
        yield "cdf", z, agreed(special.ndtr(z), exact_cdf(z))
        yield "survival", z, agreed(special.ndtr(-z), exact_cdf(-z))
        yield "density", z, repr(float(mpmath.npdf(mpf(z))))
    for p in PROBABILITIES:
        root = mpmath.findroot(lambda z, p=p: mpmath.log(exact_cdf(z)) - mpmath.log(mpf(p)), mpf(float(special.ndtri(p))))
        yield "quantile", p, "0.0" if p == 0.5 else agreed(special.ndtri(p), root)


def mixture_cdf(mixture, x):
    return sum(mpf(w) * exact_cdf((x - mpf(m)) / mpf(s)) for w, m, s in zip(*mixture))


def quantile(mixture, p):
    """Bisection: slow and certain."""
    low, high = mpf(-2000), mpf(2000)
    for _ in range(160):
        middle = (low + high) / 2
        low, high = (middle, high) if mixture_cdf(mixture, middle) < p else (low, middle)
    return high


def mixture_lines():
    for rounded, means, stds in MIXTURES.values():
        weights = [mpf(w) / sum(mpf(v) for v in rounded) for w in rounded]
        at = mpf(2)
        below = mixture_cdf((weights, means, stds), at)
        above = sum(mpf(w) * exact_cdf((mpf(m) - at) / mpf(s)) for w, m, s in zip(weights, means, stds))
        density = sum(mpf(w) * mpmath.npdf(at, mpf(m), mpf(s)) for w, m, s in zip(weights, means, stds))
        for p in LEVELS:
            lists = (" ".join(map(repr, values)) for values in (rounded, means, stds))
            numbers = (quantile((weights, means, stds), mpf(p)), below, above, mpmath.log(density))
            yield *lists, repr(p), *(repr(float(number)) for number in numbers)


def write(name, lines):
    (FOLDER / name).write_text("".join(",".join(map(str, line)) + "\n" for line in lines))


write("normal.csv", normal_lines())
write("mixture.csv", mixture_lines())

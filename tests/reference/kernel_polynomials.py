#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# Prints the coefficients in src/math/kernels_functions-inl.h, kernels_doubles-inl.h and kernels_embedding.cpp with the largest error of each fit (Remez exchange, 50 digits).

import mpmath as mp
import numpy as np

mp.mp.dps = 50


def minimax(function, degree, low, high, weight):
    """Coefficients of the polynomial that minimises the largest |weight (p - function)| on [low, high]; that error."""
    count = degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]
    grid = [low + (high - low) * (1 - mp.cos(mp.pi * i / 400)) / 2 for i in range(401)]
    for _ in range(12):
        system = mp.matrix(count, count)
        values = mp.matrix(count, 1)
        for row, x in enumerate(points):
            for power in range(degree + 1):
                system[row, power] = x**power
            system[row, degree + 1] = (-1) ** row / weight(x)
            values[row] = function(x)
        coefficients = list(mp.lu_solve(system, values))[: degree + 1]
        errors = [weight(x) * (mp.polyval(coefficients[::-1], x) - function(x)) for x in grid]
        extremes = largest_of_each_sign_run(grid, errors)
        if len(extremes) < count:
            break
        while len(extremes) > count:
            extremes.pop(0 if abs(extremes[0][1]) < abs(extremes[-1][1]) else -1)
        points = [x for x, _ in extremes]
    return coefficients, max(abs(error) for error in errors)


def largest_of_each_sign_run(grid, errors):
    extremes = []
    for x, error in zip(grid, errors):
        if extremes and mp.sign(extremes[-1][1]) == mp.sign(error):
            if abs(error) > abs(extremes[-1][1]):
                extremes[-1] = (x, error)
        else:
            extremes.append((x, error))
    return extremes


def exp_rest(r):
    """(e^r - 1 - r) / r^2"""
    return (mp.expm1(r) - r) / r**2 if abs(r) > mp.mpf("1e-12") else mp.mpf(1) / 2 + r / 6


def log1p_rest(z):
    """(2 artanh(s) - 2 s) / s^3 with z = s^2"""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / s**3 if z > mp.mpf("1e-14") else mp.mpf(2) / 3 + 2 * z / 5


def mills_ratio(u):
    """(t + 3) (1 - Phi(t)) / phi(t) with u = (t - 3) / (t + 3)"""
    t = 3 * (1 + u) / (1 - u)
    return (t + 3) * mp.erfc(t / mp.sqrt(2)) / 2 / mp.npdf(t)


def sine_rest(z):
    """sin(2 pi r) / r with z = r^2"""
    r = mp.sqrt(z)
    return mp.sin(2 * mp.pi * r) / r if r > mp.mpf("1e-12") else 2 * mp.pi


def cosine_rest(z):
    """(cos(2 pi r) - 1) / r^2 with z = r^2"""
    r = mp.sqrt(z)
    return (mp.cos(2 * mp.pi * r) - 1) / z if r > mp.mpf("1e-12") else -2 * mp.pi**2


def show(name, fit):
    coefficients, error = fit
    print(name, "error", mp.nstr(error, 3), ", ".join(f"{float(np.float32(float(c))):.9g}" for c in coefficients))


def show_doubles(name, fit):
    coefficients, error = fit
    print(name, "error", mp.nstr(error, 3), ", ".join(f"{float(c):.17g}" for c in coefficients))


reach = mp.log(2) / 2 * mp.mpf("1.01")
show("exp", minimax(exp_rest, 4, -reach, reach, lambda r: mp.mpf(1)))
half = mp.mpf("0.505")
for degree in (8, 11):
    show_doubles("exp2 of doubles", minimax(lambda r: mp.mpf(2) ** r, degree, -half, half, lambda r: mp.mpf(2) ** -r))
show("log1p", minimax(log1p_rest, 4, mp.mpf(0), mp.mpf(1) / 9, lambda z: mp.mpf(1)))
show("mills", minimax(mills_ratio, 9, mp.mpf(-1), mp.mpf(12) / 18, lambda u: 1 / mills_ratio(u)))
quarter = (mp.mpf("0.2501")) ** 2
show("sine", minimax(sine_rest, 4, mp.mpf(0), quarter, lambda z: 1 / sine_rest(z)))
show("cosine", minimax(cosine_rest, 4, mp.mpf(0), quarter, lambda z: max(z, mp.mpf("1e-9"))))

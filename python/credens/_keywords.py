# SPDX-License-Identifier: Apache-2.0
"""Keywords that a function does not have: the nearest one is suggested."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ._errors import ArgumentTypeError

P = ParamSpec("P")
R = TypeVar("R")


def suggests(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose signature type checkers still see, with a sentence about an unknown keyword."""
    known = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
        for name in keywords:
            if name not in known:
                raise ArgumentTypeError(_unknown(function.__name__, name, known))
        return function(*arguments, **keywords)

    checked.__kwdefaults__ = function.__kwdefaults__
    return checked


def _unknown(function: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches("prior_precision" if name in ("lambda", "lambda_", "lam") else name, known, n=1)
    return f"{function}() has no option {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")

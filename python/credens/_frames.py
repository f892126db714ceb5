# SPDX-License-Identifier: Apache-2.0
"""Named columns as a frame of pandas or polars."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from ._errors import MissingPackageError, UsageError, shown

Package = Literal["pandas", "polars"]


def frame_of(columns: dict[str, Any], package: Package | None) -> Any:
    """A frame of the package or, without one, of the first that is installed."""
    if package is not None and not (isinstance(package, str) and package in ("pandas", "polars")):
        raise UsageError(f"package is {shown(package)}, expected 'pandas' or 'polars'")
    for name in (package,) if package else ("pandas", "polars"):
        if find_spec(name):
            return import_module(name).DataFrame(columns)
    raise MissingPackageError(f"a frame needs a package: pip install {package or 'pandas'}")

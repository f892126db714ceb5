# SPDX-License-Identifier: Apache-2.0
"""`python -m credens VERB ...` is `credens VERB ...`, also where the program is not on the PATH."""

from __future__ import annotations

import os
import sys
import sysconfig


def program() -> str:
    """The program `credens` that was installed with this package."""
    places = [os.path.dirname(sys.executable), sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    for place in places:
        path = os.path.join(place, "credens")
        if os.path.exists(path):
            return path
    sys.exit(f"credens: the program is not in {', '.join(dict.fromkeys(places))}: install the package again")


if __name__ == "__main__":
    os.execv(program(), ["credens", *sys.argv[1:]])

# SPDX-License-Identifier: Apache-2.0
"""Starts the program `credens` that lies in the package. A module of its own, so that nothing of the package is imported."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "credens", "bin", "credens")
    if not os.path.exists(program):
        sys.exit(f"credens: the program {program} is not there: install the package again")
    os.execv(program, ["credens", *sys.argv[1:]])

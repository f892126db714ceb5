# SPDX-License-Identifier: Apache-2.0
"""Makes pages with the program and the Python package and opens them in a browser. Exits 77, which CTest takes for skipped, where there is none.

Usage: run.py PROGRAM MODULES VENV [PICTURES]   MODULES: folder node_modules with playwright-core and axe-core; VENV: with the package credens, whose
pages are left out where it is absent
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
HOSTILE = "</script><b>y & \"co\""

FIT = "--members 3 --epochs 20 --hidden 8,4 > summary.txt"
PAGES = {
    "demo.html": ["credens demo -o demo --progress none > summary.txt", "mv demo/index.html demo.html"],
    "report.html": ["credens report demo/model.safetensors demo/test.csv --truth truth -o report.html"],
    "report_two_outputs.html": [f"credens fit two.csv --target u,v -o two.safetensors {FIT}",
                                "credens report two.safetensors two.csv --interval mixture -o report_two_outputs.html"],
    "report_arrays.html": ["credens outputs two.safetensors two.csv -o arrays",
                           "credens report two.safetensors --outputs arrays -o report_arrays.html"],
    "report_hostile.html": [f"credens fit hostile.csv --target -1 --posterior delta -o hostile.safetensors {FIT}",
                            "credens report hostile.safetensors hostile.csv -o report_hostile.html"],
    "report_all_inside.html": ["credens fit train.csv --target y --epochs 3 -o inside.safetensors > summary.txt",
                               "credens report inside.safetensors train.csv -o report_all_inside.html"],
    "report_classes.html": ["credens report demo/moons.safetensors demo/moons-test.csv --foreign far.csv -o report_classes.html"],
    "report_predictions.html": ["credens report demo/moons.safetensors far.csv -o report_predictions.html"],
    "report_hostile_classes.html": [f"credens fit classes.csv --target -1 -o classes.safetensors {FIT}",
                                    "credens report classes.safetensors classes.csv --keep -1 -o report_hostile_classes.html"],
    "report_large.html": ["credens report large.safetensors large.csv -o report_large.html"],
}
REPRODUCE = "$PYTHON -m credens.reproduce"
PYTHON_PAGES = {
    "reproduce_figure1.html": [f"{REPRODUCE} figure1 --repetitions 2 -o figure1 --progress none", "mv figure1/report.html reproduce_figure1.html"],
    "reproduce_figure2.html": [f"{REPRODUCE} figure2 --quick --repetitions 1 -o figure2 --progress none", "mv figure2/report.html reproduce_figure2.html"],
    "reproduce_uci.html": [f"python3 -B {HERE.parents[1] / 'python/tests/uci_data.py'} uci",
                           f"{REPRODUCE} uci --quick --data uci --members 2 --set recipe=paper --set epochs=5 --set hidden=4 -o uci_page --progress none",
                           "mv uci_page/report.html reproduce_uci.html"],
}


def write_tables(folder):
    """Small tables of the golden tests, some with hostile names, more inputs than columns of a table or many classes, and 20,000 rows."""
    subprocess.run([sys.executable, "-B", HERE.parent / "golden" / "data.py", "train.csv", "two.csv"], cwd=folder, check=True)
    names = [f"<i>x{j}</i>" for j in range(10)] + [HOSTILE]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    rows = [[((i * (37 + 2 * j)) % 101) / 101 for j in range(11)] for i in range(60)]
    lines = [",".join(quoted)] + [",".join(map(str, row)) for row in rows]
    Path(folder, "hostile.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    classes = [f'{i * 37 % 101 / 101},{i * i % 89 / 89},"{HOSTILE.replace(chr(34), chr(34) * 2)} {i * 37 % 101 * 30 // 101} and so on, a long name"' for i in range(300)]
    Path(folder, "classes.csv").write_text("\n".join(["a,b,c", *classes]) + "\n", encoding="utf-8")
    Path(folder, "far.csv").write_text("x1,x2\n" + "".join(f"{4 + i / 7},{3 + i % 5}\n" for i in range(30)), encoding="utf-8")
    large = ["a,b,y"] + [f"{i % 101 / 101},{i % 97 / 97},{i % 101 / 101 + i * i % 89 / 89}" for i in range(20_000)]
    Path(folder, "large.csv").write_text("\n".join(large) + "\n", encoding="utf-8")
    Path(folder, "few.csv").write_text("\n".join(large[:200]) + "\n", encoding="utf-8")


def has_package(python):
    return python.exists() and subprocess.run([python, "-c", "import credens"], cwd="/", capture_output=True, check=False).returncode == 0


def make_pages(program, python, folder):
    environment = dict(os.environ, PYTHON=str(python), LC_ALL="C.UTF-8", PATH=f"{Path(program).resolve().parent}{os.pathsep}{os.environ['PATH']}")
    write_tables(folder)
    pages = PAGES | PYTHON_PAGES if has_package(python) else PAGES
    commands = [f"credens fit few.csv --target y -o large.safetensors {FIT}", *sum(pages.values(), [])]
    for command in commands:
        subprocess.run(["bash", "-c", command], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return [Path(folder, page) for page in pages]


def main(program, modules, venv, pictures=None):
    node, chromium = shutil.which("node"), shutil.which("chromium")
    if not node or not chromium or not Path(modules, "playwright-core").is_dir() or not Path(modules, "axe-core").is_dir():
        print("skipped: this test needs node, chromium, and playwright-core and axe-core in", modules)
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        pages = make_pages(program, Path(venv).absolute() / "bin" / "python", folder)
        chosen = ["--pictures", pictures] if pictures else []
        return subprocess.run([node, HERE / "page_test.mjs", modules, chromium, *chosen, *pages], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

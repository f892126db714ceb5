# SPDX-License-Identifier: Apache-2.0
"""Records what `credens reproduce ... --quick` of version 0.1.0 found, the last one with that verb, as studies.json.

Usage: record_studies.py PROGRAM DATA   DATA: folder with qsar-aquatic-toxicity and yacht

python/tests/test_reproduce.py holds `python -m credens.reproduce` against it. Times are left out.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEYS = ("series", "data", "rows", "members", "method", "metric", "mean", "std", "count")
SMALL = ["--data", "small"]  # what python/tests/uci_data.py writes
CASES = {
    "figure1": ["figure1", "--quick"],
    "figure2": ["figure2", "--quick"],
    "table2": ["table2", "--quick", "--data", "real"],
    "uci": ["uci", "--quick", *SMALL, "--members", "3", "--set", "recipe=paper", "--set", "epochs=10", "--set", "hidden=8,4"],
    "uci_auto": ["uci", "--sets", "yacht,airfoil", "--splits", "0:2", *SMALL, "--members", "4", "--set", "epochs=4"],
}


def record(program, folder, arguments):
    environment = os.environ | {"CREDENS_DATA": "", "XDG_CACHE_HOME": str(folder / "none")}
    command = [program, "reproduce", *arguments, "-o", "out-" + "-".join(arguments[:2]), "--json", "--progress", "none"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return [[result[key] for key in KEYS] for result in json.loads(done.stdout) if result["metric"] != "seconds"]


def main(program, data):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        subprocess.run([sys.executable, "-B", HERE.parents[1] / "python/tests/uci_data.py", folder / "small"], check=True)
        (folder / "real").mkdir()
        for name in ("qsar-aquatic-toxicity", "yacht"):
            (folder / "real" / name).symlink_to(Path(data, name).resolve())
        cases = {name: {"arguments": words, "results": record(program, folder, words)} for name, words in CASES.items()}
    text = json.dumps({"version": "0.1.0", "keys": KEYS, "cases": cases})
    (HERE / "studies.json").write_text(text.replace("[[", "[\n[").replace("], [", "],\n[") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), sys.argv[2])

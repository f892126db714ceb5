# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets from their stored corpus, as many at a time as there are cores, and reports how often each was executed.

Usage: run.py BUILD SECONDS [TARGET...]. What grows stays in BUILD/corpus, what is found in BUILD/finds. Exits 1 after a find, which
belongs, once it is mended, in a unit test and in the folder finds.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
# No input may take more memory than this, nor longer than that.
LIMITS = ["-max_len=65536", "-rss_limit_mb=1024", "-malloc_limit_mb=256", "-timeout=10"]


def targets(build):
    return sorted(file.name.removeprefix("fuzz_") for file in (build / "tests" / "fuzz").glob("fuzz_*") if os.access(file, os.X_OK))


def run(build, target, seconds):
    """(exit status, what it printed)"""
    corpus = build / "corpus" / target
    finds = build / "finds"
    for folder in (corpus, finds):
        folder.mkdir(parents=True, exist_ok=True)
    stored = [folder for folder in (HERE / "corpus" / target, HERE / "finds" / target) if folder.exists()]
    command = [build / "tests" / "fuzz" / f"fuzz_{target}", corpus, *stored, f"-max_total_time={seconds}", "-print_final_stats=1",
               f"-artifact_prefix={finds}/{target}-", *LIMITS]
    environment = dict(os.environ, LC_ALL="C.UTF-8", UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
    process = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", check=False)
    return process.returncode, process.stdout


def last_number(pattern, text):
    return int((re.findall(pattern, text) or ["0"])[-1])


def report(target, status, text):
    executions = last_number(r"number_of_executed_units: *(\d+)", text)
    covered = last_number(r"cov: (\d+)", text)
    kept = last_number(r"corp: (\d+)", text)
    outcome = "ok" if status == 0 else "FOUND SOMETHING"
    print(f"{target:<10} {executions:>12,} executions {covered:>8,} places covered {kept:>8,} inputs kept  {outcome}", flush=True)
    if status != 0:
        print("\n".join(text.splitlines()[-40:]), flush=True)


def main(arguments):
    build, seconds = Path(arguments[0]).resolve(), int(arguments[1])
    known = targets(build)
    wanted = arguments[2:] or known
    if unknown := set(wanted) - set(known):
        sys.exit(f"there is no fuzz target {', '.join(sorted(unknown))}, expected one of {', '.join(known)}")
    outcomes = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for target, (status, text) in zip(wanted, pool.map(lambda target: run(build, target, seconds), wanted)):
            report(target, status, text)
            outcomes.append(status)
    return 1 if any(outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

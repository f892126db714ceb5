# SPDX-License-Identifier: Apache-2.0
"""A fit of a large file in a small address space: how long each part takes, and the most memory that the program had.

Usage: larger_than_memory.py PROGRAM [GIGABYTES [LIMIT]]: a file of 20 GB under a limit of 2 GB. The file is made in TMPDIR and removed.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arrays import INPUTS, write_float_array

GIGABYTE = 10**9
FIT = ["--recipe", "paper", "--members", "2", "--hidden", "16,8", "--epochs", "1", "--batch", "4096", "--progress", "plain"]


def main():
    program = Path(sys.argv[1]).resolve()
    size = float(sys.argv[2] if len(sys.argv) > 2 else 20) * GIGABYTE
    limit = int(float(sys.argv[3] if len(sys.argv) > 3 else 2) * GIGABYTE)
    with tempfile.TemporaryDirectory(prefix="credens-large-") as folder:
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        if free < 1.1 * size:
            sys.exit(f"{folder} has {free / GIGABYTE:.0f} GB free, expected {1.1 * size / GIGABYTE:.0f}: name another TMPDIR")
        table = Path(folder) / "rows.npy"
        start = time.monotonic()
        rows = write_float_array(table, int(size))
        print(f"{rows} rows, {table.stat().st_size / GIGABYTE:.1f} GB, written in {time.monotonic() - start:.0f} s", flush=True)
        start = time.monotonic()
        done = subprocess.run([program, "fit", table, "--target", str(INPUTS), *FIT, "-o", Path(folder) / "model"], check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(f"status {done.returncode} after {time.monotonic() - start:.0f} s; address space limited to {limit / GIGABYTE:.1f} GB, at most "
              f"{most / GIGABYTE:.2f} GB in memory, mapped pages of the file included")
        sys.exit(done.returncode)


main()

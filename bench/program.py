# SPDX-License-Identifier: Apache-2.0
"""Runs of the real program: end-to-end time, and memory as the kernel counts it."""

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.005


@dataclass(frozen=True)
class Run:
    seconds: float
    anonymous_bytes: int  # largest RssAnon seen: what is not backed by a file
    peak_bytes: int  # VmHWM: with mapped files and libraries


def status_bytes(text: str, field: str) -> int:
    """A field of /proc/PID/status; 0 where it is absent, as it is for a process that has just ended."""
    for line in text.splitlines():
        if line.startswith(field + ":"):
            return 1024 * int(line.split()[1])
    return 0


def watched_run(command: list[str | Path]) -> Run:
    """Raises where the program fails."""
    start = time.perf_counter()
    anonymous = peak = 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        text = status.read_text(encoding="utf-8")
        anonymous = max(anonymous, status_bytes(text, "RssAnon"))
        peak = max(peak, status_bytes(text, "VmHWM"))
        time.sleep(POLL_SECONDS)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: {process.stderr.read().strip()}")
    return Run(seconds, anonymous, peak)


def timed_run(command: list[str | Path]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def fit_command(program: Path, table: Path, folder: Path, **options: object) -> list[str | Path]:
    flags = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return [program, "fit", table, "--recipe", "paper", "--target", "0", "-o", folder / "bench_model.safetensors", "--progress", "none", *flags]

# SPDX-License-Identifier: Apache-2.0
"""Contenders as child processes that wait for windows to run; start-up and imports lie outside of what is measured."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

# glibc gives big blocks back to the system at every free, and torch pays for it; this lets it keep them.
PATIENT_MALLOC = {"MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TOP_PAD_": "67108864"}


# Debian's torch does not hand its number of threads on to OpenBLAS, which would take all cores where one is asked for.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
TORCH_ENVIRONMENT = {**PATIENT_MALLOC, **ONE_THREAD}


class Absent(Exception):
    """Why a contender cannot take part."""


@dataclass(frozen=True)
class Window:
    seconds: float
    work: float
    check: float

    @property
    def speed(self) -> float:
        return self.work / self.seconds


def format_request(task: str, request: dict[str, object], seconds: float) -> str:
    words = [task, *(f"{name}={value}" for name, value in request.items()), f"seconds={seconds}"]
    return " ".join(words)


def parse_answer(line: str) -> Window:
    if not line:
        raise Absent("it ended without an answer")
    if line.startswith("absent:"):
        raise Absent(line.removeprefix("absent:").strip())
    try:
        seconds, work, check = map(float, line.split())
    except ValueError:
        raise Absent(f"it answered {line.strip()!r}") from None
    return Window(seconds, work, check)


class Contender:
    """Started when it is first asked."""

    def __init__(self, command: list[str | Path], environment: dict[str, str] | None = None, absent: str = "") -> None:
        self.command, self.environment, self.absent = command, environment or {}, absent
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        if self.process is None:
            environment = {**os.environ, **self.environment}
            try:
                self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                stderr=subprocess.DEVNULL, text=True, env=environment)  # fmt: skip
            except OSError as error:
                self.absent = str(error)
                raise Absent(self.absent) from None
        return self.process

    def ask(self, task: str, request: dict[str, object], seconds: float) -> Window:
        if self.absent:
            raise Absent(self.absent)
        process = self.start()
        try:
            print(format_request(task, request, seconds), file=process.stdin, flush=True)
            return parse_answer(process.stdout.readline())
        except BrokenPipeError:
            self.absent = "it ended early"
            raise Absent(self.absent) from None

    def clear(self) -> None:
        if self.process is not None and self.process.poll() is None:
            print("clear", file=self.process.stdin, flush=True)

    def close(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()


def first_line_of(command: list[str | Path]) -> str:
    """What a command says, or Absent."""
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise Absent(str(error)) from None
    if result.returncode != 0:
        raise Absent((result.stderr.strip().splitlines() or ["it fails without a word"])[-1])
    return result.stdout.strip()


def probed(probe: list[str | Path], command: list[str | Path], environment: dict[str, str] | None = None) -> Contender:
    try:
        first_line_of(probe)
    except Absent as why:
        return Contender(command, environment, str(why))
    return Contender(command, environment)


def python_contender(python: str, module: str, script: Path, environment: dict[str, str] | None = None) -> Contender:
    return probed([python, "-c", f"import {module}"], [python, "-B", script], environment)


def make_contenders(build: Path, node_folder: Path, peer_python: str | None) -> dict[str, Contender]:
    here = Path(__file__).resolve().parent
    debian_python = "/usr/bin/python3"
    libtorch = build / "bench" / "libtorch_bench"
    onnx_probe = ["node", "-e", f"require('{node_folder}/node_modules/onnxruntime-node')"]
    no_peer = Contender([], absent="no --peer-python was given")
    return {
        "credens": Contender([build / "bench" / "credens_bench"]),
        "torch": python_contender(debian_python, "torch", here / "torch_bench.py", TORCH_ENVIRONMENT),
        "libtorch": Contender([libtorch], TORCH_ENVIRONMENT, "" if libtorch.exists() else "libtorch-dev is not here or did not build"),
        "onnx": probed(onnx_probe, ["node", here / "ort_bench.mjs", node_folder]),
        "pandas": python_contender(debian_python, "pandas", here / "pandas_bench.py"),
        "peer": python_contender(peer_python, "torch", here / "torch_bench.py", TORCH_ENVIRONMENT) if peer_python else no_peer,
    }


def version_of(command: list[str]) -> str:
    try:
        return first_line_of(command)
    except Absent as why:
        return f"absent: {why}"


def versions(node_folder: Path, peer_python: str | None) -> dict[str, str]:
    def python_version(python: str, module: str) -> str:
        return version_of([python, "-c", f"import {module}; print({module}.__version__)"])

    package = f"{node_folder}/node_modules/onnxruntime-node/package.json"
    found = {
        "torch": python_version("/usr/bin/python3", "torch"),
        "pandas": python_version("/usr/bin/python3", "pandas"),
        "onnxruntime-node": version_of(["node", "-p", f"require('{package}').version"]),
    }
    return {**found, "peer torch": python_version(peer_python, "torch")} if peer_python else found

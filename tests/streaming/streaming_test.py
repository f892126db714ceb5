# SPDX-License-Identifier: Apache-2.0
"""Verbs that read rows do so in memory that does not grow with them: the most that a run over many rows had in memory is held against a run
over an eighth of them, and an address space is enough that could not hold the rows' values.

Usage: streaming_test.py PROGRAM [ROWS]
"""

import array
import gzip
import os
import resource
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from instants import sampled  # noqa: E402

PROGRAM = Path(sys.argv[1]).resolve()
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_200_000  # more than are held for an exact median
PIECE = 10_000
FEW = ROWS // 8 // PIECE * PIECE
BASIS = 450 * 10**6  # address space of the program, its threads and its blocks
MEGABYTE = 10**6
# 24 bytes for each of 2^20 rows in five sets: classical and extended for AUROC and for risk, and risk by ignorance; one of them while it grows.
EXACT_RANKS = 165 * MEGABYTE
EXACT_FOREIGN_RANKS = 40 * MEGABYTE  # 72 bytes for each of 2^20 / 3 rows, while one of three sets grows
DRAWS_AT_ONCE = 130 * MEGABYTE  # all would be 390
EXACT_MEDIAN = 88 * MEGABYTE  # two times 2^20 ratios and their weights, in vectors that grow
BEFORE_THE_DISK = 92 * MEGABYTE  # of an array that cannot be mapped, 64 MiB are held
KEPT_WORDS = 40 * MEGABYTE  # of a window; all would be 100
WIDE = 24  # columns of that array: 230 MB


def write_table(path, rows):
    """Inputs, a target and a weight; the same piece again and again."""
    piece = "".join(f"{i * 37 % 101 / 101:.4f},{i * 59 % 97 / 97:.4f},{i * i % 1009 / 1009:.4f},{1 + i % 3}\n" for i in range(PIECE))
    with open(path, "w", encoding="ascii") as file:
        file.write("a,b,y,w\n")
        for _ in range(rows // PIECE):
            file.write(piece)
    return path


def write_array(file, rows):
    """An .npy file; the same piece again and again."""
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {WIDE}), }}\n".encode()
    piece = array.array("d", (i * 37 % 101 / 101 for i in range(PIECE * WIDE))).tobytes()
    file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    for _ in range(rows // PIECE):
        file.write(piece)


@sampled(5)
class Streaming(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="credens-streaming-")
        cls.addClassCleanup(place.cleanup)
        cls.folder = Path(place.name)
        cls.tables = {rows: write_table(cls.folder / f"{rows}.csv", rows) for rows in (PIECE, FEW, ROWS)}
        cls.run_program(["fit", cls.tables[PIECE], "--target", "y", "--weight", "w", "--recipe", "paper", "--members", "3", "--hidden", "8",
                         "--epochs", "1", "--progress", "none", "-o", cls.folder / "model"])

    @classmethod
    def run_program(cls, words, stdin=None, limit=None):
        """The most bytes that it had in memory."""
        def confine():
            if limit:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        environment = dict(os.environ, MALLOC_ARENA_MAX="2")
        with open(cls.folder / "complaints", "w+b") as complaints, open(stdin or os.devnull, "rb") as given:
            process = subprocess.Popen([PROGRAM, *map(str, words)], stdin=given, stdout=subprocess.DEVNULL, stderr=complaints,
                                       env=environment, preexec_fn=confine)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            complaints.seek(0)
            if process.returncode != 0:
                raise AssertionError(f"{words}: status {process.returncode}: {complaints.read().decode()}")
        return usage.ru_maxrss * 1024

    def check(self, words, stdin=None, per_row=0, constant=24 * MEGABYTE):
        """`words` for a number of rows; `per_row` bytes are allowed, and a constant for buffers that few rows do not fill."""
        few = self.run_program(words(FEW), stdin and stdin(FEW))
        many = self.run_program(words(ROWS), stdin and stdin(ROWS), limit=BASIS + per_row * ROWS)
        growth = many - few - per_row * (ROWS - FEW)
        print(f"{words(ROWS)[0]}: {few / MEGABYTE:.0f} MB with {FEW} rows, {many / MEGABYTE:.0f} MB with {ROWS}", flush=True)
        self.assertLess(growth, constant, words(ROWS))

    def model(self, verb, *options, table=None):
        return lambda rows: [verb, self.folder / "model", (table or self.tables)[rows], *options]

    def test_pack(self):
        self.check(lambda rows: ["pack", self.tables[rows], "-o", self.folder / "out.npy", "--progress", "none"])

    def test_pack_an_archive_from_standard_input(self):
        packed = {}
        for rows in (FEW, ROWS):
            packed[rows] = self.folder / f"{rows}.gz"
            packed[rows].write_bytes(gzip.compress(self.tables[rows].read_bytes(), 1))
        self.check(lambda rows: ["pack", "-", "-o", self.folder / "out.npy", "--progress", "none"], stdin=packed.get)

    def test_pack_an_array_in_an_archive_or_from_standard_input(self):
        packed = {rows: self.folder / f"{rows}.npy.gz" for rows in (FEW, ROWS)}
        plain = {rows: self.folder / f"{rows}.wide" for rows in (FEW, ROWS)}
        for rows in (FEW, ROWS):
            with gzip.open(packed[rows], "wb", 1) as archive, open(plain[rows], "wb") as file:
                write_array(archive, rows)
                write_array(file, rows)
        out = ["-o", self.folder / "out.npy", "--progress", "none"]
        self.check(lambda rows: ["pack", packed[rows], *out], constant=BEFORE_THE_DISK)
        self.check(lambda rows: ["pack", "-", *out], stdin=plain.get, constant=BEFORE_THE_DISK)

    def test_predict(self):
        self.check(self.model("predict", "-o", self.folder / "out.csv"))
        self.check(self.model("predict", "-o", self.folder / "out.npy", "--interval", "mixture"))

    def test_predict_keeps_words(self):
        """Every row has its own."""
        tables = {}
        for rows in (FEW, ROWS):
            tables[rows] = self.folder / f"{rows}.words.csv"
            with open(self.tables[rows], encoding="ascii") as plain, open(tables[rows], "w", encoding="ascii") as named:
                named.write("name," + next(plain))
                named.writelines(f"the sample with the number {i},{line}" for i, line in enumerate(plain))
        self.check(self.model("predict", "--keep", "name", "-o", self.folder / "out.csv", table=tables), constant=KEPT_WORDS)

    def answers(self, lines, ends, *words):
        """Lines that predict has answered, each piece of `lines` before the next one is sent."""
        process = subprocess.Popen([PROGRAM, "predict", self.folder / "model", "-", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        deadline = threading.Timer(120, process.kill)
        deadline.start()
        answers = []
        with process:
            for first, end in zip([0, *ends], ends):
                process.stdin.write(b"".join(lines[first:end]))
                process.stdin.flush()
                answers += [process.stdout.readline() for _ in range(first, end)]
            process.stdin.close()
            self.assertEqual(process.stdout.read(), b"")
        deadline.cancel()
        self.assertEqual(process.returncode, 0)
        return b"".join(answers)

    def test_predict_answers_before_the_pipe_is_closed(self):
        lines = self.tables[PIECE].read_bytes().splitlines(keepends=True)
        self.run_program(["predict", self.folder / "model", self.tables[PIECE], "-o", self.folder / "out.csv"])
        expected = (self.folder / "out.csv").read_bytes()
        ends = [*range(1000, len(lines), 1000), len(lines)]  # what a pipe holds
        self.assertEqual(self.answers(lines, [51, 52, 53, *ends]), expected)
        self.assertEqual(self.answers(lines, [2, 3, 4, *ends], "--header", "yes", "--delimiter", ","), expected)

    def test_predict_an_array(self):
        arrays = {rows: self.folder / f"{rows}.npy" for rows in (FEW, ROWS)}
        for rows, array in arrays.items():
            self.run_program(["pack", self.tables[rows], "-o", array])
        self.check(self.model("predict", "-o", self.folder / "out.npy", table=arrays))

    def test_evaluate(self):
        self.check(self.model("evaluate", "--weight", "w"), constant=EXACT_MEDIAN)

    def test_sample(self):
        self.check(self.model("sample", "--draws", "40", "--of", "observation", "-o", self.folder / "out.npy"), constant=DRAWS_AT_ONCE)

    def test_widen(self):
        self.check(self.model("widen", "--weight", "w", "-o", self.folder / "wide"), per_row=16)

    def test_outputs_and_what_reads_them(self):
        arrays = {rows: self.folder / f"arrays-{rows}" for rows in (FEW, ROWS)}
        self.check(lambda rows: ["outputs", self.folder / "model", self.tables[rows], "--weight", "w", "-o", arrays[rows]])
        self.check(lambda rows: ["widen", "--outputs", arrays[rows], "-o", self.folder / "foreign"])
        foreign = self.folder / "foreign"
        self.check(lambda rows: ["predict", foreign, "--outputs", arrays[rows], "-o", self.folder / "out.npy"])
        self.check(lambda rows: ["evaluate", foreign, "--outputs", arrays[rows]], constant=EXACT_MEDIAN)
        self.check(lambda rows: ["sample", foreign, "--outputs", arrays[rows], "--draws", "40", "-o", self.folder / "out.npy"],
                   constant=DRAWS_AT_ONCE)

    def test_report(self):
        self.check(self.model("report", "-o", self.folder / "out.html"), per_row=200)

    def test_report_of_classes(self):
        """Ranks of rows are exact up to 2^20 values, which the smaller table does not have."""
        tables = {}
        for rows in (PIECE, FEW, ROWS):
            tables[rows] = self.folder / f"{rows}.classes.csv"
            with open(self.tables[rows], encoding="ascii") as numbers, open(tables[rows], "w", encoding="ascii") as named:
                named.write("kind," + next(numbers))
                named.writelines(("low," if line.split(",", 2)[1] < "0.5" else "high,") + line for line in numbers)
        self.run_program(["fit", tables[PIECE], "--target", "kind", "--inputs", "a,b", "--recipe", "paper", "--members", "3", "--hidden", "8",
                          "--epochs", "1", "--progress", "none", "-o", self.folder / "classes"])
        report = lambda rows: ["report", self.folder / "classes", tables[rows], "--weight", "w", "-o", self.folder / "out.html"]  # noqa: E731
        self.check(report, constant=EXACT_RANKS)
        self.check(lambda rows: [*report(rows), "--foreign", tables[rows]], constant=EXACT_RANKS + EXACT_FOREIGN_RANKS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-License-Identifier: Apache-2.0
"""Attacks from outside on the command line: whatever it is given ends in time, within memory, in a documented status and in one sentence
that no terminal obeys. A run tries a sample of each family of cases, another one each time, and all of them with CREDENS_TORTURE=1.

Usage: attack_test.py PROGRAM
"""

import contextlib
import copy
import gzip
import json
import lzma
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "golden")]
import many  # noqa: E402
from damage import Model  # noqa: E402
from instants import TORTURE, random_source  # noqa: E402

PROGRAM = Path(sys.argv.pop(1)).resolve()
SECONDS = 60
MEMORY = 600 * 10**6  # of the largest attack, which is 64 MiB in one line
DATA, MODEL, IO = 3, 4, 5
SMALL_FIT = ["fit", "t.csv", "--target", "y", "--recipe", "paper", "--hidden", "4", "--epochs", "1", "--progress", "none", "--threads", "1"]
DIRECTIONS = [0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
CONTROLS = [chr(point) for point in [*range(1, 0x20), *range(0x7F, 0xA0), *DIRECTIONS]]
RANDOM = random_source()


def obeyed(text):
    """What a terminal would obey."""
    return sorted({character for character in text if character in CONTROLS and character != "\n"})


def some(cases, count):
    cases = list(cases)
    return cases if TORTURE else RANDOM.sample(cases, min(count, len(cases)))


class Ended:
    def __init__(self, process, seconds, usage, out, complaints):
        self.status, self.seconds, self.memory = process.returncode, seconds, usage.ru_maxrss * 1024
        self.cpu = usage.ru_utime + usage.ru_stime
        self.out, self.complaints = out, complaints


class Attacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="credens-attack-")
        cls.addClassCleanup(place.cleanup)
        cls.folder = Path(place.name)
        rows = "".join(f"{i % 7},{i % 5},{i % 7 + 2 * (i % 5)}\n" for i in range(40))
        (cls.folder / "t.csv").write_text("a,b,y\n" + rows, encoding="ascii")
        cls.must("fit", "t.csv", "--target", "y", "--recipe", "paper", "--members", "2", "--hidden", "4", "--epochs", "1", "-o", "m")
        cls.model = (cls.folder / "m").read_bytes()

    @classmethod
    def run_program(cls, *words, before=None):
        with open(cls.folder / "out", "w+b") as out, open(cls.folder / "complaints", "w+b") as complaints:
            start = time.monotonic()
            process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=complaints, cwd=cls.folder,
                                       preexec_fn=before)
            while time.monotonic() - start < SECONDS:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    break
                time.sleep(0.002)
            else:
                process.kill()
                _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            texts = []
            for file in (out, complaints):
                file.seek(0)
                texts.append(file.read().decode("utf-8", errors="surrogateescape"))
        return Ended(process, time.monotonic() - start, usage, *texts)

    @classmethod
    def must(cls, *words):
        ended = cls.run_program(*words)
        if ended.status != 0:
            raise AssertionError(f"{words}: status {ended.status}: {ended.complaints}")
        return ended

    def put(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def check(self, ended, statuses, what, is_table=False):
        """One sentence, shown and not obeyed, and a status that is expected. Tables are exact where no terminal shows them."""
        self.assertIn(ended.status, statuses, f"{what}: {ended.complaints[:500]}")
        self.assertEqual(obeyed(ended.complaints + ("" if is_table else ended.out)), [], what)
        self.assertLess(ended.memory, MEMORY, what)
        if ended.status != 0:
            lines = [line for line in ended.complaints.splitlines() if ": warning: " not in line]
            self.assertEqual(len(lines), 1, f"{what}: {ended.complaints[:500]}")
            self.assertTrue(lines[0].startswith("credens"), what)

    def try_all(self, family, cases, sample):
        chosen = some(cases, sample)
        for case in chosen:
            with self.subTest(family=family, case=str(case[0])[:80]):
                case[1]()
        print(f"{family}: {len(chosen)} of {len(list(cases))} cases tried", flush=True)

    # ---- what is shown ----

    def names(self, text):
        """Where a text from outside may come to a terminal."""
        self.put("hostile.csv", f"a,{text},y\n1,2,3\n2,1,4\n3,3,5\n4,1,7\n")
        yield "verb", (text,), {2}
        yield "absent file", ("inspect", f"x{text}"), {IO}
        yield "option", ("fit", "t.csv", f"--{text}"), {2}
        yield "value", ("fit", "t.csv", "--target", text, "-o", "new"), {2, DATA}
        yield "column", ("fit", "hostile.csv", "--target", "y", "--recipe", "paper", "--members", "1", "--epochs", "1", "-o", "new"), {0, DATA}
        yield "output", ("fit", "t.csv", "--target", "y", "--recipe", "paper", "--members", "1", "--epochs", "1", "-o", f"new{text}"), {0}

    def test_nothing_is_shown_raw(self):
        def attack(control, place):
            def run():
                words, statuses = {name: (words, statuses) for name, words, statuses in self.names(f"q{control}z")}[place]
                self.check(self.run_program(*words), statuses, (place, hex(ord(control))))
                if place == "column" and ord(control) >= 0x80:
                    self.check(self.run_program("inspect", "new"), {0}, ("inspect", hex(ord(control))))
                    exact = json.loads(self.must("inspect", "new", "--json").out)
                    self.assertEqual(exact["inputs"][1], f"q{control}z")
            return run

        places = [name for name, _, _ in self.names("q")]
        cases = [(f"{place} U+{ord(control):04X}", attack(control, place)) for control in CONTROLS for place in places]
        self.try_all("nothing is shown raw", cases, 12)

    def test_a_terminal_shows_tables_escaped(self):
        model = Model(self.model)
        model.document["targets"]["names"] = ["q\u202e\u009b2Jz"]
        self.put("named", model.content())
        self.assertIn("q\u202e\u009b2Jz_mean", self.must("predict", "named", "t.csv").out)
        ours, theirs = os.openpty()
        with subprocess.Popen([PROGRAM, "predict", "named", "t.csv"], cwd=self.folder, stdout=theirs) as process:
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # how a terminal says that it was left
                while piece := os.read(ours, 65536):
                    shown += piece
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertIn("q\\u202e\\u009b2Jz_mean", shown.decode())
        self.assertEqual(obeyed(shown.decode().replace("\r\n", "\n")), [])

    # ---- what is read ----

    def test_first_lines_that_mix_numbers_and_words(self):
        def attack(line):
            def run():
                table = self.put("mixed.csv", line + "\n" + "4,5,6\n" * 30)
                ended = self.run_program("fit", table, "--target", "2", "--recipe", "paper", "--epochs", "1", "-o", "new")
                self.check(ended, {DATA}, line)
                self.assertIn("yes|no" if "1.5" not in line else "set header to yes", ended.complaints)
            return run

        slips = ["2x", "x2", "1..2", "--3", "l", "O", "1 2", "2k"]
        lines = [",".join(line) for slip in slips for line in (("1", slip, "3"), (slip, "2", "3"), ("1", "2", slip), ("1.5", slip, "3"))]
        self.try_all("first lines with a slip", [(line, attack(line)) for line in lines], 4)

    def test_much_out_of_little(self):
        size = (1 << 30) if TORTURE else (80 << 20)

        def attack(pattern, pack):
            def run():
                piece = pattern * ((1 << 20) // len(pattern))
                bomb = self.put("bomb", pack(b"a,b,y\n" + piece * (size >> 20)))
                for words in (("fit", bomb, "--target", "y", "-o", "new"), ("predict", "m", bomb), ("pack", bomb, "-o", "new.npy")):
                    self.check(self.run_program(*words), {DATA, 2}, (pattern[:8], words[0]))
            return run

        patterns = {"commas": b",", "zeros": b"\0", "ones": b"1", "blanks": b" ", "letters": b"w", "quotes": b'"', "quoted commas": b'",'}
        packers = {"gzip": lambda text: gzip.compress(text, 1), "xz": lambda text: lzma.compress(text, preset=0)}
        cases = [(f"{pattern} {kind}", attack(patterns[pattern], packers[kind])) for pattern in patterns for kind in packers]
        self.try_all("much out of little", cases, 2)

    def test_things_that_are_no_files(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "nowhere").symlink_to("absent")
        things = ["pipe", "/dev/zero", "/dev/null", "/dev/full", "loop", "nowhere", "."]
        verbs = {"inspect": lambda thing: ("inspect", thing), "predict": lambda thing: ("predict", thing, "t.csv"),
                 "merge": lambda thing: ("merge", thing, "-o", "new"),
                 "config": lambda thing: ("fit", "t.csv", "--config", thing, "-o", "new"),
                 "table": lambda thing: ("fit", thing, "--target", "y", "-o", "new")}
        cases = [(f"{verb} {thing}", lambda words=verbs[verb](thing), what=(verb, thing): self.check(self.run_program(*words), {IO}, what))
                 for verb in verbs for thing in things if thing != "pipe" or verb not in ("config", "table")]
        self.try_all("things that are no files", cases, 6)

    def test_things_in_folders_that_are_no_files(self):
        self.must("outputs", "m", "t.csv", "-o", "arrays")
        fit = (*SMALL_FIT, "--members", "2", "-o", "new", "--checkpoint")
        self.must(*fit, "kept")
        things = {"pipe": os.mkfifo, "device": lambda path: path.symlink_to("/dev/zero"), "loop": lambda path: path.symlink_to(path.name)}

        def attack(folder, name, make, words):
            def run():
                shutil.rmtree(self.folder / "tampered", ignore_errors=True)
                shutil.copytree(self.folder / folder, self.folder / "tampered")
                (self.folder / "tampered" / name).unlink()
                make(self.folder / "tampered" / name)
                self.check(self.run_program(*words), {DATA, IO}, (folder, name))
            return run

        verbs = {"arrays": ("widen", "--outputs", "tampered", "-o", "new"), "kept": (*fit, "tampered", "--resume")}
        cases = [(f"{folder}/{file.name} a {thing}", attack(folder, file.name, make, words)) for folder, words in verbs.items()
                 for file in sorted((self.folder / folder).iterdir()) for thing, make in things.items()]
        self.try_all("things in folders that are no files", cases, 4)

    def test_sizes_beyond_the_bounds(self):
        self.must("outputs", "m", "t.csv", "-o", "large")
        nested, crowded = Model(self.model), Model(self.model)
        nested.document["decisions"] = [[[[[[[[[]]]]]]]]]
        crowded.document["total_members"] = 100_001
        fit, megabyte = ("--target", "y", "-o", "new"), 1 << 20
        sizes = {
            "configuration": ("c.toml", "#" * (megabyte + 1), ("fit", "t.csv", "--config", "c.toml", *fit), IO, "larger than is allowed"),
            "outputs.json": ("large/outputs.json", " " * (64 * megabyte + 1), ("widen", "--outputs", "large", "-o", "new"), IO, "larger than is"),
            "field": ("f.csv", "a," + "w" * (megabyte + 1) + ",y\n1,2,3\n", ("fit", "f.csv", *fit), DATA, "more than 1 MiB"),
            "line": ("l.csv", ",".join(["1" * (megabyte - 1)] * 65) + "1\n", ("fit", "l.csv", *fit), DATA, "more than 64 MiB"),
            "fields": ("n.csv", "," * 1_000_001 + "\n1\n", ("fit", "n.csv", *fit), DATA, "more than 1000000 fields"),
            "levels": ("deep", nested.content(), ("inspect", "deep"), MODEL, "nested deeper than 8 levels"),
            "members": ("many", crowded.content(), ("inspect", "many"), MODEL, "100001 members"),
            "header": ("header", (100_000_001).to_bytes(8, "little") + b"{" + b" " * 100_000_000, ("inspect", "header"), MODEL, "header"),
        }

        def attack(name, content, words, status, sentence):
            def run():
                self.put(name, content)
                ended = self.run_program(*words)
                self.check(ended, {status}, name)
                self.assertIn(sentence, ended.complaints)
            return run

        self.try_all("sizes beyond the bounds", [(what, attack(*size)) for what, size in sizes.items()], 3)

    # ---- numbers ----

    def test_scales_that_doubles_can_hold_or_not(self):
        """The same answer in other units, or a sentence."""
        rows = [(i % 7, (i * i) % 5, i % 7 + 2 * ((i * i) % 5)) for i in range(40)]

        def error_of(scale, column):
            text = "".join(",".join(repr(float(value) * (scale if k == column else 1)) for k, value in enumerate(row)) + "\n" for row in rows)
            table = self.put("scaled.csv", "a,b,y\n" + text)
            ended = self.run_program("fit", table, *SMALL_FIT[2:], "--members", "2", "-o", "scaled")
            self.check(ended, {0, DATA}, (scale, column))
            if ended.status == DATA:
                self.assertRegex(ended.complaints, "expected other units|choose another unit")
                return None
            return json.loads(self.must("evaluate", "scaled", table, "--json").out)["rmse_standardised"]

        expected = error_of(1, 0)

        def attack(exponent, column):
            def run():
                found = error_of(2.0**exponent, column)
                self.assertIn(found, (expected, None))
                self.assertEqual(found is None, abs(exponent) > 450)
            return run

        cases = [(f"2^{exponent} in column {column}", attack(exponent, column)) for column in (0, 2)
                 for exponent in (-1060, -1000, -600, -530, -400, -100, 100, 400, 530, 600, 1000, 1018)]
        self.try_all("scales", cases, 4)

    def test_constant_targets(self):
        complaints = set()
        for rows in (1_000, 100_000):
            table = self.put("constant.csv", "a,b,y\n" + "".join(f"{i % 7},{i % 5},3\n" for i in range(rows)))
            complaints.add(self.must("fit", table, *SMALL_FIT[2:], "--members", "1", "-o", "constant").complaints)
        self.assertEqual(complaints, {"credens: warning: a target is constant: y\n"})

    # ---- models ----

    def leaves(self, value, path=()):
        yield path
        items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
        for key, item in items:
            yield from self.leaves(item, (*path, key))

    def test_documents_with_another_value(self):
        values = [None, True, -1, 0, 2**64 - 1, 1e308, 5e-324, "", "\x1b[2J", "\u202e", [], {}, [[]] * 3, {"a": 1}, "x" * 100_000]
        document = Model(self.model).document

        def attack(path, value):
            def run():
                model = Model(self.model)
                place = model.document = copy.deepcopy(document)
                for key in path[:-1]:
                    place = place[key]
                place[path[-1]] = value
                file = self.put("hostile", model.content())
                for words in (("inspect", file), ("predict", file, "t.csv")):
                    self.check(self.run_program(*words), {0, 2, DATA, MODEL}, (path, str(value)[:20], words[0]), words[0] == "predict")
            return run

        paths = [path for path in self.leaves(document) if path]
        cases = [(f"{path} = {str(value)[:20]}", attack(path, value)) for path in paths for value in values]
        self.try_all("documents with another value", cases, 20)

    def test_loading_takes_time_in_proportion(self):
        """Processor time, the least of three runs."""
        few, times = (1_000, 100) if TORTURE else (1_000, 8)

        def attack(make, statuses):
            def run():
                seconds = []
                for count in (few, few * times):
                    file = self.put("many", make(self.model, count).content())
                    runs = [self.run_program("inspect", file) for _ in range(3)]
                    for ended in runs:
                        self.assertIn(ended.status, statuses, ended.complaints[:500])
                    seconds.append(min(ended.cpu for ended in runs))
                print(f"{make.__name__}: {seconds[0]:.3f} s with {few}, {seconds[1]:.3f} s with {few * times}", flush=True)
                self.assertLess(seconds[1], 2 * times * max(seconds[0], 0.005))
            return run

        cases = [(what, attack(make, {status})) for what, (make, status) in many.KINDS.items()]
        self.try_all("loading in proportion", cases, 1)

    # ---- writers and ends ----

    def long_fit(self, *words):
        process = subprocess.Popen([PROGRAM, "fit", "t.csv", "--target", "y", "--recipe", "paper", "--epochs", "1000000", "--members", "2", *words],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + SECONDS
        while not list(self.folder.glob(".credens-*.lock")) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        return process

    def test_one_writer(self):
        first = self.long_fit("-o", "one", "--checkpoint", "members")
        short = ("fit", "t.csv", "--target", "y", "--recipe", "paper", "--epochs", "1", "--members", "1")
        for words in (("-o", "one"), ("-o", "./one", "--checkpoint", "other"), ("-o", "two", "--checkpoint", "members")):
            ended = self.run_program(*short, *words)
            self.check(ended, {2}, words)
            self.assertIn("another process is writing it", ended.complaints)
        first.kill()
        first.wait()
        self.must(*short, "-o", "one")
        self.must(*short, "-o", "two", "--checkpoint", "members")
        self.assertEqual(list(self.folder.glob(".credens-*")), [])

    def test_many_writers(self):
        """Each of many fits that start at once writes the model, or says that another process does."""
        words = (*SMALL_FIT, "--members", "2", "-o", "crowd")
        self.must(*words[:-1], "alone")
        count = 60 if TORTURE else 8
        fits = [subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True) for _ in range(count)]  # fmt: skip
        ended = [(fit.communicate(timeout=SECONDS)[1], fit.returncode) for fit in fits]
        for complaint, status in ended:
            self.assertIn(status, {0, 2}, complaint)
            self.assertEqual("another process is writing it" in complaint, status == 2, complaint)
        self.assertIn(0, [status for _, status in ended])
        self.assertEqual((self.folder / "crowd").read_bytes(), (self.folder / "alone").read_bytes())
        self.assertEqual(list(self.folder.glob(".credens-*")), [])
        print(f"many writers: {count} fits at once, {sum(status == 0 for _, status in ended)} wrote the model", flush=True)

    def test_signals_that_end(self):
        for word in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process = self.long_fit("-o", f"ended{word}")
            process.send_signal(word)
            self.assertEqual(process.wait(SECONDS), 130)
            self.assertEqual(list(self.folder.glob(".credens-*")), [])

    def test_files_that_may_not_grow(self):
        def confine():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        out = self.folder / "confined"
        process = subprocess.run([PROGRAM, "predict", "m", "t.csv", "-o", out], cwd=self.folder, capture_output=True, preexec_fn=confine,
                                 check=False)
        self.assertEqual((process.returncode, process.stderr.decode()), (IO, f"credens: {out}: cannot write: larger than is allowed\n"))
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()

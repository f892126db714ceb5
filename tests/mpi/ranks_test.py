# SPDX-License-Identifier: Apache-2.0
"""Any number of ranks gives the bytes of one process: fit, widen and evaluate; what is wrong is said once, with the right status."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from ranks import MEMBERS, MESSAGES, MODULE, MPIRUN, PROGRAM, TABLES, TORTURE, OneFit, Ranks, main, npy_bytes, row, said_by_us, sampled, sha256

MORE_THAN_MEMBERS = MEMBERS + 2
FIT = ["--target", "2", "--recipe", "paper", "--epochs", "2", "--members", "2", "--hidden", "8", "--progress", "none"]


class SameBytes(Ranks):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fits = {recipe: OneFit(PROGRAM, cls.folder, recipe) for recipe in ("paper", "auto")}
        cls.expected = {recipe: fit.sha256(recipe, "--threads", 1) for recipe, fit in cls.fits.items()}

    def test_fit(self):
        every = [(ranks, table, recipe) for ranks in (2, 3, 4, MORE_THAN_MEMBERS) for table in TABLES for recipe in self.fits]
        some = [(2, "train.csv", "auto"), (3, "train.npy", "paper"), (4, "train.csv.gz", "auto"), (MORE_THAN_MEMBERS, "train.csv", "paper")]
        for ranks, table, recipe in every if TORTURE else some:
            with self.subTest(ranks=ranks, table=table, recipe=recipe):
                fit = self.fits[recipe]
                self.run_ranks(ranks, *fit.words("model", table=table)[1:])
                self.assertEqual(sha256(self.folder / "model"), self.expected[recipe])
                self.assertFalse((self.folder / "model.checkpoint").exists())

    def test_widen(self):
        for posterior in ("full", "diagonal"):
            words = ["widen", self.folder / "paper", "train.csv", "--target", "2", "--posterior", posterior, "--lambda", "evidence"]
            self.run_alone(*words, "-o", "alone")
            for ranks in (2, 3, 4) if TORTURE else (3,):
                self.run_ranks(ranks, *words, "-o", "together")
                self.assertEqual(sha256(self.folder / "together"), sha256(self.folder / "alone"), f"{posterior}, {ranks} ranks")

    def test_evaluate(self):
        words = ["evaluate", self.folder / "auto", "train.csv", "--target", "2", "--json"]
        expected = self.run_alone(*words)
        for ranks in (2, 3, 4) if TORTURE else (3,):
            self.assertEqual(self.run_ranks(ranks, *words)[0], expected)

    def test_classes(self):
        """Fit and evaluate, also with foreign rows."""
        lines = [f"{a},{b},{'abc'[min(2, int(3 * a))]}\n" for a, b, *_ in map(row, range(90))]
        (self.folder / "classes.csv").write_text("x,w,kind\n" + "".join(lines))
        fit = ["fit", "classes.csv", "--target", "kind", "--effort", "quick", "--members", 6, "--epochs", 3, "--hidden", 4, "--progress", "none"]
        words = ["evaluate", "alone", "classes.csv", "--foreign", "classes.csv", "--json"]
        self.run_alone(*fit, "-o", "alone")
        expected = self.run_alone(*words)
        for ranks in (2, 3, 4) if TORTURE else (3,):
            self.run_ranks(ranks, *fit, "-o", "together")
            self.assertEqual(sha256(self.folder / "together"), sha256(self.folder / "alone"))
            self.assertEqual(self.run_ranks(ranks, *words)[0], expected)

    def test_words_dates_and_groups(self):
        """A table with words, a rare one, dates, missing cells, copies and groups: fit, widen and evaluate, also with words that are new."""
        def line(i):
            colour = "" if i % 11 == 0 else "mauve" if i == 50 else ["red", "blue", "green"][i % 3]
            when = f"2024-0{1 + i % 9}-{1 + i * 7 % 28:02}T{i % 24:02}:30Z"
            return f"p{i // 6},{'NA' if i % 7 == 0 else row(i % 110)[0]},{colour},{when},{row(i)[3]}\n"
        header = "who,x,colour,when,y\n"
        (self.folder / "mixed.csv").write_text(header + "".join(map(line, range(120))))
        (self.folder / "later.csv").write_text(header + "".join(line(i).replace("red", "pink") for i in range(120, 160)))
        every = {("--categories", "who"): (2, 4), ("--group", "who"): (4,), ("--time", "when"): (2,)}
        for options, some in every.items():
            fit = ["fit", "mixed.csv", "--target", "y", *options, "--effort", "quick", "--members", 6, "--epochs", 3, "--hidden", 4, "--progress", "none"]
            self.run_alone(*fit, "-o", "alone")
            for ranks in (2, 3, 4) if TORTURE else some:
                self.run_ranks(ranks, *fit, "-o", "together")
                self.assertEqual(sha256(self.folder / "together"), sha256(self.folder / "alone"), f"{options}, {ranks} ranks")
        evaluate = ["evaluate", "alone", "later.csv", "--json"]
        expected = self.run_alone(*evaluate)
        widen = ["widen", "alone", "mixed.csv", "--posterior", "full", "-o"]
        self.run_alone(*widen, "wide")
        for ranks in (2, 3, 4) if TORTURE else (4,):
            self.assertEqual(self.run_ranks(ranks, *evaluate)[0], expected)
            self.run_ranks(ranks, *widen, "together")
            self.assertEqual(sha256(self.folder / "together"), sha256(self.folder / "wide"))

    def test_a_part(self):
        words = self.fits["auto"].words("part", "--member-range", "1:4")[1:]
        self.run_alone(*words)
        expected = sha256(self.folder / "part")
        self.run_ranks(2, *words)
        self.assertEqual(sha256(self.folder / "part"), expected)

    def test_finished_members_in_folders_of_their_own(self):
        """Each rank goes on with what it finds, and some members are found twice."""
        fit, ranks = self.fits["paper"], 3
        self.run_alone(*fit.words("all", "--checkpoint", self.folder / "kept")[1:])
        for rank, members in enumerate(((4,), (0, 4), (0, 2))):
            folder = self.folder / f"of-rank{rank}"
            (folder / "kept").mkdir(parents=True)
            for member in members:
                shutil.copy(self.folder / "kept" / f"member-{member:05}.safetensors", folder / "kept")
        words = [PROGRAM, *fit.words("model", "--checkpoint", "kept", "--resume")[1:]]
        each = [word for rank in range(ranks) for word in (":", "-n", "1", "-wdir", self.folder / f"of-rank{rank}", *words)][1:]
        subprocess.run([str(word) for word in (*MPIRUN, *each)], cwd=self.folder, capture_output=True, text=True, check=True, timeout=120)
        self.assertEqual(sha256(self.folder / "model"), self.expected["paper"])
        kept = [sorted(int(file.stem[-5:]) for file in (self.folder / f"of-rank{rank}" / "kept").iterdir()) for rank in range(ranks)]
        self.assertEqual(kept, [[1, 4], [0, 3, 4], [0, 2, 5]])


@sampled(5)
class OneSpeaker(Ranks):
    def fails(self, status, sentence, *words, ranks=3):
        printed, complaints = self.run_ranks(ranks, *words, status=status)
        said = said_by_us(complaints)
        self.assertEqual((printed, len(said)), ("", 1), complaints)
        self.assertIn(sentence, said[0])

    def test_bad_rows(self):
        (self.folder / "bad.csv").write_text("a,b,y\n1,2,3\n4,five,6\n7,8,9\n")
        self.fails(3, "bad.csv:3:2", "fit", "bad.csv", "--target", "y", "-o", "model")
        (self.folder / "ragged.csv").write_text("a,b,y\n1,2,3\n4,5\n")
        self.fails(3, "ragged.csv:3", "fit", "ragged.csv", "--target", "y", "-o", "model")

    def test_words_that_are_wrong(self):
        self.fails(2, "unknown option", "fit", "train.csv", "--targets", "2", "-o", "model")
        self.fails(2, "unknown verb", "fits")
        self.fails(2, "standard input", "fit", "-", "--target", "2", "-o", "model")
        os.mkfifo(self.folder / "pipe")
        self.fails(2, "a pipe", "fit", "pipe", "--target", "2", "-o", "model")

    def test_files_that_are_not_there(self):
        self.fails(5, "absent.csv", "fit", "absent.csv", "--target", "2", "-o", "model")
        self.fails(5, "absent/model", "fit", "train.csv", "--target", "2", "-o", "absent/model")
        self.fails(5, "absent.safetensors", "evaluate", "absent.safetensors", "train.csv")

    def test_members_that_diverge(self):
        """Ranks may come to it at the same time: each says what happened to it, and the first ends all, rank 0 too."""
        _, complaints = self.run_ranks(3, "fit", "train.csv", "--target", "2", "--recipe", "paper", "--members", "4", "--epochs", "3",
                                       "--learning-rate", "1e6", "--progress", "none", "-o", "diverged", status=6)
        self.assertTrue(said_by_us(complaints), complaints)
        self.assertTrue(any(": member " in line for line in said_by_us(complaints)), complaints)
        for line in said_by_us(complaints):
            self.assertRegex(line, "^credens: rank ([012] on [^ ]+: member [0-3]|0 on [^ ]+: interrupted)")
        self.assertFalse((self.folder / "diverged").exists())

    def test_a_full_disk(self):
        self.fails(5, "/dev/full", "fit", "train.csv", *FIT, "-o", "/dev/full")

    def test_a_checkpoint_of_an_earlier_run(self):
        words = ["fit", "train.csv", *FIT, "--checkpoint", "kept", "-o", "model"]
        self.run_ranks(2, *words)
        self.fails(2, "--resume", *words)
        self.run_ranks(2, *words, "--resume")

    def test_one_rank_runs_out_of_memory(self):
        (self.folder / "few.csv").write_text("a,y\n" + "".join(f"{i},{i % 3}\n" for i in range(20)))
        fit = [PROGRAM, "fit", "few.csv", "--target", "y", "--recipe", "paper", "--members", "2", "--epochs", "1",
               "--hidden", "5000,5000", "--threads", "1", "--progress", "none", "-o", "too-large"]
        in_little = ["sh", "-c", 'ulimit -v 500000; exec "$@"', "sh"]
        for first, second in (([], in_little), (in_little, [])):
            words = [*MPIRUN, "-n", "1", *first, *fit, ":", "-n", "1", *second, *fit]
            done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True, check=False, timeout=120)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("not enough memory", said_by_us(done.stderr)[0])
            self.assertFalse((self.folder / "too-large").exists())

    def test_a_rank_that_never_joins(self):
        fit = [PROGRAM, "fit", "train.csv", *FIT, "-o", "lonely"]
        stopped = ["sh", "-c", "kill -STOP $$"]
        cases = [(fit, ["sleep", "600"]), (["sleep", "600"], fit), (fit, stopped)]
        for first, second in cases if TORTURE else cases[:2]:
            words = [*MPIRUN, "-n", "1", *first, ":", "-n", "1", *second]
            done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True, check=False, timeout=60,
                                  env={**os.environ, "CREDENS_JOIN_SECONDS": "2"})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex("\n".join(said_by_us(done.stderr)), r"^credens: rank [01] on [^ ]+: not all of the 2 processes .* within 2 s")
            self.assertFalse((self.folder / "lonely").exists())

    def test_the_summary_is_printed_once(self):
        printed, complaints = self.run_ranks(3, "fit", "train.csv", *FIT, "--json", "-o", "model")
        self.assertEqual(printed.count('"fingerprint"'), 1, printed)
        self.assertEqual(complaints, "")

    def test_other_verbs_run_on_rank_0(self):
        self.assertEqual(self.run_ranks(3, "version")[0], self.run_alone("version"))

    def test_ranks_with_different_words(self):
        words = [*MPIRUN, "-n", "1", PROGRAM, "fit", "train.csv", *FIT, "-o", "a", ":",
                 "-n", "1", PROGRAM, "fit", "train.csv", *FIT, "-o", "b"]
        done = subprocess.run([str(word) for word in words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("rank 1 was started with other arguments", said_by_us(done.stderr)[0])


class SameFiles(Ranks):
    """Each rank has a folder of its own, in which files of one name may differ."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_in(cls.folder, PROGRAM, "fit", "train.csv", *FIT, "-o", "model")
        cls.run_in(cls.folder, PROGRAM, "fit", "train.csv", *FIT, "--seed", "7", "-o", "other-model")
        cls.content = (cls.folder / "train.npy").read_bytes()

    @staticmethod
    def run_in(folder, *words):
        return subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=120)

    def differ(self, sentence, *words, table=None, model="model", plan=""):
        """Ranks 0 and 2 have the table, the model and the settings, rank 1 has these."""
        for rank in range(3):
            folder = self.folder / f"rank{rank}"
            folder.mkdir(exist_ok=True)
            (folder / "rows.npy").write_bytes(table if rank == 1 and table else self.content)
            shutil.copy(self.folder / (model if rank == 1 else "model"), folder / "model")
            (folder / "plan.toml").write_text(plan if rank == 1 else "")
        each = [word for rank in range(3) for word in (":", "-n", 1, "-wdir", self.folder / f"rank{rank}", PROGRAM, *words)][1:]
        done = self.run_in(self.folder, *MPIRUN, *each)
        said = said_by_us(done.stderr)
        self.assertEqual((done.returncode, len(said)), (3, 1), done.stderr)
        self.assertRegex(said[0], f"rank 1 on [^ ]+ reads a different file than rank 0: {sentence}")
        self.assertFalse((self.folder / "rank0" / "new").exists())

    def fewer_rows(self):
        return npy_bytes([(a, b, y) for a, b, _, y in map(row, range(4000))])  # one block in the place of two

    def another_value(self):
        return self.content[:-8] + b"\0" * 8

    def test_fit(self):
        words = ["fit", "rows.npy", *FIT, "--config", "plan.toml", "-o", "new"]
        self.differ("4000 rows with fingerprint", *words, table=self.fewer_rows())
        self.differ("5000 rows with fingerprint", *words, table=self.another_value())
        self.differ("seed = 5, expected seed = ", *words, plan="seed = 5\n")

    def test_widen(self):
        words = ["widen", "model", "rows.npy", "--target", "2", "-o", "new"]
        self.differ("4000 rows, expected 5000 rows", *words, table=self.fewer_rows())
        self.differ("rows with fingerprint", *words, table=self.another_value())
        self.differ("a model with checksum", *words, model="other-model")

    def test_evaluate(self):
        words = ["evaluate", "model", "rows.npy", "--target", "2"]
        self.differ("4000 rows, expected 5000 rows", *words, table=self.fewer_rows())
        self.differ("rows with checksum", *words, table=self.another_value())
        self.differ("a model with checksum", *words, model="other-model")


class Module(Ranks):
    def test_messages_arrive_as_they_were_sent(self):
        for size in (0, 1, 100_000, *([2_500_000_000] if TORTURE else [])):
            self.run_ranks(3 if size < 1e9 else 2, MODULE, size, program=MESSAGES)

    def test_nothing_links_mpi(self):
        needed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("mpi", needed)
        self.assertIn("libmpi", subprocess.run(["ldd", MODULE], capture_output=True, text=True, check=True).stdout)

    def test_without_the_module_nobody_fits(self):
        (self.folder / "bin").mkdir()
        lonely = self.folder / "bin" / "credens"
        shutil.copy(PROGRAM, lonely)
        _, complaints = self.run_ranks(2, "fit", "train.csv", *FIT, "-o", "lonely-model", status=1, program=lonely)
        self.assertEqual(len(said_by_us(complaints)), 1, complaints)
        self.assertIn("there is no credens_mpi.so in", complaints)
        self.assertFalse((self.folder / "lonely-model").exists())
        installed = self.folder / "lib" / "credens"
        installed.mkdir(parents=True)
        shutil.copy(MODULE, installed)
        self.run_ranks(2, "fit", "train.csv", *FIT, "-o", "lonely-model", program=lonely)

    def test_one_rank_needs_no_module(self):
        lonely = self.folder / "credens"
        shutil.copy(PROGRAM, lonely)
        self.run_ranks(1, "fit", "train.csv", *FIT, "-o", "model", program=lonely)


class Launchers(unittest.TestCase):
    """Processes of other launchers, as their environment shows them; there is no mpirun in this."""

    def fit(self, **environment):
        cleared = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}
        with tempfile.TemporaryDirectory(prefix="credens-launcher-") as folder:
            (Path(folder) / "rows.csv").write_text("a,b,y\n" + "".join(f"{i},{i % 3},{i % 5}\n" for i in range(20)))
            done = subprocess.run([PROGRAM, "fit", "rows.csv", *FIT, "-o", "model"], cwd=folder, env={**cleared, **environment},
                                  capture_output=True, text=True, check=False)
            self.assertEqual((Path(folder) / "model").exists(), done.returncode == 0)
        return done.returncode, said_by_us(done.stderr)

    def test_several_processes_are_refused(self):
        for size, rank in (("PMI_SIZE", "PMI_RANK"), ("SLURM_STEP_NUM_TASKS", "PMIX_RANK")):
            status, said = self.fit(**{size: "3", rank: "0"})
            self.assertEqual((status, len(said)), (2, 1))
            self.assertIn("3 processes were started, but not by OpenMPI's mpirun", said[0])
            self.assertEqual(self.fit(**{size: "3", rank: "2"}), (2, []))

    def test_one_process_is_not(self):
        for environment in ({"PMI_SIZE": "1", "PMI_RANK": "0"}, {"SLURM_STEP_NUM_TASKS": "3"},
                            {"OMPI_COMM_WORLD_RANK": "1", "PMIX_RANK": "1", "SLURM_STEP_NUM_TASKS": "3"}):
            self.assertEqual(self.fit(**environment), (0, []))


if __name__ == "__main__":
    main()

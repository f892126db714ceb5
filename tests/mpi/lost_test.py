# SPDX-License-Identifier: Apache-2.0
"""A rank that is killed, or asked to stop, ends all of them soon; --resume then gives the bytes of a fit that was left alone."""

import os
import shutil
import signal
import time
from pathlib import Path

from ranks import PROGRAM, SECONDS_TO_END, TORTURE, OneFit, Ranks, main, said_by_us, sampled, sha256


def ranks_of(mpirun):
    """The processes of the program that mpirun started, by rank."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            environment = (place / "environ").read_bytes().split(b"\0")
            is_ours = os.readlink(place / "exe") == str(PROGRAM)
        except (OSError, ValueError):
            continue
        ranks = [entry for entry in environment if entry.startswith(b"OMPI_COMM_WORLD_RANK=")]
        if is_ours and parent == mpirun and ranks:
            found[int(ranks[0].partition(b"=")[2])] = int(place.name)
    return found


@sampled(1)
class Lost(Ranks):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fit = OneFit(PROGRAM, cls.folder, "paper")
        cls.longer = ["--epochs", "1500"]
        cls.expected = cls.fit.sha256("alone", *cls.longer)

    def setUp(self):
        shutil.rmtree(self.folder / "model.checkpoint", ignore_errors=True)

    def words(self, *more):
        return [*self.fit.words("model", *self.longer, *more)[1:], "--threads", "1"]

    def in_the_middle(self):
        """A fit on three ranks that has kept a member and is not done."""
        process = self.start(3, *self.words("--resume"))
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 120
        while not list(self.folder.glob("model.checkpoint/member-*.safetensors")):
            self.assertIsNone(process.poll(), "it ended before anything could happen to it")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return process

    def ends(self, process):
        start = time.monotonic()
        _, complaints = process.communicate(timeout=SECONDS_TO_END)
        self.assertNotEqual(process.returncode, 0, complaints)
        print(f"ended after {time.monotonic() - start:.1f} s")
        return complaints

    def resumes(self):
        self.assertFalse((self.folder / "model").exists())
        self.run_ranks(2, *self.words("--resume"))
        self.assertEqual(sha256(self.folder / "model"), self.expected)
        self.assertFalse((self.folder / "model.checkpoint").exists())
        (self.folder / "model").unlink()

    def test_a_rank_is_killed(self):
        for rank in (2, 0) if TORTURE else (2,):
            process = self.in_the_middle()
            os.kill(ranks_of(process.pid)[rank], signal.SIGKILL)
            self.assertIn(f"process rank {rank}", self.ends(process))
            self.resumes()

    def test_interrupted(self):
        for how in (signal.SIGINT, signal.SIGTERM) if TORTURE else (signal.SIGTERM,):
            process = self.in_the_middle()
            process.send_signal(how)
            self.ends(process)  # mpirun passes nothing on any more
            if (self.folder / "model").exists():  # mpirun leaves ranks alone for a second, in which a fast machine is done
                self.assertEqual(sha256(self.folder / "model"), self.expected)
                (self.folder / "model").unlink()
            else:
                self.resumes()

    def test_one_rank_is_asked_to_stop(self):
        for rank in (0, 1) if TORTURE else (1,):
            process = self.in_the_middle()
            os.kill(ranks_of(process.pid)[rank], signal.SIGTERM)
            self.assertRegex("\n".join(said_by_us(self.ends(process))),
                             f"credens: rank {rank} on [^ ]+: interrupted; finished members are kept in .* with --resume continues")
            self.assertEqual(process.returncode, 130)
            self.resumes()


if __name__ == "__main__":
    main()

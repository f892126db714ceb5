#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of examples/cluster: the loop as it is, the Slurm script under a small sbatch, the commands of the Kubernetes
Jobs as a pod runs them. Whoever trains the parts, the model has the bytes of one fit.

usage: cluster_test.py PROGRAM EXAMPLES_FOLDER
"""

import hashlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM, EXAMPLES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GOLDEN = Path(__file__).resolve().parent.parent / "golden"

# Does what sbatch does with the lines of a script, its array and its environment, one task after the other. Jobs are logged.
SBATCH = r"""#!/bin/bash
set -eu
echo "$*" >> sbatch.log
tasks=none
while [[ $1 == --* ]]; do
  case $1 in --array=*) IFS=- read -r first last <<< "${1#--array=}"; tasks=$(seq "$first" "${last:-$first}") ;; esac
  shift
done
cpus=$(sed -n 's/^#SBATCH --cpus-per-task=//p' "$1")
spooled=$(mktemp); cp "$1" "$spooled"; shift
for task in $tasks; do
  if [[ $task != none ]]; then export SLURM_ARRAY_TASK_ID=$task; fi
  SLURM_JOB_ID=17 SLURM_CPUS_PER_TASK=$cpus bash "$spooled" "$@" > task.log 2>&1 || { cat task.log >&2; exit 1; }
done
rm "$spooled"
echo 17
"""


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def expanded(words, environment):
    """As Kubernetes does: $(NAME) of a known NAME, and nothing else."""
    return [re.sub(r"\$\(([^()]*)\)", lambda found: environment.get(found[1], found[0]), word) for word in words]


class Cluster(unittest.TestCase):
    """A folder with train.csv and plan.toml of seven small members; `self.whole` is the SHA-256 of one fit of it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "sbatch").write_text(SBATCH)
        (tools / "sbatch").chmod(0o755)
        self.environment = dict(os.environ, PATH=f"{tools}:{PROGRAM.parent}:{os.environ['PATH']}")
        self.run_here([sys.executable, "-B", GOLDEN / "data.py", "train.csv", "test.csv"])
        self.make_plan()

    def make_plan(self, hidden="8", epochs="3", recipe="auto"):
        self.credens("fit", "train.csv", "--target", "y", "--members", "7", "--hidden", hidden, "--epochs", epochs, "--recipe", recipe,
                     "--plan-only", "-o", "plan.toml")  # fmt: skip
        self.credens("fit", "train.csv", "--config", "plan.toml", "-o", "whole.safetensors")
        self.whole = sha256(self.folder / "whole.safetensors")

    def run_here(self, command, status=0, **environment):
        done = subprocess.run(command, cwd=self.folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def credens(self, *words, status=0):
        return self.run_here([PROGRAM, *words], status)

    def parts(self):
        return sorted(path.name for path in (self.folder / "parts").glob("*.safetensors"))

    def assert_whole(self):
        self.assertEqual(sha256(self.folder / "model.safetensors"), self.whole)
        leftovers = [path.name for path in (self.folder / "parts").iterdir() if path.suffix != ".safetensors"]
        self.assertEqual(leftovers, [])


class Loop(Cluster):
    def loop(self, *places, status=0):
        return self.run_here(["bash", EXAMPLES / "loop.sh", *places], status)

    def test_parts_of_three_places_make_the_whole(self):
        self.loop("sh -c", "sh -c", "sh -c")
        self.assertEqual(self.parts(), ["0-2.safetensors", "2-4.safetensors", "4-7.safetensors"])
        self.assert_whole()

    def test_another_machine_gets_the_line_as_one_word(self):
        ssh = self.folder / "tools" / "ssh"
        ssh.write_text('#!/bin/bash\necho "$1" >> hosts.log\ncd /\nsh -c "$2"\n')
        ssh.chmod(0o755)
        self.loop("ssh node1", "ssh node2")
        self.assertEqual(sorted((self.folder / "hosts.log").read_text().split()), ["node1", "node2"])
        self.assert_whole()

    def test_more_places_than_members(self):
        self.loop(*["sh -c"] * 9)
        self.assertEqual(len(self.parts()), 7)
        self.assert_whole()

    def test_a_place_that_fails_leaves_the_others_work_and_a_second_run_ends_it(self):
        self.loop("sh -c", "false", status=1)
        self.assertFalse((self.folder / "model.safetensors").exists())
        kept = self.folder / "parts" / "0-3.safetensors"
        stamp = kept.stat().st_mtime_ns
        self.loop("sh -c", "sh -c")
        self.assertEqual(kept.stat().st_mtime_ns, stamp)
        self.assert_whole()

    def test_a_loop_that_is_ended_goes_on_with_finished_members(self):
        self.make_plan(hidden="2/300,300", epochs="60", recipe="paper")
        loop = subprocess.Popen(["bash", EXAMPLES / "loop.sh", "sh -c"], cwd=self.folder, env=self.environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        checkpoint = self.folder / "parts" / "0-7.safetensors.checkpoint"
        while loop.poll() is None and not any(checkpoint.glob("*.safetensors")):
            time.sleep(0.01)
        loop.send_signal(signal.SIGTERM)
        if loop.wait() != 0:  # else it was done before the signal came
            self.assertFalse((self.folder / "model.safetensors").exists())
            self.assertTrue(any(checkpoint.glob("*.safetensors")))
        self.loop("sh -c")
        self.assert_whole()


class Slurm(Cluster):
    def test_an_array_and_its_merging(self):
        done = self.run_here(["bash", EXAMPLES / "slurm.sh", "submit", "3"])
        self.assertEqual(done.stdout, "17\n")
        array, merging = (self.folder / "sbatch.log").read_text().splitlines()
        self.assertRegex(array, r"^--parsable --array=0-2 \S+ train 3$")
        self.assertRegex(merging, r"^--dependency=afterok:17 --kill-on-invalid-dep=yes \S+ merge$")
        self.assert_whole()

    def task(self, index, parts):
        self.run_here(["bash", EXAMPLES / "slurm.sh", "train", str(parts)], SLURM_ARRAY_TASK_ID=str(index), SLURM_CPUS_PER_TASK="2")

    def test_tasks_by_hand_in_any_order_twice_and_without_members(self):
        (self.folder / "parts").mkdir()
        for index in (8, 0, 3, 3, 1, 2, 7, 6, 5, 4):
            self.task(index, 10)
        self.assertEqual(len(self.parts()), 6)
        self.run_here(["bash", EXAMPLES / "slurm.sh", "merge"], status=4)
        self.task(9, 10)
        self.run_here(["bash", EXAMPLES / "slurm.sh", "merge"])
        self.assert_whole()

    def test_lines_for_slurm_stand_before_the_first_command(self):
        lines = (EXAMPLES / "slurm.sh").read_text().splitlines()
        for_slurm = [number for number, line in enumerate(lines) if line.startswith("#SBATCH ")]
        first_command = next(number for number, line in enumerate(lines) if not line.startswith("#"))
        self.assertEqual(len(for_slurm), 5)
        self.assertLess(max(for_slurm), first_command)


class Kubernetes(Cluster):
    def setUp(self):
        super().setUp()
        try:
            import yaml
        except ModuleNotFoundError:
            self.skipTest("there is no yaml module for Python (Debian: python3-yaml)")
        self.fit, self.merge = yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text())

    def container(self, job):
        (container,) = job["spec"]["template"]["spec"]["containers"]
        return container

    def pod(self, job, status=0, **environment):
        container = self.container(job)
        for entry in container.get("env", []):
            limit = container["resources"]["limits"]["cpu"]
            environment[entry["name"]] = environment.get(entry["name"]) or entry.get("value", limit)
        return self.run_here(expanded(container["command"], environment), status, **environment)

    def test_both_jobs_are_jobs(self):
        for job in (self.fit, self.merge):
            self.assertEqual((job["apiVersion"], job["kind"]), ("batch/v1", "Job"))
            pod = job["spec"]["template"]["spec"]
            self.assertIn(pod["restartPolicy"], ("Never", "OnFailure"))  # a Job allows no other
            (mount,) = self.container(job)["volumeMounts"]
            self.assertEqual([volume["name"] for volume in pod["volumes"]], [mount["name"]])
            self.assertEqual(self.container(job)["workingDir"], mount["mountPath"])
        self.assertTrue(self.merge["spec"]["suspend"])

    def test_indexes_and_parts_are_as_many(self):
        self.assertEqual(self.fit["spec"]["completionMode"], "Indexed")
        (parts,) = [entry["value"] for entry in self.container(self.fit)["env"] if entry["name"] == "PARTS"]
        self.assertEqual(int(parts), self.fit["spec"]["completions"])

    def test_pods_of_all_indexes_make_the_whole(self):
        for index in (3, 1, 0, 2, 2):
            self.pod(self.fit, JOB_COMPLETION_INDEX=str(index), PARTS="4")
        self.pod(self.merge)
        self.assert_whole()

    def test_a_missing_index_is_named_by_its_members(self):
        for index in (0, 1, 3):
            self.pod(self.fit, JOB_COMPLETION_INDEX=str(index), PARTS="4")
        self.assertIn("member 3 of 0 to 6 is in none of the parts", self.pod(self.merge, status=4).stderr)


class Parts(Cluster):
    """The parts that merging takes and those that it refuses, by name."""

    def setUp(self):
        super().setUp()
        for first, end in ((0, 2), (2, 5), (5, 7)):
            self.part(first, end)

    def part(self, first, end, name=None, *options):
        self.credens("fit", "train.csv", "--config", "plan.toml", "--member-range", f"{first}:{end}", *options, "-o", name or f"{first}.part")

    def merged(self, *parts, status=0):
        return self.credens("merge", *parts, "--train", "train.csv", "-o", "model.safetensors", status=status)

    def test_any_order_gives_one_sha_256(self):
        found = set()
        for order in itertools.permutations(["0.part", "2.part", "5.part"]):
            self.merged(*order)
            found.add(sha256(self.folder / "model.safetensors"))
        self.assertEqual(found, {self.whole})

    def test_missing_duplicate_and_foreign_parts_are_named(self):
        shutil.copy(self.folder / "2.part", self.folder / "copy.part")
        self.part(1, 3, "overlap.part")
        self.part(2, 5, "foreign.part", "--seed", "9")
        refused = {
            ("0.part", "5.part"): "member 2 of 0 to 6 is in none of the parts",
            ("0.part", "2.part"): "member 5 of 0 to 6 is in none of the parts",
            ("0.part", "2.part", "5.part", "copy.part"): "copy.part: member 2 is already in 2.part",
            ("0.part", "2.part", "5.part", "overlap.part"): "overlap.part: member 1 is already in 0.part",
            ("0.part", "foreign.part", "5.part"): "foreign.part: does not belong to 0.part: it was made with seed = 9, there 0",
        }
        for parts, why in refused.items():
            self.assertIn(why, self.merged(*parts, status=4).stderr)
        self.assertFalse((self.folder / "model.safetensors").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-License-Identifier: Apache-2.0
"""Ranks on several machines: network namespaces with a host name each, joined by a bridge and reached over TCP alone.

One machine is cut off in the middle of a fit: with the settings of the documents mpirun ends all soon, and --resume gives the bytes of a
fit that was left alone.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from ranks import MPIRUN, PROGRAM, SECONDS_TO_END, TORTURE, OneFit, Ranks, main, sha256

HOSTS = 3
SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "cluster" / "mpirun.sh"
KEEPALIVE = ["--mca", "oob_tcp_keepalive_time", "5", "--mca", "oob_tcp_keepalive_intvl", "2", "--mca", "oob_tcp_keepalive_probes", "3"]
# What mpirun calls in the place of ssh: AGENT ADDRESS COMMAND...
AGENT = """#!/bin/sh
name={prefix}${{1##*.}}
shift
exec ip netns exec $name unshare --uts sh -c 'hostname "$0"; exec sh -c "$*"' $name "$@"
"""


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True, capture_output=True, text=True)


class Network:
    """Namespaces PREFIX1, PREFIX2, ... on one bridge, which has a namespace of its own: nothing of the machine's network changes."""

    def __init__(self):
        self.prefix = f"credens{os.getpid()}h"
        self.bridge = f"credens{os.getpid()}b"
        self.names = [f"{self.prefix}{host}" for host in range(1, HOSTS + 1)]
        self.addresses = [f"10.213.7.{host}" for host in range(1, HOSTS + 1)]

    def make(self):
        ip("netns", "add", self.bridge)
        ip("-n", self.bridge, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.bridge, "link", "set", "bridge", "up")
        for host, (name, address) in enumerate(zip(self.names, self.addresses), start=1):
            ip("netns", "add", name)
            ip("-n", self.bridge, "link", "add", f"host{host}", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("-n", self.bridge, "link", "set", f"host{host}", "master", "bridge", "up")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")

    def connect(self, host, how):
        ip("-n", self.bridge, "link", "set", f"host{host}", how)

    def await_connection(self, host):
        """Until nobody listens at the first host's port 9, but the host answers."""
        probe = f"import socket; s = socket.socket(); s.settimeout(1); print(s.connect_ex(('{self.addresses[0]}', 9)))"
        for _ in range(30):
            words = ["ip", "netns", "exec", self.names[host - 1], sys.executable, "-c", probe]
            if int(subprocess.run(words, capture_output=True, text=True, check=True).stdout) == errno.ECONNREFUSED:
                return
            time.sleep(0.2)

    def processes(self):
        found = []
        for name in self.names:
            listed = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
            found += [int(word) for word in listed.stdout.split()]
        return found

    def end_processes(self):
        """What a machine that was cut off still runs."""
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def remove(self):
        self.end_processes()
        for name in [*self.names, self.bridge]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


class Hosts(Ranks):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for program in ("ip", "unshare"):
            if shutil.which(program) is None:
                raise unittest.SkipTest(f"there is no {program}")
        if os.geteuid() != 0:
            raise unittest.SkipTest("network namespaces need root")
        cls.network = Network()
        cls.addClassCleanup(cls.network.remove)
        try:
            cls.network.make()
        except subprocess.CalledProcessError as error:
            raise unittest.SkipTest(f"network namespaces cannot be made: {error.stderr}") from error
        agent = cls.folder / "agent"
        agent.write_text(AGENT.format(prefix=cls.network.prefix))
        agent.chmod(0o755)
        first = cls.network.names[0]
        cls.on_first = ["ip", "netns", "exec", first, "unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', first]
        cls.hosts = ["--mca", "plm_rsh_agent", str(agent), "--host", ",".join(f"{address}:1" for address in cls.network.addresses)]
        cls.mpirun = [*cls.on_first, *MPIRUN, *cls.hosts]
        cls.fit = OneFit(PROGRAM, cls.folder, "paper")
        cls.longer = ["--epochs", "400", "--threads", "1"]

    def setUp(self):
        shutil.rmtree(self.folder / "model.checkpoint", ignore_errors=True)

    def start_fit(self, *settings):
        """What it says goes to a file: a pipe is open as long as the machine that is cut off has a process."""
        words = [*self.mpirun, *settings, "-n", HOSTS, *self.fit.words("model", *self.longer, "--resume")]
        with open(self.folder / "said", "w", encoding="utf-8") as said:
            return subprocess.Popen([str(word) for word in words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def said(self):
        return (self.folder / "said").read_text()

    def check_fit(self):
        process = self.start_fit()
        self.assertEqual(process.wait(timeout=300), 0, self.said())
        self.assertEqual(sha256(self.folder / "model"), self.fit.sha256("alone", *self.longer))

    def cut_off_in_the_middle(self, *settings):
        """What was said until all had ended."""
        process = self.start_fit(*settings)
        deadline = time.monotonic() + 120
        while not list(self.folder.glob("model.checkpoint/member-*.safetensors")):
            self.assertIsNone(process.poll(), "it ended before the cut")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.network.connect(HOSTS, "down")
        start = time.monotonic()
        try:
            process.wait(timeout=SECONDS_TO_END)
        finally:
            process.kill()
            self.network.connect(HOSTS, "up")
            self.network.end_processes()
            self.network.await_connection(HOSTS)
        print(f"ended {time.monotonic() - start:.1f} s after the cut")
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse((self.folder / "model").exists())
        return self.said()

    def test_the_script_of_the_documents(self):
        shutil.copy(self.fit.plan, self.folder / "plan.toml")
        environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
        done = subprocess.run([*self.on_first, "bash", SCRIPT, "--allow-run-as-root", *self.hosts], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sha256(self.folder / "model.safetensors"), self.fit.sha256("short"))

    @unittest.skipUnless(TORTURE, "with CREDENS_TORTURE=1 alone: it waits for mpirun to notice")
    def test_mpirun_is_told_by_keepalive(self):
        self.assertRegex(self.cut_off_in_the_middle(*KEEPALIVE), "lost communication with a remote daemon")
        self.check_fit()


if __name__ == "__main__":
    main()

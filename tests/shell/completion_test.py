# SPDX-License-Identifier: Apache-2.0
"""Types the beginning of a command and the tabulator key into a real shell that has loaded the completion of credens.

Usage: completion_test.py bash|zsh|fish SHARE
SHARE is what the build installs as PREFIX/share. A shell that is not installed is skipped.
"""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77

# What is typed, and the words that the command gets after the tabulator key has completed it.
CASES = [
    ("fi", "fit"),
    ("insp", "inspect"),
    ("--vers", "--version"),
    ("fit --poste", "fit --posterior"),
    ("fit --no-weigh", "fit --no-weigh-members"),
    ("fit train.csv --posterior iso", "fit train.csv --posterior isotropic"),
    ("fit train.csv --activation relu,ta", "fit train.csv --activation relu,tanh"),
    ("fit --delimiter bl", "fit --delimiter blank"),
    ("widen model --lambda evi", "widen model --lambda evidence"),
    ("fit trai", "fit train.csv"),
    ("fit train.csv --target stre", "fit train.csv --target strength"),
    ("fit train.csv --target esc", "fit train.csv --target esc[31maped"),
    ("fit train.csv --inputs cement,wat", "fit train.csv --inputs cement,water"),
    ("predict --outputs fol", "predict --outputs folder"),
    ("fit --epochs tra", "fit --epochs tra"),  # a count: files do not help
]
ONLY_SOME = {"fit train.csv --activation relu,ta": {"bash"}, "fit train.csv --inputs cement,wat": {"bash", "zsh"}}

START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
# The command prints its words in place of working. What a header says must not be run.
PREPARE = {
    "bash": 'PS1=; bind "set bell-style none"; bind "set enable-bracketed-paste off"; source {share}/bash-completion/completions/credens; '
            'credens() {{ echo "<$*>"; }}',
    "zsh": "PS1=; unsetopt zle_bracketed_paste beep prompt_cr; fpath=({share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; "
           'credens() {{ print -r -- "<$*>" }}',
}


def write_tables(folder):
    (folder / "train.csv").write_text("cement,water,`touch ran`,$(touch ran),esc\x1b[31maped,strength\n1,2,3,4,5,6\n")
    (folder / "folder").mkdir()


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, name, share, folder):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", HOME=str(folder), LC_ALL="C.UTF-8", INPUTRC="/dev/null")
            os.execvp(START[name][0], START[name])
        self.type(PREPARE[name].format(share=share) + "\n")
        self.type("echo rea''dy\n")
        self.read_until(r"ready\r?\n")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, pattern, seconds=30):
        text, end = "", time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                text += os.read(self.terminal, 65536).decode(errors="replace")
            found = re.search(pattern, text)
            if found:
                return found
        sys.exit(f"the shell did not answer {pattern!r} in {seconds} s, but {text!r}")

    def completed(self, typed):
        """The words of the command line after the tabulator key. The line is sent apart: keys that come at once are taken for pasted text."""
        self.type("credens " + typed + "\t")
        time.sleep(0.15)
        self.type("\n")
        return self.read_until(r"<([^<>]*)>\r?\n")[1].strip()

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


class Fish:
    """fish says what it would complete."""

    def __init__(self, share, folder):
        self.file, self.folder = share / "fish/vendor_completions.d/credens.fish", folder

    def completed(self, typed):
        code = f"source {self.file}; complete -C 'credens {typed}'"
        environment = os.environ | {"HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["fish", "--no-config", "-c", code], cwd=self.folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            sys.exit(done.stderr)
        words = [line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines()]
        return " ".join([*typed.split()[:-1], words[0]]) if len(words) == 1 else typed

    def close(self):
        pass


def main(name, share):
    if not shutil.which(name):
        print(f"skipped: {name} is not installed")
        return SKIPPED
    share = Path(share).resolve()
    failures = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_tables(folder)
        shell = Fish(share, folder) if name == "fish" else Shell(name, share, folder)
        for typed, expected in CASES:
            if name not in ONLY_SOME.get(typed, {name}):
                continue
            found = shell.completed(typed).rstrip("/")
            if found != expected:
                failures.append(f"{typed!r} became {found!r}, expected {expected!r}")
        shell.close()
        if (folder / "ran").exists():
            failures.append("a command in a header was run")
    print("\n".join(failures) or f"{name}: {len(CASES)} completions")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

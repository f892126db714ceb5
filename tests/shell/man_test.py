# SPDX-License-Identifier: Apache-2.0
"""Man pages: each verb has one, man formats it without a warning, and it has all that `--help` says.

Usage: man_test.py PROGRAM SHARE
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def formatted(page):
    """The text that man shows on a wide terminal, and what it warns of."""
    environment = os.environ | {"MANWIDTH": "1000", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    done = subprocess.run(["man", "--warnings", "-l", str(page)], capture_output=True, text=True, env=environment)
    return re.sub(r".\x08", "", done.stdout), done.stderr


def words(text):
    return re.sub(r"\s+", " ", text)


def check(program, share, verb):
    """What is wrong with the page of a verb."""
    page = share / f"man/man1/credens-{verb}.1"
    if not page.exists():
        return [f"{page} is not there"]
    text, warnings = formatted(page)
    failures = [f"{page.name}: {line}" for line in warnings.splitlines()]
    help_text = subprocess.run([program, verb, "--help"], capture_output=True, text=True, check=True).stdout
    options, _, example = help_text.partition("\nExample:\n")
    # What an option means stands behind its name or below it; in a page both stand in one line.
    meanings = re.findall(r"^(?:  \S.{0,40}?  +| {6,})(\S.*(?:\n {6,}\S.*)*)", options, re.M)
    if len(meanings) < options.count("\n  -"):
        failures.append(f"of {verb} --help only {len(meanings)} meanings were read")
    for meaning in meanings:
        for part in re.split(r" {2,}", words(meaning)):
            if part not in words(text):
                failures.append(f"{page.name} lacks '{part}'")
    for line in example.splitlines():
        if line.strip() and line.strip() not in text:
            failures.append(f"{page.name} lacks the example '{line.strip()}'")
    flags = set(re.findall(r"--[a-z][a-z-]*", options.replace("[no-]", "")))
    missing = {flag for flag in flags if flag not in text}
    return failures + [f"{page.name} lacks {flag}" for flag in sorted(missing)]


def main(program, share):
    if not shutil.which("man") or not shutil.which("nroff"):
        print("skipped: man is not installed")
        return SKIPPED
    share = Path(share)
    overview = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    verbs = re.findall(r"^  ([a-z]+)  ", overview, re.M)
    text, warnings = formatted(share / "man/man1/credens.1")
    failures = [f"credens.1: {line}" for line in warnings.splitlines()]
    failures += [f"credens.1 lacks {verb}" for verb in verbs if f"credens-{verb}(1)" not in text]
    for verb in verbs:
        failures += check(program, share, verb)
    print("\n".join(failures) or f"{len(verbs) + 1} pages")
    return 1 if failures or len(verbs) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site in build/site. Any warning, such as a link that leads nowhere, is an error.

Usage: build.py PROGRAM MKDOCS PACKAGE [serve]
PROGRAM is credens, MKDOCS an interpreter with mkdocs-material, PACKAGE one with the Python package.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import reference

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "build/site_source"
SITE = ROOT / "build/site"
SHIM = ROOT / "build/site_tools/node_modules/iframe-worker/shim/index.js"
SHIM_TAG = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
FOLDERS = ("docs", "examples", "packaging")


def stage():
    """The pages and what they show, where they lie in the repository, so that every link is the same."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    for page in [*ROOT.glob("*.md"), ROOT / "CITATION.cff"]:
        shutil.copy(page, SOURCE)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, SOURCE / folder, ignore=shutil.ignore_patterns("site", "__pycache__"))
    for name in ("site.css", "site.js"):
        shutil.copy(ROOT / "docs/site" / name, SOURCE / "docs")
    decisions = SOURCE / "docs/decisions"
    listed = [f"* [{page.read_text(encoding='utf-8').splitlines()[0].lstrip('# ')}]({page.name})" for page in sorted(decisions.glob("0*.md"))]
    with (decisions / "README.md").open("a", encoding="utf-8") as readme:
        readme.write("\n" + "\n".join(listed) + "\n")


def keep_offline():
    """The script that lets search run from files comes with the site. Without it, search needs a server."""
    if SHIM.exists():
        shutil.copy(SHIM, SITE / "assets/iframe-worker.js")
    else:
        print("-- iframe-worker is not there: search will need ./dev site serve")
    for page in SITE.glob("**/*.html"):
        text = page.read_text(encoding="utf-8")
        own = "../" * len(page.relative_to(SITE).parent.parts) + "assets/iframe-worker.js"
        tag = f'<script src="{own}"></script>' if SHIM.exists() else ""
        page.write_text(text.replace(SHIM_TAG, tag), encoding="utf-8")


def main(program, mkdocs, package, verb="build"):
    stage()
    (SOURCE / "docs/verbs.md").write_text(reference.verbs(program), encoding="utf-8")
    (SOURCE / "docs/python-reference.md").write_text(reference.python(package), encoding="utf-8")
    command = [mkdocs, "-m", "mkdocs", verb, "--strict", "--config-file", ROOT / "docs/site/mkdocs.yml"]
    done = subprocess.run(list(map(str, command)), capture_output=verb == "build", text=True)
    if verb != "build":
        return done.returncode
    said = [line for line in done.stderr.splitlines() if re.match(r"(WARNING|ERROR)|Aborted", line)]
    keep_offline()
    elsewhere = [page for page in SITE.glob("**/*.html") if re.search(r'(<script[^>]* src|<link[^>]* rel="stylesheet"[^>]* href)="https?:', page.read_text())]
    said += [f"{page.relative_to(SITE)} takes a script or style from elsewhere" for page in elsewhere]
    print("\n".join([*said, f"{len(list(SITE.glob('**/*.html')))} pages; open build/site/index.html"]))
    return done.returncode or bool(said)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

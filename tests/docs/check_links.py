#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every link of a document to a file or to a heading of this project leads somewhere, and every path in backticks exists: a
file, a folder or, as in `src/model/mlp`, the name of a file without its ending. Pages of docs/decisions are history and may name
paths that are gone.

usage: check_links.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

FOLDERS = ("bench", "docs", "examples", "packaging", "python", "src", "tests")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[^`\s]*)")


def documents(source):
    yield from source.glob("*.md")
    for folder in FOLDERS:
        yield from (source / folder).glob("**/*.md")


def prose(document):
    return re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchors(document):
    """Names that GitHub gives to headings: lower case, punctuation gone, blanks become dashes."""
    headings = re.findall(r"^#+ (.*)$", prose(document), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def dead_links(source):
    for document in sorted(documents(source)):
        for link in LINK.findall(prose(document)):
            place, _, anchor = link.partition("#")
            target = document.parent / place if place else document
            if re.match(r"\w+:", link):
                continue
            if not target.exists():
                yield f"{document.relative_to(source)}: {link} is not there"
            elif anchor and anchor not in anchors(target):
                yield f"{document.relative_to(source)}: {link} has no such heading"


def dead_paths(source):
    for document in sorted(documents(source)):
        if document.is_relative_to(source / "docs" / "decisions"):
            continue
        for path in PATH.findall(prose(document)):
            target = source / path
            if not target.exists() and not any(target.parent.glob(f"{target.name}.*")):
                yield f"{document.relative_to(source)}: `{path}` is not there"


source = pathlib.Path(sys.argv[1]).resolve()
dead = [*dead_links(source), *dead_paths(source)]
print("\n".join(dead) or "all links and paths lead somewhere")
sys.exit(1 if dead else 0)

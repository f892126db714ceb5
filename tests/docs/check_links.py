#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every link of a document to a file or to a heading of this project leads somewhere.

usage: check_links.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

FOLDERS = ("bench", "docs", "examples", "python", "src", "tests")
LINK = re.compile(r"\]\(([^)\s]+)\)")


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


dead = list(dead_links(pathlib.Path(sys.argv[1]).resolve()))
print("\n".join(dead) or "all links lead somewhere")
sys.exit(1 if dead else 0)

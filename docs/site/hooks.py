# SPDX-License-Identifier: Apache-2.0
"""Between the Markdown of the repository, which GitHub shows too, and that of mkdocs."""

import re


def on_page_markdown(markdown, **_):
    """What stands inside an item of a list is indented by two or three blanks in the repository, and by four for mkdocs."""
    lines, in_code = [], False
    for line in markdown.splitlines():
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            line = re.sub(r"^( {2,3})(?=\S)", "    ", line)
        lines.append(line)
    return "\n".join(lines)

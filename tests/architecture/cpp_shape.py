# SPDX-License-Identifier: Apache-2.0
"""Functions and types of a C++ source, found by their braces.

Works on sources as clang-format lays them out; what a macro hides is not seen.
"""

import re
from dataclasses import dataclass, field

# Comments and literals can hold braces and semicolons that mean nothing.
SILENT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""", re.DOTALL
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class|\s+struct)?)\s+(?:\[\[[^\]]*\]\]\s*)?([A-Za-z_]\w*)[^()=]*$", re.DOTALL)


@dataclass
class Shape:
    """Lengths of functions with their first lines, and names of types at namespace scope."""

    functions: list[tuple[int, int]] = field(default_factory=list)  # (first line, number of lines)
    types: list[str] = field(default_factory=list)


def without_silent_parts(text):
    """The same text with blanks in place of comments, literals and directives; lines keep their numbers."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return DIRECTIVE.sub(blank, SILENT.sub(blank, text))


def kind_of(head, enclosing):
    """What a brace opens: namespace, type, function, value or other. `head` is the text since the last brace or semicolon."""
    if head and not head[-1].isspace():
        return "value"  # name{1}: the statement goes on behind it
    head = " ".join(head.split())
    if enclosing in ("function", "value", "other"):
        return "other"
    if re.match(r"(inline )?namespace\b", head) or head.startswith("extern"):
        return "namespace"
    if TYPE.match(re.sub(r"^(public|private|protected) ?: ?", "", head)):
        return "type"
    return "function" if ")" in head else "other"


def name_of_type(head):
    match = TYPE.match(" ".join(head.split()))
    return match[1] if match else ""


def shape_of(text):
    text = without_silent_parts(text)
    shape = Shape()
    stack = []  # (kind, offset of its head)
    head = 0
    for match in re.finditer(r"[{};]", text):
        at, mark = match.start(), match.group()
        enclosing = stack[-1][0] if stack else "namespace"
        if mark == "{":
            words = text[head:at]
            kind = kind_of(words, enclosing)
            if kind == "type" and enclosing == "namespace":
                shape.types.append(name_of_type(words))
            stack.append((kind, head + len(words) - len(words.lstrip())))
        elif mark == "}" and stack:
            kind, start = stack.pop()
            if kind == "function":
                first = text.count("\n", 0, start) + 1
                shape.functions.append((first, text.count("\n", start, at) + 1))
            if kind == "value":
                head = start
                continue
        head = at + 1
    return shape

# SPDX-License-Identifier: Apache-2.0
"""Reference pages from what the program and the Python package say of themselves."""

import re
import subprocess

LISTING = """
import inspect, json
import credens

class Plain(str):
    __repr__ = str.__str__

def plain(annotation):
    return Plain(annotation) if isinstance(annotation, str) else annotation

def entry(name, thing):
    try:
        found = inspect.signature(thing)
        parameters = [one.replace(annotation=plain(one.annotation)) for one in found.parameters.values()]
        signature = str(found.replace(parameters=parameters, return_annotation=plain(found.return_annotation)))
    except (TypeError, ValueError):
        signature = ""
    return {"name": name, "signature": signature, "text": inspect.getdoc(thing) or ""}

pages = []
for name in credens.__all__:
    thing = getattr(credens, name)
    page = entry(name, thing)
    if inspect.isclass(thing):
        page["members"] = []
        for member, value in vars(thing).items():
            if member.startswith("_") or not (inspect.isfunction(value) or isinstance(value, (property, classmethod)) or hasattr(value, "func")):
                continue
            of = value.fget if isinstance(value, property) else getattr(value, "func", getattr(value, "__func__", value))
            found = entry(member, of)
            if isinstance(value, property) or hasattr(value, "func"):
                found["signature"] = ""
            page["members"].append(found)
    pages.append(page)
print(json.dumps(pages))
"""


def verbs(program):
    """The help of every verb."""
    overview = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z]+)  ", overview, re.M)
    parts = ["# Verbs and options\n\nThis page has what `credens VERB --help` says. [The command line](cli.md) explains it.\n"]
    for name in names:
        text = subprocess.run([program, name, "--help"], check=True, capture_output=True, text=True).stdout
        parts.append(f"## credens {name}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


def python(interpreter):
    """Signatures and docstrings of the public names; a sentence where the package is not installed."""
    import json

    head = "# Python functions and classes\n\nThis page has the docstrings of the package. [Python](python.md) shows them at work.\n"
    done = subprocess.run([interpreter, "-c", LISTING], capture_output=True, text=True)
    if done.returncode != 0:
        print("-- credens is not installed: the reference of the Python package is left out")
        return head + "\nThe package was not installed where this site was built.\n"
    parts = [head]
    for page in sorted(json.loads(done.stdout), key=lambda page: (page["name"][0].isupper(), page["name"])):
        parts.append(f"## {page['name']}\n\n{_block(page, 'credens.' + page['name'])}")
        for member in page.get("members", []):
            parts.append(f"### {page['name']}.{member['name']}\n\n{_block(member, member['name'])}")
    return "\n".join(parts)


def _block(entry, name):
    """The signature with one argument to a line, then the docstring as it is."""
    signature = entry["signature"]
    if len(signature) > 90:
        signature = re.sub(r", (?=[*\w]+(:|=|,|\)))", ",\n    ", signature)
    code = f"```python\n{name}{signature}\n```\n" if signature else ""
    text = entry["text"].replace("```", "'''")
    return code + (f"\n```text\n{text}\n```\n" if text else "")

# SPDX-License-Identifier: Apache-2.0
"""Recipes, citation and metadata name the version and the description of the project, and can be read.

Usage: recipes_test.py SOURCE_FOLDER
"""

import ast
import json
import re
import sys
from pathlib import Path

# Where each file names the version.
VERSIONS = {
    "CITATION.cff": r"^version: (\S+)$",
    "codemeta.json": r'"version": "([^"]+)"',
    "packaging/conan/conanfile.py": r'^    version = "([^"]+)"$',
    "packaging/conda-forge/recipe.yaml": r"^  version: (\S+)$",
    "packaging/homebrew/credens.rb": r"credens-([0-9.]+)\.tar\.gz",
    "packaging/vcpkg/credens/vcpkg.json": r'"version": "([^"]+)"',
}
DESCRIBED = ["codemeta.json", "pyproject.toml", "packaging/conan/conanfile.py", "packaging/conda-forge/recipe.yaml", "packaging/vcpkg/credens/vcpkg.json"]


def problems(source):
    project = (source / "CMakeLists.txt").read_text()
    version = re.search(r"project\(credens VERSION (\S+)", project)[1]
    description = re.search(r'DESCRIPTION "([^"]+)"', project)[1]
    for file, pattern in VERSIONS.items():
        found = re.search(pattern, (source / file).read_text(), re.M)
        if not found or found[1] != version:
            yield f"{file}: version {found[1] if found else 'missing'}, expected {version} as in CMakeLists.txt"
    for file in DESCRIBED:
        if description not in (source / file).read_text():
            yield f"{file}: expected the description of CMakeLists.txt"
    for file in [*source.glob("*.json"), *source.glob("packaging/**/*.json")]:
        json.loads(file.read_text())
    for file in source.glob("packaging/**/*.py"):
        ast.parse(file.read_text())
    yield from unreadable(source)
    verbs = set(re.findall(r"^verb_([a-z-]+)\(\)", (source / "dev").read_text(), re.M))
    for file in source.glob(".github/workflows/*.yml"):
        text = file.read_text()
        used = re.findall(r"run: \./dev ([a-z-]+)", text) + [words.split()[0] for words in re.findall(r"command: \[(.*)\]", text) for words in words.split(", ")]
        yield from (f"{file.name}: ./dev has no verb {verb}" for verb in used if verb not in verbs)


def unreadable(source):
    try:
        import yaml
    except ImportError:
        return
    for file in [*source.glob(".github/**/*.yml"), source / "CITATION.cff", source / "packaging/conda-forge/recipe.yaml"]:
        try:
            yaml.safe_load(file.read_text())
        except yaml.YAMLError as error:
            yield f"{file}: {error}"


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1])))
    print("\n".join(found) or "recipes and project agree")
    sys.exit(1 if found else 0)

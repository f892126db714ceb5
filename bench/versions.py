# SPDX-License-Identifier: Apache-2.0
"""Two versions of Credens beside each other: what a change cost, on any machine."""

from dataclasses import replace

from measure import Results
from plan import Group, Ratio

OTHER = "other"
_ENDING = " (other)"


def beside_other(group: Group) -> Group:
    """The entries of Credens, each followed by the same request to the other version."""
    ours = [entry for entry in group.entries if entry.contender == "credens" and not entry.name.startswith("peak")]
    twins = [(entry, replace(entry, name=entry.name + _ENDING, contender=OTHER)) for entry in ours]
    return Group(group.name, [entry for pair in twins for entry in pair])


def version_ratios(results: Results) -> list[Ratio]:
    """Speed of this version divided by that of the other one."""
    return [Ratio(f"{group}/{name}", group, name, (name + _ENDING,))
            for group, entries in results.items() for name in entries if not name.endswith(_ENDING)]  # fmt: skip

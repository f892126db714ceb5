# SPDX-License-Identifier: Apache-2.0
"""Computes the paper's figures and tables and the benchmarks, as files and as a page."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import Any

from .. import _core
from .._errors import DataError
from .._terminal import run
from .class_page import class_benchmark_tables
from .display import KINDS, Display
from .page import reproduction_page
from .plans import Plan, make_plans
from .published import add_published
from .reproduction import EXPERIMENTS, Reproduction
from .results import Result, fill_members, merge_results, parse_results, results_csv, results_json, summarise
from .runs import Context, finished, perform
from .simulated import FIGURE1_ROWS, make_figure1
from .tables import figure1_tables, figure2_tables, table2_tables
from .uci_page import uci_tables


def _whole(least: int):
    def parse(text: str) -> int:
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f'it is "{text}", expected a whole number from {least}')
        return int(text)

    return parse


def _range(text: str) -> range:
    first, colon, end = text.partition(":")
    if not (colon and first.isdigit() and end.isdigit() and int(first) < int(end)):
        raise argparse.ArgumentTypeError(f'it is "{text}", expected A:B with whole numbers A < B')
    return range(int(first), int(end))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m credens.reproduce", description=__doc__)
    add = parser.add_argument
    add("experiment", metavar="EXPERIMENT", help=f"one of {', '.join(EXPERIMENTS)}; all are the paper's three")
    add("--data", metavar="DIR", help="folder of data sets, before CREDENS_DATA and the cache folder")
    add(
        "-o",
        "--output",
        metavar="DIR",
        default="credens-reproduction",
        help="folder for results.json, results.csv, report.html and the single runs",
    )
    add("--quick", action="store_true", help="fewer repetitions and settings, each trained in full")
    add("--repetitions", metavar="R", type=_whole(1), help="of every setting; without it 20, of Blog 5 and of Year 3")
    add(
        "--year-shape",
        metavar="ROWS",
        type=_whole(4),
        help="where the file of Year is absent, train on so many synthetic rows of its shape (it has 515345), to see time "
        "and memory",
    )
    add("--threads", metavar="T", type=_whole(0), default=0, help="threads (0: all cores); the result is the same for any number")
    add("--progress", choices=KINDS, default="auto", help="how progress is shown on standard error")
    add("--json", action="store_true", help="print what results.json holds")
    words = {"type": lambda text: text.split(",")}
    add = parser.add_argument_group("benchmarks (uci, classes)").add_argument
    add("--sets", metavar="SET,..", help="some of the sets; without it all", **words)
    add("--splits", metavar="A:B", type=_range, help="splits A to B - 1 of each set and series; without it all")
    settings: dict[str, Any] = {"dest": "settings", "action": "append", "default": []}
    add("--members", metavar="L", type=lambda text: f"members={text}", help="networks of each fit", **settings)
    add("--set", metavar="NAME=VALUE", help="any option of fit by its name, for every fit; may be given again", **settings)
    add("--methods", metavar="METHOD,..", help="classes: some of the methods; without it all", **words)
    add("--rows", metavar="R", type=_whole(20), help="classes: most training rows of a table; without it 4000")
    add("--finished", action="store_true", help="classes: train nothing, show what finished runs have found")
    return parser


def _command(arguments: argparse.Namespace) -> str:
    words = ["python -m credens.reproduce", arguments.experiment]
    if arguments.quick:
        words.append("--quick")
    for name in ("repetitions", "year_shape"):
        if getattr(arguments, name) is not None:
            words.append(f"--{name.replace('_', '-')} {getattr(arguments, name)}")
    if arguments.sets:
        words.append(f"--sets {','.join(arguments.sets)}")
    if arguments.splits:
        words.append(f"--splits {arguments.splits.start}:{arguments.splits.stop}")
    if arguments.methods:
        words.append(f"--methods {','.join(arguments.methods)}")
    if arguments.rows:
        words.append(f"--rows {arguments.rows}")
    words += ["--finished"] * arguments.finished
    return " ".join(words + [f"--set {setting}" for setting in arguments.settings])


def _compute(plans: list[Plan], folder: Path, context: Context) -> list[Result]:
    """All plans at once, so that the time left is that of all of them."""
    try:
        measurements = perform([one for plan in plans for one in plan.runs], folder, context)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished runs are kept in {folder}, and the same command goes on from there"
        ) from None
    results, first = [], 0
    for plan in plans:
        results += summarise(plan.experiment, measurements[first : first + len(plan.runs)])
        first += len(plan.runs)
    return add_published(fill_members(results))


def _earlier_results(file: Path, display: Display) -> list[Result]:
    """What earlier commands found, which stays on the page beside what this one finds."""
    if not file.exists():
        return []
    try:
        return parse_results(file.read_text(encoding="utf-8"))
    except (DataError, UnicodeDecodeError):
        display.warn(f"{file} does not hold results of this version and is replaced")
        return []


def _write_files(folder: Path, reproduction: Reproduction) -> None:
    texts = {
        "results.json": results_json(reproduction.results),
        "results.csv": results_csv(reproduction.results),
        "report.html": _core.render_page(reproduction_page(reproduction)),
    }
    for name, text in texts.items():
        _core.write_file(folder / name, text.encode())


def _print_tables(found: Reproduction, folder: Path) -> None:
    for make in (figure1_tables, figure2_tables, table2_tables, uci_tables, class_benchmark_tables):
        for table in make(found):
            print(_core.table_text(table))
    print(f"The pictures are in {folder / 'report.html'}, the numbers in results.json and results.csv beside it.")


def reproduce(arguments: argparse.Namespace, display: Display) -> None:
    folder = Path(arguments.output)
    found = Reproduction(command=_command(arguments))
    plans = make_plans(arguments, found)
    _core.make_folder(folder)
    _core.check_writable(folder / "report.html")
    earlier = _earlier_results(folder / "results.json", display)
    for title, reason in found.left_out:
        display.warn(f"{title} is left out: {reason}")
    context = Context(arguments.threads, display.show, display.warn)
    if arguments.finished:
        plans = [plan._replace(runs=finished(plan.runs, folder / "runs")) for plan in plans]
    found.results = _compute(plans, folder / "runs", context)
    everything = dataclasses.replace(found, results=merge_results(earlier, found.results, EXPERIMENTS))
    if everything.has("figure1"):
        figure = make_figure1(0, Context(arguments.threads))
        everything.panels = _core.figure1_panels(
            figure.wide._core, FIGURE1_ROWS, figure.test._core, figure.truth[:, None], arguments.threads
        )
    _write_files(folder, everything)
    display.close()
    if arguments.json:
        sys.stdout.write(results_json(everything.results))
    else:
        _print_tables(found, folder)


def main(words: list[str]) -> None:
    arguments = _parser().parse_args(words)
    display = Display(arguments.progress)
    try:
        reproduce(arguments, display)
    finally:
        display.close()


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))

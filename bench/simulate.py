# SPDX-License-Identifier: Apache-2.0
"""`./dev simulate`: a fit of 10^9 rows and 1,000 members on 1 to 10,000 ranks, on paper.

Compute is measured (bench/recorded.json), the cluster is assumed (options), stragglers and failures are simulated. docs/scaling.md
says what is modelled and what follows.
"""

import argparse
import dataclasses
import sys
from pathlib import Path

import report
import svg
from cluster_events import Chance, Fleet, Times, mean_training_times
from cost_model import WAYS, Costs, Job, Machine, Measured, Model, read_measured

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "recorded.json"
DOCUMENT = ROOT / "docs" / "scaling.md"
FIGURE = "figures/simulated-scaling.svg"
RANKS = (1, 10, 64, 100, 250, 500, 1000, 2000, 5000, 10_000)
RUNS, SEED = 60, 1

HELP = {
    "rows": "N, training rows", "members": "L, networks", "inputs": "d", "outputs": "q", "hidden": "widths of the hidden layers, separated by commas",
    "epochs": "passes over the rows", "evaluation_rows": "rows that the model is scored at", "table": "npy (float32) or csv",
    "threads": "of a rank", "cores": "of a node", "memory": "of a node, bytes", "node_reading": "bytes per second that one node reads",
    "file_system": "bytes per second that all nodes read together", "link": "bytes per second of a node's network link",
    "latency": "seconds of a message", "sync": "seconds until a checkpoint is safe", "node_years": "mean years between failures of a node",
    "restart": "seconds until failed work runs again",
    "peak": "floating point operations per second of a core", "training_share": "of the peak, in training",
    "pass_share": "of the peak, in a forward pass", "widening_passes": "forward passes that widening takes",
    "busy_share": "speed of a core among working neighbours", "csv_cells": "cells of text read per second",
    "spread": "of the logarithm of speed between workers",
}  # fmt: skip


# ---- one number of ranks ----


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Closed forms, and what stragglers and failures add to training, on average over runs."""

    ranks: int
    costs: Costs
    stragglers: float
    failures: float

    @property
    def total(self) -> float:
        return self.costs.total + self.stragglers + self.failures


def simulated(model: Model, ranks: int, shared_fate: bool, runs: int = RUNS, seed: int = SEED) -> Times:
    restart = model.machine.restart + model.reading(ranks)
    chance = Chance(model.measured.spread, model.failure_rate(), restart, shared_fate)
    fleet = Fleet(model.node_members(ranks), model.node_workers(ranks), model.member_seconds(ranks))
    return mean_training_times(fleet, chance, seed, runs)


def outcome(model: Model, ranks: int, way: str, times: Times) -> Outcome:
    costs = model.costs(ranks, way)
    return Outcome(ranks, costs, times.calm - costs.training, times.real - times.calm)


def all_outcomes(model: Model) -> dict[str, list[Outcome]]:
    """Parts do not know of each other; ranks that share their rows fail together."""
    results: dict[str, list[Outcome]] = {way: [] for way in WAYS}
    for ranks in RANKS:
        times = {shared: simulated(model, ranks, shared) for shared in (False, True)}
        for way, outcomes in results.items():
            outcomes.append(outcome(model, ranks, way, times[way == "shared"]))
    return results


def efficiency(first: float, ranks: int, total: float) -> float:
    return first / (ranks * total)


def last_efficient(model: Model, way: str, most: int = 10_000, least_share: float = 0.5) -> int:
    """The largest number of ranks with half of the ideal speed-up, by closed forms, to about one per cent."""
    first, found, ranks = model.costs(1, way).total, 1, 1
    while ranks <= most:
        if efficiency(first, ranks, model.costs(ranks, way).total) >= least_share:
            found = ranks
        ranks = max(ranks + 1, ranks * 101 // 100)
    return found


# ---- what is told ----


def duration(seconds: float) -> str:
    for unit, size, most in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172800), ("d", 86400, 2 * 365.25 * 86400)):
        if abs(seconds) < most:
            return f"{seconds / size:.3g} {unit}" if abs(seconds) >= 0.5 else "0 s"
    return f"{seconds / (365.25 * 86400):,.3g} y"


def phase_table(model: Model, outcomes: list[Outcome]) -> str:
    first = outcomes[0].total
    rows = []
    for one in outcomes:
        phases = [one.costs.reading, one.costs.training, one.stragglers, one.failures, one.costs.checkpoints, one.costs.widening,
                  one.costs.evaluation, one.total]  # fmt: skip
        rows.append([f"{one.ranks:,}", f"{len(model.node_workers(one.ranks)):,}", f"{model.steps(one.ranks):,}", *map(duration, phases),
                     report.short(first / one.total), f"{efficiency(first, one.ranks, one.total):.0%}"])  # fmt: skip
    return report.table(["ranks", "nodes", "members in turn", "reading", "training", "stragglers", "failures", "checkpoints", "widening",
                         "evaluation", "total", "speed-up", "efficiency"], rows)  # fmt: skip


def way_table(results: dict[str, list[Outcome]]) -> str:
    rows = []
    for i, one in enumerate(results["alone"]):
        totals = [outcomes[i].total for outcomes in results.values()]
        speed_ups = [outcomes[0].total / outcomes[i].total for outcomes in results.values()]
        finishing = [outcomes[i].costs.widening + outcomes[i].costs.reduction for outcomes in results.values()]
        rows.append([f"{one.ranks:,}", *map(duration, finishing), *map(duration, totals), *map(report.short, speed_ups)])
    header = [f"{what}: {way}" for what in ("widening", "total", "speed-up") for way in results]
    return report.table(["ranks", *header], rows)


def constant_lines(model: Model) -> list[str]:
    job, machine, measured = model.job, model.machine, model.measured
    return [
        f"Job: {job.rows:,} rows of {job.inputs} inputs and {job.outputs} output(s), {job.members:,} members with hidden layers "
        f"{','.join(map(str, job.hidden))}, {job.epochs} epochs, {job.evaluation_rows:,} rows to score, a table of "
        f"{job.table_bytes / 1e9:,.0f} GB ({job.table}).",
        f"Measured: {measured.peak / 1e9:.0f} GFLOP/s of a core at its peak, of which training gets {measured.training_share:.0%} and a pass "
        f"{measured.pass_share:.0%}; widening takes {measured.widening_passes:.2f} passes; a core among working neighbours is at "
        f"{measured.busy_share:.0%}; windows of training spread by {measured.spread:.1%}.",
        f"Assumed: {machine.cores} cores and {machine.memory / 1e9:,.0f} GB in a node, {machine.threads} thread(s) in a rank, "
        f"{machine.node_reading / 1e9:.3g} GB/s of reading per node and {machine.file_system / 1e9:.3g} GB/s for all, links of "
        f"{machine.link / 1e9:.3g} GB/s and {machine.latency * 1e6:.3g} µs, {machine.sync * 1e3:.3g} ms to sync a file, a failure of a node every "
        f"{machine.node_years:.3g} years, {duration(machine.restart)} to start again.",
        f"One member takes {duration(model.member_seconds(max(2, machine.cores)))} on one core; its checkpoint has {job.member_bytes / 1e3:,.0f} kB. A node "
        f"with {machine.cores} busy threads needs {job.memory(machine.cores) / 1e9:,.0f} GB"
        + ("." if model.fits(machine.cores) else ", more than it has: rows are read in every epoch."),
        f"A checkpoint takes {model.checkpoint_seconds() * 1e3:.0f} ms. If members could be kept half trained, Young's interval between checkpoints would be "
        f"{duration(model.young_interval(len(model.node_workers(1000))))} on 1,000 ranks and {duration(model.young_interval(len(model.node_workers(10_000))))} "
        "on 10,000.",
    ]  # fmt: skip


def limit_lines(model: Model, results: dict[str, list[Outcome]]) -> list[str]:
    lines = []
    for way, outcomes in results.items():
        least = min(outcomes, key=lambda one: one.total)
        lines.append(f"* `{way}`: {WAYS[way]}. Half of the ideal speed-up is kept up to {last_efficient(model, way):,} ranks; no fit takes less "
                     f"than {duration(least.total)}, at {least.ranks:,} ranks, of which training is {duration(least.costs.training)}.")  # fmt: skip
    return lines


def document_part(model: Model, results: dict[str, list[Outcome]]) -> str:
    return "\n\n".join([
        *constant_lines(model),
        f"Parts that finish alone; stragglers and failures are means of {RUNS} simulated runs:",
        phase_table(model, results["alone"]),
        "Three ways to finish:",
        "\n".join(limit_lines(model, results)),
        way_table(results),
        f"![Speed-up, and the time of phases, against the number of ranks]({FIGURE})",
    ])  # fmt: skip


def figure(results: dict[str, list[Outcome]]) -> str:
    points = lambda outcomes, value: [(one.ranks, value(one)) for one in outcomes]  # noqa: E731
    speed_ups = {way: points(outcomes, lambda one, first=outcomes[0].total: first / one.total) for way, outcomes in results.items()}
    hours = {
        "training": points(results["alone"], lambda one: one.costs.training / 3600),
        **{f"widening, {way}": points(outcomes, lambda one: one.costs.widening / 3600) for way, outcomes in results.items()},
        "reading": points(results["alone"], lambda one: one.costs.reading / 3600),
        "stragglers and failures": points(results["alone"], lambda one: (one.stragglers + one.failures) / 3600),
    }
    return svg.draw_lines([
        svg.Lines("speed-up", "ranks", {"ideal": [(ranks, ranks) for ranks in RANKS], **speed_ups}),
        svg.Lines("hours of a phase", "ranks", {name: [(x, y) for x, y in line if y > 1e-3] for name, line in hours.items()}),
    ])  # fmt: skip


# ---- the command ----


def add_options(parser: argparse.ArgumentParser, title: str, values: object) -> None:
    group = parser.add_argument_group(title)
    for field in dataclasses.fields(values):
        default = getattr(values, field.name)
        if isinstance(default, tuple):
            reader, shown = (lambda text: tuple(map(int, text.split(",")))), ",".join(map(str, default))
        else:
            reader = (lambda text: int(float(text))) if isinstance(default, int) else type(default)
            shown = f"{default:.4g}" if isinstance(default, float) else default
        group.add_argument(f"--{field.name.replace('_', '-')}", type=reader, default=default, metavar="X", help=f"{HELP[field.name]} ({shown})")


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev simulate", description="The cost of a large fit on many ranks, by a model; see docs/scaling.md.")
    add_options(parser, "job", Job())
    add_options(parser, "measured, from bench/recorded.json", read_measured(RECORD))
    add_options(parser, "assumed", Machine())
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--record", action="store_true", help="writes the tables into docs/scaling.md, and the figure")
    what.add_argument("--check", action="store_true", help="fails where the document or the figure say something else")
    arguments = parser.parse_args(words)
    if (arguments.record or arguments.check) and make_model(arguments) != (Job(), Machine(), read_measured(RECORD)):
        parser.error("the document shows what comes out without options")
    if arguments.table not in ("npy", "csv"):
        parser.error(f"--table is {arguments.table}, expected npy or csv")
    return arguments


def make_model(arguments: argparse.Namespace) -> tuple[Job, Machine, Measured]:
    made = (kind(**{field.name: getattr(arguments, field.name) for field in dataclasses.fields(kind)}) for kind in (Job, Machine, Measured))
    return tuple(made)


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    model = Model(*make_model(arguments))
    results = all_outcomes(model)
    text, drawing = document_part(model, results), figure(results)
    path = DOCUMENT.parent / FIGURE
    if arguments.check:
        document = DOCUMENT.read_text(encoding="utf-8")
        same = report.replace_between(document, "simulated", text) == document and path.read_text(encoding="utf-8") == drawing
        print("The document shows this simulation." if same else "docs/scaling.md or its figure shows another simulation; --record writes this one")
        return 0 if same else 1
    print(text)
    if arguments.record:
        report.update_document(DOCUMENT, "simulated", text)
        path.write_text(drawing, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

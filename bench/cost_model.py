# SPDX-License-Identifier: Apache-2.0
"""What a fit of many rows and members costs on many ranks, in closed form: no stragglers, no failures.

Letters: N rows, L members, d inputs, q outputs, p features, R ranks, W workers (R times threads), M nodes, B blocks of rows.
All times are in seconds, all sizes in bytes.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import gate
from plan import MEMBERS, SHAPES, forward_flops, training_flops

BLOCK_ROWS = 4096  # of math::statistics_block: sums over rows are sums of these blocks, in order
LIKE = next(shape for shape in SHAPES if shape.name == "year")  # the recorded shape whose shares of the peak are taken
CSV_CELLS = LIKE.inputs + 1  # per row of the table that is read in the recorded run
BEST_OF_NINE = 1.485  # the expected largest of nine standard normal values


@dataclass(frozen=True)
class Measured:
    """Of one machine, by `./dev bench --record`."""

    peak: float  # floating point operations per second of one core
    training_share: float  # of the peak, in the products of training
    pass_share: float  # of the peak, in a forward pass
    widening_passes: float  # forward passes that widening takes
    busy_share: float  # speed of a core whose neighbours work too, relative to one alone
    csv_cells: float  # read per second, with two threads
    spread: float  # standard deviation of the logarithm of speed between windows


def read_measured(path: Path) -> Measured:
    record = gate.read_record(path)
    ratios, speeds = record["ratios"], record["speeds"]
    group = f"train/{LIKE.name}"
    peak = speeds[f"{group}: peak"]["best"]
    passes = speeds[f"widen/{LIKE.name}: pass"]["best"] * MEMBERS
    training = speeds[f"{group}: credens"]
    return Measured(
        peak=peak,
        training_share=ratios[f"{group}/share of peak"],
        pass_share=passes * forward_flops(LIKE.widths) / peak,
        widening_passes=ratios[f"widen/{LIKE.name}/passes"],
        busy_share=min(1.0, ratios[f"{group}/2 threads over 1"] / 2),
        csv_cells=speeds["csv: credens stream 2"]["best"] * CSV_CELLS,
        spread=math.log(training["best"] / training["median"]) / BEST_OF_NINE,
    )


@dataclass(frozen=True)
class Job:
    rows: int = 10**9
    members: int = 1000
    inputs: int = 90
    outputs: int = 1
    hidden: tuple[int, ...] = (256, 128, 64)
    epochs: int = 20
    evaluation_rows: int = 10**7
    table: str = "npy"

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.inputs, *self.hidden, self.outputs + 1)

    @property
    def blocks(self) -> int:
        return -(-self.rows // BLOCK_ROWS)

    @property
    def table_bytes(self) -> float:
        """Float32 in an array; in text what the table of the recorded run has on average."""
        return self.rows * (self.inputs + self.outputs) * {"npy": 4.0, "csv": 9.2}[self.table]

    @property
    def member_bytes(self) -> float:
        """Of a checkpoint: weights and biases in float32."""
        return 4.0 * sum((width + 1) * following for width, following in zip(self.widths, self.widths[1:]))

    @property
    def sum_bytes(self) -> float:
        """Of one block at one member: phi phi^T, its diagonal and the likelihood, in double."""
        features = self.widths[-2]
        return 8.0 * (features**2 + features + 1)

    def memory(self, threads: int) -> float:
        """Of a process: rows in float32, padded to 16 columns, and per thread two lists of row numbers."""
        return self.rows * (4.0 * (-(-self.inputs // 16) * 16 + self.outputs) + 8.0 * threads)


@dataclass(frozen=True)
class Machine:
    """Assumed; every field is an option of `./dev simulate`."""

    threads: int = 1  # of a rank
    cores: int = 64  # of a node
    memory: float = 1e12  # of a node
    node_reading: float = 2e9  # a node's share of the file system, per second
    file_system: float = 1e11  # what all nodes together get of it
    link: float = 1.25e10  # of a node, per second
    latency: float = 5e-6  # of a message
    sync: float = 0.02  # until a file is safely there
    node_years: float = 5.0  # mean time between failures of a node
    restart: float = 300.0  # until a failed part or job runs again


WAYS = {
    "merged": "parts with the recipe auto, finished by one `merge`",
    "alone": "parts that finish alone (`--folds 0`)",
    "shared": "all ranks share the rows of widening and evaluation",
}


@dataclass(frozen=True)
class Costs:
    """Of one number of ranks and one way to finish."""

    reading: float
    training: float
    checkpoints: float
    widening: float
    reduction: float
    evaluation: float

    @property
    def total(self) -> float:
        return self.reading + self.training + self.checkpoints + self.widening + self.reduction + self.evaluation


class Model:
    def __init__(self, job: Job, machine: Machine, measured: Measured) -> None:
        self.job, self.machine, self.measured = job, machine, measured

    # ---- who does what ----

    def workers(self, ranks: int) -> int:
        return ranks * self.machine.threads

    def node_workers(self, ranks: int) -> list[int]:
        full, left = divmod(self.workers(ranks), self.machine.cores)
        return [self.machine.cores] * full + [left] * (left > 0)

    def node_members(self, ranks: int) -> list[int]:
        """Neighbouring members, in proportion to a node's workers."""
        ends, workers = [0], 0
        for count in self.node_workers(ranks):
            workers += count
            ends.append(self.job.members * workers // self.workers(ranks))
        return [end - first for first, end in zip(ends, ends[1:])]

    def steps(self, ranks: int) -> int:
        """Members that the busiest worker trains one after the other: a member is never divided."""
        return -(-self.job.members // self.workers(ranks))

    def largest_node(self, ranks: int) -> int:
        return min(self.workers(ranks), self.machine.cores)

    # ---- compute ----

    def core_flops(self, ranks: int) -> float:
        return self.measured.peak * (self.measured.busy_share if self.largest_node(ranks) > 1 else 1.0)

    def compute_seconds(self, ranks: int) -> float:
        """Of one member."""
        speed = self.core_flops(ranks) * self.measured.training_share
        return self.job.rows * self.job.epochs * training_flops(self.job.widths) / speed

    def pass_seconds(self, ranks: int, rows: float) -> float:
        """Of one member over these rows, on one worker."""
        return rows * forward_flops(self.job.widths) / (self.core_flops(ranks) * self.measured.pass_share)

    # ---- files ----

    def busy_nodes(self, ranks: int) -> int:
        return sum(members > 0 for members in self.node_members(ranks))

    def reading_speed(self, ranks: int) -> float:
        return min(self.machine.node_reading, self.machine.file_system / self.busy_nodes(ranks))

    def table_seconds(self, speed: float) -> float:
        """One pass over the table."""
        parsing = self.job.rows * (self.job.inputs + self.job.outputs) / self.measured.csv_cells if self.job.table == "csv" else 0.0
        return max(self.job.table_bytes / speed, parsing)

    def fits(self, ranks: int) -> bool:
        return self.job.memory(self.largest_node(ranks)) <= self.machine.memory

    def member_seconds(self, ranks: int) -> float:
        """Rows that do not fit into a node's memory are read again by every member in every epoch, while it computes."""
        compute = self.compute_seconds(ranks)
        if self.fits(ranks):
            return compute
        streams = max(min(members, workers) for members, workers in zip(self.node_members(ranks), self.node_workers(ranks)))
        return max(compute, self.job.epochs * self.table_seconds(self.reading_speed(ranks)) * streams)

    def reading(self, ranks: int) -> float:
        """Once for scales, once for the rows."""
        return 2 * self.table_seconds(self.reading_speed(ranks))

    def checkpoint_seconds(self) -> float:
        """Of one member, written by its process alone."""
        return self.machine.sync + self.job.member_bytes / self.machine.node_reading

    # ---- the end ----

    def joining(self) -> float:
        """Reads the parts and writes the model on one node."""
        return 2 * self.job.members * self.job.member_bytes / self.machine.node_reading + self.machine.sync

    def widening(self, ranks: int, way: str) -> float:
        one = self.measured.widening_passes * self.pass_seconds(ranks, self.job.rows)
        members, node = self.job.members, self.largest_node(ranks)
        if way == "merged":  # the sums choose the rung and widen; rows are read for scales, for training rows and for the sums
            return members * one / node + 3 * self.table_seconds(self.machine.node_reading)
        if way == "alone":
            busiest = max(count / workers for count, workers in zip(self.node_members(ranks), self.node_workers(ranks)))
            return busiest * one + self.table_seconds(self.reading_speed(ranks))
        block = one / self.job.rows * BLOCK_ROWS
        units = -(-members * self.job.blocks // self.workers(ranks))  # of one member and one block
        return units * block + self.table_seconds(self.reading_speed(ranks))

    def reduction(self, ranks: int, way: str) -> float:
        """Sums of blocks are added in order, so each travels to the worker that owns the member; then members to rank 0."""
        if way != "shared":
            return self.joining()
        workers, members = self.workers(ranks), self.job.members
        travelling = max(0.0, 1 - members / workers)
        owned = max(self.node_members(ranks))
        sums = owned * self.job.blocks * self.job.sum_bytes * travelling / self.machine.link
        rounds = math.ceil(math.log2(workers)) if workers > 1 else 0
        return sums + 2 * rounds * self.machine.latency + self.joining()

    def evaluation(self, ranks: int, way: str) -> float:
        workers = self.workers(ranks) if way == "shared" else self.largest_node(ranks)
        return self.job.members * self.pass_seconds(ranks, self.job.evaluation_rows) / workers

    def costs(self, ranks: int, way: str) -> Costs:
        return Costs(
            reading=self.reading(ranks),
            training=self.steps(ranks) * self.member_seconds(ranks),
            checkpoints=max(self.node_members(ranks)) * self.checkpoint_seconds(),
            widening=self.widening(ranks, way),
            reduction=self.reduction(ranks, way),
            evaluation=self.evaluation(ranks, way),
        )

    def young_interval(self, nodes: int) -> float:
        """Between checkpoints that could be made at any time: sqrt(2 cost / failures per second)."""
        return math.sqrt(2 * self.checkpoint_seconds() / (nodes * self.failure_rate()))

    def failure_rate(self) -> float:
        """Of one node, per second."""
        return 1 / (self.machine.node_years * 365.25 * 86400)


# ---- closed forms that the simulation is held against ----


def expected_largest(count: int, spread: float) -> float:
    """E max of `count` values exp(spread z): the integral of exp(spread z) d Phi(z)^count, by the trapezium rule."""
    if spread == 0:
        return 1.0
    normal, steps, end = NormalDist(), 4000, 9.0
    heights = [normal.cdf(-end + 2 * end * i / steps) ** count for i in range(steps + 1)]
    middle = [math.exp(spread * (-end + 2 * end * (i + 0.5) / steps)) for i in range(steps)]
    return sum(value * (right - left) for value, left, right in zip(middle, heights, heights[1:]))


def expected_with_failures(seconds: float, rate: float, restart: float) -> float:
    """Of work that starts again from its beginning after each failure: (1 / rate + restart) (e^(rate seconds) - 1)."""
    return seconds if rate == 0 else (1 / rate + restart) * math.expm1(rate * seconds)

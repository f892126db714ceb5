# SPDX-License-Identifier: Apache-2.0
"""Training on many nodes as events: members end, nodes fail. Same seed, same times."""

import heapq
import math
import random
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True)
class Chance:
    spread: float  # of the logarithm of a worker's speed, which it keeps
    rate: float  # of failures of a node, per second
    restart: float  # seconds from a failure until work goes on
    shared_fate: bool = False  # a node that fails ends the work of all nodes


class Stream:
    """Uniform numbers by name; every second run mirrors the one before it, which takes most of the noise out of means.

    Made from `random()` alone, which is the same in every version of Python.
    """

    def __init__(self, seed: int, run: int, name: str) -> None:
        self.random = random.Random(f"{seed}/{run // 2}/{name}").random
        self.mirrored = run % 2 == 1

    def uniform(self) -> float:
        value = min(max(self.random(), 1e-12), 1 - 1e-12)
        return 1 - value if self.mirrored else value


def exponential(rate: float, stream: Stream) -> float:
    return -math.log(stream.uniform()) / rate


class Failures:
    """Times of failures, as far as they are asked for. Nothing fails while it restarts."""

    def __init__(self, first: float, rate: float, restart: float, stream: Stream) -> None:
        self.times, self.rate, self.restart, self.stream = [first], rate, restart, stream

    def time(self, number: int) -> float:
        while len(self.times) <= number:
            self.times.append(self.times[-1] + self.restart + exponential(self.rate, self.stream))
        return self.times[number]


def slowness(count: int, spread: float, stream: Stream) -> list[float]:
    """Time of each worker relative to the median one."""
    normal = NormalDist()
    return [math.exp(spread * normal.inv_cdf(stream.uniform())) for _ in range(count)]


def run_until(end: float, begin: float, waiting: int, seconds: float, factors: list[float]) -> tuple[int, float]:
    """Members that are finished by `end`, and when the last of them was: each free worker takes the next member."""
    running = [(begin + seconds * factor, factor) for factor in factors[:waiting]]
    heapq.heapify(running)
    started, done, last = len(running), 0, begin
    while running and running[0][0] <= end:
        last, factor = running[0]
        done += 1
        if started < waiting:
            heapq.heapreplace(running, (last + seconds * factor, factor))
            started += 1
        else:
            heapq.heappop(running)
    return done, last


def node_time(members: int, seconds: float, factors: list[float], failures: Failures) -> float:
    """Until all members of a node are trained; a failure loses those that are not finished."""
    begin, number = 0.0, 0
    while True:
        failure = failures.time(number)
        done, last = run_until(failure, begin, members, seconds, factors)
        members -= done
        if members == 0:
            return last
        begin, number = failure + failures.restart, number + 1


@dataclass(frozen=True)
class Times:
    calm: float  # without failures
    real: float


@dataclass(frozen=True)
class Fleet:
    """Members and workers of each node, and the seconds of one member on the median worker."""

    members: list[int]
    workers: list[int]
    seconds: float


def disturbed_time(fleet: Fleet, factors: list[list[float]], chance: Chance, first: float, stream: Stream) -> float:
    """Until the last node is done, where the first failure of all nodes is at `first`."""
    count = len(fleet.members)
    hit = int(stream.uniform() * count)
    shared = Failures(first, chance.rate * count, chance.restart, stream)
    longest = 0.0
    for node, members in enumerate(fleet.members):
        begin = first if node == hit else first + exponential(chance.rate, stream)
        failures = shared if chance.shared_fate else Failures(begin, chance.rate, chance.restart, stream)
        longest = max(longest, node_time(members, fleet.seconds, factors[node], failures))
    return longest


def training_times(fleet: Fleet, chance: Chance, seed: int, run: int) -> Times:
    """Failures are rare, so each run has one, and what it costs counts by its probability."""
    factors = [slowness(min(workers, members), chance.spread, Stream(seed, run, f"speed of {node}"))
               for node, (members, workers) in enumerate(zip(fleet.members, fleet.workers))]  # fmt: skip
    calm = max(run_until(math.inf, 0.0, members, fleet.seconds, each)[1] for members, each in zip(fleet.members, factors))
    if chance.rate == 0:
        return Times(calm, calm)
    rate, stream = chance.rate * len(fleet.members), Stream(seed, run, "failures")
    probability = -math.expm1(-rate * calm)
    first = -math.log1p(-probability * stream.uniform()) / rate  # given that it comes before the end
    return Times(calm, calm + probability * (disturbed_time(fleet, factors, chance, first, stream) - calm))


def mean_training_times(fleet: Fleet, chance: Chance, seed: int, runs: int) -> Times:
    times = [training_times(fleet, chance, seed, run) for run in range(runs)]
    return Times(math.fsum(one.calm for one in times) / runs, math.fsum(one.real for one in times) / runs)

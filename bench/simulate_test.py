# SPDX-License-Identifier: Apache-2.0
"""The cost model and its simulation: closed forms in the limits, the same numbers every time, and the document that shows them."""

import contextlib
import dataclasses
import io
import math
import re
import statistics
import unittest
from xml.etree import ElementTree

import gate
import simulate
import svg
from cluster_events import Chance, Failures, Fleet, Stream, mean_training_times, node_time, training_times
from cost_model import WAYS, Job, Machine, Measured, Model, expected_largest, expected_with_failures, read_measured
from measure import Result
from plan import forward_flops, training_flops

MEASURED = Measured(peak=1e11, training_share=0.8, pass_share=0.8, widening_passes=1.2, busy_share=0.9, csv_cells=1e8, spread=0.05)
STILL = dataclasses.replace(MEASURED, spread=0.0)
SAFE = Machine(node_years=1e30)
ROWS = 250 * 4096
JOB = Job(rows=ROWS, members=100)


def small_model(**machine: object) -> Model:
    return Model(JOB, dataclasses.replace(SAFE, **machine), STILL)


class NoChance(unittest.TestCase):
    """Without stragglers and failures the simulation is the formula."""

    def test_training_takes_the_members_in_turn(self):
        for cores in (1, 3, 64):
            model = small_model(cores=cores)
            for ranks in (1, 2, 3, 7, 64, 65, 99, 100, 101, 1000):
                one = simulate.outcome(model, ranks, "alone", simulate.simulated(model, ranks, shared_fate=False, runs=1))
                self.assertAlmostEqual(one.stragglers / one.costs.training, 0, places=12)
                self.assertAlmostEqual(one.failures, 0, places=6)
                self.assertEqual(model.steps(ranks), math.ceil(100 / ranks))

    def test_one_rank_does_everything(self):
        model = small_model(cores=1)
        flops = training_flops(JOB.widths), forward_flops(JOB.widths)
        costs = model.costs(1, "alone")
        self.assertAlmostEqual(costs.training, 100 * ROWS * 20 * flops[0] / 0.8e11)
        self.assertAlmostEqual(costs.reading, 2 * ROWS * 91 * 4 / 2e9)
        self.assertAlmostEqual(costs.widening, 100 * ROWS * 1.2 * flops[1] / 0.8e11 + costs.reading / 2)
        self.assertAlmostEqual(costs.evaluation, 100 * 1e7 * flops[1] / 0.8e11)
        self.assertAlmostEqual(costs.total, sum(dataclasses.astuple(costs)))

    def test_more_ranks_than_members_change_nothing_without_sharing(self):
        model = small_model(cores=1, file_system=1e30)
        self.assertEqual(model.costs(100, "alone"), model.costs(150, "alone"))
        self.assertEqual(model.costs(100, "alone"), model.costs(10_000, "alone"))
        self.assertLess(model.costs(100, "alone").training, model.costs(99, "alone").training)

    def test_sharing_spreads_widening_and_evaluation_but_not_training(self):
        model = small_model(cores=1, file_system=1e30)
        few, many = model.costs(100, "shared"), model.costs(1000, "shared")
        self.assertEqual(few.training, many.training)
        self.assertAlmostEqual(few.evaluation / many.evaluation, 10)
        reading = few.reading / 2  # of the two passes before training one takes as long
        self.assertAlmostEqual((few.widening - reading) / (many.widening - reading), 10)
        self.assertGreater(many.reduction, few.reduction)

    def test_one_merging_node_does_not_spread(self):
        model = small_model(cores=8)
        self.assertEqual(model.costs(8, "merged").widening, model.costs(800, "merged").widening)
        self.assertAlmostEqual(model.costs(4, "merged").evaluation / model.costs(800, "merged").evaluation, 2)

    def test_the_ways_agree_on_one_rank(self):
        model = small_model(cores=1)
        alone, shared = model.costs(1, "alone"), model.costs(1, "shared")
        self.assertAlmostEqual(shared.widening, alone.widening)
        self.assertEqual(shared.training, alone.training)


class Resources(unittest.TestCase):
    def test_nodes_share_the_file_system(self):
        model = small_model(cores=1, node_reading=2e9, file_system=1e10)
        alone = model.reading(1)
        self.assertEqual(model.reading(5), alone)
        self.assertAlmostEqual(model.reading(50), 10 * alone)
        self.assertAlmostEqual(model.reading(1000), 20 * alone)  # 100 members are on 100 nodes at most

    def test_rows_beyond_memory_are_read_by_every_member_in_every_epoch(self):
        slow = small_model(cores=4, memory=1e6, node_reading=1e4)
        self.assertFalse(slow.fits(4))
        self.assertAlmostEqual(slow.member_seconds(4), 20 * JOB.table_bytes / 1e4 * 4)
        fast = small_model(cores=4, memory=1e6, node_reading=1e15, file_system=1e15)
        self.assertEqual(fast.member_seconds(4), fast.compute_seconds(4))

    def test_memory_of_a_process(self):
        self.assertEqual(Job(rows=1000, inputs=90).memory(3), 1000 * (4 * 97 + 24))

    def test_text_is_read_as_fast_as_it_is_parsed(self):
        job = dataclasses.replace(JOB, table="csv")
        self.assertAlmostEqual(Model(job, SAFE, STILL).reading(1), 2 * 91 * ROWS / 1e8)

    def test_blocks_are_not_divided(self):
        model = Model(Job(rows=4097, members=1), dataclasses.replace(SAFE, cores=1), STILL)
        reading = model.reading(1) / 2
        self.assertAlmostEqual(model.costs(2, "shared").widening - reading, model.costs(10, "shared").widening - reading)
        self.assertEqual(model.job.blocks, 2)

    def test_every_member_is_somewhere_once(self):
        for ranks in (1, 63, 64, 65, 100, 129, 10_000):
            model = small_model()
            self.assertEqual(sum(model.node_members(ranks)), 100)
            self.assertEqual(sum(model.node_workers(ranks)), ranks)

    def test_threads_of_ranks_are_workers(self):
        self.assertEqual(small_model(threads=4, cores=16).costs(8, "alone"), small_model(threads=1, cores=16).costs(32, "alone"))

    def test_operations(self):
        self.assertEqual(forward_flops((90, 256, 128, 64, 2)), 128_256)
        self.assertEqual(training_flops((90, 256, 128, 64, 2)), 338_688)


class Stragglers(unittest.TestCase):
    def test_the_expected_largest(self):
        self.assertEqual(expected_largest(10, 0), 1)
        self.assertAlmostEqual(expected_largest(1, 0.3), math.exp(0.045), places=5)
        self.assertAlmostEqual(expected_largest(9, 1e-4), 1 + 1.485e-4, places=7)

    def test_one_member_each_takes_as_long_as_the_slowest(self):
        fleet, chance = Fleet([16] * 4, [16] * 4, 10.0), Chance(0.1, 0.0, 0.0)
        times = [training_times(fleet, chance, 3, run).calm for run in range(0, 400, 2)]  # runs in between are mirrored
        error = statistics.stdev(times) / math.sqrt(len(times))
        self.assertLess(abs(statistics.mean(times) - 10 * expected_largest(64, 0.1)), 4 * error)
        self.assertLess(error, 0.05)

    def test_workers_that_are_free_help(self):
        """A node of workers of speeds 1 and 1/4: the slow one gets one of five members."""
        never = Failures(math.inf, 1.0, 0.0, Stream(1, 0, "x"))
        self.assertEqual(node_time(5, 1.0, [1.0, 4.0], never), 4.0)


class FailingNodes(unittest.TestCase):
    def test_a_failure_loses_what_is_not_finished(self):
        """Two workers, three members of 10 s: at 15 s two are kept and the third begins again at 20 s."""
        failures = Failures(15.0, 1e-12, 5.0, Stream(1, 0, "x"))
        self.assertEqual(node_time(3, 10.0, [1.0, 1.0], failures), 30.0)

    def test_one_worker_against_the_closed_form(self):
        members, seconds, rate, restart = 5, 10.0, 0.02, 3.0
        expected = members * expected_with_failures(seconds, rate, restart)
        fleet, chance = Fleet([members], [1], seconds), Chance(0.0, rate, restart)
        times = [training_times(fleet, chance, 5, run).real for run in range(0, 4000, 2)]
        error = statistics.stdev(times) / math.sqrt(len(times))
        self.assertLess(abs(statistics.mean(times) - expected), 4 * error)
        self.assertLess(error, 0.02 * expected)

    def test_the_closed_form_without_failures(self):
        self.assertEqual(expected_with_failures(7.0, 0.0, 100.0), 7.0)
        self.assertAlmostEqual(expected_with_failures(7.0, 1e-9, 100.0), 7.0, places=5)

    def test_nodes_that_fail_together_lose_more(self):
        fleet = Fleet([4] * 10, [2] * 10, 10.0)
        own, shared = (mean_training_times(fleet, Chance(0.05, 0.002, 1.0, fate), 2, 100) for fate in (False, True))
        self.assertEqual(own.calm, shared.calm)
        self.assertLess(own.calm, own.real)
        self.assertLess(own.real, shared.real)


class Repeated(unittest.TestCase):
    def test_same_seed_same_times(self):
        fleet, chance = Fleet([7, 6], [4, 3], 10.0), Chance(0.1, 0.001, 1.0)
        self.assertEqual(mean_training_times(fleet, chance, 1, 6), mean_training_times(fleet, chance, 1, 6))
        self.assertNotEqual(mean_training_times(fleet, chance, 1, 6), mean_training_times(fleet, chance, 2, 6))

    def test_mirrored_runs(self):
        one, other = Stream(1, 4, "x"), Stream(1, 5, "x")
        self.assertAlmostEqual(one.uniform() + other.uniform(), 1)


class Constants(unittest.TestCase):
    def test_of_the_recorded_run(self):
        measured = read_measured(simulate.RECORD)
        for share in (measured.training_share, measured.pass_share, measured.busy_share):
            self.assertTrue(0.3 < share <= 1, share)
        self.assertGreater(measured.peak, 1e9)
        self.assertTrue(0 <= measured.spread < 0.3)

    def test_the_record_and_the_benchmarks_document_are_of_one_run(self):
        document = (simulate.ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
        for name, speed in gate.read_record(simulate.RECORD)["speeds"].items():
            row = re.search(rf"^\| {re.escape(name)} +\| +([\d,]+) +\| +([\d,]+) +\|$", document, re.M)
            shown = [float(f"{float(cell.replace(',', '')):.4g}") for cell in row.groups()]
            self.assertEqual(shown, [speed["best"], speed["median"]], name)

    def test_only_our_speeds_are_recorded(self):
        results = {"train/year": {"credens": Result([1, 2, 3]), "torch index": Result([9]), "peak": Result(absent="why")},
                   "predict/year/1": {"credens": Result([5])}, "widen/year": {"pass": Result([4])}}  # fmt: skip
        expected = {"train/year: credens": {"best": 3, "median": 2}, "widen/year: pass": {"best": 4, "median": 4}}
        self.assertEqual(gate.own_speeds(results), expected)


class Shown(unittest.TestCase):
    def run_main(self, *words: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                status = simulate.main(list(words))
            except SystemExit as end:
                status = int(end.code or 0)
        return status, said.getvalue()

    def test_the_document_and_the_figure_show_this_simulation(self):
        self.assertEqual(self.run_main("--check"), (0, "The document shows this simulation.\n"))

    def test_another_job(self):
        status, said = self.run_main("--rows", "1e6", "--members", "20", "--hidden", "32,16", "--memory", "1e8")
        self.assertEqual(status, 0)
        self.assertIn("Job: 1,000,000 rows of 90 inputs and 1 output(s), 20 members with hidden layers 32,16", said)
        self.assertIn("rows are read in every epoch", said)

    def test_another_job_is_not_recorded(self):
        status, said = self.run_main("--record", "--rows", "1e6")
        self.assertEqual(status, 2)
        self.assertIn("without options", said)

    def test_an_unknown_table_is_refused(self):
        self.assertEqual(self.run_main("--table", "xls")[0], 2)

    def test_every_option_has_words(self):
        _, said = self.run_main("--help")
        for kind in (Job, Machine, Measured):
            for field in dataclasses.fields(kind):
                self.assertIn(f"--{field.name.replace('_', '-')} ", said)

    def test_durations(self):
        expected = {0.1: "0 s", 5: "5 s", 119: "119 s", 120: "2 min", 7200: "2 h", 172800: "2 d", 1e9: "31.7 y"}
        self.assertEqual({seconds: simulate.duration(seconds) for seconds in expected}, expected)

    def test_where_half_of_the_speed_up_is_lost(self):
        """Training alone: half is kept up to twice as many ranks as members."""
        job = dataclasses.replace(JOB, evaluation_rows=0)
        machine = dataclasses.replace(SAFE, cores=1, node_reading=1e30, file_system=1e30, sync=0.0)
        model = Model(job, machine, dataclasses.replace(STILL, widening_passes=0.0, busy_share=1.0))
        self.assertTrue(197 <= simulate.last_efficient(model, "alone") <= 200)

    def test_lines_of_a_figure(self):
        drawn = svg.draw_lines([svg.Lines("a < b", "x", {"one": [(1, 1), (10, 5)], "two": [(1, 3), (10, 100)]})])
        ElementTree.fromstring(drawn)
        self.assertEqual(drawn.count("<circle"), 4)
        for words in ("a &lt; b", ">one<", ">two<", ">100<"):
            self.assertIn(words, drawn)

    def test_ways_are_explained(self):
        text = simulate.DOCUMENT.read_text(encoding="utf-8")
        for way in WAYS:
            self.assertIn(f"`{way}`", text)


if __name__ == "__main__":
    unittest.main()

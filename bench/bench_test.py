# SPDX-License-Identifier: Apache-2.0
"""The driver without its contenders: answers, rounds, ratios, gate, tables, fits. And one real window of ours."""

import math
import os
import tempfile
import unittest
from pathlib import Path

import gate
import report
import svg
from contenders import Absent, Contender, Window, format_request, parse_answer
from measure import Result, Value, disagreeing_losses, measure_group, value_of
from plan import SHAPES, Entry, Group, Ratio, Requirement, all_ratios, requirements
from program import status_bytes
from protocol import parse, run_window
from scaling import log_log_fit
from versions import OTHER, beside_other, version_ratios


def group(*names: str) -> Group:
    return Group("g", [Entry(name, "someone", "task", {}) for name in names])


class Protocol(unittest.TestCase):
    def test_a_request_is_read_as_it_was_written(self):
        line = format_request("train", {"rows": 437, "data": "/tmp/a=b"}, 0.2)
        self.assertEqual(parse(line), {"task": "train", "rows": "437", "data": "/tmp/a=b", "seconds": "0.2"})

    def test_an_answer_is_a_window(self):
        window = parse_answer("0.5 100 -1.25\n")
        self.assertEqual(window, Window(0.5, 100, -1.25))
        self.assertEqual(window.speed, 200)

    def test_whoever_does_not_answer_is_absent(self):
        for line, why in {"absent: no such task": "no such task", "": "ended", "nonsense\n": "nonsense"}.items():
            with self.assertRaisesRegex(Absent, why):
                parse_answer(line)

    def test_a_window_holds_whole_units(self):
        self.assertEqual(run_window(lambda: (0.3, 10, 7), 1.0), (1.2, 40, 7))

    def test_a_missing_program_is_absent_and_no_failure(self):
        with self.assertRaisesRegex(Absent, "No such file"):
            Contender(["/nowhere/program"]).ask("train", {}, 0.1)


class Rounds(unittest.TestCase):
    def test_contenders_take_turns_after_one_warm_up_each(self):
        asked = []

        def ask(entry: Entry) -> Window:
            asked.append(entry.name)
            return Window(1, len(asked), 0)

        results = measure_group(group("a", "b"), ask, 2)
        self.assertEqual(asked, ["a", "b", "a", "b", "b", "a"])
        self.assertEqual(results["a"].speeds, [3, 6])
        self.assertEqual((results["b"].best, results["b"].median), (5, 4.5))

    def test_an_absent_contender_is_asked_once(self):
        asked = []

        def ask(entry: Entry) -> Window:
            asked.append(entry.name)
            if entry.name == "b":
                raise Absent("not installed")
            return Window(1, 1, 0)

        results = measure_group(group("a", "b"), ask, 3)
        self.assertEqual(asked.count("b"), 1)
        self.assertEqual(results["b"].absent, "not installed")
        self.assertEqual(len(results["a"].speeds), 3)


class Ratios(unittest.TestCase):
    results = {"g": {"ours": Result([10, 20, 30]), "one": Result([4, 5, 6]), "two": Result([7, 9, 8]), "gone": Result(absent="why")}}

    def test_best_by_best_and_median_by_median_of_the_fastest_opponent(self):
        self.assertEqual(value_of(Ratio("k", "g", "ours", ("one", "two", "gone")), self.results), Value(30 / 9, 20 / 8))

    def test_a_factor_makes_operations_of_samples(self):
        self.assertEqual(value_of(Ratio("k", "g", "ours", ("one",), 3), self.results), Value(15, 12))

    def test_an_absent_side_has_no_ratio(self):
        self.assertIsNone(value_of(Ratio("k", "g", "ours", ("gone",)), self.results))
        self.assertIsNone(value_of(Ratio("k", "g", "gone", ("one",)), self.results))
        self.assertIsNone(value_of(Ratio("k", "not run", "ours", ("one",)), self.results))

    def test_a_loss_far_from_ours_is_named(self):
        results = {"train/x": {"credens": Result([1], -1.0), "peak": Result([1], 9), "near": Result([1], -1.1), "far": Result([1], 2)}}
        self.assertEqual([line.split(" ends")[0] for line in disagreeing_losses(results)], ["train/x: far"])


class Plan(unittest.TestCase):
    def test_operations_per_sample(self):
        self.assertEqual([shape.flops for shape in SHAPES], [65_920, 64_896, 203_136, 107_904])

    def test_keys_are_unique_and_every_requirement_has_a_ratio(self):
        keys = [ratio.key for ratio in all_ratios()]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual({one.key for one in requirements()} - set(keys), {"memory/full year over its data", "fit/1,000 x 8/seconds"})

    def test_bounds_hold_on_either_side(self):
        self.assertTrue(Requirement("t", "k", 4).is_met(4))
        self.assertFalse(Requirement("t", "k", 4).is_met(3.9))
        self.assertFalse(Requirement("t", "k", 1.3, at_most=True).is_met(1.4))


class Gate(unittest.TestCase):
    def test_names_what_is_worse_than_its_tolerance(self):
        now = {"train/year/a": Value(8.9, 8), "train/year/b": Value(9.1, 8), "widen/year/passes": Value(1.5, 1.5)}
        recorded = {"train/year/a": 10.0, "train/year/b": 10.0, "widen/year/passes": 1.3, "not measured": 5.0}
        found = gate.regressions(now, recorded, {"widen/year/passes"})
        self.assertEqual([sentence.split(":")[0] for sentence in found], ["train/year/a", "widen/year/passes"])

    def test_small_steps_may_vary_more(self):
        self.assertGreater(gate.tolerance_of("predict/qsar/1/over onnx"), gate.tolerance_of("predict/qsar/4096/over onnx"))
        self.assertGreater(gate.tolerance_of("train/yacht/share of peak"), gate.tolerance_of("train/year/share of peak"))

    def test_a_record_keeps_what_was_not_measured_again_and_no_seconds(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recorded.json"
            gate.write_record(path, {}, {"a": Value(1.23456, 1), "b": Value(2, 2), "fit/1,000 x 8/seconds": Value(0.3, 0.3)})
            gate.write_record(path, {}, {"b": Value(3, 3)})
            self.assertEqual(gate.read_ratios(path), {"a": 1.235, "b": 3})

    def test_another_kind_of_machine_is_named(self):
        recorded = {"processor": "A", "vectors": "AVX2", "cores": 2}
        self.assertEqual(gate.other_machine({"processor": "B", "vectors": "AVX2", "cores": 2}, recorded), "")
        self.assertIn("vectors AVX-512, recorded AVX2", gate.other_machine({"vectors": "AVX-512", "cores": 2}, recorded))

    def test_a_missing_record_is_said(self):
        with self.assertRaisesRegex(SystemExit, "nothing was recorded yet"):
            gate.read_ratios(Path("/nowhere/recorded.json"))


class Versions(unittest.TestCase):
    def test_ours_meets_the_other_version_and_nobody_else(self):
        entries = [Entry("peak", "credens", "peak", {}), Entry("credens", "credens", "train", {"rows": 8}), Entry("torch", "torch", "train", {})]
        both = beside_other(Group("train/x", entries)).entries
        self.assertEqual([(entry.contender, entry.task, entry.request) for entry in both],
                         [("credens", "train", {"rows": 8}), (OTHER, "train", {"rows": 8})])  # fmt: skip

    def test_above_one_this_version_is_faster(self):
        results = {"train/x": {"credens": Result([3.0, 4.0]), "credens (other)": Result([2.0, 2.0])}}
        self.assertEqual([(ratio.key, value_of(ratio, results).best) for ratio in version_ratios(results)], [("train/x/credens", 2.0)])


class Reports(unittest.TestCase):
    def test_required_rows_say_what_is_met(self):
        wanted = [Requirement("a", "a", 2), Requirement("b", "b", 2), Requirement("c", "c", 2)]
        rows = [report.required_row(one, {"a": Value(2.5, 2), "b": Value(1.5, 2)}) for one in wanted]
        self.assertEqual([row[3] for row in rows], ["yes", "NO", "-"])

    def test_an_absent_contender_is_shown_with_its_reason(self):
        self.assertIn("absent: not installed", report.speed_table({"g": {"peer": Result(absent="not installed")}}))

    def test_only_what_is_between_markers_is_replaced(self):
        text = "before\n<!-- x -->\nold\n<!-- end of x -->\nafter\n"
        once = report.replace_between(text, "x", "new")
        self.assertEqual(once, "before\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nafter\n")
        self.assertEqual(report.replace_between(once, "x", "new"), once)

    def test_a_document_without_markers_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "no markers"):
            report.replace_between("text", "x", "new")


class Scaling(unittest.TestCase):
    def test_the_fit_finds_a_power(self):
        fit = log_log_fit([(x, 3 * x**1.5) for x in (1, 2, 4, 8)])
        self.assertAlmostEqual(fit.exponent, 1.5)
        self.assertAlmostEqual(fit.constant, 3)

    def test_one_point_has_no_exponent(self):
        self.assertTrue(math.isnan(log_log_fit([(2, 3)]).exponent))

    def test_a_figure_has_all_points(self):
        panel = svg.Panel("t < u", "N", "seconds", [(1, 2), (2, 4), (4, 8)], 1.0, 2.0)
        drawn = svg.draw([panel, panel])
        self.assertEqual(drawn.count("<circle"), 6)
        self.assertIn("t &lt; u", drawn)

    def test_fields_of_a_process(self):
        self.assertEqual(status_bytes("Name:\tx\nRssAnon:\t   12 kB\n", "RssAnon"), 12288)
        self.assertEqual(status_bytes("Name:\tx\n", "VmHWM"), 0)


@unittest.skipUnless("CREDENS_BENCH_PROGRAM" in os.environ, "the program is not built")
class OurProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = Path(folder.name) / "rows.f32"
        self.contender = Contender([os.environ["CREDENS_BENCH_PROGRAM"]])
        self.addCleanup(self.contender.close)
        self.contender.ask("write_rows", {"data": self.data, "rows": 64, "inputs": 3}, 0)

    def request(self, **changes: object) -> dict[str, object]:
        return {"data": self.data, "rows": 64, "inputs": 3, "batch": 16, "epochs": 2, "threads": 2, "members": 2, "hidden": "8,4", **changes}

    def test_tasks_count_their_work(self):
        for task, work in {"train": 256, "fit": 256, "predict": 64, "widen": 64}.items():
            window = self.contender.ask(task, self.request(), 0)
            self.assertEqual(window.work, work, task)
            self.assertGreater(window.seconds, 0)

    def test_the_peak_is_positive(self):
        self.assertGreater(self.contender.ask("peak", {"threads": 1}, 0).speed, 1e8)

    def test_tables_are_written_and_read(self):
        table = self.data.with_suffix(".csv")
        self.contender.ask("write_csv", {"data": table, "rows": 30, "inputs": 4, "words": 0}, 0)
        self.assertEqual(len(table.read_text(encoding="utf-8").splitlines()), 31)
        self.assertEqual(self.contender.ask("csv", {"data": table, "threads": 1}, 0).work, 30)
        words = self.data.with_suffix(".words.csv")
        self.contender.ask("write_csv", {"data": words, "rows": 30, "inputs": 4, "words": 1}, 0)
        self.assertIn("level", words.read_text())
        self.assertEqual(self.contender.ask("csv_stream", {"data": words, "threads": 1}, 0).work, 30)

    def test_what_it_cannot_do_it_says(self):
        with self.assertRaisesRegex(Absent, "no task juggle"):
            self.contender.ask("juggle", {}, 0)


if __name__ == "__main__":
    unittest.main()

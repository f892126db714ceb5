# SPDX-License-Identifier: Apache-2.0
"""Scores, columns and results of the comparison with CatBoost, without CatBoost."""

import json
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    import pandas
    from beside_catboost import Record, credens_scores, for_catboost, markdown, mixture_scores, moment_scores
    from missing import with_missing
except ImportError as absent:
    raise unittest.SkipTest(f"{absent.name} is not installed") from absent

GRID = np.linspace(-40, 40, 400001)


def integrated(target, means, variances):
    """NLL and CRPS of one target by sums over a grid."""
    components = np.exp(-((GRID[:, None] - means) ** 2) / (2 * variances)) / np.sqrt(2 * np.pi * variances)
    density = components.mean(1)
    step = GRID[1] - GRID[0]
    distribution = np.cumsum(density) * step
    return -np.log(np.interp(target, GRID, density)), np.sum((distribution - (GRID >= target)) ** 2) * step


class Scores(unittest.TestCase):
    targets = np.array([0.3, -2.0, 5.0])
    means = np.array([[0.0, -1.0, 4.0], [1.0, -1.5, 8.0]])
    variances = np.array([[1.0, 0.25, 4.0], [2.0, 0.5, 0.3]])

    def test_a_mixture_is_scored_as_by_integration(self):
        scores = mixture_scores(self.targets, self.means, self.variances)
        wanted = np.mean([integrated(*one) for one in zip(self.targets, self.means.T, self.variances.T)], 0)
        self.assertAlmostEqual(scores["nll"], wanted[0], 4)
        self.assertAlmostEqual(scores["crps"], wanted[1], 3)
        self.assertAlmostEqual(scores["rmse"], np.sqrt((0.2**2 + 0.75**2 + 1) / 3))

    def test_moments_are_those_of_the_mixture(self):
        scores = moment_scores(self.targets[:1], self.means[:, :1], self.variances[:, :1])
        self.assertAlmostEqual(scores["nll"], 0.5 * np.log(2 * np.pi * 1.75) + 0.2**2 / 3.5)

    def test_targets_in_the_interval_are_counted(self):
        targets = np.array([1.95, -1.95, 1.97, 0])
        self.assertEqual(mixture_scores(targets, np.zeros((1, 4)), np.ones((1, 4)))["coverage"], 0.75)


class Columns(unittest.TestCase):
    def test_words_dates_and_gaps(self):
        table = pandas.DataFrame({"n": [1.5, np.nan], "w": ["a", None], "d": ["2024-02-29", "1970-01-02"], "b": [True, False]})
        columns, categories = for_catboost(table)
        self.assertEqual(categories, ["w"])
        self.assertEqual(list(columns["w"]), ["a", "(missing)"])
        self.assertEqual(list(columns.iloc[0].drop("w")), [1.5, 19782, 2, 60, 3, 1])
        self.assertEqual(columns["d day"][1], 1)
        self.assertTrue(np.isnan(columns["n"][1]))

    def test_cells_are_deleted_and_targets_kept(self):
        rows = np.arange(5000.0).reshape(1000, 5)
        table = with_missing(rows, 20, 3)
        self.assertFalse(table["y"].isna().any())
        share = table.drop(columns="y").isna().to_numpy().mean()
        self.assertAlmostEqual(share, 0.2, delta=0.03)
        self.assertTrue(table.equals(with_missing(rows, 20, 3)))
        self.assertEqual(rows[0, 0], 0)


class Results(unittest.TestCase):
    def test_a_stopped_run_goes_on_and_a_refusal_is_tried_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "results.json")
            Record(path).complete("a", 0, "m", lambda: {"m": {"rmse": 1}})
            Record(path).complete("a", 1, "m", lambda: {"m": {"error": "no"}})
            again = Record(path)
            again.complete("a", 0, "m", lambda: self.fail("computed twice"))
            again.complete("a", 1, "m", lambda: {"m": {"rmse": 2}})
            self.assertEqual(json.loads(path.read_text()), {"a": {"0": {"m": {"rmse": 1}}, "1": {"m": {"rmse": 2}}}})

    def test_the_best_form_of_catboost_counts(self):
        one = lambda *numbers: dict(zip(("rmse", "nll", "crps", "coverage"), numbers))
        split = {"credens": one(1, 0.5, 3, 0.95), "catboost constant": one(2, 0.9, 2, 0.9), "catboost mixture": one(3, 0.7, 4, 0.8)}
        lines = markdown({"t": {"0": split}, "u": {"0": {"credens": {"error": "no"}}}}, "table").splitlines()
        self.assertEqual(lines[2], "| t | 1 | **1** / 2 | **0.500** / 0.700 | 3 / **2** | 95.0 % / 80.0 % |")
        self.assertEqual(lines[3], "| u | 1 | not complete |")
        self.assertEqual(lines[-1], "Credens is better on these of 2: RMSE 1, NLL 1, CRPS 0")

    def test_a_program_that_refuses_is_no_crash(self):
        table = pandas.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]})
        self.assertEqual(credens_scores("false", table, "y", [0], [1]), {"error": "", "status": 1})


if __name__ == "__main__":
    unittest.main()

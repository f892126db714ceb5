# SPDX-License-Identifier: Apache-2.0
"""Credens and CatBoost trained and scored on the same rows of a table as it is (raw_tables.py, missing.py).

CatBoost gets what its users give it: words as its native categories with missing words as a category of their own,
missing numbers as they are, and a date as the number of its day, its month, day of the year and weekday. It is five
models, each stopped early by one fold of the training rows, in two forms: with loss RMSE and a constant noise, the mean
squared error of the folds; and with loss RMSEWithUncertainty, whose five Gaussians are scored as a mixture and as the
Gaussian of the same moments. Of each score CatBoost's best form counts, although only the test rows tell which it is.

Needs numpy, pandas, scipy and catboost.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.special import logsumexp, ndtr

FOLDS = 5
NORMAL_QUANTILE = 1.959963984540054  # of the 95 % interval
SCORES = ("rmse", "nll", "crps", "coverage")
COUNTED = SCORES[:3]  # lower is better
CREDENS = "credens"
MISSING_WORD = "(missing)"


def absolute_value(means, variances):
    """Expected absolute value of Gaussian numbers."""
    std = np.sqrt(variances)
    z = means / std
    return std * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2) + means * (2 * ndtr(z) - 1)


def mixture_scores(targets, means, variances):
    """Scores of equally weighted Gaussians: means and variances have a row for each and a column for each target.

    The CRPS is E|X - y| - E|X - X'| / 2 with X and X' drawn from the mixture. The 95 % interval is that of the Gaussian
    with the mean and variance of the mixture, as in `credens evaluate`."""
    residuals = targets - means
    log_densities = -0.5 * (np.log(2 * np.pi * variances) + residuals**2 / variances)
    spread = np.mean([absolute_value(means - m, variances + v) for m, v in zip(means, variances)], axis=(0, 1))
    error = targets - means.mean(0)
    total = variances.mean(0) + means.var(0)
    return {
        "rmse": float(np.sqrt(np.mean(error**2))),
        "nll": float(np.log(len(means)) - np.mean(logsumexp(log_densities, axis=0))),
        "crps": float(np.mean(absolute_value(residuals, variances).mean(0) - spread / 2)),
        "coverage": float(np.mean(np.abs(error) <= NORMAL_QUANTILE * np.sqrt(total))),
    }


def moment_scores(targets, means, variances):
    return mixture_scores(targets, means.mean(0)[None], (variances.mean(0) + means.var(0))[None])


def is_date(column):
    """Whether all words of a column are days as ISO 8601 writes them."""
    words = column.dropna()
    return len(words) > 0 and bool(words.astype(str).str.fullmatch(r"\d{4}-\d\d-\d\d").all())


def for_catboost(inputs):
    """The columns that CatBoost gets, and the names of its categories."""
    import pandas

    columns, categories = {}, []
    for name in inputs:
        column = inputs[name]
        if column.dtype.kind in "ifb":
            columns[name] = column.astype(float)
        elif is_date(column):
            day = pandas.to_datetime(column)
            columns[f"{name} day"] = (day - pandas.Timestamp("1970-01-01")).dt.days
            for part in ("month", "day_of_year", "day_of_week"):
                columns[f"{name} {part}"] = getattr(day.dt, part)
        else:
            columns[name] = column.astype(object).where(column.notna(), MISSING_WORD).astype(str)
            categories.append(name)
    return pandas.DataFrame(columns), categories


def catboost_models(pool, loss="RMSE"):
    """Five models, each with the rows of the pool that stopped it early."""
    from catboost import CatBoostRegressor

    order = np.random.default_rng(0).permutation(pool.num_row())
    for fold in range(FOLDS):
        held = order[fold::FOLDS]
        model = CatBoostRegressor(
            loss_function=loss,
            iterations=2000,
            early_stopping_rounds=100,
            random_seed=fold,
            verbose=0,
            allow_writing_files=False,
        )
        held_out = pool.slice(held)
        yield model.fit(pool.slice(np.setdiff1d(order, held)), eval_set=held_out), held_out


def with_constant_noise(pool, test):
    """Mean of the models and one variance, the mean squared error of their folds; shapes are [1, rows]."""
    means, errors = [], []
    for model, held_out in catboost_models(pool):
        means.append(model.predict(test))
        errors.append((np.asarray(held_out.get_label(), float) - model.predict(held_out)) ** 2)
    return np.mean(means, 0)[None], np.full((1, len(means[0])), np.mean(np.concatenate(errors)))


def with_learned_noise(pool, test):
    """Means and variances of the models, [models, rows]."""
    told = np.array([model.predict(test) for model, _ in catboost_models(pool, "RMSEWithUncertainty")])
    return told[:, :, 0], told[:, :, 1]


def catboost_scores(table, target, train, test):
    """Scores of CatBoost's three forms; train and test are row numbers of the table."""
    from catboost import Pool

    inputs, categories = for_catboost(table.drop(columns=target))
    targets = table[target].to_numpy(float)
    # CatBoost learns in float32: targets far from 0 would lose digits.
    shift, scale = targets[train].mean(), targets[train].std()
    pool, new = (Pool(inputs.iloc[rows], (targets[rows] - shift) / scale, cat_features=categories) for rows in (train, test))
    unscaled = lambda means, variances: (targets[test], shift + scale * means, scale**2 * variances)
    started = time.monotonic()
    constant, learned = unscaled(*with_constant_noise(pool, new)), unscaled(*with_learned_noise(pool, new))
    return {
        "catboost constant": mixture_scores(*constant) | {"seconds": time.monotonic() - started},
        "catboost mixture": mixture_scores(*learned),
        "catboost moments": moment_scores(*learned),
    }


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def credens_scores(program, table, target, train, test, flags=()):
    """Scores of `credens fit` with its summary and warnings, or the sentence with which it refused the table."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("train.csv", "test.csv")]
        for path, rows in zip(paths, (train, test)):
            table.iloc[rows].to_csv(path, index=False)
        model = Path(folder, "model.safetensors")
        started = time.monotonic()
        fit = run(program, "fit", paths[0], "--target", target, "-o", model, "--progress", "none", *flags)
        seconds = time.monotonic() - started
        if fit.returncode:
            return {"error": fit.stderr.strip(), "status": fit.returncode}
        judged = run(program, "evaluate", model, paths[1], "--json")
        if judged.returncode:
            return {"error": judged.stderr.strip(), "status": judged.returncode}
    found = json.loads(judged.stdout)
    scores = {"rmse": found["rmse"], "coverage": found["extended"]["total_coverage"]}
    scores |= {name: found["extended"][name] for name in ("nll", "crps")}
    return scores | {"seconds": seconds, "summary": fit.stdout, "warnings": fit.stderr + judged.stderr}


class Record:
    """Results in a JSON file, {case: {split: {method: scores}}}: a run that was stopped goes on where it ended."""

    def __init__(self, path):
        self.path = path
        self.results = json.loads(path.read_text()) if path and path.exists() else {}

    def complete(self, case, split, name, compute):
        """Adds the scores of methods unless they are there; name is one of those that compute gives. A refused table
        is tried again."""
        done = self.results.setdefault(case, {}).setdefault(str(split), {})
        if "rmse" in done.get(name, {}):
            return
        done.update(compute())
        if self.path:
            beside = self.path.with_suffix(".part")
            beside.write_text(json.dumps(self.results, indent=1))
            os.replace(beside, self.path)


def compare(record, case, split, program, *rows_of_table, flags=()):
    """Scores of both, unless the record has them; rows_of_table are table, target, training and test rows."""
    record.complete(case, split, CREDENS, lambda: {CREDENS: credens_scores(program, *rows_of_table, flags)})
    record.complete(case, split, "catboost constant", lambda: catboost_scores(*rows_of_table))


def means(splits):
    """Mean scores of each method over the splits; a method that failed in one of them has none."""
    methods = {method for one in splits.values() for method in one}
    whole = [method for method in sorted(methods) if all("rmse" in one.get(method, {}) for one in splits.values())]
    return {
        method: {score: float(np.mean([one[method][score] for one in splits.values()])) for score in SCORES} for method in whole
    }


def best_of_catboost(scores):
    """The best of each score over the forms of CatBoost; the coverage is that of the form with the best NLL."""
    forms = [one for method, one in scores.items() if method != CREDENS]
    best = {score: min(one[score] for one in forms) for score in COUNTED}
    return best | {"coverage": min(forms, key=lambda one: one["nll"])["coverage"]}


def row(case, splits):
    """A line of the markdown table, and the scores in which Credens is better."""
    scores = means(splits)
    cells = [case, str(len(splits))]
    if len(scores) < 2 or CREDENS not in scores:
        return "| " + " | ".join([*cells, "not complete"]) + " |", set()
    ours, theirs = scores[CREDENS], best_of_catboost(scores)
    better = {score for score in COUNTED if ours[score] < theirs[score]}
    for score in COUNTED:
        words = [f"{one[score]:.4g}" if score != "nll" else f"{one[score]:.3f}" for one in (ours, theirs)]
        words[score not in better] = f"**{words[score not in better]}**"
        cells.append(" / ".join(words))
    cells.append(" / ".join(f"{100 * one['coverage']:.1f} %" for one in (ours, theirs)))
    return "| " + " | ".join(cells) + " |", better


def markdown(results, heading):
    """Both side by side, Credens first, and how often it is better."""
    lines = [f"| {heading} | splits | RMSE | NLL | CRPS | coverage of 95 % |", "|---|---|---|---|---|---|"]
    counts = dict.fromkeys(COUNTED, 0)
    for case, splits in results.items():
        line, better = row(case, splits)
        lines.append(line)
        for score in better:
            counts[score] += 1
    wins = ", ".join(f"{score.upper()} {count}" for score, count in counts.items())
    return "\n".join([*lines, "", f"Credens is better on these of {len(results)}: {wins}"])

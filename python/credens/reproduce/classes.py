# SPDX-License-Identifier: Apache-2.0
"""The benchmark of classes: public tables as they are, each method trained and scored on the same splits.

The series `foreign` asks how well rows of no class are told: networks learn the digits 0 to 4 from few rows, and the digits 5
to 9 are foreign.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._class_predictive import ClassPredictive
from .._dataset import Dataset
from .class_methods import ClassMethod, quiet
from .class_scores import auroc, class_scores
from .class_tables import ClassRows, stratified_parts, thinned
from .results import CLASSICAL, EXTENDED, Key, Measurement
from .runs import Context, Options, Run, fit, words_of

TABLES = "tables"
FOREIGN = "foreign"
CREDENS = "credens"
TARGET = "label of the row"
SCORES = ("log_loss", "brier", "accuracy", "ece")

FOREIGN_ROWS = {"digits": (50, 100, 300), "optdigits": (50, 100, 300, 1000), "mnist": (50, 100, 300, 1000)}
"""Training rows of each table of digits."""
FOREIGN_SPLITS = 3
MOST_FOREIGN_ROWS = 1000
OWN_DIGITS = ("0", "1", "2", "3", "4")
UNCERTAINTIES = ("entropy", "epistemic", "confidence")

EFFORT_OF_CREDENS = 20.0


def _dataset(rows: ClassRows, numbers: np.ndarray, classes: Sequence[str]) -> Dataset:
    table = rows.inputs.iloc[numbers].assign(**{TARGET: rows.labels[numbers]})
    return Dataset.from_table(table, targets=TARGET, task="classification", classes=list(classes))


def _effort(rows: int, inputs: int) -> float:
    """One thousand rows of ten inputs are 1."""
    return rows / 1000 * (1 + inputs / 30)


def _key(rows: ClassRows, method: str) -> Key:
    return Key(TABLES, rows.known.name, rows.training_rows, method=method)


def _measured(key: Key, found: dict[str, float]) -> list[Measurement]:
    return [Measurement(replace(key, metric=metric), value) for metric, value in found.items()]


# ---- tables ----


def _credens_work(rows: ClassRows, split: int, options: Options, context: Context) -> list[Measurement]:
    parts = rows.parts(split)
    start = time.perf_counter()
    wide = fit(_dataset(rows, parts.train, rows.classes), options, context)
    seconds = time.perf_counter() - start
    inputs = rows.inputs.iloc[parts.test]
    labels = np.searchsorted(rows.classes, rows.labels[parts.test])
    found = []
    for method in (CLASSICAL, EXTENDED):
        predictive = wide.predict_classes(inputs, classical=method == CLASSICAL, threads=context.threads)
        scores = class_scores(predictive.probability, labels)
        if method == EXTENDED:
            scores |= {"members": float(wide.members), "seconds": seconds}
        found += _measured(_key(rows, method), scores)
    return found


def _peer_work(rows: ClassRows, split: int, method: ClassMethod, context: Context) -> list[Measurement]:
    parts = rows.parts(split)
    labels = np.searchsorted(rows.classes, rows.labels)
    with quiet():
        start = time.perf_counter()
        predict = method.fit(rows.inputs.iloc[parts.train], labels[parts.train], context.threads)
        seconds = time.perf_counter() - start
        probability = predict(rows.inputs.iloc[parts.test])
    scores = class_scores(probability, labels[parts.test])
    return _measured(_key(rows, method.name), {**scores, "seconds": seconds})


def _settings(rows: ClassRows, split: int, how: str) -> str:
    return f"classes, {rows.known.name} {rows.fingerprint}, split {split}, {rows.training_rows} training rows; {how}"


def credens_runs(rows: ClassRows, splits: range, options: Options) -> list[Run]:
    """Each measures SCORES of the classical and the extended ensemble; of the extended also `members` and `seconds`."""
    inputs = rows.inputs.shape[1]
    how = words_of(options, rows.training_rows, inputs, 1, len(rows.classes))
    return [
        Run(
            name=f"classes-{rows.known.name}-{split}-{CREDENS}",
            settings=_settings(rows, split, how),
            effort=EFFORT_OF_CREDENS * _effort(rows.training_rows, inputs),
            work=lambda context, split=split: _credens_work(rows, split, options, context),
        )
        for split in range(splits.start, min(splits.stop, rows.splits))
    ]


def peer_runs(rows: ClassRows, splits: range, method: ClassMethod) -> list[Run]:
    """Each measures SCORES and `seconds`; none for a table of more rows than the method takes here."""
    if rows.training_rows > method.most_rows:
        return []
    return [
        Run(
            name=f"classes-{rows.known.name}-{split}-{method.name}",
            settings=_settings(rows, split, method.settings),
            effort=method.effort * _effort(rows.training_rows, rows.inputs.shape[1]),
            work=lambda context, split=split: _peer_work(rows, split, method, context),
        )
        for split in range(splits.start, min(splits.stop, rows.splits))
    ]


# ---- foreign rows ----


def _uncertainty(predictive: ClassPredictive, kind: str) -> np.ndarray:
    return 1 - predictive.confidence if kind == "confidence" else getattr(predictive, kind)


def _foreign_work(rows: ClassRows, count: int, split: int, options: Options, context: Context) -> list[Measurement]:
    is_own = np.isin(rows.labels, OWN_DIGITS)
    own, foreign = np.flatnonzero(is_own), np.flatnonzero(~is_own)
    parts = stratified_parts(rows.labels[own], split)
    train = thinned(own[parts.train][np.argsort(rows.labels[own[parts.train]], kind="stable")], count)
    strangers = thinned(foreign, MOST_FOREIGN_ROWS)
    wide = fit(_dataset(rows, train, OWN_DIGITS), options, context)
    found = []
    for method in (CLASSICAL, EXTENDED):
        known, strange = (
            wide.predict_classes(rows.inputs.iloc[chosen], classical=method == CLASSICAL, threads=context.threads)
            for chosen in (own[parts.test], strangers)
        )
        values = {
            f"auroc_by_{kind}": auroc(_uncertainty(known, kind), _uncertainty(strange, kind)) for kind in UNCERTAINTIES
        }
        found += _measured(Key(FOREIGN, rows.known.name, count, method=method), values)
    return found


def foreign_runs(rows: ClassRows, splits: range, options: Options) -> list[Run]:
    """Each measures the AUROC of foreign rows by UNCERTAINTIES, classical and extended."""
    inputs = rows.inputs.shape[1]
    return [
        Run(
            name=f"classes-foreign-{rows.known.name}-{count}-{split}",
            settings=f"foreign digits, {rows.known.name} {rows.fingerprint}, split {split}; "
            + words_of(options, count, inputs, 1, len(OWN_DIGITS)),
            effort=EFFORT_OF_CREDENS * _effort(count, inputs),
            work=lambda context, count=count, split=split: _foreign_work(rows, count, split, options, context),
        )
        for count in FOREIGN_ROWS.get(rows.known.name, ())
        for split in range(splits.start, min(splits.stop, FOREIGN_SPLITS))
    ]

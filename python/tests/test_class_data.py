# SPDX-License-Identifier: Apache-2.0
"""Labels of any type become classes, as they do in a file."""

import pickle

import numpy as np
import pytest

import credens

WORDS = ["dog", "cat", "cow", "cat", "dog", "cow"]
X = np.arange(12.0).reshape(6, 2)


def labels_of_many_types():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    return {
        "list": WORDS,
        "str": np.array(WORDS),
        "object": np.array(WORDS, dtype=object),
        "column": np.array(WORDS)[:, np.newaxis],
        "pandas object": pandas.Series(WORDS, dtype=object),
        "pandas string": pandas.Series(WORDS, dtype="string"),
        "pandas categorical": pandas.Series(WORDS, dtype="category"),
        "pandas frame": pandas.DataFrame({"y": WORDS}),
        "polars": polars.Series(WORDS),
        "polars categorical": polars.Series(WORDS, dtype=polars.Categorical),
        "polars frame": polars.DataFrame({"y": WORDS}),
        "Arrow": pyarrow.array(WORDS),
        "Arrow chunked": pyarrow.chunked_array([WORDS[:2], WORDS[2:]]),
        "Arrow dictionary": pyarrow.array(WORDS).dictionary_encode(),
        "Arrow table": pyarrow.table({"y": WORDS}),
    }


def test_words_of_any_type_are_classes():
    fingerprints = set()
    for kind, labels in labels_of_many_types().items():
        data = credens.Dataset(X, labels)
        assert data.task == "classification" and data.classes == ["cat", "cow", "dog"], kind
        assert data.labels.tolist() == WORDS and data.target_names == ["y"], kind
        fingerprints.add(data.fingerprint)
    assert len(fingerprints) == 1


def test_flags_are_classes():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    flags = [True, False, True, True, False, True]
    for labels in (flags, np.array(flags), pandas.Series(flags), pandas.Series(flags, dtype="boolean"), polars.Series(flags)):
        data = credens.Dataset(X, labels)
        assert data.task == "classification" and data.classes == ["False", "True"]
        assert data.labels.tolist() == [str(flag) for flag in flags]
    assert credens.Dataset(X, flags, task="regression").targets[:, 0].tolist() == [1, 0, 1, 1, 0, 1]


def test_numbers_are_classes_where_the_task_says_so():
    labels = [3, 1, 2, 1, 10, 3]
    assert credens.Dataset(X, labels).task == "regression" and credens.Dataset(X, labels).classes == []
    data = credens.Dataset(X, np.array(labels), task="classification")
    assert data.classes == [1, 2, 3, 10] and data.labels.tolist() == labels
    assert credens.Dataset(X, [0.5, 1, 0.5, 1, 1, 1], task="classification").classes == [0.5, 1.0]
    given = credens.Dataset(X, labels, classes=[10, 3, 2, 1, 7])
    assert given.task == "classification" and given.classes == [10, 3, 2, 1, 7]


def test_classes_have_the_given_order():
    data = credens.Dataset(X, WORDS, classes=["dog", "cat", "owl", "cow"])
    assert data.classes == ["dog", "cat", "owl", "cow"] and data.select([0, 1]).classes == data.classes
    with pytest.raises(credens.UsageError, match='2 rows of the class "cow", which is none of those given: dog, cat'):
        credens.Dataset(X, WORDS, classes=["dog", "cat"]).classes


def test_missing_labels_are_left_out():
    labels = np.array(["a", None, "b", "a", "b", "NA"], dtype=object)
    data = credens.Dataset(X, labels)
    assert data.labels.tolist() == ["a", None, "b", "a", "b", None] and data.classes == ["a", "b"]
    masked = np.ma.masked_array(["a", "x", "b", "a", "b", "b"], mask=[0, 1, 0, 0, 0, 0])
    assert credens.Dataset(X, masked).labels.tolist() == ["a", None, "b", "a", "b", "b"]


def test_a_table_gives_the_classes_of_its_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": WORDS})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    made = [credens.Dataset.from_csv(tmp_path / "t.csv", "kind")]
    made += [credens.Dataset.from_file(tmp_path / "t.parquet", "kind"), credens.Dataset.from_table(frame, "kind")]
    made += [credens.Dataset(frame[["a", "b"]], frame["kind"])]
    for data in made:
        assert data.task == "classification" and data.classes == ["cat", "cow", "dog"]
        assert data.labels.tolist() == WORDS and data.fingerprint == made[0].fingerprint
    numbers = credens.Dataset.from_table(frame, "a", ignore=["kind"], task="classification")
    assert numbers.classes == [0, 2, 4, 6, 8, 10]


def test_counts_are_shares_with_weights(tmp_path):
    pandas = pytest.importorskip("pandas")
    counts = np.array([[3, 1], [0, 2], [5, 5], [1, 0], [2, 2], [0, 8]])
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "no": counts[:, 0], "yes": counts[:, 1]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = [
        credens.Dataset(X, counts=counts, classes=["no", "yes"]),
        credens.Dataset(X, counts=frame[["no", "yes"]]),
        credens.Dataset.from_table(frame, counts=["no", "yes"]),
        credens.Dataset.from_csv(tmp_path / "t.csv", counts=["no", "yes"]),
    ]
    for data in made:
        assert data.classes == ["no", "yes"] and data.task == "classification" and data.labels is None
        np.testing.assert_array_equal(data.targets, counts / counts.sum(axis=1, keepdims=True))
        np.testing.assert_array_equal(data.weights, counts.sum(axis=1))
    weighted = credens.Dataset(X, counts=counts, weights=np.arange(1.0, 7))
    np.testing.assert_array_equal(weighted.weights, counts.sum(axis=1) * np.arange(1, 7))


def test_datasets_with_classes_can_be_pickled_and_split():
    for data in (
        credens.Dataset(X, WORDS, classes=["dog", "cat", "owl", "cow"]),
        credens.Dataset(X, [1, 2, 1, 2, 1, 2], task="classification", target_names=["digit"]),
        credens.Dataset(X, counts=np.arange(12).reshape(6, 2) + 1),
    ):
        again = pickle.loads(pickle.dumps(data))
        assert again.fingerprint == data.fingerprint and again.classes == data.classes and again.task == data.task
        assert repr(again) == repr(data) and "task='classification'" in repr(data)
        np.testing.assert_array_equal(again.targets, data.targets)
        rest, test = data.split(0.3, seed=1)
        assert rest.task == test.task == "classification" and len(rest) + len(test) == 6


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"targets": np.column_stack([WORDS, WORDS])}, "holds words, and a classification has one target, found 2"),
        ({"targets": np.ones((6, 3)), "task": "classification"}, "targets has 3 columns, expected 1 for a classification; counts"),
        ({"targets": WORDS, "noise_std": np.ones(6)}, "noise_std is given, which classes do not have"),
        ({"targets": np.arange(6), "task": "classification", "noise_std": np.ones(6)}, "noise_std is given, which classes"),
        ({"counts": np.ones((6, 2)), "noise_std": np.ones(6)}, "noise_std is given, which classes"),
        ({"targets": WORDS, "task": "regression"}, 'row 0, column 0 is "dog", expected a finite number'),
        ({"targets": WORDS, "strict": True}, "expected a finite number"),
        ({"targets": WORDS, "task": "clustering"}, 'task "clustering" is unknown, expected one of auto, regression, classif'),
        ({"targets": WORDS, "classes": "dog"}, "classes is 'dog', expected a list of labels"),
        ({"targets": np.arange(6), "classes": [0, 1], "task": "regression"}, "the task is regression, but classes are given"),
        ({"targets": WORDS, "counts": np.ones((6, 2))}, "targets and counts are given, expected one of the two"),
        ({"counts": np.ones((6, 1))}, "counts has 1 column, expected one for each class"),
        ({"counts": [[1, 1], [0, 0]] * 3}, "counts: row 1, column 0: all counts of the row are 0, expected at least one above 0"),
        ({"counts": [[1, -1]] * 6}, "counts: row 0, column 1: the count is -1, expected 0 or more"),
        ({"targets": ["a", 1.5, 2.5, 3.5, 4.5, 5.5]}, '"a", expected a finite number'),
    ],
)
def test_targets_that_are_no_classes(parts, sentence):
    with pytest.raises(ValueError) as caught:
        credens.Dataset(X, **parts)
    assert sentence in str(caught.value)


def test_tables_that_are_no_classes():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X[:, 0], "s": X[:, 1] + 1, "kind": WORDS, "other": WORDS})
    for options, sentence in (
        ({"targets": ["kind", "other"]}, "holds words, and a classification has one target, found 2"),
        ({"targets": "kind", "noise_std": "s"}, "known noise is given, which classes do not have"),
        ({"targets": ["a", "s"], "task": "classification"}, "2 targets of a classification, expected 1"),
        ({"targets": "kind", "task": "regression"}, 'is "dog", expected a finite number'),
        ({"targets": "kind", "counts": ["a", "s"]}, "both a target and counts are given"),
        ({"counts": ["a", "s"], "classes": ["x", "y"]}, "classes are given beside counts"),
    ):
        with pytest.raises(ValueError) as caught:
            credens.Dataset.from_table(frame, **options)
        assert sentence in str(caught.value)
    with pytest.raises(credens.UsageError, match="task is given beside a Dataset, expected it inside"):
        credens.fit(credens.Dataset(X, WORDS), task="classification")

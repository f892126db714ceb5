# SPDX-License-Identifier: Apache-2.0
"""Datasets from arrays, lists, pandas, polars, Arrow and files; errors name the place."""

import decimal
import pickle

import numpy as np
import pytest
from conftest import QUICK, table, write_csv

import credens

X = np.arange(12.0).reshape(6, 2)
Y = np.arange(6.0)
COLUMNS = {"a": X[:, 0], "b": X[:, 1], "y": Y}


def frame(kind, columns=None):
    module = pytest.importorskip(kind)
    columns = COLUMNS if columns is None else columns
    return module.table(columns) if kind == "pyarrow" else module.DataFrame(columns)


kinds = pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])


def test_arrays_lists_and_other_types_give_the_same_rows():
    expected = credens.Dataset(X, Y).fingerprint
    assert credens.Dataset(X.tolist(), Y.tolist()).fingerprint == expected
    assert credens.Dataset(X.astype(np.float32), Y.astype(int)).fingerprint == expected
    assert credens.Dataset(np.asfortranarray(X), Y[:, np.newaxis]).fingerprint == expected
    assert credens.Dataset(X[::-1][::-1], list(map(decimal.Decimal, Y.tolist()))).fingerprint == expected


def test_what_a_dataset_says():
    data = credens.Dataset(X, Y, weights=Y + 1, noise_std=0.1 * (Y + 1), input_names=["a", "b"], target_names=["t"])
    np.testing.assert_array_equal(data.inputs, X)
    np.testing.assert_array_equal(data.targets[:, 0], Y)
    np.testing.assert_array_equal(data.weights, Y + 1)
    np.testing.assert_array_equal(data.noise_std[:, 0], 0.1 * (Y + 1))
    assert data.input_names == ["a", "b"] and data.target_names == ["t"] and len(data) == 6
    with pytest.raises(ValueError, match="read-only"):
        data.inputs[0, 0] = 1


def test_datasets_can_be_pickled_selected_and_split():
    data = credens.Dataset(X, Y, weights=Y, input_names=["a", "b"])
    assert pickle.loads(pickle.dumps(data)).fingerprint == data.fingerprint
    np.testing.assert_array_equal(data.select([4, 1]).targets[:, 0], [4, 1])
    np.testing.assert_array_equal(data.select(Y > 3).targets[:, 0], [4, 5])
    rest, test = data.split(test_fraction=0.3, seed=2)
    assert sorted([*rest.targets[:, 0], *test.targets[:, 0]]) == Y.tolist()


def test_a_large_array_is_predicted_at_without_a_copy(model):
    """Rows that lie in one piece are read where they are, strides between them included."""
    wide = np.random.default_rng(1).normal(size=(50, 5))
    np.testing.assert_array_equal(model.predict(wide[::2, 1:3]).mean, model.predict(wide[::2, 1:3].copy()).mean)
    assert credens._tables.matrix(wide[::2, 1:3], "x").base is not None
    np.testing.assert_array_equal(model.predict(wide[::-1, 3:0:-2]).mean, model.predict(wide[::-1, 3:0:-2].copy()).mean)


# ---- tables ----


@kinds
def test_a_table_is_the_file_of_its_columns(kind, tmp_path):
    write_csv(tmp_path / "t.csv", ["a", "b", "y"], [X, Y])
    expected = credens.Dataset.from_csv(tmp_path / "t.csv", "y")
    data = credens.Dataset.from_table(frame(kind), "y")
    assert data.fingerprint == expected.fingerprint
    assert pickle.dumps(data) == pickle.dumps(expected)
    assert credens.fit(frame(kind), "y", **QUICK) == credens.fit(expected, **QUICK)


@kinds
def test_columns_keep_their_names_and_are_found_by_them(kind):
    x, y = table()
    model = credens.fit(frame(kind, {"a": x[:, 0], "b": x[:, 1]}), y, **QUICK)
    assert model.input_names == ["a", "b"] and model.target_names == ["y"]
    other = frame(kind, {"id": np.arange(len(y)), "b": x[:, 1], "a": x[:, 0]})
    np.testing.assert_array_equal(model.predict(other).mean, model.predict(x).mean)
    swapped = credens.Dataset(x[:, ::-1], y, input_names=["b", "a"])
    np.testing.assert_array_equal(model.predict(swapped).mean, model.predict(x).mean)
    with pytest.raises(ValueError, match='inputs: no column "b", an input of the model'):
        model.predict(frame(kind, {"a": x[:, 0], "c": x[:, 1]}))


@kinds
def test_columns_that_are_not_used_may_hold_anything(kind):
    columns = {"id": [b"u", b"v", b"w", b"x", b"y", b"z"], "a": [1.0, 2.0, None, 4.0, 5.0, 6.0], "b": X[:, 1], "y": Y}
    with pytest.raises(ValueError, match='table: row 0, column "id" is .*, expected a finite number'):
        credens.Dataset.from_table(frame(kind, columns), "y", inputs=["id", "b"])
    with pytest.raises(ValueError, match='table: row 2, column "a" is missing, expected a finite number'):
        credens.Dataset.from_table(frame(kind, columns), "y", ignore="id", strict=True)
    with pytest.raises(ValueError, match='table: no column "z"'):
        credens.Dataset.from_table(frame(kind, columns), "z")
    assert credens.Dataset.from_table(frame(kind, columns), "y", inputs="b").input_names == ["b"]


@kinds
def test_values_that_are_not_finite_are_refused(kind):
    with pytest.raises(ValueError, match='inputs: row 1, column "a" is inf, expected a finite number'):
        credens.Dataset(frame(kind, {"a": [1.0, np.inf], "b": [1.0, 2.0]}), [1, 2])


@kinds
def test_all_types_of_numbers(kind):
    types = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
    data = credens.Dataset.from_table(frame(kind, {name: np.array([0, 1, 1], dtype=name) for name in types}), "int8")
    np.testing.assert_array_equal(data.inputs, np.repeat([[0.0], [1.0], [1.0]], 10, axis=1))


def test_arrow_in_several_pieces():
    pyarrow = pytest.importorskip("pyarrow")
    pieces = pyarrow.concat_tables([pyarrow.table(COLUMNS), pyarrow.table(COLUMNS).slice(2, 3)])
    data = credens.Dataset.from_table(pieces, "y")
    np.testing.assert_array_equal(data.targets[:, 0], [0, 1, 2, 3, 4, 5, 2, 3, 4])
    np.testing.assert_array_equal(data.inputs[-1], X[4])


def test_pandas_labels_that_are_numbers_are_no_names():
    pandas = pytest.importorskip("pandas")
    assert credens.Dataset(pandas.DataFrame(X), Y).input_names == []
    twice = pandas.DataFrame(X, columns=["a", "a"])
    with pytest.raises(ValueError, match='inputs 0 and 1 are both named "a"'):
        credens.Dataset(twice, Y)


def test_a_series_gives_the_target_its_name():
    pandas = pytest.importorskip("pandas")
    assert credens.Dataset(X, pandas.Series(Y, name="strength")).target_names == ["strength"]
    polars = pytest.importorskip("polars")
    assert credens.Dataset(X, polars.Series("strength", Y)).target_names == ["strength"]


# ---- files ----


def test_files_in_several_formats(tmp_path):
    write_csv(tmp_path / "t.csv", ["a", "b", "y"], [X, Y])
    named = credens.Dataset.from_csv(tmp_path / "t.csv", "y")
    assert named.fingerprint == credens.Dataset(X, Y, input_names=["a", "b"]).fingerprint
    (tmp_path / "t.txt").write_text((tmp_path / "t.csv").read_text().replace(",", ";"))
    assert credens.Dataset.from_file(tmp_path / "t.txt", "y", delimiter=";").fingerprint == named.fingerprint
    np.save(tmp_path / "t.npy", np.column_stack([X, Y]))
    assert credens.Dataset.from_file(tmp_path / "t.npy", -1).fingerprint == credens.Dataset(X, Y).fingerprint


def test_numpy_and_pack_write_names_alike(tmp_path, program):
    values = np.column_stack([X, Y])
    write_csv(tmp_path / "t.csv", COLUMNS, list(COLUMNS.values()))
    program("pack", "t.csv", "-o", "t.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy"), values)
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy", mmap_mode="r"), values)
    with open(tmp_path / "t.npy", "rb") as file:
        np.testing.assert_array_equal(np.load(file), values)
        assert np.load(file).tolist() == ["a", "b", "y"]
    with open(tmp_path / "numpy.npy", "wb") as file:
        np.save(file, values)
        np.save(file, np.array(["größe", "価格", "y"]))
    data = credens.Dataset.from_file(tmp_path / "numpy.npy", "y")
    assert data.input_names == ["größe", "価格"]


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.csv") as caught:
        credens.Dataset.from_csv(tmp_path / "nowhere.csv", "y")
    assert isinstance(caught.value, credens.CredensError)
    with pytest.raises(OSError, match="folder"):
        credens.Dataset.from_csv(tmp_path, "y")
    (tmp_path / "bad.csv").write_text("a,y\n1,2\n3,x\n")
    with pytest.raises(ValueError, match=r"bad.csv:3:2"):
        credens.Dataset.from_csv(tmp_path / "bad.csv", "y")
    with pytest.raises(ValueError, match="delimiter is 'tab', expected"):
        credens.Dataset.from_csv(tmp_path / "bad.csv", "y", delimiter="tab")


# ---- what is wrong ----


@pytest.mark.parametrize(
    ("inputs", "targets", "options", "sentence"),
    [
        (np.zeros((2, 3, 4)), Y, {}, r"inputs has 3 dimensions, expected \[rows\] or \[rows, columns\]"),
        (X, Y[:3], {}, "targets are 3 x 1, expected 6 rows"),
        (X[:0], Y[:0], {}, "inputs are 0 x 2, expected at least one row"),
        ([["a"], ["b"]], [1, 2], {}, "inputs is of the type <U1, expected numbers"),
        ([[1], ["b"], [None]], [1, 2, 3], {}, "inputs: row 1, column 0 is 'b', expected a finite number"),
        ([[1], [None]], [1, 2], {"strict": True}, "inputs: row 1, column 0 is missing, expected a finite number"),
        ([[1, 2], [3]], [1, 2], {}, "inputs is no array"),
        (X, Y, {"weights": np.ma.array(Y, mask=Y == 5)}, "weights: row 5 is masked, expected a finite number"),
        (X, Y, {"weights": np.where(Y == 5, np.nan, Y)}, "the weight of row 5 is nan, expected a number"),
        (X, Y, {"noise_std": np.where(Y == 5, np.nan, 1)}, "noise: row 5, column 0 is nan, expected a number"),
        (np.where(X == 5, np.inf, X), Y, {}, "inputs: row 2, column 1 is inf, expected a finite number"),
        (X, np.where(Y == 5, np.inf, Y), {}, "targets: row 5, column 0 is inf, expected a finite number"),
        (X.astype(complex), Y, {}, "inputs is of the type complex128, expected numbers"),
        (X, Y, {"weights": -Y}, "the weight of row 1 is -1, expected a number that is not negative"),
        (X, Y, {"weights": Y[:2]}, "2 weights for 6 rows"),
        (X, Y, {"noise_std": Y}, "noise: row 0, column 0 is 0, expected a number above 0"),
        (X, Y, {"input_names": ["a"]}, "1 name for 2 inputs"),
        (X, Y, {"input_names": ["a", "a"]}, 'inputs 0 and 1 are both named "a"'),
        (X, Y, {"input_names": "ab"}, "input_names is 'ab', expected a list of names"),
        (X, Y, {"target_names": [3]}, r"target_names is \[3\], expected a list of names"),
    ],
)
def test_data_that_are_wrong(inputs, targets, options, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        credens.Dataset(inputs, targets, **options)
    assert isinstance(caught.value, credens.DataError)


def test_names_and_arrays_do_not_mix():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COLUMNS)
    with pytest.raises(ValueError, match="weights is no name of a column, but targets are names"):
        credens.fit(frame, "y", weights=Y)
    with pytest.raises(ValueError, match="input_names is given, but the table has names of its own"):
        credens.fit(frame, "y", input_names=["a", "b"])


def test_a_dataset_has_its_targets_inside():
    with pytest.raises(ValueError, match="targets is given beside a Dataset"):
        credens.fit(credens.Dataset(X, Y), Y)
    with pytest.raises(ValueError, match="weights is given beside a Dataset"):
        credens.fit(credens.Dataset(X, Y), weights=Y)
    with pytest.raises(ValueError, match="targets is missing"):
        credens.fit(X)

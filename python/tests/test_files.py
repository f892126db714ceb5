# SPDX-License-Identifier: Apache-2.0
"""Tables by the paths of their files: text, Parquet, Feather, Excel, OpenDocument; units and encodings."""

import builtins
import importlib
import pickle

import numpy as np
import pytest
from conftest import QUICK, table, write_csv

import credens

X, Y = (np.round(part, 6) for part in table(40))  # sheets keep 16 digits
COLUMNS = {"a [mm]": X[:, 0], "b": X[:, 1], "y (MPa)": Y}


def write_parquet(path):
    arrow = pytest.importorskip("pyarrow")
    importlib.import_module("pyarrow.parquet").write_table(arrow.table(COLUMNS), path)


def write_feather(path):
    arrow = pytest.importorskip("pyarrow")
    importlib.import_module("pyarrow.feather").write_feather(arrow.table(COLUMNS), path)


def write_excel(path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    pandas.DataFrame(COLUMNS).to_excel(path, index=False)


def write_ods(path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("odf", reason="odfpy is not installed")
    pandas.DataFrame(COLUMNS).to_excel(path, index=False, engine="odf")


def write_text(path):
    write_csv(path, list(COLUMNS), list(COLUMNS.values()))


WRITERS = {"t.parquet": write_parquet, "t.feather": write_feather, "t.xlsx": write_excel, "t.ods": write_ods, "t.csv": write_text}

names = pytest.mark.parametrize("name", WRITERS)


@pytest.fixture
def path(tmp_path, name):
    WRITERS[name](tmp_path / name)
    return tmp_path / name


@names
def test_a_path_is_a_table(path):
    expected = credens.Dataset.from_table(_frame(), "y")
    assert credens.Dataset.from_table(path, "y").fingerprint == expected.fingerprint
    assert credens.Dataset.from_file(path, "y (MPa)").fingerprint == expected.fingerprint
    model = credens.fit(str(path), "y", **QUICK)
    assert model.input_names == ["a", "b"] and model.input_units == ["mm", ""]
    assert model.target_names == ["y"] and model.target_units == ["MPa"]
    np.testing.assert_array_equal(model.predict(path).mean, model.predict(X).mean)
    assert credens.score(model, path, "y").rmse == credens.score(model, expected).rmse
    credens.report(model, path, "y", path=path.parent / "report.html")
    assert "observed y [MPa]" in (path.parent / "report.html").read_text()


@names
def test_the_first_bytes_tell_what_a_file_is(path):
    """Excel readers look at the name, too, so that theirs stays."""
    if path.suffix in (".xlsx", ".ods"):
        pytest.skip("readers of sheets go by the name")
    other = path.rename(path.with_suffix(".dat"))
    assert len(credens.Dataset.from_file(other, "y")) == 40


def test_text_with_the_name_of_another_kind_is_text(tmp_path):
    write_text(tmp_path / "t.xlsx")
    with pytest.warns(UserWarning, match="t.xlsx is no Excel file, but text, and read as such"):
        assert len(credens.Dataset.from_file(tmp_path / "t.xlsx", "y")) == 40
    with pytest.warns(UserWarning, match="t.xlsx is no Excel file"):
        model = credens.fit(tmp_path / "t.xlsx", "y", **QUICK)
    with pytest.warns(UserWarning, match="t.xlsx is no Excel file"):
        np.testing.assert_array_equal(model.predict(tmp_path / "t.xlsx").mean, model.predict(X).mean)
    (tmp_path / "junk.parquet").write_text("hello")
    with pytest.warns(UserWarning, match="junk.parquet is no Parquet file"), pytest.raises(credens.DataError):
        credens.fit(tmp_path / "junk.parquet", "y")


def test_without_a_package_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "t.parquet").write_bytes(b"PAR1....")
    monkeypatch.setattr(importlib, "import_module", _no_package)
    with pytest.raises(credens.MissingPackageError, match="t.parquet is a Parquet file, .*: pip install pyarrow$"):
        credens.fit(tmp_path / "t.parquet", "y")
    (tmp_path / "t.ods").write_bytes(b"\0")
    with pytest.raises(ImportError, match="pip install pandas odfpy$"):
        credens.fit(tmp_path / "t.ods", "y")


def test_the_next_package_reads_what_the_first_cannot(tmp_path, monkeypatch):
    write_parquet(tmp_path / "t.parquet")
    polars = pytest.importorskip("polars")
    monkeypatch.setattr(importlib, "import_module", lambda name: polars if name == "polars" else _no_package(name))
    assert len(credens.Dataset.from_file(tmp_path / "t.parquet", "y")) == 40


def test_a_broken_file_is_refused_in_one_sentence(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "t.parquet").write_bytes(b"PAR1....")
    with pytest.raises(credens.DataError, match="t.parquet: pyarrow cannot read it: ") as caught:
        credens.Dataset.from_file(tmp_path / "t.parquet", "y")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx", "t.csv"])
def test_a_file_that_is_not_there(tmp_path, name):
    with pytest.raises(credens.MissingFileError):
        credens.fit(tmp_path / name, "y")
    with pytest.raises(credens.MissingFileError):
        credens.Dataset.from_file(tmp_path / name, "y")


def test_a_form_of_text_is_refused_for_other_files(tmp_path):
    write_parquet(tmp_path / "t.parquet")
    with pytest.raises(credens.UsageError, match="is no text"):
        credens.Dataset.from_file(tmp_path / "t.parquet", "y", decimal=",")


def test_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;y\nmm;;MPa\n1,5;2;3,5\n2,5;3;4,5\n", encoding="utf-16")
    data = credens.Dataset.from_file(path, "y")
    np.testing.assert_array_equal(data.inputs, [[1.5, 2], [2.5, 3]])
    assert data.input_units == ["mm", ""] and data.target_units == ["MPa"]
    assert credens.Dataset.from_csv(path, "y", decimal=",", unit_line=True).fingerprint == data.fingerprint
    with pytest.raises(credens.DataError, match='t.csv:2:1 .a.: "mm" is not a number'):
        credens.Dataset.from_file(path, "y", unit_line=False)
    with pytest.raises(credens.UsageError, match="decimal is 'x', expected '.' or ','"):
        credens.Dataset.from_file(path, "y", decimal="x")


def test_latin1_is_read_with_a_warning(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Länge [µm];y\n1;2\n3;5\n", encoding="latin-1")
    with pytest.warns(UserWarning, match="t.csv: names are not UTF-8, taken for Latin-1"):
        data = credens.Dataset.from_file(path, "y")
    assert data.input_names == ["Länge"] and data.input_units == ["µm"]
    with pytest.warns(UserWarning, match="Latin-1"):
        credens.Dataset.from_table(path, "y")


def test_units_of_tables_are_kept_and_compared():
    frame = _frame()
    data = credens.Dataset(frame[["a [mm]", "b"]], frame["y (MPa)"])
    assert (data.input_names, data.input_units) == (["a", "b"], ["mm", ""])
    assert (data.target_names, data.target_units) == (["y"], ["MPa"])
    again = pickle.loads(pickle.dumps(data))
    assert again.fingerprint == data.fingerprint and again.input_units == ["mm", ""]
    model = credens.fit(data, **QUICK)
    with pytest.raises(credens.DataError, match='column "a" is in "cm", expected "mm" as in training'):
        model.predict(frame.rename(columns={"a [mm]": "a [cm]"}))
    with pytest.raises(credens.DataError, match='column "a" is in "cm", expected "mm" as in training'):
        model.predict(credens.Dataset.from_table(frame.rename(columns={"a [mm]": "a [cm]"}), "y"))
    with pytest.raises(credens.DataError, match='column "y" is in "psi", expected "MPa" as in training'):
        credens.score(model, frame.rename(columns={"y (MPa)": "y [psi]"}), "y")
    np.testing.assert_array_equal(model.predict(frame.rename(columns={"a [mm]": "a"})).mean, model.predict(X).mean)


def _frame():
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def _no_package(name):
    raise builtins.ImportError(name)

# SPDX-License-Identifier: Apache-2.0
"""Columns of a table as targets, groups, times and weights."""

import numpy as np
import pytest
from test_tables import KINDS, ROWS, SMALL, columns, frame

import credens

kinds = pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])


def test_a_target_that_is_left_in_its_table_is_refused():
    table = frame("pandas", columns())
    with pytest.raises(credens.UsageError, match="the target 'y' is a column of the inputs too"):
        credens.fit(table, table["y"], **SMALL)
    with pytest.raises(credens.UsageError, match="the target 'size' is a column of the inputs too"):
        credens.fit(credens.Dataset(table.dropna(), table.dropna()["size"]), **SMALL)
    apart = credens.fit(table.drop(columns="y"), table["y"], **SMALL)
    assert credens.score(apart, table, table["y"]).rmse == credens.score(apart, table, "y").rmse
    renamed = credens.fit(table[["size"]].rename(columns={"size": "y"}), np.arange(float(ROWS)), **SMALL)
    assert renamed.input_names == ["y"]


def test_a_target_may_be_an_index():
    table = frame("pandas", columns())
    assert credens.fit(table, 5, **SMALL) == credens.fit(table, "y", **SMALL)
    assert credens.fit(np.arange(60.0).reshape(20, 3), 2, **SMALL).inputs == 2


@kinds
def test_a_name_of_a_group_is_a_column_of_the_inputs(kind):
    table = {**columns(), "site": [f"s{row // 6}" for row in range(ROWS)], "stamp": list(range(ROWS))}
    y = np.array(table.pop("y"))
    data = credens.Dataset(frame(kind, table), y, group="site", time="stamp", weights="stamp")
    assert data.input_names == list(KINDS)
    assert len(set(data.group)) == ROWS // 6
    np.testing.assert_array_equal(data.time, np.arange(ROWS))
    np.testing.assert_array_equal(data.weights, np.arange(ROWS))
    with pytest.raises(credens.DataError, match="group is 'sight', but inputs has no such column; did you mean 'site'?"):
        credens.Dataset(frame(kind, table), y, group="sight")
    with pytest.raises(credens.UsageError, match="group is 'site', which would name a column of a table, but inputs is none"):
        credens.Dataset(np.zeros((3, 1)), np.arange(3.0), group="site")


def test_what_is_no_time_is_named():
    pandas = pytest.importorskip("pandas")
    table = frame("pandas", columns()).assign(size=1.0, colour="red")
    with pytest.raises(credens.DataError, match='table: row 0, column "colour" is "red", expected a number, or a day or time such as'):
        credens.fit(table, "y", time="colour", **SMALL)
    span = pandas.to_timedelta(np.arange(ROWS), unit="s")
    with pytest.raises(credens.DataError, match=r'row 0, column "size" is a span of time \(timedelta64\[n?s\]\), of which .dt.total_seconds'):
        credens.fit(table.assign(size=span), "y", **SMALL)
    period = pandas.period_range("2024-01-01", periods=ROWS, freq="D")
    with pytest.raises(credens.DataError, match=r'row 0, column "size" is a period \(2024-01-01\), of which .dt.to_timestamp'):
        credens.fit(table.assign(size=period), "y", **SMALL)

# SPDX-License-Identifier: Apache-2.0
"""Words, missing values and dates: tables of pandas, polars and Arrow give the model of their CSV file."""

import datetime
import pickle
import warnings

import numpy as np
import pytest

import credens

SMALL = {"members": 3, "epochs": 5, "hidden": (8,), "seed": 5}
ROWS = 60
KINDS = {"size": "number", "colour": "category", "fresh": "category", "day": "date", "count": "number"}

kinds = pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])


def columns():
    """Numbers, words, flags and days, with gaps in each; targets without."""
    generator = np.random.default_rng(3)
    size = generator.uniform(0, 1, ROWS).round(3).tolist()
    colour = generator.choice(["red", "green", "blue"], ROWS).tolist()
    fresh = generator.choice([True, False], ROWS).tolist()
    day = [datetime.date(2023, 1, 1) + datetime.timedelta(days=int(d)) for d in generator.integers(0, 700, ROWS)]
    count = generator.integers(0, 9, ROWS).tolist()
    y = [s + (c == "red") + 0.1 * f + 0.05 * n for s, c, f, n in zip(size, colour, fresh, count)]
    made = {"size": size, "colour": colour, "fresh": fresh, "day": day, "count": count}
    for values in made.values():
        for row in generator.choice(ROWS, 7, replace=False):
            values[row] = None
    return {**made, "y": [round(value, 4) for value in y]}


def write(path, table):
    lines = [",".join(table)]
    lines += [",".join("" if cell is None else str(cell) for cell in row) for row in zip(*table.values())]
    path.write_text("\n".join(lines) + "\n")
    return path


def frame(kind, table):
    module = pytest.importorskip(kind)
    return module.table(table) if kind == "pyarrow" else module.DataFrame(table)


@pytest.fixture(scope="module")
def model():
    return credens.fit(frame("pandas", columns()), "y", **SMALL)


@kinds
def test_a_table_gives_the_model_of_its_file(kind, tmp_path):
    file = credens.Dataset.from_csv(write(tmp_path / "t.csv", columns()), "y")
    data = credens.Dataset.from_table(frame(kind, columns()), "y")
    assert data.input_kinds == list(KINDS.values()) == file.input_kinds
    assert data.input_levels == file.input_levels
    np.testing.assert_array_equal(data.inputs, file.inputs)
    assert data.fingerprint == file.fingerprint
    assert credens.fit(frame(kind, columns()), "y", **SMALL) == credens.fit(file, **SMALL)


@kinds
def test_inputs_and_targets_apart_give_the_same_model(kind, model):
    table = columns()
    y = table.pop("y")
    assert credens.fit(frame(kind, table), y, **SMALL) == model


def test_the_command_line_writes_the_same_bytes(tmp_path, program, model):
    write(tmp_path / "t.csv", columns())
    program("fit", "t.csv", "--target", "y", "-o", "m.safetensors", "--members", 3, "--epochs", 5, "--hidden", 8, "--seed", 5)
    credens.save(model, tmp_path / "python.safetensors")
    assert (tmp_path / "m.safetensors").read_bytes() == (tmp_path / "python.safetensors").read_bytes()


@kinds
def test_rows_in_another_order_are_predicted_alike(kind, model):
    """Their words come in another order, so their codes differ."""
    table = columns()
    mean = model.predict(frame(kind, table)).mean
    turned = {name: values[::-1] for name, values in reversed(table.items())}
    np.testing.assert_array_equal(model.predict(frame(kind, turned)).mean, mean[::-1])
    data = credens.Dataset.from_table(frame(kind, turned), "y")
    np.testing.assert_array_equal(model.predict(data).mean, mean[::-1])
    assert credens.score(model, data).extended.nll == pytest.approx(credens.score(model, frame(kind, table), "y").extended.nll)
    with pytest.warns(UserWarning, match="the data are not the rows"):
        turned_wide = credens.widen(model, frame(kind, {name: values[::-1] for name, values in table.items()}), "y", posterior="isotropic")
    wide = credens.widen(model, frame(kind, table), "y", posterior="isotropic")
    np.testing.assert_allclose(turned_wide.gamma, wide.gamma, rtol=1e-6)


@kinds
def test_a_word_never_seen_raises_the_ignorance(kind):
    """On average over words that were never seen, with a column that decides the target."""
    generator = np.random.default_rng(4)
    words = generator.choice(["a", "b", "c", "d"], 400).tolist()
    table = {"x": generator.uniform(-1, 1, 400), "word": words, "y": np.array([3.0 * "abcd".index(word) for word in words])}
    trained = credens.fit(frame(kind, table), "y", members=10, epochs=60, hidden=(16,), seed=5)
    seen = trained.predict(frame(kind, {"x": np.zeros(4), "word": list("abcd")}))
    unseen = trained.predict(frame(kind, {"x": np.zeros(1), "word": ["new"]}))
    assert unseen.epistemic_std[0] > 2 * seen.epistemic_std.max()


def test_models_with_words_are_saved_and_loaded(tmp_path, model):
    credens.save(model, tmp_path / "m.safetensors")
    again = credens.load(tmp_path / "m.safetensors")
    assert again == model and again.input_kinds == list(KINDS.values())
    table = frame("pandas", columns())
    np.testing.assert_array_equal(again.predict(table).mean, model.predict(table).mean)
    assert pickle.loads(pickle.dumps(model)) == model


def test_datasets_with_words_are_pickled():
    data = credens.Dataset.from_table(frame("pandas", columns()), "y", categories="count")
    again = pickle.loads(pickle.dumps(data))
    assert again.fingerprint == data.fingerprint
    assert again.input_kinds == data.input_kinds and again.input_levels == data.input_levels
    assert data.select([3, 1]).input_levels == data.input_levels


@kinds
def test_numbers_that_are_categories(kind, tmp_path):
    data = credens.Dataset.from_table(frame(kind, columns()), "y", categories=["count"])
    file = credens.Dataset.from_csv(write(tmp_path / "t.csv", columns()), "y", categories="count")
    assert data.input_kinds[4] == "category" and set(data.input_levels[4]) <= set("012345678")
    assert data.fingerprint == file.fingerprint
    trained = credens.fit(frame(kind, columns()), "y", categories=["count"], **SMALL)
    assert trained == credens.fit(file, **SMALL)
    numbers = credens.Dataset(np.array([[1.0], [np.nan], [2.0]]), [1, 2, 3], categories=0)
    assert numbers.input_levels == [["1", "2"]]


# ---- types of columns ----


def inputs_of(values, **options):
    data = credens.Dataset(values, np.arange(float(len(values))), **options)
    return data.inputs[:, 0].tolist(), data.input_kinds[0], data.input_levels[0]


@pytest.mark.parametrize(
    ("dtype", "values", "kind", "levels", "expected"),
    [
        ("object", ["b", None, "a", "b"], "category", ["b", "a"], [0, np.nan, 1, 0]),
        ("string", ["b", None, "a", "b"], "category", ["b", "a"], [0, np.nan, 1, 0]),
        ("category", ["b", None, "a", "b"], "category", ["b", "a"], [0, np.nan, 1, 0]),
        ("category", [7, None, 5, 7], "category", ["7", "5"], [0, np.nan, 1, 0]),
        ("bool", [True, False, True], "category", ["True", "False"], [0, 1, 0]),
        ("boolean", [True, None, False], "category", ["True", "False"], [0, np.nan, 1]),
        ("Int64", [3, None, 1], "number", [], [3, np.nan, 1]),
        ("Float64", [0.5, None, 1], "number", [], [0.5, np.nan, 1]),
        ("object", [3, None, 1.5], "number", [], [3, np.nan, 1.5]),
        ("datetime64[ns]", ["1970-01-02", None, "1970-01-01T00:00:00.25"], "date", [], [86400, np.nan, 0.25]),
        ("datetime64[s]", ["1970-01-02", None, "1969-12-31"], "date", [], [86400, np.nan, -86400]),
        ("datetime64[ns, Europe/Berlin]", ["1970-01-02T01:00:00+01:00", None], "date", [], [86400, np.nan]),
        ("object", [datetime.date(1970, 1, 3), None], "date", [], [172800, np.nan]),
        ("object", [datetime.datetime(1970, 1, 1, 1), None], "date", [], [3600, np.nan]),
        ("object", ["1970-01-02", "1970-01-03T01:00"], "date", [], [86400, 176400]),
        ("object", ["a", "NA", "?", "b"], "category", ["a", "b"], [0, np.nan, np.nan, 1]),
        ("object", [None, None], "number", [], [np.nan, np.nan]),
    ],
)
def test_types_of_pandas(dtype, values, kind, levels, expected):
    pandas = pytest.importorskip("pandas")
    made = pandas.DataFrame({"a": pandas.Series(values).astype(dtype)})
    found, found_kind, found_levels = inputs_of(made)
    assert found_kind == kind and found_levels == levels
    np.testing.assert_array_equal(found, expected)


def arrow_columns():
    pyarrow = pytest.importorskip("pyarrow")
    words = ["b", None, "a", "a long word, not within", "b"]
    days = [datetime.datetime(1970, 1, 2), None, datetime.datetime(1969, 12, 31, 23, 59, 59, 500000)]
    coded = ["b", "a", "a long word, not within"], [0, np.nan, 1, 2, 0]
    for type in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        yield pyarrow.array(words, type), "category", *coded
    yield pyarrow.array(["z", *words], pyarrow.string()).dictionary_encode()[1:], "category", *coded
    yield pyarrow.array([False, None, True]), "category", ["False", "True"], [0, np.nan, 1]
    yield pyarrow.array([1, None, 3], pyarrow.int16()), "number", [], [1, np.nan, 3]
    yield pyarrow.nulls(2), "number", [], [np.nan, np.nan]
    yield pyarrow.array([1, None, -1], pyarrow.date32()), "date", [], [86400, np.nan, -86400]
    yield pyarrow.array([86400000, None], pyarrow.date64()), "date", [], [86400, np.nan]
    yield pyarrow.array([5, None], pyarrow.timestamp("s", "Asia/Tokyo")), "date", [], [5, np.nan]
    for unit in ("ms", "us", "ns"):
        yield pyarrow.array(days, pyarrow.timestamp(unit)), "date", [], [86400, np.nan, -0.5]


def test_types_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    for column, kind, levels, expected in arrow_columns():
        found, found_kind, found_levels = inputs_of(pyarrow.table({"a": column}))
        assert (found_kind, found_levels) == (kind, levels), column.type
        np.testing.assert_array_equal(found, expected, err_msg=str(column.type))


def test_types_of_polars():
    polars = pytest.importorskip("polars")
    for column, kind, levels, expected in [
        (polars.Series(["b", None, "a"], dtype=polars.Categorical), "category", ["b", "a"], [0, np.nan, 1]),
        (polars.Series(["b", None, "a"], dtype=polars.Enum(["a", "b"])), "category", ["b", "a"], [0, np.nan, 1]),
        (polars.Series([True, None]), "category", ["True"], [0, np.nan]),
        (polars.Series([datetime.date(1970, 1, 2), None]), "date", [], [86400, np.nan]),
        (polars.Series([datetime.datetime(1970, 1, 1, 1), None]), "date", [], [3600, np.nan]),
    ]:
        found, found_kind, found_levels = inputs_of(polars.DataFrame({"a": column}))
        assert (found_kind, found_levels) == (kind, levels)
        np.testing.assert_array_equal(found, expected)


# ---- arrays ----


def test_missing_values_of_arrays():
    x = np.random.default_rng(1).uniform(-1, 1, (50, 2))
    y = x.sum(axis=1)
    gaps = np.where(x > 0.8, np.nan, x)
    trained = credens.fit(gaps, y, **SMALL)
    assert credens.fit(np.ma.array(x, mask=x > 0.8), y, **SMALL) == trained
    assert credens.fit([[None if v != v else v for v in row] for row in gaps], y, **SMALL) == trained
    assert np.all(np.isfinite(trained.predict(np.full((1, 2), np.nan)).mean))
    masked = trained.predict(np.ma.array(x, mask=x > 0.8)).mean
    np.testing.assert_array_equal(masked, trained.predict(gaps).mean)


def test_numbers_of_arrays_that_are_words_and_dates():
    generator = np.random.default_rng(1)
    x = np.column_stack([generator.integers(3, 6, 50), generator.integers(0, 900, 50) * 86400])
    y = np.where(x[:, 0] == 4, 1.0, 0.0)
    trained = credens.fit(x, y, categories=0, dates=1, **SMALL)
    assert trained.input_kinds == ["category", "date"]
    table = frame("pandas", {"code": x[:, 0].astype(str), "day": x[:, 1].astype("datetime64[s]")})
    named = credens.fit(table, y, categories="code", **SMALL)
    np.testing.assert_array_equal(trained.predict(x).mean, named.predict(table).mean)
    np.testing.assert_array_equal(trained.predict(x[::-1]).mean, trained.predict(x).mean[::-1])


def test_rows_without_a_target_are_left_out():
    x = np.random.default_rng(1).uniform(-1, 1, (50, 1))
    y = np.where(x[:, 0] > 0.7, np.nan, x[:, 0])
    options = {**SMALL, "recipe": "paper", "validation_fraction": 0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trained = credens.fit(x, y, **options)
    rest = credens.fit(x[np.isfinite(y)], y[np.isfinite(y)], **options)
    np.testing.assert_array_equal(trained.predict(x).mean, rest.predict(x).mean)


@kinds
def test_an_identifier_is_no_input(kind, tmp_path):
    table = {"id": [f"row {i}" for i in range(ROWS)], **columns()}
    without = frame(kind, columns())
    sentence = 'column "id" is left out: it holds 60 words, none in 5 rows or more'
    with pytest.warns(UserWarning, match=sentence):
        trained = credens.fit(frame(kind, table), "y", **SMALL)
    assert trained.input_names == list(KINDS)
    expected = credens.fit(without, "y", **SMALL).predict(without).mean
    for given in (frame(kind, table), without, credens.Dataset.from_table(frame(kind, table), "y")):
        np.testing.assert_array_equal(trained.predict(given).mean, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that other rows are given
        credens.widen(trained, frame(kind, table), "y", posterior="isotropic")
    with pytest.warns(UserWarning, match=sentence):
        of_file = credens.fit(write(tmp_path / "t.csv", table), "y", **SMALL)
    assert of_file == trained
    wanted = credens.Dataset.from_table(frame(kind, table), "y", categories="id")
    with pytest.warns(UserWarning, match="they are all the same to the model"):
        assert credens.fit(pickle.loads(pickle.dumps(wanted)), **SMALL).input_names == ["id", *KINDS]


# ---- what is refused ----


@kinds
@pytest.mark.parametrize(
    ("table", "options", "sentence"),
    [
        ({"a": [1.0, np.inf]}, {}, 'row 1, column "a" is inf, expected a finite number'),
        ({"a": ["b", "c"]}, {"strict": True}, 'column "a" is "b", expected a finite number'),
        ({"a": [1.0, None]}, {"strict": True}, 'row 1, column "a" is missing, expected a finite number'),
        ({"a": ["1", "2", "3", "4", "5x"]}, {}, 'row 4, column "a" is "5x", expected a finite number'),
        ({"a": ["b", "c"]}, {"dates": "a"}, 'row 0, column "a" is "b", expected a day or time'),
        ({"a": ["b", "c"]}, {"numbers": "a"}, 'row 0, column "a" is "b", expected a finite number'),
        ({"a": [1.5, 2.0]}, {"dates": "a"}, 'row 0, column "a" is 1.5, expected a day or time'),
        ({"a": [1.0, 2.0]}, {"dates": "a", "categories": "a"}, 'column "a" is given two kinds'),
        ({"a": [1.0, 2.0]}, {"categories": "z"}, 'no column "z"'),
        ({"a": ["1970-01-02T00:00Z", "1970-01-02T00:00"]}, {}, 'row 1, column "a" is "1970-01-02T00:00", expected .* zone'),
        ({"a": [datetime.timedelta(1), datetime.timedelta(2)]}, {}, 'row 0, column "a" is .*, expected a finite number'),
    ],
)
def test_columns_that_cannot_be_used(kind, table, options, sentence):
    rows = len(table["a"])
    with pytest.raises(ValueError, match=sentence):
        credens.Dataset(frame(kind, table), np.arange(rows), **options)
    with pytest.raises(ValueError, match=sentence):
        credens.Dataset.from_table(frame(kind, {**table, "y": np.arange(float(rows))}), "y", **options)


@kinds
def test_words_and_gaps_where_numbers_are_needed(kind):
    table = {"x": [1.0, 2.0, 3.0], "w": [1.0, None, 2.0], "word": ["a", "b", "c"], "day": [datetime.date(2024, 1, 1)] * 3}
    with pytest.raises(ValueError, match='row 0, column "word" is "a", expected a finite number'):
        credens.Dataset.from_table(frame(kind, table), "word", inputs="x", task="regression")
    with pytest.raises(ValueError, match='row 0, column "day" is a date, expected a finite number'):
        credens.Dataset.from_table(frame(kind, table), "day", inputs="x")
    with pytest.raises(ValueError, match='row 1, column "w" is missing, expected a finite number'):
        credens.Dataset.from_table(frame(kind, table), "x", inputs="word", weight="w")


@kinds
def test_a_model_meets_columns_of_another_kind(kind, model):
    table = columns()
    with pytest.raises(ValueError, match='row 0, column "size" is "a", expected a finite number'):
        model.predict(frame(kind, {**table, "size": ["a"] * ROWS}))
    with pytest.raises(ValueError, match='row 0, column "day" is 1.5, expected a day or time'):
        model.predict(frame(kind, {**table, "day": [1.5] * ROWS}))
    as_text = {**table, "day": [None if day is None else str(day) for day in table["day"]]}
    np.testing.assert_array_equal(model.predict(frame(kind, as_text)).mean, model.predict(frame(kind, table)).mean)
    nothing = model.predict(frame(kind, {**table, "day": [None] * ROWS, "colour": [None] * ROWS}))
    assert np.all(np.isfinite(nothing.mean))


def test_times_with_a_zone_and_without_are_not_the_same(tmp_path):
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2024-01-01 06:00", periods=ROWS, freq="D")
    plain = pandas.DataFrame({"when": days, "y": np.arange(float(ROWS))})
    zoned = plain.assign(when=days.tz_localize("Europe/Berlin"))
    texts = plain.assign(when=days.strftime("%Y-%m-%dT%H:%M:%SZ"))
    objects = plain.assign(when=pandas.Series([day.to_pydatetime().replace(tzinfo=datetime.timezone.utc) for day in days], dtype=object))
    without, within = (credens.fit(table, "y", **SMALL) for table in (plain, zoned))
    for table in (zoned, texts, objects, credens.Dataset.from_table(zoned, "y"), pickle.loads(pickle.dumps(credens.Dataset.from_table(zoned, "y")))):
        assert within.predict(table).mean.shape == (ROWS,)
        with pytest.raises(credens.DataError, match="has a zone, the times of training have none"):
            without.predict(table)
    with pytest.raises(credens.DataError, match="has no zone, the times of training have one"):
        within.predict(plain)
    plain.to_csv(tmp_path / "plain.csv", index=False, date_format="%Y-%m-%dT%H:%M:%S")
    assert credens.fit(tmp_path / "plain.csv", "y", **SMALL) == without
    with pytest.raises(credens.DataError, match="has no zone, the times of training have one"):
        within.predict(tmp_path / "plain.csv")


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_zones_of_arrow_are_known(kind):
    pandas = pytest.importorskip("pandas")
    module = pytest.importorskip(kind)
    pytest.importorskip("pyarrow")
    plain = pandas.DataFrame({"when": pandas.date_range("2024-01-01", periods=ROWS, freq="D"), "y": np.arange(float(ROWS))})
    zoned = plain.assign(when=plain.when.dt.tz_localize("UTC"))
    made = module.from_pandas if kind == "polars" else module.Table.from_pandas
    model = credens.fit(made(plain), "y", **SMALL)
    assert model == credens.fit(plain, "y", **SMALL)
    with pytest.raises(credens.DataError, match="has a zone, the times of training have none"):
        model.predict(made(zoned))


def test_blanks_around_names_do_not_matter():
    pandas = pytest.importorskip("pandas")
    x = np.linspace(0, 1, 40)
    frame = pandas.DataFrame({" w ": x, "length [mm]": x**2, " force (kN) ": x})
    model = credens.fit(frame, "force", **SMALL)
    assert model.target_names == ["force"]
    later = pandas.DataFrame({"length": x**2, "w": x})
    np.testing.assert_array_equal(model.predict(later).mean, model.predict(frame).mean)

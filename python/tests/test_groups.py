# SPDX-License-Identifier: Apache-2.0
"""Groups and times: the same folds however the data are given."""

import pickle

import credens
import numpy as np
import pandas
import pytest

QUICK = {"effort": "quick", "members": 5, "epochs": 3, "hidden": (4,), "seed": 2, "progress": False}


@pytest.fixture
def frame():
    random = np.random.default_rng(1)
    samples = np.repeat(np.arange(15), 4)
    inputs = random.uniform(size=(60, 2))
    return pandas.DataFrame(
        {
            "a": inputs[:, 0],
            "b": inputs[:, 1],
            "y": inputs.sum(1) + random.normal(0, 0.1, 15)[samples],
            "sample": [f"s{sample}" for sample in samples],
            "day": samples // 3,
        }
    )


def saved(model, folder):
    path = folder / "model.safetensors"
    credens.save(model, path)
    return path.read_bytes()


def test_groups_are_the_same_from_file_frame_and_arrays(frame, tmp_path):
    frame.drop(columns="day").to_csv(tmp_path / "table.csv", index=False)
    of_file = credens.fit(credens.Dataset.from_file(tmp_path / "table.csv", "y", group="sample"), **QUICK)
    of_frame = credens.fit(frame.drop(columns="day"), "y", group="sample", **QUICK)
    assert saved(of_frame, tmp_path) == saved(of_file, tmp_path)
    codes = np.unique(frame["sample"], return_inverse=True)[1]
    arrays = [credens.fit(frame[["a", "b"]], frame["y"], group=group, **QUICK) for group in (frame["sample"], codes)]
    assert saved(arrays[0], tmp_path) == saved(arrays[1], tmp_path)
    assert (arrays[0].predict(frame[["a", "b"]]).mean == of_file.predict(frame[["a", "b"]]).mean).all()


def test_groups_and_times_matter(frame):
    inputs = frame[["a", "b"]]
    fits = [credens.fit(inputs, frame["y"], **parts, **QUICK) for parts in ({}, {"group": frame["sample"]}, {"time": frame["day"]})]
    means = [model.predict(inputs).mean for model in fits]
    assert not np.array_equal(means[0], means[1])
    assert not np.array_equal(means[1], means[2])


def test_groups_stay_with_their_rows(frame):
    data = credens.Dataset(frame[["a", "b"]], frame["y"], group=frame["sample"], time=frame["day"])
    again = pickle.loads(pickle.dumps(data))
    assert (again.group == data.group).all() and (again.time == data.time).all()
    part = data.select([3, 59])
    assert part.time.tolist() == [0, 4]
    assert part.group.tolist() == data.group[[3, 59]].tolist()
    assert credens.Dataset(frame[["a"]], frame["y"]).group is None


def test_times_may_be_dates(frame):
    days = np.datetime64("2024-05-17") + frame["day"].to_numpy()
    seconds = days.astype("datetime64[s]").astype(float)
    series = pandas.Series(days.astype("datetime64[ns]"))
    texts = [str(day) for day in days]
    for time in (days, series, series.dt.tz_localize("UTC"), days.astype(object), texts, pandas.Series(texts), seconds):
        assert (credens.Dataset(frame[["a"]], frame["y"], time=time).time == seconds).all()
    with_zone = [f"{day}T02:00:00+02:00" for day in days]
    assert (credens.Dataset(frame[["a"]], frame["y"], time=with_zone).time == seconds).all()


@pytest.mark.parametrize(
    ("first", "sentence"),
    [
        ("2024-02-31", "time: row 0 is '2024-02-31', expected a number, or a day or time such as 2024-05-17"),
        ("s0", "time: row 0 is 's0', expected a number"),
        ("2024-05-17T08:00:00Z", "time: row 1 is '2024-05-17', .* all of one kind"),
        (None, "time: row 0 is missing, expected a number"),
        (3.5, "time: row 0 is '3.5', expected a number"),
        ([], r"time: row 0 is \[\], expected a number"),
    ],
)
def test_a_time_that_is_none_is_named(frame, first, sentence):
    time = np.array([None] * 60, dtype=object)
    time[:] = "2024-05-17"
    time[0] = first
    with pytest.raises(credens.DataError, match=sentence):
        credens.Dataset(frame[["a"]], frame["y"], time=time)


def test_bad_groups_and_times_get_a_sentence(frame):
    inputs, targets = frame[["a", "b"]], frame["y"]
    with pytest.raises(credens.DataError, match="59 groups for 60 rows"):
        credens.fit(inputs, targets, group=np.arange(59), **QUICK)
    with pytest.raises(credens.DataError, match="row 1 is None, expected a number or a text"):
        credens.fit(inputs, targets, group=["u", None, *["v"] * 58], **QUICK)
    with pytest.raises(credens.DataError, match="the group of row 1 is missing"):
        credens.fit(inputs, targets, group=[1.0, np.nan, *[2.0] * 58], **QUICK)
    with pytest.raises(credens.UsageError, match="1 group, expected at least 2"):
        credens.fit(inputs, targets, group=["u"] * 60, **QUICK)
    with pytest.raises(credens.UsageError, match="both target and group"):
        credens.fit(frame[["a", "b", "y"]], "y", group="y", **QUICK)


def test_copies_are_counted(frame):
    twice = pandas.concat([frame, frame])
    with pytest.warns(UserWarning, match="60 of 120 rows are copies of others in all inputs"):
        credens.fit(twice[["a", "b"]], twice["y"], **QUICK)


def test_slips_are_left_out_and_named():
    random = np.random.default_rng(1)
    x = random.uniform(size=(200, 2))
    y = x.sum(1)
    y[[7, 90]] *= 1e6
    with pytest.warns(UserWarning, match="2 targets are hard to believe and left out: rows 7, 90"):
        model = credens.fit(x, y, **QUICK)
    assert np.abs(model.predict(x).mean).max() < 100


def coverage_of_new_samples(draws, reading, **named):
    """40 samples measured 5 times; the small version of bench/groups.py."""
    shares = []
    for draw in range(draws):
        random = np.random.default_rng(1000 + draw)
        samples = np.repeat(np.arange(40), 5)
        x = random.uniform(-1, 1, (1040, 2))
        y = np.sin(2 * x[:, 0]) / 2 + 0.3 * x[:, 1] + random.normal(0, 0.05, 1040)
        inputs = x[samples] + reading * random.normal(size=(200, 2))
        targets = y[samples] + random.normal(0, 0.01, 200)
        parts = {"group": samples} if "group" in named else {}
        model = credens.fit(inputs, targets, effort="quick", seed=draw, progress=False, **parts)
        low, high = model.predict(x[40:]).interval(0.95)
        new = y[40:] + random.normal(0, 0.01, 1000)
        shares.append(np.mean((low <= new) & (new <= high)))
    return np.mean(shares)


@pytest.mark.filterwarnings("ignore:160 of 200 rows are copies")
def test_intervals_hold_new_samples():
    assert 0.9 <= coverage_of_new_samples(4, reading=0.0) <= 0.98
    assert 0.9 <= coverage_of_new_samples(4, reading=0.001, group=True) <= 0.98
    assert coverage_of_new_samples(2, reading=0.001) < 0.85

# SPDX-License-Identifier: Apache-2.0
"""Known data sets from folders and archives: found, verified, loaded. test_fetch.py has the network."""

import gzip
import hashlib
import io
import lzma
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import credens
from credens import _core, datasets
from credens.datasets._archive import Archive
from credens.datasets._fetch import fetch_set
from credens.datasets._known import (
    KNOWN_SETS,
    KnownPart,
    KnownSet,
    check_text,
    data_folders,
    find_data,
    joined_text,
    known_set,
    load_data,
)

from conftest import SHARED_DATA

TRAIN = b"1,2,3\n4,5,6\n7,8,9.5\n"
FIRST = b"10,11,12\n"
SECOND = b"13,14,15\n16,17,18\n"
TEST = FIRST + SECOND


def fingerprint(text):
    return _core.Dataset.from_text(text, "text", "2").fingerprint()


# Two parts, the second in pieces: like Blog.
SMALL = KnownSet(
    name="small",
    folder="small-set",
    archive="7/small+set.zip",
    largest=1000,
    target=2,
    parts=(
        KnownPart("train.csv", fingerprint=fingerprint(TRAIN)),
        KnownPart("test.csv", piece_start="test-", fingerprint=fingerprint(TEST)),
    ),
)

# One file known by size and digest, the first rows for training: like Year.
DIGEST = KnownSet(
    name="digest",
    folder="digest-set",
    archive="8/digest.zip",
    largest=1000,
    target=0,
    parts=(KnownPart("all.txt", size=len(TRAIN), md5=hashlib.md5(TRAIN).hexdigest()),),
    training_rows=2,
)


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def make_zip(files, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as packed:
        for name, content in files:
            packed.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Nothing outside it is looked at."""
    monkeypatch.delenv("CREDENS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def put_joined(place):
    put(place / "train.csv", TRAIN)
    put(place / "test.csv", TEST)


# ---- found ----


def test_the_sets_of_the_paper_are_known():
    assert [known.name for known in KNOWN_SETS] == ["qsar", "yacht", "blog", "year"]
    with pytest.raises(credens.UsageError, match='"yatch", expected one of qsar, yacht, blog, year; did you mean yacht'):
        known_set("yatch")


def test_the_folder_comes_first_then_the_variable_then_the_cache(folder, monkeypatch):
    monkeypatch.setenv("CREDENS_DATA", "/elsewhere")
    assert data_folders("/here") == [Path("/here"), Path("/elsewhere"), folder / "cache/credens/data"]
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert data_folders(None) == [Path("/elsewhere"), Path("/home/somebody/.cache/credens/data")]


def test_without_any_folder_one_must_be_named(monkeypatch):
    for name in ("CREDENS_DATA", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(credens.UsageError, match="there is no HOME, so no cache folder"):
        datasets.fetch("yacht")


def test_a_set_is_not_there_where_a_part_is_missing(folder):
    assert find_data(SMALL, folder) is None
    put(folder / "train.csv", TRAIN)
    assert find_data(SMALL, folder) is None
    with pytest.raises(credens.FileError, match=r"credens.datasets.fetch\('qsar'\) gets them"):
        datasets.load("qsar", folder=folder)


def test_the_cache_is_looked_into(folder):
    put_joined(folder / "cache/credens/data/small-set")
    assert find_data(SMALL, folder / "absent")[0] == [folder / "cache/credens/data/small-set/train.csv"]


# ---- loaded ----


def test_the_joined_layout(folder):
    put_joined(folder)
    train, test = load_data(SMALL, find_data(SMALL, folder))
    assert (len(train), len(test), train.targets[2, 0]) == (3, 3, 9.5)


def test_the_original_layout_in_the_order_of_names(folder):
    put(folder / "small-set/train.csv", TRAIN)
    put(folder / "small-set/test-2.csv", SECOND)
    put(folder / "small-set/test-1.csv", FIRST)
    put(folder / "small-set/test_files.txt", b"no piece")
    _, test = load_data(SMALL, find_data(SMALL, folder))
    assert (len(test), test.targets[0, 0]) == (3, 12)


def test_compressed_files_and_other_line_ends(folder):
    put(folder / "train.csv.gz", gzip.compress(TRAIN.replace(b"\n", b"\r\n")))
    put(folder / "test-1.csv.xz", lzma.compress(FIRST[:-1]))  # no last line end
    put(folder / "test-2.csv.xz", lzma.compress(SECOND))
    train, test = load_data(SMALL, find_data(SMALL, folder))
    assert (len(train), len(test)) == (3, 3)


def test_other_values_are_refused(folder):
    put_joined(folder)
    put(folder / "test.csv", SECOND + FIRST)
    with pytest.raises(credens.DataError, match="test.csv: these are not the published values of test.csv: 3 rows"):
        load_data(SMALL, find_data(SMALL, folder))


def test_a_set_that_is_known_by_its_digest_is_split(folder):
    assert SMALL.is_confirmed and not DIGEST.is_confirmed
    put(folder / "all.txt", TRAIN)
    train, test = load_data(DIGEST, find_data(DIGEST, folder))
    assert (len(train), len(test), test.targets[0, 0], test.inputs[0, 1]) == (2, 1, 7, 9.5)
    with pytest.raises(credens.DataError, match="3 rows, expected more than 3"):
        load_data(replace(DIGEST, training_rows=3), find_data(DIGEST, folder))


def test_another_size_or_digest_is_refused():
    changed = b"2" + TRAIN[1:]
    with pytest.raises(credens.DataError, match="here: this is not all.txt: its md5 is"):
        check_text(DIGEST, DIGEST.parts[0], changed, "here")
    with pytest.raises(credens.DataError, match="here: 26 bytes of text, expected the 20 of all.txt"):
        check_text(DIGEST, DIGEST.parts[0], changed + b"1,2,3\n", "here")


@pytest.mark.parametrize("name, train_rows, test_rows, inputs", [("qsar", 546, 0, 8), ("yacht", 308, 0, 6), ("blog", 52397, 7624, 280)])
def test_shared_data_have_the_published_values(folder, name, train_rows, test_rows, inputs):
    if find_data(known_set(name), SHARED_DATA) is None:
        pytest.skip("the public data are not on this machine")
    train, test = datasets.load(name, folder=SHARED_DATA)
    assert (len(train), 0 if test is None else len(test), train.inputs.shape[1]) == (train_rows, test_rows, inputs)


def test_a_sample_of_year_is_read_like_the_whole_file(folder):
    file = SHARED_DATA / "year-prediction-msd-sample" / "sample7000.csv.xz"
    if not file.exists():
        pytest.skip("the public data are not on this machine")
    text = joined_text([file], known_set("year").largest)
    part = KnownPart("sample7000.csv", size=6_092_990, md5=hashlib.md5(text).hexdigest())
    sample = replace(known_set("year"), folder="year-prediction-msd-sample", parts=(part,), training_rows=5000)
    train, test = load_data(sample, find_data(sample, SHARED_DATA))
    assert (len(train), len(test), train.inputs.shape[1]) == (5000, 2000, 90)
    assert train.targets[0, 0] >= 1922


def test_simulated_rows_come_with_their_truth():
    data, truth = datasets.simulate("figure1", 50, seed=3)
    x = data.inputs[:, 0]
    np.testing.assert_allclose(truth, ((4.5 * x) ** 4 - (18 * x) ** 2 + 22.5 * x) / 2, rtol=1e-12)
    assert datasets.simulate("figure2", 20)[0].inputs.shape == (20, 2)
    with pytest.raises(credens.UsageError, match='no simulated problem "figure3"'):
        datasets.simulate("figure3", 1)


# ---- fetched from folders ----


def put_archive(mirror, train=TRAIN):
    put(mirror / "small+set.zip", make_zip([("f/test-2.csv", SECOND), ("f/train.csv", train), ("f/test-1.csv", FIRST)]))


def put_pieces(mirror):
    put(mirror / "train.csv", TRAIN)
    put(mirror / "test-2.csv", SECOND)
    put(mirror / "test-1.csv", FIRST)


@pytest.mark.parametrize("put_mirror", [put_archive, put_pieces, lambda mirror: put_joined(mirror / "small-set")])
def test_archives_pieces_and_joined_files_give_the_same(folder, put_mirror):
    put_mirror(folder / "mirror")
    parts = fetch_set(SMALL, folder / "data", str(folder / "mirror"))
    assert [part.is_new for part in parts] == [True, True]
    assert parts[1].file == folder / "data/small-set/test.csv"
    assert (folder / "data/small-set/train.csv").read_bytes() == TRAIN
    assert (folder / "data/small-set/test.csv").read_bytes() == TEST


def test_what_is_there_and_right_is_kept(folder):
    put(folder / "data/train.csv", TRAIN)
    put_archive(folder / "mirror")
    parts = fetch_set(SMALL, folder / "data", str(folder / "mirror"))
    assert parts[0] == (folder / "data/train.csv", False)
    assert parts[1].is_new
    # Nothing is read from the mirror any more.
    assert not fetch_set(SMALL, folder / "data", str(folder / "absent"))[1].is_new


def test_a_wrong_file_is_left_as_it_is(folder):
    put(folder / "data/small-set/train.csv", b"1,2,3\n")
    put_archive(folder / "mirror")
    with pytest.raises(credens.DataError, match="train.csv: these are not.*move it away"):
        fetch_set(SMALL, folder / "data", str(folder / "mirror"))
    assert (folder / "data/small-set/train.csv").read_bytes() == b"1,2,3\n"
    assert not (folder / "data/small-set/test.csv").exists()


def test_nothing_is_written_unless_all_parts_are_right(folder):
    put_archive(folder / "mirror", b"1,2,3\n")
    with pytest.raises(credens.DataError, match=r"small\+set.zip: these are not"):
        fetch_set(SMALL, folder / "data", str(folder / "mirror"))
    put(folder / "mirror/small+set.zip", make_zip([("train.csv", TRAIN)]))
    with pytest.raises(credens.DataError, match="the archive holds no test.csv"):
        fetch_set(SMALL, folder / "data", str(folder / "mirror"))
    assert not (folder / "data").exists()


def test_folders_that_were_there_are_kept(folder):
    (folder / "data").mkdir()
    put_archive(folder / "mirror", b"1,2,3\n")
    with pytest.raises(credens.DataError):
        fetch_set(SMALL, folder / "data", str(folder / "mirror"))
    assert list((folder / "data").iterdir()) == []


def test_nothing_is_written_after_an_interruption(folder):
    put_archive(folder / "mirror")

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_set(SMALL, folder / "data", str(folder / "mirror"), on_verify=interrupt)
    assert not (folder / "data").exists()


def test_what_is_not_there_is_said(folder):
    mirror = folder / "mirror"
    with pytest.raises(credens.FileError, match="mirror: not a folder"):
        fetch_set(SMALL, folder / "data", str(mirror))
    mirror.mkdir()
    with pytest.raises(credens.FileError, match=r"neither 7/small\+set.zip nor train.csv is there"):
        fetch_set(SMALL, folder / "data", str(mirror))
    with pytest.raises(credens.UsageError, match='"ftp://host/folder", expected a folder or an address'):
        fetch_set(SMALL, folder / "data", "ftp://host/folder")


def test_no_more_is_unpacked_than_the_set_may_have(folder):
    put_archive(folder / "mirror", TRAIN + b"\n" * 1000)
    with pytest.raises(credens.DataError, match="expected at most 1000"):
        fetch_set(SMALL, folder / "data", str(folder / "mirror"))


def test_no_more_of_a_compressed_file_is_unpacked_than_the_set_may_have(folder):
    put(folder / "mirror/train.csv.gz", gzip.compress(TRAIN + b"\n" * 100_000))
    put(folder / "mirror/test.csv", TEST)
    with pytest.raises(credens.DataError, match="train.csv.gz: the gzip archive holds more than 1000 bytes"):
        fetch_set(SMALL, folder / "data", str(folder / "mirror"))
    assert not (folder / "data").exists()


def test_digests_are_checked(folder):
    put(folder / "mirror/8/digest.zip", make_zip([("all.txt", TRAIN)]))
    assert fetch_set(DIGEST, folder / "data", str(folder / "mirror"))[0].is_new
    assert (folder / "data/digest-set/all.txt").read_bytes() == TRAIN
    put(folder / "data/digest-set/all.txt", b"1,2,3\n")
    with pytest.raises(credens.DataError, match="6 bytes of text, expected the 20 of all.txt"):
        fetch_set(DIGEST, folder / "data", str(folder / "mirror"))


# ---- zip archives ----

LONG = "".join(f"{i * i}\n" for i in range(20_000)).encode()


def only_content(content, largest=1 << 20):
    archive = Archive(content, "a.zip")
    return archive.read(archive.names[0], largest)


def test_an_archive_lists_its_entries():
    archive = Archive(make_zip([("folder/first.txt", b"one"), ("second.txt", LONG)]), "a.zip")
    assert archive.names == ["folder/first.txt", "second.txt"]
    assert archive.read("folder/first.txt", 100) == b"one"
    assert archive.read("second.txt", len(LONG)) == LONG
    assert Archive(make_zip([]), "a.zip").names == []


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("content", [LONG, b""])
def test_stored_and_deflated_entries(method, content):
    assert only_content(make_zip([("x", content)], method)) == content
    assert only_content(make_zip([("x", content)], method) + b"a comment") == content


@pytest.mark.parametrize("content", [b"<html>Not here</html>", b""])
def test_other_files_are_refused(content):
    start = content[:16].decode()
    with pytest.raises(credens.DataError, match=f'a.zip: starts with "{start}", expected a whole zip archive'):
        Archive(content, "a.zip")


def test_every_truncation_is_refused():
    content = make_zip([("x", b"some text to be packed")])
    for size in range(len(content)):
        with pytest.raises(credens.DataError, match="a.zip"):
            only_content(content[:size])


def test_any_wrong_byte_ends_in_a_sentence():
    text = b"some text to be packed, some text to be packed"
    content = make_zip([("x", text)])
    for place in range(len(content)):
        for flipped in (1, 0x80, 0xFF):
            damaged = bytearray(content)
            damaged[place] ^= flipped
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # zipfile's, of names
                    assert only_content(bytes(damaged)) == text, place  # bytes that are not looked at, such as dates
            except credens.DataError:
                pass
            except IndexError:  # the number of entries was hit
                pass


def test_changed_content_is_found():
    content = make_zip([("x", b"0.125")], zipfile.ZIP_STORED).replace(b"0.125", b"1.125")
    with pytest.raises(credens.DataError, match='a.zip: "x" is damaged'):
        only_content(content)


def test_no_more_is_unpacked_than_allowed():
    with pytest.raises(credens.DataError, match=f"expected at most {len(LONG) - 1}"):
        only_content(make_zip([("x", LONG)]), len(LONG) - 1)


def test_a_size_that_is_too_small_is_not_believed():
    """An entry that says it is small and unpacks to much more stops at the size it promised."""
    size = len(LONG).to_bytes(4, "little")
    content = make_zip([("x", LONG)]).replace(size, (10).to_bytes(4, "little"))
    with pytest.raises(credens.DataError, match="is damaged"):
        only_content(content, 100)


def test_other_methods_are_refused():
    with pytest.raises(credens.DataError, match="packed by method 12, expected 0"):
        only_content(make_zip([("x", b"text")], zipfile.ZIP_BZIP2))

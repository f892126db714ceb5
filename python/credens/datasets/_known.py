# SPDX-License-Identifier: Apache-2.0
"""The public data sets of the paper: where they come from, how they are recognised, where they lie on this machine."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Optional

from .. import _core, _tables
from .._dataset import Dataset
from .._errors import DataError, FileError, UsageError

MEGABYTE = 1_000_000

ORIGINAL_ADDRESS = "https://archive.ics.uci.edu/static/public"
"""Where the UCI Machine Learning Repository keeps its archives."""

PACKED_ENDINGS = ("", ".xz", ".gz", ".zst")
"""Endings of files that are read like the file itself; the first is that of a plain one."""


@dataclass(frozen=True)
class KnownPart:
    """Rows that belong together: one file or, in the original, pieces of it."""

    file: str
    piece_start: str = ""
    """Names of pieces begin so; they are joined in the order of their names."""
    fingerprint: str = ""
    """Of the parsed values, see `Dataset.fingerprint`."""
    size: int = 0
    """Without a fingerprint: bytes of the text."""
    md5: str = ""
    """Without a fingerprint: the digest of the text."""


@dataclass(frozen=True)
class KnownSet:
    name: str
    folder: str
    """Where its files lie in a folder of data."""
    archive: str
    """The zip archive of the original, below `ORIGINAL_ADDRESS`."""
    largest: int
    """Bytes that the archive or one text may have."""
    target: int
    """Its column."""
    parts: tuple[KnownPart, ...]
    """All rows, or the training rows and the test rows."""
    training_rows: int = 0
    """Where one file holds both: the first of them."""

    @property
    def is_confirmed(self) -> bool:
        """Whether its values were compared with a copy of the original; else size and digest rest on hearsay."""
        return not self.parts[0].md5


KNOWN_SETS = (
    KnownSet(
        name="qsar",
        folder="qsar-aquatic-toxicity",
        archive="505/qsar+aquatic+toxicity.zip",
        largest=MEGABYTE,
        target=8,
        parts=(KnownPart("qsar_aquatic_toxicity.csv", fingerprint="0a79ea437e71ec8479592dd6f0fc1f02"),),
    ),
    KnownSet(
        name="yacht",
        folder="yacht",
        archive="243/yacht+hydrodynamics.zip",
        largest=MEGABYTE,
        target=6,
        parts=(KnownPart("yacht_hydrodynamics.data", fingerprint="963604d8c073911e1bb1a933179e8307"),),
    ),
    KnownSet(
        name="blog",
        folder="blog-feedback",
        archive="304/blogfeedback.zip",
        largest=100 * MEGABYTE,
        target=280,
        parts=(
            KnownPart("blogData_train.csv", fingerprint="7717f3a3169c2692b5f6b5bced168d40"),
            KnownPart("blogData_test.csv", piece_start="blogData_test-", fingerprint="a4d3c80217c0c645ebeacb52a7913343"),
        ),
    ),
    KnownSet(
        name="year",
        folder="year-prediction-msd",
        archive="203/yearpredictionmsd.zip",
        largest=500 * MEGABYTE,
        target=0,
        parts=(KnownPart("YearPredictionMSD.txt", size=448_576_698, md5="9b07d8011e0d8add1150dee90a38c548"),),
        training_rows=463_715,
    ),
)


def suggestion(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def known_set(name: str) -> KnownSet:
    for known in KNOWN_SETS:
        if known.name == _tables.word(name, "name"):
            return known
    names = [known.name for known in KNOWN_SETS]
    raise UsageError(f'there is no data set "{name}", expected one of {", ".join(names)}{suggestion(name, names)}')


# ---- where data lie ----


def data_folders(explicit: str | os.PathLike[str] | None) -> list[Path]:
    """Where data are looked for: the given folder, CREDENS_DATA, the cache folder."""
    folders = ["" if explicit is None else _tables.path(explicit, "folder"), os.environ.get("CREDENS_DATA", ""), _cache_folder()]
    return [Path(folder) for folder in folders if folder]


def _cache_folder() -> str:
    cache, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if os.path.isabs(cache):
        return os.path.join(cache, "credens", "data")
    return os.path.join(home, ".cache", "credens", "data") if home else ""


def find_part(known: KnownSet, part: KnownPart, folder: Path) -> list[Path]:
    """The files of a part in `folder` or in the set's own folder there: one, possibly compressed, or its pieces."""
    for place in (folder / known.folder, folder):
        for ending in PACKED_ENDINGS:
            file = place / (part.file + ending)
            if file.exists():
                return [file]
        pieces = sorted(file for file in place.iterdir() if is_piece(file.name, part)) if place.is_dir() else []
        if pieces:
            return pieces
    return []


def is_piece(name: str, part: KnownPart) -> bool:
    endings = tuple(Path(part.file).suffix + packed for packed in PACKED_ENDINGS)
    return bool(part.piece_start) and name.startswith(part.piece_start) and name.endswith(endings)


def find_data(known: KnownSet, explicit: str | os.PathLike[str] | None) -> list[list[Path]] | None:
    """The files of each part, from the first of data_folders() that has all parts of the set."""
    for folder in data_folders(explicit):
        parts = [find_part(known, part, folder) for part in known.parts]
        if all(parts):
            return parts
    return None


# ---- what they hold ----


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from None


def joined(text: bytes, piece: bytes) -> bytes:
    """The next piece of a text, on a line of its own."""
    return text + (b"\n" if text and not text.endswith(b"\n") else b"") + piece


def joined_text(files: Sequence[Path], largest: int) -> bytes:
    """What files hold, unpacked and joined; archives that hold more than `largest` bytes raise DataError."""
    text = b""
    for file in files:
        text = joined(text, _core.unpack(read_bytes(file), str(file), max(0, largest - len(text))))
    return text


def check_text(known: KnownSet, part: KnownPart, text: bytes, source: str) -> None:
    """Raises DataError unless `text` is the part; `source` is what the sentence calls it."""
    if part.md5:
        _check_digest(part, text, source)
    else:
        _check_values(part, Dataset._of(_core.Dataset.from_text(text, source, str(known.target))), source)


def _check_values(part: KnownPart, rows: Dataset, source: str) -> None:
    if rows.fingerprint != part.fingerprint:
        raise DataError(
            f"{source}: these are not the published values of {part.file}: {len(rows)} rows with fingerprint "
            f"{rows.fingerprint}, expected {part.fingerprint}"
        )


def _check_digest(part: KnownPart, text: bytes, source: str) -> None:
    if len(text) != part.size:
        raise DataError(f"{source}: {len(text)} bytes of text, expected the {part.size} of {part.file}")
    found = hashlib.md5(text, usedforsecurity=False).hexdigest()
    if found != part.md5:
        raise DataError(f"{source}: this is not {part.file}: its md5 is {found}, expected {part.md5}")


class LoadedData(NamedTuple):
    """The rows of a data set; `test` is None where it has no official split."""

    train: Dataset
    test: Optional[Dataset]


def load_data(known: KnownSet, found: Sequence[Sequence[Path]]) -> LoadedData:
    """The rows of files that find_data() found, checked like text."""
    first = _load_part(known, known.parts[0], found[0])
    if len(known.parts) > 1:
        return LoadedData(first, _load_part(known, known.parts[1], found[1]))
    if known.training_rows == 0:
        return LoadedData(first, None)
    if known.training_rows >= len(first):
        raise DataError(f"{found[0][0]}: {len(first)} rows, expected more than {known.training_rows}")
    return LoadedData(first.select(range(known.training_rows)), first.select(range(known.training_rows, len(first))))


def _load_part(known: KnownSet, part: KnownPart, files: Sequence[Path]) -> Dataset:
    """A file with a digest is read twice: its text is gone before its rows are there, which halves the memory."""
    source = str(files[0])
    if part.md5:
        _check_digest(part, joined_text(files, known.largest), source)
    if len(files) == 1:
        rows = Dataset.from_csv(files[0], known.target, header=False)
    else:
        rows = Dataset._of(_core.Dataset.from_text(joined_text(files, known.largest), source, str(known.target)))
    if not part.md5:
        _check_values(part, rows, source)
    return rows

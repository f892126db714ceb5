# SPDX-License-Identifier: Apache-2.0
"""A known data set from the network or from a mirror into a folder of data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Optional

from .. import _core
from .._errors import DataError, FileError, UsageError
from ._archive import Archive
from ._download import OnProgress, download, shown
from ._known import (
    ORIGINAL_ADDRESS,
    PACKED_ENDINGS,
    KnownPart,
    KnownSet,
    check_text,
    find_part,
    is_piece,
    joined,
    joined_text,
    read_bytes,
)

OnVerify = Optional[Callable[[str, int], object]]
"""Called before a text is verified, with the name of its file and its bytes."""


class FetchedPart(NamedTuple):
    file: Path
    """The first of its pieces where it came in pieces."""
    is_new: bool
    """Else it was there and is right."""


class _Text(NamedTuple):
    """The text of a part, and what sentences call the place it came from."""

    content: bytes
    source: str


class _Source:
    """Finds parts below a folder or an address; keeps the archive for the next part."""

    def __init__(self, known: KnownSet, source: str, on_progress: OnProgress):
        self._known = known
        self._is_original = not source
        self._base = ORIGINAL_ADDRESS if self._is_original else source.rstrip("/") or "/"
        self._is_address = self._base.startswith(("https://", "http://"))
        self._on_progress = on_progress
        self._archive: _Text | None = None
        if "://" in self._base and shown(self._base) != self._base:
            raise UsageError(f"{shown(self._base)}: the address holds a name or password, or a query: expected one without @, ? and #")
        if not self._is_address and "://" in self._base:
            raise UsageError(
                f'the source is "{self._base}", expected a folder or an address that begins with https:// or http://'
            )
        if not self._is_address and not os.path.isdir(self._base):
            raise FileError(f"{self._base}: not a folder, expected one with the files of {known.name} or an address")

    def find(self, part: KnownPart) -> _Text:
        self._archive = self._archive or self._first(self._archive_names())
        if self._archive is not None:
            return _Text(self._unpack(part, self._archive), self._archive.source)
        found = self._at_address(part) if self._is_address else self._in_folder(part)
        if found is None:
            raise FileError(f"{self._base}: neither {self._known.archive} nor {part.file} is there")
        return found

    def _archive_names(self) -> list[str]:
        known = self._known
        if self._is_original:
            return [known.archive]
        name = known.archive.rpartition("/")[2]
        return [known.archive, f"{known.folder}/{name}", name]

    def _unpack(self, part: KnownPart, packed: _Text) -> bytes:
        archive = Archive(packed.content, packed.source)
        names = {name.rpartition("/")[2]: name for name in archive.names}
        pieces = [part.file] if part.file in names else sorted(name for name in names if is_piece(name, part))
        if not pieces:
            raise DataError(f"{packed.source}: the archive holds no {part.file}")
        text = b""
        for name in pieces:
            text = joined(text, archive.read(names[name], max(0, self._known.largest - len(text))))
        return text

    def _in_folder(self, part: KnownPart) -> _Text | None:
        files = find_part(self._known, part, Path(self._base))
        return _Text(joined_text(files, self._known.largest), str(files[0])) if files else None

    def _at_address(self, part: KnownPart) -> _Text | None:
        if self._is_original:
            return None
        places = (f"{self._known.folder}/", "")
        found = self._first([place + part.file + ending for place in places for ending in PACKED_ENDINGS])
        if found is None:
            return None
        return _Text(_core.unpack(found.content, found.source, self._known.largest), found.source)

    def _first(self, names: list[str]) -> _Text | None:
        """The first of these files below the base that is there."""
        for name in names:
            path = f"{self._base}/{name}"
            if self._is_address:
                content = download(path, self._known.largest, self._on_progress)
            else:
                content = read_bytes(Path(path)) if os.path.exists(path) else None
            if content is not None:
                return _Text(content, path)
        return None


@contextmanager
def _new_folder(path: Path) -> Iterator[None]:
    """Makes a folder and, where the work in it fails, takes away what it made of it."""
    made = [place for place in (path, *path.parents) if not place.exists()]
    try:
        _core.make_folder(path)
        yield
    except BaseException:
        for place in made:
            if place.is_dir() and not any(place.iterdir()):
                place.rmdir()
        raise


def _check_present(known: KnownSet, part: KnownPart, files: list[Path], on_verify: OnVerify) -> None:
    try:
        text = joined_text(files, known.largest)
        if on_verify is not None:
            on_verify(part.file, len(text))
        check_text(known, part, text, str(files[0]))
    except DataError as error:
        raise DataError(f"{error}; it is left as it is: move it away to fetch {known.name} again") from None


def _bring(known: KnownSet, wanted: list[tuple[KnownPart, Path]], source: _Source, on_verify: OnVerify) -> None:
    """Everything is checked before anything is written."""
    for _, file in wanted:
        _core.check_writable(file)
    texts = []
    for part, _ in wanted:
        text = source.find(part)
        if on_verify is not None:
            on_verify(part.file, len(text.content))
        check_text(known, part, text.content, text.source)
        texts.append(text.content)
    for (_, file), content in zip(wanted, texts):
        _core.write_file(file, content)


def fetch_set(
    known: KnownSet, folder: Path, source: str = "", on_progress: OnProgress = None, on_verify: OnVerify = None
) -> list[FetchedPart]:
    """Brings what is not there yet into a folder of data.

    Raises DataError for wrong content, also of a file that is there, which stays as it is; FileError where the source
    or the folder fails.
    """
    parts, wanted = [], []
    for part in known.parts:
        files = find_part(known, part, folder)
        if files:
            _check_present(known, part, files, on_verify)
        else:
            wanted.append((part, folder / known.folder / part.file))
        parts.append(FetchedPart(files[0] if files else wanted[-1][1], not files))
    if wanted:
        found = _Source(known, source, on_progress)
        with _new_folder(folder / known.folder):
            _bring(known, wanted, found, on_verify)
    return parts

# SPDX-License-Identifier: Apache-2.0
"""Zip archives in memory, as public data come in. Nothing is unpacked to a disk, so names in them can lead nowhere."""

from __future__ import annotations

import io
import zipfile

from .._errors import DataError

_ENTRY_MAGIC, _END_MAGIC = b"PK\x03\x04", b"PK\x05\x06"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """A whole archive; raises DataError otherwise. `source` is what sentences call it."""

    def __init__(self, content: bytes, source: str):
        self._source = source
        if not content.startswith((_ENTRY_MAGIC, _END_MAGIC)):
            start = content[:16].decode("utf-8", "replace")
            raise DataError(f'{source}: starts with "{start}", expected a whole zip archive')
        if _END_MAGIC not in content:
            raise DataError(f"{source}: the archive is truncated, expected a whole zip archive")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except Exception as error:  # damaged bytes make zipfile raise many kinds of errors
            raise DataError(f"{source}: the zip archive is damaged or truncated") from error

    @property
    def names(self) -> list[str]:
        return [entry.filename for entry in self._zip.infolist()]

    def read(self, name: str, largest: int) -> bytes:
        """The content of an entry, checked; raises DataError also where it has more than `largest` bytes."""
        entry = self._zip.getinfo(name)
        if entry.file_size > largest:
            raise DataError(f'{self._source}: "{name}" has {entry.file_size} bytes, expected at most {largest}')
        if entry.compress_type not in _METHODS:
            method = entry.compress_type
            raise DataError(f'{self._source}: "{name}" is packed by method {method}, expected 0 (stored) or 8 (deflated)')
        try:
            content = self._zip.read(entry)  # stops at the size that the archive promises, and checks the CRC-32
        except Exception as error:
            raise DataError(f'{self._source}: "{name}" is damaged') from error
        if len(content) != entry.file_size:
            raise DataError(f'{self._source}: "{name}" is damaged')
        return content

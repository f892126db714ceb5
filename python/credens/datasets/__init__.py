# SPDX-License-Identifier: Apache-2.0
"""The data sets of the paper: public ones, fetched and verified, and simulated ones.

`python -m credens.datasets NAME` fetches one from a terminal.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from .. import _core, _tables
from .._dataset import Dataset
from .._errors import FileError, UsageError
from ._download import OnProgress
from ._fetch import OnVerify, fetch_set
from ._known import ORIGINAL_ADDRESS, LoadedData, data_folders, find_data, known_set, load_data

__all__ = ["LoadedData", "fetch", "load", "simulate"]


def fetch(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    source: str | os.PathLike[str] | None = None,
    on_progress: OnProgress = None,
) -> list[Path]:
    """The verified files of a public data set, which are brought from the UCI archive where they are absent.

    Parameters
    ----------
    name : `qsar`, `yacht`, `blog` or `year`
    folder : path, optional
        A folder of data sets; without it CREDENS_DATA or, where that is not set, the cache folder (`credens/data` in
        XDG_CACHE_HOME or `~/.cache`).
    source : path or address, optional
        A folder or an address with the original or the unpacked files, in place of the UCI archive.
    on_progress : callable, optional
        Given the bytes of a download that have come and all of them (0 where the server does not say).

    A file that is there and is not the published one raises DataError and stays as it is. Nothing is written unless all
    of it is right.
    """
    known = known_set(name)
    return [part.file for part in _fetch(known, folder, source, on_progress)]


def _fetch(known, folder, source, on_progress: OnProgress = None, on_verify: OnVerify = None):
    places = data_folders(folder)
    if not places:
        raise UsageError("there is no HOME, so no cache folder: name a folder, or set CREDENS_DATA")
    try:
        return fetch_set(known, places[0], "" if source is None else _tables.path(source, "source"), on_progress, on_verify)
    except FileError as error:
        if source or not str(error).startswith(ORIGINAL_ADDRESS):
            raise
        raise FileError(f"{error}; --from or source= names a folder or another address") from None


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> LoadedData:
    """The rows of a public data set that was fetched before, verified: (train, test).

    `test` is None for `qsar` and `yacht`, which have no official split. They are looked for in `folder`, CREDENS_DATA
    and the cache folder.
    """
    known = known_set(name)
    found = find_data(known, folder)
    if found is None:
        raise FileError(f"the files of {name} were not found; credens.datasets.fetch({name!r}) gets them")
    return load_data(known, found)


def simulate(problem: str, rows: int, seed: int = 0) -> tuple[Dataset, np.ndarray]:
    """Rows of one of the paper's simulated problems, `figure1` or `figure2`, and the regression function there [N].

    >>> import credens.datasets
    >>> data, truth = credens.datasets.simulate("figure1", rows=3)
    >>> data, truth.shape
    (Dataset(rows=3, inputs=['x'], targets=['y']), (3,))
    """
    made, truth = _core.simulate(_tables.word(problem, "problem"), _tables.whole(rows, "rows", 1), _tables.whole(seed, "seed"))
    return Dataset._of(made), truth[:, 0]

# SPDX-License-Identifier: Apache-2.0
"""Class probabilities at N rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from . import _core, _tables
from ._errors import DataError
from ._frames import Package, frame_of


class ClassPredictive:
    """Predictions of N rows: the probability of each of C classes, and how far to trust it. Entropies are in nats.

    Examples
    --------
    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 60)
    >>> model = credens.fit(x, np.where(x > 0, "up", "down"), members=4, epochs=20, hidden=(8,))
    >>> p = model.predict([-0.9, 0.9])
    >>> p.classes, p.predicted.tolist()
    (['down', 'up'], ['down', 'up'])
    >>> p.probability.shape, bool(np.allclose(p.probability.sum(axis=1), 1))
    ((2, 2), True)
    >>> bool(np.allclose(p.entropy, p.aleatoric + p.epistemic))
    True
    """

    def __init__(self, core: _core.ClassPredictive, classes: Sequence[Any] | np.ndarray, name: str = "y"):
        self._core = core
        self._labels = np.asarray(classes)
        self._name = name

    @property
    def classes(self) -> list[Any]:
        """In the order of the columns."""
        return self._labels.tolist()

    @property
    def probability(self) -> np.ndarray:
        """[N, C]; each row has the sum 1."""
        return self._core.probability

    @cached_property
    def predicted(self) -> np.ndarray:
        """[N]: the most probable class of each row; of equal ones the first."""
        return self._labels[np.argmax(self.probability, axis=1)]

    @property
    def confidence(self) -> np.ndarray:
        """[N]: the largest probability of each row."""
        return self.probability.max(axis=1)

    @property
    def entropy(self) -> np.ndarray:
        """[N]: of the probabilities, the sum of noise and ignorance."""
        return self._core.entropy

    @property
    def aleatoric(self) -> np.ndarray:
        """[N]: noise, the expected entropy: what more training rows would not take away."""
        return self._core.aleatoric

    @property
    def epistemic(self) -> np.ndarray:
        """[N]: ignorance, the mutual information of label and weights."""
        return self._core.epistemic

    @property
    def between_members(self) -> np.ndarray:
        """[N]: the part of `epistemic` that the members' disagreement makes."""
        return self._core.between_members

    @property
    def epistemic_variance(self) -> np.ndarray:
        """[N, C]: variance of each probability over the posterior."""
        return self._core.epistemic_variance

    @property
    def epistemic_std(self) -> np.ndarray:
        """[N, C]: standard deviation of each probability over the posterior."""
        return np.sqrt(self.epistemic_variance)

    def log_prob(self, y: Any) -> np.ndarray:
        """[N]: the log probability of the labels y."""
        numbers = self._numbers(y)
        with np.errstate(divide="ignore"):
            return np.log(self.probability[np.arange(len(self)), numbers])

    def sample(self, n: int = 1, seed: int = 0) -> np.ndarray:
        """[n, N]: draws of labels, independent between rows.

        `Ensemble.sample` draws whole functions, which are not independent between rows.
        """
        generator = np.random.Generator(np.random.Philox(_tables.whole(seed, "seed")))
        ends = np.cumsum(self.probability, axis=1)
        drawn = generator.random((_tables.whole(n, "n"), len(self), 1)) * ends[:, -1:]
        return self._labels[(drawn >= ends[:, :-1]).sum(axis=2)]

    def to_frame(self, *, std: bool = False, package: Package | None = None) -> Any:
        """A frame with the columns that `credens predict` writes, one row for each prediction; `std` is its `--std`.

        Of pandas where it is installed, else of polars; `package` chooses.
        """
        columns: dict[str, Any] = {f"{self._name}_class": self.predicted}
        for label, probability in zip(self.classes, self.probability.T):
            columns[f"{self._name}_probability_{label}"] = probability
        for kind in ("entropy", "aleatoric", "epistemic"):
            columns[f"{self._name}_{kind}"] = getattr(self, kind)
        for label, deviation in zip(self.classes if _tables.flag(std, "std") else [], self.epistemic_std.T):
            columns[f"{self._name}_epistemic_std_{label}"] = deviation
        return frame_of(columns, package)

    def __len__(self) -> int:
        return self._core.rows

    def __repr__(self) -> str:
        return f"ClassPredictive(rows={len(self)}, classes={self.classes})"

    def _repr_html_(self) -> str:
        from ._repr import class_predictive_html

        return class_predictive_html(self)

    def __reduce__(self):
        core = self._core
        matrices = (core.probability, core.epistemic_variance)
        vectors = (core.entropy, core.aleatoric, core.epistemic, core.between_members)
        return _restore, (*map(np.array, (*matrices, *vectors)), self._labels, self._name)

    def _numbers(self, y: Any) -> np.ndarray:
        """[N]: the number of each label's class."""
        labels = np.asarray(_tables.array_of(y, "y"))
        if labels.shape not in ((len(self),), (len(self), 1)):
            raise DataError(f"y has the shape {list(labels.shape)}, expected [{len(self)}]")
        known = {label: number for number, label in enumerate(self.classes)}
        texts = {_tables.label_text(label): number for label, number in known.items()}
        numbers = np.empty(len(self), dtype=int)
        for row, label in enumerate(labels.ravel().tolist()):
            number = known.get(label, texts.get(str(label)))  # flags and numbers may be words of a model
            if number is None:
                raise DataError(f"y: row {row} is {label!r}, expected one of the classes {self.classes}")
            numbers[row] = number
        return numbers


def _restore(probability, epistemic_variance, entropy, aleatoric, epistemic, between_members, labels, name="y") -> ClassPredictive:
    parts = (probability, epistemic_variance, entropy, aleatoric, epistemic, between_members)
    return ClassPredictive(_core.ClassPredictive.from_arrays(*parts), labels, name)

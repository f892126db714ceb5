# SPDX-License-Identifier: Apache-2.0
"""The predictive distribution at N rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from . import _core, _tables
from ._arguments import is_whole, items
from ._errors import ArgumentTypeError, DataError, RowIndexError, UsageError, shown
from ._frames import Package, frame_of
from ._measurement import Budget, Conformity, Interval, budget_of, conformity_arrays, correlated_numbers, limits_of
from ._promise import PromisedRows


class Predictive:
    """Predictions of N rows: for each row and output a mixture of Gaussians, in the units of the data.

    Arrays are [N] for one output and [N, q] for several; `as_columns` makes them [N, q] in any case.

    Examples
    --------
    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 50)
    >>> model = credens.fit(x, np.sin(3 * x), members=3, epochs=20, hidden=(16,))
    >>> p = model.predict([0.0, 0.5, 3.0])
    >>> p.mean.shape
    (3,)
    >>> bool(np.allclose(p.total_variance, p.aleatoric_variance + p.epistemic_variance))
    True
    >>> lower, upper = p.interval(0.9)
    >>> bool(np.all(lower < p.mean) and np.all(p.mean < upper))
    True
    """

    def __init__(
        self,
        core: _core.Predictive,
        flat: bool | None = None,
        names: Sequence[str] = (),
        units: Sequence[str] = (),
        promise: PromisedRows | None = None,
        joint: Callable[[], np.ndarray] | None = None,
    ):
        self._core = core
        self._joint = joint  # [q, N, N]: the epistemic covariance between rows
        self._flat = core.outputs == 1 if flat is None else flat
        self._names, self._units = list(names), list(units)
        self._promise = promise

    @cached_property
    def mean(self) -> np.ndarray:
        return self._moment(self._core.mean())

    @cached_property
    def aleatoric_variance(self) -> np.ndarray:
        """Noise: what more training rows would not take away."""
        return self._moment(self._core.aleatoric_variance())

    @cached_property
    def epistemic_variance(self) -> np.ndarray:
        """Ignorance: between the members and within them."""
        return self._moment(self._core.epistemic_variance())

    @cached_property
    def input_variance(self) -> np.ndarray:
        """What uncertain inputs add; 0 where they are exact."""
        return self._moment(self._core.input_variance())

    @cached_property
    def total_variance(self) -> np.ndarray:
        """The sum of noise, ignorance and what uncertain inputs add."""
        return self._moment(self._core.total_variance())

    @property
    def std(self) -> np.ndarray:
        """The root of the total variance."""
        return np.sqrt(self.total_variance)

    @property
    def aleatoric_std(self) -> np.ndarray:
        return np.sqrt(self.aleatoric_variance)

    @property
    def epistemic_std(self) -> np.ndarray:
        return np.sqrt(self.epistemic_variance)

    @property
    def input_std(self) -> np.ndarray:
        return np.sqrt(self.input_variance)

    @property
    def input_stds(self) -> dict[str, np.ndarray]:
        """By uncertain input: the standard deviation that it makes where the others have their values."""
        return {name: self._shaped(self._core.input_std(j)) for j, name in enumerate(self._core.uncertain_inputs)}

    def interval(self, level: float | None = None, kind: str = "gaussian", *, coverage_factor: float | None = None) -> Interval:
        """Interval that holds a new observation with this probability, 0.95 if not given.

        `gaussian`: mean +- z std; `mixture`: central quantiles of the exact mixture; `guaranteed`: promised by the rows
        that `Ensemble.calibrate` was given, whatever the model got wrong; `guaranteed-joint`: the same for all outputs at
        once. With a coverage factor k, in place of a level: mean +- k std, the expanded uncertainty of a certificate.
        """
        if coverage_factor is not None:
            return self._interval(self._core.coverage_factor_interval(_factor(coverage_factor, level, kind)))
        if _is_guaranteed(kind):
            return self._interval(self._promised(*_level(level, kind)))
        return self._interval(self._core.interval(*_level(level, kind)))

    def function_interval(
        self, level: float | None = None, kind: str = "gaussian", *, coverage_factor: float | None = None
    ) -> Interval:
        """Interval that holds the regression function with this probability: epistemic uncertainty only.

        The arguments are those of `interval`. Nothing is promised of the regression function: its intervals stay
        Bayesian.
        """
        if coverage_factor is not None:
            return self._interval(self._core.function_coverage_factor_interval(_factor(coverage_factor, level, kind)))
        if _is_guaranteed(kind):
            raise UsageError("nothing is promised of the regression function: expected gaussian or mixture")
        return self._interval(self._core.function_interval(*_level(level, kind)))

    def quantile(self, p: Any) -> np.ndarray:
        """Quantiles of the exact mixture; several probabilities give one more axis in front."""
        return self._quantiles(p, self._core.quantile)

    def function_quantile(self, p: Any) -> np.ndarray:
        """Quantiles of the regression function, without noise; several probabilities give one more axis in front."""
        return self._quantiles(p, self._core.function_quantile)

    def cdf(self, y: Any) -> np.ndarray:
        """The probability of a value up to y, of each output by itself; y is one number or shaped as the mean."""
        return self._shaped(self._core.cdf(self._values(y)))

    def function_cdf(self, y: Any) -> np.ndarray:
        """The probability that the regression function is at most y, without noise; y is as for `cdf`."""
        return self._shaped(self._core.function_cdf(self._values(y)))

    def pdf(self, y: Any) -> np.ndarray:
        """The density at y, of each output by itself."""
        return self._shaped(self._core.density(self._values(y)))

    def log_prob(self, y: Any) -> np.ndarray:
        """[N]: the log density at y, joint over the outputs."""
        return self._core.log_density(self._values(y))

    def shortest_interval(self, level: float = 0.95, *, of: str = "observation") -> Interval:
        """The shortest interval that holds a value with this probability, under the exact mixture.

        `of` is "observation" (with its noise) or "function" (the regression function).
        """
        return self._interval(self._core.shortest_interval(_tables.number(level, "level"), _tables.word(of, "of")))

    def budget(self, level: float = 0.95, *, of: str = "observation") -> Budget:
        """What contributes to the uncertainty of each row, its expanded uncertainty and its coverage intervals.

        Examples
        --------
        >>> import credens, numpy as np
        >>> x = np.linspace(-1, 1, 50)
        >>> p = credens.fit(x, np.sin(3 * x), members=3, epochs=20, hidden=(16,)).predict([0.0, 0.5])
        >>> budget = p.budget()
        >>> list(budget.contributions)
        ['noise', 'between members', 'within members']
        >>> bool(np.allclose(budget.total, p.std) and np.allclose(sum(budget.shares.values()), 1))
        True
        """
        found = self._core.budget(_tables.number(level, "level"), _tables.word(of, "of"))
        return budget_of(found, self._shaped)

    def conformity(
        self, lower: Any = None, upper: Any = None, *, decide: str = "guarded", risk: float = 0.05, of: str = "observation"
    ) -> Conformity:
        """The probability that a value lies within limits of tolerance, and what a certificate may state.

        `lower` and `upper` are numbers, or None for no limit; with several outputs a dict by their names, or one of
        these for each output. `decide` is "guarded" (a pass or a fail is wrong with a probability of at most `risk`;
        other statements are conditional) or "simple" (the mean alone decides). `of` is "observation" (a new
        measurement, with its noise) or "function" (the regression function).

        Examples
        --------
        >>> import credens, numpy as np
        >>> x = np.linspace(-1, 1, 50)
        >>> p = credens.fit(x, np.sin(3 * x), members=3, epochs=20, hidden=(16,)).predict([0.0, 0.5])
        >>> found = p.conformity(upper=10)
        >>> [str(word) for word in found.statement]
        ['pass', 'pass']
        >>> bool(np.allclose(found.probability, p.cdf(10)))
        True
        """
        limits = (limits_of(self._named_outputs(), lower, "lower"), limits_of(self._named_outputs(), upper, "upper"))
        options = (_tables.word(decide, "decide"), _tables.number(risk, "risk"), _tables.word(of, "of"))
        return Conformity(*map(self._shaped, conformity_arrays(self._core.conformity(*limits, *options))))

    def sample(self, n: int = 1, seed: int = 0) -> np.ndarray:
        """[n, N] or [n, N, q]: draws of observations, independent between rows.

        `Ensemble.sample` draws whole functions, which are not independent between rows.
        """
        n = _tables.whole(n, "n")
        weights, mean, aleatoric, epistemic = self._core.components()
        generator = np.random.Generator(np.random.Philox(_tables.whole(seed, "seed")))
        rows, members, outputs = mean.shape
        ends = np.cumsum(weights)
        member = np.searchsorted(ends / ends[-1], generator.random((n, rows)), side="right").clip(max=members - 1)
        row = np.arange(rows)
        slopes = np.reshape(self._core.spread()[2], mean.shape) if self._core.spread()[2] else 0.0
        std = np.sqrt(aleatoric + epistemic + slopes)
        return self._shaped(mean[row, member] + std[row, member] * generator.standard_normal((n, rows, outputs)))

    def aleatoric_covariance(self, row: int) -> np.ndarray:
        """[q, q], of the noise at one row."""
        return self._core.aleatoric_covariance(self._row(row))

    def epistemic_covariance(self, row: int) -> np.ndarray:
        """[q, q], of the regression function at one row."""
        return self._core.epistemic_covariance(self._row(row))

    def total_covariance(self, row: int) -> np.ndarray:
        """[q, q]: the sum of noise, ignorance and what uncertain inputs add."""
        return self._core.total_covariance(self._row(row))

    def classical(self) -> Predictive:
        """The classical deep ensemble: the same mixture with the members' own width taken away."""
        return Predictive(self._core.classical(), self._flat, self._names, self._units)

    def as_columns(self) -> Predictive:
        """These predictions with arrays [N, q], also for one output."""
        return Predictive(self._core, False, self._names, self._units, self._promise, self._joint)

    def to_uncertainties(self, *, of: str = "observation") -> np.ndarray:
        """[N] or [N, q]: numbers of the package `uncertainties`, whose errors are correlated between rows.

        A model that is wrong at one row is wrong at the rows near it, so ignorance is shared; noise and the errors of
        inputs are not. `of="function"` leaves the noise out. Only means and covariances travel: what is computed from
        them is right to first order. Outputs are independent of each other here. Rows are few: the covariance has N² values.
        """
        _tables.word(of, "of")
        if self._joint is None:
            raise UsageError("these predictions came without their model, which knows how rows go together: predict again")
        return self._shaped(correlated_numbers(self.as_columns(), self._joint(), of))

    def to_frame(
        self,
        *,
        level: float | None = None,
        kind: str = "gaussian",
        coverage_factor: float | None = None,
        quantiles: Sequence[float] = (),
        package: Package | None = None,
    ) -> Any:
        """A frame with the columns that `credens predict` writes, one row for each prediction.

        Of pandas where it is installed, else of polars; `package` chooses. Intervals are those of `interval` and
        `function_interval` with these arguments; each of `quantiles` adds a column.
        """
        columns: dict[str, np.ndarray] = {}
        p = self.as_columns()
        options = {"level": level, "kind": kind, "coverage_factor": coverage_factor}
        total = p.interval(**options)
        function = p.function_interval(**(options | {"kind": "mixture"} if _is_guaranteed(kind) else options))
        quantities = {"mean": p.mean, "aleatoric_std": p.aleatoric_std, "epistemic_std": p.epistemic_std}
        if p._core.uncertain_inputs:
            quantities |= {"input_std": p.input_std} | {f"input_std_{name}": std for name, std in p.input_stds.items()}
        quantities["total_std"] = p.std
        quantities |= {"lower": total.lower, "upper": total.upper, "function_lower": function.lower, "function_upper": function.upper}
        quantities |= {f"quantile_{q!r}": p.quantile(q) for q in (_tables.number(q, "quantiles") for q in items(quantiles, "quantiles", "a list of probabilities"))}
        for output, (name, unit) in enumerate(self._named_outputs()):
            for quantity, values in quantities.items():
                columns[f"{name}_{quantity}" + (f" [{unit}]" if unit else "")] = values[:, output]
        return frame_of(columns, package)

    def _named_outputs(self) -> list[tuple[str, str]]:
        """Names and units; outputs of arrays are called as the program calls them."""
        names = self._names or (["y"] if self.outputs == 1 else [f"y{output}" for output in range(self.outputs)])
        return list(zip(names, self._units or [""] * len(names)))

    @property
    def outputs(self) -> int:
        return self._core.outputs

    @property
    def members(self) -> int:
        return self._core.members

    def __len__(self) -> int:
        return self._core.rows

    def __repr__(self) -> str:
        return f"Predictive(rows={len(self)}, outputs={self.outputs}, members={self.members})"

    def _repr_html_(self) -> str:
        from ._repr import predictive_html

        return predictive_html(self)

    def __reduce__(self):
        components = (*map(np.array, self._core.components()), self._flat, self._names, self._units, self._promise)
        return _restore, (*components, self._core.spread())

    def _promised(self, level: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
        if self._promise is None:
            raise UsageError("the model has no promise: guaranteed intervals need Ensemble.calibrate with rows that it has not seen")
        return self._promise.interval(self._core, level, kind == "guaranteed-joint")

    def _shaped(self, array: np.ndarray) -> np.ndarray:
        return array[..., 0] if self._flat else array

    def _moment(self, array: np.ndarray) -> np.ndarray:
        array = self._shaped(array)
        array.flags.writeable = False  # it is computed once and given again
        return array

    def _interval(self, ends: tuple[np.ndarray, np.ndarray]) -> Interval:
        return Interval(*map(self._shaped, ends))

    def _quantiles(self, p: Any, quantile: Any) -> np.ndarray:
        probabilities = _tables.doubles(p, "p")
        if probabilities.ndim == 0:
            return self._shaped(quantile(float(probabilities)))
        shape = (*probabilities.shape, len(self), self.outputs)
        found = [quantile(float(one)) for one in probabilities.ravel()]
        return self._shaped(np.array(found).reshape(shape))

    def _values(self, y: Any) -> np.ndarray:
        shape = (len(self), self.outputs)
        values = _tables.doubles(y, "y")
        if values.ndim == 0:
            return np.full(shape, values)
        values = _tables.matrix(values, "y")
        if values.shape != shape:
            raise DataError(f"y has the shape {list(np.shape(y))}, expected {list(self.mean.shape)}")
        return values

    def _row(self, row: int) -> int:
        if not is_whole(row):
            raise ArgumentTypeError(f"row is {shown(row)}, expected a whole number")
        if not -len(self) <= row < len(self):
            raise RowIndexError(f"row is {row}, expected one of the {len(self)} rows")
        return int(row) % len(self)


def _is_guaranteed(kind: Any) -> bool:
    return _tables.word(kind, "kind") in ("guaranteed", "guaranteed-joint")


def _level(level: Any, kind: Any) -> tuple[float, str]:
    return 0.95 if level is None else _tables.number(level, "level"), _tables.word(kind, "kind")


def _factor(factor: Any, level: Any, kind: Any) -> float:
    if level is not None:
        raise UsageError("both level and coverage_factor are given, expected one of them")
    if _tables.word(kind, "kind") != "gaussian":
        raise UsageError(f"coverage_factor is given, but kind is {kind!r}, expected 'gaussian': mean +- k std")
    return _tables.number(factor, "coverage_factor")


def _restore(weights, mean, aleatoric_variance, epistemic_variance, flat, names=(), units=(), promise=None, spread=()) -> Predictive:
    core = _core.Predictive.from_components(weights, mean, aleatoric_variance, epistemic_variance, *spread)
    return Predictive(core, flat, names, units, promise)

# SPDX-License-Identifier: Apache-2.0
"""Training and widening."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, Union

import numpy as np

from . import _core, _tables
from ._arguments import flag_or_none, is_whole, items
from ._dataset import Dataset, dataset_of
from ._ensemble import Ensemble, core_of, with_task
from ._errors import ArgumentTypeError, shown
from ._keywords import suggests
from ._progress import Progress, display_of
from ._roles import Columns, Labels, Task, check_target_names

Posterior = Literal["delta", "isotropic", "diagonal", "full"]
Numbers = Union[float, Sequence[float]]


@suggests
def fit(
    data: Any,
    targets: Any = None,
    *,
    weights: Any = None,
    noise_std: Any = None,
    group: Any = None,
    time: Any = None,
    task: Task = "auto",
    classes: Labels = (),
    counts: Any = None,
    input_names: Sequence[str] | None = None,
    target_names: Sequence[str] | None = None,
    categories: Columns = (),
    numbers: Columns = (),
    dates: Columns = (),
    strict: bool = False,
    recipe: Literal["auto", "paper"] = "auto",
    effort: Literal["quick", "normal", "thorough"] = "normal",
    members: int | None = None,
    hidden: Sequence[int] | Sequence[Sequence[int]] | str | None = None,
    activation: str | Sequence[str] | None = None,
    embedding: Numbers | None = None,
    frequencies: int | None = None,
    noise: Literal["shared", "per-output", "constant", "known"] | None = None,
    noise_link: Literal["softplus", "exp"] | None = None,
    epochs: int | None = None,
    batch: int | None = None,
    learning_rate: Numbers | None = None,
    schedule: str | None = None,
    loss_beta: Numbers | None = None,
    standardise_inputs: bool = True,
    asinh_inputs: bool | None = None,
    leave_out_slips: bool | None = None,
    validation_fraction: float = 0.0,
    patience: int = 20,
    folds: int | None = None,
    recalibrate: bool | None = None,
    correct_size: bool | None = None,
    weigh_members: bool | None = None,
    prior_precision: float | None = None,
    hidden_precision: Numbers | None = None,
    posterior: Posterior | None = None,
    random_bias: bool = False,
    seed: int = 0,
    threads: int = 0,
    memory: int | str = "auto",
    validation: Dataset | None = None,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Ensemble:
    """Trains an ensemble of networks and widens it, as `credens fit` does: same data, options and seed, same bytes.

    Parameters
    ----------
    data : Dataset, or array or table of inputs [N, d]
        Or a table that also holds the targets; the path of a file is such a table.
    targets : array [N] or [N, q], or names of columns of `data`, or the index of one
        Words and flags (bool) are classes, which the model then predicts.
    weights, noise_std, group, time, input_names, target_names
        As for `Dataset`; where `targets` are names, weights, noise_std, group and time are names too.
        A column of a table that is the target too is refused: the model would read its answer.
    task, classes, counts
        As for `Dataset`: task="classification" takes numbers for labels, `classes` gives their order, and `counts`, in
        place of targets, how often each class was observed; where `data` is a table, names of its columns.
    categories, numbers, dates, strict
        As for `Dataset`: which inputs are words, numbers or dates, where that is not to be recognised.
    validation : Dataset, optional
        Rows of their own to choose each member's best epoch, in place of `validation_fraction`.
    progress : bool or callable, optional
        Fits over two seconds show a bar in terminals and notebooks; True shows it anywhere, False nowhere, and a
        callable is given a `Progress` instead. Ctrl-C stops a fit.

    The recipe decides options that are None. Options that say so take a list, cycled over the members.

    Examples
    --------
    >>> import credens, numpy as np
    >>> x = np.random.default_rng(1).uniform(-1, 1, 100)
    >>> model = credens.fit(x, np.sin(3 * x), members=5, epochs=20, hidden=(32, 16), seed=7)
    >>> model.members, model.target_names
    (5, ['y'])
    """
    given = {name: value for name, value in locals().items() if name in OPTION_NAMES}
    parts = {"weights": weights, "noise_std": noise_std, "group": group, "time": time}
    names = {"input_names": input_names, "target_names": target_names}
    kinds = {"categories": categories, "numbers": numbers, "dates": dates, "strict": strict}
    of_classes = {"task": task, "classes": classes, "counts": counts}
    train = dataset_of(data, targets, **parts, **of_classes, **names, **kinds)
    check_target_names(train, targets, target_names)
    if validation is not None and not isinstance(validation, Dataset):
        raise ArgumentTypeError(f"validation is {type(validation).__name__}, expected a Dataset")
    options = [(name, option_text(name, value)) for name, value in given.items() if value is not None]
    display = display_of(progress)
    try:
        core = _core.fit(train._core, options, None if validation is None else validation._core, display, _warn)
    finally:
        display.close()
    return Ensemble(core)


def widen(
    model: Ensemble,
    data: Any,
    targets: Any = None,
    *,
    posterior: Posterior | None = None,
    prior_precision: float | Literal["evidence"] | None = None,
    random_bias: bool | None = None,
    threads: int = 0,
    **parts: Any,
) -> Ensemble:
    """Gives the members of a model another posterior, in closed form and without retraining.

    `data` and `targets` are what the model was trained on, given as to `fit`. What is None is as `fit` chose it;
    prior_precision="evidence" finds the most probable one.

    >>> import credens, numpy as np
    >>> x = np.linspace(-1, 1, 50)
    >>> narrow = credens.fit(x, np.sin(3 * x), members=3, epochs=20, hidden=(16,), posterior="delta")
    >>> credens.widen(narrow, x, np.sin(3 * x), posterior="full").posterior
    'full'
    """
    core = core_of(model)
    train = dataset_of(data, targets, **with_task(core, data, parts))
    evidence = isinstance(prior_precision, str) and prior_precision == "evidence"
    wide = _core.widen(
        core,
        train._core,
        None if posterior is None else _tables.word(posterior, "posterior"),
        None if evidence or prior_precision is None else _tables.number(prior_precision, "prior_precision"),
        evidence,
        flag_or_none(random_bias, "random_bias"),
        _tables.threads(threads),
    )
    if wide.fingerprint != core.fingerprint:
        _warn("the data are not the rows, weights and noise that the model was made from")
    return Ensemble(wide)


def option_text(name: str, value: Any) -> str:
    """How flags and TOML write a value."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if is_whole(value):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return _list_text(name, value)
    raise ArgumentTypeError(f"{name} is {shown(value)}, expected a number, a word or a list")


def _list_text(name: str, values: Any) -> str:
    values = items(values, name, "a number, a word or a list")
    if name == "hidden":
        if len(values) == 0:
            return "none"
        if isinstance(values[0], (list, tuple, np.ndarray)):
            return "/".join(_list_text(name, widths) for widths in values)
    return ",".join(option_text(name, value) for value in values)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, UserWarning, stacklevel=3)


# (keyword, default, help, range) of each option of `fit`, as the C++ library has them; an empty default is left to the
# recipe.
OPTIONS: list[tuple[str, str, str, str]] = _core.fit_options()
OPTION_NAMES = {name for name, *_ in OPTIONS}


def _describe(function: Any) -> None:
    """Adds the table of options to a docstring."""
    before, examples, after = function.__doc__.partition("    Examples\n")
    lines = []
    for name, default, help_text, expects in OPTIONS:
        lines += [f"    {name} : default {default or 'the recipe decides'}", f"        {help_text}: {expects}."]
    function.__doc__ = before + "    Options\n    -------\n" + "\n".join(lines) + "\n\n" + examples + after


_describe(fit)

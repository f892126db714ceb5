# SPDX-License-Identifier: Apache-2.0
"""Networks that predict classes: their logits, the sums over their rows, and class probabilities at tensors.

Letters: n rows or pixels, C classes, z logits, u the weight of a row, t the shares of its classes, e the variance of
its logits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from . import _core
from ._class_predictive import ClassPredictive
from ._ensemble import Ensemble
from ._errors import DataError, UsageError
from ._outputs import MemberOutputs
from ._torch_forms import by_name, described, only_tensor
from ._torch_layers import at_least_single, exact
from ._torch_models import LOGIT, Head, called, evaluating, find_head
from ._torch_sums import Batch, HeadSums, check_all
from ._torch_widened import Widened

LOGITS = ("logits", "logit", "out", "output", "prediction", "predictions")  # names that libraries give to the result
PROBABILITIES = ("probability", "probabilities", "probs", *LOGITS)
CLASS_FORMS = ("logits", "probability")
SHARES_ROUNDING = 1e-6  # shares in single precision add up to 1 within this
PROBABILITY_ROUNDING = 1e-3  # in half precision


@dataclass(frozen=True, eq=False)
class ClassPrediction:
    """Class probabilities at some rows or pixels, and how far to trust them.

    `probability` and `epistemic_variance` are shaped as the networks shape their logits; the others lack the axis of the
    classes. Entropies are in nats, and entropy = aleatoric + epistemic.
    """

    probability: torch.Tensor
    epistemic_variance: torch.Tensor  # of each probability over the posterior
    entropy: torch.Tensor
    aleatoric: torch.Tensor  # expected entropy: the randomness of the labels themselves
    epistemic: torch.Tensor  # mutual information of label and weights: ignorance
    between_members: torch.Tensor  # the part of `epistemic` that the members' disagreement makes
    class_axis: int
    classes: Sequence[Any]

    @property
    def epistemic_std(self) -> torch.Tensor:
        return self.epistemic_variance.sqrt()

    @property
    def predicted(self) -> torch.Tensor:
        """The number of the most probable class."""
        return self.probability.argmax(self.class_axis)

    @property
    def confidence(self) -> torch.Tensor:
        """The largest probability."""
        return self.probability.amax(self.class_axis)

    @property
    def predictive(self) -> ClassPredictive:
        """The same predictions as numpy arrays: one row for each row or pixel."""
        parts = [self.probability.movedim(self.class_axis, -1), self.epistemic_variance.movedim(self.class_axis, -1)]
        matrices = [exact(part).reshape(-1, part.shape[-1]).cpu().numpy() for part in parts]
        matrices[0] = matrices[0] / matrices[0].sum(1, keepdims=True)  # which was rounded
        parts = [self.entropy, self.aleatoric, self.epistemic, self.between_members]
        vectors = [exact(part).reshape(-1).cpu().numpy() for part in parts]
        return ClassPredictive(_core.ClassPredictive.from_arrays(*matrices, *vectors), self.classes)


class WidenedClasses(Widened):
    """Networks that predict classes with a Gaussian over each one's last layer: what `widen` returns for them."""

    def __init__(self, heads: list[Head], ensemble: Ensemble, ignore_index: int):
        super().__init__(heads, ensemble, None)
        self.ignore_index = ignore_index

    @property
    def classes(self) -> list[Any]:
        return self.ensemble.classes

    def predict(self, inputs: Any, *, classical: bool = False) -> ClassPrediction:
        """At a batch of inputs, as the networks take it: a tensor, or a list or mapping of arguments.

        `classical` gives the deep ensemble as it was: the networks' softmax probabilities averaged.
        """
        with evaluating(self.models):
            members = [self._logits(l, inputs) for l in range(len(self._heads))]
            core = self._mixed(members, classical)
        return _shaped(core, self._heads[0], members[0], self.classes)

    __call__ = predict

    def sample(self, inputs: Any, draws: int = 1000, *, of: str = "function", seed: int = 0) -> torch.Tensor:
        """[draws, *logits]: class probabilities of one function over all rows, or 1 at a drawn class with of="observation"."""
        drawn = self.ensemble.sample_outputs(self.member_outputs(inputs), draws=draws, of=of, seed=seed)
        with evaluating(self.models):
            member = self._logits(0, inputs)
        return torch.stack([_laid_out(values, self._heads[0], member, member.shaped.shape) for values in drawn])

    def member_outputs(self, inputs: Any) -> MemberOutputs:
        """Features [n, p] and logits [n, C] of the members, with one row for each row or pixel: for `widen_outputs`."""
        with evaluating(self.models):
            members = [self._logits(l, inputs) for l in range(len(self._heads))]
            features = [
                head.design.features(head.layer.inputs(exact(member.features)), head.place).cpu().numpy()
                for head, member in zip(self._heads, members)
            ]
        return MemberOutputs(
            features,
            logits=[member.logits for member in members],
            last_layer=[exact(head.weight().detach()).cpu().numpy() for head in self._heads],
            member_weights=self.ensemble.weights,
            prior_precision=self.prior_precision,
            classes=self.classes,
        )

    def _mixed(self, members: list[_Logits], classical: bool) -> Any:
        rows = [(member.logits, self._variance(l, member, classical)) for l, member in enumerate(members)]
        return _core.mix_logits(rows, self.ensemble.weights.tolist(), 0)

    def _logits(self, member: int, inputs: Any) -> _Logits:
        head = self._heads[member]
        features, out, parts = head.run(inputs)
        logits = head.layer.rows(exact(head.shaped(parts.mean, out)))
        return _Logits(features, out, parts.mean, np.ascontiguousarray(logits.cpu().numpy()))

    def _variance(self, member: int, rows: _Logits, classical: bool) -> np.ndarray:
        head = self._heads[member]
        if classical:
            return np.zeros(len(rows.logits))
        x = at_least_single(head.layer.inputs(rows.features))
        variance = head.layer.rows(exact(self._posteriors[member].variance(head, x))).clamp(min=0)  # fast convolutions round
        return np.ascontiguousarray(variance.cpu().numpy()[:, 0])


class _Logits(NamedTuple):
    """What one network says of a batch."""

    features: torch.Tensor
    out: torch.Tensor
    shaped: torch.Tensor  # logits as the network shapes them
    logits: np.ndarray  # [n, C]


def _laid_out(values: np.ndarray, head: Head, member: _Logits, shape: Any) -> torch.Tensor:
    """Values of rows, shaped as the network shapes its logits, or without the classes."""
    rows = torch.from_numpy(np.array(values).reshape(len(values), -1))
    return head.layer.layout(rows, member.out).reshape(shape).to(member.out.device, member.shaped.dtype)


def _shaped(core: _core.ClassPredictive, head: Head, member: _Logits, classes: Sequence[Any]) -> ClassPrediction:
    shape = member.shaped.shape
    axis = head.output_axis(member.shaped, member.out)
    without_classes = [*shape[:axis], *shape[axis + 1 :]]
    matrices = (core.probability, core.epistemic_variance)
    vectors = (core.entropy, core.aleatoric, core.epistemic, core.between_members)
    return ClassPrediction(
        *(_laid_out(values, head, member, shape) for values in matrices),
        *(_laid_out(values, head, member, without_classes) for values in vectors),
        class_axis=axis,
        classes=classes,
    )


class ClassForm:
    """Logits in a network's result: a tensor, the part that is called so, or what a function makes of it."""

    def __init__(self, output: str | Callable[[Any], Any] | None):
        if not (output in CLASS_FORMS if isinstance(output, str) else output is None or callable(output)):
            raise UsageError(
                f"output is {output!r}, expected {' or '.join(map(repr, CLASS_FORMS))}, or a function from what the network"
                " returns to its logits"
            )
        self.output = output

    def __call__(self, raw: Any) -> torch.Tensor:
        if callable(self.output):
            return _part(self.output(raw), LOGITS, "logits")
        if self.output == "probability":
            return _part(raw, PROBABILITIES, "probabilities").log()
        return _part(raw, LOGITS, "logits")


def _part(raw: Any, names: tuple[str, ...], what: str) -> torch.Tensor:
    if isinstance(raw, torch.Tensor):
        return raw
    found = by_name(raw, names)
    if found is None:
        found = only_tensor(raw)
    if found is None:
        raise UsageError(f"a network gives {described(raw)}, expected {what}: say with output= a function to where they are")
    return found


def find_class_head(model, given, inputs: Any, form: ClassForm, what: str, random_bias: bool = False) -> Head:
    """As find_head; what softmax or sigmoid comes after is said in a sentence of its own."""
    try:
        head = find_head(model, given, inputs, form, what, LOGIT, random_bias)
    except UsageError:
        if form.output is None and _are_probabilities(form(called(model, inputs))):
            raise UsageError(
                f"{what} returns class probabilities, expected logits, what goes into softmax: leave the softmax out, or"
                " give output='probability'"
            ) from None
        raise
    if not head.design.shares_features:
        raise UsageError(f"{head.place} has groups, so that classes have features of their own: expected one group for all")
    if len(head.channels) < 2:
        raise UsageError(
            f"{what} gives 1 logit, expected one for each class; two classes have two logits, without a sigmoid"
        )
    return head


def _are_probabilities(values: torch.Tensor) -> bool:
    if values.dim() < 2 or not values.is_floating_point() or not bool(((values >= 0) & (values <= 1)).all()):
        return False
    sums = (values.double().sum(axis) for axis in (-1, 1))
    return any(bool((total - 1).abs().max() <= PROBABILITY_ROUNDING) for total in sums)


class _Labels(NamedTuple):
    """In the layout of the logits: shares [., C, ...] or numbers of classes [., 1, ...], and what a row counts for."""

    values: torch.Tensor
    weight: torch.Tensor


class ClassSums(HeadSums):
    """Sums over the rows of one network; sum_i u_i phi_i phi_i^T / C, with C in place of a noise variance."""

    def __init__(self, head: Head, with_gram: bool, ignore_index: int):
        super().__init__(head, with_gram)
        self._ignore_index = ignore_index

    def add(self, batch: Batch, where: str) -> None:
        features, out, parts = self.head.run(batch.inputs)
        layer = self.head.layer
        logits = self.head.shaped(parts.mean, out)
        if logits is None or logits.shape[1] != self.outputs:
            shape = list(parts.mean.shape)
            raise DataError(f"{self._at(where)} the logits are {shape}, expected {self.outputs} classes as before")
        logits = exact(logits)
        for values, name in ((features, "the input of the last layer has"), (logits, "the logits have")):
            check_all(values, torch.isfinite(values), f"{self._at(where)} {name}", "finite numbers")
        labels = self._labels(batch.targets, out, parts.mean, where)
        weights = self._weights(batch.weights, logits, where)
        if labels is not None:
            weights = weights * labels.weight
        self._begin(labels is not None, False, where)
        self._add_sums(layer.inputs(exact(features)), weights / self.outputs)
        if labels is not None:
            self.log_likelihood += float((weights * _log_likelihood(logits, labels.values)).sum())
        self.rows += len(weights.reshape(-1)) if labels is None else int((labels.weight > 0).sum())
        self.weight += float(weights.sum())

    def _labels(self, targets, out, logits, where: str) -> _Labels | None:
        if targets is None:
            return None
        shaped = self.head.shaped(targets.to(out.device), out)
        if shaped is None or shaped.shape[1] not in (1, self.outputs):
            raise DataError(
                f"{self._at(where)} the labels are {list(targets.shape)}, expected numbers of classes, or counts or"
                f" shares as the logits, {list(logits.shape)}"
            )
        values = exact(shaped)
        return self._numbers(values, where) if shaped.shape[1] == 1 else self._shares(values, where)

    def _numbers(self, values: torch.Tensor, where: str) -> _Labels:
        present = values != self._ignore_index
        is_class = (values >= 0) & (values < self.outputs) & (values == values.floor())
        expected = f"numbers of classes, 0 to {self.outputs - 1}, or ignore_index={self._ignore_index}"
        check_all(values, is_class | ~present, f"{where}: labels have", expected)
        return _Labels(torch.where(present, values, torch.zeros_like(values)), present.double())

    def _shares(self, values: torch.Tensor, where: str) -> _Labels:
        check_all(
            values, torch.isfinite(values) & (values >= 0), f"{where}: labels have", "counts or shares of classes, from 0"
        )
        total = values.sum(1, keepdim=True)
        check_all(total, total > 0, f"{where}: sums of a row's shares have", "a number above 0")
        is_share = (total - 1).abs() <= SHARES_ROUNDING
        return _Labels(values / total, torch.where(is_share, torch.ones_like(total), total))


def _log_likelihood(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """sum_c t_c log softmax_c(z), [., 1, ...]."""
    log_probability = torch.log_softmax(logits, 1)
    if labels.shape[1] == 1:
        return log_probability.gather(1, labels.long())
    terms = torch.where(labels > 0, labels * log_probability, torch.zeros_like(labels))
    return terms.sum(1, keepdim=True)

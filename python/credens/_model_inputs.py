# SPDX-License-Identifier: Apache-2.0
"""Inputs and known noise of a model among what users have: arrays, tables, paths, datasets."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _files, _tables
from ._dataset import Dataset
from ._errors import DataError, UsageError


def inputs_of(model: Any, inputs: Any) -> np.ndarray:
    """[N, d], in the order of training."""
    if not model.has_networks:
        raise UsageError("the model was made from arrays and has no networks: use predict_outputs")
    if isinstance(inputs, Dataset):
        are_numbers = {*inputs.input_kinds, *model.input_kinds} == {"number"}
        has_units = model.input_units and inputs.input_units
        is_alike = not model.input_names or (inputs.input_names in ([], model.input_names) and not has_units)
        if are_numbers and is_alike:
            return _checked(model, inputs.inputs)
        return inputs._core.inputs_of(model._core)
    if _files.is_path(inputs) and not _files.is_foreign(inputs):
        return _files.read_inputs(inputs, model._core)
    if _tables.is_table(inputs):
        return _tables.table(inputs, "inputs").inputs_of(model._core)
    array = _checked(model, _tables.matrix(inputs, "inputs", may_miss=True))
    if "category" not in model.input_kinds:
        return array
    return _tables.array_table(array, [], "inputs").inputs_of(model._core)


def _checked(model: Any, inputs: np.ndarray) -> np.ndarray:
    if inputs.shape[1] != model.inputs:
        raise DataError(f"inputs has the shape {list(inputs.shape)}, expected [rows, {model.inputs}]")
    return inputs


def noise_of(model: Any, noise_std: Any, rows: int) -> np.ndarray:
    """[rows, q]"""
    if model.task == "classification":
        raise UsageError("noise_std is given, which classes do not have")
    noise = _tables.matrix(noise_std, "noise_std")
    if noise.shape[0] != rows or noise.shape[1] not in (1, model.outputs):
        raise DataError(f"noise_std has the shape {list(noise.shape)}, expected [{rows}] or [{rows}, {model.outputs}]")
    return np.ascontiguousarray(np.broadcast_to(noise, (rows, model.outputs)))

# SPDX-License-Identifier: Apache-2.0
"""Files of the safetensors format: 8 bytes with the length of a JSON header, the header, and the tensors' values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import torch

from ._errors import ModelFileError, UsageError

LONGEST_HEADER = 100_000_000  # other readers take no longer one either
DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def packed(tensors: Mapping[str, torch.Tensor]) -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    values: list[bytes] = []
    end = 0
    for name in sorted(tensors, key=lambda name: -tensors[name].element_size()):  # so that all are aligned
        tensor = tensors[name]
        if tensor.dtype not in NAMES:
            raise UsageError(f"{name} is of the type {tensor.dtype}, which safetensors do not hold: expected real numbers")
        values.append(tensor.reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b"")
        begin, end = end, end + len(values[-1])
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *values])


def unpacked(content: bytes, where: str) -> dict[str, torch.Tensor]:
    """Throws ModelFileError for what is no such file, or less than one."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or not 2 <= length <= min(LONGEST_HEADER, len(content) - 8):
        raise ModelFileError(f"{where} is neither a safetensors file nor one of torch.save")
    try:
        header = json.loads(content[8 : 8 + length])
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        return {name: _tensor(entry, memoryview(content)[8 + length :]) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelFileError(f"{where} is a damaged safetensors file") from None


def _tensor(entry: Mapping[str, Any], values: memoryview) -> torch.Tensor:
    dtype, shape, (begin, end) = DTYPES[entry["dtype"]], entry["shape"], entry["data_offsets"]
    if any(not isinstance(size, int) or size < 0 for size in (*shape, begin, end)) or not begin <= end <= len(values):
        raise ValueError
    if end - begin != math.prod(shape) * torch.empty(0, dtype=dtype).element_size():
        raise ValueError
    if end == begin:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(values[begin:end]), dtype=dtype).reshape(shape)

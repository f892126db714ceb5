# SPDX-License-Identifier: Apache-2.0
"""Makes damaged and hostile copies of a model file.

Usage: damage.py MODEL KIND OUT. Kinds that are edited get a checksum that is right, so that the damage itself must be noticed;
flip-1 to flip-20 flip a bit in as many places.
"""

import ctypes
import json
import re
import struct
import sys
from pathlib import Path


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def checksum(content):
    xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    xxh3.restype = Hash128
    xxh3.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    digest = xxh3(content, len(content))
    return f"{digest.high:016x}{digest.low:016x}"


def stamped(content):
    """The file's content with the checksum it should have."""
    at = re.search(rb'"credens_checksum":"', content).end()
    zeroed = content[:at] + b"0" * 32 + content[at + 32:]
    return content[:at] + checksum(zeroed).encode() + content[at + 32:]


class Model:
    """A model file taken apart: header with the document in it, and the bytes of the tensors."""

    def __init__(self, content):
        length = struct.unpack("<Q", content[:8])[0]
        self.header = json.loads(content[8:8 + length])
        self.document = json.loads(self.header["__metadata__"]["credens"])
        self.data = bytearray(content[8 + length:])

    def first_tensor(self):
        return next(name for name in self.header if name != "__metadata__")

    def content(self):
        self.header["__metadata__"]["credens"] = json.dumps(self.document, separators=(",", ":"))
        text = json.dumps(self.header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return stamped(struct.pack("<Q", len(text)) + text + bytes(self.data))


def edited(change):
    """A kind of damage that changes the parts of a model, with the checksum made right again."""

    def damage(content):
        model = Model(content)
        change(model)
        return model.content()

    return damage


def flip_bit(content, at):
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1:]


def put_not_a_number(model):
    begin = next(entry["data_offsets"][0] for name, entry in model.header.items()
                 if name != "__metadata__" and entry["dtype"] == "F32")
    model.data[begin:begin + 4] = struct.pack("<f", float("nan"))


def overlap(model):
    names = [name for name in model.header if name != "__metadata__"]
    model.header[names[1]]["data_offsets"] = model.header[names[0]]["data_offsets"]
    model.header[names[1]]["shape"] = model.header[names[0]]["shape"]


def overflow_shape(model):
    model.header[model.first_tensor()]["shape"] = [2**62, 2**62]


def set_at(*keys, to):
    def change(model):
        place = model.document
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return edited(change)


def drop_tensor(model):
    """The last two, so that the others stay where they are: the very last, substitutes, may be missing."""
    names = sorted((n for n in model.header if n != "__metadata__"), key=lambda n: model.header[n]["data_offsets"][1])
    begin = min(model.header.pop(name)["data_offsets"][0] for name in names[-2:])
    del model.data[begin:]


KINDS = {
    "empty": lambda content: b"",
    "short": lambda content: content[:5],
    "truncated-header": lambda content: content[:100],
    "truncated-data": lambda content: content[:-7],
    "longer": lambda content: content + b"more",
    "data-flipped": lambda content: flip_bit(content, len(content) - 4),
    "checksum-flipped": lambda content: re.sub(rb'"credens_checksum":".', b'"credens_checksum":"x', content),
    "huge-header": lambda content: struct.pack("<Q", 2**63) + content[8:],
    "text": lambda content: b"x,y\n1,2\n3,4\n",
    "not-json": lambda content: stamped(content[:8] + content[8:].replace(b'"dtype"', b'"dtype\'', 1)),
    "foreign": lambda content: struct.pack("<Q", 2) + b"{}",
    "no-checksum": lambda content: content.replace(b"credens_checksum", b"credens_chequers"),
    "not-a-number": edited(put_not_a_number),
    "overlap": edited(overlap),
    "shape-overflow": edited(overflow_shape),
    "wrong-type": edited(lambda model: model.header[model.first_tensor()].update(dtype="I64")),
    "missing-tensor": edited(drop_tensor),
    "older-program": set_at("version", to="0.0.9"),
    "newer-format": set_at("format_version", to=999),
    "negative-lambda": set_at("posterior", "lambda", to=-1),
    "option-of-another-kind": set_at("options", "lambda", to="much"),
    "unknown-option": set_at("options", "colour", to="red"),
    "huge-layer": set_at("members", 0, "hidden", to=[2**60]),
    "text-for-number": set_at("members", 0, "gamma", to="wide"),
    "unknown-key": set_at("colour", to="red"),
    "unknown-activation": set_at("members", 0, "activation", to="sine"),
    "no-members": set_at("members", to=[]),
    "weights-of-others": set_at("weights", to=[0.5] * 7),
    "decision-with-escape": set_at("decisions", to=[{"name": "a", "value": "\x1b[2J", "reason": "b"}]),
    "same-name-twice": set_at("inputs", "names", to=["a", "a"]),
    "same-column-twice": set_at("inputs", "columns", to=[1, 1]),
    "same-member-twice": set_at("members", 1, "index", to=0),
}


def main(model, kind, out):
    content = Path(model).read_bytes()
    if kind.startswith("flip-"):
        damaged = flip_bit(content, int(kind.removeprefix("flip-")) * len(content) // 21)
    else:
        damaged = KINDS[kind](content)
    Path(out).write_bytes(damaged)


if __name__ == "__main__":
    main(*sys.argv[1:])

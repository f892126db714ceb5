# SPDX-License-Identifier: Apache-2.0
"""Model files with very many parts, made of a small model."""

from damage import Model

MODEL_FILE = 4  # the status for a model file that is refused


def of_members(model, count):
    """So many members, each a copy of the first."""
    model = Model(model)
    first = model.document["members"][0]
    model.document.update(members=[dict(first, index=i) for i in range(count)], weights=[1 / count] * count, total_members=count)
    entries = {name: entry for name, entry in model.header.items() if name.startswith("members.0.")}
    header, data = {"__metadata__": model.header["__metadata__"]}, b""
    for name, entry in entries.items():
        begin, end = entry["data_offsets"]
        for i in range(count):
            at = len(data) + i * (end - begin)
            header[f"members.{i}.{name.removeprefix('members.0.')}"] = {**entry, "data_offsets": [at, at + end - begin]}
        data += bytes(model.data[begin:end]) * count
    model.header, model.data = header, data
    return model


def of_tensors(model, count):
    """So many tensors that no model has."""
    model = Model(model)
    end = len(model.data)
    for i in range(count):
        model.header[f"foreign{i}"] = {"dtype": "F32", "shape": [0], "data_offsets": [end, end]}
    return model


def of_decisions(model, count):
    model = Model(model)
    model.document["decisions"] = [{"name": "a", "value": "b", "reason": "c"}] * count
    return model


# What makes them, and the status that reading them ends with.
KINDS = {"members": (of_members, 0), "foreign tensors": (of_tensors, MODEL_FILE), "decisions": (of_decisions, 0)}

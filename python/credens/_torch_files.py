# SPDX-License-Identifier: Apache-2.0
"""Widened networks in files: tensors and a JSON document, never code.

All is a mapping from names to tensors, which torch.save and safetensors hold alike:

    networks.<l>.<name>    parameters and buffers of network l, by the names of its state_dict
    noise_variance.<l>     [q], where noise was estimated from residuals
    ensemble               uint8: a model file of Credens without networks (docs/model-format.md)
    about                  uint8: JSON with what the other tensors are

Who loads the file brings the networks' architecture.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import _core, _safetensors
from ._ensemble import Ensemble
from ._errors import ArgumentTypeError, FileError, ModelFileError, UsageError, reading
from ._torch_classes import CLASS_FORMS, ClassForm, WidenedClasses
from ._torch_forms import FORMS
from ._torch_layers import KINDS, layer_of
from ._torch_models import LOGIT, Head, Match
from ._torch_widened import Widened

KIND = "credens.torch"
VERSION = 1
ARCHIVE = b"PK\x03\x04"  # how files of torch.save begin


def save(wide: Widened, path: str | os.PathLike[str]) -> None:
    """Writes networks with what widening added: safetensors, or by torch.save where `path` ends in .pt, .pth or .bin.

    The file holds tensors and text, never code. The old file or the new one is left, never half of one. `load` reads it,
    on any machine, given the networks' architecture.
    """
    if not isinstance(wide, Widened):
        raise ArgumentTypeError(f"wide is {type(wide).__name__}, expected what credens.torch.widen returns")
    state = {name: tensor.detach().cpu().contiguous() for name, tensor in state_of(wide).items()}
    if Path(path).suffix in (".pt", ".pth", ".bin"):
        buffer = io.BytesIO()
        torch.save(state, buffer)
        _core.write_file(path, buffer.getvalue())
    else:
        _core.write_file(path, _safetensors.packed(state))


def load(
    source: str | os.PathLike[str] | Mapping[str, torch.Tensor],
    networks: Callable[[], torch.nn.Module] | Iterable[torch.nn.Module] | torch.nn.Module,
    *,
    output: Callable[[Any], Any] | None = None,
) -> Widened:
    """What `save` wrote, in networks that you give: a function that makes one, or a list of them.

    Their parameters are replaced by those of the file. `source` is a path, or the mapping that `Widened.state_dict` gave.
    `output` is needed where `widen` was given a function: it is not stored.
    """
    if isinstance(source, Mapping):
        return _restored(source, networks, output, "the state")
    return _restored(_read(source), networks, output, os.fspath(source))


def state_of(wide: Widened) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = {}
    for index, head in enumerate(wide._heads):
        for name, value in head.model.state_dict().items():
            if not isinstance(value, torch.Tensor):
                raise UsageError(f"{head.what}: its state_dict has {name!r}, a {type(value).__name__}, expected tensors alone")
            state[f"networks.{index}.{name}"] = value.detach()
        if wide.noise_variance is not None:
            state[f"noise_variance.{index}"] = wide.noise_variance[index]
    state["ensemble"] = _bytes(wide.ensemble._core.to_bytes())
    state["about"] = _bytes(json.dumps(_about(wide)).encode())
    return state


def _about(wide: Widened) -> dict[str, Any]:
    head = wide._heads[0]
    form = head.form.output if isinstance(head.form, ClassForm) else head.form
    members = [
        {"layer": head.layer_name, "kind": _kind(head.module), "features": head.layer.features, **head.match._asdict()}
        for head in wide._heads
    ]
    return {
        "kind": KIND,
        "version": VERSION,
        "likelihood": "softmax" if isinstance(wide, WidenedClasses) else "gaussian",
        "output": None if callable(form) else form,
        "output_is_function": callable(form),
        "random_bias": wide.random_bias,
        "ignore_index": getattr(wide, "ignore_index", None),
        "target_names": wide._names,
        "members": members,
    }


def _kind(module: torch.nn.Module) -> str:
    return next(kind.__name__ for kind in KINDS if isinstance(module, kind))


def _bytes(value: bytes) -> torch.Tensor:
    return torch.from_numpy(np.frombuffer(value, np.uint8).copy())


def _read(path: str | os.PathLike[str]) -> Mapping[str, torch.Tensor]:
    with reading(path):
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise FileError(f"{path}: cannot read: {error.strerror}") from None
    if not content.startswith(ARCHIVE):
        return _safetensors.unpacked(content, os.fspath(path))
    try:
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except Exception as error:  # of many kinds: damaged archives, and pickles that hold more than tensors
        raise ModelFileError(f"{path}: torch.load cannot read it with weights_only: {str(error).splitlines()[0]}") from None
    if not isinstance(state, Mapping):
        raise ModelFileError(f"{path} holds {type(state).__name__}, expected what credens.torch.save wrote")
    return state


def _restored(state: Mapping[str, Any], networks: Any, output: Any, where: str) -> Widened:
    about, ensemble = _document(state, where), _ensemble(state, where)
    has_classes = about["likelihood"] == "softmax"
    members = about["members"]
    _check_fit(ensemble, members, has_classes, where)
    form = _form(about, output, where)
    heads = []
    for index, (model, member) in enumerate(zip(_models(networks, len(members)), members)):
        _fill(model, state, index, where)
        what, layer = f"networks[{index}]", member["layer"]
        module = dict(model.named_modules()).get(layer)
        _check_layer(module, member, what, where)
        match = Match(*(member[name] for name in Match._fields))
        noun = LOGIT if has_classes else "mean"
        heads.append(Head(model, module, form, what, layer, noun, about["random_bias"], match=match))
    if has_classes:
        return WidenedClasses(heads, ensemble, about["ignore_index"])
    noise = [state[f"noise_variance.{index}"] for index in range(len(heads)) if f"noise_variance.{index}" in state]
    if any(one.shape != (ensemble.outputs,) for one in noise) or len(noise) not in (0, len(heads)):
        raise _foreign(where)
    return Widened(heads, ensemble, noise or None, about["target_names"])


def _foreign(where: str) -> ModelFileError:
    return ModelFileError(f"{where} lacks what widening added, expected what credens.torch.save wrote")


def _ensemble(state: Mapping[str, Any], where: str) -> Ensemble:
    try:
        content = state["ensemble"].numpy().tobytes()
    except (KeyError, AttributeError, TypeError):
        raise _foreign(where) from None
    return Ensemble(_core.Ensemble.from_bytes(content))


def _document(state: Mapping[str, Any], where: str) -> dict[str, Any]:
    try:
        about = json.loads(state["about"].numpy().tobytes())
        is_ours = about["kind"] == KIND
        version = about["version"]
    except (KeyError, AttributeError, TypeError, ValueError, RecursionError):
        raise _foreign(where) from None
    if not is_ours:
        raise _foreign(where)
    if version != VERSION:
        raise ModelFileError(f"{where} has version {version!r} of its format, expected {VERSION}")
    if not _is_whole(about):
        raise _foreign(where)
    return about


def _is_whole(about: Mapping[str, Any]) -> bool:
    """Whether everything is there and of its type: a file may come from anywhere."""
    texts = (str, type(None))
    return (
        about.get("likelihood") in ("gaussian", "softmax")
        and isinstance(about.get("output", 0), texts)
        and all(isinstance(about.get(name), bool) for name in ("output_is_function", "random_bias"))
        and isinstance(about.get("ignore_index", ""), (int, type(None)))
        and _is_list(about.get("target_names"), lambda name: isinstance(name, str))
        and _is_list(about.get("members"), _is_member)
        and len(about["members"]) > 0
    )


def _is_member(member: Any) -> bool:
    if not isinstance(member, dict) or not all(isinstance(member.get(name), str) for name in ("layer", "kind")):
        return False
    return (
        all(isinstance(member.get(name), int) and member[name] > 0 for name in ("features", "shuffle"))
        and _is_list(member.get("channels"), lambda channel: isinstance(channel, int) and channel >= 0)
        and _is_list(member.get("signs"), lambda sign: sign in (1, -1))
        and len(member["channels"]) == len(member["signs"]) > 0
    )


def _is_list(values: Any, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(values, list) and all(map(is_right, values))


def _check_fit(ensemble: Ensemble, members: list[dict[str, Any]], has_classes: bool, where: str) -> None:
    widths = [member["features"] for member in members]
    same_outputs = all(len(member["channels"]) == ensemble.outputs for member in members)
    is_of_task = (ensemble.task == "classification") == has_classes
    if ensemble.has_networks or not is_of_task or not same_outputs or json.loads(_core.inspect(ensemble._core))["features"] != widths:
        raise _foreign(where)


def _form(about: dict[str, Any], output: Any, where: str) -> Any:
    if output is not None and not callable(output):
        raise UsageError(f"output is {output!r}, expected a function; named forms are in the file")
    if about["output_is_function"] and output is None:
        raise UsageError(f"{where} was widened with a function as output=, which is not stored: give it to load too")
    if not about["output_is_function"] and output is not None:
        raise UsageError(f"output is given, but {where} has its own: {about['output'] or 'by the names of the parts'}")
    form = output if about["output_is_function"] else about["output"]
    has_classes = about["likelihood"] == "softmax"
    if isinstance(form, str) and form not in (CLASS_FORMS if has_classes else FORMS):
        raise _foreign(where)
    return ClassForm(form) if has_classes else form


def _models(networks: Any, count: int) -> list[torch.nn.Module]:
    if isinstance(networks, torch.nn.Module) and not isinstance(networks, torch.nn.ModuleList):
        networks = [networks]
    elif callable(networks) and not isinstance(networks, torch.nn.ModuleList):
        networks = [networks() for _ in range(count)]
    if not isinstance(networks, Iterable):
        raise ArgumentTypeError(f"networks is {type(networks).__name__}, expected a function that makes one, or a list of them")
    models = list(networks)
    for index, model in enumerate(models):
        if not isinstance(model, torch.nn.Module):
            raise ArgumentTypeError(f"networks[{index}] is {type(model).__name__}, expected torch.nn.Module")
    if len(models) != count:
        raise UsageError(f"networks has {len(models)} networks, expected {count} as in the file")
    if len({id(model) for model in models}) != count:
        raise UsageError("networks has one network twice, expected a new one for each member")
    return models


def _fill(model: torch.nn.Module, state: Mapping[str, torch.Tensor], index: int, where: str) -> None:
    """A network with the parameters of the file, in the file's precision and on its own device."""
    prefix = f"networks.{index}."
    stored = {name[len(prefix) :]: tensor for name, tensor in state.items() if name.startswith(prefix)}
    own = model.state_dict(keep_vars=True)
    for name in (*own, *stored):
        if name not in stored or name not in own:
            lacks = where if name not in stored else f"networks[{index}]"
            has = f"networks[{index}] has" if name not in stored else f"{where} has"
            raise UsageError(f"{lacks} lacks {name!r}, which {has}: expected the architecture that was saved")
        if own[name].shape != stored[name].shape:
            shapes = list(own[name].shape), list(stored[name].shape)
            raise UsageError(f"networks[{index}]: {name!r} is {shapes[0]}, expected {shapes[1]} as in {where}")
    for name, tensor in own.items():
        tensor.data = tensor.data.to(stored[name].dtype)
    model.load_state_dict(stored)


def _check_layer(module: torch.nn.Module | None, member: dict[str, Any], what: str, where: str) -> None:
    found = "no such layer" if module is None else type(module).__name__
    if module is None or not isinstance(module, KINDS) or _kind(module) != member["kind"]:
        raise UsageError(f"{what}: the layer {member['layer']!r} is {found}, expected {member['kind']} as in {where}")
    layer = layer_of(module, what)
    if layer.features != member["features"] or max(member["channels"]) >= layer.channels:
        raise UsageError(f"{what}: the layer {member['layer']!r} has {layer.features} features, expected {member['features']}")

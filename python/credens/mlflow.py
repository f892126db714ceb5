# SPDX-License-Identifier: Apache-2.0
"""Models of Credens in MLflow: saved, logged, loaded, and served as functions of tables (pyfunc).

    with mlflow.start_run():
        credens.mlflow.log_model(model, name="strength")

    model = credens.mlflow.load_model("runs:/.../strength")
    served = mlflow.pyfunc.load_model("runs:/.../strength")
    served.predict(table)                         # a frame with the columns of `credens predict`
    served.predict(table, params={"level": 0.9})
"""

from __future__ import annotations

import inspect
import os
import platform
import sys
from pathlib import Path
from typing import Any

try:
    import mlflow
    from mlflow import pyfunc
    from mlflow.models import Model, ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
except ImportError as error:  # said when this module is used, never by `import credens`
    raise ImportError("credens.mlflow needs MLflow, which is not installed: pip install mlflow-skinny") from error

from . import __version__ as _version
from ._ensemble import Ensemble, ensemble_of, load, save
from ._errors import UsageError
from ._scores import card

__all__ = ["FLAVOR_NAME", "load_model", "log_model", "save_model"]

FLAVOR_NAME = "credens"
_FILE = "model.safetensors"
_DOCUMENT = "MLmodel"
_KINDS = {"number": DataType.double, "category": DataType.string, "date": DataType.datetime}


def save_model(
    model: Ensemble,
    path: str | os.PathLike[str],
    mlflow_model: Model | None = None,
    *,
    signature: ModelSignature | None = None,
    pip_requirements: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Writes a folder that MLflow knows: the model file, how to load it, what it needs, and its card.

    `model` may be a fitted regressor or classifier. The signature has the columns of training, where these have names.
    """
    ensemble = ensemble_of(model)
    if not ensemble.has_networks:
        raise UsageError("the model was made from arrays and has no networks, expected one that predicts tables")
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{path} is there already, expected a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    save(ensemble, folder / _FILE)
    card(ensemble, path=folder / "README.md")
    requirements = [f"credens=={_version}", "pandas"] if pip_requirements is None else pip_requirements
    (folder / "requirements.txt").write_text("".join(f"{one}\n" for one in requirements), encoding="utf-8")
    (folder / "python_env.yaml").write_text(
        f"python: {platform.python_version()}\nbuild_dependencies:\n- pip\ndependencies:\n- -r requirements.txt\n", encoding="utf-8"
    )
    document = Model() if mlflow_model is None else mlflow_model
    document.signature = _signature(ensemble) if signature is None else signature
    if metadata is not None:
        document.metadata = metadata
    pyfunc.add_to_model(document, loader_module="credens.mlflow", data=_FILE, python_env="python_env.yaml")
    document.add_flavor(FLAVOR_NAME, credens_version=_version, data=_FILE)
    document.save(str(folder / _DOCUMENT))


def log_model(
    model: Ensemble,
    artifact_path: str | None = None,
    *,
    name: str | None = None,
    registered_model_name: str | None = None,
    **options: Any,
) -> Any:
    """Logs a model to the active run, by `name` or `artifact_path`. Options are those of `save_model`."""
    if not name and not artifact_path:
        raise UsageError("name is missing: give the name of the model in its run")
    has_names = "name" in inspect.signature(Model.log).parameters  # since version 3
    where = {"artifact_path": None, "name": name} if has_names and name else {"artifact_path": artifact_path or name}
    return Model.log(
        **where, flavor=sys.modules[__name__], model=model, registered_model_name=registered_model_name, **options
    )


def load_model(model_uri: str, dst_path: str | None = None) -> Ensemble:
    """The model that `log_model` or `save_model` wrote, wherever MLflow keeps it."""
    folder = mlflow.artifacts.download_artifacts(artifact_uri=model_uri, dst_path=dst_path)
    flavors = Model.load(os.path.join(folder, _DOCUMENT)).flavors
    if FLAVOR_NAME not in flavors:
        raise UsageError(f"{model_uri} has no model of Credens, but of {', '.join(sorted(flavors))}")
    return load(os.path.join(folder, flavors[FLAVOR_NAME]["data"]))


class _Served:
    """What pyfunc calls: a table in, a frame with the columns of `credens predict` out."""

    def __init__(self, model: Ensemble):
        self._model = model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        options = dict(params or {})
        if self._model.task == "classification":
            return self._model.predict(model_input).to_frame(package="pandas")
        factor = options.get("coverage_factor") or None
        intervals = {"coverage_factor": factor} if factor else {"level": options.get("level")}
        return self._model.predict(model_input).to_frame(**intervals, package="pandas")


def _load_pyfunc(path: str) -> _Served:
    return _Served(load(path))


def _signature(model: Ensemble) -> ModelSignature | None:
    if not model.input_names:
        return None
    inputs = [ColSpec(_KINDS[kind], name) for name, kind in zip(model.input_names, model.input_kinds)]
    params = None
    if model.task != "classification":
        params = ParamSchema([ParamSpec("level", DataType.double, 0.95), ParamSpec("coverage_factor", DataType.double, 0.0)])
    return ModelSignature(inputs=Schema(inputs), params=params)

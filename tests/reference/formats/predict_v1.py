# SPDX-License-Identifier: Apache-2.0
"""Prints the predictions of v1.safetensors that formats_test.cpp has recorded, by the code of docs/model-format.md."""

import re
from pathlib import Path

here = Path(__file__).resolve().parent
document_text = (here / "../../../docs/model-format.md").read_text(encoding="utf-8")
reader, predictor, _ = re.findall(r"```python\n(.*?)```", document_text, re.DOTALL)
names = {}
exec(reader + predictor, names)

document, tensors = names["read_model"](here / "v1.safetensors")
inputs = names["numpy"].array([[0.5, -1.0], [2.0, 0.25]])
for moment in names["predict"](document, tensors, inputs):
    print(", ".join(repr(float(value)) for value in moment.flat))

# SPDX-License-Identifier: Apache-2.0
"""docs/bring-your-own.md says what is true, and its examples run."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks():
    text = (ROOT / "docs" / "bring-your-own.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run_together(chosen, folder, monkeypatch):
    assert chosen
    monkeypatch.chdir(folder)
    names = {}
    for block in chosen:
        exec(compile(block, "bring-your-own.md", "exec"), names)  # noqa: S102
    return names


def uses_torch(block):
    return re.search(r"\b(torch|nn)\.|\bloader\b", block) is not None


def test_the_examples_with_arrays_run(tmp_path, monkeypatch):
    run_together([block for block in blocks() if not uses_torch(block)], tmp_path, monkeypatch)


def test_the_examples_with_torch_run(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    names = run_together([block for block in blocks() if uses_torch(block)], tmp_path, monkeypatch)
    assert names["p"].epistemic.shape == (4, 28, 28)


def test_the_tutorial_runs(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    text = (ROOT / "docs" / "tutorials" / "pytorch.md").read_text(encoding="utf-8")
    run_together(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL), tmp_path, monkeypatch)


def test_the_page_for_users_of_laplace_runs(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    text = (ROOT / "docs" / "laplace.md").read_text(encoding="utf-8")
    names = run_together(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL), tmp_path, monkeypatch)
    with torch.no_grad():
        phi = torch.cat([names["model"][:-1](names["x"]), torch.ones(150, 1)], 1).double()
    covariance = torch.linalg.inv(2.5 * torch.eye(17) + phi.T @ phi / 0.3**2)
    torch.testing.assert_close(names["variance"].double(), (phi @ covariance * phi).sum(1, keepdim=True), rtol=1e-4, atol=0)


@pytest.mark.parametrize(
    ("name", "package", "words"),
    [("widen_lightning.py", "lightning", "ignorance"), ("widen_transformer.py", "transformers", "of which ignorance")],
)
def test_modules_of_other_libraries_are_widened(name, package, words):
    """Or the example says what it needs."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    printed = run_example(name)
    assert words in printed or re.match(rf"skipped: .*pip install {package}\n", printed)


def run_example(name, *arguments):
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "python" / name, *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_mlp_ensemble_knows_less_in_the_gap():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    lines = [line.split() for line in run_example("widen_mlp_ensemble.py").splitlines()[-4:]]
    ignorance = {float(line[0]): float(line[3]) for line in lines}
    between = {float(line[0]): float(line[4]) for line in lines}
    assert ignorance[0.0] > 2 * ignorance[2.0]
    assert all(ignorance[x] > between[x] for x in ignorance)


@pytest.mark.parametrize("data", ["drawn", "MNIST"])
def test_the_denoisers_draw_maps_of_what_they_do_not_know(tmp_path, monkeypatch, data):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    beside = ROOT.parent / "shared" / "data"
    if data == "MNIST" and not (beside / "mnist").is_dir():
        pytest.skip("MNIST is not beside this checkout")
    monkeypatch.setenv("CREDENS_DATA", str(beside if data == "MNIST" else tmp_path))
    printed = run_example("widen_denoising.py", tmp_path / "maps")
    assert f"images: {data}" in printed
    mean = {name: float(value) for name, value in re.findall(r"^(\w+) +mean ignorance ([\d.]+)", printed, re.MULTILINE)}
    assert mean["unknown"] > 2 * mean["known"]
    for name in mean:
        assert (tmp_path / "maps" / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_the_digits_that_were_never_seen_are_told_from_the_others(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    beside = ROOT.parent / "shared" / "data"
    if not (beside / "mnist").is_dir():
        pytest.skip("MNIST is not beside this checkout")
    monkeypatch.setenv("CREDENS_DATA", str(beside))
    options = ("--images", "200", "--networks", "2", "--passes", "10", "--test", "400")
    printed = run_example("classify_digits.py", *options, "-o", tmp_path / "digits.svg")
    rows = re.findall(r"^(\D+?) +([\d.]+) +([\d.]+)$", printed, re.MULTILINE)
    values = {name: (float(classical), float(widened)) for name, classical, widened in rows}
    assert values["accuracy"][1] > 0.85
    assert min(values["AUROC of foreign digits by entropy"]) > 0.75
    sure = values["largest probability of foreign digits, mean"]
    assert sure[1] < sure[0]
    assert (tmp_path / "digits.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_digits_are_skipped_without_their_data(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.setenv("CREDENS_DATA", str(tmp_path))
    assert run_example("classify_digits.py").startswith(f"skipped: {tmp_path / 'mnist'} is not there")

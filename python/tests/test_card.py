# SPDX-License-Identifier: Apache-2.0
"""Model cards: front matter that other programs read, text that stands as it is."""

import re

import numpy as np
import pytest

import credens


def matter_of(path):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    _, matter, text = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(matter), text


def metrics_of(matter, result):
    return {metric["type"]: metric["value"] for metric in matter["model-index"][0]["results"][result]["metrics"]}


def rows(count=120):
    generator = np.random.default_rng(1)
    x = generator.uniform(-1, 1, (count, 2))
    return x, np.sin(3 * x[:, 0]) + 0.1 * generator.normal(size=count)


def test_front_matter_has_expected_and_measured_scores(tmp_path):
    x, y = rows()
    model = credens.fit(x[:80], y[:80], members=6, epochs=10, hidden=(8,), target_names=["height"])
    credens.card(model, x[80:], y[80:], path=tmp_path / "README.md", name="heights: of trees")
    matter, text = matter_of(tmp_path / "README.md")
    assert matter["library_name"] == "credens" and matter["pipeline_tag"] == "tabular-regression"
    assert matter["model-index"][0]["name"] == "heights: of trees"
    expected = model.expected.outputs["height"]
    assert metrics_of(matter, 0) == {"rmse": expected.rmse.value, "mae": expected.mae.value, "r_squared": expected.r2.value}
    measured = credens.score(model, x[80:], y[80:])
    assert metrics_of(matter, 1) == {"rmse": measured.rmse, "mae": measured.mae, "nll": measured.extended.nll}
    assert f"by {model.expected.rows} held-out rows" in text
    assert "# heights: of trees" in text and 'credens.load("heights: of trees.safetensors")' in text


def test_classes_have_their_own_scores(tmp_path):
    x, y = rows()
    model = credens.fit(x, np.where(y > 0, "up", "down"), members=8, epochs=10, hidden=(8,))
    credens.card(model, x, np.where(y > 0, "up", "down"), path=tmp_path / "README.md")
    matter, text = matter_of(tmp_path / "README.md")
    assert matter["pipeline_tag"] == "tabular-classification"
    assert metrics_of(matter, 0)["accuracy"] == model.expected.accuracy.value
    assert metrics_of(matter, 1)["log_loss"] == pytest.approx(credens.score(model, x, np.where(y > 0, "up", "down")).extended.log_loss)
    assert "category of 2 words: down, up" in text
    assert "These are rows of training" in text


def test_names_of_columns_break_neither_tables_nor_front_matter(tmp_path):
    pandas = pytest.importorskip("pandas")
    x, y = rows(60)
    names = ["a|b", "<img src=x>"]
    table = pandas.DataFrame({names[0]: x[:, 0], names[1]: np.array(["p|q", "`r`"])[(x[:, 1] > 0).astype(int)]})
    model = credens.fit(table, y, members=2, epochs=5, hidden=(8,), target_names=['y" : [z]'])
    credens.card(model, path=tmp_path / "README.md", name='---\n"x": y')
    matter, text = matter_of(tmp_path / "README.md")
    assert "<img" not in text.replace("\\<img", "")
    columns = text.split("## Columns\n")[1].split("\n## ")[0]
    cells = [re.split(r"(?<!\\)\|", line) for line in columns.splitlines() if line.startswith("|")]
    assert {len(line) for line in cells} == {6} and len(cells) == 5


def test_a_card_appears_whole_or_not_at_all(tmp_path):
    x, y = rows(40)
    model = credens.fit(x, y, members=2, epochs=2, hidden=(8,))
    with pytest.raises(OSError):
        credens.card(model, path=tmp_path / "absent" / "README.md")
    with pytest.raises(TypeError, match="model is int"):
        credens.card(3, path=tmp_path / "README.md")
    assert not list(tmp_path.iterdir())

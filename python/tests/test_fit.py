# SPDX-License-Identifier: Apache-2.0
"""Training and widening: the bytes of the command line, options by its table, interrupts, progress, warnings."""

import _thread
import inspect
import io
import os
import pickle
import signal
import sys
import threading
import time

import numpy as np
import pytest
from conftest import QUICK, table, write_csv

import credens
from credens import _fit, _progress

FLAGS = ("--members", 3, "--epochs", 15, "--hidden", "12,8", "--seed", 5)


def saved(model, tmp_path):
    credens.save(model, tmp_path / "python.safetensors")
    return (tmp_path / "python.safetensors").read_bytes()


# ---- the same bytes as the command line ----


def test_arrays_give_the_bytes_of_a_table_of_the_same_names(tmp_path, program, rows):
    x, y = rows
    write_csv(tmp_path / "train.csv", ["a", "b", "y"], [x, y])
    program("fit", "train.csv", "--target", "y", "-o", "cli.safetensors", *FLAGS)
    expected = (tmp_path / "cli.safetensors").read_bytes()
    model = credens.fit(x, y, input_names=["a", "b"], **QUICK)
    assert saved(model, tmp_path) == expected
    data = credens.Dataset.from_csv(tmp_path / "train.csv", "y")
    assert saved(credens.fit(data, **QUICK), tmp_path) == expected
    assert saved(credens.widen(model, data), tmp_path) == expected


def test_the_recipe_gives_the_bytes_of_the_command_line(tmp_path, program, rows):
    """Everything on: folds, calibration, weights and the choice of the rung."""
    x, y = rows
    write_csv(tmp_path / "train.csv", ["a", "b", "y"], [x, y])
    program("fit", "train.csv", "--target", "y", "-o", "cli.safetensors", "--effort", "quick", "--epochs", 5)
    model = credens.fit(x, y, input_names=["a", "b"], effort="quick", epochs=5)
    assert saved(model, tmp_path) == (tmp_path / "cli.safetensors").read_bytes()


def test_a_table_without_names_with_weights_and_noise_gives_the_same_bytes(tmp_path, program):
    x, y = table(outputs=2)
    weights, noise = np.linspace(0, 2, len(x)), np.full(len(x), 0.05)
    write_csv(tmp_path / "train.csv", [], [x, y, weights, noise])
    program("fit", "train.csv", "--header", "no", "--target", "2,3", "--weight", 4, "--noise-std", 5, "-o", "cli.safetensors", *FLAGS)
    expected = (tmp_path / "cli.safetensors").read_bytes()
    whole = np.column_stack([x, y, weights, noise])
    data = credens.Dataset.from_table(whole, targets=[2, 3], weight=4, noise_std=5)
    assert saved(credens.fit(data, **QUICK), tmp_path) == expected


def test_other_options_of_widening_give_the_same_bytes(tmp_path, program, rows, model):
    x, y = rows
    write_csv(tmp_path / "train.csv", [], [x, y])
    credens.save(model, tmp_path / "model.safetensors")
    flags = ("--posterior", "full", "--lambda", "evidence", "--random-bias")
    program("widen", "model.safetensors", "train.csv", "-o", "cli.safetensors", *flags)
    wide = credens.widen(model, x, y, posterior="full", prior_precision="evidence", random_bias=True)
    assert saved(wide, tmp_path) == (tmp_path / "cli.safetensors").read_bytes()


def test_threads_do_not_change_the_result(rows):
    assert credens.fit(*rows, **QUICK, threads=1) == credens.fit(*rows, **QUICK, threads=3)


def test_memory_does_not_change_the_result(rows):
    assert credens.fit(*rows, **QUICK, memory="1GB") == credens.fit(*rows, **QUICK, memory=10**6)
    with pytest.raises(ValueError, match="memory is \"much\", expected auto, or a size"):
        credens.fit(*rows, **QUICK, memory="much")


# ---- options ----


def test_the_keywords_and_defaults_are_those_of_the_table():
    keywords = {
        name: parameter.default
        for name, parameter in inspect.signature(credens.fit).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    kinds = {"categories", "numbers", "dates", "strict"}
    others = {"weights", "noise_std", "group", "time", "input_names", "target_names", "validation", "progress"} | kinds
    others |= {"task", "classes", "counts"}
    assert set(keywords) - others == {name for name, *_ in _fit.OPTIONS}
    for name, default, *_ in _fit.OPTIONS:
        text = "" if keywords[name] is None else _fit.option_text(name, keywords[name])
        assert text == default or float(text) == float(default), name


def test_the_docstring_has_every_option():
    for name, _, help_text, expects in _fit.OPTIONS:
        assert f"{name} : default" in credens.fit.__doc__
        assert help_text in credens.fit.__doc__ and expects in credens.fit.__doc__


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("hidden", (64, 32), "64,32"),
        ("hidden", [(64,), (32, 16)], "64/32,16"),
        ("hidden", (), "none"),
        ("hidden", [(), (8,)], "none/8"),
        ("learning_rate", [0.1, 1e-3], "0.1,0.001"),
        ("activation", ["relu", "gelu"], "relu,gelu"),
        ("members", np.int64(3), "3"),
        ("recalibrate", np.bool_(True), "true"),
    ],
)
def test_values_are_written_as_flags_are(name, value, text):
    assert _fit.option_text(name, value) == text


@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        ({"epoch": 3}, TypeError, r"fit\(\) has no option 'epoch'; did you mean 'epochs'\?"),
        ({"lambda": 3}, TypeError, "did you mean 'prior_precision'"),
        ({"members": 0}, ValueError, 'members is "0", expected a whole number from 1 to 100000'),
        ({"members": 2.5}, ValueError, 'members is "2.5", expected a whole number'),
        ({"prior_precision": -1}, ValueError, "prior_precision is \"-1\", expected a number from 0 to 1e12"),
        ({"posterior": "wide"}, ValueError, 'posterior is "wide", expected one of delta, isotropic, diagonal, full'),
        ({"noise": "known"}, ValueError, "noise is known, but the data have no noise standard deviations"),
        ({"members": {}}, TypeError, "members is {}, expected a number, a word or a list"),
        ({"progress": "bar"}, TypeError, "progress is 'bar', expected None, True, False or a callable"),
        ({"validation": 0.1}, TypeError, "validation is float, expected a Dataset"),
    ],
)
def test_options_that_are_wrong(rows, options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        credens.fit(*rows, **options)


def test_validation_rows_of_their_own(rows):
    x, y = table(rows=30, seed=2)
    model = credens.fit(*rows, **QUICK, validation=credens.Dataset(x, y))
    assert model != credens.fit(*rows, **QUICK)
    with pytest.raises(ValueError, match="both a validation fraction and validation rows"):
        credens.fit(*rows, **QUICK, validation=credens.Dataset(x, y), validation_fraction=0.1)


def test_divergence_is_an_arithmetic_error(rows):
    with pytest.raises(ArithmeticError) as caught:
        credens.fit(*rows, members=1, epochs=5, hidden=(8,), learning_rate=1e6, recipe="paper")
    assert isinstance(caught.value, credens.NumericalError)


def test_widening_by_other_rows_warns(model):
    with pytest.warns(UserWarning, match="not the rows"):
        credens.widen(model, *table(seed=9))


def test_widening_needs_a_model_and_a_rung(model, rows):
    with pytest.raises(TypeError, match="model is str, expected an Ensemble"):
        credens.widen("model.safetensors", *rows)
    with pytest.raises(ValueError, match='posterior "wide" is unknown, expected one of delta, isotropic'):
        credens.widen(model, *rows, posterior="wide")
    with pytest.raises(TypeError, match="prior_precision is 'x', expected a number"):
        credens.widen(model, *rows, prior_precision="x")
    with pytest.raises(ValueError, match="targets is missing"):
        credens.widen(model, rows[0])


def test_constant_inputs_warn(rows):
    x, y = rows
    with pytest.warns(UserWarning, match="constant"):
        credens.fit(np.column_stack([x, np.ones(len(x))]), y, **QUICK)


# ---- models ----


def test_models_can_be_pickled_and_compared(model, rows):
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model)
    np.testing.assert_array_equal(again.predict(rows[0]).mean, model.predict(rows[0]).mean)


def test_a_file_is_the_same_model(model, tmp_path, rows):
    credens.save(model, tmp_path / "m.safetensors")
    again = credens.load(tmp_path / "m.safetensors")
    assert again == model
    assert again.predict(rows[0]).mean.shape == (80,)
    assert credens.load(str(tmp_path / "m.safetensors")).members == 3


def test_what_a_model_says_of_itself(wide_model):
    assert (wide_model.members, len(wide_model), wide_model.inputs, wide_model.outputs) == (3, 3, 2, 2)
    assert wide_model.target_names == ["a", "b"] and wide_model.input_names == []
    assert wide_model.posterior == "full" and wide_model.has_networks
    assert wide_model.gamma.shape == wide_model.weights.shape == (3,)
    assert wide_model.elbo() >= wide_model.elbo("diagonal") >= wide_model.elbo("isotropic")
    assert wide_model.elbo("delta") is None
    assert "posterior='full'" in repr(wide_model) and "<svg" in wide_model._repr_html_()
    np.testing.assert_allclose(wide_model.with_weights([1, 1, 2]).weights, [0.25, 0.25, 0.5])


# ---- interrupts and threads ----

LONG = {"members": 4, "epochs": 100000, "hidden": (32,), "folds": 0, "recalibrate": False, "weigh_members": False}


def interrupt_soon(seconds=0.4):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_stops_a_fit(rows):
    start = time.monotonic()
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        credens.fit(*rows, **LONG)
    assert time.monotonic() - start < 20


def test_ctrl_c_stops_samples():
    x = np.linspace(-1, 1, 2000)
    model = credens.fit(x, x, recipe="paper", members=1, epochs=1, hidden=(1000,))
    features, mean = np.ones((1, 2000, 1000)), np.zeros((1, 2000))
    foreign = credens.widen_outputs(features, mean, 0.1, prior_precision=1.0)
    for sample in (lambda: model.sample(x, 20_000, threads=1), lambda: foreign.sample_outputs(features, mean, 0.1, draws=20_000, threads=1)):
        start = time.monotonic()
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            sample()
        assert time.monotonic() - start < 5


def test_other_threads_run_during_a_fit(rows):
    seen = []

    def count():
        while not seen or seen[-1] < 20:
            seen.append(len(seen))
            time.sleep(0.005)
        _thread.interrupt_main()

    threading.Thread(target=count).start()
    with pytest.raises(KeyboardInterrupt):
        credens.fit(*rows, **LONG)
    assert len(seen) > 20


def test_a_fit_in_another_thread(rows):
    found = []
    thread = threading.Thread(target=lambda: found.append(credens.fit(*rows, **QUICK)))
    thread.start()
    thread.join()
    assert found[0] == credens.fit(*rows, **QUICK)


# ---- progress ----


def test_a_callable_is_told_the_progress(rows):
    told = []
    credens.fit(*rows, **QUICK, progress=told.append)
    assert told[-1].fraction == 1 and told[-1].members_done == told[-1].members == 3
    assert isinstance(told[-1], credens.Progress)


def test_an_error_of_the_callable_stops_the_fit(rows):
    def refuse(progress):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        credens.fit(*rows, **LONG, progress=refuse)


def test_what_is_said_after_training():
    assert _progress.text_of(credens.Progress(3, 3, 1.0, 9.0, 0.0)) == "3 members trained, widening"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def show(monkeypatch, stream, progress, *told):
    """The text that a display writes while it is told this and when it is closed."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        display = _progress.display_of(progress)
        display(*told)
        during = stream.getvalue()
        display.close()
    return during, stream.getvalue().removeprefix(during)


def test_short_fits_show_nothing(monkeypatch):
    assert show(monkeypatch, Terminal(), None, 1, 2, 0.5, 1.9, 1.9) == ("", "")


def test_long_fits_show_a_bar_that_goes_away(monkeypatch):
    line = "[###############...............] 50 %, 1 of 2 members, 1 min 1 s left"
    assert show(monkeypatch, Terminal(), None, 1, 2, 0.5, 61.0, 61.0) == ("\r" + line, "\r" + " " * len(line) + "\r")


@pytest.mark.parametrize(("progress", "shown"), [(None, False), (False, False), (True, True)])
def test_a_bar_where_nobody_looks_is_shown_on_demand(monkeypatch, progress, shown):
    assert bool(show(monkeypatch, io.StringIO(), progress, 1, 2, 0.5, 3.0, 3.0)[0]) == shown


def test_notebooks_show_a_bar_in_place(monkeypatch):
    shown = []

    class Handle:
        def update(self, html):
            shown.append(html)

    module = type(sys)("IPython")
    module.get_ipython = lambda: type("Shell", (), {"kernel": object()})()
    display = type(sys)("IPython.display")
    display.HTML = str
    display.display = lambda html, display_id: shown.append(html) or Handle()
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    bar = _progress.display_of(None)
    bar(0, 2, 0.1, 1.0, 9.0)
    assert shown == []
    bar(1, 2, 0.5, 5.0, 5.0)
    bar.close()
    assert shown == ['<progress value="0.5000" max="1"></progress> 50 %, 1 of 2 members, 5 s left', ""]

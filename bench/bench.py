# SPDX-License-Identifier: Apache-2.0
"""The driver of `./dev bench`: measures the product beside its peers in one run and judges the ratios.

docs/benchmarks.md says what is measured and how to read it.
"""

import argparse
import json
import sys
from pathlib import Path

import gate
import measure
import report
import simulate
from contenders import Absent, Contender, make_contenders, versions
from measure import Results, Value
from plan import (CSV_INPUTS, HIDDEN, MEMBERS, MEMORY_KEY, PREDICTION_ROWS, SMALL_FIT_KEY, Group, Settings, Shape, all_ratios,
                  class_prediction_group, csv_group, prediction_group, quick_settings, requirements, training_group, widening_group)  # fmt: skip
from program import fit_command, timed_run, watched_run
from scaling import run_scaling
from versions import OTHER, beside_other, version_ratios

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "recorded.json"
DOCUMENT = ROOT / "docs" / "benchmarks.md"
PARTS = ("train", "widen", "predict", "csv", "program")


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measures Credens beside its peers.")
    parser.add_argument("what", nargs="?", choices=["all", "scaling", *PARTS], default="all", help="a part; all without it")
    parser.add_argument("--quick", action="store_true", help="fewer rows and windows: shows that everything works, not how fast")
    parser.add_argument("--peer-python", metavar="PYTHON", help="an interpreter with another torch")
    parser.add_argument("--beside", metavar="BUILD", type=Path, help="another version's build folder: only the two are compared, in turn")
    parser.add_argument("--json", metavar="FILE", type=Path, help="writes all windows and ratios")
    parser.add_argument("--check", action="store_true", help="fails where a ratio is worse than recorded")
    parser.add_argument("--record", action="store_true", help="makes these the recorded ratios and writes them into docs/benchmarks.md")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.quick and (arguments.check or arguments.record):
        parser.error("a quick run measures too little to be recorded or compared")
    if arguments.record and arguments.what != "all":
        parser.error("only a run of everything can be recorded")
    if arguments.beside and (arguments.check or arguments.record or arguments.what in ("scaling", "program")):
        parser.error("--beside compares two versions in train, widen, predict and csv; it neither records nor checks")
    return arguments


class Bench:
    def __init__(self, settings: Settings, contenders: dict[str, Contender], build: Path, work: Path) -> None:
        self.settings, self.contenders, self.work = settings, contenders, work
        self.program = build / "credens"
        self.results: Results = {}
        self.values: dict[str, Value] = {}

    # ---- files ----

    def rows_file(self, rows: int, inputs: int) -> str:
        return self.made("write_rows", f"rows-{rows}-{inputs}.f32", rows, inputs)

    def csv_file(self, rows: int, inputs: int) -> str:
        return self.made("write_csv", f"table-{rows}-{inputs}.csv", rows, inputs)

    def words_file(self, rows: int, inputs: int) -> str:
        return self.made("write_csv", f"words-{rows}-{inputs}.csv", rows, inputs, words=1)

    def made(self, task: str, name: str, rows: int, inputs: int, words: int = 0) -> str:
        """Written by the product's program once, then the same for all contenders and runs."""
        path = self.work / name
        if not path.exists():
            part = path.with_suffix(".part")
            self.contenders["credens"].ask(task, {"data": part, "rows": rows, "inputs": inputs, "words": words}, 0)
            part.rename(path)
        return str(path)

    def onnx_models(self, shape: Shape) -> dict[str, str]:
        """The ensemble as ten networks beside each other and as one stacked network, by the exporter of Debian's torch."""
        models = {form: self.work / f"{shape.name}-{form}.onnx" for form in ("loop", "bmm")}
        for form, model in models.items():
            request = {"model": model, "inputs": shape.inputs, "members": MEMBERS, "hidden": ",".join(map(str, HIDDEN)), "threads": 1}
            try:
                self.contenders["torch"].ask(f"export_{form}", request, 0)
            except Absent as why:
                print(f"-- {model.name} cannot be exported: {why}", file=sys.stderr)
        return {form: str(model) for form, model in models.items()}

    # ---- parts ----

    def run_group(self, group: Group) -> None:
        print(f"-- {group.name}", file=sys.stderr, flush=True)
        ask = measure.asker(self.contenders, self.settings.seconds)
        group = beside_other(group) if OTHER in self.contenders else group
        self.results[group.name] = measure.measure_group(group, ask, self.settings.windows)
        for contender in self.contenders.values():
            contender.clear()

    def train(self) -> None:
        for shape in self.settings.shapes:
            self.run_group(training_group(shape, self.rows_file(shape.rows, shape.inputs)))

    def widen(self) -> None:
        for shape in self.settings.shapes:
            self.run_group(widening_group(shape, self.rows_file(shape.rows, shape.inputs)))

    def predict(self) -> None:
        for shape in self.settings.shapes:
            models = self.onnx_models(shape)
            data = self.rows_file(max(PREDICTION_ROWS.values()), shape.inputs)
            for batch in PREDICTION_ROWS:
                self.run_group(prediction_group(shape, batch, data, models))
            self.run_group(class_prediction_group(shape, data))

    def csv(self) -> None:
        rows = self.settings.csv_rows
        self.run_group(csv_group(self.csv_file(rows, CSV_INPUTS), self.words_file(rows, CSV_INPUTS)))

    def whole_program(self) -> None:
        print("-- the program", file=sys.stderr, flush=True)
        small = fit_command(self.program, Path(self.csv_file(1000, 8)), self.work, members=10, batch=128, epochs=60, threads=2)
        seconds = sorted(timed_run(small) for _ in range(self.settings.windows))
        self.values[SMALL_FIT_KEY] = Value(seconds[0], seconds[len(seconds) // 2])
        table = Path(self.csv_file(self.settings.full_rows, CSV_INPUTS))
        run = watched_run(fit_command(self.program, table, self.work, members=10, batch=128, epochs=1, threads=2))
        share = run.anonymous_bytes / (4 * self.settings.full_rows * CSV_INPUTS)
        self.values[MEMORY_KEY] = Value(share, share)

    def run(self, parts: list[str]) -> None:
        steps = {"train": self.train, "widen": self.widen, "predict": self.predict, "csv": self.csv, "program": self.whole_program}
        for part in parts:
            steps[part]()
        self.values = {**measure.values_of(all_ratios(), self.results), **self.values}


# ---- what is told ----


def print_report(bench: Bench) -> None:
    print(report.speed_table(bench.results), report.ratio_table(bench.values), sep="\n\n")
    print("\n" + report.required_table(requirements(), bench.values))
    for sentence in measure.disagreeing_losses(bench.results):
        print(f"note: {sentence}")


def write_json(path: Path, bench: Bench, about: dict[str, object]) -> None:
    groups = {group: {name: vars(result) for name, result in entries.items()} for group, entries in bench.results.items()}
    ratios = {key: vars(value) for key, value in bench.values.items()}
    path.write_text(json.dumps({"about": about, "speeds": groups, "ratios": ratios}, indent=1) + "\n", encoding="utf-8")


def record(bench: Bench, about: dict[str, object]) -> None:
    gate.write_record(RECORD, about, bench.values, bench.results)
    machine = ", ".join(f"{name} {text}" for name, text in about.items())
    parts = [f"Measured on: {machine}.", report.required_table(requirements(), bench.values), report.ratio_table(bench.values),
             report.speed_table(bench.results)]  # fmt: skip
    report.update_document(DOCUMENT, "recorded", "\n\n".join(parts))
    simulate.main(["--record"])  # its constants are these


def check(bench: Bench, about: dict[str, object], recorded: dict[str, float]) -> int:
    worse = gate.regressions(bench.values, recorded, gate.costs(all_ratios()) | {MEMORY_KEY})
    missing = set(recorded) - set(bench.values)
    if difference := gate.other_machine(about, gate.read_record(RECORD)["machine"]):
        print(f"\nnote: {difference}")
    print(f"\n{len(missing)} recorded ratios were not measured in this run." if missing else "")
    print("\n".join(f"worse than recorded: {sentence}" for sentence in worse) or "No ratio is worse than recorded.")
    return 1 if worse else 0


def parts_of(arguments: argparse.Namespace) -> list[str]:
    if arguments.what != "all":
        return [arguments.what]
    return [part for part in PARTS if not (arguments.beside and part == "program")]


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    recorded = gate.read_ratios(RECORD) if arguments.check else {}
    settings = quick_settings() if arguments.quick else Settings()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    contenders = make_contenders(arguments.build, work, arguments.peer_python)
    if arguments.beside:
        contenders[OTHER] = Contender([arguments.beside / "bench" / "credens_bench"])
    bench = Bench(settings, contenders, arguments.build, work)
    try:
        if arguments.what == "scaling":
            return run_scaling(bench, arguments.quick, DOCUMENT)
        bench.run(parts_of(arguments))
    finally:
        for contender in contenders.values():
            contender.close()
    if arguments.beside:
        print(report.ratio_table(measure.values_of(version_ratios(bench.results), bench.results)))
        return 0
    about = {**report.machine(), **versions(work, arguments.peer_python)}
    print_report(bench)
    if arguments.quick:
        print("A quick run shows that everything works; its figures mean little.")
    if arguments.json:
        write_json(arguments.json, bench, about)
    if arguments.record:
        record(bench, about)
    return check(bench, about, recorded) if arguments.check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

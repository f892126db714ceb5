# SPDX-License-Identifier: Apache-2.0
"""What is compared with what: the paper's four shapes, the groups of contenders, and what the figures must show."""

from dataclasses import dataclass, replace

MEMBERS = 10
CLASSES = 10
HIDDEN = (128, 64, 32)


def layer_products(widths: tuple[int, ...]) -> list[int]:
    return [width * following for width, following in zip(widths, widths[1:])]


def forward_flops(widths: tuple[int, ...]) -> int:
    """Of the matrix products of a forward pass, per sample."""
    return 2 * sum(layer_products(widths))


def training_flops(widths: tuple[int, ...]) -> int:
    """Of the matrix products of a training step, per sample: forward, weights' and inputs' gradients (none of the first layer)."""
    products = layer_products(widths)
    return 2 * (3 * sum(products) - products[0])


@dataclass(frozen=True)
class Shape:
    name: str
    rows: int
    inputs: int
    batch: int
    epochs: int  # per unit of a window

    @property
    def widths(self) -> tuple[int, ...]:
        return (self.inputs, *HIDDEN, 2)

    @property
    def flops(self) -> int:
        return training_flops(self.widths)

    @property
    def class_flops(self) -> int:
        return training_flops((self.inputs, *HIDDEN, CLASSES))


SHAPES = (
    Shape("qsar", 437, 8, 128, 60),
    Shape("yacht", 246, 6, 8, 50),
    Shape("blog", 52_397, 276, 64, 1),
    Shape("year", 50_000, 90, 128, 1),
)
CSV_ROWS, CSV_INPUTS = 463_715, 90
PREDICTION_ROWS = {1: 1024, 64: 8192, 4096: 16384}


@dataclass(frozen=True)
class Settings:
    windows: int = 9
    seconds: float = 0.1  # of a window, at least: short ones find the moments when the machine is quiet
    shapes: tuple[Shape, ...] = SHAPES
    csv_rows: int = CSV_ROWS
    full_rows: int = CSV_ROWS  # of Year's full shape, whose memory is looked at


def quick_settings() -> Settings:
    """Everything once around, on fewer rows: shows that all parts work, not how fast they are."""
    shapes = tuple(replace(shape, rows=min(shape.rows, 4096), epochs=min(shape.epochs, 5)) for shape in SHAPES)
    return Settings(windows=2, seconds=0.02, shapes=shapes, csv_rows=20_000, full_rows=20_000)


@dataclass(frozen=True)
class Entry:
    """One contender in a group: who, under which name, with which request."""

    name: str
    contender: str
    task: str
    request: dict[str, object]


@dataclass(frozen=True)
class Group:
    name: str
    entries: list[Entry]


def shape_request(shape: Shape, data: str, **changes: object) -> dict[str, object]:
    request = {"data": data, "rows": shape.rows, "inputs": shape.inputs, "batch": shape.batch, "epochs": shape.epochs,
               "threads": 1, "members": 1, "hidden": ",".join(map(str, HIDDEN))}  # fmt: skip
    return {**request, **changes}


def training_group(shape: Shape, data: str) -> Group:
    one = shape_request(shape, data)
    two = {**one, "threads": 2, "members": 2}
    stacked = {**one, "members": MEMBERS}
    entries = [
        Entry("peak", "credens", "peak", {"threads": 1}),
        Entry("credens", "credens", "train", one),
        Entry("credens classes", "credens", "train", {**one, "classes": CLASSES}),
        Entry("peak 2 threads", "credens", "peak", {"threads": 2}),
        Entry("credens 2 threads", "credens", "train", two),
        Entry("torch index", "torch", "train_index", one),
        Entry("torch bmm", "torch", "train_bmm", stacked),
        Entry("torch loader", "torch", "train_loader", one),
        Entry("libtorch", "libtorch", "train", one),
    ]
    for form, request in (("index", one), ("bmm", stacked), ("index compile", one), ("bmm compile", stacked)):
        entries.append(Entry(f"peer torch {form}", "peer", f"train_{form.replace(' ', '_')}", request))
    return Group(f"train/{shape.name}", entries)


def prediction_group(shape: Shape, batch: int, data: str, models: dict[str, str]) -> Group:
    one = shape_request(shape, data, rows=PREDICTION_ROWS[batch], batch=batch, members=MEMBERS)
    entries = [
        Entry("credens", "credens", "predict", one),
        Entry("credens 2 threads", "credens", "predict", {**one, "threads": 2}),
        Entry("torch bmm", "torch", "predict_bmm", one),
        Entry("torch loop", "torch", "predict_loop", one),
    ]
    for form, model in models.items():
        entries.append(Entry(f"onnx {form}", "onnx", "predict", {**one, "model": model}))
    return Group(f"predict/{shape.name}/{batch}", entries)


def class_prediction_group(shape: Shape, data: str) -> Group:
    one = shape_request(shape, data, rows=PREDICTION_ROWS[64], members=MEMBERS, classes=CLASSES)
    return Group(f"predict classes/{shape.name}", [Entry(form, "credens", "predict_classes", {**one, "form": form}) for form in ("plain", "full")])


def widening_group(shape: Shape, data: str) -> Group:
    one = shape_request(shape, data, members=MEMBERS)
    whole = {**one, "batch": shape.rows}
    return Group(f"widen/{shape.name}", [Entry("pass", "credens", "pass", whole), Entry("widen", "credens", "widen", one)])


def csv_group(data: str, words: str) -> Group:
    """`words` is a table of the same size with words in every fourth column."""
    forms = {"stream": "csv_stream", "dataset": "csv"}
    entries = [Entry(f"credens {form} {threads}", "credens", task, {"data": data, "threads": threads})
               for form, task in forms.items() for threads in (1, 2)]  # fmt: skip
    entries += [Entry(f"credens words {threads}", "credens", "csv_stream", {"data": words, "threads": threads}) for threads in (1, 2)]
    return Group("csv", [*entries, Entry("pandas", "pandas", "csv", {"data": data})])


# ---- ratios ----


@dataclass(frozen=True)
class Ratio:
    """Speed of `over` (best of several) divided by that of `under`, times `factor`; for costs, smaller is better."""

    key: str
    group: str
    over: str
    under: tuple[str, ...]
    factor: float = 1.0
    smaller_is_better: bool = False


PEERS = ("torch index", "torch bmm", "torch loader", "libtorch", "peer torch index", "peer torch bmm", "peer torch index compile",
         "peer torch bmm compile")  # fmt: skip


def training_ratios(shape: Shape) -> list[Ratio]:
    group = f"train/{shape.name}"
    ratios = [Ratio(f"{group}/share of peak", group, "credens", ("peak",), shape.flops)]
    ratios.append(Ratio(f"{group}/classes, share of peak", group, "credens classes", ("peak",), shape.class_flops))
    work = shape.class_flops / shape.flops
    ratios.append(Ratio(f"{group}/classes over regression", group, "credens classes", ("credens",), work))
    ratios += [Ratio(f"{group}/over {peer}", group, "credens", (peer,)) for peer in PEERS]
    return [*ratios, Ratio(f"{group}/2 threads over 1", group, "credens 2 threads", ("credens",))]


def prediction_ratios(shape: Shape, batch: int) -> list[Ratio]:
    group = f"predict/{shape.name}/{batch}"
    return [
        Ratio(f"{group}/over onnx", group, "credens", ("onnx loop", "onnx bmm")),
        Ratio(f"{group}/over torch", group, "credens", ("torch loop", "torch bmm")),
        Ratio(f"{group}/2 threads over 1", group, "credens 2 threads", ("credens",)),
    ]


def all_ratios() -> list[Ratio]:
    ratios: list[Ratio] = []
    for shape in SHAPES:
        ratios += training_ratios(shape)
        for batch in PREDICTION_ROWS:
            ratios += prediction_ratios(shape, batch)
        classes = f"predict classes/{shape.name}"
        ratios.append(Ratio(f"{classes}/full in plain", classes, "plain", ("full",), smaller_is_better=True))
        ratios.append(Ratio(f"widen/{shape.name}/passes", f"widen/{shape.name}", "pass", ("widen",), smaller_is_better=True))
    for threads in (1, 2):
        ratios.append(Ratio(f"csv/{threads}/over pandas", "csv", f"credens stream {threads}", ("pandas",)))
        ratios.append(Ratio(f"csv/{threads}/dataset over pandas", "csv", f"credens dataset {threads}", ("pandas",)))
        words = Ratio(f"csv/{threads}/words over numbers", "csv", f"credens words {threads}", (f"credens stream {threads}",))
        ratios.append(words)
    return ratios


# ---- what must be shown ----

MEMORY_KEY = "memory/full year over its data"
SMALL_FIT_KEY = "fit/1,000 x 8/seconds"


@dataclass(frozen=True)
class Requirement:
    text: str
    key: str
    must: float
    at_most: bool = False

    def is_met(self, value: float) -> bool:
        return value <= self.must if self.at_most else value >= self.must


def required_of_shapes(text: str, key: str, musts: tuple[float, ...], at_most: bool = False) -> list[Requirement]:
    return [Requirement(f"{shape.name}: {text}", key.format(shape.name), must, at_most) for shape, must in zip(SHAPES, musts)]


def requirements() -> list[Requirement]:
    return [
        *required_of_shapes("training, share of the FMA peak", "train/{}/share of peak", (0.78, 0.40, 0.74, 0.78)),
        *required_of_shapes("training over torch's index loop", "train/{}/over torch index", (9, 50, 5.5, 5.5)),
        *required_of_shapes("training over torch's stacked ensemble", "train/{}/over torch bmm", (2.8, 9, 2.4, 2.3)),
        *required_of_shapes("training, 2 threads over 1", "train/{}/2 threads over 1", (1.8,) * 4),
        *required_of_shapes("prediction over ONNX Runtime, batch 4096", "predict/{}/4096/over onnx", (1.15, 1.15, 1.05, 1.1)),
        *required_of_shapes("prediction over ONNX Runtime, batch 1", "predict/{}/1/over onnx", (5, 5, 3, 4)),
        *required_of_shapes("training of classes, share of the peak over regression's", "train/{}/classes over regression", (0.95,) * 4),
        *required_of_shapes("ten classes on full, in plain ensembles", "predict classes/{}/full in plain", (4,) * 4, at_most=True),
        *required_of_shapes("widening, in prediction passes", "widen/{}/passes", (1.3,) * 4, at_most=True),
        Requirement("CSV over pandas, 1 thread", "csv/1/over pandas", 4),
        Requirement("CSV over pandas, 2 threads", "csv/2/over pandas", 7),
        Requirement("CSV with a quarter of words over numbers, 1 thread", "csv/1/words over numbers", 0.5),
        Requirement("CSV with a quarter of words over numbers, 2 threads", "csv/2/words over numbers", 0.5),
        Requirement("fit of Year's full shape, anonymous memory over float32 data", MEMORY_KEY, 1.5, at_most=True),
        Requirement("fit of 1,000 x 8, from start to file, seconds", SMALL_FIT_KEY, 0.5, at_most=True),
    ]

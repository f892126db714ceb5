# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a contender, in its fastest honest forms, and in the usual one.

train_index: one network, tensors in memory, minibatches by index. train_bmm: the whole ensemble stacked in batched products.
train_loader: one network behind a DataLoader. *_compile: the same through torch.compile. All of them Adam (the fastest of its
forms on this machine, found by trying), Gaussian negative log likelihood, L2 in the gradient.
"""

import time
from collections.abc import Callable, Iterator

import numpy
import torch
from protocol import Request, Unit, Window, serve
from torch import Tensor, nn
from torch.nn.functional import softplus

LEARNING_RATE = 1e-3
VARIANCE_FLOOR = 1e-6
ADAM_FORMS = ({"foreach": False}, {"foreach": True}, {"fused": True})
TRIAL_SECONDS = 0.3

Batches = Iterator[tuple[Tensor, Tensor]]


def gaussian_nll(head: Tensor, target: Tensor) -> Tensor:
    """[..., b, 2] and [..., b]: mean over rows, sum over members."""
    variance = softplus(head[..., 1]) + VARIANCE_FLOOR
    return 0.5 * ((target - head[..., 0]).square() / variance + variance.log()).mean(-1).sum()


def widths(request: Request) -> list[int]:
    return [int(request["inputs"]), *map(int, request["hidden"].split(",")), 2]


def single_network(sizes: list[int]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for width, following in zip(sizes, sizes[1:]):
        layers += [nn.Linear(width, following), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Stacked(nn.Module):
    """L networks; inputs [b x d] or [L x b x d], outputs [L x b x 2]."""

    def __init__(self, members: int, sizes: list[int]) -> None:
        super().__init__()
        self.members = members
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for width, following in zip(sizes, sizes[1:]):
            self.weights.append(nn.Parameter(torch.empty(members, width, following)))
            self.biases.append(nn.Parameter(torch.empty(members, 1, following)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for weight, bias in zip(self.weights, self.biases):
            bound = weight.shape[1] ** -0.5
            nn.init.uniform_(weight, -bound, bound)
            nn.init.uniform_(bias, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() == 2:
            x = x.expand(self.members, -1, -1)
        last = len(self.weights) - 1
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            x = torch.baddbmm(bias, x, weight)
            x = torch.relu(x) if layer < last else x
        return x


class Loop(nn.Module):
    """L networks one after the other; outputs [b x 2L]."""

    def __init__(self, members: int, sizes: list[int]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(single_network(sizes) for _ in range(members))

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([network(x) for network in self.networks], 1)


def read_table(request: Request) -> tuple[Tensor, Tensor]:
    rows, inputs = int(request["rows"]), int(request["inputs"])
    values = numpy.fromfile(request["data"], numpy.float32, rows * (inputs + 1)).reshape(rows, inputs + 1)
    return torch.from_numpy(values[:, :inputs].copy()), torch.from_numpy(values[:, inputs].copy())


# ---- training ----


def index_batches(x: Tensor, y: Tensor, size: int) -> Batches:
    for rows in torch.randperm(len(x)).split(size):
        yield x[rows], y[rows]


def stacked_batches(x: Tensor, y: Tensor, size: int, members: int) -> Batches:
    """Each member in an order of its own."""
    orders = torch.stack([torch.randperm(len(x)) for _ in range(members)])
    for rows in orders.split(size, 1):
        yield x[rows], y[rows]


def loader_batches(x: Tensor, y: Tensor, size: int) -> Callable[[], Batches]:
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), size, shuffle=True)
    return lambda: iter(loader)


class Training:
    def __init__(self, request: Request) -> None:
        self.x, self.y = read_table(request)
        self.sizes, self.epochs, self.members = widths(request), int(request["epochs"]), int(request["members"])
        self.stacked = "bmm" in request["task"]
        self.network = Stacked(self.members, self.sizes) if self.stacked else single_network(self.sizes)
        self.batch_loss = torch.compile(self.loss) if "compile" in request["task"] else self.loss
        self.epoch_batches = self.batch_maker("loader" in request["task"], int(request["batch"]))
        self.adam_form = self.fastest_adam()

    def batch_maker(self, loader: bool, size: int) -> Callable[[], Batches]:
        if loader:
            return loader_batches(self.x, self.y, size)
        if self.stacked:
            return lambda: stacked_batches(self.x, self.y, size, self.members)
        return lambda: index_batches(self.x, self.y, size)

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        return gaussian_nll(self.network(x), y)

    def start_afresh(self) -> None:
        """The same module with new weights, so that what was compiled for it stays valid."""
        for module in self.network.modules():
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def adam(self, form: dict[str, bool]) -> torch.optim.Adam:
        return torch.optim.Adam(self.network.parameters(), LEARNING_RATE, weight_decay=1 / len(self.x), **form)

    def step(self, adam: torch.optim.Adam, x: Tensor, y: Tensor) -> None:
        adam.zero_grad(set_to_none=True)
        self.batch_loss(x, y).backward()
        adam.step()

    def steps_per_second(self, form: dict[str, bool]) -> float:
        adam = self.adam(form)
        x, y = next(iter(self.epoch_batches()))
        self.step(adam, x, y)
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < TRIAL_SECONDS:
            self.step(adam, x, y)
            steps += 1
        return steps / (time.perf_counter() - start)

    def fastest_adam(self) -> dict[str, bool]:
        speeds = {}
        for number, form in enumerate(ADAM_FORMS):
            try:
                speeds[self.steps_per_second(form)] = form
            except (RuntimeError, TypeError):  # this torch has no such form on processors
                if number == 0:
                    raise
        return speeds[max(speeds)]

    def run(self) -> Window:
        self.start_afresh()
        adam = self.adam(self.adam_form)
        start = time.perf_counter()
        for _ in range(self.epochs):
            for x, y in self.epoch_batches():
                self.step(adam, x, y)
        seconds = time.perf_counter() - start
        members = self.members if self.stacked else 1
        with torch.no_grad():
            final = self.loss(self.x, self.y).item() / members
        return seconds, len(self.x) * self.epochs * members, final


# ---- prediction ----


def prediction(request: Request) -> Unit:
    x, _ = read_table(request)
    kind = Stacked if "bmm" in request["task"] else Loop
    network = kind(int(request["members"]), widths(request))
    batches = x.split(int(request["batch"]))

    def unit() -> Window:
        with torch.inference_mode():
            start = time.perf_counter()
            for batch in batches:
                out = network(batch)
            return time.perf_counter() - start, len(x), float(out.flatten()[0])

    return unit


def export(request: Request) -> Unit:
    """Writes the graph that ONNX Runtime is to run."""
    kind = Stacked if "bmm" in request["task"] else Loop
    network = kind(int(request["members"]), widths(request)).eval()
    row_axis = 1 if kind is Stacked else 0
    torch.onnx.export(network, torch.zeros(2, int(request["inputs"])), request["model"], input_names=["x"], output_names=["y"],
                      opset_version=13, dynamic_axes={"x": {0: "rows"}, "y": {row_axis: "rows"}})  # fmt: skip
    return lambda: (1.0, 0.0, 0.0)


def prepare(request: Request) -> Unit:
    torch.set_num_threads(int(request["threads"]))
    torch.manual_seed(1)
    if request["task"].startswith("train"):
        return Training(request).run
    return export(request) if request["task"].startswith("export") else prediction(request)


serve(prepare)

# SPDX-License-Identifier: Apache-2.0
"""The last layers that can be widened: linear maps of features, at each row or at each pixel.

Letters: n rows, C channels, q outputs, K the sizes of a kernel, P features: the inputs of a linear layer, or the C |K|
values of the patch that a convolution sees. Patches are stored only for the full posterior, a few images at a time;
sums of their squares are convolutions themselves.

A layer has its own layout of tensors: [n, channels] for a linear layer, [images, channels, *space] for a convolution.
A transposed convolution spreads each input over its kernel: the patch of a pixel holds the inputs that reach it, each at
the place of the kernel through which it does, and 0 elsewhere.
"""

from __future__ import annotations

import math

import torch
from torch.nn import functional

from ._errors import UsageError

CONVOLUTIONS = {
    torch.nn.Conv1d: functional.conv1d,
    torch.nn.Conv2d: functional.conv2d,
    torch.nn.Conv3d: functional.conv3d,
}
TRANSPOSED = {
    torch.nn.ConvTranspose1d: functional.conv_transpose1d,
    torch.nn.ConvTranspose2d: functional.conv_transpose2d,
    torch.nn.ConvTranspose3d: functional.conv_transpose3d,
}
KINDS = (torch.nn.Linear, *CONVOLUTIONS, *TRANSPOSED)
KINDS_TEXT = "Linear, Conv1d, Conv2d or Conv3d, or a ConvTranspose of these"
PATCH_BYTES = 1 << 26


def layer_of(module: torch.nn.Module, what: str) -> Layer:
    """Throws UsageError for what is no linear map of features."""
    if isinstance(module, tuple(TRANSPOSED)):
        return TransposedLayer(module)
    if isinstance(module, tuple(CONVOLUTIONS)):
        return ConvolutionLayer(module)
    if isinstance(module, torch.nn.Linear):
        return LinearLayer(module)
    raise UsageError(f"{what} is {type(module).__name__}, expected {KINDS_TEXT}")


def exact(tensor: torch.Tensor) -> torch.Tensor:
    """In double, on a device that has doubles."""
    return (tensor.cpu() if tensor.device.type == "mps" else tensor).double()


def at_least_single(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


class Layer:
    """y = W phi + b at each row or pixel. All tensors but `shaped`'s and `layout`'s are in the layer's layout."""

    features: int  # P
    channels: int
    channel_axis: int
    groups = 1
    dimensions = 0  # of space

    def weight(self) -> torch.Tensor:
        """[channels, P]"""
        raise NotImplementedError

    def apply(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """W phi without bias, for any number of rows of W, [k, P]."""
        raise NotImplementedError

    def square_sums(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """sum_i precision_ik phi_ij^2, [k, P]."""
        raise NotImplementedError

    def patches(self, x: torch.Tensor) -> torch.Tensor:
        """[n, P], exact copies: a layer with one kernel for each value of the patch."""
        return self.rows(self.apply(x, torch.eye(self.features, dtype=x.dtype, device=x.device)))

    def squared_norm(self, x: torch.Tensor) -> torch.Tensor:
        """|phi|^2, one channel."""
        return self.apply(x.square(), x.new_ones(1, self.features))

    def rows(self, values: torch.Tensor) -> torch.Tensor:
        """[n, channels] of values in the layer's layout."""
        return values.movedim(1, -1).reshape(-1, values.shape[1])


class LinearLayer(Layer):
    """Tensors may have more axes in front of the last."""

    channel_axis = -1

    def __init__(self, module: torch.nn.Linear):
        self.module = module
        self.features = module.in_features
        self.channels = module.out_features

    def weight(self) -> torch.Tensor:
        return self.module.weight

    def inputs(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(-1, self.features)

    def shaped(self, values: torch.Tensor, out: torch.Tensor) -> torch.Tensor | None:
        """Values beside the layer's output `out`, of one or more channels, in the layer's layout; None: do not fit."""
        if values.shape == out.shape[:-1]:
            return values.reshape(-1, 1)
        if values.dim() == out.dim() and values.shape[:-1] == out.shape[:-1]:
            return values.reshape(-1, values.shape[-1])
        return None

    def layout(self, rows: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """The opposite of `rows`, beside the layer's output `out`."""
        return rows.reshape(*out.shape[:-1], rows.shape[1])

    def apply(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return x @ weight.T

    def patches(self, x: torch.Tensor) -> torch.Tensor:
        return x

    def square_sums(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        return precision.T @ x.square()


class ConvolutionLayer(Layer):
    """phi is the patch around a pixel. Padding of any mode is put around the input first."""

    channel_axis = 1

    def __init__(self, module: torch.nn.Module):
        self.module = module
        self.kernel = tuple(module.kernel_size)
        self.dimensions = len(self.kernel)
        self.groups = module.groups
        self.group_inputs = module.in_channels // module.groups
        self.features = self.group_inputs * math.prod(self.kernel)
        self.channels = module.out_channels
        self._prepare()

    def _prepare(self) -> None:
        kind = next(kind for kind in CONVOLUTIONS if isinstance(self.module, kind))
        self._convolve = CONVOLUTIONS[kind]
        self._padding = _paddings(self.module)

    def weight(self) -> torch.Tensor:
        return self.module.weight.reshape(self.channels, self.features)

    def inputs(self, x: torch.Tensor) -> torch.Tensor:
        """[images, C, *space], with its padding."""
        x = x if x.dim() == 2 + len(self.kernel) else x[None]
        mode = self.module.padding_mode
        if not any(self._padding):
            return x
        return functional.pad(x, self._padding, mode="constant" if mode == "zeros" else mode)

    def shaped(self, values: torch.Tensor, out: torch.Tensor) -> torch.Tensor | None:
        if out.dim() == 1 + len(self.kernel):  # one image
            out, values = out[None], values[None]
        if values.dim() == out.dim() - 1:
            values = values[:, None]
        fits = values.dim() == out.dim() and values.shape[0] == out.shape[0] and values.shape[2:] == out.shape[2:]
        return values if fits else None

    def layout(self, rows: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        is_one = out.dim() == 1 + len(self.kernel)  # one image
        images = 1 if is_one else len(out)
        space = out.shape[-len(self.kernel) :]
        values = rows.reshape(images, *space, rows.shape[1]).movedim(-1, 1)
        return values[0] if is_one else values

    def square_sums(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """The gradient of sum(precision * y) by the weights of a convolution of x^2."""
        sums = torch.ops.aten.convolution_backward(
            precision.contiguous(), x.square(), self._kernels(x.new_zeros(precision.shape[1], self.features)), None,
            *self._options(), 1, (False, True, False),
        )[1]
        return self._flat(sums)

    def squared_norm(self, x: torch.Tensor) -> torch.Tensor:
        """A convolution of the sum of the channels' squares with ones."""
        return self._convolved(x.square().sum(1, keepdim=True), x.new_ones(1, 1, *self.kernel))

    def apply(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return self._convolved(x, self._kernels(weight))

    def _kernels(self, weight: torch.Tensor) -> torch.Tensor:
        """Rows [k, P] as a module of this kind holds them."""
        return weight.reshape(len(weight), self.group_inputs, *self.kernel)

    def _flat(self, kernels: torch.Tensor) -> torch.Tensor:
        return kernels.reshape(len(kernels), self.features)

    def _convolved(self, x: torch.Tensor, kernels: torch.Tensor) -> torch.Tensor:
        return self._convolve(x, kernels, None, self.module.stride, 0, self.module.dilation)

    def _options(self) -> tuple:
        """Stride, padding, dilation, whether transposed, output padding, as aten takes them."""
        none = [0] * len(self.kernel)
        return self.module.stride, none, self.module.dilation, False, none


class TransposedLayer(ConvolutionLayer):
    """phi holds the inputs that reach a pixel."""

    def _prepare(self) -> None:
        kind = next(kind for kind in TRANSPOSED if isinstance(self.module, kind))
        self._convolve = TRANSPOSED[kind]
        self._padding = []
        self._output_padding: tuple[int, ...] = tuple(self.module.output_padding)

    def weight(self) -> torch.Tensor:
        """A module holds [C, channels of a group, *K]."""
        kernels = self.module.weight.reshape(self.groups, self.group_inputs, -1, *self.kernel)
        return kernels.transpose(1, 2).reshape(self.channels, self.features)

    def _kernels(self, weight: torch.Tensor) -> torch.Tensor:
        return super()._kernels(weight).transpose(0, 1)

    def _flat(self, kernels: torch.Tensor) -> torch.Tensor:
        return kernels.transpose(0, 1).reshape(-1, self.features)

    def _convolved(self, x: torch.Tensor, kernels: torch.Tensor) -> torch.Tensor:
        module = self.module
        options = (module.stride, module.padding, self._output_padding, 1, module.dilation)
        return self._convolve(x, kernels, None, *options)

    def _options(self) -> tuple:
        module = self.module
        return module.stride, module.padding, module.dilation, True, list(self._output_padding)


def _paddings(module: torch.nn.Module) -> list[int]:
    """Before and after each axis, the last axis first, as torch.nn.functional.pad takes them."""
    around = []
    for axis, size in enumerate(module.kernel_size):
        if module.padding == "same":
            total = module.dilation[axis] * (size - 1)
            around.append((total // 2, total - total // 2))
        else:
            both = 0 if module.padding == "valid" else module.padding[axis]
            around.append((both, both))
    return [side for pair in reversed(around) for side in pair]

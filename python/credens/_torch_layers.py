# SPDX-License-Identifier: Apache-2.0
"""The last layers that can be widened: linear maps of features, at each row or at each pixel.

Letters: n rows, C channels, q outputs, K the sizes of a kernel, P features: the inputs of a linear layer, or the C |K|
values of the patch that a convolution sees. Patches are stored only for the full posterior, a few images at a time;
sums of their squares are convolutions themselves.

A layer has its own layout of tensors: [n, channels] for a linear layer, [images, channels, *space] for a convolution.
"""

from __future__ import annotations

import math

import torch
from torch.nn import functional

from ._errors import UsageError

CONVOLUTIONS = {
    torch.nn.Conv1d: (functional.conv1d, torch.nn.grad.conv1d_weight),
    torch.nn.Conv2d: (functional.conv2d, torch.nn.grad.conv2d_weight),
    torch.nn.Conv3d: (functional.conv3d, torch.nn.grad.conv3d_weight),
}
KINDS = (torch.nn.Linear, *CONVOLUTIONS)
PATCH_BYTES = 1 << 26


def layer_of(module: torch.nn.Module, what: str) -> LinearLayer | ConvolutionLayer:
    """Throws UsageError for what is no linear map of features."""
    if isinstance(module, tuple(CONVOLUTIONS)):
        return ConvolutionLayer(module, what)
    if isinstance(module, torch.nn.Linear):
        return LinearLayer(module)
    raise UsageError(f"{what} is {type(module).__name__}, expected Linear, Conv1d, Conv2d or Conv3d")


def exact(tensor: torch.Tensor) -> torch.Tensor:
    """In double, on a device that has doubles."""
    return (tensor.cpu() if tensor.device.type == "mps" else tensor).double()


def at_least_single(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


class LinearLayer:
    """y = W phi + b at each of n rows; tensors may have more axes in front of the last."""

    def __init__(self, module: torch.nn.Linear):
        self.module = module
        self.features = module.in_features
        self.channels = module.out_features

    channel_axis = -1

    def weight(self) -> torch.Tensor:
        """[channels, P]"""
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

    def rows(self, values: torch.Tensor) -> torch.Tensor:
        """[n, channels] of values in the layer's layout."""
        return values

    def layout(self, rows: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        """The opposite of `rows`, beside the layer's output `out`."""
        return rows.reshape(*out.shape[:-1], rows.shape[1])

    def patches(self, x: torch.Tensor) -> torch.Tensor:
        """[n, P]"""
        return x

    def square_sums(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """sum_i precision_ik phi_ij^2, [k, P]."""
        return precision.T @ x.square()

    def grams(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """sum_i precision_ik phi_i phi_i^T, [k, P, P]."""
        return torch.stack([(x * column[:, None]).T @ x for column in precision.T])

    def squared_norm(self, x: torch.Tensor) -> torch.Tensor:
        """|phi|^2, [n, 1]."""
        return x.square().sum(1, keepdim=True)

    def weighted_squares(self, x: torch.Tensor, variance: torch.Tensor) -> torch.Tensor:
        """sum_j variance_kj phi_j^2, [n, q]."""
        return x.square() @ variance.T

    def norms_through(self, x: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
        """|S^T phi|^2, [n, 1]."""
        return (x @ factor).square().sum(1, keepdim=True)


class ConvolutionLayer:
    """y = W phi + b at each pixel, phi the patch around it. Padding of any mode is put around the input first."""

    channel_axis = 1

    def __init__(self, module: torch.nn.Module, what: str):
        if module.groups != 1:
            raise UsageError(
                f"{what} is a convolution with groups={module.groups}, expected 1: then all outputs share features"
            )
        kind = next(kind for kind in CONVOLUTIONS if isinstance(module, kind))
        self._convolve, self._weight_sums = CONVOLUTIONS[kind]
        self.module = module
        self.kernel = tuple(module.kernel_size)
        self.features = module.in_channels * math.prod(self.kernel)
        self.channels = module.out_channels
        self._padding = _paddings(module)

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

    def rows(self, values: torch.Tensor) -> torch.Tensor:
        return values.movedim(1, -1).reshape(-1, values.shape[1])

    def layout(self, rows: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        is_one = out.dim() == 1 + len(self.kernel)  # one image
        images = 1 if is_one else len(out)
        space = out.shape[-len(self.kernel) :]
        values = rows.reshape(images, *space, rows.shape[1]).movedim(-1, 1)
        return values[0] if is_one else values

    def patches(self, x: torch.Tensor) -> torch.Tensor:
        """[n, P], exact copies: a convolution with one kernel for each value of the patch."""
        kernels = torch.eye(self.features, dtype=x.dtype, device=x.device)
        return self.rows(self._apply(x, kernels))

    def square_sums(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        """The gradient of sum(precision * y) by the weights of a convolution of x^2."""
        shape = (precision.shape[1], self.module.in_channels, *self.kernel)
        options = (self.module.stride, 0, self.module.dilation, 1)
        return self._weight_sums(x.square(), shape, precision.contiguous(), *options).reshape(shape[0], -1)

    def grams(self, x: torch.Tensor, precision: torch.Tensor) -> torch.Tensor:
        bytes_per_image = 8 * self.features * math.prod(precision.shape[2:])
        images = max(1, PATCH_BYTES // bytes_per_image)
        sums = x.new_zeros(precision.shape[1], self.features, self.features)
        for first in range(0, len(x), images):
            patches = self.patches(x[first : first + images])
            for k, column in enumerate(self.rows(precision[first : first + images]).T):
                sums[k] += (patches * column[:, None]).T @ patches
        return sums

    def squared_norm(self, x: torch.Tensor) -> torch.Tensor:
        """A convolution of the channels' squares with ones."""
        ones = x.new_ones(1, 1, *self.kernel)
        return self._convolve(x.square().sum(1, keepdim=True), ones, None, self.module.stride, 0, self.module.dilation)

    def weighted_squares(self, x: torch.Tensor, variance: torch.Tensor) -> torch.Tensor:
        return self._apply(x.square(), variance)

    def norms_through(self, x: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
        return self._apply(x, factor.T).square().sum(1, keepdim=True)

    def _apply(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        kernels = weight.reshape(len(weight), self.module.in_channels, *self.kernel)
        return self._convolve(x, kernels, None, self.module.stride, 0, self.module.dilation)


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

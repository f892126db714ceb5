// SPDX-License-Identifier: Apache-2.0
//
// Ensembles for other runtimes. docs/onnx.md describes the graph and shows how to run it.

#pragma once

#include <credens/ensemble.hpp>

#include <filesystem>

namespace credens {

/// Writes an ONNX graph that predicts as the ensemble does, atomically as `save` does. It maps `inputs` [rows, d]
/// (numbers and dates), `categories` [rows, c] (texts, where the ensemble was trained on words) and `noise_std` [rows,
/// q] (where it was trained with known noise) to `mean`, `aleatoric_variance`, `epistemic_variance` and
/// `total_variance` [rows, q]. All but words are doubles, in the units of the data. Of C classes it gives `probability`
/// and `epistemic_variance` [rows, C], and `class` (a whole number), `entropy`, `aleatoric` and `epistemic` [rows].
/// Throws usage for an ensemble without networks.
void export_onnx(const Ensemble& ensemble, const std::filesystem::path& path);

}  // namespace credens

// SPDX-License-Identifier: Apache-2.0
//
// The inputs of a graph, and what the networks see of them: data/encoder.cpp computes the same in C++.
//
// Letters: n rows, d numbers and dates, f flags.

#pragma once

#include <optional>
#include <vector>

#include "model/ensemble_state.hpp"
#include "store/onnx_graph.hpp"

namespace credens::store {

/// The graph's inputs for the columns of a table. One of them is left out where a model has no columns for it.
struct RowInputs {
  std::optional<OnnxValue> numbers;     ///< `inputs` [n, d]: doubles, dates in seconds
  std::optional<OnnxValue> categories;  ///< `categories`: texts, one column for each column of words
};

RowInputs add_row_inputs(OnnxGraph& graph, const model::EnsembleState& state);

/// An encoded row, before members put in what they learned of it.
struct EncodedInputs {
  std::optional<OnnxValue> numbers;     ///< scaled, in float: [n, d]
  std::optional<OnnxValue> is_missing;  ///< [n, d]; none where networks cannot take missing ones
  std::vector<bool> has_flag;           ///< of numbers that enter as 0 where they are missing, d of them or none
  std::optional<OnnxValue> flags;       ///< flags of missing numbers and cycles of dates, in float: [n, f]
  std::vector<OnnxValue> codes;         ///< of words and days, one [n] for each table of a network
};

EncodedInputs encoded(OnnxGraph& graph, const model::EnsembleState& state, const RowInputs& inputs);

/// Names of the columns of `inputs`: those of all inputs but words.
std::vector<std::string> number_names(const model::EnsembleState& state);

/// Tells a user how to fill inputs that are more than finite numbers; empty where they are not.
Metadata kind_metadata(const model::EnsembleState& state);

}  // namespace credens::store

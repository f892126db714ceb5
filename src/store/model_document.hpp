// SPDX-License-Identifier: Apache-2.0
//
// The JSON document in a model file: everything of an ensemble but the tensors. docs/model-format.md lists its fields.

#pragma once

#include <vector>

#include "store/document_parts.hpp"

namespace credens::store {

/// The content of a document: the ensemble without its members, and their outlines.
struct ModelDocument {
  model::EnsembleState state;
  std::vector<MemberOutline> members;
};

Json to_document(const model::EnsembleState& state);
ModelDocument read_document(const Json& document);  ///< throws model

}  // namespace credens::store

// SPDX-License-Identifier: Apache-2.0
//
// An outputs folder written some rows at a time. docs/model-format.md describes the files.

#pragma once

#include <credens/member_outputs.hpp>

#include <filesystem>
#include <memory>

namespace credens::store {

/// Rows are given from the first on. Up to commit() a folder that was there stays as it was.
class OutputsWriter {
 public:
  /// `about` has the shapes of all blocks, and last layers, weights of members, scale, shift and names of targets.
  /// Throws as credens::save_outputs.
  OutputsWriter(const std::filesystem::path& folder, const MemberOutputs& about, double prior_precision,
                std::size_t rows);
  ~OutputsWriter();

  void add(const MemberOutputs& block);
  void commit();  ///< as add, throws data where rows are not as many as were announced

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credens::store

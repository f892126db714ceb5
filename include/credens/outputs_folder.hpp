// SPDX-License-Identifier: Apache-2.0
//
// An outputs folder read some rows at a time. docs/model-format.md describes the files.

#pragma once

#include <credens/member_outputs.hpp>

#include <filesystem>
#include <memory>

namespace credens {

/// Shapes, last layers and outputs.json are read and checked at once, rows when they are asked for.
class OutputsReader {
 public:
  explicit OutputsReader(const std::filesystem::path& folder);
  ~OutputsReader();
  OutputsReader(OutputsReader&&) noexcept;
  OutputsReader& operator=(OutputsReader&&) noexcept;

  double prior_precision() const;  ///< lambda that the members were trained with
  std::size_t rows() const;
  bool has_targets() const;

  /// All but the rows: arrays of no rows with the shapes of the folder, last layers, weights of members, scale, shift
  /// and names of targets.
  const MemberOutputs& about() const;

  /// A number of rows whose arrays take some megabytes.
  std::size_t block_rows() const;

  /// Rows [first, first + count), clipped at the end, with all of about() but the last layers. Throws data for values
  /// that cannot be used.
  MemberOutputs read(std::size_t first, std::size_t count);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credens

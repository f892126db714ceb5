// SPDX-License-Identifier: Apache-2.0
//
// Numbers that must wait, one or a few per row: in memory while they are few, else in a nameless temporary file.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/descriptor.hpp"

namespace credens::data {

class Spill {
 public:
  static constexpr std::size_t default_most_held = std::size_t{2} << 20;

  explicit Spill(std::size_t most_held = default_most_held) : most_held_(most_held) {}

  void append(std::span<const double> values);  ///< throws io where the file finds no room
  std::size_t count() const { return spilled_ + held_.size(); }

  /// All numbers in their order, in pieces.
  void read(const std::function<void(std::span<const double>)>& take) const;

 private:
  void spill();

  std::size_t most_held_;
  std::vector<double> held_;
  std::size_t spilled_ = 0;  ///< numbers in the file, before those held
  base::Descriptor file_;
};

}  // namespace credens::data

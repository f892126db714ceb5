// SPDX-License-Identifier: Apache-2.0

#include "data/spill.hpp"

#include <algorithm>
#include <string>

#include "base/file.hpp"

namespace credens::data {

namespace {

const std::string name = "a temporary file";

}  // namespace

void Spill::append(std::span<const double> values) {
  if (held_.size() + values.size() > most_held_) spill();
  held_.insert(held_.end(), values.begin(), values.end());
}

void Spill::spill() {
  if (!file_.is_open()) file_ = base::open_scratch();
  base::write_at(file_.number(), spilled_ * sizeof(double),
                 {reinterpret_cast<const char*>(held_.data()), held_.size() * sizeof(double)}, name);
  spilled_ += held_.size();
  held_.clear();
}

void Spill::read(const std::function<void(std::span<const double>)>& take) const {
  constexpr std::size_t most_at_once = std::size_t{1} << 17;
  std::vector<double> piece;
  for (std::size_t at = 0; at < spilled_; at += piece.size()) {
    piece.resize(std::min(most_at_once, spilled_ - at));
    base::read_at(file_.number(), at * sizeof(double),
                  {reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(double)}, name);
    take(piece);
  }
  take(held_);
}

}  // namespace credens::data

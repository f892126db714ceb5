// SPDX-License-Identifier: Apache-2.0

#include "learn/folds.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "learn/recipe.hpp"

namespace credens::learn {

namespace {

std::vector<std::uint32_t> partition(std::uint64_t seed, std::size_t number, std::size_t rows) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::folds, .member = number});
  return base::permutation(rows, random);
}

}  // namespace

std::size_t part_size(std::size_t rows) {
  constexpr std::size_t enough = 5000;
  return std::clamp<std::size_t>(rows / 10, 1, enough);
}

FoldPlace fold_place(const FitOptions& options, std::size_t member) {
  const std::size_t folds = options.folds;
  const std::size_t configurations = configuration_count(options);
  const std::size_t turn = member / configurations;
  return {.partition = folds == 1 ? 0 : turn / folds * configurations + member % configurations, .fold = turn % folds};
}

std::vector<std::uint32_t> held_out_rows(const FitOptions& options, std::size_t member, std::size_t rows) {
  const std::size_t folds = options.folds;
  if (folds == 0) return {};
  const auto [number, fold] = fold_place(options, member);
  const std::vector<std::uint32_t> order = partition(options.seed, number, rows);
  const std::size_t first = folds == 1 ? 0 : fold * rows / folds;
  const std::size_t end = folds == 1 ? part_size(rows) : (fold + 1) * rows / folds;
  std::vector<std::uint32_t> held(order.begin() + static_cast<std::ptrdiff_t>(first),
                                  order.begin() + static_cast<std::ptrdiff_t>(end));
  std::ranges::sort(held);
  return held;
}

std::vector<std::uint32_t> seen_rows(const FitOptions& options, std::size_t member, std::size_t rows) {
  const std::vector<std::uint32_t> held = held_out_rows(options, member, rows);
  std::vector<std::uint32_t> seen;
  seen.reserve(rows - held.size());
  auto next = held.begin();
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (next != held.end() && *next == row) {
      ++next;
    } else {
      seen.push_back(row);
    }
  }
  return seen;
}

}  // namespace credens::learn

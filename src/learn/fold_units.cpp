// SPDX-License-Identifier: Apache-2.0

#include "learn/fold_units.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <span>

#include "base/bytes.hpp"
#include "base/content_hash.hpp"

namespace credens::learn {

namespace {

using Rows = std::vector<std::uint32_t>;

constexpr auto none = std::numeric_limits<std::uint32_t>::max();

/// Numbers that name equal things become 0, 1, ... in the order of their first rows.
void renumber(FoldUnits& units) {
  Rows number(units.rows, none);
  units.count = 0;
  for (std::uint32_t& unit : units.of_row) {
    if (number[unit] == none) number[unit] = static_cast<std::uint32_t>(units.count++);
    unit = number[unit];
  }
}

/// Rows with equal keys become a unit.
FoldUnits equal_rows(std::span<const std::uint64_t> keys, FoldUnits::Kind kind) {
  struct KeyedRow {
    std::uint64_t key;
    std::uint32_t row;
    auto operator<=>(const KeyedRow&) const = default;
  };
  std::vector<KeyedRow> sorted;
  sorted.reserve(keys.size());
  for (std::uint32_t row = 0; row < keys.size(); ++row) sorted.push_back({keys[row], row});
  std::ranges::sort(sorted);
  FoldUnits units(keys.size());
  units.kind = kind;
  units.of_row.resize(keys.size());
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i].key != sorted[i - 1].key) first = sorted[i].row;
    units.of_row[sorted[i].row] = first;
  }
  renumber(units);
  return units;
}

FoldUnits copies_of(const data::RowKeys& keys) {
  FoldUnits units = equal_rows(keys.inputs, FoldUnits::Kind::copies);
  return units.count == units.rows || units.count < fewest_inputs ? FoldUnits(units.rows) : std::move(units);
}

/// -0 and 0 are the same group.
FoldUnits groups_of(std::span<const double> groups) {
  std::vector<std::uint64_t> keys;
  for (const double group : groups) keys.push_back(std::bit_cast<std::uint64_t>(group + 0.0));
  return equal_rows(keys, FoldUnits::Kind::groups);
}

/// Cuts the rows in time wherever the time changes and no group has rows on both sides.
FoldUnits times_of(std::span<const double> times, const FoldUnits& groups) {
  Rows order(times.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return times[row]; });
  Rows last(groups.count);  // place of the group's last row in time
  for (std::uint32_t place = 0; place < order.size(); ++place) last[groups.unit(order[place])] = place;
  FoldUnits units(times.size());
  units.kind = FoldUnits::Kind::times;
  units.of_row.resize(times.size());
  units.count = 0;
  std::uint32_t open_until = 0;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    const bool cuts_nothing = place == 0 || (times[order[place]] != times[order[place - 1]] && open_until < place);
    if (cuts_nothing) ++units.count;
    open_until = std::max(open_until, last[groups.unit(order[place])]);
    units.of_row[order[place]] = static_cast<std::uint32_t>(units.count - 1);
  }
  return units;
}

}  // namespace

std::vector<std::size_t> FoldUnits::sizes() const {
  std::vector<std::size_t> sizes(count);
  for (std::size_t row = 0; row < rows; ++row) ++sizes[unit(row)];
  return sizes;
}

std::string_view FoldUnits::noun() const {
  constexpr std::array<std::string_view, 4> nouns{"row", "input", "group", "time"};
  return nouns[static_cast<std::size_t>(kind)];
}

FoldUnits FoldUnits::subset(const std::vector<std::uint32_t>& some) const {
  FoldUnits part(some.size());
  for (std::size_t i = 0; i < some.size() && !strata.empty(); ++i) part.strata.push_back(strata[some[i]]);
  if (are_rows()) return part;
  part.kind = kind;
  for (const std::uint32_t row : some) part.of_row.push_back(of_row[row]);
  // Numbers keep their order, which is that of time where there is one.
  Rows used = part.of_row;
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  for (std::uint32_t& unit : part.of_row) {
    unit = static_cast<std::uint32_t>(std::ranges::lower_bound(used, unit) - used.begin());
  }
  part.count = used.size();
  return part;
}

std::string FoldUnits::digits() const {
  if (are_rows() || kind == Kind::copies) return {};
  base::ContentHash hash;
  hash.add(kind == Kind::times ? "times" : "units");
  hash.add(base::bytes_of(std::span<const std::uint32_t>(of_row)));
  return hash.digits();
}

FoldUnits make_fold_units(const data::RowKeys& keys, std::size_t rows) {
  if (keys.inputs.empty()) return rows;
  if (keys.groups.empty() && keys.times.empty()) return copies_of(keys);
  const FoldUnits groups = keys.groups.empty() ? FoldUnits(rows) : groups_of(keys.groups);
  return keys.times.empty() ? groups : times_of(keys.times, groups);
}

namespace {

std::vector<std::uint32_t> folds_in_time(const std::vector<std::size_t>& sizes, std::size_t rows, std::size_t folds) {
  std::vector<std::uint32_t> fold(sizes.size());
  std::size_t current = 0;
  std::size_t before = 0;
  for (std::size_t unit = 0; unit < sizes.size(); ++unit) {
    // The fold that the middle of the unit's rows falls into, but no fold is left out, at the end either.
    const std::size_t wanted = (2 * before + sizes[unit]) * folds / (2 * rows);
    const std::size_t left = sizes.size() - unit;
    if (unit > 0 && (wanted > current || left <= folds - 1 - current) && current + 1 < folds) ++current;
    fold[unit] = static_cast<std::uint32_t>(current);
    before += sizes[unit];
  }
  return fold;
}

/// A unit belongs to the stratum of its first row.
std::vector<std::uint32_t> strata_of_units(const FoldUnits& units) {
  std::vector<std::uint32_t> strata(units.count, none);
  for (std::size_t row = 0; row < units.rows; ++row) {
    std::uint32_t& stratum = strata[units.unit(row)];
    if (stratum == none) stratum = units.strata[row];
  }
  return strata;
}

/// Units of one stratum come one after the other, in the order that they had.
void sort_by_stratum(const FoldUnits& units, Rows& order) {
  if (units.strata.empty()) return;
  const std::vector<std::uint32_t> strata = strata_of_units(units);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t unit) { return strata[unit]; });
}

/// Takes every k-th unit to the front, such that a first part of `share` of all has that share of each stratum.
void spread(Rows& order, double share) {
  Rows front;
  Rows back;
  double taken = 0.5;
  for (const std::uint32_t unit : order) {
    taken += share;
    (taken >= 1 ? front : back).push_back(unit);
    if (taken >= 1) taken -= 1;
  }
  order = std::move(front);
  order.insert(order.end(), back.begin(), back.end());
}

}  // namespace

std::vector<std::uint32_t> fold_of_units(const FoldUnits& units, std::size_t folds, base::RandomStream& random) {
  const std::vector<std::size_t> sizes = units.sizes();
  if (units.kind == FoldUnits::Kind::times) return folds_in_time(sizes, units.rows, folds);
  Rows order = base::permutation(units.count, random);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::uint32_t unit) { return sizes[unit]; });
  sort_by_stratum(units, order);
  std::vector<std::size_t> rows_in(folds);
  std::vector<std::uint32_t> fold(units.count);
  for (const std::uint32_t unit : order) {
    const auto least = std::ranges::min_element(rows_in);
    fold[unit] = static_cast<std::uint32_t>(least - rows_in.begin());
    *least += sizes[unit];
  }
  return fold;
}

std::vector<std::uint32_t> rows_of_part(const FoldUnits& units, std::size_t least_rows, std::size_t least_units,
                                        base::RandomStream& random) {
  const std::vector<std::size_t> sizes = units.sizes();
  Rows order;
  if (units.kind == FoldUnits::Kind::times) {
    for (std::size_t unit = units.count; unit-- > 0;) order.push_back(static_cast<std::uint32_t>(unit));
  } else {
    order = base::permutation(units.count, random);
    sort_by_stratum(units, order);
    if (!units.strata.empty()) spread(order, static_cast<double>(least_rows) / static_cast<double>(units.rows));
  }
  std::vector<bool> is_taken(units.count);
  std::size_t taken = 0;
  for (std::size_t i = 0; i + 1 < order.size() && (taken < least_rows || i < least_units); ++i) {
    is_taken[order[i]] = true;
    taken += sizes[order[i]];
  }
  Rows rows;
  for (std::uint32_t row = 0; row < units.rows; ++row) {
    if (is_taken[units.unit(row)]) rows.push_back(row);
  }
  return rows;
}

}  // namespace credens::learn

// SPDX-License-Identifier: Apache-2.0

#include "study/uci_data.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/known_data.hpp"
#include "data/scaler.hpp"

namespace credens::study {
namespace {

namespace fs = std::filesystem;
using data::SplitRows;

constexpr double random_test_fraction = 0.2;

fs::path find_file(const fs::path& path) {
  std::error_code none;
  for (const std::string_view ending : data::packed_endings) {
    fs::path file = path;
    file += ending;
    if (fs::exists(file, none)) return file;
  }
  return {};
}

Dataset read_rows(const UciSet& set, const fs::path& file) {
  DatasetOptions options{.targets = {fmt::format("{}", set.inputs)}};
  for (std::size_t col = 0; col < set.inputs; ++col) options.inputs.push_back(fmt::format("{}", col));
  if (set.random_splits == 0) options.format = {.header = false, .delimiter = ' '};
  return Dataset::from_csv(file, options);
}

/// The rows that each line names, all below `rows`.
std::vector<std::vector<std::size_t>> read_index(const fs::path& file, std::size_t rows) {
  std::vector<std::vector<std::size_t>> lines;
  for (const std::string& line : base::split(base::read_file(file), '\n')) {
    if (base::trim(line).empty()) continue;
    std::vector<std::size_t> index;
    for (const std::string& word : base::split(base::trim(line), ' ')) {
      const auto row = base::parse_integer(word);
      base::require(row && *row >= 0 && static_cast<std::size_t>(*row) < rows, ErrorCode::data,
                    "{}:{}: {} is no row, expected a whole number from 0 to {}", file.string(), lines.size() + 1,
                    base::quoted(word), rows - 1);
      index.push_back(static_cast<std::size_t>(*row));
    }
    lines.push_back(std::move(index));
  }
  return lines;
}

void check_once(const SplitRows& split, std::size_t rows, const fs::path& folder, std::size_t number) {
  std::vector<bool> is_used(rows, false);
  for (const std::vector<std::size_t>* part : {&split.rest, &split.test}) {
    for (const std::size_t row : *part) {
      base::require(!is_used[row], ErrorCode::data, "{}: split {} has row {} twice, expected every row once at most",
                    folder.string(), number, row);
      is_used[row] = true;
    }
  }
}

std::vector<SplitRows> read_splits(const fs::path& folder, std::size_t rows) {
  auto train = read_index(folder / "train_index.txt", rows);
  auto test = read_index(folder / "test_index.txt", rows);
  base::require(train.size() == test.size(), ErrorCode::data,
                "{}: {} splits in train_index.txt and {} in test_index.txt, expected as many in both", folder.string(),
                train.size(), test.size());
  std::vector<SplitRows> splits;
  for (std::size_t i = 0; i < train.size(); ++i) {
    splits.push_back({.rest = std::move(train[i]), .test = std::move(test[i])});
    check_once(splits.back(), rows, folder, i);
  }
  return splits;
}

std::vector<SplitRows> random_splits(const UciSet& set, std::size_t rows) {
  std::vector<SplitRows> splits;
  for (std::uint64_t seed = 0; seed < set.random_splits; ++seed) {
    splits.push_back(data::split_rows(rows, {.test_fraction = random_test_fraction, .seed = seed}));
  }
  return splits;
}

std::shared_ptr<const Dataset> with_scaled_targets(const Dataset& rows, const data::Scaler& scaler) {
  return std::make_shared<const Dataset>(
      DatasetParts{.inputs = data::scaled(data::identity_scaler(rows.inputs().cols()), rows.inputs()),
                   .targets = data::scaled(scaler, rows.targets())});
}

}  // namespace

const std::vector<UciSet>& uci_sets() {
  static const std::vector<UciSet> sets = {
      {.name = "yacht", .file = "uci-benchmark/yacht/data.txt", .gap_folder = "uci-gap/yacht", .inputs = 6},
      {.name = "bostonHousing",
       .file = "uci-benchmark/bostonHousing/data.txt",
       .gap_folder = "uci-gap/boston",
       .inputs = 13},
      {.name = "concrete", .file = "uci-benchmark/concrete/data.txt", .gap_folder = "uci-gap/concrete", .inputs = 8},
      {.name = "airfoil", .file = "airfoil/airfoil.csv", .inputs = 5, .random_splits = 5},
      {.name = "power-plant", .file = "uci-benchmark/power-plant/data.txt", .gap_folder = "uci-gap/power", .inputs = 4},
      {.name = "naval",
       .file = "uci-benchmark/naval-propulsion-plant/data.txt",
       .gap_folder = "uci-gap/naval",
       .inputs = 16}};
  return sets;
}

const UciSet& uci_set(std::string_view name) {
  std::vector<std::string> names;
  for (const UciSet& set : uci_sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  base::fail(ErrorCode::usage, "there is no benchmark set {}, expected some of {}{}", base::quoted(name),
             base::join(names, ", "), base::suggestion(name, names));
}

UciRows::UciRows(UciSet set, Dataset data, std::vector<SplitRows> standard, std::vector<SplitRows> gap)
    : set_(std::move(set)), data_(std::move(data)), standard_(std::move(standard)), gap_(std::move(gap)) {}

const std::vector<SplitRows>& UciRows::of(const std::string& series) const {
  return series == gap_series ? gap_ : standard_;
}

Parts UciRows::parts(const std::string& series, std::size_t split) const {
  const SplitRows& rows = of(series).at(split);
  Dataset train = data_.select(rows.rest);
  Dataset test = data_.select(rows.test);
  if (set_.random_splits == 0) {
    return {.train = std::make_shared<const Dataset>(std::move(train)),
            .test = std::make_shared<const Dataset>(std::move(test))};
  }
  const data::Scaler scaler = data::standardising_scaler(train.targets(), {});
  return {.train = with_scaled_targets(train, scaler), .test = with_scaled_targets(test, scaler)};
}

std::shared_ptr<const UciRows> find_uci_rows(const UciSet& set, const fs::path& explicit_folder) {
  for (const fs::path& folder : data::data_folders(explicit_folder)) {
    const fs::path file = find_file(folder / set.file);
    if (file.empty()) continue;
    Dataset rows = read_rows(set, file);
    const std::size_t count = rows.rows();
    std::error_code none;
    const bool has_gap = !set.gap_folder.empty() && fs::is_directory(folder / set.gap_folder, none);
    auto standard = set.random_splits > 0 ? random_splits(set, count) : read_splits(file.parent_path(), count);
    auto gap = has_gap ? read_splits(folder / set.gap_folder, count) : std::vector<SplitRows>();
    return std::make_shared<const UciRows>(set, std::move(rows), std::move(standard), std::move(gap));
  }
  return nullptr;
}

}  // namespace credens::study

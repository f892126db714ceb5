// SPDX-License-Identifier: Apache-2.0

#include "study/real_data.hpp"

#include <algorithm>
#include <utility>

#include "data/scaler.hpp"
#include "data/split.hpp"

namespace credens::study {
namespace {

constexpr double test_fraction = 0.2;

std::shared_ptr<const Dataset> shared(Dataset dataset) {
  return std::make_shared<const Dataset>(std::move(dataset));
}

Matrix without_columns(MatrixView values, const std::vector<std::size_t>& dropped) {
  Matrix kept(values.rows(), values.cols() - dropped.size());
  for (std::size_t row = 0; row < values.rows(); ++row) {
    auto into = kept.row(row).begin();
    for (std::size_t col = 0; col < values.cols(); ++col) {
      if (!std::ranges::binary_search(dropped, col)) *into++ = values(row, col);
    }
  }
  return kept;
}

Matrix copy_of(MatrixView values) {
  return without_columns(values, {});
}

Dataset without_inputs(const Dataset& data, const std::vector<std::size_t>& dropped) {
  return Dataset({.inputs = without_columns(data.inputs(), dropped), .targets = copy_of(data.targets())});
}

}  // namespace

const std::vector<RealData>& table1() {
  static const std::vector<RealData> sets = {{.name = "qsar",
                                              .title = "QSAR aquatic toxicity",
                                              .learning_rate = 1e-3,
                                              .lambda = 1e-2,
                                              .batch = 128,
                                              .epochs = 60,
                                              .repetitions = 20,
                                              .quick_repetitions = 3},
                                             {.name = "yacht",
                                              .title = "Yacht hydrodynamics",
                                              .learning_rate = 1e-3,
                                              .lambda = 1e-3,
                                              .batch = 8,
                                              .epochs = 100,
                                              .repetitions = 20,
                                              .quick_repetitions = 3},
                                             {.name = "blog",
                                              .title = "Blog feedback",
                                              .learning_rate = 1e-5,
                                              .lambda = 1e-5,
                                              .batch = 64,
                                              .epochs = 50,
                                              .repetitions = 5,
                                              .quick_repetitions = 1},
                                             {.name = "year",
                                              .title = "Year prediction MSD",
                                              .learning_rate = 5e-5,
                                              .lambda = 1e-4,
                                              .batch = 128,
                                              .epochs = 40,
                                              .repetitions = 3,
                                              .quick_repetitions = 1}};
  return sets;
}

RealRows::RealRows(RealData set, Dataset train, Dataset test) : set_(std::move(set)) {
  if (test.rows() > 0) {
    const std::vector<std::size_t> constant = data::constant_columns(train.inputs(), {});
    if (!constant.empty()) {
      train = without_inputs(train, constant);
      test = without_inputs(test, constant);
    }
    test_ = shared(std::move(test));
  }
  train_ = shared(std::move(train));
}

std::size_t RealRows::train_rows() const {
  return test_ ? train_->rows() : data::split_rows(train_->rows(), {.test_fraction = test_fraction}).rest.size();
}

std::size_t RealRows::inputs() const {
  return train_->inputs().cols();
}

Parts RealRows::parts(std::uint64_t seed) const {
  if (test_) return {.train = train_, .test = test_};
  auto [train, test] = train_->split({.test_fraction = test_fraction, .seed = seed});
  return {.train = shared(std::move(train)), .test = shared(std::move(test))};
}

std::string RealRows::fingerprint() const {
  return train_->fingerprint() + (test_ ? " " + test_->fingerprint() : "");
}

}  // namespace credens::study

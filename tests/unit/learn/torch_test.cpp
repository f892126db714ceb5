// SPDX-License-Identifier: Apache-2.0
//
// The fast path against a run that PyTorch made of the same networks (tests/reference/record_torch.py).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.hpp"
#include "learn/adam.hpp"
#include "learn/gradient.hpp"
#include "model/names.hpp"
#include "support/edit_network.hpp"
#include "unit/learn/plain_loss.hpp"

namespace credens::learn {
namespace {

using nlohmann::json;

const json& recording() {
  static const json document = json::parse(std::ifstream(CREDENS_TEST_DATA "/reference/torch.json"));
  return document;
}

template <class T>
BasicMatrix<T> matrix(const json& rows) {
  BasicMatrix<T> values(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.cols(); ++j) values(i, j) = rows.at(i).at(j).get<T>();
  }
  return values;
}

model::Mlp network_of(const json& run, std::string_view moment) {
  model::Mlp network({.inputs = run.at("inputs").at(0).size(),
                      .hidden = recording().at("hidden").get<std::vector<std::size_t>>(),
                      .activation = base::parse_enum<Activation>(run.at("activation").get<std::string>()),
                      .outputs = run.at("outputs").get<std::size_t>(),
                      .noise = base::parse_enum<NoiseKind>(run.at("noise").get<std::string>())});
  const json& layers = run.at(std::string(moment));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    network.set_layer(i, matrix<float>(layers.at(i).at("weight")), layers.at(i).at("bias").get<std::vector<float>>());
  }
  return network;
}

TrainingSet rows_of(const json& run) {
  const Dataset data({.inputs = matrix<double>(run.at("inputs")), .targets = matrix<double>(run.at("targets"))});
  return make_training_set(data,
                           {data::identity_scaler(data.inputs().cols()), data::identity_scaler(data.targets().cols())});
}

void expect_near(std::span<const float> values, std::span<const float> expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t j = 0; j < values.size(); ++j) EXPECT_NEAR(values[j], expected[j], 1e-5) << "parameter " << j;
}

class TorchRun : public testing::TestWithParam<std::size_t> {
 protected:
  const json& run_ = recording().at("runs").at(GetParam());
  double lambda_ = recording().at("lambda").get<double>();
  model::Mlp network_ = network_of(run_, "start");
  TrainingSet rows_ = rows_of(run_);
  double decay_ = lambda_ / rows_.weight_total;
  BackwardWeights transposed_{network_};
  GradientPass pass_{network_.shape(), rows_.rows};
  std::vector<std::uint32_t> all_rows_ = [this] {
    std::vector<std::uint32_t> order(rows_.rows);
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }();
};

TEST_P(TorchRun, HasTheSameLoss) {
  const double loss = pass_.run(network_, transposed_, rows_, all_rows_) + 0.5 * decay_ * test::squared_norm(network_);
  EXPECT_NEAR(loss, run_.at("loss").get<double>(), 1e-5);
}

TEST_P(TorchRun, HasTheSameGradients) {
  pass_.run(network_, transposed_, rows_, all_rows_);
  std::vector<float> gradient(pass_.gradient().begin(), pass_.gradient().end());
  for (std::size_t j = 0; j < gradient.size(); ++j)
    gradient[j] += static_cast<float>(decay_) * network_.parameters()[j];
  expect_near(gradient, network_of(run_, "gradient").parameters());
}

TEST_P(TorchRun, HasTheSameParametersAfterTenStepsOfAdam) {
  Adam adam(network_.parameters().size());
  for (std::size_t step = 0; step < recording().at("steps").get<std::size_t>(); ++step) {
    pass_.run(network_, transposed_, rows_, all_rows_);
    adam.step(recording().at("rate").get<double>(), {.hidden = decay_, .head = decay_}, pass_.gradient(), network_,
              transposed_);
  }
  expect_near(network_.parameters(), network_of(run_, "after_ten_steps").parameters());
}

TEST_P(TorchRun, HasThePlainLossAndGradientInDouble) {
  const PlainNetwork network = plain_network(network_);
  const Matrix inputs = matrix<double>(run_.at("inputs"));
  const Matrix targets = matrix<double>(run_.at("targets"));
  const PlainRows rows{.inputs = inputs, .targets = targets};
  EXPECT_NEAR(plain_loss(network, rows, lambda_), run_.at("loss").get<double>(), 1e-13);
  const PlainNetwork gradient = plain_gradient(network, rows, lambda_);
  for (std::size_t layer = 0; layer < gradient.weight.size(); ++layer) {
    const json& expected = run_.at("gradient").at(layer);
    const Matrix weight = matrix<double>(expected.at("weight"));
    for (std::size_t j = 0; j < weight.values().size(); ++j) {
      EXPECT_NEAR(gradient.weight[layer].values()[j], weight.values()[j], 1e-13);
    }
    const auto bias = expected.at("bias").get<std::vector<double>>();
    for (std::size_t j = 0; j < bias.size(); ++j) EXPECT_NEAR(gradient.bias[layer][j], bias[j], 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(AllRuns, TorchRun, testing::Range<std::size_t>(0, 4));

}  // namespace
}  // namespace credens::learn

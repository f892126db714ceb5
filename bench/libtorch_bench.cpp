// SPDX-License-Identifier: Apache-2.0
//
// PyTorch without Python as a contender: one network, index minibatches, Adam.

#include <torch/torch.h>

#include <memory>

#include "request.hpp"

namespace bench {

namespace {

constexpr double learning_rate = 1e-3;
constexpr double variance_floor = 1e-6;

torch::nn::Sequential make_network(std::size_t inputs, const std::vector<std::size_t>& hidden) {
  torch::nn::Sequential network;
  std::size_t width = inputs;
  for (const std::size_t next : hidden) {
    network->push_back(torch::nn::Linear(static_cast<std::int64_t>(width), static_cast<std::int64_t>(next)));
    network->push_back(torch::nn::ReLU());
    width = next;
  }
  network->push_back(torch::nn::Linear(static_cast<std::int64_t>(width), 2));
  return network;
}

torch::Tensor gaussian_nll(const torch::Tensor& head, const torch::Tensor& target) {
  const torch::Tensor variance = torch::softplus(head.select(1, 1)) + variance_floor;
  return ((target - head.select(1, 0)).square() / variance + variance.log()).mean() * 0.5;
}

struct Training {
  torch::Tensor inputs;
  torch::Tensor targets;
  std::int64_t batch;
  std::size_t epochs;
  std::vector<std::size_t> hidden;

  Window run() const;
  torch::Tensor run_epoch(torch::nn::Sequential& network, torch::optim::Adam& adam) const;
};

torch::Tensor Training::run_epoch(torch::nn::Sequential& network, torch::optim::Adam& adam) const {
  const torch::Tensor order = torch::randperm(inputs.size(0));
  torch::Tensor loss;
  for (std::int64_t first = 0; first < order.size(0); first += batch) {
    const torch::Tensor rows = order.slice(0, first, first + batch);
    adam.zero_grad();
    loss = gaussian_nll(network->forward(inputs.index_select(0, rows)), targets.index_select(0, rows));
    loss.backward();
    adam.step();
  }
  return loss;
}

Window Training::run() const {
  torch::nn::Sequential network = make_network(static_cast<std::size_t>(inputs.size(1)), hidden);
  const double decay = 1.0 / static_cast<double>(inputs.size(0));
  torch::optim::Adam adam(network->parameters(), torch::optim::AdamOptions(learning_rate).weight_decay(decay));
  const double seconds = seconds_of([&] {
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) run_epoch(network, adam);
  });
  const torch::NoGradGuard no_gradient;
  const double loss = gaussian_nll(network->forward(inputs), targets).item<double>();
  return {seconds, static_cast<double>(static_cast<std::size_t>(inputs.size(0)) * epochs), loss};
}

Unit prepare(const Request& request) {
  if (request.task != "train") throw std::runtime_error("there is no task " + request.task);
  torch::set_num_threads(static_cast<int>(request.count("threads")));
  Rows rows = read_rows(request);
  const auto width = static_cast<std::int64_t>(rows.inputs);
  const torch::Tensor table =
      torch::from_blob(rows.values.data(), {static_cast<std::int64_t>(rows.rows), width + 1}).clone();
  const auto training = std::make_shared<Training>(Training{.inputs = table.narrow(1, 0, width).contiguous(),
                                                            .targets = table.select(1, width).contiguous(),
                                                            .batch = static_cast<std::int64_t>(request.count("batch")),
                                                            .epochs = request.count("epochs"),
                                                            .hidden = request.list("hidden")});
  return [training] { return training->run(); };
}

}  // namespace

}  // namespace bench

int main() {
  bench::serve(bench::prepare);
}

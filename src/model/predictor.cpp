// SPDX-License-Identifier: Apache-2.0

#include <credens/predictor.hpp>

#include <algorithm>

#include "model/marginal.hpp"
#include "model/member_rows.hpp"

namespace credens {

struct Predictor::Impl {
  Ensemble ensemble;
  model::NetworkPass pass;
  MixtureComponents components;
  std::vector<RowMoments> moments;

  explicit Impl(Ensemble given) : ensemble(std::move(given)), pass(ensemble.state()), moments(ensemble.outputs()) {}
};

namespace {

Ensemble with_networks(Ensemble ensemble) {
  model::require_networks(ensemble.state());
  return ensemble;
}

}  // namespace

Predictor::Predictor(Ensemble ensemble) : impl_(std::make_unique<Impl>(with_networks(std::move(ensemble)))) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

std::span<const RowMoments> Predictor::predict(std::span<const double> inputs, std::span<const double> noise_std) {
  components({inputs.data(), 1, inputs.size()}, {noise_std.data(), noise_std.empty() ? 0U : 1U, noise_std.size()});
  for (std::size_t k = 0; k < impl_->moments.size(); ++k) {
    const model::Moments moments = model::moments_at(impl_->components, 0, k);
    impl_->moments[k] = {moments.mean, moments.aleatoric, moments.epistemic()};
  }
  return impl_->moments;
}

const MixtureComponents& Predictor::components(MatrixView inputs, MatrixView noise_std) {
  const model::EnsembleState& state = impl_->ensemble.state();
  model::require_known_noise(state, inputs.rows(), noise_std);
  model::check_rows(state, inputs, noise_std);
  model::resize_components(state, inputs.rows(), impl_->components);
  for (std::size_t first = 0; first < inputs.rows(); first += model::forward_rows) {
    const std::size_t count = std::min(model::forward_rows, inputs.rows() - first);
    model::write_components(state, impl_->pass, inputs.row_block(first, count),
                            noise_std.empty() ? MatrixView{} : noise_std.row_block(first, count), first,
                            impl_->components);
  }
  return impl_->components;
}

}  // namespace credens

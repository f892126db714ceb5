// SPDX-License-Identifier: Apache-2.0

#include <credens/predictor.hpp>

#include "model/class_predictive.hpp"
#include "model/marginal.hpp"
#include "model/member_source.hpp"

namespace credens {

struct Predictor::Impl {
  Ensemble ensemble;
  model::NetworkReader reader;
  MixtureComponents components;
  std::vector<RowMoments> moments;
  std::vector<double> features;

  explicit Impl(Ensemble given)
      : ensemble(std::move(given)), reader(ensemble.state().members), moments(ensemble.outputs()) {}
};

namespace {

Ensemble with_networks(Ensemble ensemble) {
  model::require_networks(ensemble.state());
  model::check_task(ensemble.state(), false);
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
  impl_->reader.set_rows(state, inputs, noise_std);
  model::write_components(state, impl_->reader, 0, inputs.rows(), impl_->features, impl_->components);
  return impl_->components;
}

}  // namespace credens

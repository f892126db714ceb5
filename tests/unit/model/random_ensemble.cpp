// SPDX-License-Identifier: Apache-2.0

#include "unit/model/random_ensemble.hpp"

#include <algorithm>
#include <cmath>

#include "model/weights.hpp"

namespace credens::model {

namespace {

Matrix random_factor(std::size_t size, base::RandomStream& random) {
  Matrix factor(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) factor(i, j) = (i == j ? 0.5 : 0.0) + 0.3 * random.normal();
  }
  return factor;
}

MlpShape shape_of(const RandomEnsemble& kind, std::size_t member) {
  MlpShape shape{.inputs = kind.inputs,
                 .hidden = kind.hidden,
                 .activation = kind.activation,
                 .outputs = kind.outputs,
                 .noise = kind.noise,
                 .noise_link = kind.noise_link,
                 .frequencies = kind.frequencies};
  if (!shape.hidden.empty()) shape.hidden.back() += member;
  return shape;
}

}  // namespace

base::RandomStream test_stream(std::uint64_t seed) {
  return base::RandomStream({.seed = seed, .purpose = base::Purpose::test});
}

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double low, double high) {
  base::RandomStream random = test_stream(seed);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = random.uniform(low, high);
  return matrix;
}

Mlp random_network(const MlpShape& shape, std::uint64_t seed) {
  base::RandomStream random = test_stream(seed);
  Mlp network(shape);
  for (std::size_t layer = 0; layer < shape.layers(); ++layer) {
    const math::PanelShape panel = shape.layer(layer);
    BasicMatrix<float> weight(panel.out, panel.in);
    std::vector<float> bias(panel.out);
    const double spread = 1.5 / std::sqrt(static_cast<double>(panel.in));
    for (float& value : weight.values()) value = static_cast<float>(spread * random.normal());
    for (float& value : bias) value = static_cast<float>(0.5 * random.normal());
    network.set_layer(layer, weight, bias);
  }
  for (float& value : network.constant_noise()) value = static_cast<float>(random.normal());
  for (float& value : network.frequencies()) value = static_cast<float>(random.normal());
  return network;
}

MemberPosterior random_posterior(PosteriorKind kind, bool random_bias, std::size_t features, std::size_t outputs,
                                 std::uint64_t seed, bool shared_factor) {
  base::RandomStream random = test_stream(seed);
  MemberPosterior posterior{.kind = kind, .random_bias = random_bias};
  const std::size_t size = random_weights(posterior, features);
  posterior.gamma = kind == PosteriorKind::delta ? 0 : random.uniform(0.05, 0.5);
  if (kind == PosteriorKind::diagonal) posterior.variance = random_matrix(outputs, size, seed + 1, 0.05, 0.5);
  if (kind == PosteriorKind::full) {
    for (std::size_t k = 0; k < (shared_factor ? 1 : outputs); ++k) {
      posterior.factor.push_back(random_factor(size, random));
    }
  }
  return posterior;
}

EnsembleState random_state(const RandomEnsemble& kind) {
  EnsembleState state;
  for (std::size_t l = 0; l < kind.members; ++l) {
    const MlpShape shape = shape_of(kind, l);
    const std::uint64_t seed = 1000 * kind.seed + 10 * l;
    state.members.push_back({.index = l,
                             .features = shape.features(),
                             .network = std::make_shared<const Mlp>(random_network(shape, seed)),
                             .posterior = random_posterior(kind.posterior, kind.random_bias, shape.features(),
                                                           kind.outputs, seed + 1, kind.shared_factor)});
  }
  state.total_members = kind.members;
  state.weights = kind.weights.empty() ? uniform_weights(kind.members) : kind.weights;
  for (std::size_t j = 0; j < kind.inputs; ++j) {
    state.encoder.scaler.shift.push_back(0.25 * static_cast<double>(j));
    state.encoder.scaler.scale.push_back(1.5 + static_cast<double>(j));
    state.schema.inputs.push_back({.name = "", .position = j});
    if (!kind.bent) continue;
    state.encoder.scaler.centre.push_back(0.5 * static_cast<double>(j));
    state.encoder.scaler.width.push_back(0.25 * static_cast<double>(j));
  }
  for (std::size_t k = 0; k < kind.outputs; ++k) {
    state.target_scaler.shift.push_back(7.0 - 3.0 * static_cast<double>(k));
    state.target_scaler.scale.push_back(0.7 + 1.9 * static_cast<double>(k));
    state.schema.targets.push_back({.name = "y" + std::to_string(k)});
  }
  state.schema.table_columns = kind.inputs;
  state.schema.has_noise = kind.noise == NoiseKind::known;
  state.posterior = kind.posterior;
  check(state);
  return state;
}

Ensemble ensemble_of(EnsembleState state) {
  return Ensemble(std::make_shared<const EnsembleState>(std::move(state)));
}

Ensemble random_ensemble(const RandomEnsemble& kind) {
  return ensemble_of(random_state(kind));
}

Ensemble without_networks(const Ensemble& ensemble) {
  EnsembleState state = ensemble.state();
  for (Member& member : state.members) member.network.reset();
  state.encoder.scaler = {};
  state.schema = {.targets = state.schema.targets};
  check(state);
  return ensemble_of(std::move(state));
}

Matrix covariance_of(const MemberPosterior& posterior, std::size_t features, std::size_t output) {
  const std::size_t size = random_weights(posterior, features);
  Matrix covariance(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    if (posterior.kind == PosteriorKind::isotropic) covariance(i, i) = posterior.gamma;
    if (posterior.kind == PosteriorKind::diagonal) covariance(i, i) = posterior.variance(output, i);
    if (posterior.kind != PosteriorKind::full) continue;
    const Matrix& factor = posterior.factor_of(output);
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t r = 0; r < size; ++r) covariance(i, j) += factor(i, r) * factor(j, r);
    }
  }
  return covariance;
}

std::vector<double> extended(const MemberPosterior& posterior, std::span<const double> phi) {
  std::vector<double> result(phi.begin(), phi.end());
  if (posterior.random_bias) result.push_back(1);
  return result;
}

double quadratic_form(const Matrix& matrix, std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) sum += a[i] * matrix(i, j) * b[j];
  }
  return sum;
}

Matrix rows_of(MatrixView matrix, const std::vector<std::size_t>& rows) {
  Matrix result(rows.size(), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(matrix.row(rows[i]), result.row(i).begin());
  return result;
}

}  // namespace credens::model

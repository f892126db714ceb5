// SPDX-License-Identifier: Apache-2.0
//
// Small ensembles of every kind with random parameters, and the plain matrices their posteriors stand for.

#pragma once

#include <credens/ensemble.hpp>

#include <vector>

#include "base/random.hpp"
#include "model/ensemble_state.hpp"

namespace credens::model {

struct RandomEnsemble {
  std::size_t members = 3;
  std::size_t inputs = 3;
  std::vector<std::size_t> hidden = {7, 5};  ///< member l has l more units in its last hidden layer
  Activation activation = Activation::tanh;
  std::size_t outputs = 2;
  NoiseKind noise = NoiseKind::per_output;
  NoiseLink noise_link = NoiseLink::softplus;
  PosteriorKind posterior = PosteriorKind::isotropic;
  bool random_bias = false;
  bool shared_factor = false;
  std::vector<double> weights = {};  ///< empty: uniform
  std::uint64_t seed = 1;
  std::size_t frequencies = 0;
  bool bent = false;  ///< all inputs but the first
};

base::RandomStream test_stream(std::uint64_t seed);
Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double low = -2, double high = 2);
Mlp random_network(const MlpShape& shape, std::uint64_t seed);
MemberPosterior random_posterior(PosteriorKind kind, bool random_bias, std::size_t features, std::size_t outputs,
                                 std::uint64_t seed, bool shared_factor = false);

/// A state that check() accepts.
EnsembleState random_state(const RandomEnsemble& kind);
Ensemble ensemble_of(EnsembleState state);
Ensemble random_ensemble(const RandomEnsemble& kind);

/// The members of an ensemble, known from arrays only.
Ensemble without_networks(const Ensemble& ensemble);

/// Sigma_k [P x P] in full.
Matrix covariance_of(const MemberPosterior& posterior, std::size_t features, std::size_t output);

/// phi with the constant 1 where the bias is random.
std::vector<double> extended(const MemberPosterior& posterior, std::span<const double> phi);

/// a^T M b.
double quadratic_form(const Matrix& matrix, std::span<const double> a, std::span<const double> b);

Matrix rows_of(MatrixView matrix, const std::vector<std::size_t>& rows);

}  // namespace credens::model

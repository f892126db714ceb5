// SPDX-License-Identifier: Apache-2.0
//
// The predictive distribution at N rows: for each row and output a mixture of L Gaussians, in the units of the data.

#pragma once

#include <credens/matrix.hpp>

#include <span>
#include <string>
#include <vector>

namespace credens {

enum class IntervalKind {
  gaussian,  ///< mean +- z std (the paper's)
  mixture,   ///< central quantiles of the exact mixture
};

struct Interval {
  Matrix lower;  ///< [N x q]
  Matrix upper;  ///< [N x q]
};

/// Mean and variances of the mixtures, each [N x q].
struct PredictiveMoments {
  Matrix mean;
  Matrix aleatoric_variance;  ///< noise
  Matrix epistemic_variance;  ///< ignorance, between members and within them
  Matrix total_variance;      ///< their sum, and that of uncertain inputs
  Matrix input_variance;      ///< uncertain inputs; 0 where they are exact

  Interval interval(double level) const;           ///< Gaussian, for an observation
  Interval function_interval(double level) const;  ///< Gaussian, for the regression function: epistemic and inputs
  Interval coverage_factor_interval(double factor) const;           ///< mean +- factor total std
  Interval function_coverage_factor_interval(double factor) const;  ///< without noise
};

/// The part of c uncertain inputs in the mixtures.
struct InputSpread {
  std::vector<std::string> names = {};  ///< c; empty: all inputs are exact
  std::size_t draws = 1;  ///< of the inputs: M components in the place of each member, draw after draw of all members
  std::vector<double> slope_variance = {};  ///< N L q: first order, of a member's mean; empty for draws
  std::vector<double> covariance = {};      ///< N q q: of the mixture's mean, between outputs
  std::vector<double> std = {};             ///< N q c: of the mixture's mean where one input alone is uncertain
};

/// The components of the mixtures. Value (row i, member l, output k) lies at (i L + l) q + k.
struct MixtureComponents {
  std::size_t rows = 0;
  std::size_t outputs = 0;
  std::vector<double> weights = {};             ///< L, sum 1
  std::vector<double> mean = {};                ///< N L q
  std::vector<double> aleatoric_variance = {};  ///< N L q: noise
  std::vector<double> epistemic_variance = {};  ///< N L q: width of the member's own posterior; 0 for `delta`
  InputSpread inputs = {};
};

/// Given its member, outputs are independent; between members they are not, hence the q x q covariances.
class Predictive {
 public:
  Predictive() = default;
  explicit Predictive(MixtureComponents components);

  std::size_t rows() const { return components_.rows; }
  std::size_t outputs() const { return components_.outputs; }
  std::size_t members() const { return components_.weights.size() / components_.inputs.draws; }
  const MixtureComponents& components() const { return components_; }

  /// All moments in one pass over the components; each of the four matrices below takes a pass of its own.
  PredictiveMoments moments() const;
  Matrix mean() const { return moments().mean; }
  Matrix aleatoric_variance() const { return moments().aleatoric_variance; }
  Matrix epistemic_variance() const { return moments().epistemic_variance; }
  Matrix total_variance() const { return moments().total_variance; }
  Matrix input_variance() const { return moments().input_variance; }
  Matrix input_std(std::size_t input) const;           ///< [N x q], where uncertain input `input` alone is so
  Matrix aleatoric_covariance(std::size_t row) const;  ///< [q x q]
  Matrix epistemic_covariance(std::size_t row) const;  ///< [q x q]
  Matrix input_covariance(std::size_t row) const;      ///< [q x q]
  Matrix total_covariance(std::size_t row) const;      ///< [q x q]

  /// The interval that holds a new observation with probability `level` in (0, 1).
  Interval interval(double level, IntervalKind kind = IntervalKind::gaussian) const;
  /// The interval that holds the regression function with probability `level`: without noise.
  Interval function_interval(double level, IntervalKind kind = IntervalKind::gaussian) const;
  /// As those of moments().
  Interval coverage_factor_interval(double factor) const { return moments().coverage_factor_interval(factor); }
  Interval function_coverage_factor_interval(double factor) const {
    return moments().function_coverage_factor_interval(factor);
  }

  Matrix quantile(double probability) const;                 ///< [N x q], exact, of the marginal mixtures
  Matrix function_quantile(double probability) const;        ///< [N x q], of the regression function
  Matrix cdf(MatrixView values) const;                       ///< [N x q], of the marginal mixtures
  Matrix function_cdf(MatrixView values) const;              ///< [N x q], of the regression function
  Matrix density(MatrixView values) const;                   ///< [N x q], of the marginal mixtures
  std::vector<double> log_density(MatrixView values) const;  ///< [N], joint over the outputs

  /// The classical deep ensemble: the same mixture with the members' own width taken away.
  Predictive classical() const;

 private:
  MixtureComponents components_;
};

}  // namespace credens

// SPDX-License-Identifier: Apache-2.0
//
// Calibration of classes by the log loss of held-out rows: one temperature and one weight per configuration, and the
// rung of the posterior.
//
// Letters: C classes, s their shares of the training rows, T temperature of a configuration, z logits, e their variance
// by the posterior, u row weight. Member l says E softmax(log s + (z - log s) / T + sqrt(e) xi) of a row, xi standard
// normal: with a high temperature the shares, not one and the same for every class. A held-out pair is a member and a
// row that was held out of it.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/held_out.hpp"
#include "learn/widen.hpp"

namespace credens::learn {

struct ClassCalibration {
  PosteriorKind posterior = PosteriorKind::full;
  std::string reason = {};                    ///< for the posterior
  std::vector<double> temperature = {};       ///< by configuration
  std::vector<double> centre = {};            ///< log shares of the classes
  std::vector<double> configuration_weights;  ///< sum 1
  std::size_t rows = 0;                       ///< held-out rows that were looked at
  double log_loss_before = 0;                 ///< of all members with equal weights and T = 1, nats per row
  double log_loss_after = 0;                  ///< before the correction for the number of members of new rows
};

/// `sums` are those of the members over all rows. Where options.posterior is given it is taken; else it is `full`, or
/// what candidate_rungs allow, unless a lower rung is better by more than two standard errors of the difference.
ClassCalibration calibrate_classes(const JudgingRows& rows, const FitOptions& options,
                                   std::span<const model::Member> members, std::span<const MemberSums> sums);

/// The network with logits centre + (z - centre) / T, which goes into its last layer.
model::Mlp with_temperature(const model::Mlp& network, double temperature, std::span<const double> centre);

}  // namespace credens::learn

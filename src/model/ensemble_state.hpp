// SPDX-License-Identifier: Apache-2.0
//
// The content of an Ensemble. Immutable once an Ensemble owns it.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/network.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "data/encoder.hpp"
#include "data/scaler.hpp"
#include "data/schema.hpp"
#include "model/mlp.hpp"
#include "model/posterior.hpp"

namespace credens::model {

/// Bounds of a target's scale: squares of scaled values in data units then neither overflow nor vanish.
constexpr double least_target_scale = 1e-140;
constexpr double largest_target_scale = 1e140;
constexpr bool is_target_scale(double scale) {
  return scale >= least_target_scale && scale <= largest_target_scale;
}

struct Member {
  std::size_t index = 0;               ///< 0-based, within the whole ensemble
  std::size_t features = 0;            ///< p
  std::shared_ptr<const Mlp> network;  ///< shared by copies; null for a member made from arrays
  MemberPosterior posterior;
};

/// The rows an ensemble was trained or widened on.
struct DataSummary {
  std::size_t rows = 0;
  std::string fingerprint;  ///< 32 hexadecimal digits; empty for arrays
  bool operator==(const DataSummary&) const = default;
};

/// A decision of the recipe, and its reason.
struct Decision {
  std::string name;
  std::string value;
  std::string reason;
  bool operator==(const Decision&) const = default;
};

struct EnsembleState {
  std::vector<Member> members;    ///< ascending index
  std::size_t total_members = 0;  ///< of the whole ensemble; more than members.size() in a part
  std::vector<double> weights;    ///< of `members`, sum 1

  data::Encoder encoder;  ///< no inputs without networks
  data::Scaler target_scaler;
  data::Schema schema;  ///< of the training table, but for its weights; no inputs without networks

  PosteriorKind posterior = PosteriorKind::delta;
  double prior_precision = 1;  ///< lambda of the posterior
  base::OptionValues options;  ///< that made the ensemble, in table order; empty for arrays
  std::vector<Decision> decisions = {};
  std::optional<Expectation> expected = {};               ///< none: no rows were held out, or it is another model since
  std::optional<ClassExpectation> expected_classes = {};  ///< the same of a classification
  std::optional<Promise> promise = {};  ///< none before `calibrate`, or it is another model since
  std::uint64_t seed = 0;
  DataSummary data;
  std::vector<std::uint64_t> row_hashes = {};  ///< of training rows, by which they are recognised (data/row_sketch.hpp)
  std::string version = {};                    ///< of the Credens that wrote the file it was read from; empty: none did

  bool has_networks() const { return !members.empty() && members.front().network != nullptr; }
};

/// Text of a stored option, or nothing.
std::optional<std::string> stored_option(const EnsembleState& state, std::string_view name);

/// Throws usage unless shapes agree and all values are usable; called by whoever makes a state (store, learn).
void check(const EnsembleState& state);

/// Throws usage unless the promise, if there is one, fits the ensemble and can be used; part of `check`.
void check_promise(const EnsembleState& state);

/// The part of it that widening may change.
void check_posteriors(const EnsembleState& state);

}  // namespace credens::model

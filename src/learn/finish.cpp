// SPDX-License-Identifier: Apache-2.0

#include "learn/finish.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "base/check.hpp"
#include "learn/calibration.hpp"
#include "learn/names.hpp"
#include "learn/preparation.hpp"
#include "learn/recipe.hpp"
#include "learn/rounding.hpp"
#include "learn/rung.hpp"
#include "learn/train_members.hpp"

namespace credens::learn {

namespace {

constexpr std::size_t enough_rows = 2500;  ///< to find a dozen numbers by

/// Where the raw noise may be after a map: where it was at rows of training, but not above all errors.
std::vector<model::NoiseRange> mapped_ranges(const std::vector<model::NoiseRange>& seen,
                                             const std::vector<NoiseMap>& maps, double largest) {
  std::vector<model::NoiseRange> ranges;
  for (std::size_t u = 0; u < seen.size(); ++u) {
    const auto mapped = [&](float end) {
      return static_cast<float>(std::min(maps[u].at(static_cast<double>(end)), largest));
    };
    ranges.push_back({mapped(seen[u].low), mapped(seen[u].high)});
  }
  return ranges;
}

/// The noise head's raw values are log s^2, so the map goes into its weights and biases.
model::Mlp with_noise(const model::Mlp& network, const std::vector<NoiseMap>& maps) {
  model::Mlp mapped = network;
  const model::MlpShape& shape = network.shape();
  const auto map_of = [&](std::size_t unit) { return maps[std::min(unit, maps.size() - 1)]; };
  const auto constant = mapped.constant_noise();
  for (std::size_t k = 0; k < constant.size(); ++k) {
    constant[k] = static_cast<float>(map_of(k).shift + map_of(k).slope * static_cast<double>(constant[k]));
  }
  const std::size_t head = shape.layers() - 1;
  BasicMatrix<float> weight = mapped.weight(head);
  std::vector<float> bias = mapped.bias(head);
  for (std::size_t u = 0; u < shape.noise_units(); ++u) {
    const std::size_t row = shape.outputs + u;
    for (float& value : weight.row(row)) value = static_cast<float>(map_of(u).slope * static_cast<double>(value));
    bias[row] = static_cast<float>(map_of(u).shift + map_of(u).slope * static_cast<double>(bias[row]));
  }
  mapped.set_layer(head, weight, bias);
  return mapped;
}

/// The first members of each kind are the wide ones.
void map_noise(std::vector<model::Member>& members, const HeldOut& held_out, const Calibration& found) {
  const std::size_t kinds = found.noise.size();
  const double siblings = static_cast<double>(members.size()) / static_cast<double>(kinds);
  const auto wide = static_cast<std::size_t>(std::round(found.tails.share * std::floor(siblings)));
  for (std::size_t l = 0; l < members.size(); ++l) {
    model::Member& member = members[l];
    std::vector<NoiseMap> maps = found.noise[member.index % kinds];
    if (maps.empty()) continue;
    if (member.index / kinds < wide) {
      for (NoiseMap& map : maps) map.shift += found.tails.shift;
    }
    model::Mlp network = with_noise(*member.network, maps);
    network.set_noise_ranges(mapped_ranges(held_out.members[l].seen, maps, found.largest_noise));
    member.network = std::make_shared<const model::Mlp>(std::move(network));
  }
}

/// Of each member: its kind's share.
std::vector<double> member_weights(const std::vector<model::Member>& members, const std::vector<double>& kind_weights) {
  std::vector<double> siblings(kind_weights.size());
  for (const model::Member& member : members) siblings[member.index % siblings.size()] += 1;
  std::vector<double> weights;
  for (const model::Member& member : members) {
    const std::size_t kind = member.index % siblings.size();
    weights.push_back(kind_weights[kind] / siblings[kind]);
  }
  return weights;
}

/// A kind that has less than this share, or less than half of an equal one, says nothing that would pay for its time.
constexpr double most_negligible_share = 0.02;
double negligible_share(std::size_t kinds) {
  return std::min(most_negligible_share, 0.5 / static_cast<double>(kinds));
}

void drop_negligible(std::vector<model::Member>& members, std::vector<double>& weights,
                     const std::vector<double>& kind_weights) {
  std::vector<model::Member> kept;
  std::vector<double> kept_weights;
  for (std::size_t l = 0; l < members.size(); ++l) {
    const std::size_t kinds = kind_weights.size();
    if (kind_weights[members[l].index % kinds] < negligible_share(kinds)) continue;
    kept.push_back(std::move(members[l]));
    kept.back().index = kept.size() - 1;
    kept_weights.push_back(weights[l]);
  }
  const double total = std::accumulate(kept_weights.begin(), kept_weights.end(), 0.0);
  for (double& weight : kept_weights) weight /= total;
  members = std::move(kept);
  weights = std::move(kept_weights);
}

std::string percents(const std::vector<double>& shares) {
  std::vector<std::string> words;
  for (const double share : shares) words.push_back(fmt::format("{:.0f} %", 100 * share));
  return base::join(words, ", ");
}

/// For each kind, and within it for each noise unit.
std::string map_text(const std::vector<std::vector<NoiseMap>>& of_kinds) {
  std::vector<std::string> kinds;
  for (const std::vector<NoiseMap>& maps : of_kinds) {
    std::vector<std::string> words;
    for (const NoiseMap& map : maps) words.push_back(fmt::format("{:.3f} + {:.3f} log s^2", map.shift, map.slope));
    kinds.push_back(base::join(words, ", "));
  }
  return base::join(kinds, "; ");
}

void note(std::vector<model::Decision>& decisions, const FitOptions& options, const Calibration& found,
          const HeldOut& rows) {
  const std::string source = fmt::format("{} rows that members did not see: NLL {:.3f} before, {:.3f} after",
                                         rows.rows(), found.nll_before, found.nll_after);
  if (options.recalibrate) {
    decisions.push_back({"noise_map", map_text(found.noise), source});
    decisions.push_back({"wide_members", percents({found.tails.share}),
                         found.tails.share > 0
                             ? fmt::format("errors have tails: their log s^2 is larger by {:.3f}", found.tails.shift)
                             : "errors have no tails that would be worth it"});
  }
  if (options.weigh_members) {
    decisions.push_back({"kind_weights", percents(found.kind_weights),
                         fmt::format("density and mean error at the same rows; kinds below {:.0f} % are left out",
                                     100 * negligible_share(found.kind_weights.size()))});
  }
}

/// Steps in the units of the data.
void note_rounding(std::vector<model::Decision>& decisions, const TrainingRows& train,
                   const std::vector<std::optional<double>>& steps) {
  const std::vector<std::string> labels = data::target_labels(train.layout());
  const data::Scaler targets = train.summary().targets.scaler(labels);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!steps[k]) continue;
    decisions.push_back(
        {"rounding", fmt::format("{:.6g}", *steps[k] * targets.scale[k]),
         fmt::format("{} takes few values: rows held out are judged as if it were not rounded", labels[k])});
  }
}

/// All rows where a window holds them, otherwise some.
class RowsHeldOut {
 public:
  RowsHeldOut(const TrainingRows& train, const FitOptions& options, std::span<const model::Member> members) {
    if (train.windows().is_one()) {
      all_ = prepare(train, options).train;
    } else {
      some_ = judging_rows(train, options, members, enough_rows);
    }
  }

  HeldOut look(const FitOptions& options, std::span<const model::Member> members) const {
    return all_ ? look_at_held_out(*all_, options, members, enough_rows)
                : look_at_held_out(*some_, options, members, enough_rows);
  }
  RungChoice choose_rung(const TrainingRows& train, const FitOptions& options, const TrainedMembers& trained) const {
    return all_ ? learn::choose_rung(*all_, train, options, trained)
                : learn::choose_rung(*some_, train, options, trained);
  }

 private:
  std::optional<TrainingSet> all_;
  std::optional<JudgingRows> some_;
};

bool needs_rows_to_finish(const FitOptions& planned) {
  return planned.recalibrate || planned.weigh_members || !planned.posterior.is_given();
}

}  // namespace

bool is_unfinished_part(std::size_t members, std::size_t all, const FitOptions& planned) {
  return members < all && needs_rows_to_finish(planned);
}

Ensemble finish(const TrainingRows& train, const Plan& plan, std::vector<model::Member> members) {
  FitOptions options = plan.options;
  std::vector<model::Decision> decisions = plan.decisions;
  std::vector<double> weights(members.size(), 1 / static_cast<double>(members.size()));
  if (!needs_rows_to_finish(options)) {
    return assemble(train, options, {std::move(members), std::move(weights), std::move(decisions)});
  }

  options.on_warning = nullptr;  // all was said before training
  const RowsHeldOut rows(train, options, members);
  HeldOut held_out = rows.look(options, members);
  note_rounding(decisions, train, undo_rounding(held_out, options.seed));
  const Calibration found = calibrate(held_out, {.recalibrate = options.recalibrate,
                                                 .correct_size = options.correct_size,
                                                 .weigh_members = options.weigh_members,
                                                 .prior_precision = options.prior_precision,
                                                 .seed = options.seed});
  note(decisions, options, found, held_out);
  if (options.noise_link == NoiseLink::exp) map_noise(members, held_out, found);
  weights = member_weights(members, found.kind_weights);
  if (!options.posterior.is_given()) {
    const RungChoice rung = rows.choose_rung(train, options, {members, weights, decisions});
    options.posterior = rung.posterior;
    decisions.push_back({"posterior", std::string(base::name_of(rung.posterior)), rung.reason});
  }
  drop_negligible(members, weights, found.kind_weights);
  return assemble(train, options, {std::move(members), std::move(weights), std::move(decisions), true});
}

}  // namespace credens::learn

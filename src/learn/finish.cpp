// SPDX-License-Identifier: Apache-2.0

#include "learn/finish.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "base/check.hpp"
#include "learn/calibration.hpp"
#include "learn/class_calibration.hpp"
#include "learn/recipe.hpp"
#include "learn/rung.hpp"

namespace credens::learn {

namespace {

constexpr std::size_t enough_rows = 2500;  ///< to find a dozen numbers by

/// The range of the raw noise after a map: where it was at rows of training, but not above all errors.
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

/// The first members of each configuration are the wide ones. Held-out rows need the twins where few members predict
/// them: those may be all wide, or all narrow.
void map_noise(Finished& finished, const HeldOut& held_out, const Calibration& found) {
  const std::size_t configurations = found.noise.size();
  const double replicates = static_cast<double>(finished.members.size()) / static_cast<double>(configurations);
  const auto wide = static_cast<std::size_t>(std::round(found.tails.share * std::floor(replicates)));
  const bool needs_twins = wide > 0 && *finished.options.folds > 1;
  for (std::size_t l = 0; l < finished.members.size(); ++l) {
    model::Member& member = finished.members[l];
    const std::vector<NoiseMap>& maps = found.noise[member.index % configurations];
    if (maps.empty()) continue;
    const auto network_with = [&](double shift) {
      std::vector<NoiseMap> shifted = maps;
      for (NoiseMap& map : shifted) map.shift += shift;
      model::Mlp network = with_noise(*member.network, shifted);
      network.set_noise_ranges(mapped_ranges(held_out.members[l].seen, shifted, found.largest_noise));
      return std::make_shared<const model::Mlp>(std::move(network));
    };
    const bool is_wide = member.index / configurations < wide;
    const double shift = found.tails.shift;
    auto network = network_with(is_wide ? shift : 0);
    if (needs_twins) finished.twins.push_back({network_with(is_wide ? 0 : shift), is_wide ? -shift : shift});
    member.network = std::move(network);
  }
}

/// Shares the weight of each configuration equally among its replicates.
std::vector<double> member_weights(const std::vector<model::Member>& members,
                                   const std::vector<double>& configuration_weights) {
  std::vector<double> replicates(configuration_weights.size());
  for (const model::Member& member : members) replicates[member.index % replicates.size()] += 1;
  std::vector<double> weights;
  for (const model::Member& member : members) {
    const std::size_t configuration = member.index % replicates.size();
    weights.push_back(configuration_weights[configuration] / replicates[configuration]);
  }
  return weights;
}

/// A configuration that has less than this share, or less than half of an equal one, says nothing that would pay for
/// its time.
constexpr double most_negligible_share = 0.02;
double negligible_share(std::size_t configurations) {
  return std::min(most_negligible_share, 0.5 / static_cast<double>(configurations));
}

/// Members of configurations with a negligible share go, and the weights of the others are scaled to the sum 1.
void drop_negligible(Finished& finished, const std::vector<double>& configuration_weights) {
  const std::size_t configurations = configuration_weights.size();
  Finished kept;
  std::vector<std::vector<bool>> kept_flags;
  for (std::size_t l = 0; l < finished.members.size(); ++l) {
    model::Member& member = finished.members[l];
    if (configuration_weights[member.index % configurations] < negligible_share(configurations)) continue;
    member.index = kept.members.size();
    kept.members.push_back(std::move(member));
    kept.weights.push_back(finished.weights[l]);
    if (!finished.sums.empty()) kept.sums.push_back(std::move(finished.sums[l]));
    if (!finished.twins.empty()) kept.twins.push_back(std::move(finished.twins[l]));
    kept_flags.push_back(std::move(finished.judging->held[l]));
  }
  const double total = std::accumulate(kept.weights.begin(), kept.weights.end(), 0.0);
  for (double& weight : kept.weights) weight /= total;
  finished.members = std::move(kept.members);
  finished.weights = std::move(kept.weights);
  finished.sums = std::move(kept.sums);
  finished.twins = std::move(kept.twins);
  finished.judging->held = std::move(kept_flags);
}

std::string percents(const std::vector<double>& shares) {
  std::vector<std::string> words;
  for (const double share : shares) words.push_back(fmt::format("{:.0f} %", 100 * share));
  return base::join(words, ", ");
}

/// The settings of a configuration, those that all share but for the layers left out.
std::string settings_text(const FitOptions& options, std::size_t configuration) {
  const MemberSettings settings = member_settings(options, configuration);
  const std::string widths = base::to_text(base::FieldText<std::vector<std::size_t>>::value(settings.hidden));
  std::vector<std::string> words{"hidden " + (widths.empty() ? "none" : widths),
                                 std::string(base::name_of(settings.activation))};
  const auto add = [&](const char* name, const std::vector<double>& of_all, double value) {
    if (of_all.size() > 1) words.push_back(fmt::format("{} {:.3g}", name, value));
  };
  add("embedding", *options.embedding, settings.bandwidth);
  add("learning rate", *options.learning_rate, settings.learning_rate);
  add("loss beta", *options.loss_beta, settings.loss_beta);
  add("lambda of hidden layers", *options.hidden_precision, settings.hidden_precision);
  return base::join(words, ", ");
}

/// One decision for each configuration: its weight, and which members have it.
void note_configurations(Finished& finished) {
  if (finished.decisions.empty()) return;  // the recipe decided nothing
  const std::size_t configurations = configuration_count(finished.options);
  std::vector<double> weights(configurations);
  std::vector<std::size_t> replicates(configurations);
  for (std::size_t l = 0; l < finished.members.size(); ++l) {
    weights[finished.members[l].index % configurations] += finished.weights[l];
    ++replicates[finished.members[l].index % configurations];
  }
  for (std::size_t configuration = 0; configuration < configurations; ++configuration) {
    if (replicates[configuration] == 0) continue;
    const bool is_dropped = weights[configuration] < negligible_share(configurations);
    finished.decisions.push_back(
        {"configuration", percents({weights[configuration]}),
         fmt::format("{} members{}: {}", replicates[configuration], is_dropped ? ", dropped" : "",
                     settings_text(finished.options, configuration))});
  }
}

/// For each configuration, and within it for each noise unit.
std::string map_text(const std::vector<std::vector<NoiseMap>>& of_configurations) {
  std::vector<std::string> configurations;
  for (const std::vector<NoiseMap>& maps : of_configurations) {
    std::vector<std::string> words;
    for (const NoiseMap& map : maps) words.push_back(fmt::format("{:.3f} + {:.3f} log s^2", map.shift, map.slope));
    configurations.push_back(base::join(words, ", "));
  }
  return base::join(configurations, "; ");
}

void note(std::vector<model::Decision>& decisions, const FitOptions& options, const Calibration& found,
          const HeldOut& rows) {
  const std::string source = fmt::format("{} held-out rows: NLL {:.3f} before, {:.3f} after, nats per row", rows.rows(),
                                         found.nll_before, found.nll_after);
  if (options.recalibrate) {
    decisions.push_back({"noise_map", map_text(found.noise), source});
    decisions.push_back(
        {"tail_components", percents({found.tails.share}),
         found.tails.share > 0
             ? fmt::format("errors have heavy tails: log s^2 of these members is larger by {:.3f}", found.tails.shift)
             : "errors have no heavy tails"});
  }
  if (options.weigh_members) {
    decisions.push_back(
        {"configuration_weights", percents(found.configuration_weights),
         fmt::format("density and mean error at the same rows; configurations below {:.0f} % are dropped",
                     100 * negligible_share(found.configuration_weights.size()))});
  }
}

/// Steps in the units of the data.
void note_rounding(std::vector<model::Decision>& decisions, const TrainingRows& train,
                   const std::vector<std::optional<double>>& steps) {
  const std::vector<std::string> labels = data::labels_of(train.table().schema().targets);
  const data::Scaler& targets = train.scaling().targets;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!steps[k]) continue;
    decisions.push_back(
        {"rounding", fmt::format("{:.6g}", *steps[k] * targets.scale[k]),
         fmt::format("{} takes few values: held-out rows are compared as if it were not rounded", labels[k])});
  }
}

void note(std::vector<model::Decision>& decisions, const FitOptions& options, const ClassCalibration& found) {
  const std::string source = fmt::format("{} held-out rows: log loss {:.3f} before, {:.3f} after, nats per row",
                                         found.rows, found.log_loss_before, found.log_loss_after);
  if (options.recalibrate) {
    std::vector<std::string> words;
    for (const double temperature : found.temperature) words.push_back(fmt::format("{:.2f}", temperature));
    decisions.push_back({"temperature", base::join(words, ", "), source});
  }
  if (options.weigh_members) {
    decisions.push_back({"configuration_weights", percents(found.configuration_weights),
                         fmt::format("log loss of the same rows; configurations below {:.0f} % are dropped",
                                     100 * negligible_share(found.configuration_weights.size()))});
  }
}

bool needs_rows_to_finish(const FitOptions& planned) {
  return planned.recalibrate || planned.weigh_members || !planned.posterior.is_given();
}

/// Noise and member weights, by the held-out rows.
Calibration calibrate_members(const TrainingRows& train, const JudgingRows& judging, const FitOptions& options,
                              Finished& finished) {
  HeldOut held_out = look_at_held_out(judging, options, finished.members, enough_rows);
  note_rounding(finished.decisions, train, undo_rounding(held_out, options.seed));
  Calibration found = calibrate(held_out, options);
  note(finished.decisions, options, found, held_out);
  if (options.noise_link == NoiseLink::exp) map_noise(finished, held_out, found);
  finished.weights = member_weights(finished.members, found.configuration_weights);
  return found;
}

/// Temperatures, member weights and the rung, by the held-out rows. Sums made before the temperatures went into the
/// last layers have another likelihood, so they are not kept.
std::vector<double> calibrate_class_members(const TrainingRows& train, const JudgingRows& judging, Finished& finished,
                                            base::Team& team) {
  FitOptions& options = finished.options;
  const PosteriorKind highest = options.posterior.is_given()
                                    ? *options.posterior
                                    : candidate_rungs(finished.members, options.prior_precision).back();
  const std::vector<MemberSums> sums = sum_rows(train, finished.members, options, highest, team);
  const ClassCalibration found = calibrate_classes(judging, options, finished.members, sums);
  note(finished.decisions, options, found);
  if (!options.posterior.is_given()) {
    finished.decisions.push_back({"posterior", std::string(base::name_of(found.posterior)), found.reason});
    options.posterior = found.posterior;
  }
  for (model::Member& member : finished.members) {
    const double temperature = found.temperature[member.index % found.temperature.size()];
    member.network = std::make_shared<const model::Mlp>(with_temperature(*member.network, temperature, found.centre));
  }
  finished.weights = member_weights(finished.members, found.configuration_weights);
  return found.configuration_weights;
}

/// The weights of the configurations.
std::vector<double> calibrate_and_choose(const TrainingRows& train, const JudgingRows& judging, Finished& finished,
                                         base::Team& team) {
  FitOptions& options = finished.options;
  if (train.train().task == Task::classification) return calibrate_class_members(train, judging, finished, team);
  const Calibration found = calibrate_members(train, judging, options, finished);
  if (options.posterior.is_given()) return found.configuration_weights;
  const PosteriorKind highest = candidate_rungs(finished.members, options.prior_precision).back();
  finished.sums = sum_rows(train, finished.members, options, highest, team);
  const RungChoice rung = choose_rung(judging, options, finished.members, finished.weights, finished.sums);
  options.posterior = rung.posterior;
  finished.decisions.push_back({"posterior", std::string(base::name_of(rung.posterior)), rung.reason});
  return found.configuration_weights;
}

}  // namespace

bool is_unfinished_part(std::size_t members, std::size_t all, const FitOptions& planned) {
  return members < all && needs_rows_to_finish(planned);
}

std::vector<MemberSums> sum_rows(const TrainingRows& train, std::span<const model::Member> members,
                                 const FitOptions& planned, PosteriorKind highest, base::Team& team) {
  const WidenPlan plan{.posterior = highest,
                       .prior_precision = planned.prior_precision,
                       .evidence = false,
                       .random_bias = planned.random_bias,
                       .threads = planned.threads};
  return sum_rows(members, train.table().has_noise(), blocks_of(train), plan, team);
}

Finished as_trained(const Plan& plan, std::vector<model::Member> members) {
  std::vector<double> weights(members.size(), 1 / static_cast<double>(members.size()));
  return {.options = plan.options,
          .members = std::move(members),
          .weights = std::move(weights),
          .decisions = plan.decisions,
          .total_members = plan.options.members};
}

Finished finish(const TrainingRows& train, const Plan& plan, std::vector<model::Member> members, base::Team& team) {
  Finished finished = as_trained(plan, std::move(members));
  FitOptions& options = finished.options;
  const bool holds_rows_out = options.folds > 0 && finished.members.size() == options.members;
  if (holds_rows_out || needs_rows_to_finish(options)) {
    finished.judging = judging_rows(train, options, finished.members, enough_rows);
  }
  if (!needs_rows_to_finish(options)) {
    note_configurations(finished);
    return finished;
  }

  const std::vector<double> configuration_weights = calibrate_and_choose(train, *finished.judging, finished, team);
  note_configurations(finished);
  drop_negligible(finished, configuration_weights);
  finished.total_members = finished.members.size();
  return finished;
}

}  // namespace credens::learn

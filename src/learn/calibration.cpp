// SPDX-License-Identifier: Apache-2.0

#include "learn/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "learn/configuration_weights.hpp"
#include "math/kernels.hpp"
#include "math/minimiser.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

namespace {

class Calibrator {
 public:
  Calibrator(const HeldOut& held_out, const FitOptions& options)
      : held_out_(held_out),
        options_(options),
        units_(held_out.members.front().log_variance.cols()),
        mixtures_(held_out, equal_weights()) {
    result_.noise.assign(configurations(), std::vector<NoiseMap>(units_));
    result_.largest_noise = options.recalibrate ? largest_log_error() : math::noise_exp_bound;
    for (std::size_t unit = 0; unit < std::max<std::size_t>(units_, 1); ++unit) {
      log_density_.emplace_back(held_out_.pairs());
      for (std::size_t configuration = 0; configuration < configurations(); ++configuration)
        write_densities(unit, configuration, map_of(unit, configuration), log_density_[unit]);
    }
  }

  Calibration run() {
    result_.nll_before = mixtures_.mean_nll(joint_density(0));
    for (std::size_t unit = 0; unit < units_ && options_.recalibrate; ++unit) map_noise_of_all(unit);
    weigh_configurations();
    constexpr int rounds = 2;
    for (int round = 0; round < rounds; ++round) {
      map_noise();
      weigh_configurations();
    }
    if (options_.recalibrate && units_ > 0) find_tails();
    result_.nll_after = mixtures_.mean_nll(tailed_density(0, result_.tails));
    result_.configuration_weights = mixtures_.configuration_weights();
    if (options_.recalibrate && options_.correct_size && units_ > 0) shift_noise(shift_for_size());
    return std::move(result_);
  }

 private:
  struct TailsFound {
    Tails tails = {};
    double shift = 0;
    double nll = 0;
  };

  std::size_t configurations() const { return mixtures_.configuration_weights().size(); }

  std::vector<double> equal_weights() const {
    std::vector<double> weights;
    for (const std::size_t count : held_out_.replicates()) {
      weights.push_back(static_cast<double>(count) / static_cast<double>(held_out_.members.size()));
    }
    return weights;
  }

  /// Upper bound of the learned log s^2: that of the largest squared held-out error. Beyond it the data say nothing.
  double largest_log_error() const {
    double largest = model::noise_floor;
    for (std::size_t r = 0; r < held_out_.rows(); ++r) {
      if (held_out_.weights[r] == 0) continue;
      for (const std::uint32_t l : held_out_.members_of(r)) {
        for (std::size_t k = 0; k < held_out_.outputs(); ++k) {
          const double error = held_out_.targets(r, k) - held_out_.members[l].mean(r, k);
          largest = std::max(largest, error * error);
        }
      }
    }
    return std::min<double>(std::log(largest), math::noise_exp_bound);
  }

  /// First and end of the outputs that share a noise unit.
  std::pair<std::size_t, std::size_t> outputs_of(std::size_t unit) const {
    return units_ <= 1 ? std::pair(std::size_t{0}, held_out_.outputs()) : std::pair(unit, unit + 1);
  }

  NoiseMap map_of(std::size_t unit, std::size_t configuration) const {
    return units_ == 0 ? NoiseMap{} : result_.noise[configuration][unit];
  }

  double variance(const MemberAtRows& member, const NoiseMap& map, std::size_t unit, std::size_t row,
                  std::size_t output) const {
    const double known = held_out_.known_variance.empty() ? 0 : held_out_.known_variance(row, output);
    if (units_ == 0) return std::max(known, model::noise_floor);
    const double log_variance = map.at(member.log_variance(row, unit));
    const double bounded = std::clamp<double>(log_variance, -math::noise_exp_bound, result_.largest_noise);
    return std::exp(bounded) + model::noise_floor + known;
  }

  /// gamma = P / (sum |phi|^2 / s^2 + P lambda); the held-out rows are a sample of the training rows that the sum is
  /// over.
  double width(const MemberAtRows& member, const NoiseMap& map, std::size_t unit) const {
    double trace = 0;
    for (std::size_t r = 0; r < held_out_.rows(); ++r) {
      trace +=
          held_out_.weights[r] * member.squared_features[r] / variance(member, map, unit, r, outputs_of(unit).first);
    }
    const auto p = static_cast<double>(member.features);
    const double rows_per_row = held_out_.weight_in_all / static_cast<double>(held_out_.rows());
    return p / (rows_per_row * trace + p * options_.prior_precision);
  }

  /// log N(y; m, s^2 + gamma |phi|^2) for the held-out pairs of a configuration, summed over the outputs of a noise
  /// unit.
  void write_densities(std::size_t unit, std::size_t configuration, const NoiseMap& map,
                       std::vector<double>& log_density) const {
    std::vector<double> gamma;
    for (const MemberAtRows& member : held_out_.members) {
      gamma.push_back(member.configuration == configuration ? width(member, map, unit) : 0);
    }
    const auto [first, end] = outputs_of(unit);
    for (std::size_t r = 0; r < held_out_.rows(); ++r) {
      for (std::size_t c = held_out_.first_pair[r]; c < held_out_.first_pair[r + 1]; ++c) {
        const MemberAtRows& member = held_out_.members[held_out_.pair_member[c]];
        if (member.configuration != configuration) continue;
        const double own = gamma[held_out_.pair_member[c]] * member.squared_features[r];
        log_density[c] = 0;
        for (std::size_t k = first; k < end; ++k) {
          log_density[c] += math::normal_log_density(held_out_.targets(r, k), member.mean(r, k),
                                                     variance(member, map, unit, r, k) + own);
        }
      }
    }
  }

  /// Mean of log s^2 over the held-out pairs.
  double centre(std::size_t unit) const {
    double sum = 0;
    for (std::size_t r = 0; r < held_out_.rows(); ++r) {
      for (const std::uint32_t l : held_out_.members_of(r)) sum += held_out_.members[l].log_variance(r, unit);
    }
    return sum / static_cast<double>(held_out_.pairs());
  }

  /// Log density of each held-out pair over all outputs, with `shift` added to the log s^2 found so far.
  std::vector<double> joint_density(double shift) const {
    std::vector<double> joint(held_out_.pairs());
    for (std::size_t unit = 0; unit < log_density_.size(); ++unit) {
      std::vector<double> of_unit = log_density_[unit];
      for (std::size_t configuration = 0; configuration < configurations() && shift != 0; ++configuration) {
        const NoiseMap map = map_of(unit, configuration);
        write_densities(unit, configuration, {map.shift + shift, map.slope}, of_unit);
      }
      std::ranges::transform(joint, of_unit, joint.begin(), std::plus<>());
    }
    return joint;
  }

  /// Each configuration gets a map of its own where there are at least 20 independent held-out rows per configuration.
  void map_noise() {
    constexpr std::size_t rows_per_configuration = 20;
    constexpr int sweeps = 2;
    if (!options_.recalibrate) return;
    for (std::size_t unit = 0; unit < units_; ++unit) {
      for (int sweep = 0; sweep < sweeps && configurations() > 1 &&
                          held_out_.independent_rows() >= rows_per_configuration * configurations();
           ++sweep) {
        for (std::size_t configuration = 0; configuration < configurations(); ++configuration)
          map_noise_of(unit, configuration);
      }
    }
  }

  /// The noise of all configurations at the mean `middle` of log s^2, and the slope around it, where the two are nearly
  /// independent.
  struct CommonNoise {
    double shift = 0;
    double slope = 1;
    double nll = 0;

    NoiseMap map(double middle) const { return {shift + middle - slope * middle, slope}; }
  };

  /// Finds one map for all configurations. The search goes downhill from the learned noise. Where that differs wildly
  /// between rows it can end far above what one noise for all rows reaches, so it is tried from there too.
  void map_noise_of_all(std::size_t unit) {
    constexpr double worth_it = 0.01;
    const double middle = centre(unit);
    const CommonNoise learned = common_noise(unit, middle, 1);
    const CommonNoise constant = common_noise(unit, middle, 0);
    common_.push_back((constant.nll < learned.nll - worth_it ? constant : learned).map(middle));
    for (std::size_t configuration = 0; configuration < configurations(); ++configuration)
      set_map(unit, configuration, common_.back());
  }

  /// Shift and slope are found alternately, from the best of some shifts with the first slope on.
  CommonNoise common_noise(std::size_t unit, double middle, double first_slope) const {
    constexpr double steepest = 3;
    std::vector<double> tried = log_density_[unit];
    const auto nll_of = [&](double shift, double slope) {
      const NoiseMap map = CommonNoise{shift, slope}.map(middle);
      for (std::size_t configuration = 0; configuration < configurations(); ++configuration)
        write_densities(unit, configuration, map, tried);
      return mixtures_.mean_nll(tried);
    };
    CommonNoise found{.shift = 0, .slope = first_slope, .nll = nll_of(0, first_slope)};
    for (int candidate = -3; candidate <= 12; ++candidate) {
      const double nll = nll_of(candidate, first_slope);
      if (nll < found.nll) found = {static_cast<double>(candidate), first_slope, nll};
    }
    for (const double reach : {1.5, 1.0, 0.5, 0.25}) {
      found.slope = math::minimiser([&](double b) { return nll_of(found.shift, b); }, 0, steepest);
      found.shift =
          math::minimiser([&](double a) { return nll_of(a, found.slope); }, found.shift - reach, found.shift + reach);
    }
    found.nll = nll_of(found.shift, found.slope);
    return found;
  }

  /// Finds the map of one configuration, given those of the others, near the map of all: configurations that are wide
  /// where others are narrow make the tails of the mixture, but one that is very wide would spoil its variance.
  void map_noise_of(std::size_t unit, std::size_t configuration) {
    constexpr double reach = 1.5;
    constexpr double slope_reach = 0.5;
    const double middle = centre(unit);
    const NoiseMap common = common_[unit];
    const auto map_with = [&](double shift, double slope) {
      return NoiseMap{common.at(middle) + shift - slope * middle, slope};
    };
    std::vector<double> tried = log_density_[unit];
    const auto nll_of = [&](double shift, double slope) {
      write_densities(unit, configuration, map_with(shift, slope), tried);
      return mixtures_.mean_nll(tried);
    };
    const double before = map_of(unit, configuration).at(middle) - common.at(middle);
    const double slope = math::minimiser([&](double b) { return nll_of(before, b); },
                                         std::max(0.0, common.slope - slope_reach), common.slope + slope_reach);
    const double shift = math::minimiser([&](double a) { return nll_of(a, slope); }, -reach, reach);
    set_map(unit, configuration, map_with(shift, slope));
  }

  void set_map(std::size_t unit, std::size_t configuration, const NoiseMap& map) {
    result_.noise[configuration][unit] = map;
    write_densities(unit, configuration, map, log_density_[unit]);
  }

  void weigh_configurations() {
    if (options_.weigh_members) mixtures_.set(best_configuration_weights(held_out_, joint_density(0), equal_weights()));
  }

  /// Log density of each held-out pair where its member is a tail component with probability `tails.share`.
  std::vector<double> tailed_density(double shift, const Tails& tails) const {
    std::vector<double> density = joint_density(shift);
    if (tails.share == 0) return density;
    const std::vector<double> wide = joint_density(shift + tails.shift);
    for (std::size_t c = 0; c < density.size(); ++c) {
      density[c] =
          math::log_sum_exp(std::array{std::log1p(-tails.share) + density[c], std::log(tails.share) + wide[c]});
    }
    return density;
  }

  /// The best tails with a given share, the shift of all log s^2 that goes with them, and the NLL they reach.
  TailsFound best_tails(double share) const {
    constexpr double widest = 2;  // e^2 times the variance: more would make intervals of mean and variance useless
    const auto nll_of = [&](double shift, double wide) {
      return mixtures_.mean_nll(tailed_density(shift, {.share = share, .shift = wide}));
    };
    double shift = 0;
    double wide = 1.5;
    for (int round = 0; round < 2; ++round) {
      shift = math::minimiser([&](double a) { return nll_of(a, wide); }, -1.5, 0.5);
      wide = math::minimiser([&](double a) { return nll_of(shift, a); }, 0, widest);
    }
    return {.tails = {.share = share, .shift = wide}, .shift = shift, .nll = nll_of(shift, wide)};
  }

  /// Errors have heavier tails than a Gaussian. Replicates hardly differ in their means, so a few of them with wider
  /// noise (tail components), and the others with narrower, make a mixture with such tails without further networks.
  void find_tails() {
    constexpr std::size_t enough = 4;
    constexpr double worth_it = 0.002;
    const auto replicates = static_cast<double>(std::ranges::min(held_out_.replicates()));
    if (replicates < enough) return;
    TailsFound best{.nll = mixtures_.mean_nll(joint_density(0)) - worth_it};
    for (const double wanted : {0.1, 0.2, 0.3}) {
      const TailsFound found = best_tails(std::max(1.0, std::round(wanted * replicates)) / replicates);
      if (found.nll < best.nll) best = found;
    }
    result_.tails = best.tails;
    shift_noise(best.shift);
  }

  void shift_noise(double shift) {
    for (std::size_t unit = 0; unit < units_ && shift != 0; ++unit) {
      for (std::size_t configuration = 0; configuration < configurations(); ++configuration) {
        const NoiseMap map = map_of(unit, configuration);
        set_map(unit, configuration, {map.shift + shift, map.slope});
      }
    }
  }

  /// Held-out rows are predicted by R members, new rows by all L. The best shift of log s^2 is linear in 1 / members to
  /// first order, because the spread of the members' means adds to the mixture what one noise had to cover: it is
  /// measured with R and with fewer members, and continued to the effective number 1 / sum w^2.
  double shift_for_size() const {
    const double held = static_cast<double>(held_out_.pairs()) / static_cast<double>(held_out_.rows());
    const auto all = static_cast<double>(held_out_.members.size());
    const std::size_t few = held >= 4 ? 2 : 1;
    if (held < 2 || held == all) return 0;
    const auto best_shift = [&](const HeldOutMixture& mixtures) {
      return math::minimiser([&](double shift) { return mixtures.mean_nll(tailed_density(shift, result_.tails)); }, -2,
                             2);
    };
    constexpr std::uint64_t draws = 4;
    double with_few = 0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      base::RandomStream random(
          {.seed = options_.seed, .purpose = base::Purpose::calibration, .member = 1, .attempt = draw});
      HeldOutMixture some = mixtures_;
      some.keep(few, random);
      with_few += best_shift(some) / draws;
    }
    const double with_held = best_shift(mixtures_);
    const double slope = std::max(0.0, (with_few - with_held) / (1 / static_cast<double>(few) - 1 / held));
    const std::vector<std::size_t> replicates = held_out_.replicates();
    double squares = 0;
    for (const MemberAtRows& member : held_out_.members) {
      const double weight = mixtures_.configuration_weights()[member.configuration] /
                            static_cast<double>(replicates[member.configuration]);
      squares += weight * weight;
    }
    constexpr double furthest = -0.5;  // few rows measure a slope badly, and noise that is too small costs more
    return std::max(furthest, with_held - slope * std::max(0.0, 1 / held - squares));
  }

  const HeldOut& held_out_;
  const FitOptions& options_;
  std::size_t units_;
  HeldOutMixture mixtures_;
  std::vector<NoiseMap> common_;                  ///< one per noise unit, the map that all configurations start from
  std::vector<std::vector<double>> log_density_;  ///< [noise unit][held-out pair], with the noise found so far
  Calibration result_;
};

}  // namespace

Calibration calibrate(const HeldOut& held_out, const FitOptions& options) {
  return Calibrator(held_out, options).run();
}

}  // namespace credens::learn

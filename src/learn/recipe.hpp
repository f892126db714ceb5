// SPDX-License-Identifier: Apache-2.0
//
// The options of `fit` as a table, their values as text, and the shape each member gets from them.

#pragma once

#include <credens/fit.hpp>

#include "base/options.hpp"
#include "learn/training_table.hpp"
#include "model/mlp.hpp"
#include "model/names.hpp"

namespace credens::base {

template <>
struct EnumNames<Schedule> {
  static constexpr std::string_view what = "schedule";
  static constexpr std::pair<Schedule, std::string_view> entries[] = {{Schedule::constant, "constant"},
                                                                      {Schedule::drop_last_five, "drop-last-five"},
                                                                      {Schedule::halve_last_five, "halve-last-five"},
                                                                      {Schedule::cosine, "cosine"}};
};

template <>
struct EnumNames<Recipe> {
  static constexpr std::string_view what = "recipe";
  static constexpr std::pair<Recipe, std::string_view> entries[] = {{Recipe::automatic, "auto"},
                                                                    {Recipe::paper, "paper"}};
};

template <>
struct EnumNames<Effort> {
  static constexpr std::string_view what = "effort";
  static constexpr std::pair<Effort, std::string_view> entries[] = {
      {Effort::quick, "quick"}, {Effort::normal, "normal"}, {Effort::thorough, "thorough"}};
};

/// `4GB`, `512MiB`, bytes without a unit, or `auto`, which are 0 bytes.
template <>
struct FieldText<MemorySize> {
  static MemorySize parse(std::string_view text);
  static OptionValue value(MemorySize size);
};

}  // namespace credens::base

namespace credens::learn {

/// Names, help, ranges and defaults of FitOptions. Lambda's field is prior_precision, its option `lambda`. `hidden` is
/// `128,64,32`, `none`, or several of these separated by `/`.
const base::OptionTable<FitOptions>& fit_options();

/// The options that determine the result, as stored in model files; with rows of their own for validation also their
/// fingerprint, and with groups or times a digest of the rows that are held out together.
base::OptionValues stored_options(const FitOptions& options, const FoldUnits& units = {});

/// The FitOptions that stored values describe; throws model for a name or value that is unknown.
FitOptions restore_options(const base::OptionValues& values);

/// Throws usage where a field is outside the range of its row: the ranges hold for C++ and Python as well.
void check_ranges(const FitOptions& options);

/// Throws usage where options contradict each other or the data. All choices are made (learn/plan.hpp).
void check(const FitOptions& options, const TrainingTable& train);

/// A member's values of the options that are cycled over the members: with k values, member i has value i modulo k.
struct MemberSettings {
  std::vector<std::size_t> hidden;
  Activation activation = Activation::relu;
  double bandwidth = 0;
  double learning_rate = 0;
  double loss_beta = 0;
  double hidden_precision = 0;
};

MemberSettings member_settings(const FitOptions& options, std::size_t member);

/// Number of different configurations. Members whose indices are equal modulo this number are replicates: they have the
/// same MemberSettings.
std::size_t configuration_count(const FitOptions& options);

/// Length of the longest list that a user gave to be cycled over the members; 1 without lists.
std::size_t longest_cycled_list(const FitOptions& given);

model::MlpShape member_shape(const FitOptions& options, std::size_t member, std::size_t inputs, std::size_t outputs);

}  // namespace credens::learn

// SPDX-License-Identifier: Apache-2.0

#include "store/merge.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include "base/check.hpp"
#include "model/names.hpp"
#include "model/weights.hpp"

namespace credens::store {

namespace {

const base::OptionValue* find(const base::OptionValues& options, const std::string& name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.first == name; });
  return found == options.end() ? nullptr : &found->second;
}

std::string text_of(const base::OptionValue* value) {
  return value == nullptr ? "not set" : base::to_text(*value);
}

using Part = std::pair<std::string, Ensemble>;

/// The version of Credens whose members these are: they may differ between versions where everything else agrees.
std::string_view writer_of(const model::EnsembleState& part) {
  return part.version.empty() ? version() : std::string_view(part.version);
}

bool same_inputs(const data::Schema& a, const data::Schema& b) {
  return a.inputs == b.inputs && a.has_names == b.has_names && a.table_columns == b.table_columns;
}

bool same_noise(const data::Schema& a, const data::Schema& b) {
  return data::names_of(a.noise) == data::names_of(b.noise) && a.has_noise == b.has_noise;
}

/// The part with the lowest member gives the merged options: one part may have been told what the recipe of another
/// decided, and the order of parts must not matter.
const Part& first_part(std::span<const Part> parts) {
  return *std::ranges::min_element(parts, {},
                                   [](const Part& part) { return part.second.state().members.front().index; });
}

/// The reason why a part does not belong to the same ensemble as the first; none if it belongs.
std::optional<std::string> difference(const model::EnsembleState& part, const model::EnsembleState& first) {
  if (writer_of(part) != writer_of(first)) {
    return fmt::format("Credens {}, there {}", writer_of(part), writer_of(first));
  }
  if (auto found = option_difference(part.options, first.options, "there")) return found;
  if (auto found = data_difference(part.data, first.data, "there")) return found;
  const std::pair<bool, std::string> rest[] = {
      {part.has_networks() != first.has_networks(), part.has_networks() ? "networks" : "no networks"},
      {part.seed != first.seed, fmt::format("seed {}, there {}", part.seed, first.seed)},
      {part.total_members != first.total_members,
       fmt::format("{} members in all, there {}", part.total_members, first.total_members)},
      {!same_inputs(part.schema, first.schema), "other input columns"},
      {part.schema.targets != first.schema.targets, "other targets"},
      {!same_noise(part.schema, first.schema), "other columns of known noise"},
      {part.encoder != first.encoder || part.target_scaler != first.target_scaler, "another scaling"},
      {part.posterior != first.posterior,
       fmt::format("posterior {}, there {}", base::name_of(part.posterior), base::name_of(first.posterior))},
      {part.prior_precision != first.prior_precision,
       fmt::format("lambda {} in its posterior, there {}", part.prior_precision, first.prior_precision)},
      {part.members.front().posterior.random_bias != first.members.front().posterior.random_bias,
       "another choice of random bias in its posterior"}};
  const auto found = std::ranges::find_if(rest, [](const auto& check) { return check.first; });
  return found == std::end(rest) ? std::nullopt : std::optional(found->second);
}

void check_part(const Part& part, const Part& first) {
  const model::EnsembleState& state = part.second.state();
  const auto found = difference(state, first.second.state());
  base::require(!found, ErrorCode::model, "{}: does not belong to {}: it was made with {}", part.first, first.first,
                found.value_or(""));
  const bool is_uniform = std::all_of(state.weights.begin(), state.weights.end(),
                                      [&](double weight) { return weight == state.weights.front(); });
  base::require(is_uniform, ErrorCode::model,
                "{}: its members have weights of their own, expected equal ones before merging", part.first);
}

using FoundMembers = std::map<std::size_t, std::pair<const model::Member*, const std::string*>>;

FoundMembers collect(std::span<const Part> parts) {
  FoundMembers members;
  for (const auto& [name, ensemble] : parts) {
    for (const model::Member& member : ensemble.state().members) {
      const auto [earlier, is_new] = members.emplace(member.index, std::pair(&member, &name));
      base::require(is_new, ErrorCode::model, "{}: member {} is already in {}", name, member.index,
                    *earlier->second.second);
    }
  }
  return members;
}

}  // namespace

std::optional<std::string> option_difference(const base::OptionValues& options, const base::OptionValues& other,
                                             std::string_view other_is) {
  base::OptionValues all = options;
  all.insert(all.end(), other.begin(), other.end());
  for (const auto& [name, ignored] : all) {
    const base::OptionValue* mine = find(options, name);
    const base::OptionValue* theirs = find(other, name);
    if (mine != nullptr && theirs != nullptr && *mine == *theirs) continue;
    return fmt::format("{} = {}, {} {}", name, text_of(mine), other_is, text_of(theirs));
  }
  return std::nullopt;
}

std::optional<std::string> data_difference(const model::DataSummary& data, const model::DataSummary& other,
                                           std::string_view other_is) {
  if (data == other) return std::nullopt;
  if (data.rows != other.rows) return fmt::format("other data: {} rows, {} {}", data.rows, other_is, other.rows);
  return fmt::format("other data: fingerprint {}, {} {}", data.fingerprint, other_is, other.fingerprint);
}

Ensemble merge(std::span<const Part> parts) {
  base::require(!parts.empty(), ErrorCode::usage, "there are no parts to merge");
  for (const Part& part : parts) check_part(part, parts.front());
  const FoundMembers members = collect(parts);
  auto state = std::make_shared<model::EnsembleState>(first_part(parts).second.state());
  state->members.clear();
  state->promise.reset();
  for (const auto& [index, found] : members) {
    if (index != state->members.size()) break;
    state->members.push_back(*found.first);
  }
  base::require(state->members.size() == state->total_members, ErrorCode::model,
                "member {} of 0 to {} is in none of the parts", state->members.size(), state->total_members - 1);
  state->weights = model::uniform_weights(state->members.size());
  return Ensemble(std::move(state));
}

}  // namespace credens::store

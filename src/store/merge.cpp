// SPDX-License-Identifier: Apache-2.0

#include "store/merge.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <map>
#include <memory>

#include "base/check.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "model/weights.hpp"
#include "store/difference.hpp"

namespace credens::store {

namespace {

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

std::optional<std::string> difference_of_columns(const model::EnsembleState& part, const model::EnsembleState& first) {
  if (!same_inputs(part.schema, first.schema)) return "other input columns";
  if (part.schema.targets != first.schema.targets) return "other targets";
  if (!same_noise(part.schema, first.schema)) return "other columns of known noise";
  if (part.input_scaler != first.input_scaler || part.target_scaler != first.target_scaler) return "another scaling";
  return std::nullopt;
}

std::optional<std::string> difference_of_posteriors(const model::EnsembleState& part,
                                                    const model::EnsembleState& first) {
  if (part.posterior != first.posterior) {
    return fmt::format("posterior {}, there {}", base::name_of(part.posterior), base::name_of(first.posterior));
  }
  if (part.prior_precision != first.prior_precision) {
    return fmt::format("lambda {} in its posterior, there {}", part.prior_precision, first.prior_precision);
  }
  if (part.members.front().posterior.random_bias != first.members.front().posterior.random_bias) {
    return "another choice of random bias in its posterior";
  }
  return std::nullopt;
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
  if (part.has_networks() != first.has_networks()) return part.has_networks() ? "networks" : "no networks";
  if (part.seed != first.seed) return fmt::format("seed {}, there {}", part.seed, first.seed);
  if (part.total_members != first.total_members) {
    return fmt::format("{} members in all, there {}", part.total_members, first.total_members);
  }
  if (auto found = difference_of_columns(part, first)) return found;
  return difference_of_posteriors(part, first);
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

void check_complete(const FoundMembers& members, std::size_t total) {
  std::size_t expected = 0;
  for (const auto& [index, found] : members) {
    if (index != expected) break;
    ++expected;
  }
  base::require(expected == total, ErrorCode::model, "member {} of 0 to {} is in none of the parts", expected,
                total - 1);
}

}  // namespace

Ensemble merge(std::span<const Part> parts) {
  base::require(!parts.empty(), ErrorCode::usage, "there are no parts to merge");
  for (const Part& part : parts) check_part(part, parts.front());
  const FoundMembers members = collect(parts);
  auto state = std::make_shared<model::EnsembleState>(first_part(parts).second.state());
  check_complete(members, state->total_members);
  state->members.clear();
  for (const auto& [index, found] : members) state->members.push_back(*found.first);
  state->weights = model::uniform_weights(state->members.size());
  return Ensemble(std::move(state));
}

}  // namespace credens::store

// SPDX-License-Identifier: Apache-2.0

#include "cli/training.hpp"

#include <credens/version.hpp>

#include <algorithm>

#include "base/file.hpp"
#include "cli/team_training.hpp"
#include "learn/recipe.hpp"
#include "learn/train_members.hpp"

namespace credens::cli {

namespace {

store::FitIdentity identity_of(const TrainingPlan& plan) {
  return {.options = learn::stored_options(plan.options),
          .data = {.rows = plan.train->rows(), .fingerprint = plan.train->summary().fingerprint},
          .version = std::string(version())};
}

std::vector<std::size_t> missing_members(const MemberRange& range, const std::vector<model::Member>& finished) {
  std::vector<std::size_t> missing;
  for (std::size_t index = range.first; index < range.end; ++index) {
    const bool is_there = std::ranges::find(finished, index, &model::Member::index) != finished.end();
    if (!is_there) missing.push_back(index);
  }
  return missing;
}

}  // namespace

Training::Training(TrainingPlan plan) : plan_(std::move(plan)) {
  if (!plan_.checkpoint.empty()) checkpoint_.emplace(plan_.checkpoint, identity_of(plan_));
}

std::vector<model::Member> Training::load_finished() const {
  if (!checkpoint_ || !plan_.team->leads()) return {};
  base::require(plan_.resume || !checkpoint_->exists(), ErrorCode::usage,
                "{} has finished members of an earlier run: add --resume to go on with them, or remove it",
                plan_.checkpoint.string());
  if (!plan_.resume) return {};
  std::vector<model::Member> members = checkpoint_->load();
  std::erase_if(members, [this](const model::Member& member) {
    return member.index < plan_.range.first || member.index >= plan_.range.end;
  });
  return members;
}

void Training::keep(const model::Member& member) {
  if (checkpoint_) checkpoint_->save(member);
  ++kept_;
}

std::vector<model::Member> Training::train_missing(std::vector<model::Member> members) {
  if (plan_.team->is_alone()) return train_here(std::move(members));
  const std::vector<std::size_t> missing = missing_members(plan_.range, members);
  return train_in_team({.team = *plan_.team,
                        .train = *plan_.train,
                        .options = plan_.options,
                        .identity = identity_of(plan_),
                        .progress = plan_.progress,
                        .keep = [this](const model::Member& member) { keep(member); }},
                       std::move(members), missing);
}

std::vector<model::Member> Training::train_here(std::vector<model::Member> members) {
  ProgressDisplay display(plan_.progress, members.size());
  FitOptions options = plan_.options;
  options.on_progress = [&display](const Progress& progress) { display.show(progress); };
  options.on_warning = [&display](std::string_view sentence) { display.warn(sentence); };
  const auto on_member = [this](const model::Member& member) { keep(member); };
  const std::vector<std::size_t> missing = missing_members(plan_.range, members);
  for (model::Member& member : learn::train_members(*plan_.train, options, missing, on_member)) {
    members.push_back(std::move(member));
  }
  std::ranges::sort(members, {}, &model::Member::index);
  return members;
}

std::vector<model::Member> Training::run() {
  std::vector<model::Member> finished = load_finished();
  kept_ = finished.size();
  if (checkpoint_ && plan_.team->leads()) base::make_folder(plan_.checkpoint);
  try {
    return train_missing(std::move(finished));
  } catch (const Error& error) {
    leave_checkpoint();
    fail(error);
  }
}

/// Where another rank has failed, that is what happened, however it showed here.
void Training::fail(const Error& error) const {
  const auto elsewhere = plan_.team->failure();
  const ErrorCode code = elsewhere ? elsewhere->code : error.code();
  if (code == ErrorCode::numerical) finish();  // the same options would fail again
  if (code == ErrorCode::interrupted) throw Error(code, "interrupted" + kept_sentence());
  if (!elsewhere) throw error;
  throw Error(code, elsewhere->sentence + (code == ErrorCode::failure ? kept_sentence() : ""));
}

void Training::stop_if_asked() const {
  if (plan_.options.stop.stop_requested()) fail(Error(ErrorCode::interrupted, "interrupted"));
}

void Training::finish() const {
  if (checkpoint_ && plan_.checkpoint_is_ours && plan_.team->leads()) checkpoint_->remove();
}

/// Takes the folder away again if no member got there.
void Training::leave_checkpoint() const {
  std::error_code not_empty;
  if (checkpoint_ && plan_.team->leads()) std::filesystem::remove(plan_.checkpoint, not_empty);
}

std::string Training::kept_sentence() const {
  if (!plan_.team->leads()) return "";
  if (!checkpoint_) return "; no member is kept because there is no --checkpoint";
  if (kept_ == 0) return "; no member was finished yet";
  return fmt::format("; {} of {} members are kept in {}: the same command with --resume goes on", kept_.load(),
                     plan_.range.end - plan_.range.first, plan_.checkpoint.string());
}

}  // namespace credens::cli

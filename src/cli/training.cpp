// SPDX-License-Identifier: Apache-2.0

#include "cli/training.hpp"

#include <credens/version.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "learn/recipe.hpp"

namespace credens::cli {

namespace {

store::FitIdentity identity_of(const TrainingPlan& plan) {
  return {.options = learn::stored_options(plan.options, plan.fit->table().fold_units()),
          .data = plan.fit->data(),
          .version = std::string(version())};
}

/// Rank 0 has said the warnings of its own and now says those of the others, each sentence once.
void say_those_of_others(base::Team& team, ProgressDisplay& display, std::set<std::string, std::less<>> own) {
  std::string bytes;
  for (const std::string& sentence : own) base::append_text(bytes, sentence);
  team.collect(std::move(bytes), [&](std::string_view of_rank) {
    for (base::ByteReader reader(of_rank); !reader.at_end();) {
      const std::string sentence = reader.text();
      if (own.insert(sentence).second) display.warn(sentence);
    }
  });
}

}  // namespace

Training::Training(TrainingPlan plan) : plan_(std::move(plan)) {
  if (!plan_.checkpoint.empty()) checkpoint_.emplace(plan_.checkpoint, identity_of(plan_));
}

std::vector<model::Member> Training::load_finished() const {
  if (!checkpoint_) return {};
  base::require(plan_.resume || !checkpoint_->exists(), ErrorCode::usage,
                "{} has finished members of an earlier run: add --resume to continue with them, or remove it",
                plan_.checkpoint.string());
  if (!plan_.resume) return {};
  std::vector<model::Member> members = checkpoint_->load();
  std::erase_if(members, [this](const model::Member& member) {
    return member.index < plan_.range.first || member.index >= plan_.range.end;
  });
  return members;
}

/// All ranks learn who has which members, in folders of their own or in a common one. Of a member that several have,
/// the lowest rank keeps it in `finished`. The members that this rank has to train.
std::vector<std::size_t> Training::divide(std::vector<model::Member>& finished) {
  base::Team& team = *plan_.team;
  using MemberAndRank = std::array<std::size_t, 2>;
  std::string own;
  for (const model::Member& member : finished) base::append_value(own, MemberAndRank{member.index, team.rank()});
  const std::string all = team.all_gather(std::move(own));
  std::map<std::size_t, std::size_t> keeper;
  for (base::ByteReader reader(all); !reader.at_end();) {
    const auto [member, rank] = reader.value<MemberAndRank>();
    keeper.emplace(member, rank);
  }
  kept_ = keeper.size();
  std::erase_if(finished, [&](const model::Member& member) { return keeper.at(member.index) != team.rank(); });
  std::vector<std::size_t> missing;
  for (std::size_t index = plan_.range.first; index < plan_.range.end; ++index) {
    if (!keeper.contains(index)) missing.push_back(index);
  }
  const base::Share share = base::share_of(missing.size(), team.rank(), team.size());
  return {missing.begin() + static_cast<std::ptrdiff_t>(share.first),
          missing.begin() + static_cast<std::ptrdiff_t>(share.end)};
}

/// Ranks come here together and train apart, for as long as their shares take.
void Training::train_share(const std::vector<std::size_t>& missing, std::vector<model::Member>& members) {
  ProgressDisplay display(plan_.team->leads() ? plan_.progress : ProgressKind::none, members.size());
  std::mutex mutex;
  std::set<std::string, std::less<>> warnings;
  FitOptions options = plan_.options;
  options.on_progress = [&display](const Progress& progress) { display.show(progress); };
  options.on_warning = [&](std::string_view sentence) {
    const std::lock_guard lock(mutex);
    if (plan_.team->leads()) display.warn(sentence);
    warnings.emplace(sentence);
  };
  const auto on_member = [this](const model::Member& member) {
    if (checkpoint_) checkpoint_->save(member);
    ++kept_;
  };
  try {
    if (!missing.empty()) {  // rows are not prepared for nobody
      std::vector<model::Member> trained = plan_.fit->train(options, missing, on_member);
      std::ranges::move(trained, std::back_inserter(members));
    }
  } catch (const Error& error) {
    std::error_code not_empty;  // takes the folder away again if no member got there
    if (checkpoint_) std::filesystem::remove(plan_.checkpoint, not_empty);
    fail(error);
  }
  say_those_of_others(*plan_.team, display, std::move(warnings));
}

std::vector<model::Member> Training::members_of_all(std::vector<model::Member> members) const {
  if (!plan_.team->is_alone()) {
    const store::FitIdentity identity = identity_of(plan_);
    std::string own;
    for (const model::Member& member : members) {
      base::append_value(own, member.index);
      base::append_text(own, store::encode_member(member, identity));
    }
    const std::string all = plan_.team->all_gather(std::move(own));
    members.clear();
    for (base::ByteReader reader(all); !reader.at_end();) {
      const auto index = reader.value<std::size_t>();
      members.push_back(store::decode_member(reader.text(), index, identity));
    }
  }
  std::ranges::sort(members, {}, &model::Member::index);
  return members;
}

std::vector<model::Member> Training::run() {
  std::vector<model::Member> members = load_finished();
  const std::vector<std::size_t> missing = divide(members);
  if (checkpoint_) base::make_folder(plan_.checkpoint);
  train_share(missing, members);
  return members_of_all(std::move(members));
}

/// The other ranks do not wait for this one before they have trained their shares, so all end here.
void Training::fail(const Error& error) const {
  std::string sentence = error.what();
  if (error.code() == ErrorCode::interrupted) {
    sentence = "interrupted" + kept_sentence();
  } else if (error.code() == ErrorCode::numerical) {
    finish();  // the same options would fail again
  } else if (!plan_.team->is_alone()) {
    sentence += kept_sentence();
  }
  const Error said(error.code(), sentence);
  plan_.team->abort(said);
  throw Error(said);
}

void Training::stop_if_asked() const {
  if (plan_.options.stop.stop_requested()) fail(Error(ErrorCode::interrupted, "interrupted"));
}

void Training::finish() const {
  if (checkpoint_ && plan_.checkpoint_is_ours) checkpoint_->remove();
}

std::string Training::kept_sentence() const {
  if (!checkpoint_) return "; no member is kept because there is no --checkpoint";
  if (!plan_.team->is_alone()) {
    return fmt::format("; finished members are kept in {}: the same command with --resume continues",
                       plan_.checkpoint.string());
  }
  if (kept_ == 0) return "; no member was finished yet";
  return fmt::format("; {} of {} members are kept in {}: the same command with --resume continues", kept_.load(),
                     plan_.range.end - plan_.range.first, plan_.checkpoint.string());
}

}  // namespace credens::cli

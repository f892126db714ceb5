// SPDX-License-Identifier: Apache-2.0

#include "cli/team_training.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "base/bytes.hpp"
#include "base/check.hpp"

namespace credens::cli {

namespace {

/// The first byte of what ranks post.
enum Kind : char { member = 'm', progress = 'p', warning = 'w', done = 'd' };

std::string encode(const TeamTask& task, const model::Member& finished) {
  std::string bytes(1, member);
  base::append_value(bytes, finished.index);
  return bytes + store::encode_member(finished, task.identity);
}

model::Member decode(const TeamTask& task, std::string_view bytes) {
  base::ByteReader reader(bytes.substr(1));
  const auto index = reader.value<std::size_t>();
  return store::decode_member(bytes.substr(1 + sizeof index), index, task.identity);
}

/// How far all ranks are together.
Progress sum_of(const std::vector<Progress>& ranks, std::size_t members) {
  Progress sum{.members = members};
  for (const Progress& rank : ranks) {
    const double share = static_cast<double>(rank.members) / static_cast<double>(members);
    sum.members_done += rank.members_done;
    sum.fraction += share * rank.fraction;
    sum.seconds_elapsed = std::max(sum.seconds_elapsed, rank.seconds_elapsed);
    sum.seconds_left = std::max(sum.seconds_left, rank.seconds_left);
  }
  return sum;
}

/// What arrives at rank 0.
class Reception {
 public:
  Reception(const TeamTask& task, std::size_t done_before, std::size_t missing)
      : task_(task), missing_(missing), display_(task.progress, done_before), ranks_(task.team.size()) {
    task_.team.listen([this](std::size_t from, std::string_view bytes) { take(from, bytes); });
  }
  ~Reception() { task_.team.listen(nullptr); }
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  /// All members that were missing. What ranks warn of after their last one is heard too.
  std::vector<model::Member> await() {
    while (!all_are_done()) {
      if (const auto failure = task_.team.failure()) throw Error(failure->code, failure->sentence);
      if (task_.options.stop.stop_requested()) throw Error(ErrorCode::interrupted, "interrupted");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const std::lock_guard lock(mutex_);
    base::require(members_.size() == missing_, ErrorCode::failure, "{} of {} members arrived", members_.size(),
                  missing_);
    return std::move(members_);
  }

 private:
  bool all_are_done() {
    const std::lock_guard lock(mutex_);
    return ranks_done_ == task_.team.size();
  }

  void note_done() {
    const std::lock_guard lock(mutex_);
    ++ranks_done_;
  }

  void take(std::size_t from, std::string_view bytes) {
    const std::string_view content = bytes.substr(1);
    switch (bytes.front()) {
      case member:
        keep(decode(task_, bytes));
        break;
      case progress:
        ranks_[from] = base::ByteReader(content).value<Progress>();
        display_.show(sum_of(ranks_, missing_));
        break;
      case warning:  // of rows all ranks say the same
        if (said_.emplace(content).second) display_.warn(content);
        break;
      case done:
        note_done();
        break;
      default:
        break;
    }
  }

  void keep(model::Member finished) {
    task_.keep(finished);
    const std::lock_guard lock(mutex_);
    members_.push_back(std::move(finished));
  }

  const TeamTask& task_;
  std::size_t missing_;
  ProgressDisplay display_;
  std::vector<Progress> ranks_;
  std::set<std::string, std::less<>> said_;
  std::mutex mutex_;
  std::vector<model::Member> members_;
  std::size_t ranks_done_ = 0;
};

/// Each rank has a run of neighbours: kinds, which differ in cost, are dealt to members in turn.
void train_share(const TeamTask& task, std::span<const std::size_t> share) {
  FitOptions options = task.options;
  options.on_progress = [&task, next = 0.0](const Progress& now) mutable {
    constexpr double pause = 0.5;  // seconds
    if (now.seconds_elapsed < next && now.members_done < now.members) return;
    next = now.seconds_elapsed + pause;
    std::string bytes(1, progress);
    base::append_value(bytes, now);
    task.team.post(bytes);
  };
  options.on_warning = [&task](std::string_view sentence) { task.team.post(std::string(1, warning).append(sentence)); };
  const auto post = [&task](const model::Member& finished) { task.team.post(encode(task, finished)); };
  learn::train_members(task.train, options, share, post);
}

/// What one rank posts arrives in order, so that nothing follows when it is done.
void take_part(const TeamTask& task, std::span<const std::size_t> missing) {
  const base::Share share = base::share_of(missing.size(), task.team.rank(), task.team.size());
  if (share.first < share.end) train_share(task, missing.subspan(share.first, share.end - share.first));
  task.team.post(std::string(1, done));
}

std::vector<std::size_t> shared_list(base::Team& team, const std::vector<std::size_t>& missing) {
  std::string bytes;
  base::append_value(bytes, missing.size());
  base::append_values(bytes, std::span<const std::size_t>(missing));
  bytes = team.broadcast(std::move(bytes));
  return base::ByteReader(bytes).counted<std::size_t>();
}

std::vector<model::Member> shared_members(const TeamTask& task, std::vector<model::Member> all) {
  std::string bytes;
  for (const model::Member& one : all) base::append_text(bytes, encode(task, one));
  bytes = task.team.broadcast(std::move(bytes));
  if (task.team.leads()) return all;
  for (base::ByteReader reader(bytes); !reader.at_end();) all.push_back(decode(task, reader.text()));
  return all;
}

}  // namespace

std::vector<model::Member> train_in_team(const TeamTask& task, std::vector<model::Member> finished,
                                         const std::vector<std::size_t>& missing) {
  if (!task.team.leads()) {
    take_part(task, shared_list(task.team, missing));
    return shared_members(task, {});
  }
  {
    Reception reception(task, finished.size(), missing.size());
    take_part(task, shared_list(task.team, missing));
    for (model::Member& arrived : reception.await()) finished.push_back(std::move(arrived));
  }
  std::ranges::sort(finished, {}, &model::Member::index);
  return shared_members(task, std::move(finished));
}

}  // namespace credens::cli

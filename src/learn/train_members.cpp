// SPDX-License-Identifier: Apache-2.0

#include "learn/train_members.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "learn/recipe.hpp"
#include "learn/trainer.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

ProgressMeter::ProgressMeter(std::size_t members, std::size_t epochs, Callback callback)
    : callback_(std::move(callback)), epochs_(epochs), reached_(members, 0) {}

void ProgressMeter::advance(std::size_t position, std::size_t epochs) {
  if (epochs <= reached_[position]) return;
  total_reached_ += epochs - reached_[position];
  reached_[position] = epochs;
}

void ProgressMeter::epoch_done(std::size_t position, std::size_t epochs) {
  advance(position, epochs);
  if (callback_ && Clock::now() >= next_report_) report();
}

void ProgressMeter::member_done(std::size_t position) {
  advance(position, epochs_);
  ++members_done_;
  if (callback_ && (Clock::now() >= next_report_ || members_done_ == reached_.size())) report();
}

void ProgressMeter::report() {
  constexpr auto pause = std::chrono::milliseconds(100);
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double fraction = static_cast<double>(total_reached_) / static_cast<double>(reached_.size() * epochs_);
  next_report_ = now + pause;
  callback_({.members_done = members_done_,
             .members = reached_.size(),
             .fraction = fraction,
             .seconds_elapsed = elapsed,
             .seconds_left = elapsed * (1 - fraction) / fraction});
}

namespace {

/// The members of one fit on their threads. What threads share is behind one mutex.
class Crew {
 public:
  Crew(const TrainingRows& rows, const FitOptions& options, std::span<const std::size_t> which,
       const OnMember& on_member)
      : rows_(rows),
        options_(options),
        which_(which),
        on_member_(on_member),
        meter_(which.size(), options.epochs, options.on_progress),
        finished_(which.size()) {
    options_.stop = halt_.get_token();
  }

  /// In the order of `which`. Where the user stops or a member fails, every running member stops too.
  std::vector<TrainedMember> run(const std::stop_token& stop);

 private:
  void train(std::size_t position);

  const TrainingRows& rows_;
  std::stop_source halt_;
  FitOptions options_;  ///< with the crew's own stop token
  std::span<const std::size_t> which_;
  const OnMember& on_member_;
  std::mutex mutex_;
  ProgressMeter meter_;
  std::vector<TrainedMember> finished_;
};

void Crew::train(std::size_t position) {
  if (halt_.stop_requested()) return;
  const auto on_epoch = [this, position](std::size_t epochs) {
    const std::lock_guard lock(mutex_);
    meter_.epoch_done(position, epochs);
  };
  try {
    TrainedMember trained = train_member(rows_, options_, which_[position], on_epoch);
    const std::lock_guard lock(mutex_);
    if (on_member_) on_member_(trained.member);
    finished_[position] = std::move(trained);
    meter_.member_done(position);
  } catch (const Error& error) {
    halt_.request_stop();
    if (error.code() != ErrorCode::interrupted) throw;
  } catch (...) {
    halt_.request_stop();
    throw;
  }
}

std::vector<TrainedMember> Crew::run(const std::stop_token& stop) {
  const std::stop_callback relay(stop, [this] { halt_.request_stop(); });
  base::parallel_for(which_.size(), options_.threads, [this](std::size_t position) { train(position); });
  base::require(meter_.members_done() == which_.size(), ErrorCode::interrupted, "stopped; {} of {} members finished",
                meter_.members_done(), which_.size());
  return std::move(finished_);
}

void check_which(std::span<const std::size_t> which, std::size_t members) {
  for (const std::size_t index : which) {
    base::require(index < members, ErrorCode::usage, "member {} of {} is asked for, expected 0 to {}", index, members,
                  members - 1);
  }
}

void warn_of_retries(std::span<const TrainedMember> all, const FitOptions& options) {
  for (const TrainedMember& finished : all) {
    if (finished.attempt == 0) continue;
    options.on_warning(fmt::format("member {} diverged and was trained again, with success in attempt {}",
                                   finished.member.index, finished.attempt + 1));
  }
}

/// Warns of losses far above the median: by half a nat per output, and by ten times the median distance to the median.
/// Members of several configurations may differ and are not compared.
void warn_of_outliers(std::span<const TrainedMember> all, const FitOptions& options, std::size_t outputs) {
  constexpr std::size_t enough = 4;
  if (all.size() < enough || configuration_count(options) > 1) return;
  std::vector<double> losses;
  for (const TrainedMember& finished : all) losses.push_back(finished.final_loss);
  const double median = math::weighted_median(losses, {});
  std::vector<double> distances;
  for (const double loss : losses) distances.push_back(std::abs(loss - median));
  const double far = std::max(0.5 * static_cast<double>(outputs), 10 * math::weighted_median(distances, {}));
  for (const TrainedMember& finished : all) {
    if (finished.final_loss <= median + far) continue;
    options.on_warning(
        fmt::format("member {} has a final training loss of {:.4g}, far above the median of all members, {:.4g}",
                    finished.member.index, finished.final_loss, median));
  }
}

}  // namespace

std::vector<model::Member> train_members(const TrainingRows& train, const FitOptions& options,
                                         std::span<const std::size_t> which, const OnMember& on_member) {
  check_which(which, options.members);
  FitOptions running = options;
  if (train.are_stored()) running.threads = windows_at_once(options, train.table().window_bytes());
  std::vector<TrainedMember> all = Crew(train, running, which, on_member).run(options.stop);
  if (options.on_warning) {
    warn_of_retries(all, options);
    warn_of_outliers(all, options, train.train().outputs);
  }
  std::vector<model::Member> members;
  for (TrainedMember& finished : all) members.push_back(std::move(finished.member));
  return members;
}

}  // namespace credens::learn

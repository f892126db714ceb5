// SPDX-License-Identifier: Apache-2.0
//
// A team whose ranks are processes, maybe on several machines.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/team.hpp"
#include "cli/wire.hpp"

namespace credens::cli {

std::string host_name();  ///< of this machine

/// Together they keep below the 30 s in which a lost rank ends the work.
struct Patience {
  std::chrono::milliseconds beat{1000};      ///< between signs of life
  std::chrono::milliseconds silence{15000};  ///< after which a rank is lost
  std::chrono::milliseconds farewell{5000};  ///< for ranks to stop what they do when one has failed
};

/// A thread of each rank exchanges signs of life, posts and failures with rank 0 on the control channel, whatever the
/// others of its threads do. It never waits; posts go to the listener in another.
class WiredTeam : public base::Team {
 public:
  explicit WiredTeam(Wire& wire, const Patience& patience = {});  ///< the wire must live as long
  ~WiredTeam() override;

  std::size_t rank() const override { return wire_.rank(); }
  std::size_t size() const override { return wire_.size(); }
  std::size_t node_leader() const override { return wire_.node_leader(); }

  std::vector<std::string> gather(std::string bytes) override;
  std::string broadcast(std::string bytes) override;
  void post(std::string_view bytes) override;
  void listen(Listener listener) override;
  std::stop_token stop() const override { return halt_.get_token(); }
  std::optional<base::TeamFailure> failure() const override;

  /// Tells all ranks that can be reached what went wrong on this one; of several failures the first counts.
  void fail(ErrorCode code, std::string_view sentence);

  /// When this rank has nothing more to do: waits for the others, for those that fail at most the time of `farewell`,
  /// and closes the wire. A status that is not 0 is a failure, also where nobody was told of it. Returns the status of
  /// the whole team, which is another rank's where that failed alone.
  /// Over a wire that breaks, this process ends at once.
  int leave(int status);

 private:
  using Clock = std::chrono::steady_clock;

  void watch(const std::stop_token& end);
  void look_around();
  void give_sign_of_life(Clock::time_point now);
  void handle(const Message& message);
  void hear_failure(std::size_t from, std::string_view bytes);
  void queue_post(std::size_t from, std::string_view bytes);
  void deliver(const std::stop_token& end);
  bool deliver_one();                                        ///< false: nothing waits; `listening_` is held
  void hear_post(std::size_t from, std::string_view bytes);  ///< `listening_` is held
  void look_for_silence(Clock::time_point now);
  void end_if_stuck(Clock::time_point now);
  void tell(std::size_t to, char kind, std::string_view bytes = {});
  void tell_others(char kind, std::string_view bytes = {});
  bool note(base::TeamFailure failure, bool is_lost);  ///< false: it is not the first
  bool has_left(std::size_t rank) const;
  bool all_have_left() const;
  int await_farewells(int status);
  int await_end(int status);

  std::string take_from(std::size_t rank);
  std::string pass_down(std::string bytes);

  Wire& wire_;
  const Patience patience_;
  std::stop_source halt_;
  std::vector<std::deque<std::string>> arrived_;  ///< on the data channel, by rank; of the thread that waits

  mutable std::mutex mutex_;  ///< for what follows
  std::vector<Clock::time_point> heard_;
  std::vector<std::string> hosts_;  ///< as they called themselves
  std::vector<bool> has_left_;
  bool has_ended_ = false;
  bool is_lost_ = false;  ///< a rank is out of reach
  std::optional<base::TeamFailure> failure_;
  Clock::time_point failed_at_;

  const std::string host_;  ///< what follows is the watcher's
  Clock::time_point last_sign_;
  Clock::time_point last_look_;

  std::mutex listening_;  ///< one post at a time, in order
  Listener listener_;
  std::mutex posting_;  ///< never waits for a listener
  std::deque<Message> posts_;
  std::condition_variable_any has_posts_;
  std::atomic<bool> leaving_ = false;
  std::jthread deliverer_;
  std::jthread watcher_;
};

}  // namespace credens::cli

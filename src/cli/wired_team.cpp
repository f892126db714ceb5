// SPDX-License-Identifier: Apache-2.0

#include "cli/wired_team.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>

#include "base/bytes.hpp"
#include "cli/print.hpp"

namespace credens::cli {

namespace {

using std::chrono::milliseconds;

/// The first byte of a message on the control channel.
enum Kind : char { alive = 'a', posted = 'p', failed = 'f', left = 'l', ended = 'e' };

/// Short waits cost no core, long ones no time that would matter.
class Pause {
 public:
  void rest() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(next_ * 2, longest);
  }

 private:
  static constexpr std::chrono::microseconds longest{1000};
  std::chrono::microseconds next_{20};
};

/// In the tree of a broadcast, whose root is rank 0, the parent lacks the lowest bit.
std::size_t parent_of(std::size_t rank) {
  return rank & (rank - 1);
}

std::vector<std::size_t> children_of(std::size_t rank, std::size_t size) {
  std::vector<std::size_t> children;
  const std::size_t own = rank == 0 ? std::bit_ceil(size) : rank & ~(rank - 1);
  for (std::size_t bit = own / 2; bit > 0; bit /= 2) {
    if (rank + bit < size) children.push_back(rank + bit);
  }
  return children;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown host";
}

WiredTeam::WiredTeam(Wire& wire, const Patience& patience)
    : wire_(wire),
      patience_(patience),
      arrived_(wire.size()),
      heard_(wire.size(), Clock::now()),
      hosts_(wire.size(), "a host that never spoke"),
      has_left_(wire.size(), false),
      host_(host_name()),
      last_sign_(Clock::now() - patience.beat),
      last_look_(Clock::now()),
      deliverer_([this](const std::stop_token& end) { deliver(end); }),
      watcher_([this](const std::stop_token& end) { watch(end); }) {}

WiredTeam::~WiredTeam() = default;

// ---- what ranks exchange ----

std::string WiredTeam::take_from(std::size_t rank) {
  Message message;
  for (Pause pause; arrived_[rank].empty(); pause.rest()) {
    const bool is_gone = has_left(rank);  // asked first: what it failed with was said before it left
    if (const auto failure = this->failure()) throw Error(failure->code, failure->sentence);
    base::require(!is_gone, ErrorCode::failure, "rank {} ended before its part was done", rank);
    while (wire_.receive(Channel::data, message)) arrived_[message.from].push_back(std::move(message.bytes));
  }
  std::string bytes = std::move(arrived_[rank].front());
  arrived_[rank].pop_front();
  return bytes;
}

std::string WiredTeam::pass_down(std::string bytes) {
  for (const std::size_t child : children_of(rank(), size())) wire_.send(child, Channel::data, bytes);
  return bytes;
}

std::string WiredTeam::broadcast(std::string bytes) {
  return pass_down(rank() == 0 ? std::move(bytes) : take_from(parent_of(rank())));
}

std::vector<std::string> WiredTeam::gather(std::string bytes) {
  std::vector<std::string> all;
  if (rank() > 0) {
    wire_.send(0, Channel::data, bytes);
  } else {
    all.push_back(std::move(bytes));
    while (all.size() < size()) all.push_back(take_from(all.size()));
  }
  broadcast({});  // nobody runs ahead: what waits at rank 0 stays small
  return all;
}

void WiredTeam::post(std::string_view bytes) {
  if (rank() > 0) return tell(0, posted, bytes);
  const std::lock_guard lock(listening_);
  hear_post(0, bytes);
}

/// What has come by now is for the listener that was there.
void WiredTeam::listen(Listener listener) {
  const std::lock_guard lock(listening_);
  while (deliver_one()) continue;
  listener_ = std::move(listener);
}

bool WiredTeam::deliver_one() {
  Message post;
  {
    const std::lock_guard lock(posting_);
    if (posts_.empty()) return false;
    post = std::move(posts_.front());
    posts_.pop_front();
  }
  hear_post(post.from, post.bytes);
  return true;
}

/// A thread of its own: to keep what was posted takes as long as a disk takes, and signs of life do not wait for it.
void WiredTeam::deliver(const std::stop_token& end) {
  const auto await_post = [&] {
    std::unique_lock lock(posting_);
    return has_posts_.wait(lock, end, [this] { return !posts_.empty(); });
  };
  while (await_post()) {
    const std::lock_guard lock(listening_);
    deliver_one();
  }
}

// ---- failures ----

std::optional<base::TeamFailure> WiredTeam::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool WiredTeam::note(base::TeamFailure failure, bool is_lost) {
  {
    const std::lock_guard lock(mutex_);
    is_lost_ = is_lost_ || is_lost;
    if (failure_) return false;
    failure_ = std::move(failure);
    failed_at_ = Clock::now();
  }
  halt_.request_stop();
  return true;
}

void WiredTeam::fail(ErrorCode code, std::string_view sentence) {
  std::string bytes;
  base::append_value(bytes, code);
  bytes += sentence;
  note({code, std::string(sentence)}, false);
  try {
    tell_others(failed, bytes);
  } catch (const Error& broken) {
    note({broken.code(), broken.what()}, true);  // `leave` will not wait for anyone
  }
}

/// Rank 0 tells it to all, so that they stop too.
void WiredTeam::hear_failure(std::size_t from, std::string_view bytes) {
  base::ByteReader reader(bytes);
  const auto code = reader.value<ErrorCode>();
  std::string sentence(bytes.substr(sizeof code));
  if (rank() == 0 && code != ErrorCode::interrupted) sentence = fmt::format("rank {}: {}", from, sentence);
  if (note({code, std::move(sentence)}, false) && rank() == 0) tell_others(failed, bytes);
}

void WiredTeam::queue_post(std::size_t from, std::string_view bytes) {
  {
    const std::lock_guard lock(posting_);
    posts_.push_back({from, std::string(bytes)});
  }
  has_posts_.notify_one();
}

void WiredTeam::hear_post(std::size_t from, std::string_view bytes) {
  try {
    if (listener_) listener_(from, bytes);
  } catch (const Error& error) {
    fail(error.code(), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    fail(ErrorCode::io, error.what());
  }
}

// ---- the thread that watches ----

void WiredTeam::tell(std::size_t to, char kind, std::string_view bytes) {
  wire_.send(to, Channel::control, std::string(1, kind).append(bytes));
}

void WiredTeam::tell_others(char kind, std::string_view bytes) {
  if (rank() > 0) return tell(0, kind, bytes);
  for (std::size_t other = 1; other < size(); ++other) tell(other, kind, bytes);
}

void WiredTeam::handle(const Message& message) {
  const std::string_view bytes = std::string_view(message.bytes).substr(1);
  switch (message.bytes.front()) {
    case posted:
      queue_post(message.from, bytes);
      break;
    case failed:
      hear_failure(message.from, bytes);
      break;
    default:
      break;
  }
  const std::lock_guard lock(mutex_);
  heard_[message.from] = Clock::now();
  if (message.bytes.front() == alive) hosts_[message.from] = bytes;
  if (message.bytes.front() == left) has_left_[message.from] = true;
  if (message.bytes.front() == ended) has_ended_ = true;
}

/// Rank 0 looks after all others, and they after rank 0.
void WiredTeam::look_for_silence(Clock::time_point now) {
  const std::size_t first = rank() == 0 ? 1 : 0;
  const std::size_t end = rank() == 0 ? size() : 1;
  for (std::size_t other = first; other < end; ++other) {
    std::string host;
    {
      const std::lock_guard lock(mutex_);
      if (has_ended_ || is_lost_ || now - heard_[other] < patience_.silence) continue;
      host = hosts_[other];
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience_.silence).count();
    const bool is_first =
        note({ErrorCode::failure, fmt::format("rank {} on {} is lost: no sign of life for {} s", other, host, seconds)},
             true);
    if (is_first && rank() == 0) {
      std::string bytes;
      base::append_value(bytes, ErrorCode::failure);
      tell_others(failed, bytes + "a rank is lost");
    }
  }
}

/// Work that does not look whether it shall stop is not waited for.
void WiredTeam::end_if_stuck(Clock::time_point now) {
  base::TeamFailure failure;
  {
    const std::lock_guard lock(mutex_);
    const bool is_ours = rank() == 0 || is_lost_;
    if (leaving_ || !failure_ || !is_ours || now - failed_at_ < patience_.farewell) return;
    failure = *failure_;
  }
  if (rank() == 0) print_error("credens: " + failure.sentence);
  wire_.abort(static_cast<int>(failure.code));
}

void WiredTeam::give_sign_of_life(Clock::time_point now) {
  if (now - last_sign_ < patience_.beat) return;
  last_sign_ = now;
  tell_others(alive, host_);
}

void WiredTeam::look_around() {
  Message message;
  while (wire_.receive(Channel::control, message)) {
    handle(message);
    give_sign_of_life(Clock::now());  // many may have come
  }
  const Clock::time_point now = Clock::now();
  if (now - last_look_ > patience_.silence / 3) {  // this process was held up: the others are not to blame
    const std::lock_guard lock(mutex_);
    std::ranges::fill(heard_, now);
  }
  last_look_ = now;
  give_sign_of_life(now);
  look_for_silence(now);
  end_if_stuck(now);
}

void WiredTeam::watch(const std::stop_token& end) {
  constexpr milliseconds pause{10};
  while (!end.stop_requested()) {
    try {
      look_around();
    } catch (const Error& broken) {
      note({broken.code(), broken.what()}, true);
      end_if_stuck(Clock::now());
    }
    std::this_thread::sleep_for(pause);
  }
}

// ---- the end ----

bool WiredTeam::has_left(std::size_t rank) const {
  const std::lock_guard lock(mutex_);
  return has_left_[rank];
}

bool WiredTeam::all_have_left() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(has_left_.begin() + 1, has_left_.end(), [](bool one) { return one; });
}

/// The status of the team, at rank 0.
int WiredTeam::await_farewells(int status) {
  constexpr milliseconds pause{2};
  while (!all_have_left()) {
    {
      const std::lock_guard lock(mutex_);
      const bool is_over = failure_ && Clock::now() - failed_at_ > 2 * patience_.farewell;
      if (is_lost_ || is_over) break;
    }
    std::this_thread::sleep_for(pause);
  }
  if (const auto late = failure(); status == 0 && late) {  // after this rank had done its part
    status = static_cast<int>(late->code);
    print_error("credens: " + late->sentence);
  }
  if (!all_have_left()) wire_.abort(status);
  tell_others(ended);
  return status;
}

/// The same at the others, which rank 0 tells when all is over.
int WiredTeam::await_end(int status) {
  constexpr milliseconds pause{2};
  tell(0, left);
  const auto is_over = [this] {
    const std::lock_guard lock(mutex_);
    return has_ended_ || is_lost_;
  };
  while (!is_over()) std::this_thread::sleep_for(pause);
  if (const auto elsewhere = failure()) status = static_cast<int>(elsewhere->code);
  const std::lock_guard lock(mutex_);
  if (!has_ended_) wire_.abort(status == 0 ? static_cast<int>(ErrorCode::failure) : status);
  return status;
}

int WiredTeam::leave(int status) {
  int if_broken = status == 0 ? static_cast<int>(ErrorCode::failure) : status;
  leaving_ = true;
  try {
    if (status != 0 && !failure()) {  // others may wait for this rank
      fail(static_cast<ErrorCode>(status), fmt::format("ended with status {}", status));
    }
    status = rank() == 0 ? await_farewells(status) : await_end(status);
    if_broken = status;  // the work is done, and what is written is whole
    watcher_.request_stop();
    watcher_.join();
    wire_.close();
  } catch (const Error&) {
    wire_.abort(if_broken);
  }
  return status;
}

}  // namespace credens::cli

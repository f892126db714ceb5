// SPDX-License-Identifier: Apache-2.0

#include "cli/team.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "cli/interrupt.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "mpi/ranks.h"
#include "store/model_file.hpp"
#include "store/safetensors.hpp"

namespace credens::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_join_seconds = 300;

std::optional<std::size_t> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  const auto number = base::parse_integer(text == nullptr ? "" : text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// The ranks that the module has joined. Every call begins with a meeting of all ranks, to which each brings how many
/// bytes it gives, or that it failed.
class RankTeam : public base::Team {
 public:
  explicit RankTeam(const CredensRanks& ranks) : ranks_(ranks) {}

  std::size_t rank() const override { return static_cast<std::size_t>(ranks_.rank); }
  std::size_t size() const override { return static_cast<std::size_t>(ranks_.size); }
  std::size_t machine() const { return static_cast<std::size_t>(ranks_.machine); }

  void collect(std::string bytes, const Taker& take) override {
    const std::vector<std::int64_t> counts = meet(bytes.size());
    if (!leads()) return ranks_.send(bytes.data(), bytes.size());
    std::exception_ptr failure;  // the others send, whatever happens here
    for (std::size_t from = 0; from < size(); ++from) {
      bytes.resize(static_cast<std::size_t>(counts[from]));
      if (from > 0) ranks_.receive(static_cast<int>(from), bytes.data(), bytes.size());
      try {
        if (!failure) take(bytes);
      } catch (...) {
        failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  std::string broadcast(std::string bytes) override {
    bytes.resize(static_cast<std::size_t>(meet(bytes.size()).front()));
    ranks_.broadcast(0, bytes.data(), bytes.size());
    return bytes;
  }

  /// mpirun asks all ranks to stop, for the user or because another rank has failed; then rank 0 alone says so.
  void abort(const Error& error) override {
    const bool is_said_elsewhere = error.code() == ErrorCode::interrupted && !leads() && stop_came_from_parent();
    if (!is_said_elsewhere)
      std::fputs(fmt::format("credens: {}\n", base::printable(sentence_of(error))).c_str(), stderr);
    ranks_.abort(error.exit_status());
  }

  Error fail(const Error& own) {
    try {
      if (!failure_) meet(0, &own);
    } catch (const Error&) {
      // `failure_` is it, on all ranks
    }
    return failure_.value_or(own);
  }

  /// Throws where another rank failed after this one had done its part.
  void meet_at_the_end() { meet(0); }

  const CredensRanks& ranks() const { return ranks_; }

 private:
  std::string sentence_of(const Error& error) const {
    return fmt::format("rank {} on {}: {}", rank(), host_name(), error.what());
  }

  /// The numbers that all ranks bring; throws the error of the lowest rank that has one.
  std::vector<std::int64_t> meet(std::size_t own, const Error* failure = nullptr) {
    std::string text;
    if (failure != nullptr) {
      base::append_value(text, failure->code());
      text += leads() ? failure->what() : sentence_of(*failure);
    }
    const auto number = static_cast<std::int64_t>(failure == nullptr ? own : text.size());
    std::vector<std::int64_t> all(size());
    ranks_.meet(failure == nullptr ? number : -number, all.data());
    const auto failed = std::ranges::find_if(all, [](std::int64_t count) { return count < 0; });
    if (failed == all.end()) return all;
    text.resize(static_cast<std::size_t>(-*failed));
    ranks_.broadcast(static_cast<int>(failed - all.begin()), text.data(), text.size());
    const auto code = base::ByteReader(text).value<ErrorCode>();
    failure_.emplace(code, text.substr(sizeof code));
    throw Error(*failure_);
  }

  CredensRanks ranks_;
  std::optional<Error> failure_;  ///< that all ranks know of
};

/// Beside the program, or where it was installed.
fs::path find_module() {
  constexpr std::string_view name = "credens_mpi.so";
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = folder.parent_path() / "lib" / "credens";
  for (const fs::path& place : {folder, installed}) {
    if (fs::exists(place / name, error)) return place / name;
  }
  base::fail(ErrorCode::failure,
             "mpirun started several processes, but there is no {} in {} or {}: build Credens where OpenMPI is "
             "installed, or start one process",
             name, folder.string(), installed.string());
}

/// Plugins of OpenMPI look for its symbols among those that all see.
CredensRanks load_ranks() {
  const fs::path module = find_module();
  void* handle = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  base::require(handle != nullptr, ErrorCode::failure, "{}: cannot be loaded: {}", module.string(),
                handle == nullptr ? ::dlerror() : "");
  const auto join = reinterpret_cast<CredensRanksJoin>(::dlsym(handle, CREDENS_RANKS_JOIN));
  CredensRanks ranks{};
  base::require(join != nullptr && join(&ranks) == 0 && ranks.version == CREDENS_RANKS_VERSION, ErrorCode::failure,
                "{}: MPI cannot be started, or the module belongs to another version of Credens", module.string());
  return ranks;
}

/// Ends this process where not all have joined in time: one may hang before it joins, or be another program, and MPI
/// waits for it without end. mpirun then ends all others, so that as a rule only the lowest rank that waits speaks.
/// Reads nothing of the environment, which MPI changes as it starts.
void end_unless_joined(const std::stop_token& joined, const Launch& launch, std::size_t seconds) {
  const std::size_t later = std::min<std::size_t>(launch.rank, 10);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, joined, std::chrono::seconds(seconds + later), [] { return false; });
  if (joined.stop_requested()) return;
  print_error(
      fmt::format("credens: rank {} on {}: not all of the {} processes that mpirun started joined within {} s "
                  "(CREDENS_JOIN_SECONDS), expected each to run this command",
                  launch.rank, host_name(), launch.size, seconds));
  ::_exit(static_cast<int>(ErrorCode::failure));
}

std::unique_ptr<RankTeam>& joined() {
  static std::unique_ptr<RankTeam> only;
  return only;
}

/// The facts by which ranks of one machine share its cores.
struct Seat {
  std::size_t machine = 0;
  cpu_set_t cores{};
};

/// Ranks that use the very cores that this one may use share these, all ranks of a machine its memory.
void share_machine(RankTeam& team) {
  Seat own{.machine = team.machine()};
  ::sched_getaffinity(0, sizeof own.cores, &own.cores);
  std::string bytes;
  base::append_value(bytes, own);
  const std::string all = team.all_gather(bytes);
  int on_these_cores = 0;
  std::size_t on_this_machine = 0;
  for (base::ByteReader reader(all); !reader.at_end();) {
    const Seat seat = reader.value<Seat>();
    if (seat.machine != own.machine) continue;
    ++on_this_machine;
    if (CPU_EQUAL(&seat.cores, &own.cores)) ++on_these_cores;
  }
  base::share_cores(on_these_cores);
  base::share_memory(on_this_machine);
}

void check_same_words(base::Team& team, std::string_view words) {
  const std::vector<std::string> all = team.gather(std::string(words));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    base::require(all[rank] == words, ErrorCode::usage,
                  "rank {} was started with other arguments than rank 0, expected the same for all ranks", rank);
  }
}

/// The digits that a checksum skips in a file stand before the bytes here, so that all of these count.
std::string checksum(const std::string& bytes) {
  return store::checksum(std::string(store::checksum_digits, '0') + bytes, 0);
}

}  // namespace

Launch launch() {
  const auto rank = number_in_environment("OMPI_COMM_WORLD_RANK");
  const auto size = number_in_environment("OMPI_COMM_WORLD_SIZE");
  if (!rank || !size || *rank >= *size) return {};
  return {.rank = *rank,
          .size = *size,
          .is_first_on_machine = number_in_environment("OMPI_COMM_WORLD_LOCAL_RANK").value_or(0) == 0};
}

/// MPICH, Intel MPI and Slurm's pmi2 say how many there are, Slurm with PMIx says it in its own words. mpirun of
/// OpenMPI has a rank in the environment even where a user took the size away, so that processes are independent.
std::optional<Launch> foreign_launch() {
  if (std::getenv("OMPI_COMM_WORLD_RANK") != nullptr || std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return {};
  auto rank = number_in_environment("PMI_RANK");
  auto size = number_in_environment("PMI_SIZE");
  if (!size) {
    rank = number_in_environment("PMIX_RANK");
    if (rank) size = number_in_environment("SLURM_STEP_NUM_TASKS");
  }
  if (!size || *size < 2) return {};
  return Launch{.rank = rank.value_or(0), .size = *size};
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown host";
}

base::Team& team() {
  return joined() ? *joined() : base::alone();
}

void join_team(const Launch& launch, std::string_view words) {
  if (launch.size == 1) return;
  std::optional<BlockedSignals> undisturbed(std::in_place);  // threads of MPI leave requests to stop to the main one
  const std::size_t seconds = number_in_environment("CREDENS_JOIN_SECONDS").value_or(usual_join_seconds);
  std::jthread watcher(end_unless_joined, launch, seconds);
  const CredensRanks ranks = load_ranks();
  watcher.request_stop();
  base::require(
      static_cast<std::size_t>(ranks.size) == launch.size, ErrorCode::failure,
      "mpirun started {} processes, but {} joined, expected the mpirun of the OpenMPI that Credens was built with",
      launch.size, ranks.size);
  joined() = std::make_unique<RankTeam>(ranks);
  undisturbed.reset();
  if (!team().leads()) be_silent();
  share_machine(*joined());
  check_same_words(team(), words);
}

Error fail_team(const Error& own) {
  return joined() ? joined()->fail(own) : own;
}

void abort_team(int status) {
  if (joined()) joined()->ranks().abort(status);
}

int leave_team(int status) {
  if (!joined()) return status;
  try {
    if (status == 0) joined()->meet_at_the_end();
  } catch (const Error& error) {
    print_error(fmt::format("credens: {}", error.what()));
    status = error.exit_status();
  }
  joined()->ranks().leave();
  joined().reset();
  return status;
}

void check_agreement(base::Team& team, std::string_view file, const std::vector<std::string>& found) {
  if (team.is_alone()) return;
  std::string own;
  base::append_text(own, host_name());
  for (const std::string& one : found) base::append_text(own, one);
  const std::vector<std::string> all = team.gather(own);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    base::ByteReader reader(all[rank]);
    const std::string host = reader.text();
    for (std::size_t i = 0; i < found.size() || !reader.at_end(); ++i) {
      const std::string expected = i < found.size() ? found[i] : "less";
      const std::string there = reader.at_end() ? "less" : reader.text();
      base::require(there == expected, ErrorCode::data,
                    "{}: rank {} on {} reads a different file than rank 0: {}, expected {}", file, rank, host, there,
                    expected);
    }
  }
}

void check_same_model(base::Team& team, std::string_view file, const Ensemble& ensemble) {
  if (team.is_alone()) return;
  check_agreement(team, file, {"a model with checksum " + checksum(store::encode_model(ensemble))});
}

std::string digest(const Rows& rows, std::string before) {
  const auto add = [&before](MatrixView values) {
    for (std::size_t row = 0; row < values.rows(); ++row) base::append_values(before, values.row(row));
    before = checksum(before);
  };
  if (!rows.arrays) {
    add(rows.block.table->values);
    return before;
  }
  for (const std::vector<Matrix>* arrays : {&rows.arrays->features, &rows.arrays->mean, &rows.arrays->variance}) {
    for (const Matrix& values : *arrays) add(values);
  }
  add(rows.arrays->targets);
  add(MatrixView(rows.arrays->row_weights.data(), rows.arrays->row_weights.size(), 1));
  return before;
}

}  // namespace credens::cli

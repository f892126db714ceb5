// SPDX-License-Identifier: Apache-2.0

#include "cli/team.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "base/bytes.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "cli/print.hpp"
#include "cli/wired_team.hpp"
#include "mpi/wire_table.h"

namespace credens::cli {

namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  const auto number = base::parse_integer(text == nullptr ? "" : text);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// The ranks of the module's table.
class LoadedWire : public Wire {
 public:
  explicit LoadedWire(const CredensWireTable& table) : table_(table) {}

  std::size_t rank() const override { return static_cast<std::size_t>(table_.rank); }
  std::size_t size() const override { return static_cast<std::size_t>(table_.size); }
  std::size_t node_leader() const override { return static_cast<std::size_t>(table_.node_leader); }

  void send(std::size_t to, Channel channel, std::string_view bytes) override {
    check(table_.send(static_cast<int>(to), static_cast<int>(channel), bytes.data(), bytes.size()));
  }

  bool receive(Channel channel, Message& message) override {
    int from = 0;
    const void* bytes = nullptr;
    std::size_t count = 0;
    if (check(table_.receive(static_cast<int>(channel), &from, &bytes, &count)) == 0) return false;
    message.from = static_cast<std::size_t>(from);
    message.bytes.assign(static_cast<const char*>(bytes), count);
    return true;
  }

  void close() override { check(table_.close()); }
  void abort(int status) override { table_.abort(status); }

 private:
  static int check(int result) {
    base::require(result >= 0, ErrorCode::failure, "the connection between ranks is broken");
    return result;
  }

  CredensWireTable table_;
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
             "installed, or start it once",
             name, folder.string(), installed.string());
}

/// Plugins of OpenMPI look for its symbols among those that all see.
CredensWireTable load_table() {
  const fs::path module = find_module();
  void* handle = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  base::require(handle != nullptr, ErrorCode::failure, "{}: cannot be loaded: {}", module.string(),
                handle == nullptr ? ::dlerror() : "");
  const auto join = reinterpret_cast<CredensWireJoin>(::dlsym(handle, CREDENS_WIRE_JOIN));
  CredensWireTable table{};
  base::require(join != nullptr && join(&table) == 0 && table.version == CREDENS_WIRE_VERSION, ErrorCode::failure,
                "{}: MPI does not work, or the module is of another version of Credens", module.string());
  return table;
}

/// While it lives, threads begin without being asked to stop: that is for the main one, or whoever watches for it.
class UndisturbedBeginning {
 public:
  UndisturbedBeginning() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM}) ::sigaddset(&signals, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals, &previous_);
  }
  ~UndisturbedBeginning() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  UndisturbedBeginning(const UndisturbedBeginning&) = delete;
  UndisturbedBeginning& operator=(const UndisturbedBeginning&) = delete;

 private:
  sigset_t previous_;
};

struct Joined {
  explicit Joined(const CredensWireTable& table) : wire(table), team(wire) {}
  LoadedWire wire;
  WiredTeam team;
};

std::unique_ptr<Joined>& joined() {
  static std::unique_ptr<Joined> only;
  return only;
}

/// What ranks of one machine must know of each other to share its cores.
struct Seat {
  std::size_t node_leader = 0;
  cpu_set_t cores{};
};

/// Ranks that use the very cores that this one may use share these, all ranks of a machine its memory.
void share_machine(base::Team& team) {
  Seat own{.node_leader = team.node_leader()};
  ::sched_getaffinity(0, sizeof own.cores, &own.cores);
  std::string bytes;
  base::append_value(bytes, own);
  std::string all;
  for (const std::string& seat : team.gather(bytes)) all += seat;
  all = team.broadcast(all);
  base::ByteReader reader(all);
  int on_these_cores = 0;
  std::size_t on_this_machine = 0;
  while (!reader.at_end()) {
    const Seat seat = reader.value<Seat>();
    if (seat.node_leader != own.node_leader) continue;
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
                  "rank {} was started with other words than rank 0, expected the same for all ranks of mpirun", rank);
  }
}

}  // namespace

Launch launch() {
  const auto rank = number_in_environment("OMPI_COMM_WORLD_RANK");
  const auto size = number_in_environment("OMPI_COMM_WORLD_SIZE");
  return rank && size && *rank < *size ? Launch{.rank = *rank, .size = *size} : Launch{};
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

base::Team& team() {
  return joined() ? joined()->team : base::alone();
}

void join_team(const Launch& launch, std::string_view words) {
  if (launch.size == 1) return;
  std::optional<UndisturbedBeginning> beginning(std::in_place);
  const CredensWireTable table = load_table();
  base::require(static_cast<std::size_t>(table.size) == launch.size, ErrorCode::failure,
                "mpirun started {} processes, but {} joined: is it that of another MPI?", launch.size, table.size);
  joined() = std::make_unique<Joined>(table);
  beginning.reset();
  if (!team().leads()) be_silent();
  share_machine(team());
  check_same_words(team(), words);
}

bool tell_team(ErrorCode code, std::string_view sentence) {
  if (joined()) joined()->team.fail(code, sentence);
  return team().leads();
}

void abort_team(int status) {
  if (joined()) joined()->wire.abort(status);
}

int leave_team(int status) {
  if (!joined()) return status;
  status = joined()->team.leave(status);
  joined().reset();
  return status;
}

}  // namespace credens::cli

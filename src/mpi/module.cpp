// SPDX-License-Identifier: Apache-2.0
//
// Messages by MPI. Nothing here waits for another rank inside MPI: it would take a core from those who compute, and a
// rank that has gone could not be told from one that is slow. One thread at a time is in MPI.

#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mpi/wire_table.h"

namespace credens::mpi {

namespace {

/// Messages are counted in units, because MPI counts by int; the last bytes of the last unit say how many bytes there
/// are.
constexpr std::size_t unit_size = 64;

struct Parcel {
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// Long messages go in pieces, of which each call of MPI moves a few.
constexpr int patience = 64;

/// < 0: failed; 0: not done yet.
int test(MPI_Request& request, int rounds = patience) {
  int done = 0;
  for (int round = 0; round < rounds && done == 0; ++round) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return -1;
  }
  return done;
}

std::vector<char> wrapped(const void* bytes, std::size_t count) {
  const std::size_t units = (count + sizeof count + unit_size - 1) / unit_size;
  std::vector<char> parcel(units * unit_size);
  if (count > 0) std::memcpy(parcel.data(), bytes, count);
  std::memcpy(parcel.data() + parcel.size() - sizeof count, &count, sizeof count);
  return parcel;
}

std::size_t wrapped_count(const std::vector<char>& parcel) {
  std::size_t count = 0;
  std::memcpy(&count, parcel.data() + parcel.size() - sizeof count, sizeof count);
  return count;
}

volatile std::sig_atomic_t last_status = 0;

/// Ends this process, whatever MPI then waits for, unless `alarm(0)` takes it back.
void end_within(unsigned seconds, int status) {
  last_status = status;
  std::signal(SIGALRM, [](int) { ::_exit(last_status); });
  ::alarm(seconds);
}

class Wire {
 public:
  bool join(CredensWireTable& table);
  bool send(int to, int channel, const void* bytes, std::size_t count);
  int receive(int channel, int& from, const void*& bytes, std::size_t& count);
  bool close();
  [[noreturn]] void abort(int code);

 private:
  struct Incoming : Parcel {
    int from = 0;
  };
  struct Channel {
    std::list<Incoming> under_way;  ///< those of one rank in the order in which it sent them
    std::vector<char> taken;        ///< the last that was given out
  };

  int node_leader() const;
  bool forget_sent();
  bool begin_receiving(int channel);
  static std::list<Incoming>::iterator find_arrived(std::list<Incoming>& under_way, bool& is_broken);
  int units_of(const std::vector<char>& bytes) const { return static_cast<int>(bytes.size() / unit_size); }

  static constexpr std::chrono::seconds longest_close{10};

  std::timed_mutex mutex_;
  int rank_ = 0;
  MPI_Datatype unit_ = MPI_DATATYPE_NULL;
  std::list<Parcel> sending_;
  std::array<Channel, CREDENS_WIRE_CHANNELS> channels_;
};

bool Wire::join(CredensWireTable& table) {
  // Ranks in one container often may not read each other's memory, which is then said in the middle of the work.
  ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return false;
  if (provided < MPI_THREAD_SERIALIZED) return false;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &table.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &table.size);
  rank_ = table.rank;
  table.node_leader = node_leader();
  return MPI_Type_contiguous(unit_size, MPI_BYTE, &unit_) == MPI_SUCCESS && MPI_Type_commit(&unit_) == MPI_SUCCESS;
}

int Wire::node_leader() const {
  int leader = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &leader);
  MPI_Comm node = MPI_COMM_NULL;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS) return leader;
  MPI_Bcast(&leader, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  return leader;
}

bool Wire::forget_sent() {
  for (auto parcel = sending_.begin(); parcel != sending_.end();) {
    const int done = test(parcel->request);
    if (done < 0) return false;
    parcel = done > 0 ? sending_.erase(parcel) : std::next(parcel);
  }
  return true;
}

bool Wire::send(int to, int channel, const void* bytes, std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (!forget_sent()) return false;
  Parcel& parcel = sending_.emplace_back(Parcel{.bytes = wrapped(bytes, count)});
  return MPI_Isend(parcel.bytes.data(), units_of(parcel.bytes), unit_, to, channel, MPI_COMM_WORLD, &parcel.request) ==
         MPI_SUCCESS;
}

/// One more message, whoever it is from. False: the wire is broken.
bool Wire::begin_receiving(int channel) {
  int is_there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (MPI_Improbe(MPI_ANY_SOURCE, channel, MPI_COMM_WORLD, &is_there, &message, &status) != MPI_SUCCESS) return false;
  if (is_there == 0) return true;
  int units = 0;
  MPI_Get_count(&status, unit_, &units);
  Incoming& incoming = channels_.at(static_cast<std::size_t>(channel)).under_way.emplace_back();
  incoming.bytes.resize(static_cast<std::size_t>(units) * unit_size);
  incoming.from = status.MPI_SOURCE;
  return MPI_Imrecv(incoming.bytes.data(), units, unit_, &message, &incoming.request) == MPI_SUCCESS;
}

/// A long message of a rank that was cut off holds up what came from that rank after it, and nobody else's.
std::list<Wire::Incoming>::iterator Wire::find_arrived(std::list<Incoming>& under_way, bool& is_broken) {
  const int rounds = std::max(1, patience / std::max(1, static_cast<int>(under_way.size())));
  for (auto incoming = under_way.begin(); incoming != under_way.end(); ++incoming) {
    const auto is_of_same_rank = [&](const Incoming& other) { return other.from == incoming->from; };
    if (std::any_of(under_way.begin(), incoming, is_of_same_rank)) continue;
    const int done = test(incoming->request, rounds);
    is_broken = done < 0;
    if (done != 0) return incoming;
  }
  return under_way.end();
}

int Wire::receive(int channel, int& from, const void*& bytes, std::size_t& count) {
  const std::lock_guard lock(mutex_);
  if (!forget_sent() || !begin_receiving(channel)) return -1;
  auto& [under_way, taken] = channels_.at(static_cast<std::size_t>(channel));
  bool is_broken = false;
  const auto arrived = find_arrived(under_way, is_broken);
  if (is_broken) return -1;
  if (arrived == under_way.end()) return 0;
  taken = std::move(arrived->bytes);
  from = arrived->from;
  under_way.erase(arrived);
  bytes = taken.data();
  count = wrapped_count(taken);
  return 1;
}

/// What a rank that failed will never ask for is taken and dropped until nobody sends any more: a long message is not
/// sent before it is received. A rank that is lost now is not waited for.
bool Wire::close() {
  const auto deadline = std::chrono::steady_clock::now() + longest_close;
  MPI_Request all_are_done = MPI_REQUEST_NULL;
  for (bool has_begun = false;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    for (int channel = 0; channel < CREDENS_WIRE_CHANNELS; ++channel) {
      int from = 0;
      const void* bytes = nullptr;
      std::size_t count = 0;
      if (receive(channel, from, bytes, count) < 0) return false;
    }
    if (std::chrono::steady_clock::now() > deadline) return false;
    const std::lock_guard lock(mutex_);
    if (!sending_.empty()) continue;
    if (!has_begun && MPI_Ibarrier(MPI_COMM_WORLD, &all_are_done) != MPI_SUCCESS) return false;
    has_begun = true;
    const int done = test(all_are_done);
    if (done < 0) return false;
    if (done > 0) break;
  }
  MPI_Type_free(&unit_);
  end_within(longest_close.count(), EXIT_FAILURE);
  const bool is_closed = MPI_Finalize() == MPI_SUCCESS;
  ::alarm(0);
  return is_closed;
}

/// Whether this process was started by mpirun itself, as ranks on its machine are.
bool is_child_of_mpirun() {
  std::ifstream file("/proc/" + std::to_string(::getppid()) + "/comm");
  std::string name;
  std::getline(file, name);
  constexpr std::array<std::string_view, 4> launchers{"mpirun", "mpiexec", "orterun",
                                                      "prterun"};  // the last of OpenMPI 5
  return std::ranges::find(launchers, name) != launchers.end();
}

/// mpirun waits for ever for the daemon of a machine that is cut off, unless keepalive tells it. A process that
/// outlives this one ends it after a while.
void end_mpirun_if_it_hangs() {
  if (!is_child_of_mpirun()) return;
  const auto mpirun = ::syscall(SYS_pidfd_open, ::getppid(), 0);  // never another process that has its number later
  if (mpirun < 0 || ::fork() != 0) return;
  ::setsid();  // mpirun ends the group of this process
  ::sleep(4);
  ::syscall(SYS_pidfd_send_signal, mpirun, SIGKILL, nullptr, 0);  // it is deaf to what asks it to end
  ::_exit(0);
}

/// The other ranks cannot be asked where this one alone is cut off, and where they can, rank 0 does it. Where another
/// thread does not come back from MPI, mpirun sees how this process ends.
void Wire::abort(int code) {
  end_within(5, code);
  if (rank_ == 0) {
    end_mpirun_if_it_hangs();
    if (mutex_.try_lock_for(std::chrono::seconds(2))) MPI_Abort(MPI_COMM_WORLD, code);
  }
  ::_exit(code);
}

Wire& wire() {
  static Wire only;
  return only;
}

}  // namespace

}  // namespace credens::mpi

using credens::mpi::wire;

extern "C" __attribute__((visibility("default"))) int credens_wire_join(CredensWireTable* table) {
  table->version = CREDENS_WIRE_VERSION;
  table->send = [](int to, int channel, const void* bytes, std::size_t count) {
    return wire().send(to, channel, bytes, count) ? 0 : -1;
  };
  table->receive = [](int channel, int* from, const void** bytes, std::size_t* count) {
    return wire().receive(channel, *from, *bytes, *count);
  };
  table->close = [] { return wire().close() ? 0 : -1; };
  table->abort = [](int code) { wire().abort(code); };
  return wire().join(*table) ? 0 : -1;
}

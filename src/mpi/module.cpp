// SPDX-License-Identifier: Apache-2.0

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "mpi/ranks.h"

namespace {

/// MPI counts by int. Calls `piece` with where a piece of at most 1 GB starts, and its size.
template <class Piece>
void in_pieces(std::size_t count, const Piece& piece) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t start = 0; start < count; start += most) {
    piece(start, static_cast<int>(std::min(most, count - start)));
  }
}

/// OpenMPI waits by spinning, which would take a core from a rank that trains on the same machine. So all waiting for
/// ranks that are not there yet is here, and sleeps in between.
void meet(std::int64_t own, std::int64_t* all) {
  constexpr std::chrono::microseconds longest{500};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&own, 1, MPI_INT64_T, all, 1, MPI_INT64_T, MPI_COMM_WORLD, &request);
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  for (std::chrono::microseconds pause{10}; done == 0; pause = std::min(2 * pause, longest)) {
    std::this_thread::sleep_for(pause);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

void broadcast(int root, void* bytes, std::size_t count) {
  in_pieces(count, [&](std::size_t start, int size) {
    MPI_Bcast(static_cast<char*>(bytes) + start, size, MPI_BYTE, root, MPI_COMM_WORLD);
  });
}

void send(const void* bytes, std::size_t count) {
  in_pieces(count, [&](std::size_t start, int size) {
    MPI_Send(static_cast<const char*>(bytes) + start, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  });
}

void receive(int from, void* bytes, std::size_t count) {
  in_pieces(count, [&](std::size_t start, int size) {
    MPI_Recv(static_cast<char*>(bytes) + start, size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

int lowest_rank_on_machine(int rank) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Bcast(&rank, 1, MPI_INT, 0, machine);
  MPI_Comm_free(&machine);
  return rank;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int credens_ranks_join(CredensRanks* ranks) {
  // Ranks in one container often may not read each other's memory, which is then said in the middle of the work.
  ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return -1;
  if (provided < MPI_THREAD_FUNNELED) return -1;
  ranks->version = CREDENS_RANKS_VERSION;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks->size);
  ranks->machine = lowest_rank_on_machine(ranks->rank);
  ranks->meet = meet;
  ranks->broadcast = broadcast;
  ranks->send = send;
  ranks->receive = receive;
  ranks->abort = [](int status) { MPI_Abort(MPI_COMM_WORLD, status); };
  ranks->leave = [] { MPI_Finalize(); };
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// usage: mpirun -n 3 mpi_wire MODULE half|closing
//
// The module without the program: what one rank does that hangs, and what the others see of it.

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "mpi/wire_table.h"

namespace {

using std::chrono::seconds;

constexpr int channel = 0;

CredensWireTable join(const char* module) {
  void* handle = ::dlopen(module, RTLD_NOW | RTLD_GLOBAL);
  CredensWireTable table{};
  if (handle == nullptr) std::exit(EXIT_FAILURE);
  const auto join = reinterpret_cast<CredensWireJoin>(::dlsym(handle, CREDENS_WIRE_JOIN));
  if (join == nullptr || join(&table) != 0) std::exit(EXIT_FAILURE);
  return table;
}

void send(const CredensWireTable& wire, const std::string& bytes) {
  if (wire.send(0, channel, bytes.data(), bytes.size()) != 0) std::exit(EXIT_FAILURE);
}

void print_next(const CredensWireTable& wire) {
  int from = 0;
  const void* bytes = nullptr;
  std::size_t count = 0;
  while (wire.receive(channel, &from, &bytes, &count) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("%zu bytes from rank %d\n", count, from);
}

/// Nothing moves for a rank that does not come back to MPI, so what rank 1 sends stays half-way for a while.
int half(const CredensWireTable& wire) {
  if (wire.rank == 1) {
    send(wire, std::string(std::size_t{64} << 20, 'x'));
    send(wire, "second");
    std::this_thread::sleep_for(seconds(4));
  } else if (wire.rank == 2) {
    std::this_thread::sleep_for(seconds(1));
    send(wire, "alive");
  } else {
    for (int message = 0; message < 3; ++message) print_next(wire);
  }
  return wire.close() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Rank 1 never closes. The others give up, and rank 0 ends all while another of its threads receives.
int closing(const CredensWireTable& wire) {
  if (wire.rank == 1) std::this_thread::sleep_for(seconds(60));
  if (wire.close() == 0) return EXIT_SUCCESS;
  if (wire.rank == 2) std::this_thread::sleep_for(seconds(60));
  const std::jthread poll([&](const std::stop_token& end) {
    int from = 0;
    const void* bytes = nullptr;
    std::size_t count = 0;
    while (!end.stop_requested()) wire.receive(channel, &from, &bytes, &count);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  wire.abort(7);
  return EXIT_FAILURE;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return EXIT_FAILURE;
  const CredensWireTable wire = join(words[1]);
  return std::string_view(words[2]) == "half" ? half(wire) : closing(wire);
}

// SPDX-License-Identifier: Apache-2.0
//
// usage: mpirun -n 2 mpi_messages MODULE BYTES
//
// The module without the program: messages of so many bytes go to rank 0 and from there to all. Status 0: they came as
// they were sent.

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "mpi/ranks.h"

namespace {

/// Differs from rank to rank and from piece to piece.
std::string text_of(int rank, std::size_t count) {
  std::string text(count, static_cast<char>('a' + rank));
  for (std::size_t i = 0; i < count; i += 4099) text[i] = static_cast<char>(i / 4099 % 251);
  return text;
}

bool gathers(const CredensRanks& ranks, std::size_t count) {
  std::string own = text_of(ranks.rank, count + static_cast<std::size_t>(ranks.rank));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks.size));
  ranks.meet(static_cast<std::int64_t>(own.size()), counts.data());
  if (ranks.rank > 0) ranks.send(own.data(), own.size());
  bool is_same = true;
  for (int from = 1; ranks.rank == 0 && from < ranks.size; ++from) {
    own.resize(static_cast<std::size_t>(counts[static_cast<std::size_t>(from)]));
    ranks.receive(from, own.data(), own.size());
    is_same = is_same && own == text_of(from, count + static_cast<std::size_t>(from));
  }
  return is_same;
}

bool broadcasts(const CredensRanks& ranks, std::size_t count) {
  std::string text = ranks.rank == 0 ? text_of(0, count) : std::string(count, ' ');
  ranks.broadcast(0, text.data(), text.size());
  return text == text_of(0, count);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return EXIT_FAILURE;
  void* handle = ::dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) return EXIT_FAILURE;
  const auto join = reinterpret_cast<CredensRanksJoin>(::dlsym(handle, CREDENS_RANKS_JOIN));
  CredensRanks ranks{};
  if (join == nullptr || join(&ranks) != 0) return EXIT_FAILURE;
  const std::size_t bytes = std::strtoull(words[2], nullptr, 10);
  const bool is_same = gathers(ranks, bytes) && broadcasts(ranks, bytes);
  ranks.leave();
  return is_same ? EXIT_SUCCESS : EXIT_FAILURE;
}

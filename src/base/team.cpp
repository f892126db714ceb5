// SPDX-License-Identifier: Apache-2.0

#include "base/team.hpp"

#include "base/bytes.hpp"

namespace credens::base {

std::vector<std::string> Team::gather(std::string bytes) {
  std::vector<std::string> all;
  collect(std::move(bytes), [&all](std::string_view of_rank) { all.emplace_back(of_rank); });
  return all;
}

std::string Team::all_gather(std::string bytes) {
  std::string all;
  collect(std::move(bytes), [&all](std::string_view of_rank) { all += of_rank; });
  return broadcast(std::move(all));
}

std::vector<std::string> gather_dealt(Team& team, std::vector<std::string> own) {
  if (team.is_alone()) return own;
  std::string bytes;
  for (const std::string& piece : own) append_text(bytes, piece);
  const std::vector<std::string> ranks = team.gather(std::move(bytes));
  std::vector<ByteReader> readers(ranks.begin(), ranks.end());
  std::vector<std::string> pieces;
  for (std::size_t next = 0; !readers.empty() && !readers[next % readers.size()].at_end(); ++next) {
    pieces.push_back(readers[next % readers.size()].text());
  }
  return pieces;
}

}  // namespace credens::base

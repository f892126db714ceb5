// SPDX-License-Identifier: Apache-2.0
//
// A known data set from the network or from a mirror into a folder of data.

#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "data/known_data.hpp"

namespace credens::cli {

struct FetchOptions {
  std::filesystem::path folder;  ///< of data
  std::string from = {};         ///< a folder or an address with the originals or unpacked files; empty: the original
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};           ///< bytes of a download
  std::function<void(const data::KnownPart& part, std::size_t bytes)> on_verify = {};  ///< before a text is verified
  std::stop_token stop = {};
};

struct FetchedPart {
  std::filesystem::path file;  ///< the first of its pieces where it came in pieces
  bool is_new = false;         ///< else it was there and is right
};

/// Brings what is not there yet; everything is checked before anything is written. Throws data for wrong content, also
/// of a file that is there, which stays as it is; io where the source or the folder fails; interrupted on stop.
std::vector<FetchedPart> fetch_set(const data::KnownSet& set, const FetchOptions& options);

}  // namespace credens::cli

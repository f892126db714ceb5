// SPDX-License-Identifier: Apache-2.0
//
// Files from the network, by libcurl.

#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace credens::cli {

struct DownloadOptions {
  std::size_t largest = 0;                                                    ///< bytes; a longer answer throws
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};  ///< total 0: the server does not say
  std::stop_token stop = {};
};

/// The bytes at an address; nothing where the server says that there is no such file (404, 410). Certificates are
/// verified, and redirections lead to https only; http is spoken only where `address` begins with it. Throws io, or
/// interrupted on stop.
std::optional<std::string> download(const std::string& address, const DownloadOptions& options);

}  // namespace credens::cli

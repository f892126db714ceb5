// SPDX-License-Identifier: Apache-2.0

#include "cli/download.hpp"

#include <curl/curl.h>

#include <credens/version.hpp>

#include <exception>
#include <memory>
#include <string_view>

#include "base/check.hpp"

namespace credens::cli {

namespace {

constexpr long seconds_to_connect = 30;
constexpr long seconds_of_silence = 60;
constexpr long most_redirections = 5;

/// One transfer under way.
struct Transfer {
  const DownloadOptions& options;
  std::string bytes = {};
  bool is_too_long = false;
};

/// Exceptions must not pass through libcurl: a count other than the one offered ends the transfer.
std::size_t take_bytes(const char* bytes, std::size_t, std::size_t count, void* user) noexcept {
  Transfer& transfer = *static_cast<Transfer*>(user);
  transfer.is_too_long = count > transfer.options.largest - transfer.bytes.size();
  if (transfer.is_too_long) return 0;
  try {
    transfer.bytes.append(bytes, count);
  } catch (const std::exception&) {
    return 0;
  }
  return count;
}

/// Called about once a second even where nothing arrives.
int watch(void* user, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) noexcept {
  const DownloadOptions& options = static_cast<Transfer*>(user)->options;
  if (options.stop.stop_requested()) return 1;
  try {
    if (options.on_progress) options.on_progress(static_cast<std::size_t>(done), static_cast<std::size_t>(total));
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

Handle make_handle() {
  static const CURLcode is_ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  Handle handle(is_ready == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  base::require(handle != nullptr, ErrorCode::failure, "libcurl cannot be started");
  return handle;
}

template <class Value>
void set(const Handle& handle, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(handle.get(), option, value);
  base::require(code == CURLE_OK, ErrorCode::failure, "libcurl refuses option {}: {}", static_cast<int>(option),
                curl_easy_strerror(code));
}

void prepare(const Handle& handle, const std::string& address, Transfer& transfer) {
  const std::string agent = "credens/" + std::string(version());
  set(handle, CURLOPT_URL, address.c_str());
  set(handle, CURLOPT_USERAGENT, agent.c_str());
  set(handle, CURLOPT_PROTOCOLS_STR, address.starts_with("http://") ? "http,https" : "https");
  set(handle, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  set(handle, CURLOPT_FOLLOWLOCATION, 1L);
  set(handle, CURLOPT_MAXREDIRS, most_redirections);
  set(handle, CURLOPT_FAILONERROR, 1L);
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_CONNECTTIMEOUT, seconds_to_connect);
  set(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(handle, CURLOPT_LOW_SPEED_TIME, seconds_of_silence);
  set(handle, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(transfer.options.largest));
  set(handle, CURLOPT_WRITEFUNCTION, &take_bytes);
  set(handle, CURLOPT_WRITEDATA, &transfer);
  set(handle, CURLOPT_NOPROGRESS, 0L);
  set(handle, CURLOPT_XFERINFOFUNCTION, &watch);
  set(handle, CURLOPT_XFERINFODATA, &transfer);
}

long status_of(const Handle& handle) {
  long status = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::string reason(const Handle& handle, CURLcode code, const Transfer& transfer) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "the name of the server cannot be resolved (is there a network?)";
    case CURLE_COULDNT_CONNECT:
      return "no server answers there";
    case CURLE_HTTP_RETURNED_ERROR:
      return fmt::format("the server answers with status {}", status_of(handle));
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
      return fmt::format("the connection broke off after {} bytes", transfer.bytes.size());
    case CURLE_PEER_FAILED_VERIFICATION:
      return "the certificate of the server is not trusted";
    case CURLE_OPERATION_TIMEDOUT:
      return "the server takes too long";
    case CURLE_TOO_MANY_REDIRECTS:
      return fmt::format("more than {} redirections", most_redirections);
    case CURLE_UNSUPPORTED_PROTOCOL:
      return status_of(handle) >= 300 ? "redirected to an address that is not https" : "expected https";
    default:
      return curl_easy_strerror(code);
  }
}

}  // namespace

std::optional<std::string> download(const std::string& address, const DownloadOptions& options) {
  Transfer transfer{.options = options};
  const Handle handle = make_handle();
  prepare(handle, address, transfer);
  const CURLcode code = curl_easy_perform(handle.get());
  base::require(!options.stop.stop_requested(), ErrorCode::interrupted, "interrupted while downloading {}", address);
  if (code == CURLE_OK) return std::move(transfer.bytes);
  constexpr long not_found = 404;
  constexpr long gone = 410;
  const long status = status_of(handle);
  if (code == CURLE_HTTP_RETURNED_ERROR && (status == not_found || status == gone)) return std::nullopt;
  base::require(!transfer.is_too_long && code != CURLE_FILESIZE_EXCEEDED, ErrorCode::io,
                "{}: the file has more than {} bytes, which is more than was expected", address, options.largest);
  base::fail(ErrorCode::io, "{}: cannot download: {}", address, reason(handle, code, transfer));
}

}  // namespace credens::cli

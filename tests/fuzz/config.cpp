// SPDX-License-Identifier: Apache-2.0
//
// Settings of a fit as TOML. What is accepted means the same when it is written and read again.

#include "cli/config.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.hpp"

namespace credens::fuzz {

namespace {

/// A file that lives in memory.
class MemoryFile {
 public:
  const std::string& path_with(std::string_view bytes) const {
    must(::ftruncate(descriptor_, 0) == 0, "the file can be emptied");
    must(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "it takes all");
    return path_;
  }

 private:
  int descriptor_ = ::memfd_create("config", MFD_CLOEXEC);
  std::string path_ = "/proc/self/fd/" + std::to_string(descriptor_);
};

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens;
  static const fuzz::MemoryFile file;
  std::string text;
  const bool is_accepted = fuzz::survives([&] {
    cli::FitSettings settings;
    cli::read_config(file.path_with(fuzz::text_of(data, size)), settings);
    text = cli::config_text(settings);
  });
  if (!is_accepted) return 0;
  cli::FitSettings again;
  fuzz::must(fuzz::survives([&] { cli::read_config(file.path_with(text), again); }), "what is written can be read");
  fuzz::must(cli::config_text(again) == text, "what is read again is the same");
  return 0;
}

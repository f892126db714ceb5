// SPDX-License-Identifier: Apache-2.0
//
// Gives each fuzz target what is stored for it, once and without libFuzzer.
//
// Usage: fuzz_replay FOLDER..., each of which has a folder of inputs for some of the targets.

#include <filesystem>
#include <map>

#include "base/file.hpp"
#include "fuzz/fuzz.hpp"

#define TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
CREDENS_FUZZ_TARGETS
#undef TARGET

namespace credens::fuzz {

namespace {

using Target = int (*)(const std::uint8_t*, std::size_t);

const std::map<std::string, Target> targets = {
#define TARGET(name) {#name, fuzz_##name},
    CREDENS_FUZZ_TARGETS
#undef TARGET
};

/// How many inputs the target was given.
int replay(const std::filesystem::path& folder, Target target) {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::printf("%s\n", entry.path().c_str());  // the last one printed is the one that ended the program
    std::fflush(stdout);
    const std::string bytes = base::read_file(entry.path());
    target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++inputs;
  }
  return inputs;
}

int replay_all(std::span<char*> folders) {
  int inputs = 0;
  for (const std::filesystem::path folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      inputs += replay(entry.path(), targets.at(entry.path().filename().string()));
    }
  }
  return inputs;
}

}  // namespace

}  // namespace credens::fuzz

int main(int count, char** words) {
  const int inputs = credens::fuzz::replay_all(std::span(words, static_cast<std::size_t>(count)).subspan(1));
  std::printf("%d inputs\n", inputs);
  return inputs > 0 ? 0 : 1;
}

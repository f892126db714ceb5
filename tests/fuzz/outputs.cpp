// SPDX-License-Identifier: Apache-2.0
//
// Outputs folders. The bytes are the files of a folder one after the other: each has two bytes of length before it,
// 65535 for a file that is absent.

#include <credens/outputs_folder.hpp>

#include <filesystem>
#include <fstream>

#include "fuzz/fuzz.hpp"
#include "support/temporary_folder.hpp"

namespace credens::fuzz {

namespace {

constexpr const char* names[] = {"outputs.json", "mean.npy",        "variance.npy",   "features.npy",   "targets.npy",
                                 "weights.npy",  "row_weights.npy", "features.0.npy", "features.1.npy", "logits.npy"};
constexpr unsigned absent = 65535;

void write_folder(const test::TemporaryFolder& folder, const std::uint8_t* data, std::size_t size) {
  for (const char* name : names) {
    const unsigned announced = size < 2 ? absent : data[0] + 256U * data[1];
    if (announced == absent) {
      std::filesystem::remove(folder / name);
    } else {
      const std::size_t length = std::min<std::size_t>(announced, size - 2);
      std::ofstream(folder / name, std::ios::binary) << text_of(data + 2, length);
      data += length;
      size -= length;
    }
    data += std::min<std::size_t>(2, size);
    size -= std::min<std::size_t>(2, size);
  }
}

void read(const test::TemporaryFolder& folder) {
  OutputsReader reader(folder.path());
  for (std::size_t first = 0; first < reader.rows(); first += reader.block_rows()) {
    const MemberOutputs block = reader.read(first, reader.block_rows());
    must(block.members() == reader.about().members(), "every block has all members");
    must(block.has_classes() == reader.about().has_classes(), "every block is of one likelihood");
  }
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens;
  static const test::TemporaryFolder folder;
  fuzz::write_folder(folder, data, size);
  fuzz::survives([&] { fuzz::read(folder); });
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Files that appear whole or not at all, and archives that unpack to no more than is allowed.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "base/file.hpp"
#include "data/compression.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

void write_file(const std::filesystem::path& path, const nb::bytes& bytes) {
  const std::string_view view(bytes.c_str(), bytes.size());
  unlocked([&] { base::write_file(path, view); });
}

nb::bytes unpack(const nb::bytes& bytes, const std::string& source, std::size_t largest) {
  const std::string unpacked =
      unlocked([&] { return data::decompress(std::string(bytes.c_str(), bytes.size()), source, largest); });
  return nb::bytes(unpacked.data(), unpacked.size());
}

}  // namespace

void register_files(nb::module_& module) {
  using namespace nb::literals;
  module.def("write_file", &write_file, "path"_a, "bytes"_a);
  module.def(
      "check_writable", [](const std::filesystem::path& path) { const base::OutputFile probe(path); }, "path"_a);
  module.def("make_folder", &base::make_folder, "path"_a);
  module.def("unpack", &unpack, "bytes"_a, "source"_a, "largest"_a);
}

}  // namespace credens::python

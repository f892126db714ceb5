// SPDX-License-Identifier: Apache-2.0
//
// Files: read whole, or written beside, synced, renamed and the folder synced, so that a reader sees the old content or
// the new.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace credens::base {

/// The bytes of a file; `-` is standard input. Throws io with a sentence for absent, unreadable and folders.
std::string read_file(const std::filesystem::path& path);

/// A file that appears under its name only when commit() has returned. Without commit() nothing is left behind. Devices
/// and pipes, which nothing can replace, are written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);  ///< creates a temporary beside `path`
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path target_;  ///< path_ without links
  std::string temporary_;         ///< empty for a device or a pipe
  int descriptor_ = -1;
};

void write_file(const std::filesystem::path& path, std::string_view bytes);  ///< atomically

/// Bytes to a file (atomically) or, for `-`, to standard output.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  void write(std::string_view bytes);
  void commit();  ///< flushes; throws io when the disk is full or the pipe closed

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes the folder and its parents; throws io.
void make_folder(const std::filesystem::path& path);

/// "absent", "is a folder", "permission denied", ... of an errno value, in words.
std::string error_text(int error_number);

}  // namespace credens::base

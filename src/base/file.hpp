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

#include "base/descriptor.hpp"

namespace credens::base {

/// The bytes of a file; `-` is standard input. Throws io with a sentence for absent, unreadable, folders, devices, and
/// for more than `most` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t most = -1);

/// Throws io for a pipe, a socket or a device, whose reading might wait for ever. `-` is standard input and passes.
void check_regular(const std::filesystem::path& path);

/// A file or standard input (`-`), read some bytes at a time.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);

  const std::string& name() const { return name_; }       ///< for error messages
  std::size_t known_size() const { return known_size_; }  ///< 0 for what must be read to know it
  std::size_t read(std::span<char> into);                 ///< how many bytes were read; 0: there are no more
  bool is_ready() const;                                  ///< whether `read` would not wait

 private:
  std::string name_;
  std::size_t known_size_ = 0;
  Descriptor descriptor_;
};

/// Writes to a place in an open file. Errors call it `path`.
void write_at(int descriptor, std::size_t offset, std::string_view bytes, const std::string& path);

/// Reads from a place in an open file, which must hold that many bytes. Errors call it `path`.
void read_at(int descriptor, std::size_t offset, std::span<char> into, const std::string& path);

/// A file without a name in the folder for temporary files (TMPDIR); it is gone when it is closed.
Descriptor open_scratch();

/// A file that appears under its name only when commit() has returned. Without commit() nothing is left behind, not
/// even by a process that is killed, where the file system knows files without a name; elsewhere, and between naming
/// and renaming, what is left is swept by the next process that writes to the folder. Devices and pipes, which nothing
/// can replace, are written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void write_at(std::size_t offset, std::string_view bytes);  ///< beside `write`; throws io for a device or a pipe
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path target_;  ///< path_ without links
  bool is_replaceable_ = false;   ///< not a device or a pipe
  std::string temporary_;         ///< the name beside target_, while there is one
  int descriptor_ = -1;
};

void write_file(const std::filesystem::path& path, std::string_view bytes);  ///< atomically

/// The target of a link, so that writing changes the file behind it, which need not be there yet, and not the link.
std::filesystem::path without_links(const std::filesystem::path& path);

/// Bytes to a file (atomically) or, for `-`, to standard output.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  void write(std::string_view bytes);
  void flush();   ///< to whoever reads the other end; throws io when the disk is full or the pipe closed
  void commit();  ///< flushes, and the file is there

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes the folder and its parents, or sweeps one that is there; throws io.
void make_folder(const std::filesystem::path& path);

/// "absent", "is a folder", "permission denied", ... of an errno value, in words.
std::string error_text(int error_number);

}  // namespace credens::base

// SPDX-License-Identifier: Apache-2.0

#include "base/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "base/temporary.hpp"
#include "base/text.hpp"

namespace credens::base {

std::string error_text(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "no such file or folder";
    case EISDIR:
      return "is a folder, expected a file";
    case EACCES:
      return "permission denied";
    case ENOSPC:
      return "no space left on the disk";
    case ENOTDIR:
      return "a file stands where a folder is expected";
    case EFBIG:
      return "larger than is allowed";
    case ESPIPE:
      return "a pipe or a device, expected a file";
    case EPIPE:
      return "the reader has closed the pipe";
    default:
      return std::strerror(error_number);  // NOLINT(concurrency-mt-unsafe): glibc's is thread-safe
  }
}

namespace {

[[noreturn]] void fail_io(std::string_view what, const std::string& path, int error_number) {
  fail(ErrorCode::io, "{}: cannot {}: {}", path, what, error_text(error_number));
}

int sync_file(int descriptor) {
  return retried([&] { return ::fsync(descriptor); });
}

/// After a signal it is closed all the same, and another call could close a file of somebody else.
bool close_file(int descriptor) {
  return ::close(descriptor) == 0 || errno == EINTR;
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = retried([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (written < 0) fail_io("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

/// So that a name given in the folder outlives a power failure. Some file systems cannot sync folders and say EINVAL.
void sync_folder(const std::string& folder) {
  const Descriptor descriptor = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor.number() < 0) {
    if (errno != EACCES) fail_io("sync the folder", folder, errno);  // a folder may be writable and not readable
  } else if (sync_file(descriptor.number()) != 0 && errno != EINVAL) {
    fail_io("sync the folder", folder, errno);
  }
}

/// The new content is as private as the old, and belongs to whom the old belonged; where that cannot be set, the system
/// has the word.
void keep_rights(int descriptor, const struct stat& old) {
  constexpr auto same = static_cast<uid_t>(-1);
  if (::fchown(descriptor, old.st_uid, old.st_gid) != 0) std::ignore = ::fchown(descriptor, same, old.st_gid);
  std::ignore = ::fchmod(descriptor, old.st_mode & 07777);
}

/// Each folder once in the life of a process.
void sweep(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> swept;
  {
    const std::lock_guard guard(mutex);
    if (!swept.insert(folder).second) return;
  }
  remove_remains(folder);
}

/// The path by which the kernel knows an open file.
std::string path_of(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

/// A file in the folder without a name, which no way of ending leaves behind; not open where the file system or the
/// system cannot do that.
Descriptor open_nameless(const std::string& folder) {
  if (::access("/proc/self/fd", X_OK) != 0) return Descriptor();
  Descriptor file = open_file(folder, O_TMPFILE | O_WRONLY);
  if (file.is_open()) lock(file);
  return file;
}

/// Gives the nameless file a name beside `target`: a rename needs one, and only a rename can replace a file.
std::string give_name(int descriptor, const std::filesystem::path& target, const std::string& shown_path) {
  for (;;) {
    std::string name = temporary_name(folder_of(target));
    const auto link = [&] {
      return ::linkat(AT_FDCWD, path_of(descriptor).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    };
    if (retried(link) == 0) return name;
    if (errno != EEXIST) fail_io("write", shown_path, errno);
  }
}

void check_no_device(mode_t mode, const std::string& path) {
  require(!S_ISCHR(mode) && !S_ISBLK(mode), ErrorCode::io, "{}: is a device, expected a file", path);
}

}  // namespace

std::filesystem::path without_links(const std::filesystem::path& path) {
  constexpr int most_links = 40;
  std::error_code error;
  std::filesystem::path target = std::filesystem::canonical(path, error);
  if (!error) return target;
  target = path;
  for (int i = 0; i < most_links && !exists(target, error) && is_symlink(target, error); ++i) {
    target = target.parent_path() / read_symlink(target, error);
  }
  return target;
}

InputFile::InputFile(const std::filesystem::path& path) : name_(path == "-" ? "standard input" : path.string()) {
  descriptor_ = path == "-" ? Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) : open_file(name_, O_RDONLY);
  struct stat info {};
  if (!descriptor_.is_open()) fail_io(path == "-" ? "read" : "open", name_, errno);
  if (::fstat(descriptor_.number(), &info) != 0) fail_io("read", name_, errno);
  if (S_ISDIR(info.st_mode)) fail_io("read", name_, EISDIR);
  if (path != "-") check_no_device(info.st_mode, name_);
  if (S_ISREG(info.st_mode)) known_size_ = static_cast<std::size_t>(info.st_size);
}

std::size_t InputFile::read(std::span<char> into) {
  const ssize_t count = retried([&] { return ::read(descriptor_.number(), into.data(), into.size()); });
  if (count < 0) fail_io("read", name_, errno);
  return static_cast<std::size_t>(count);
}

bool InputFile::is_ready() const {
  pollfd file{.fd = descriptor_.number(), .events = POLLIN, .revents = 0};
  return ::poll(&file, 1, 0) != 0;
}

void check_regular(const std::filesystem::path& path) {
  struct stat info {};
  if (path == "-" || ::stat(path.c_str(), &info) != 0) return;
  check_no_device(info.st_mode, path.string());
  require(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode), ErrorCode::io,
          "{}: is a pipe, expected a file, or - for standard input", path.string());
}

std::string read_file(const std::filesystem::path& path, std::size_t most) {
  InputFile file(path);
  std::string bytes;
  std::size_t size = 0;
  bytes.resize(std::max<std::size_t>(file.known_size() + 1, 65536));
  for (;;) {
    if (size == bytes.size()) bytes.resize(2 * bytes.size());
    const std::size_t count = file.read(std::span(bytes).subspan(size));
    if (count == 0) break;
    size += count;
    if (size > most) fail_io("read", file.name(), EFBIG);
  }
  bytes.resize(size);
  return bytes;
}

void write_at(int descriptor, std::size_t offset, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto at = static_cast<off_t>(offset);
    const ssize_t written = retried([&] { return ::pwrite(descriptor, bytes.data(), bytes.size(), at); });
    if (written < 0) fail_io("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
}

void read_at(int descriptor, std::size_t offset, std::span<char> into, const std::string& path) {
  while (!into.empty()) {
    const auto at = static_cast<off_t>(offset);
    const ssize_t count = retried([&] { return ::pread(descriptor, into.data(), into.size(), at); });
    if (count <= 0) fail_io("read", path, count < 0 ? errno : EIO);
    into = into.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
  }
}

Descriptor open_scratch() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  Descriptor nameless = open_file(folder.string(), O_TMPFILE | O_RDWR);
  if (nameless.is_open()) return nameless;
  std::string name = (folder / "credens-XXXXXX").string();
  Descriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (!named.is_open()) fail_io("write a temporary file to", folder.string(), errno);
  ::unlink(name.c_str());
  return named;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), target_(without_links(path_)) {
  struct stat info {};
  const bool is_there = ::stat(target_.c_str(), &info) == 0;
  if (!is_there && errno != ENOENT) fail_io("write", path_.string(), errno);
  if (is_there && S_ISDIR(info.st_mode)) fail_io("write", path_.string(), EISDIR);
  if (is_there && !S_ISREG(info.st_mode)) {
    if (::access(target_.c_str(), W_OK) != 0) fail_io("write", path_.string(), errno);
    return;
  }
  is_replaceable_ = true;
  sweep(folder_of(target_));
  Descriptor file = open_nameless(folder_of(target_));
  if (!file.is_open()) {
    TemporaryFile made = make_temporary(folder_of(target_));
    if (!made.file.is_open()) fail_io("write", path_.string(), errno);
    temporary_ = std::move(made.name);
    file = std::move(made.file);
  }
  descriptor_ = file.release();
  if (is_there) keep_rights(descriptor_, info);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  // A pipe is opened late: its reader would take an opened and closed pipe for the end of the file.
  if (descriptor_ < 0 && !is_replaceable_) descriptor_ = open_file(target_.string(), O_WRONLY).release();
  if (descriptor_ < 0) fail_io("write", path_.string(), errno);
  write_all(descriptor_, bytes, path_.string());
}

void AtomicFile::write_at(std::size_t offset, std::string_view bytes) {
  if (!is_replaceable_) fail_io("write", path_.string(), ESPIPE);
  base::write_at(descriptor_, offset, bytes, path_.string());
}

void AtomicFile::commit() {
  if (descriptor_ < 0) return;  // a device or a pipe to which nothing was written
  if (is_replaceable_) {
    if (sync_file(descriptor_) != 0) fail_io("write", path_.string(), errno);
    if (temporary_.empty()) temporary_ = give_name(descriptor_, target_, path_.string());
  }
  // Closing may fail and must come before the rename, up to which the lock is to hold.
  const Descriptor locked(is_replaceable_ ? ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0) : -1);
  if (!close_file(std::exchange(descriptor_, -1))) fail_io("write", path_.string(), errno);
  if (!is_replaceable_) return;
  const std::string temporary = std::exchange(temporary_, {});
  if (retried([&] { return ::rename(temporary.c_str(), target_.c_str()); }) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    fail_io("write", path_.string(), error_number);
  }
  sync_folder(folder_of(target_));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

struct OutputFile::Impl {
  std::optional<AtomicFile> file;  // none: standard output
  std::string buffer;

  void flush() {
    if (file) {
      file->write(buffer);
    } else {
      const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
      write_all(STDOUT_FILENO, is_terminal ? printable(buffer, "\n") : buffer, "standard output");
    }
    buffer.clear();
  }
};

OutputFile::OutputFile(const std::filesystem::path& path) : impl_(std::make_unique<Impl>()) {
  if (path != "-" && path != "/dev/stdout") impl_->file.emplace(path);
}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) {
  constexpr std::size_t block = 1 << 20;
  impl_->buffer += bytes;
  if (impl_->buffer.size() >= block) impl_->flush();
}

void OutputFile::flush() {
  impl_->flush();
}

void OutputFile::commit() {
  impl_->flush();
  if (impl_->file) impl_->file->commit();
}

void make_folder(const std::filesystem::path& path) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(path, error);
  if (error) fail_io("make the folder", path.string(), error.value());
  if (is_new) {
    sync_folder(folder_of(path));
  } else {
    sweep(path.string());
  }
}

}  // namespace credens::base

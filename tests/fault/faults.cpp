// SPDX-License-Identifier: Apache-2.0
//
// A library that is loaded before a program (LD_PRELOAD) and makes one of its calls fail, so that the program which
// users run is the one that is tested. The environment says what is to happen:
//
//   CREDENS_FAULT=CALL:K:EFFECT    at the K-th CALL; `K+`: at the K-th and all after it
//     CALL     open, read, write (and pwrite), fsync, linkat, rename, close, mmap: those that concern files in a
//              folder; memory: allocations from the start of main on
//     EFFECT   the number of an error, or: short (one byte is written), cut (one byte is written, then SIGKILL),
//              before, after (SIGKILL before or after the call), shrink (the file is emptied after the call)
//   CREDENS_FAULT_FOLDER           that folder, absolute
//   CREDENS_FAULT_LOG              a file to which is written: `fired` when it happens; when main returns, `counted N`
//                                  calls and `leaked PATH` for each file of the folder that is still open

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum class Effect { none, error, short_write, cut_write, kill_before, kill_after, shrink };

struct Plan {
  char call[16] = "";
  long first = 0;
  bool lasts = false;
  Effect effect = Effect::none;
  int error_number = 0;
};

Plan plan;
const char* folder = nullptr;
std::atomic<long> count = 0;
std::atomic<bool> is_in_main = false;

void log_line(const char* what, const char* detail) {
  const char* const path = std::getenv("CREDENS_FAULT_LOG");
  if (path == nullptr) return;
  char line[PATH_MAX + 16];
  const int size = std::snprintf(line, sizeof line, "%s%s\n", what, detail);
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  ::syscall(SYS_write, file, line, size);
  ::syscall(SYS_close, file);
}

Effect effect_named(const char* name) {
  constexpr struct {
    const char* name;
    Effect effect;
  } known[] = {{"short", Effect::short_write},
               {"cut", Effect::cut_write},
               {"before", Effect::kill_before},
               {"after", Effect::kill_after},
               {"shrink", Effect::shrink}};
  for (const auto& entry : known) {
    if (std::strcmp(entry.name, name) == 0) return entry.effect;
  }
  plan.error_number = std::atoi(name);
  return plan.error_number > 0 ? Effect::error : Effect::none;
}

__attribute__((constructor)) void read_plan() {
  folder = std::getenv("CREDENS_FAULT_FOLDER");
  const char* const text = std::getenv("CREDENS_FAULT");
  char effect[16] = "";
  char number[16] = "";
  if (text == nullptr || std::sscanf(text, "%15[^:]:%15[^:]:%15s", plan.call, number, effect) != 3) return;
  plan.first = std::atol(number);
  plan.lasts = std::strchr(number, '+') != nullptr;
  plan.effect = effect_named(effect);
}

bool is_ours(const char* path) {
  return folder != nullptr && path != nullptr && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool path_of(int descriptor, char (&path)[PATH_MAX]) {
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = ::readlink(link, path, sizeof path - 1);
  path[size < 0 ? 0 : size] = '\0';
  return size > 0;
}

bool is_ours(int descriptor) {
  char path[PATH_MAX];
  return folder != nullptr && path_of(descriptor, path) && is_ours(path);
}

/// Whether this call is one to which something is to happen.
bool strikes(const char* call) {
  if (plan.effect == Effect::none || std::strcmp(call, plan.call) != 0) return false;
  const long number = ++count;
  const bool now = number == plan.first || (plan.lasts && number > plan.first);
  if (now && number == plan.first) log_line("fired", "");
  return now;
}

void die() {
  ::syscall(SYS_kill, ::getpid(), SIGKILL);
}

/// The call itself, or what is to happen in its place. An error of close leaves the file closed all the same.
template <class Call>
long faulty(const char* name, const Call& call, bool fails_after_work = false) {
  if (!strikes(name)) return call();
  if (plan.effect == Effect::kill_before) die();
  if (plan.effect != Effect::error || fails_after_work) {
    const long result = call();
    if (plan.effect == Effect::kill_after) die();
    if (plan.effect != Effect::error) return result;
  }
  errno = plan.error_number;
  return -1;
}

/// `call` writes a number of bytes.
template <class Call>
long faulty_write(int descriptor, std::size_t size, const Call& call) {
  if (!is_ours(descriptor)) return call(size);
  return faulty("write", [&] {
    const bool is_cut = plan.effect == Effect::short_write || plan.effect == Effect::cut_write;
    const bool is_plan = count == plan.first && is_cut && std::strcmp(plan.call, "write") == 0;
    const long result = call(is_plan && size > 1 ? 1 : size);
    if (is_plan && plan.effect == Effect::cut_write) die();
    return result;
  });
}

bool memory_fails() {
  if (!is_in_main || !strikes("memory")) return false;
  errno = ENOMEM;
  return true;
}

void log_leaks() {
  constexpr int most_descriptors = 256;
  char path[PATH_MAX];
  for (int descriptor = 3; descriptor < most_descriptors; ++descriptor) {
    if (path_of(descriptor, path) && is_ours(path)) log_line("leaked ", path);
  }
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int watched_main(int words, char** word, char** environment) {
  is_in_main = true;
  const int status = real_main(words, word, environment);
  is_in_main = false;
  char number[32];
  std::snprintf(number, sizeof number, "%ld", count.load());
  log_line("counted ", number);
  log_leaks();
  return status;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int words, char** word, void (*init)(), void (*fini)(), void (*end)(), void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(watched_main, words, word, init, fini, end, stack);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  const auto call = [&] { return ::syscall(SYS_openat, AT_FDCWD, path, flags, mode); };
  return static_cast<int>(is_ours(path) ? faulty("open", call) : call());
}

ssize_t read(int descriptor, void* bytes, std::size_t size) {
  const auto call = [&] { return ::syscall(SYS_read, descriptor, bytes, size); };
  return is_ours(descriptor) ? faulty("read", call) : call();
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  return faulty_write(descriptor, size, [&](std::size_t n) { return ::syscall(SYS_write, descriptor, bytes, n); });
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t at) {
  return faulty_write(descriptor, size,
                      [&](std::size_t n) { return ::syscall(SYS_pwrite64, descriptor, bytes, n, at); });
}

int fsync(int descriptor) {
  const auto call = [&] { return ::syscall(SYS_fsync, descriptor); };
  return static_cast<int>(is_ours(descriptor) ? faulty("fsync", call) : call());
}

int close(int descriptor) {
  const auto call = [&] { return ::syscall(SYS_close, descriptor); };
  return static_cast<int>(is_ours(descriptor) ? faulty("close", call, true) : call());
}

int rename(const char* from, const char* to) noexcept {
  const auto call = [&] { return ::syscall(SYS_rename, from, to); };
  return static_cast<int>(is_ours(to) ? faulty("rename", call) : call());
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  const auto call = [&] { return ::syscall(SYS_linkat, from_folder, from, to_folder, to, flags); };
  return static_cast<int>(is_ours(to) ? faulty("linkat", call) : call());
}

void* mmap(void* place, std::size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
  const auto call = [&] {
    const long result = ::syscall(SYS_mmap, place, size, protection, flags, descriptor, offset);
    if (plan.effect == Effect::shrink && count == plan.first) {
      char path[PATH_MAX];
      if (path_of(descriptor, path)) ::syscall(SYS_truncate, path, 0);
    }
    return result;
  };
  const bool is_watched = descriptor >= 0 && is_ours(descriptor);
  return reinterpret_cast<void*>(is_watched ? faulty("mmap", call)
                                            : ::syscall(SYS_mmap, place, size, protection, flags, descriptor, offset));
}

void* malloc(std::size_t size) noexcept {
  return memory_fails() ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
  return memory_fails() ? nullptr : __libc_calloc(number, size);
}

void* realloc(void* old, std::size_t size) noexcept {
  return memory_fails() ? nullptr : __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return memory_fails() ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** place, std::size_t alignment, std::size_t size) noexcept {
  if (memory_fails()) return ENOMEM;
  *place = __libc_memalign(alignment, size);
  return *place == nullptr ? ENOMEM : 0;
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
//
// From words to a verb, and from an exception to a sentence and an exit status.

#include <credens/error.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "cli/print.hpp"
#include "cli/team.hpp"
#include "cli/verbs.hpp"

namespace credens::cli {

namespace {

/// Whether whoever read our standard output has gone, as `head` does when it has seen enough.
bool reader_has_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

const Verb& find_verb(const std::vector<Verb>& verbs, const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    if (verb.name == name) return verb;
    names.push_back(verb.name);
  }
  base::fail(ErrorCode::usage, "unknown {} {}{}", name.starts_with("-") ? "option" : "verb", base::quoted(name),
             base::suggestion(name, names));
}

int run(const std::vector<std::string>& words, std::string& speaker) {
  const std::vector<Verb> verbs = all_verbs();
  if (words.empty()) {
    for (const std::string& line : base::split(base::trim(overview(verbs)), '\n')) print_error(line);
    return static_cast<int>(ErrorCode::usage);
  }
  if (words.front() == "--help" || words.front() == "-h") {
    print(overview(verbs));
    return 0;
  }
  const Verb& verb = find_verb(verbs, words.front() == "--version" ? "version" : words.front());
  Arguments arguments;
  verb.declare(arguments);
  speaker = "credens " + verb.name;  // errors in the words name the verb whose --help to ask for
  const bool has_work = arguments.parse(std::span(words).subspan(1));
  speaker = "credens";
  if (has_work) return verb.run();
  print(help_of(verb));
  return 0;
}

/// All ranks end with one error, which rank 0 says.
int report(const std::string& speaker, const Error& own) {
  const Error error = fail_team(own);
  const bool is_heard = !(error.code() == ErrorCode::io && reader_has_gone());
  if (is_heard) print_error(fmt::format("{}: {}", speaker, error.what()));
  return error.exit_status();
}

int explained_run(std::span<char* const> words) {
  std::string speaker = "credens";
  try {
    return run({words.begin(), words.end()}, speaker);
  } catch (const Error& error) {
    return report(speaker, error);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return report(speaker, Error(ErrorCode::failure, error.what()));
  }
}

/// A sentence that needs no memory.
template <std::size_t size>
void print_plainly(const char (&sentence)[size]) {
  std::ignore = ::write(STDERR_FILENO, sentence, size - 1);
}

constexpr char out_of_memory[] = "credens: not enough memory\n";

bool is_spread(std::span<char* const> words) {
  const std::vector<Verb> verbs = all_verbs();
  const auto is_it = [&](const Verb& verb) { return verb.is_spread && verb.name == words.front(); };
  return !words.empty() && std::ranges::any_of(verbs, is_it);
}

/// mpirun ends all ranks if one cannot join. It is likely that none of its machine can, so the first one speaks.
int fail_to_join(const Launch& launch, const Error& error) {
  if (launch.is_first_on_machine) print_error(fmt::format("credens: {}", error.what()));
  return error.exit_status();
}

/// Each would be the whole work, and all would write the same file.
int refuse_to_run(const Launch& launch) {
  if (launch.rank == 0) {
    print_error(
        fmt::format("credens: {} processes were started, but not by OpenMPI's mpirun: expected OpenMPI's mpirun, or "
                    "one process (unset PMI_SIZE and PMIX_RANK to run independent processes)",
                    launch.size));
  }
  return static_cast<int>(ErrorCode::usage);
}

int run_in_team(const Launch& launch, std::span<char* const> words) {
  try {
    join_team(launch, base::join(std::vector<std::string>(words.begin(), words.end()), "\n"));
  } catch (const Error& error) {
    if (team().is_alone()) return fail_to_join(launch, error);
    return leave_team(report("credens", error));
  }
  return leave_team(explained_run(words));
}

int run_as_rank(std::span<char* const> words) {
  const Launch launch = cli::launch();
  if (!is_spread(words)) return launch.rank == 0 ? explained_run(words) : 0;
  if (const auto foreign = foreign_launch()) return refuse_to_run(*foreign);
  return run_in_team(launch, words);
}

/// An uncaught exception must not leave the other ranks waiting. Without memory nothing can be told to them.
int guarded_run(std::span<char* const> words) {
  try {
    return run_as_rank(words);
  } catch (const std::bad_alloc&) {
    print_plainly(out_of_memory);
  } catch (const std::exception& error) {
    print_error(fmt::format("credens: {}", error.what()));
  }
  abort_team(static_cast<int>(ErrorCode::failure));
  return static_cast<int>(ErrorCode::failure);
}

std::atomic<bool> memory_ran_out = false;
const std::terminate_handler usual_end = std::get_terminate();

[[noreturn]] void note_lack_of_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

/// Destructors of JSON trees and iterators over folders take memory where nothing that is thrown can be caught.
[[noreturn]] void end_uncaught() {
  if (memory_ran_out) {
    print_plainly(out_of_memory);
    ::_exit(static_cast<int>(ErrorCode::failure));
  }
  usual_end();
  std::abort();
}

/// Files are mapped, so a disk that fails and a file that shrinks show as this signal.
void fail_mapped_file(int /*signal*/) {
  print_plainly(
      "credens: a file could not be read to its end: it was truncated while it was read, or the disk failed\n");
  ::_exit(static_cast<int>(ErrorCode::io));
}

}  // namespace

}  // namespace credens::cli

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows as a failed write, which leaves nothing half-written behind
  std::signal(SIGXFSZ, SIG_IGN);  // so does a limit on the size of files
  std::signal(SIGBUS, credens::cli::fail_mapped_file);
  std::set_new_handler(credens::cli::note_lack_of_memory);
  std::set_terminate(credens::cli::end_uncaught);
  return credens::cli::guarded_run(std::span(words, count).subspan(count > 0 ? 1 : 0));
}

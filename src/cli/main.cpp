// SPDX-License-Identifier: Apache-2.0
//
// From words to a verb, and from an exception to a sentence and an exit status.

#include <credens/error.hpp>

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

#include "cli/help.hpp"
#include "cli/print.hpp"
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
    print_error(base::trim(overview(verbs)));
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
  if (has_work) {
    verb.run();
  } else {
    print(help_of(verb));
  }
  return 0;
}

int report(const std::string& speaker, std::string_view sentence, ErrorCode code) {
  if (!(code == ErrorCode::io && reader_has_gone())) print_error(fmt::format("{}: {}", speaker, sentence));
  return static_cast<int>(code);
}

int guarded_run(const std::vector<std::string>& words) {
  std::string speaker = "credens";
  try {
    return run(words, speaker);
  } catch (const Error& error) {
    return report(speaker, error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return report(speaker, "this needs more memory than there is", ErrorCode::failure);
  } catch (const std::exception& error) {
    return report(speaker, error.what(), ErrorCode::failure);
  }
}

}  // namespace

}  // namespace credens::cli

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows as a failed write, which leaves nothing half-written behind
  return credens::cli::guarded_run(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
}

// SPDX-License-Identifier: Apache-2.0
//
// Writes the man pages and the shells' completions into a folder, as they are installed below PREFIX/share. A program
// of the build; users see what it writes.

#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/print.hpp"

namespace credens::cli {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  base::write_file(path, text);
}

void write_all(const fs::path& share) {
  const std::vector<Verb> verbs = all_verbs();
  write(share / "man/man1/credens.1", manual_of_program(verbs));
  for (const Verb& verb : verbs) write(share / ("man/man1/credens-" + verb.name + ".1"), manual_of(verb));
  write(share / "bash-completion/completions/credens", bash_completion(verbs));
  write(share / "zsh/site-functions/_credens", zsh_completion(verbs));
  write(share / "fish/vendor_completions.d/credens.fish", fish_completion(verbs));
}

}  // namespace

}  // namespace credens::cli

int main(int count, char** words) {
  if (count != 2) {
    credens::cli::print_error("usage: credens_manual FOLDER");
    return 2;
  }
  try {
    credens::cli::write_all(words[1]);
    return 0;
  } catch (const std::exception& error) {
    credens::cli::print_error(error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0

#include "base/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "base/temporary.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::base {
namespace {

using test::Fails;
using test::TemporaryFolder;

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  return names;
}

void put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path) << bytes;
}

/// While it lives, files cannot grow beyond `bytes`, as on a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

/// While it lives, standard output goes to a file.
class StandardOutputTo {
 public:
  explicit StandardOutputTo(const std::filesystem::path& path) : saved_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, STDOUT_FILENO);
    ::close(file);
  }
  ~StandardOutputTo() {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
  StandardOutputTo(const StandardOutputTo&) = delete;
  StandardOutputTo& operator=(const StandardOutputTo&) = delete;

 private:
  int saved_;
};

TEST(ReadFile, ReturnsAllBytes) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  put(folder / "small", bytes);
  put(folder / "empty", "");
  put(folder / "large", std::string(300'000, 'x'));
  EXPECT_EQ(read_file(folder / "small"), bytes);
  EXPECT_EQ(read_file(folder / "empty"), "");
  EXPECT_EQ(read_file(folder / "large"), std::string(300'000, 'x'));
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::jthread writer([&] { put(folder / "pipe", std::string(200'000, 'y')); });
  EXPECT_EQ(read_file(folder / "pipe"), std::string(200'000, 'y'));
}

TEST(ReadFile, SaysWhyItCannot) {
  const TemporaryFolder folder;
  const std::string absent = folder / "absent";
  EXPECT_THAT([&] { read_file(absent); }, Fails(ErrorCode::io, absent + ": cannot open: no such file or folder"));
  EXPECT_THAT([&] { read_file(folder.path()); }, Fails(ErrorCode::io, "is a folder, expected a file"));
  put(folder / "file", "");
  EXPECT_THAT([&] { read_file(folder / "file" / "below"); },
              Fails(ErrorCode::io, "a file stands where a folder is expected"));
}

TEST(ReadFile, SaysThatPermissionIsDenied) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  const TemporaryFolder folder;
  put(folder / "secret", "x");
  ::chmod((folder / "secret").c_str(), 0);
  EXPECT_THAT([&] { read_file(folder / "secret"); }, Fails(ErrorCode::io, "permission denied"));
}

TEST(AtomicFile, AppearsOnlyWithCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "new");
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  file.commit();
  EXPECT_EQ(read_file(folder / "new"), "one two");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"new"});
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TemporaryFolder folder;
  put(folder / "old", "before");
  { AtomicFile(folder / "old").write("after"); }
  EXPECT_EQ(read_file(folder / "old"), "before");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"old"});
}

TEST(AtomicFile, KeepsTheOldFileWhereTheNewOneDoesNotFit) {
  const TemporaryFolder folder;
  put(folder / "old", "before");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THAT([&] { write_file(folder / "old", std::string(5000, 'x')); }, Fails(ErrorCode::io, "cannot write"));
  }
  EXPECT_EQ(read_file(folder / "old"), "before");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"old"});
}

TEST(AtomicFile, KeepsTheOldThingWhereItCannotBeReplaced) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "name");
  file.write("bytes");
  std::filesystem::create_directory(folder / "name");  // in the meantime
  EXPECT_THAT([&] { file.commit(); }, Fails(ErrorCode::io, "is a folder"));
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"name"});
}

TEST(AtomicFile, HasThePermissionsThatTheUmaskLeaves) {
  const TemporaryFolder folder;
  for (const mode_t mask : {0022, 0077, 0000}) {
    const mode_t before = ::umask(mask);
    std::filesystem::remove(folder / "file");
    write_file(folder / "file", "x");
    ::umask(before);
    struct stat info {};
    ASSERT_EQ(::stat((folder / "file").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0666U & ~mask);
  }
}

TEST(AtomicFile, IsAsPrivateAsTheFileItReplaces) {
  const TemporaryFolder folder;
  write_file(folder / "secret", "old");
  ASSERT_EQ(::chmod((folder / "secret").c_str(), 0600), 0);
  write_file(folder / "secret", "new");
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(folder / "secret").permissions(), perms::owner_read | perms::owner_write);
}

TEST(AtomicFile, OfAKilledProcessLeavesNothing) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder / "a");
    file.write("half");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  // Only where the file system wants every file to have a name there is something to sweep.
  EXPECT_THAT(names_in(folder), testing::Each(testing::Truly(is_temporary)));
}

TEST(AtomicFile, SweepsWhatTheKilledLeft) {
  const TemporaryFolder folder;
  put(folder / ".credens-4711-1.tmp", "half");
  put(folder / ".credens-4711-x.tmp", "of somebody else");
  write_file(folder / "a", "x");
  EXPECT_THAT(names_in(folder), testing::UnorderedElementsAre(".credens-4711-x.tmp", "a"));
}

TEST(AtomicFile, LeavesTheFilesOfLivingWriters) {
  const TemporaryFolder folder;
  put(folder / ".credens-4711-1.tmp", "half");
  const int writer = ::open((folder / ".credens-4711-1.tmp").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  write_file(folder / "a", "x");
  EXPECT_TRUE(std::filesystem::exists(folder / ".credens-4711-1.tmp"));
  ::close(writer);
}

TEST(AtomicFile, ChangesTheFileBehindALink) {
  const TemporaryFolder folder;
  put(folder / "file", "before");
  std::filesystem::create_symlink("file", folder / "link");
  write_file(folder / "link", "after");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "file"), "after");
}

TEST(AtomicFile, TakesANameWithoutFolder) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("plain", "x");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(folder / "plain"), "x");
}

TEST(AtomicFile, TakesTheLongestNameThereIs) {
  const TemporaryFolder folder;
  const std::string longest(255, 'n');
  write_file(folder / longest, "x");
  EXPECT_EQ(read_file(folder / longest), "x");
  EXPECT_THAT([&] { AtomicFile(folder / (longest + "n")); }, Fails(ErrorCode::io, "cannot write"));
}

TEST(AtomicFile, ManyAtOnceDoNotDisturbEachOther) {
  const TemporaryFolder folder;
  parallel_for(64, 8, [&](std::size_t i) { write_file(folder / std::to_string(i), std::string(i, 'x')); });
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(read_file(folder / std::to_string(i)).size(), i);
  EXPECT_EQ(names_in(folder).size(), 64U);
}

TEST(AtomicFile, SaysWhyItCannot) {
  const TemporaryFolder folder;
  const std::string path = folder / "absent" / "file";
  EXPECT_THAT([&] { AtomicFile file(path); }, Fails(ErrorCode::io, path + ": cannot write: no such file or folder"));
  EXPECT_THAT([&] { AtomicFile file(folder.path()); }, Fails(ErrorCode::io, "is a folder, expected a file"));
  put(folder / "file", "");
  EXPECT_THAT([&] { AtomicFile file(folder / "file" / "below"); },
              Fails(ErrorCode::io, "a file stands where a folder is expected"));
}

TEST(AtomicFile, SaysThatAFolderCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0500);
  EXPECT_THAT([&] { AtomicFile file(folder / "file"); }, Fails(ErrorCode::io, "permission denied"));
}

TEST(OutputFile, IsAtomicForAPlainFile) {
  const TemporaryFolder folder;
  put(folder / "out", "before");
  {
    OutputFile abandoned(folder / "out");
    abandoned.write(std::string(3'000'000, 'x'));
  }
  EXPECT_EQ(read_file(folder / "out"), "before");
  OutputFile output(folder / "out");
  output.write("after");
  output.commit();
  EXPECT_EQ(read_file(folder / "out"), "after");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"out"});
}

TEST(OutputFile, SaysThatTheDiskIsFull) {
  struct stat before {};
  ASSERT_EQ(::stat("/dev/full", &before), 0);
  OutputFile output("/dev/full");
  output.write("x");
  EXPECT_THAT([&] { output.commit(); }, Fails(ErrorCode::io, "/dev/full: cannot write: no space left on the disk"));
  struct stat after {};
  ASSERT_EQ(::stat("/dev/full", &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "the device was replaced by a file";
}

TEST(OutputFile, WritesADeviceInPlace) {
  OutputFile output("/dev/null");
  output.write("x");
  output.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, WritesAPipeInPlace) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string received;
  {
    const std::jthread reader([&] { received = read_file(folder / "pipe"); });
    OutputFile output(folder / "pipe");
    output.write("through the pipe");
    output.commit();
  }
  EXPECT_EQ(received, "through the pipe");
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"pipe"});
}

TEST(OutputFile, OpensAPipeOnlyToWrite) {
  // Opening waits for a reader, so this would never end; and a reader would take the closing for the end.
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const OutputFile unused(folder / "pipe");
}

TEST(AtomicFile, SaysThatThePipeIsClosed) {
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  AtomicFile file(folder / "pipe");
  file.write("x");
  ::close(reader);
  EXPECT_THAT([&] { file.write("more"); }, Fails(ErrorCode::io, "the reader has closed the pipe"));
  std::signal(SIGPIPE, old_handler);
}

TEST(OutputFile, DashIsStandardOutput) {
  const TemporaryFolder folder;
  {
    const StandardOutputTo file(folder / "out");
    for (const char* name : {"-", "/dev/stdout"}) {
      OutputFile output(name);
      output.write(name);
      output.commit();
    }
  }
  EXPECT_EQ(read_file(folder / "out"), "-/dev/stdout");
}

TEST(OutputFile, SaysThatStandardOutputIsFull) {
  std::string sentence;
  {
    const StandardOutputTo full("/dev/full");
    OutputFile output("-");
    output.write("x");
    try {
      output.commit();
    } catch (const Error& error) {
      sentence = error.what();
    }
  }
  EXPECT_EQ(sentence, "standard output: cannot write: no space left on the disk");
}

TEST(MakeFolder, MakesParentsToo) {
  const TemporaryFolder folder;
  make_folder(folder / "a" / "b");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a" / "b"));
  EXPECT_NO_THROW(make_folder(folder / "a"));
}

TEST(MakeFolder, SweepsAFolderThatIsThere) {
  const TemporaryFolder folder;
  put(folder / ".credens-4711-1.tmp", "half");
  make_folder(folder.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MakeFolder, SaysWhyItCannot) {
  const TemporaryFolder folder;
  put(folder / "file", "");
  EXPECT_THAT([&] { make_folder(folder / "file" / "below"); },
              Fails(ErrorCode::io, "cannot make the folder: a file stands where a folder is expected"));
  EXPECT_THAT([&] { make_folder(folder / "file"); },
              Fails(ErrorCode::io, "cannot make the folder: a file stands where a folder is expected"));
}

TEST(ErrorText, IsInWords) {
  EXPECT_EQ(error_text(ENOENT), "no such file or folder");
  EXPECT_EQ(error_text(ENOSPC), "no space left on the disk");
  EXPECT_EQ(error_text(EACCES), "permission denied");
  EXPECT_FALSE(error_text(EXDEV).empty());
}

}  // namespace
}  // namespace credens::base

// SPDX-License-Identifier: Apache-2.0
#include "data/atomic_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>
#include <thread>

#include "bochner/table.h"
#include "data/expect_file_error.h"
#include "support/scale.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using data::AtomicFile;
using test::expect_file_error;
using test::TemporaryFolder;
using Names = std::set<std::string>;

/// Limits the size of files of this process while it lives; a longer write fails with EFBIG, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limited{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  sighandler_t old_handler_ = SIG_DFL;
};

TEST(AtomicFile, WritesBytesWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  write_bytes(folder / "x.html", bytes);
  EXPECT_EQ(folder.read("x.html"), bytes);
  {
    const FileSizeLimit limit(1);
    expect_file_error([&] { write_bytes(folder / "x.html", "longer than that"); }, {"x.html", "cannot be written"});
  }
  EXPECT_EQ(folder.read("x.html"), bytes);
  EXPECT_EQ(folder.names(), (Names{"x.html"}));
  expect_file_error([&] { write_bytes(folder / "no" / "x", bytes); }, {"does not exist"});
}

TEST(AtomicFile, AppearsAtCommit) {
  const TemporaryFolder folder;
  folder.write("x", "old");
  {
    AtomicFile file(folder / "x");
    file.write("new ");
    file.write("text");
    EXPECT_EQ(folder.read("x"), "old");
    EXPECT_EQ(folder.names().size(), 2u);
    file.commit();
    EXPECT_EQ(folder.read("x"), "new text");
    EXPECT_EQ(folder.names(), Names{"x"});
  }
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(AtomicFile, WithoutCommitNothingHappens) {
  const TemporaryFolder folder;
  folder.write("x", "old");
  {
    AtomicFile file(folder / "x");
    file.write("new");
  }
  EXPECT_EQ(folder.read("x"), "old");
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(AtomicFile, FullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  folder.write("x.npy", "old");
  folder.write("x.csv", "old");
  const Table table{Matrix<double>(1000, 10, 0.123456789), {}};
  for (const rlim_t limit : {0, 1, 9, 10, 100, 128, 129, 4096, 80'127})
    for (const char* name : {"x.npy", "x.csv"}) {
      SCOPED_TRACE(std::string(name) + " limited to " + std::to_string(limit));
      const FileSizeLimit full(limit);
      expect_file_error([&] { write_table(folder / name, table); }, {name, "cannot be written", "too large"});
      EXPECT_EQ(folder.read(name), "old");
      EXPECT_EQ(folder.names(), (Names{"x.npy", "x.csv"}));
    }
  const FileSizeLimit enough(128 + 80'000);
  EXPECT_NO_THROW(write_table(folder / "x.npy", table));
}

TEST(AtomicFile, MissingFolderIsNamed) {
  const TemporaryFolder folder;
  const Table table{Matrix<double>(1, 1, 1.0), {}};
  for (const auto& act : {+[](const std::filesystem::path&file, const Table&t) { write_table(file, t); },
                          +[](const std::filesystem::path&file, const Table&) { check_output(file); }})
    expect_file_error([&] { act(folder / "nowhere/x.npy", table); }, {"nowhere/x.npy", "folder", "does not exist"});
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, WhatIsNotAFileIsNotReplaced) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "d.npy");
  expect_file_error([&] { check_output(folder / "d.npy"); }, {"d.npy", "a directory"});
  ASSERT_EQ(::mkfifo((folder / "p.npy").c_str(), 0600), 0);
  expect_file_error([&] { check_output(folder / "p.npy"); }, {"p.npy", "a pipe"});
  folder.write("file", "");
  expect_file_error([&] { check_output(folder / "file/x.npy"); }, {"file/x.npy"});
  EXPECT_NO_THROW(check_output(folder / "x.npy"));
  EXPECT_EQ(folder.names(), (Names{"d.npy", "p.npy", "file"}));
}

TEST(AtomicFile, LinksStayAndTheirFileIsReplaced) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deep");
  folder.write("deep/x", "old");
  std::filesystem::create_symlink("deep/x", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.read("deep/x"), "new");
}

TEST(AtomicFile, ModeIsKeptOrFollowsTheMask) {
  const TemporaryFolder folder;
  folder.write("old", "");
  ASSERT_EQ(::chmod((folder / "old").c_str(), 0600), 0);
  const mode_t mask = ::umask(027);
  for (const char* name : {"old", "new"}) AtomicFile(folder / name).commit();
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat((folder / "old").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat((folder / "new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(AtomicFile, TwoWritersDoNotMeet) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "x");
  AtomicFile second(folder / "x");
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(folder.read("x"), "first");
  EXPECT_EQ(folder.names(), Names{"x"});
}

/// A child saves over and over and is killed at some moment: the file is always one of the two, whole.
TEST(AtomicFile, KilledWriterLeavesAWholeFile) {
  const TemporaryFolder folder;
  const auto file = folder / "x.npy";
  write_table(file, Table{Matrix<double>(500, 20, -1.0), {}});
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (double value = 0;; ++value) write_table(file, Table{Matrix<double>(500, 20, value), {}});
    }
    ::usleep(1000 + 700 * round);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Table read = read_table(file);
    const auto& values = std::get<Matrix<double>>(read.values);
    ASSERT_EQ(values.rows() * values.cols(), 10'000u);
    for (std::size_t i = 0; i < 10'000; ++i) ASSERT_EQ(values.data()[i], values(0, 0));
  }
}

/// A writer that is killed leaves its temporary; the next file in the folder takes it away, and none of a living one.
TEST(AtomicFile, TemporariesOfTheDeadAreRemoved) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile killed(folder / "x");
    killed.write("half");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(folder.names().size(), 1u);
  folder.write(".bochner-not-ours", "");
  folder.write("bochner-1-1.tmp", "");
  AtomicFile living(folder / "x");
  living.write("first");
  AtomicFile(folder / "y").commit();
  EXPECT_EQ(folder.names().size(), 4u);
  living.commit();
  EXPECT_EQ(folder.read("x"), "first");
  EXPECT_EQ(folder.names(), (Names{"x", "y", ".bochner-not-ours", "bochner-1-1.tmp"}));
}

/// Ends this process after `wait` microseconds, while four threads begin, complete and give up files without a pause.
[[noreturn]] void write_until_ended(const TemporaryFolder& folder, useconds_t wait) {
  struct sigaction ending {};
  ending.sa_handler = [](int signal) {
    abandon_files();
    ::_exit(128 + signal);
  };
  ::sigaction(SIGALRM, &ending, nullptr);
  for (int number = 0; number < 4; ++number)
    std::thread([&folder, number] {
      const auto target = folder / ("x" + std::to_string(number));
      for (std::size_t round = 0;; ++round) {
        AtomicFile file(target);
        file.write("text");
        if (round % 2 == 0) file.commit();
      }
    }).detach();
  ::ualarm(wait, 0);
  while (true) ::pause();
}

TEST(AtomicFile, AbandonedFilesLeaveNothing) {
  const TemporaryFolder folder;
  const std::size_t rounds = test::scaled(100, 20);
  for (std::size_t round = 0; round < rounds; ++round) {
    const pid_t child = ::fork();
    if (child == 0) write_until_ended(folder, static_cast<useconds_t>(500 + 37 * round));
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGALRM) << status;
    for (const std::string& name : folder.names()) {
      ASSERT_EQ(name.size(), 2u) << name << " after round " << round;
      ASSERT_EQ(folder.read(name), "text");
    }
  }
  EXPECT_EQ(folder.names(), (Names{"x0", "x1", "x2", "x3"}));
}

TEST(AtomicFile, ReadOnlyFolderIsRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  const uid_t user = ::geteuid();
  ASSERT_EQ(::seteuid(user == 0 ? 65534 : user), 0);  // root may write everywhere
  expect_file_error([&] { AtomicFile file(folder / "x"); }, {"cannot be written", "Permission"});
  ASSERT_EQ(::seteuid(user), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
// Commands that are interrupted: at moments spread over their whole run, and as soon as their temporary file is there.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/generated_rows.h"
#include "support/scale.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::Outcome;
using test::TemporaryFolder;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

bool is_temporary(const std::string& name) { return name.starts_with(".bochner-"); }

bool has_temporary(const TemporaryFolder& folder) { return std::ranges::any_of(folder.names(), is_temporary); }

struct Command {
  const char* name;
  std::vector<std::string> words;
  std::vector<std::string> outputs;
};

void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }

class CliInterrupt : public testing::TestWithParam<Command> {
 protected:
  /// The inputs of all commands, and how long this one takes if nothing comes between.
  CliInterrupt() {
    test::write_regression(folder_, "rows.csv", 20'000);
    test::write_regression(folder_, "few.csv", 1500);
    test::run_bochner({"fit", "few.csv", "--target", "y", "--model", "m", "--m", "256"}, folder_.path());
    test::run_bochner({"transform", "rows.csv", "--out", "q.npy", "--m", "16"}, folder_.path());
    inputs_ = folder_.names();
    const auto start = Clock::now();
    const Outcome whole = test::run_program(words(), folder_.path());
    duration_ = Clock::now() - start;
    EXPECT_EQ(whole.exit_code, 0) << whole.err;
    for (const std::string& output : GetParam().outputs) sizes_.push_back(folder_.read(output).size());
  }

  static std::vector<std::string> words() {
    std::vector<std::string> all = GetParam().words;
    all.insert(all.begin(), BOCHNER_CLI);
    return all;
  }

  /// Sends `signal` after `wait`, or once the command writes if `wait` is 0; the exit code of the command.
  int interrupt(int signal, Seconds wait) {
    for (const std::string& output : GetParam().outputs) std::filesystem::remove(folder_ / output);
    const TemporaryFolder streams;
    const pid_t child = test::start_program(words(), folder_.path(), streams);
    const auto start = Clock::now();
    const auto now = [&] { return wait.count() == 0 ? has_temporary(folder_) : Clock::now() - start >= wait; };
    while (Clock::now() - start < 2 * duration_ && !now()) ::usleep(100);
    ::kill(child, signal);
    const auto sent = Clock::now();
    const Outcome outcome = test::outcome_of(child, streams);
#if !defined(__SANITIZE_ADDRESS__)  // which looks for leaks at the end
    EXPECT_LT(Seconds(Clock::now() - sent).count(), 1) << wait.count();
#endif
    return outcome.exit_code;
  }

  /// Nothing is left but inputs and, at most, outputs that are complete.
  void expect_clean(const std::string& when) const {
    const auto& outputs = GetParam().outputs;
    for (const std::string& name : folder_.names()) {
      if (inputs_.contains(name)) continue;
      const auto found = std::ranges::find(outputs, name);
      ASSERT_NE(found, outputs.end()) << name << " is left, " << when;
      const auto size = static_cast<double>(sizes_[static_cast<std::size_t>(found - outputs.begin())]);
      // A report tells its own running time: some digits more or less.
      EXPECT_NEAR(static_cast<double>(folder_.read(name).size()), size, 20) << name << ", " << when;
    }
  }

  TemporaryFolder folder_;
  std::set<std::string> inputs_;
  std::vector<std::size_t> sizes_;
  Seconds duration_{};
};

/// BOCHNER_TEST_SCALE=4 interrupts each of six commands 80 times.
TEST_P(CliInterrupt, LeavesNothing) {
  const std::size_t rounds = test::scaled(20, 6);
  std::size_t ended = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const int signal = kSignals[round % std::size(kSignals)];
    const double share = (static_cast<double>(round) + 0.5) / static_cast<double>(rounds);
    const int code = interrupt(signal, round % 2 == 0 ? Seconds(0) : share * duration_);
    const std::string when = "round " + std::to_string(round) + ", exit code " + std::to_string(code);
    ASSERT_TRUE(code == 128 + signal || code == 0) << when;
    ASSERT_NO_FATAL_FAILURE(expect_clean(when));
    ended += code != 0;
  }
  EXPECT_GE(ended, rounds / 4);
}

const Command kCommands[] = {
    {"Transform", {"transform", "few.csv", "--out", "z.csv", "--m", "256"}, {"z.csv"}},
    {"TransformByModel", {"transform", "few.csv", "--model", "m", "--out", "z.npy"}, {"z.npy"}},
    {"Predict", {"predict", "m", "rows.csv", "--out", "p.csv"}, {"p.csv"}},
    {"Fit", {"fit", "few.csv", "--target", "y", "--model", "new", "--m", "256"}, {"new"}},
    {"FitReport",
     {"fit", "few.csv", "--target", "y", "--model", "new", "--m", "16", "--report", "r.html"},
     {"new", "r.html"}},
    {"Attention", {"attention", "q.npy", "q.npy", "q.npy", "--out", "o.npy", "--m", "64"}, {"o.npy"}},
};

INSTANTIATE_TEST_SUITE_P(Commands, CliInterrupt, testing::ValuesIn(kCommands),
                         [](const auto& tested) { return tested.param.name; });

/// One call of LAPACK takes longer than a user waits.
TEST(CliInterruptLong, EndsWithinASecond) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 20'000);
  for (const int milliseconds : {300, 1000, 3000}) {
    const TemporaryFolder streams;
    const pid_t child = test::start_program(
        {BOCHNER_CLI, "fit", "rows.csv", "--target", "y", "--model", "m", "--m", "3000"}, folder.path(), streams);
    ::usleep(static_cast<useconds_t>(1000 * milliseconds));
    ::kill(child, SIGTERM);
    const auto sent = Clock::now();
    EXPECT_EQ(test::outcome_of(child, streams).exit_code, 128 + SIGTERM);
    EXPECT_LT(Seconds(Clock::now() - sent).count(), 1);
    EXPECT_EQ(folder.names(), std::set<std::string>{"rows.csv"});
  }
}

/// The files of a demonstration are complete or not there.
TEST(CliInterruptDemo, LeavesWholeFiles) {
  for (const int milliseconds : {50, 150, 400, 1000, 2000}) {
    const TemporaryFolder folder, streams;
    const pid_t child = test::start_program({BOCHNER_CLI, "demo", "--out", "demo"}, folder.path(), streams);
    ::usleep(static_cast<useconds_t>(1000 * milliseconds));
    ::kill(child, SIGINT);
    const Outcome outcome = test::outcome_of(child, streams);
    EXPECT_TRUE(outcome.exit_code == 128 + SIGINT || outcome.exit_code == 0) << outcome.exit_code;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      EXPECT_FALSE(is_temporary(entry.path().filename().string())) << entry.path();
  }
}

/// As `| head` does. What was asked for is on its way to nobody.
TEST(CliInterruptPipe, ClosedByItsReader) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 20'000);
  const Outcome outcome = test::run_shell(
      "bochner fit rows.csv --target y --model m --m 16 >/dev/null && "
      "{ bochner predict m rows.csv; echo $? >code; } | true; cat code; ls -A",
      folder.path());
  EXPECT_EQ(outcome.out, "141\ncode\nm\nrows.csv\n") << outcome.err;
}

/// What nohup starts outlives its terminal.
TEST(CliInterruptNohup, IgnoredSignalsStayIgnored) {
  const TemporaryFolder folder, streams;
  test::write_regression(folder, "rows.csv", 20'000);
  const auto before = ::signal(SIGHUP, SIG_IGN);  // which the child inherits
  const pid_t child = test::start_program(
      {BOCHNER_CLI, "fit", "rows.csv", "--target", "y", "--model", "m", "--m", "256"}, folder.path(), streams);
  ::signal(SIGHUP, before);
  ::usleep(100'000);
  ::kill(child, SIGHUP);
  const Outcome outcome = test::outcome_of(child, streams);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(folder.names(), (std::set<std::string>{"m", "rows.csv"}));
}

}  // namespace
}  // namespace bochner

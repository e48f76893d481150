// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

#include "bochner/threads.h"
#include "core/available_cores.h"
#include "core/parallel.h"

// ThreadSanitizer does not support threads started after a fork of a process that has threads, and the allocator of
// AddressSanitizer (g++ 12) does not release its locks in the child: one fork in some hundreds then waits for ever.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define BOCHNER_NO_THREADS_AFTER_FORK 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define BOCHNER_NO_THREADS_AFTER_FORK 1
#endif
#endif

namespace bochner {
namespace {

#if !defined(BOCHNER_NO_THREADS_AFTER_FORK)

std::size_t covered(std::size_t n) {
  std::atomic<std::size_t> sum{0};
  parallel_for(n, 3, [&](std::size_t first, std::size_t last) { sum += last - first; });
  return sum;
}

/// Runs `work` in a child process: its answer, or -1 when it did not exit by itself within 30 s.
int in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Fork : public ::testing::Test {
 protected:
  Fork() { set_num_threads(4); }
  ~Fork() override { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};

/// 0 when the child has the right sums and as many threads as it asked for.
int use_threads() {
  for (int repeat = 0; repeat < 20; ++repeat)
    if (covered(100) != 100) return 1;
  std::atomic<int> inside{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  parallel_for(4, 1, [&](std::size_t, std::size_t) {
    ++inside;
    while (inside < 4 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  return std::chrono::steady_clock::now() < deadline ? 0 : 2;
}

TEST_F(Fork, ChildHasItsOwnWorkers) {
  ASSERT_EQ(covered(100), 100u);
  EXPECT_EQ(in_child(use_threads), 0);
  EXPECT_EQ(covered(100), 100u) << "the parent goes on";
}

TEST_F(Fork, GrandchildToo) {
  ASSERT_EQ(covered(100), 100u);
  EXPECT_EQ(in_child([] { return use_threads() == 0 ? in_child(use_threads) : 3; }), 0);
}

TEST_F(Fork, WhileAnotherThreadUsesThePool) {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) covered(1000);
  });
  int failed = 0;
  for (int child = 0; child < 40; ++child) failed += in_child(use_threads) != 0;
  stop = true;
  busy.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(Fork, FromInsideABody) {
  std::atomic<int> failed{0};
  parallel_for(4, 1,
               [&](std::size_t, std::size_t) { failed += in_child([] { return covered(100) == 100 ? 0 : 1; }) != 0; });
  EXPECT_EQ(failed, 0);
}

#endif

/// Exits with num_threads(), or with 0 after writing the sentence of the error.
[[noreturn]] void exit_with_threads(const char* value) {
  setenv("BOCHNER_NUM_THREADS", value, 1);
  try {
    _exit(num_threads());
  } catch (const std::invalid_argument& error) {
    std::fputs(error.what(), stderr);
    _exit(0);
  }
}

/// "threadsafe" runs each statement in a fresh process, where nobody has asked for the number of threads yet.
class NumThreadsDeathTest : public ::testing::Test {
 protected:
  NumThreadsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(NumThreadsDeathTest, FromTheEnvironment) {
  EXPECT_EXIT(exit_with_threads("3"), ::testing::ExitedWithCode(3), "");
  EXPECT_EXIT(exit_with_threads("1"), ::testing::ExitedWithCode(1), "");
}

TEST_F(NumThreadsDeathTest, RefusesWhatIsNoNumberOfThreads) {
  const char* sentence = "^environment variable BOCHNER_NUM_THREADS is '.*'; expected a whole number from 1 to 1024$";
  EXPECT_EXIT(exit_with_threads("0"), ::testing::ExitedWithCode(0), sentence);
  EXPECT_EXIT(exit_with_threads("-2"), ::testing::ExitedWithCode(0), sentence);
  EXPECT_EXIT(exit_with_threads("1025"), ::testing::ExitedWithCode(0), sentence);
  EXPECT_EXIT(exit_with_threads("2.5"), ::testing::ExitedWithCode(0), sentence);
  EXPECT_EXIT(exit_with_threads(" 2"), ::testing::ExitedWithCode(0), sentence);
  EXPECT_EXIT(exit_with_threads("two"), ::testing::ExitedWithCode(0), sentence);
  EXPECT_EXIT(exit_with_threads("99999999999999999999"), ::testing::ExitedWithCode(0), sentence);
}

TEST_F(NumThreadsDeathTest, EmptyIsUnset) {
  EXPECT_EXIT(exit_with_threads(""), ::testing::ExitedWithCode(std::min(available_cores(), 1024) & 0xff), "");
}

TEST(NumThreads, RefusesNumbersOutOfRange) {
  for (const int threads : {0, -1, 1025, 1 << 30}) {
    try {
      set_num_threads(threads);
      ADD_FAILURE() << threads << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), "threads is " + std::to_string(threads) + "; expected a whole number from 1 to 1024");
    }
  }
}

TEST(AvailableCores, AtLeastOneAndNoMoreThanTheAffinityMask) {
  EXPECT_GE(available_cores(), 1);
  cpu_set_t mask, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  EXPECT_LE(available_cores(), CPU_COUNT(&mask));
  int cpu = 0;
  while (!CPU_ISSET(cpu, &mask)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_cores(), 1);
  sched_setaffinity(0, sizeof(mask), &mask);
}

TEST(AvailableCores, QuotaOfAControlGroup) {
  EXPECT_EQ(quota_cores("200000 100000"), 2);
  EXPECT_EQ(quota_cores("150000 100000"), 2);
  EXPECT_EQ(quota_cores("1000 100000"), 1);
  EXPECT_EQ(quota_cores("9000000000000000000 1"), std::numeric_limits<int>::max());
  for (const char* none : {"max 100000", "-1 100000", "", " ", "100000", "100000 0", "5 x", "5 100000 7"})
    EXPECT_EQ(quota_cores(none), 0) << none;
}

}  // namespace
}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bochner/threads.h"
#include "core/stream.h"

namespace bochner {
namespace {

/// Leaves the number of threads as it was.
class Parallel : public ::testing::Test {
 protected:
  ~Parallel() override { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};

TEST_F(Parallel, EveryIndexExactlyOnceInTheSameBlocks) {
  for (const int threads : {1, 2, 3, 8, 17}) {
    set_num_threads(threads);
    for (const std::size_t n : {0, 1, 2, 7, 64, 100, 1001})
      for (const std::size_t block : {1, 2, 3, 32, 100, 5000}) {
        std::vector<std::atomic<int>> hits(n);
        std::atomic<int> wrong{0}, calls{0};
        parallel_for(n, block, [&](std::size_t first, std::size_t last) {
          ++calls;
          if (first % block != 0 || last != std::min(n, first + block)) ++wrong;
          for (std::size_t i = first; i < last; ++i) ++hits[i];
        });
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(static_cast<std::size_t>(calls), (n + block - 1) / block);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(hits[i], 1) << n << " " << block << " " << threads << " " << i;
      }
  }
}

TEST_F(Parallel, BlocksNearTheEndOfTheRangeDoNotOverflow) {
  set_num_threads(3);
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> covered{0}, calls{0};
  parallel_for(most, most / 2, [&](std::size_t first, std::size_t last) {
    covered += last - first;
    ++calls;
  });
  EXPECT_EQ(covered, most);
  EXPECT_EQ(calls, 3u);
}

TEST_F(Parallel, RefusesAnEmptyBlock) {
  EXPECT_THROW(parallel_for(5, 0, [](std::size_t, std::size_t) {}), std::invalid_argument);
}

TEST_F(Parallel, UsesTheThreadsThatWereAskedFor) {
  for (const int threads : {4, 1, 6, 2}) {  // grows and shrinks
    set_num_threads(threads);
    EXPECT_EQ(num_threads(), threads);
    std::atomic<int> waiting{0};
    std::mutex mutex;
    std::set<std::thread::id> seen;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    parallel_for(threads, 1, [&](std::size_t, std::size_t) {
      {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      ++waiting;  // holds its block until as many threads are inside
      while (waiting < threads && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    });
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(threads));
  }
}

TEST_F(Parallel, NestedCallsRunInline) {
  set_num_threads(4);
  for (const std::size_t outer : {1, 8}) {  // of one block, too, where the workers are idle
    std::atomic<int> elsewhere{0}, inner{0};
    parallel_for(outer, 1, [&](std::size_t, std::size_t) {
      const std::thread::id self = std::this_thread::get_id();
      parallel_for(10, 3, [&](std::size_t, std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // time for a worker to come, if one would
        elsewhere += std::this_thread::get_id() != self;
        ++inner;
      });
    });
    EXPECT_EQ(elsewhere, 0) << outer;
    EXPECT_EQ(static_cast<std::size_t>(inner), outer * 4);
  }
}

/// Blocks 7, 8, 11 and 39 of 40 throw their number. With threads, 7 and 8 are made to overlap and one to be late.
std::string exception_of_forty_blocks(bool overlap, std::size_t late) {
  std::atomic<int> inside{0};
  const auto throwing = [&](std::size_t block, std::size_t) {
    if (block == 7 || block == 8) {
      ++inside;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (overlap && inside < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      if (block == late) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (block == 7 || block == 8 || block == 11 || block == 39) throw std::runtime_error(std::to_string(block));
  };
  try {
    parallel_for(40, 1, throwing);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST_F(Parallel, RethrowsTheExceptionOfTheLowestBlock) {
  for (const int threads : {1, 2, 4, 8})
    for (const std::size_t late : {7, 8})
      for (int repeat = 0; repeat < 10; ++repeat) {
        set_num_threads(threads);
        ASSERT_EQ(exception_of_forty_blocks(threads > 1, late), "7") << threads << " threads, late " << late;
      }
}

TEST_F(Parallel, WorksAfterAnException) {
  set_num_threads(4);
  EXPECT_THROW(parallel_for(100, 1, [](std::size_t, std::size_t) { throw 1; }), int);
  std::atomic<int> calls{0};
  parallel_for(100, 1, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 100);
}

TEST_F(Parallel, AnExceptionLeavesNestingBehind) {
  set_num_threads(3);
  EXPECT_THROW(parallel_for(1, 1, [](std::size_t, std::size_t) { throw 1; }), int);
  std::atomic<int> inside{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  parallel_for(2, 1, [&](std::size_t, std::size_t) {  // ends in time only on two threads
    ++inside;
    while (inside < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
}

TEST_F(Parallel, ConcurrentCallersAllFinishRight) {
  set_num_threads(4);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&, caller] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        const std::size_t n = 50 + caller;
        std::vector<int> hits(n);
        parallel_for(n, 4, [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) ++hits[i];
        });
        for (const int count : hits) wrong += count != 1;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Parallel, ResizingWhileOthersCall) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0}, calls{0};
  std::thread resizer([&] {
    for (int i = 0; i < 200; ++i) {
      set_num_threads(1 + i % 5);
      for (const int seen = calls; calls < seen + 2;) std::this_thread::yield();
    }
    done = true;
  });
  while (!done) {
    std::atomic<std::size_t> sum{0};
    parallel_for(100, 7, [&](std::size_t first, std::size_t last) { sum += last - first; });
    wrong += sum != 100;
    ++calls;
  }
  resizer.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Parallel, BitsDoNotDependOnThreads) {
  const std::size_t rows = 137, cols = 31;
  std::vector<double> reference;
  for (int threads = 1; threads <= 8; ++threads) {
    set_num_threads(threads);
    std::vector<double> draws(rows * cols);
    std::vector<double> sums((rows + 9) / 10);
    parallel_for(rows, 10, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        Stream(3, Purpose::iid_entries).fill_normal(i, 0, std::span(draws).subspan(i * cols, cols));
        for (std::size_t j = 0; j < cols; ++j) sums[first / 10] += draws[i * cols + j];
      }
    });
    draws.insert(draws.end(), sums.begin(), sums.end());
    if (threads == 1) reference = draws;
    EXPECT_EQ(std::memcmp(draws.data(), reference.data(), draws.size() * sizeof(double)), 0) << threads;
  }
}

}  // namespace
}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>

namespace bochner::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMeasuresMemory = false;
#else
inline constexpr bool kMeasuresMemory = true;
#endif

/// A line of /proc/self/status in bytes.
inline std::uint64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == key + ":") {
      std::uint64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes << 10;
    }
  throw std::runtime_error("no " + key + " in /proc/self/status");
}

/// Most bytes that `work` holds at once beside what this process has: measured in a child, which begins with no more
/// than that. `work` must start no threads; where it throws or an expectation of it fails, so does the test.
inline std::size_t peak_of(const std::function<void()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::malloc_trim(0);  // what is free already would hide what is taken
    const std::uint64_t before = status_bytes("VmRSS");
    std::ofstream("/proc/self/clear_refs") << "5";    // VmHWM begins anew
    const bool failed = testing::Test::HasFailure();  // before
    int code = 1;
    try {
      work();
      code = testing::Test::HasFailure() && !failed ? 1 : 0;
    } catch (...) {
    }
    const std::uint64_t most = status_bytes("VmHWM"), bytes = most > before ? most - before : 0;
    if (::write(ends[1], &bytes, sizeof(bytes)) != sizeof(bytes)) code = 1;
    ::_exit(code);
  }
  ::close(ends[1]);
  std::uint64_t bytes = 0;
  int status = 0;
  const bool told = ::read(ends[0], &bytes, sizeof(bytes)) == sizeof(bytes);
  ::close(ends[0]);
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(told && status == 0) << "the child ended with status " << status;
  return bytes;
}

}  // namespace bochner::test

// SPDX-License-Identifier: Apache-2.0
// Peak memory of a structured coupling at d = m = 2^20, where a stored W would take 8 TiB.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <string>

#include "bochner/features.h"

namespace bochner {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kPlainMemory = false;
#else
constexpr bool kPlainMemory = true;
#endif

/// A line "VmHWM: 1234 kB" of /proc/self/status, in bytes; 0 where there is none.
std::size_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kibibytes = 0;
    if (word == key + ":" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

/// Makes the present memory the peak.
bool reset_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;
  return clear.good();
}

template <class T>
std::size_t peak_above(const std::string& map, const std::string& coupling) {
  const std::size_t d = std::size_t{1} << 20, n = 2;
  const Matrix<T> X(n, d, T(0.001));
  Matrix<T> Z(n, d, T(0));
  reset_peak();
  const std::size_t before = status_bytes("VmRSS");
  make_features({.d = d, .map = map, .coupling = coupling, .m = d})->transform(X, Z);
  return status_bytes("VmHWM") - before;
}

TEST(StructuredMemory, StaysWithin64MiBAtAMillionDirectionsOfAMillionCoordinates) {
  if (!kPlainMemory || !reset_peak() || status_bytes("VmHWM") == 0)
    GTEST_SKIP() << "peak memory cannot be measured under sanitizers or without /proc/self/clear_refs";
  constexpr std::size_t kMost = std::size_t{64} << 20;
  EXPECT_LT(peak_above<float>("cosine", "hadamard"), kMost);
  EXPECT_LT(peak_above<double>("cosine", "hadamard"), kMost);
  EXPECT_LT(peak_above<float>("positive", "hadamard"), kMost);
  EXPECT_LT(peak_above<float>("positive", "simplex_hadamard"), kMost);
}

}  // namespace
}  // namespace bochner

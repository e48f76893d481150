// SPDX-License-Identifier: Apache-2.0
// The Walsh-Hadamard transform beside what it cannot beat: reading, changing and writing the same numbers once. Both
// are timed in turns, in thread time, and the least of each counts: ratios hold on a noisy machine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "simd/arrays.h"
#include "simd/fwht.h"

namespace {

using bochner::Matrix;
namespace simd = bochner::simd;

double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

constexpr int kInCache[] = {6, 8, 10, 12, 14, 16}, kInMemory[] = {6, 10, 20};  // logarithms of n

enum class Diagonal { none, signs_and_factors };

/// `bytes` of rows of n numbers.
template <class T>
void fwht(benchmark::State& state, std::size_t n, std::size_t bytes, Diagonal diagonal) {
  const std::size_t numbers = std::max(bytes / sizeof(T), n);
  const std::size_t calls = std::max<std::size_t>((std::size_t{1} << 17) / numbers, 1);
  Matrix<T> X(numbers / n, n, T(0));  // the time does not depend on the numbers, and zeros do not grow
  const std::vector<std::uint8_t> signs(n, simd::Diagonals<T>::kMinus);
  const std::vector<T> factors(n, T(0.5));
  simd::Diagonals<T> diagonals;
  if (diagonal == Diagonal::signs_and_factors) diagonals = {signs.data(), factors};
  double limit = std::numeric_limits<double>::infinity(), least = limit;
  for (auto _ : state) {
    const double start = thread_seconds();
    for (std::size_t i = 0; i < calls; ++i) simd::affine<T>(T(-1), {X.data(), numbers}, T(0), {X.data(), numbers});
    const double middle = thread_seconds();
    for (std::size_t i = 0; i < calls; ++i) simd::fwht<T>(X.view(), diagonals, X.view());
    const double end = thread_seconds();
    limit = std::min(limit, middle - start);
    least = std::min(least, end - middle);
    state.SetIterationTime(end - middle);
  }
  const double elements = static_cast<double>(numbers * calls);
  state.counters["ns"] = 1e9 * least / elements;
  state.counters["limit_ns"] = 1e9 * limit / elements;
  state.counters["ratio"] = least / limit;
}

template <class T>
void add(const std::string& type, int log2_n, const std::string& where, std::size_t bytes) {
  const std::string name = "fwht/" + type + "/2^" + std::to_string(log2_n) + "/" + where;
  const std::size_t n = std::size_t{1} << log2_n;
  benchmark::RegisterBenchmark(name.c_str(), fwht<T>, n, bytes, Diagonal::none)->UseManualTime();
  benchmark::RegisterBenchmark((name + "/signs+factors").c_str(), fwht<T>, n, bytes, Diagonal::signs_and_factors)
      ->UseManualTime();
}

const bool registered = [] {
  constexpr std::size_t kCacheBytes = 16384, kMemoryBytes = std::size_t{128} << 20;
  for (const int log2_n : kInCache) {
    add<float>("float32", log2_n, "cache", kCacheBytes);
    add<double>("float64", log2_n, "cache", kCacheBytes);
  }
  for (const int log2_n : kInMemory) add<float>("float32", log2_n, "memory", kMemoryBytes);
  return true;
}();

}  // namespace

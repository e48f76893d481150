// SPDX-License-Identifier: Apache-2.0
// Prints, as one JSON object, what this machine can do at best on the given number of threads: FMA peak, the bandwidth
// of writes (past the caches or through them, whichever is faster), and the throughput of the elementary primitives on
// data in L1. compare.py and compare_attention.py divide by these.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <thread>
#include <vector>

#include "bochner/matrix.h"
#include "simd/lanes.h"
#include "simd/project.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "limits.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::limits::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 12 independent chains of multiply-adds; returns flops done.
template <class T>
double fma_chains(std::size_t rounds) {
  const hn::ScalableTag<T> d;
  const auto a = hn::Set(d, T(0.999)), b = hn::Set(d, T(0.001));
  const auto start = [&](int chain)
                         HWY_ATTR { return hn::Set(d, T(1) + T(chain) / 16); };  // equal chains would be merged
  auto s0 = start(0), s1 = start(1), s2 = start(2), s3 = start(3), s4 = start(4), s5 = start(5);
  auto s6 = start(6), s7 = start(7), s8 = start(8), s9 = start(9), s10 = start(10), s11 = start(11);
  for (std::size_t i = 0; i < rounds; ++i) {
    s0 = hn::MulAdd(s0, a, b), s1 = hn::MulAdd(s1, a, b), s2 = hn::MulAdd(s2, a, b), s3 = hn::MulAdd(s3, a, b);
    s4 = hn::MulAdd(s4, a, b), s5 = hn::MulAdd(s5, a, b), s6 = hn::MulAdd(s6, a, b), s7 = hn::MulAdd(s7, a, b);
    s8 = hn::MulAdd(s8, a, b), s9 = hn::MulAdd(s9, a, b), s10 = hn::MulAdd(s10, a, b), s11 = hn::MulAdd(s11, a, b);
  }
  const auto sum =
      hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
              hn::Add(hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)), hn::Add(hn::Add(s8, s9), hn::Add(s10, s11))));
  volatile T keep = hn::GetLane(hn::SumOfLanes(d, sum));
  (void)keep;
  return 2.0 * 12 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

double fma_float(std::size_t rounds) { return fma_chains<float>(rounds); }
double fma_double(std::size_t rounds) { return fma_chains<double>(rounds); }

void stream_zeros(float* out, std::size_t n) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) hn::Stream(hn::Zero(d), d, out + i);
  hwy::FlushStream();
}

void store_zeros(float* out, std::size_t n) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) hn::Store(hn::Zero(d), d, out + i);
}

}  // namespace bochner::limits::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::limits {
namespace {

HWY_EXPORT(fma_float);
HWY_EXPORT(fma_double);
HWY_EXPORT(stream_zeros);
HWY_EXPORT(store_zeros);

using Work = std::function<double(int thread)>;  // does a fixed piece of work, returns its amount

/// Seconds: of the processor for one thread, as in compare.py, so that a busy machine does not lower the limits alone.
double now(int threads) {
  if (threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Amount per second of `threads` threads working at once: the best of five tries, because it is used as a bound.
double rate(int threads, const Work& work) {
  std::vector<double> rates;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::vector<double> amount(static_cast<std::size_t>(threads));
    const double start = now(threads);
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t) pool.emplace_back([&, t] { amount[static_cast<std::size_t>(t)] = work(t); });
    for (std::thread& thread : pool) thread.join();
    const double seconds = now(threads) - start;
    double total = 0;
    for (const double a : amount) total += a;
    rates.push_back(total / seconds);
  }
  return std::ranges::max(rates);
}

template <class T>
Work elementary(simd::Shape shape) {
  return [shape](int) {
    const std::size_t rows = 4, m = 512, repeats = 30000;
    Matrix<T> P(rows, m), Z(rows, m * simd::width(shape));
    for (std::size_t i = 0; i < rows * m; ++i) P.data()[i] = static_cast<T>(static_cast<double>(i % 601) / 10.0 - 30);
    for (std::size_t r = 0; r < repeats; ++r)
      simd::finish_rows<T>(P.view(), {.shape = shape, .scale = T(0.5)}, Z.view());
    return static_cast<double>(rows * m * repeats);
  };
}

}  // namespace
}  // namespace bochner::limits

int main(int argc, char** argv) {
  using namespace bochner;
  using namespace bochner::limits;
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  const std::string target = simd::current_target();
  // The smallest output of compare.py: caches may hold a part of it, and then it is written faster than a larger one.
  constexpr std::size_t kFloats = 10'000 * 1024, kWrites = 4;
  const std::size_t floats = kFloats / static_cast<std::size_t>(threads) / 64 * 64;
  std::vector<Matrix<float>> buffers;
  for (int t = 0; t < threads; ++t) buffers.emplace_back(floats, 1, 0.0f);
  const auto written = [&](const auto& zeros, int t) {
    for (std::size_t i = 0; i < kWrites; ++i) zeros(buffers[static_cast<std::size_t>(t)].data(), floats);
    return static_cast<double>(kWrites * floats * sizeof(float));
  };
  const Work past_caches = [&](int t) { return written(HWY_DYNAMIC_DISPATCH(stream_zeros), t); };
  const Work through_caches = [&](int t) { return written(HWY_DYNAMIC_DISPATCH(store_zeros), t); };
  constexpr std::size_t kRounds = 8'000'000;
  fmt::print(
      "{{\"threads\": {}, \"target\": \"{}\", \"fma_float32\": {:.4g}, \"fma_float64\": {:.4g}, \"write\": {:.4g}, "
      "\"sincos_float32\": {:.4g}, \"sincos_float64\": {:.4g}, \"exp_float32\": {:.4g}, \"exp_float64\": {:.4g}, "
      "\"cos_float32\": {:.4g}, \"cos_float64\": {:.4g}}}\n",
      threads, target, rate(threads, [](int) { return HWY_DYNAMIC_DISPATCH(fma_float)(kRounds); }),
      rate(threads, [](int) { return HWY_DYNAMIC_DISPATCH(fma_double)(kRounds); }),
      std::max(rate(threads, past_caches), rate(threads, through_caches)),
      rate(threads, elementary<float>(simd::Shape::sincos)), rate(threads, elementary<double>(simd::Shape::sincos)),
      rate(threads, elementary<float>(simd::Shape::exp)), rate(threads, elementary<double>(simd::Shape::exp)),
      rate(threads, elementary<float>(simd::Shape::cosine)), rate(threads, elementary<double>(simd::Shape::cosine)));
}
#endif  // HWY_ONCE

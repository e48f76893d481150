// SPDX-License-Identifier: Apache-2.0
// hybrid_angular against its parts: both bases and the signs, each transformed by itself, and the time to write the
// output past the caches. `over_parts` is the quotient, from the least times of all rounds.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/threads.h"
#include "core/parallel.h"
#include "simd/outer.h"

namespace {

using bochner::Features;
using bochner::Matrix;
using bochner::Spec;

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Fills Z with copies of a row that stays in cache.
template <class T>
void write_all(Matrix<T>& Z, const std::vector<T>& row) {
  const T one[] = {T(1)};
  bochner::parallel_for(Z.rows(), 32, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) bochner::simd::outer<T>(T(1), one, row, Z.view().row(i), true);
    bochner::simd::end_streaming();
  });
}

template <class T>
void against_parts(benchmark::State& state, std::size_t d, std::size_t m, int threads) {
  const int before = bochner::num_threads();
  bochner::set_num_threads(threads);
  const Spec spec{.d = d, .kernel = "softmax", .map = "hybrid_angular", .m = m};
  const auto hybrid = bochner::make_features(spec);
  const std::size_t n = std::max<std::size_t>(400, 12'000'000 / hybrid->outputs());
  const Matrix<T> X(n, d, T(0.05));
  Matrix<T> Z(n, hybrid->outputs(), T(0));
  const std::vector<T> row(hybrid->outputs(), T(0.5));
  std::vector<std::unique_ptr<Features>> parts;
  std::vector<Matrix<T>> outputs;
  for (const char* map : {"positive_paired", "trigonometric", "sign"}) {
    const bool sign = std::string(map) == "sign";
    parts.push_back(bochner::make_features(
        {.d = d, .kernel = sign ? "angular" : "softmax", .map = map, .m = sign ? std::size_t{8} : m}));
    outputs.emplace_back(n, parts.back()->outputs(), T(0));
  }
  double whole = 1e9, sum = 1e9, writing = 1e9;
  for (auto _ : state) {
    whole = std::min(whole, seconds([&] { hybrid->transform(X, Z); }));
    sum = std::min(sum, seconds([&] {
                     for (std::size_t k = 0; k < parts.size(); ++k) parts[k]->transform(X, outputs[k]);
                   }));
    writing = std::min(writing, seconds([&] { write_all(Z, row); }));
  }
  bochner::set_num_threads(before);
  state.counters["hybrid_ms"] = whole * 1e3;
  state.counters["parts_ms"] = sum * 1e3;
  state.counters["writing_ms"] = writing * 1e3;
  state.counters["over_parts"] = whole / (sum + writing);
}

const bool registered = [] {
  for (const int threads : {1, 2})
    for (const std::size_t d : {64, 256})
      for (const std::size_t m : {64, 256}) {
        const std::string name =
            "hybrid/angular/d:" + std::to_string(d) + "/m:" + std::to_string(m) + "/threads:" + std::to_string(threads);
        benchmark::RegisterBenchmark((name + "/float32").c_str(), against_parts<float>, d, m, threads)->Iterations(15);
        benchmark::RegisterBenchmark((name + "/float64").c_str(), against_parts<double>, d, m, threads)->Iterations(15);
      }
  return true;
}();

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Transform of every mechanism that composes, at equal output length, float and double.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/threads.h"

namespace {

using bochner::Matrix;

template <class T>
Matrix<T> inputs(std::size_t n, std::size_t d) {
  Matrix<T> X(n, d, T(0.01));
  for (std::size_t i = 0; i < n; ++i) X(i, i % d) = T(0.02);  // clusters are looked for in rows that differ
  return X;
}

/// Outputs of one direction, which may depend on what is chosen from data.
std::size_t fitted_width(bochner::Spec spec) {
  spec.m = 1;
  const auto features = bochner::make_features(spec);
  features->fit(inputs<double>(spec.d, spec.d));
  return features->outputs();
}

template <class T>
void transform(benchmark::State& state, const bochner::Spec& spec, std::size_t n) {
  const auto X = inputs<T>(n, spec.d);
  const auto features = bochner::make_features(spec);
  features->fit(X);
  Matrix<T> Z(n, features->outputs(), T(0));
  for (auto _ : state) features->transform(X, Z);
  const double numbers = static_cast<double>(n * features->outputs());
  state.counters["ns_per_output"] =
      benchmark::Counter(numbers * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["flops"] =
      benchmark::Counter(2.0 * static_cast<double>(n * spec.m * spec.d), benchmark::Counter::kIsIterationInvariantRate);
}

void sweep(std::size_t n, std::size_t d, std::size_t outputs) {
  for (const auto& kernel : bochner::kernels())
    for (const auto& map : bochner::maps())
      for (const auto& coupling : bochner::couplings()) {
        if (!bochner::misfit(kernel.name, map.name, coupling.name, d).empty()) continue;
        bochner::Spec spec{.d = d,
                           .kernel = std::string(kernel.name),
                           .map = std::string(map.name),
                           .coupling = std::string(coupling.name)};
        spec.m = std::max<std::size_t>(outputs / fitted_width(spec), 1);
        const std::string name = "transform/" + spec.kernel + "/" + spec.map + "/" + spec.coupling +
                                 "/d:" + std::to_string(d) + "/D:" + std::to_string(outputs);
        benchmark::RegisterBenchmark((name + "/float32").c_str(), transform<float>, spec, n)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
        benchmark::RegisterBenchmark((name + "/float64").c_str(), transform<double>, spec, n)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
}

/// Couplings by fast transforms on one thread, from where they begin to pay.
void sweep_fast() {
  for (const std::string coupling : {"hadamard", "simplex_hadamard", "fastfood"})
    for (const std::string map : {"trigonometric", "positive"})
      for (const std::size_t d : {64, 256, 1024, 4096}) {
        const bochner::Spec spec{.d = d, .map = map, .coupling = coupling, .m = std::max<std::size_t>(d, 512)};
        const std::size_t n = (std::size_t{4} << 20) / spec.m;
        const std::string name = "fast/" + map + "/" + coupling + "/d:" + std::to_string(d);
        const auto one_thread = [spec, n](benchmark::State& state) {
          const int threads = bochner::num_threads();
          bochner::set_num_threads(1);
          transform<float>(state, spec, n);
          bochner::set_num_threads(threads);
        };
        benchmark::RegisterBenchmark((name + "/float32").c_str(), one_thread)->Unit(benchmark::kMillisecond);
      }
}

const bool registered = [] {
  sweep(2000, 64, 1024);
  sweep(500, 256, 4096);
  sweep_fast();
  return true;
}();

}  // namespace

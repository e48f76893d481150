// SPDX-License-Identifier: Apache-2.0
// Drawing W, by coupling and dimension.
#include <benchmark/benchmark.h>

#include <string>

#include "bochner/features.h"
#include "bochner/registry.h"

namespace {

void draw(benchmark::State& state, const bochner::Spec& spec) {
  bochner::Spec next = spec;
  for (auto _ : state) {
    ++next.seed;
    benchmark::DoNotOptimize(bochner::make_features(next));
  }
}

const bool registered = [] {
  for (const auto& coupling : bochner::couplings())
    for (const std::size_t d : {64, 256, 1024}) {
      const bochner::Spec spec{.d = d, .coupling = std::string(coupling.name), .m = 4 * d};
      const std::string name = "draw/" + spec.coupling + "/d:" + std::to_string(d) + "/m:" + std::to_string(spec.m);
      benchmark::RegisterBenchmark(name.c_str(), draw, spec)->Unit(benchmark::kMillisecond)->UseRealTime();
    }
  return true;
}();

}  // namespace

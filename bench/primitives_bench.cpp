// SPDX-License-Identifier: Apache-2.0
// The lane primitives on data in L1: nonlinearities, dot, and the fused projection.
#include <benchmark/benchmark.h>

#include <span>

#include "bochner/matrix.h"
#include "simd/arrays.h"
#include "simd/project.h"

namespace {

using bochner::Matrix;
namespace simd = bochner::simd;

template <class T, simd::Shape kShape>
void finish(benchmark::State& state) {
  const std::size_t rows = 4, m = 512;
  const Matrix<T> P(rows, m, T(1.25));
  Matrix<T> Z(rows, m * simd::width(kShape));
  for (auto _ : state) simd::finish_rows<T>(P.view(), {.shape = kShape, .scale = T(0.5)}, Z.view());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows * m));
}
BENCHMARK(finish<float, simd::Shape::sincos>);
BENCHMARK(finish<float, simd::Shape::cosine>);
BENCHMARK(finish<float, simd::Shape::exp>);
BENCHMARK(finish<float, simd::Shape::sign>);
BENCHMARK(finish<double, simd::Shape::sincos>);
BENCHMARK(finish<double, simd::Shape::cosine>);
BENCHMARK(finish<double, simd::Shape::exp>);

template <class T>
void dot(benchmark::State& state) {
  const Matrix<T> x(1, static_cast<std::size_t>(state.range(0)), T(0.5));
  const std::span<const T> row = x.view().row(0);
  for (auto _ : state) benchmark::DoNotOptimize(simd::dot<T>(row, row));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(dot<float>)->Arg(64)->Arg(1024);
BENCHMARK(dot<double>)->Arg(64)->Arg(1024);

template <class T>
void project(benchmark::State& state) {
  const std::size_t d = static_cast<std::size_t>(state.range(0)), m = 512, n = 96;
  const Matrix<T> X(n, d, T(0.5));
  const Matrix<double> W(m, d, 0.25);
  const simd::PackedRows<T> packed(W.view());
  Matrix<T> Z(n, m);
  for (auto _ : state) simd::project<T>(packed, X.view(), simd::Finish<T>{}, Z.view());
  state.counters["flops"] =
      benchmark::Counter(2.0 * static_cast<double>(n * m * d), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(project<float>)->Arg(64)->Arg(256)->Arg(1024);
BENCHMARK(project<double>)->Arg(64)->Arg(256)->Arg(1024);

}  // namespace

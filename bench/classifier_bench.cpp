// SPDX-License-Identifier: Apache-2.0
// A product with the second derivatives of a classifier: by BLAS for all rows, and row by row where a loss bends.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bochner/matrix.h"
#include "learners/statistics/block_products.h"

namespace {

using namespace bochner;

constexpr std::size_t kBlock = 64, kBlocks = 32;

/// Arguments: features, functions, per cent of coefficients that are not zero.
void products(benchmark::State& state, Products how) {
  const auto outputs = static_cast<std::size_t>(state.range(0)), functions = static_cast<std::size_t>(state.range(1));
  const Matrix<float> Z(kBlock * kBlocks, outputs, 0.5F);
  const Matrix<double> V(functions, outputs + 1, 0.5);
  Matrix<double> sums(functions, outputs + 1, 0.0), coefficients(kBlock, functions);
  for (auto _ : state)
    for (std::size_t block = 0; block < kBlocks; ++block) {
      for (std::size_t i = 0; i < kBlock * functions; ++i)
        coefficients.data()[i] = i * 7919 % 100 < static_cast<std::size_t>(state.range(2)) ? 1e-3 : 0;
      const RowPart rows = Z.view().row_range(block * kBlock, (block + 1) * kBlock);
      multiply_by_scores(how, rows, V, coefficients);
      add_rows(how, rows, coefficients, sums);
    }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kBlock * kBlocks));
}

const std::vector<std::int64_t> kOutputs = {1024, 8192}, kFunctions = {1, 10, 26}, kShares = {10, 50, 100};

BENCHMARK_CAPTURE(products, all, Products::all)->ArgsProduct({kOutputs, kFunctions, kShares});
BENCHMARK_CAPTURE(products, nonzero, Products::nonzero)->ArgsProduct({kOutputs, kFunctions, kShares});

}  // namespace

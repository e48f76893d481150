// SPDX-License-Identifier: Apache-2.0
// Prints, as one JSON object per line, how fast Gram gathers float rows (features and targets included) beside plain
// ssyrk on features that are already there, same size, same threads, same run: the limit of the machine.
//   bochner_gram_bench [THREADS [ROWS]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>

#include "bochner/gram.h"
#include "bochner/threads.h"
#include "core/blas.h"
#include "core/parallel.h"

namespace {

using namespace bochner;

double best_seconds(const std::function<void()>& work) {
  double best = 1e300;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// Every thread adds its share of the rows to a matrix of its own, 1024 rows at a time.
double syrk_seconds(std::size_t rows, std::size_t outputs, std::size_t threads) {
  Matrix<float> Z(1024, outputs, 0.5F), sums(threads * outputs, outputs, 0.0F);
  const std::size_t blocks = rows / 1024 / threads;
  return best_seconds([&] {
    parallel_for(threads, 1, [&](std::size_t thread, std::size_t) {
      const auto own = sums.view().row_range(thread * outputs, (thread + 1) * outputs);
      for (std::size_t block = 0; block < blocks; ++block) blas::syrk_add<float>(Z, own);
    });
  });
}

void measure(std::size_t rows, std::size_t outputs, std::size_t threads) {
  const std::size_t d = 32;
  const auto features = make_features({.d = d, .map = "trigonometric", .coupling = "orthogonal", .m = outputs / 2});
  Matrix<float> X(rows, d);
  for (std::size_t i = 0; i < rows * d; ++i) X.data()[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
  const Matrix<double> Y(rows, 1, 1.0);
  const double limit = syrk_seconds(rows, outputs, threads);
  const double ours = best_seconds([&] { Gram(outputs, 1).add(*features, X, Y); });
  const double flops = static_cast<double>(rows) * static_cast<double>(outputs) * static_cast<double>(outputs);
  fmt::print(
      "{{\"outputs\": {}, \"rows\": {}, \"threads\": {}, \"syrk_gflops\": {:.1f}, \"gram_gflops\": {:.1f}, "
      "\"share\": {:.2f}}}\n",
      outputs, rows, threads, flops / limit / 1e9, flops / ours / 1e9, limit / ours);
}

}  // namespace

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : num_threads();
  const std::size_t rows = count > 2 ? std::strtoul(words[2], nullptr, 10) : 16384;
  if (threads < 1 || rows < 1024) {
    fmt::print(stderr, "usage: bochner_gram_bench [THREADS >= 1 [ROWS >= 1024]]\n");
    return 2;
  }
  set_num_threads(threads);
  for (const std::size_t outputs : {512, 1024, 2048, 4096}) measure(rows, outputs, static_cast<std::size_t>(threads));
  return 0;
}

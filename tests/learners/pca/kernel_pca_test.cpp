// SPDX-License-Identifier: Apache-2.0
#include "bochner/kernel_pca.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bochner/threads.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

struct Fitted {
  std::unique_ptr<Features> features =
      make_features({.d = 3, .map = "trigonometric", .coupling = "iid", .m = 10, .lengthscale = {2.0}});
  Matrix<double> X = test::normal_rows(200, 3, 1, 4);
  Gram gram{20, 0};
  Fitted() { gram.add(*features, X, Matrix<double>(200, 0)); }
};

/// Projections are uncorrelated, with the variances that are told, descending; all of them make up the total.
TEST(KernelPca, ProjectionsAreUncorrelated) {
  const Fitted data;
  const KernelPcaFit fit = fit_kernel_pca(data.gram, 20);
  const Matrix<double> T = predict(*data.features, fit.model, data.X);
  double total = 0;
  for (std::size_t a = 0; a < 20; ++a) {
    double mean = 0;
    for (std::size_t i = 0; i < 200; ++i) mean += T(i, a) / 200;
    EXPECT_NEAR(mean, 0, 1e-13);
    for (std::size_t b = 0; b <= a; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < 200; ++i) product += T(i, a) * T(i, b) / 199;
      EXPECT_NEAR(product, a == b ? fit.explained_variance[a] : 0.0, 1e-13);
    }
    total += fit.explained_variance[a];
    const auto row = fit.model.weights.view().row(a);
    const auto [low, high] = std::minmax_element(row.begin(), row.end());
    EXPECT_GT(*high, -*low);
  }
  EXPECT_TRUE(std::is_sorted(fit.explained_variance.rbegin(), fit.explained_variance.rend()));
  EXPECT_NEAR(total, fit.total_variance, 1e-13);
  const KernelPcaFit few = fit_kernel_pca(data.gram, 3);
  EXPECT_EQ(few.explained_variance[2], fit.explained_variance[2]);
  EXPECT_EQ(few.total_variance, fit.total_variance);
  EXPECT_EQ(few.model.weights.rows(), 3U);
}

TEST(KernelPca, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    const Fitted data;
    const KernelPcaFit fit = fit_kernel_pca(data.gram, 5);
    const Matrix<double> T = predict(*data.features, fit.model, data.X);
    const std::vector<double> numbers(T.data(), T.data() + 1000);
    if (threads == 1) first = numbers;
    EXPECT_EQ(numbers, first) << threads << " threads";
  }
  set_num_threads(before);
}

TEST(KernelPca, Refusals) {
  const Fitted data;
  EXPECT_EQ(test::refusal([&] { fit_kernel_pca(data.gram, 21); }),
            "components is 21; expected from 1 to 20, the outputs");
  EXPECT_EQ(test::refusal([&] { fit_kernel_pca(data.gram, 0); }),
            "components is 0; expected from 1 to 20, the outputs");
  EXPECT_EQ(test::refusal([&] { fit_kernel_pca(Gram(3, 0), 1); }),
            "gram is one of no rows; expected at least one row of weight > 0");
}

}  // namespace
}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#include "support/statistics.h"

#include <gtest/gtest.h>

namespace bochner::testing {
namespace {

TEST(Statistics, KolmogorovMatchesPublishedQuantiles) {
  const std::size_t n = 100000000;  // the finite-n correction is below 2e-5 here
  EXPECT_NEAR(kolmogorov_p_value(1.22385 / 1e4, n), 0.10, 1e-4);
  EXPECT_NEAR(kolmogorov_p_value(1.35810 / 1e4, n), 0.05, 1e-4);
  EXPECT_NEAR(kolmogorov_p_value(1.62762 / 1e4, n), 0.01, 1e-4);
  EXPECT_NEAR(kolmogorov_p_value(0.82757 / 1e4, n), 0.50, 1e-4);
  EXPECT_EQ(kolmogorov_p_value(0.0, n), 1.0);
  EXPECT_LT(kolmogorov_p_value(3.0 / 1e4, n), 1e-7);
}

TEST(Statistics, KolmogorovSmirnovSeesAShift) {
  std::vector<double> even(100000), shifted(100000);
  for (std::size_t i = 0; i < even.size(); ++i) {
    even[i] = (i + 0.5) / even.size();
    shifted[i] = 0.99 * even[i] + 0.01;
  }
  const auto cdf = [](double x) { return x; };
  EXPECT_EQ(ks_p_value(even, cdf), 1.0);
  EXPECT_LT(ks_p_value(shifted, cdf), kLeastP);
}

TEST(Statistics, ChiSquareOfKnownTable) {
  const std::size_t counts[] = {44, 56};  // (6^2 + 6^2) / 50 = 1.44 on one degree: p = 0.230139
  EXPECT_NEAR(uniform_chi_square_p_value(counts), 0.230139, 1e-6);
}

TEST(Statistics, NormalAndCorrelation) {
  EXPECT_NEAR(normal_p_value(1.959963984540054), 0.05, 1e-12);
  std::vector<double> x(1000), y(1000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = i % 2 == 0 ? 1.0 : -1.0;
    y[i] = i % 4 < 2 ? 1.0 : -1.0;
  }
  EXPECT_NEAR(correlation_p_value(x, y), 1.0, 1e-12);
  EXPECT_LT(correlation_p_value(x, x), kLeastP);
}

}  // namespace
}  // namespace bochner::testing

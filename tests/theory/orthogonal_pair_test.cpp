// SPDX-License-Identifier: Apache-2.0
// Sums of every size: the logarithm of rho and what is left of it beside v2/2.
#include "theory/orthogonal_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "theory/series_oracle.h"

namespace bochner::theory {
namespace {

double error(double actual, const Wide& expected) { return std::abs(static_cast<double>(Wide(actual - expected))); }

TEST(OrthogonalPair, LogarithmAgreesWithThePolynomialForAnySum) {
  for (const std::size_t d : {2, 4, 8, 64, 100, 1000})
    for (const double v2 : {1e-12, 0.5, 30.0, 99.0, 101.0, 600.0, 3e3, 1.9e4, 2.1e4, 1.9e6, 2.1e6, 1e8, 1e20, 1e300}) {
      if (v2 > 1e7 && v2 < 2.0 * static_cast<double>(d * d)) continue;
      SCOPED_TRACE(::testing::Message() << "v2 = " << v2 << ", d = " << d);
      const Wide rest = log_rho_rest_by_polynomial(v2, d);
      const double absolute = 2e-16 * std::max(10.0, v2);
      const bool far = v2 > std::max(100.0, 2.0 * static_cast<double>(d * d));
      EXPECT_LE(error(log_rho_orthogonal(v2, d), rest + Wide(v2) / 2), absolute);
      EXPECT_LE(error(log_rho_rest_orthogonal(v2, d), rest), far ? 1e-15 * static_cast<double>(rest) : absolute);
    }
}

/// 1F1(1; 1/2; x) = 1 + sqrt(pi x) e^x erf(sqrt x) and the series in 100 digits: odd dimensions end no polynomial.
TEST(OrthogonalPair, LogarithmOfOddDimensions) {
  for (const double x : {51.0, 1e3, 1e10, 1e200})
    EXPECT_NEAR(log_rho_rest_orthogonal(2.0 * x, 1) / (0.5 * std::log(x * 3.14159265358979323846)), 1.0, 1e-15) << x;
  for (const std::size_t d : {3, 5, 7, 17})
    for (const double v2 : {22.0, 40.0, 90.0, 101.0, 110.0, 570.0, 590.0, 1e3}) {
      Wide term = 1, sum = 1;
      for (std::size_t k = 0; k < 4000; ++k) sum += term *= Wide(v2) * (d + k) / (Wide(d + 2 * k) * (k + 1));
      EXPECT_LE(error(log_rho_orthogonal(v2, d), log(sum)), 2e-16 * std::max(10.0, v2)) << v2 << ", d = " << d;
    }
}

TEST(OrthogonalPair, GapIsAFraction) {
  for (const std::size_t d : {2, 64, 513, 1000, 100000})
    for (double v2 = 1.0; v2 < 1e4; v2 += 7.0) {
      const double gap = rho_gap_orthogonal(v2, d);
      ASSERT_GE(gap, 0.0) << v2 << ", d = " << d;
      ASSERT_LE(gap, 1.0) << v2 << ", d = " << d;
    }
  EXPECT_EQ(rho_gap_orthogonal(std::numeric_limits<double>::max(), 64), 1.0);
}

}  // namespace
}  // namespace bochner::theory

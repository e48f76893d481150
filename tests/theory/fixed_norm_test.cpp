// SPDX-License-Identifier: Apache-2.0
// Rows of a fixed norm against L(t) = 0F1(; D/2; -t^2/4), summed as it stands in 100 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "theory/fourier_terms.h"
#include "theory/series_oracle.h"
#include "theory/variance.h"

namespace bochner::theory {
namespace {

/// L(sqrt x); for x up to about 1e4 or x/D up to about 100.
Wide mean_cosine(const Wide& x, std::size_t D) {
  Wide term = 1, sum = 1;
  for (std::size_t k = 0; k < 30 || abs(term) > Wide(1e-90); ++k)
    sum += term *= -x / (2 * Wide(k + 1) * Wide(D + 2 * k));
  return sum;
}

struct Exact {
  Exact(double z2, std::size_t D) : dimension(D), x(Wide(z2) * D), mean(mean_cosine(x, D)) {
    variance = (1 + mean_cosine(4 * x, D)) / 2 - mean * mean;
    bias = mean - exp(Wide(-z2) / 2);
  }
  Wide conformity(double c) const {
    return (mean_cosine(x * (2 + 2 * Wide(c)), dimension) + mean_cosine(x * (2 - 2 * Wide(c)), dimension)) / 2;
  }
  Wide covariance(double c) const { return conformity(c) - mean * mean; }

  std::size_t dimension;
  Wide x, mean, variance, bias;
};

double error(double actual, const Wide& expected) { return std::abs(static_cast<double>(Wide(actual - expected))); }
double size(const Wide& value) { return std::abs(static_cast<double>(value)); }

std::vector<double> cosines(std::size_t D) {
  const double d = static_cast<double>(D);
  return {0.0, -1.0 / (d - 1.0), -1.0 / std::sqrt(d), -1.0, 0.3};
}

/// Half of a lower bound of the squared first zero of L, over D.
double reach(std::size_t D) {
  const double n = static_cast<double>(D) / 2.0;
  return std::max(4.0 * n * std::sqrt(n + 1.0), (n - 1.0) * (n + 1.0)) / 2.0 / static_cast<double>(D);
}

TEST(FixedNorm, NearPairsKeepTheirDigits) {
  for (const std::size_t D : {2, 3, 8, 64, 1000, 100000})
    for (const double part : {1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.999}) {
      const double z2 = std::min(part * reach(D) / 4.0, 60.0);
      SCOPED_TRACE(::testing::Message() << "z2 = " << z2 << ", D = " << D);
      const Exact exact(z2, D);
      const FourierTerms terms = fixed_norm_terms(z2, D);
      EXPECT_LE(error(terms.variance, exact.variance), 1e-14 * size(exact.variance));
      EXPECT_LE(error(terms.bias, exact.bias), 1e-14 * size(exact.bias));
      const double orthogonal = size(exact.covariance(0.0));
      for (const double c : cosines(D)) {
        const Wide covariance = exact.covariance(c);
        EXPECT_LE(error(terms.covariance(c), covariance), 1e-14 * std::max(orthogonal, size(covariance))) << c;
      }
    }
}

TEST(FixedNorm, FarPairsAreKnownAbsolutely) {
  for (const std::size_t D : {2, 3, 8, 64, 1000, 100000})
    for (const double z2 : {0.3, 0.9, 3.0, 10.0, 31.25, 50.0}) {
      SCOPED_TRACE(::testing::Message() << "z2 = " << z2 << ", D = " << D);
      const Exact exact(z2, D);
      const FourierTerms terms = fixed_norm_terms(z2, D);
      EXPECT_LE(error(terms.variance, exact.variance), 2e-15);
      EXPECT_LE(error(terms.bias, exact.bias), 2e-15);
      for (const double c : cosines(D)) {
        EXPECT_LE(error(terms.covariance(c), exact.covariance(c)), 2e-15) << c;
        EXPECT_LE(error(fixed_norm_conformity(z2, D, c), exact.conformity(c)), 2e-15) << c;
      }
    }
}

TEST(FixedNorm, BiasKeepsItsDigitsFourTimesAsFar) {
  for (const std::size_t D : {1, 2, 3, 8, 64, 200})
    for (const double part : {0.3, 0.6, 0.999}) {
      const double z2 = part * reach(D);
      const Exact exact(z2, D);
      EXPECT_LE(error(fixed_norm_terms(z2, D).bias, exact.bias), 1e-14 * size(exact.bias)) << z2 << ", D = " << D;
    }
}

/// In one dimension every row is +-1: nothing varies.
TEST(FixedNorm, OneDimensionDoesNotVary) {
  for (const double z2 : {1e-12, 1e-3, 0.1, 1.0, 30.0}) {
    EXPECT_LE(fixed_norm_terms(z2, 1).variance, 1e-30) << z2;
    EXPECT_NEAR(fixed_norm_terms(z2, 1).bias, std::cos(std::sqrt(z2)) - std::exp(-z2 / 2.0), 2e-15) << z2;
  }
}

TEST(FixedNorm, DistancesBeyondAMillionCountAsAMillion) {
  for (const std::size_t D : {2, 64}) {
    EXPECT_EQ(fixed_norm_conformity(1e300, D, -0.5), fixed_norm_conformity(1e6, D, -0.5));
    EXPECT_EQ(fixed_norm_terms(1e300, D).variance, fixed_norm_terms(1e6, D).variance);
  }
}

/// The squares of the projections on an orthogonal basis add up to D z2: cosines vary by z2^4 only, and the sum of the
/// covariances is rounding below that.
TEST(FixedNorm, WholeOrthogonalBlocksNeverHaveANegativeError) {
  for (const std::size_t D : {2, 3, 7, 16, 64, 1000})
    for (double z2 = 1e-12; z2 < 1.0; z2 *= 3.0) {
      const FourierTerms terms = fixed_norm_terms(z2, D);
      const BlockStructure blocks = orthogonal_blocks(2 * D, D);
      const Exact exact(z2, D);
      const Wide variance = (exact.variance + (D - 1) * exact.covariance(0.0)) / (2 * D);
      const double independent = size(exact.variance) / static_cast<double>(2 * D);
      const double actual = mse_trigonometric(terms, 0.0, blocks);
      EXPECT_GE(actual, terms.bias * terms.bias * (1.0 - 1e-15)) << z2 << ", D = " << D;
      EXPECT_LE(error(actual, variance + exact.bias * exact.bias),
                4e-15 * std::max(10.0, static_cast<double>(D)) * independent)
          << z2 << ", D = " << D;
    }
}

TEST(IndependentTerms, OfBlocksAreNotANumber) {
  EXPECT_TRUE(std::isnan(mse_trigonometric(independent_terms(0.1), 0.0, orthogonal_blocks(8, 4))));
  EXPECT_EQ(mse_trigonometric(independent_terms(0.5), 0.0, iid_blocks(8, 4)), 0.0625);
}

}  // namespace
}  // namespace bochner::theory

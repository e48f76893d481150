// SPDX-License-Identifier: Apache-2.0
// Errors of rows of pairs, which come from tables, against those of single pairs, which do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/matrix.h"
#include "bochner/theory.h"

namespace bochner::theory {
namespace {

/// Largest difference of rows and single pairs relative to the largest error, |x+y|^2 or |x-y|^2 from first to last.
double difference(Spec spec, double first, double last, bool of_sum, std::size_t pairs = 400) {
  Matrix<double> X(pairs, spec.d), Y(pairs, spec.d);
  for (std::size_t i = 0; i < pairs; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(pairs - 1);
    const double norm = std::sqrt(first * std::pow(last / first, share)) / 2;
    for (std::size_t l = 0; l < spec.d; ++l) X(i, l) = Y(i, l) = 0.0;
    X(i, 0) = norm;
    Y(i, 0) = of_sum ? norm : -norm;
  }
  const std::vector<double> rows = mse(spec, X.view(), Y.view());
  double worst = 0.0;
  for (std::size_t i = 0; i < pairs; ++i)
    worst = std::max(worst, std::abs(rows[i] - mse(spec, X.view().row(i), Y.view().row(i))));
  return worst / *std::ranges::max_element(rows);
}

/// The error oscillates with 2 sqrt(d z2): 26 radians in the octave from 512 on at d = 2, 150 at d = 64.
TEST(ErrorTable, RowsOfFixedNormEqualSinglePairs) {
  for (const std::size_t d : {2, 3, 8, 16, 64})
    for (const char* map : {"trigonometric", "cosine"})
      for (const double first : {1e-3, 1.0, 16.0, 256.0}) {
        const Spec spec{.d = d, .map = map, .coupling = "orthogonal_fixed", .m = d};
        EXPECT_LT(difference(spec, first, 4 * first, false), 1e-12) << d << " " << map << " " << first;
      }
}

/// 4000 pairs in an octave are worth a table also where it oscillates.
TEST(ErrorTable, ManyOscillatingRowsEqualSinglePairs) {
  for (const std::size_t d : {2, 8}) {
    const Spec spec{.d = d, .map = "trigonometric", .coupling = "orthogonal_fixed", .m = d};
    EXPECT_LT(difference(spec, 512.0, 1023.0, false, 4000), 1e-12) << d;
  }
}

TEST(ErrorTable, RowsEqualSinglePairsForEveryCoupling) {
  for (const char* coupling : {"orthogonal", "simplex"})
    for (const std::size_t d : {2, 3, 64})
      for (const char* map : {"trigonometric", "positive", "positive_paired"})
        for (const double first : {1e-12, 1e-3, 1.0, 30.0}) {
          const Spec spec{.d = d, .map = map, .coupling = coupling, .m = d + 2};
          const bool of_sum = std::string(map) != "trigonometric";
          EXPECT_LT(difference(spec, first, 3 * first, of_sum), 1e-12)
              << coupling << " " << d << " " << map << " " << first;
        }
}

TEST(ErrorTable, RowsOfMaternEqualSinglePairs) {
  for (const char* coupling : {"iid", "orthogonal", "simplex"})
    for (const std::size_t d : {2, 3, 33})
      for (const double nu : {0.5, 1.5, 10.0})
        for (const double first : {1e-12, 1e-3, 1.0, 30.0}) {
          const Spec spec{.d = d,
                          .kernel = "matern",
                          .map = "trigonometric",
                          .coupling = coupling,
                          .m = d + 2,
                          .parameters = {{"nu", nu}}};
          EXPECT_LT(difference(spec, first, 3 * first, false, 260), 1e-12)
              << coupling << " " << d << " " << nu << " " << first;
        }
}

/// A matrix of 1e5 x 1e5 numbers would take 75 GiB and more; nothing is drawn.
TEST(Theory, IsNotLimitedByMemory) {
  constexpr std::size_t kLarge = 100000;
  std::vector<double> x(kLarge, 0.0), y(kLarge, 0.0);
  x[0] = 0.5;
  y[0] = -0.5;
  for (const char* coupling : {"iid", "orthogonal", "simplex", "orthogonal_fixed"}) {
    Spec spec{.d = kLarge, .map = "trigonometric", .coupling = coupling, .m = kLarge};
    const double independent = std::pow(std::expm1(-1.0), 2) / 2 / kLarge;
    const double error = mse(spec, x, y);
    EXPECT_GT(error, 0.0) << coupling;
    EXPECT_LT(error, 1.0001 * independent) << coupling;
    EXPECT_NEAR(variance(spec, x, y), error, 1e-3 * independent) << coupling;
    EXPECT_NEAR(relative_error(spec, x, y), std::sqrt(error) / std::exp(-0.5), 1e-9) << coupling;
    EXPECT_LE(std::abs(bias(spec, x, y)), 1e-5) << coupling;
    EXPECT_EQ(exactness(spec), Exactness::exact) << coupling;
    spec.m = std::size_t{1} << 40;
    EXPECT_GT(mse(spec, x, y), 0.0) << coupling;
    EXPECT_THROW(make_features(spec), std::invalid_argument) << coupling;
  }
}

}  // namespace
}  // namespace bochner::theory

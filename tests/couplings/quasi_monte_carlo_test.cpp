// SPDX-License-Identifier: Apache-2.0
// halton and sobol: every row of W has its law, and together they integrate better than independent rows.
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "couplings/quasi_random.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner {
namespace {

Matrix<double> draw_directions(const std::string& coupling, std::size_t d, std::size_t m, std::uint64_t seed) {
  return make_features({.d = d, .coupling = coupling, .m = m, .seed = seed})->directions();
}

class QuasiMonteCarlo : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Couplings, QuasiMonteCarlo, ::testing::Values("halton", "sobol"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(QuasiMonteCarlo, EveryRowIsNormal) {
  const std::size_t seeds = test::scaled(20'000, 500);
  for (const std::size_t row : {std::size_t{0}, std::size_t{6}}) {
    std::vector<double> first, last;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Matrix<double> W = draw_directions(GetParam(), 3, 7, seed);
      first.push_back(W(row, 0));
      last.push_back(W(row, 2));
    }
    const auto normal = [](double x) { return boost::math::cdf(boost::math::normal(), x); };
    EXPECT_GT(testing::ks_p_value(first, normal), testing::kLeastP);
    EXPECT_GT(testing::ks_p_value(last, normal), testing::kLeastP);
    EXPECT_GT(testing::correlation_p_value(first, last), testing::kLeastP);
  }
}

/// Squared errors of (1/m) sum_i cos(w_i . z), |z| = 1 along the diagonal, in units of those of independent rows: a sum
/// of chi-squares if the coupling did not help (m is large, so errors are normal).
TEST_P(QuasiMonteCarlo, IntegratesBetterThanIndependentRows) {
  constexpr std::size_t m = 1024;
  const std::size_t seeds = test::scaled(100, 40);
  const double expected = std::exp(-0.5);
  const double variance = std::pow(1 - std::exp(-1.0), 2) / (2 * m);
  for (const std::size_t d : {2, 3, 4}) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Matrix<double> W = draw_directions(GetParam(), d, m, seed);
      double mean = 0;
      for (std::size_t i = 0; i < m; ++i) {
        double projection = 0;
        for (std::size_t j = 0; j < d; ++j) projection += W(i, j) / std::sqrt(static_cast<double>(d));
        mean += std::cos(projection) / m;
      }
      sum += std::pow(mean - expected, 2) / variance;
    }
    const boost::math::chi_squared law(static_cast<double>(seeds));
    EXPECT_LT(sum, boost::math::quantile(law, testing::kLeastP)) << d;
  }
}

TEST_P(QuasiMonteCarlo, RowsOfFewAreRowsOfMany) {
  const Matrix<double> few = draw_directions(GetParam(), 5, 9, 3), many = draw_directions(GetParam(), 5, 700, 3);
  for (std::size_t i = 0; i < 9 * 5; ++i) EXPECT_EQ(few.data()[i], many.data()[i]);
}

TEST_P(QuasiMonteCarlo, SeedsDifferAndRepeat) {
  std::set<double> seen;
  for (const std::uint64_t seed : {0, 1, 2, 1}) {
    const Matrix<double> W = draw_directions(GetParam(), 4, 3, seed);
    seen.insert(W.data(), W.data() + 12);
  }
  EXPECT_EQ(seen.size(), 36u);
}

TEST_P(QuasiMonteCarlo, OneRowAndManyColumns) {
  for (const std::size_t d : {std::size_t{1}, std::size_t{3667}}) {
    const Matrix<double> W = draw_directions(GetParam(), d, 1, 0);
    for (std::size_t j = 0; j < d; ++j) EXPECT_LT(std::abs(W(0, j)), 8.3);
  }
}

double uniform_of(double w) { return boost::math::cdf(boost::math::normal(), w); }

TEST(Halton, RowsAreShiftedRadicalInversesFromOneOn) {
  const Matrix<double> W = draw_directions("halton", 6, 50, 9);
  const std::vector<std::uint64_t> primes = first_primes(6);
  for (std::size_t i = 1; i < 50; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      const auto inverse = [&](std::size_t row) {
        return static_cast<double>(radical_inverse(row + 1, primes[j])) * 0x1p-52;
      };
      const double gap = (uniform_of(W(i, j)) - uniform_of(W(0, j))) - (inverse(i) - inverse(0));
      EXPECT_NEAR(gap, std::round(gap), 1e-14) << i << " " << j;
    }
}

TEST(Sobol, RowsAreScrambledPointsFromZeroOn) {
  const Matrix<double> W = draw_directions("sobol", 6, 50, 9);
  std::vector<NetCoordinate> net = sobol_net(6, 6);
  for (std::size_t j = 0; j < 6; ++j) {
    scramble(9, j, net[j]);
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_NEAR(uniform_of(W(i, j)), static_cast<double>(net[j].point(i)) * 0x1p-52, 1e-14) << i << " " << j;
  }
}

TEST(Sobol, RefusesDimensionsBeyondItsTable) {
  EXPECT_EQ(misfit("gaussian", "trigonometric", "sobol", kSobolDimensions), "");
  const std::string reason = misfit("gaussian", "trigonometric", "sobol", kSobolDimensions + 1);
  EXPECT_TRUE(reason.starts_with("coupling 'sobol' needs d <= 3667, but d is 3668; couplings that fit:")) << reason;
  EXPECT_THROW(draw_directions("sobol", kSobolDimensions + 1, 4, 0), std::invalid_argument);
}

}  // namespace
}  // namespace bochner

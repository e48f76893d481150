// SPDX-License-Identifier: Apache-2.0
// Generalised exponential features with complex A: known answers, and what the search finds.
#include "theory/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/data_statistics.h"
#include "core/stream.h"
#include "support/golden.h"
#include "theory/conformity.h"
#include "theory/generalised_exponential.h"
#include "theory/variance.h"

namespace bochner::theory {
namespace {

using testing::golden_cases;
using testing::GoldenCase;
using Complex = std::complex<double>;

Complex complex_of(const nlohmann::json& value) { return {value.at("re").get<double>(), value.at("im").get<double>()}; }

PairGeometry known_pair(const GoldenCase& known) {
  return pair_geometry(known.args.at("nx"), known.args.at("ny"), known.args.at("dot"));
}

BlockStructure known_blocks(const GoldenCase& known) {
  const std::size_t m = known.args.value("m", 1), d = known.args.at("d");
  const std::string coupling = known.args.value("coupling", "iid");
  BlockStructure blocks = iid_blocks(m, d);
  if (coupling == "iid") return blocks;
  const double cosine = coupling == "orthogonal" ? 0.0 : -1.0 / (static_cast<double>(d) - 1.0);
  blocks.groups = {{m / d, d, cosine}, {1, m % d, cosine}};
  if (m % d == 0) blocks.groups.pop_back();
  return blocks;
}

TEST(Golden, VarianceAndErrorOfComplexWeights) {
  for (const char* fn : {"var_gerf", "mse_gerf"})
    for (const GoldenCase& known : golden_cases("theory", fn)) {
      const PairGeometry pair = known_pair(known);
      const double log_factor = known.args.value("kernel", "gaussian") == "softmax" ? pair.nx + pair.ny : 0.0;
      const double value = known.value.get<double>();
      const double actual =
          mse_exponential(complex_of(known.args.at("A")), known.args.at("s"), pair, log_factor, known_blocks(known));
      EXPECT_LE(std::abs(actual - value), known.rtol * std::abs(value)) << fn << known.args << " not " << actual;
    }
}

TEST(Golden, LeastSecondMoment) {
  for (const GoldenCase& known : golden_cases("theory", "gerf_optimum")) {
    const PairGeometry pair = known_pair(known);
    const std::size_t d = known.args.at("d");
    const double value = known.value.get<double>();
    const ExponentialWeight best = optimal_exponential(pair.v2, pair.z2, d);
    EXPECT_NEAR(log_second_moment(best.A, best.s, pair.v2, pair.z2, d), value, known.rtol * std::abs(value));
    double searched = std::numeric_limits<double>::infinity();
    for (const int s : {-1, 1})
      searched =
          std::min(searched, log_second_moment(optimal_complex_A(s, pair.v2, pair.z2, d), s, pair.v2, pair.z2, d));
    EXPECT_NEAR(searched, value, known.rtol * std::abs(value));
  }
}

TEST(Golden, MeanSquareOfSumsAndDifferences) {
  const auto statistics = [](const nlohmann::json& rows) {
    DataStatistics found(rows.at(0).size());
    for (const auto& row : rows) {
      const std::vector<double> x = row.get<std::vector<double>>();
      found.add({x.data(), 1, x.size()});
    }
    return found;
  };
  for (const GoldenCase& known : golden_cases("theory", "stat_sum_norm2"))
    EXPECT_NEAR(mean_squared_sum(statistics(known.args.at("X")), statistics(known.args.at("Y")), known.args.at("s")),
                known.value.get<double>(), 1e-12);
}

/// The printed form of the paper in long double, where it does not overflow.
long double printed_variance(Complex A, int s, const PairGeometry& pair, std::size_t D) {
  using Long = std::complex<long double>;
  const Long a(A.real(), A.imag());
  const long double d = static_cast<long double>(D), u2 = s > 0 ? pair.v2 : pair.z2, sign = s;
  const Long l1 = d * std::log(1.0L - 4.0L * a) - d / 2 * std::log(1.0L - 8.0L * a) +
                  2 * sign * (1.0L - 4.0L * a) / (1.0L - 8.0L * a) * u2;
  const long double l3 = d * std::log(std::abs(1.0L - 4.0L * a)) - d / 2 * std::log(1 - 8 * a.real()) +
                         (sign * (1 - 4 * a.real()) + std::abs(1.0L - 4.0L * a)) / (1 - 8 * a.real()) * u2;
  return std::exp(-(sign + 1) * (pair.nx + pair.ny)) * (std::exp(l1).real() + std::exp(l3)) / 2 -
         std::exp(-static_cast<long double>(pair.z2));
}

TEST(ComplexWeight, AgreesWithThePrintedForm) {
  for (const Complex A : {Complex(0, 0), Complex(-0.3, 0), Complex(0.05, 0), Complex(0.1, -0.2), Complex(-4, 3)})
    for (const int s : {-1, 1})
      for (const double dot : {-0.8, 0.0, 0.3}) {
        const PairGeometry pair = pair_geometry(1.0, 0.9, dot);
        const long double expected = printed_variance(A, s, pair, 6);
        EXPECT_NEAR(mse_exponential(A, s, pair, 0.0, iid_blocks(1, 6)), expected, 1e-13 * (1 + expected)) << A << s;
      }
}

/// Trigonometric features are A = 0, s = -1: the error of nearly equal points is a square of a small number.
TEST(ComplexWeight, KeepsItsDigitsForTinyDifferences) {
  for (const double z2 : {1e-12, 1e-8, 1e-3}) {
    const PairGeometry pair{1.0, 1.0, 1.0 - z2 / 2, 4.0 - z2, z2};
    const double expected = 0.5 * std::expm1(-z2) * std::expm1(-z2);
    EXPECT_NEAR(mse_exponential(0.0, -1, pair, 0.0, iid_blocks(1, 8)) / expected, 1.0, 1e-12) << z2;
  }
  for (const double v2 : {1e-12, 1e-6}) {
    const PairGeometry pair{1.0, 1.0, -1.0 + v2 / 2, v2, 4.0 - v2};
    const double expected = std::exp(-4.0) * (std::exp(2 * v2) - 1 - std::expm1(v2));
    EXPECT_NEAR(mse_exponential(0.0, 1, pair, 0.0, iid_blocks(1, 8)) / expected, 1.0, 1e-3) << v2;
    EXPECT_NEAR(mse_exponential(0.0, 1, pair, 0.0, iid_blocks(1, 8)), mse_positive(pair, 0.0, iid_blocks(1, 8)),
                1e-14 * v2);
  }
}

TEST(ComplexWeight, IsFiniteForLongRows) {
  for (const Complex A : {Complex(-5, 0), Complex(0.1, 0), Complex(-2, 1)})
    for (const int s : {-1, 1}) {
      const PairGeometry pair = pair_geometry(500.0, 500.0, -20.0);
      EXPECT_TRUE(std::isfinite(log_second_moment(A, s, pair.v2, pair.z2, 64))) << A << s;
      EXPECT_FALSE(std::isnan(mse_exponential(A, s, pair, 0.0, orthogonal_blocks(64, 64)))) << A << s;
    }
  const PairGeometry pair = pair_geometry(250.0, 250.0, 250.0);
  EXPECT_TRUE(std::isfinite(mse_exponential(optimal_A(1000.0, 64), 1, pair, 0.0, simplex_blocks(64, 64))));
}

TEST(ScaledSum, IsThatOfItsTerms) {
  EXPECT_EQ(scaled_sum({0.0, 1e308}, {2.0, 0.0}), 2.0);
  EXPECT_EQ(scaled_sum({2.0, 0.0}, {0.0, 900.0}), 2.0);
  EXPECT_EQ(scaled_sum({0.0, 1e308}, {0.0, -1e308}), 0.0);
  EXPECT_EQ(scaled_sum({1.0, 0.0}, {-3.0, 0.0}), 0.0);
  EXPECT_NEAR(scaled_sum({1.0, 2.0}, {3.0, 1.0}), std::exp(2.0) + 3.0 * std::exp(1.0), 1e-14);
  EXPECT_EQ(scaled_sum({1.0, 710.0}, {1.0, 0.0}), std::numeric_limits<double>::infinity());
}

/// Covariances do not depend on A: the gain of a coupling is that of the plain map.
TEST(ComplexWeight, LeavesTheGainOfACouplingAlone) {
  const PairGeometry pair = pair_geometry(0.4, 0.3, 0.1);
  const Complex A(-0.1, 0.07);
  const double gain =
      mse_exponential(A, -1, pair, 0, iid_blocks(8, 8)) - mse_exponential(A, -1, pair, 0, orthogonal_blocks(8, 8));
  EXPECT_NEAR(gain, -7.0 / 8 * conf_difference(pair.z2, 8, 0.0), 1e-14);
}

TEST(OptimalPhase, IsAMinimumOverTheHalfLine) {
  for (const std::size_t d : {1, 2, 8, 64})
    for (const double z2 : {1e-6, 0.01, 0.3, 1.0, 4.0, 100.0}) {
      const double best = optimal_phase_A(z2, d);
      const double least = log_second_moment(best, -1, 0.0, z2, d);
      EXPECT_GE(best, 0.0);
      for (double rho = 1.0; rho < 50.0; rho *= 1.02)
        EXPECT_GE(log_second_moment((1.0 - 1.0 / rho) / 8.0, -1, 0.0, z2, d), least - 1e-13) << d << " " << z2;
    }
}

/// The numerical fact behind optimal_exponential, on other problems than those it was found with.
TEST(OptimalExponential, IsNeverBeatenByAComplexWeight) {
  const Stream stream(2024, Purpose::iid_entries);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::size_t d = std::size_t{1} << (i % 7);
    const double nx = 4 * stream.uniform(0, i), ny = 4 * stream.uniform(1, i);
    const PairGeometry pair = pair_geometry(nx, ny, (2 * stream.uniform(2, i) - 1) * std::sqrt(nx * ny));
    const ExponentialWeight best = optimal_exponential(pair.v2, pair.z2, d);
    const double least = log_second_moment(best.A, best.s, pair.v2, pair.z2, d);
    for (const int s : {-1, 1}) {
      const Complex A = optimal_complex_A(s, pair.v2, pair.z2, d);
      EXPECT_GE(log_second_moment(A, s, pair.v2, pair.z2, d), least - 1e-9) << A << " " << s << " d = " << d;
    }
  }
}

TEST(OptimalExponential, TakesEachSignWhereItIsBetter) {
  EXPECT_EQ(optimal_exponential(0.01, 6.0, 8).s, 1);
  EXPECT_EQ(optimal_exponential(6.0, 0.01, 8).s, -1);
}

}  // namespace
}  // namespace bochner::theory

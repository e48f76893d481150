// SPDX-License-Identifier: Apache-2.0
#include "theory/conformity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "theory/series_oracle.h"

namespace bochner::theory {
namespace {

const std::vector<std::size_t> kDimensions = {2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 127, 512, 513, 1000, 10001, 100000};

std::vector<double> cosines(std::size_t d) { return {0.0, -1.0 / (static_cast<double>(d) - 1.0), -1.0, -0.5, 1.0}; }

double uniform(std::mt19937_64& bits) { return static_cast<double>(bits() >> 11) * 0x1p-53; }

/// Relative error of a double against the oracle.
double relative_error(double actual, const Wide& expected) {
  return std::abs(static_cast<double>(Wide((Wide(actual) - expected) / expected)));
}

TEST(Conformity, AgreesWithTheSeriesInHundredDigits) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 200; ++i) {
    const std::size_t d = 2 + bits() % 60;
    const std::size_t rows = 2 + bits() % (d - 1);
    const double c = i % 4 == 0 ? 0.0 : -1.0 / (static_cast<double>(rows) - 1.0);
    const double u = std::pow(10.0, i % 5 == 0 ? -12.0 + 12.0 * uniform(bits) : -1.0 + 2.3 * uniform(bits));
    const Conformities exact = conformities_by_series(u, d, c);
    const Wide grown = exp(Wide(u));
    const Wide decayed = exp(Wide(-u));
    SCOPED_TRACE(::testing::Message() << "u = " << u << ", d = " << d << ", c = " << c);
    EXPECT_LT(relative_error(std::exp(log_rho(u, d, c)), exact.rho), 1e-13);
    EXPECT_LT(relative_error(std::exp(log_rho_paired(u, d, c)), exact.rho_paired), 1e-13);
    EXPECT_LT(relative_error(rho_difference(u, d, c), exact.rho - grown), 1e-13);
    // The part of order u^2 is a difference of c^2 d/(d+2) and 1/(d+2), halved, which may vanish.
    const Wide paired_error = Wide(rho_paired_difference(u, d, c)) - (exact.rho_paired - grown);
    EXPECT_LT(std::abs(static_cast<double>(paired_error)),
              1e-12 * std::abs(static_cast<double>(Wide(exact.rho_paired - grown))) +
                  1e-15 * u * u * (c * c + 1.0 / static_cast<double>(d)));
    EXPECT_LT(std::abs(static_cast<double>(Wide(Wide(conf(u, d, c)) - exact.conf))), 2e-15);
    EXPECT_LT(std::abs(static_cast<double>(Wide(Wide(conf_difference(u, d, c)) - exact.conf + decayed))),
              2e-15 * std::min(1.0, u * u));
  }
}

TEST(Conformity, TinyArgumentsFollowTheFirstTerm) {
  for (const std::size_t d : kDimensions) {
    const double dim = static_cast<double>(d);
    const double u = 1e-12;
    // (d+1)/(d+2) E(1 + c sin phi)^2 - 1 = ((d+1) + c^2 d)/(d+2) - 1 for the even part, E sin^2 phi = d/(d+1).
    for (const double c : cosines(d)) {
      const double curvature = (c * c * dim - 1.0) / (dim + 2.0) / 2.0;
      const double absolute = 1e-14 * (c * c * dim + 1.0) / (dim + 2.0) * u * u;  // c^2 d = 1 cancels
      EXPECT_NEAR(rho_paired_difference(u, d, c), curvature * u * u, 1e-11 * std::abs(curvature) * u * u + absolute);
      EXPECT_NEAR(conf_difference(u, d, c), curvature * u * u, 1e-11 * std::abs(curvature) * u * u + absolute);
      if (c != 0.0) {
        // sqrt(d) E sin phi = E[chi_d]^2 / sqrt(d).
        const double mean_sine =
            std::exp(2.0 * std::lgamma((dim + 1.0) / 2.0) - std::lgamma(dim / 2.0) - std::lgamma(dim / 2.0 + 1.0));
        EXPECT_NEAR(rho_difference(u, d, c) / (c * mean_sine * u), 1.0, 1e-14 * dim * std::log(dim) + 1e-10);
      }
    }
    EXPECT_EQ(rho_difference(0.0, d, 0.0), 0.0);
    EXPECT_EQ(rho_difference(0.0, d, -1.0), 0.0);
    EXPECT_EQ(rho_paired_difference(0.0, d, -1.0), 0.0);
    EXPECT_EQ(conf_difference(0.0, d, -0.5), 0.0);
    EXPECT_EQ(log_rho(0.0, d, 0.0), 0.0);
  }
}

TEST(Conformity, GapOfOrthogonalRowsIsAtLeastItsLowerBound) {
  for (const std::size_t d : kDimensions) {
    for (double v2 = 1e-12; v2 < 1.1e3; v2 *= 2.0) {
      const double root = std::expm1(-v2 / 2.0);
      const double bound = 2.0 / (static_cast<double>(d) + 2.0) * root * root;
      EXPECT_GE(-rho_difference(v2, d, 0.0, v2), bound * (1.0 - 1e-12)) << "v2 = " << v2 << ", d = " << d;
    }
  }
}

TEST(Conformity, DifferencesAreConsistentWithTheFunctionsUpToAThousand) {
  for (const std::size_t d : kDimensions) {
    for (const double c : cosines(d)) {
      for (const double u : {0.3, 3.0, 30.0, 300.0, 1000.0}) {
        SCOPED_TRACE(::testing::Message() << "u = " << u << ", d = " << d << ", c = " << c);
        const double top = u * (1.0 + std::max(c, 0.0));
        EXPECT_NEAR(rho_difference(u, d, c, top), std::exp(log_rho(u, d, c) - top) - std::exp(u - top), 1e-12);
        EXPECT_LE(log_rho(u, d, c), top * (1.0 + 1e-15));
        EXPECT_LE(std::abs(conf(u, d, c)), 1.0);
      }
    }
  }
}

/// Large sums and small dimensions move the mass of the average over phi to its ends. Values of 60-digit series.
TEST(Conformity, KeepsItsDigitsWhereTheAverageIsTilted) {
  struct Known {
    double v2;
    std::size_t d;
    double c;
    double log_rho;
  };
  for (const Known& known : {Known{300, 2, -1, 144.98280733935029}, Known{300, 9, -1, 130.72311696314708},
                             Known{300, 100, -1, 45.96529286133997}, Known{250, 3, -0.5, 119.94723582503913}}) {
    EXPECT_NEAR(log_rho(known.v2, known.d, known.c), known.log_rho, 2e-13) << known.v2 << ", " << known.d;
  }
}

/// The unit does not change the digits, also where it is far above the value.
TEST(Conformity, DifferencesKeepTheirDigitsInEveryUnit) {
  for (const std::size_t d : {2, 3, 64, 1000})
    for (const double c : {-1.0 / (static_cast<double>(d) - 1.0), -1.0})
      for (const double u : {3.0, 45.0, 120.0}) {
        const Conformities exact = conformities_by_series(u, d, c);
        const Wide grown = exp(Wide(u));
        for (const double scale : {u, 2.0 * u}) {
          SCOPED_TRACE(::testing::Message() << "u = " << u << ", d = " << d << ", c = " << c << ", scale " << scale);
          const Wide unit = exp(Wide(-scale));
          EXPECT_LT(relative_error(rho_difference(u, d, c, scale), (exact.rho - grown) * unit), 3e-14);
          EXPECT_LT(relative_error(rho_paired_difference(u, d, c, scale), (exact.rho_paired - grown) * unit), 1e-13);
        }
      }
}

/// In units of e^{v2}. d = 2: int_0^{pi/2} cos t (1 + v2 - v2 s) e^{-v2 s} dt / 2 - 1, s = sin^2(t/2), by 60-digit
/// quadrature, as the other half is below 1e-100; else the series of positive terms with rigorous bounds.
TEST(Conformity, AntipodalPairsKeepTheirDigitsForLargeSums) {
  struct Known {
    double v2;
    std::size_t d;
    double value;
    double tolerance;
  };
  for (const Known& known :
       {Known{1e3, 2, 27.017947212338132, 1e-14}, Known{1e6, 2, 885.22670389594356658, 1e-14},
        Known{1e9, 2, 28023.956074983404473, 1e-14}, Known{1e12, 2, 886225.92545253645692, 1e-14},
        Known{300, 64, 7.2241517398021073e27, 3e-13}, Known{600, 1000, 4.37936829867874e147, 3e-13},
        Known{450, 10001, 1.2422931262898337e180, 3e-13}})
    EXPECT_NEAR(rho_paired_difference(known.v2, known.d, -1.0, known.v2) / known.value, 1.0, known.tolerance)
        << known.v2 << ", d = " << known.d;
}

/// rho_c e^{-v2} vanishes for c < 0, rho_paired_c e^{-v2} for small |c|: nothing but -e^{v2} is left.
TEST(Conformity, DifferencesOfHugeSumsAreThatOfIndependentRows) {
  for (const std::size_t d : {3, 64, 1000})
    for (const double v2 : {1e5, 1e9, 1e15, 1e300}) {
      const double c = -1.0 / (static_cast<double>(d) - 1.0);
      EXPECT_EQ(rho_difference(v2, d, 0.0, v2), -1.0) << v2 << ", d = " << d;
      EXPECT_EQ(rho_difference(v2, d, c, v2), -1.0) << v2 << ", d = " << d;
      if (d > 3) {
        EXPECT_EQ(rho_paired_difference(v2, d, c, v2), -1.0) << v2 << ", d = " << d;
      }
      EXPECT_EQ(rho_paired_difference(v2, d, 0.0, v2), -1.0) << v2 << ", d = " << d;
    }
}

TEST(Conformity, FarTrigonometricPairsVanishUnlessAntipodal) {
  EXPECT_EQ(conf(1e4, 64, 0.0), 0.0);
  // d = 3: Gamma(3/2)/Gamma(-3/2) y^{-3} (1 + 3 * 5/2 / y + ...), y = z2/2.
  EXPECT_NEAR(conf(2e4, 3, 0.0) / (0.375 * 1e-12), 1.0, 1e-3);
  EXPECT_GT(conf(1e4, 64, -1.0), 1e-2);
  EXPECT_LT(conf(1e4, 64, -1.0), 0.5);
}

/// Both sides of every change of method: a jump would show as a slope.
TEST(Conformity, TrigonometricBranchesMeet) {
  for (const std::size_t d : kDimensions) {
    const double n = static_cast<double>(d) / 2.0;
    for (const double z2 : {2.0, 2.0 * std::sqrt(n), 2.0 * (n + 9.0 * std::sqrt(2.0 * n) + 45.0)}) {
      const double below = conf_difference(z2 * (1.0 - 1e-14), d, 0.0);
      const double above = conf_difference(z2 * (1.0 + 1e-14), d, 0.0);
      EXPECT_NEAR(below, above, 2e-15 + 2e-14 * z2 * std::exp(-z2 / 2.0)) << z2 << ", d = " << d;
    }
  }
}

}  // namespace
}  // namespace bochner::theory

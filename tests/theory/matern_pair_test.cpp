// SPDX-License-Identifier: Apache-2.0
// Covariances of Matern rows of one block, from closed forms in R^3, leading terms and identities.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "theory/matern_variance.h"

namespace bochner::theory {
namespace {

using Fifty = boost::multiprecision::cpp_bin_float_50;
using Rule = boost::math::quadrature::gauss<Fifty, 40>;

/// int_0^1 f.
template <class Function>
Fifty integral(const Function& f) {
  Fifty sum = 0;
  for (std::size_t i = 0; i < Rule::abscissa().size(); ++i)
    sum += Rule::weights()[i] * (f((1 - Rule::abscissa()[i]) / 2) + f((1 + Rule::abscissa()[i]) / 2)) / 2;
  return sum;
}

/// E cos(|w| a) of a row in R^3: the radius of normal rows has E cos(r t) = (1 - t^2) e^{-t^2/2}, so with the kernel
/// phi(a) it is phi(a) + a phi'(a); nu = twice/2.
Fifty radial(int twice, const Fifty& a) {
  const Fifty t = sqrt(Fifty(twice)) * a;
  if (twice == 1) return (1 - t) * exp(-t);
  if (twice == 3) return (1 + t - t * t) * exp(-t);
  return (1 + t + t * t / 3 - t * t / 3 - t * t * t / 3) * exp(-t);  // phi = (1 + t + t^2/3) e^{-t}
}

Fifty kernel(int twice, const Fifty& a) {
  const Fifty t = sqrt(Fifty(twice)) * a;
  return (twice == 1 ? Fifty(1) : twice == 3 ? 1 + t : 1 + t + t * t / 3) * exp(-t);
}

/// Rows w and -|w'| w/|w|: the coordinate of a direction in R^3 is uniform.
Fifty antipodal(int twice, const Fifty& z) {
  const Fifty k = kernel(twice, z);
  return integral([&](const Fifty& x) -> Fifty { return radial(twice, z * x) * radial(twice, z * x); }) - k * k;
}

/// Rows at right angles: two coordinates cos(a), sin(a) cos(b) of a direction, by symmetry in one octant.
Fifty orthogonal(int twice, const Fifty& z) {
  const Fifty quarter = boost::math::constants::half_pi<Fifty>(), k = kernel(twice, z);
  const Fifty mean = integral([&](const Fifty& u) -> Fifty {
    const Fifty a = quarter * u;
    const auto other = [&](const Fifty& v) -> Fifty { return radial(twice, z * sin(a) * cos(quarter * v)); };
    const Fifty inner = integral(other);
    return quarter * sin(a) * radial(twice, z * cos(a)) * inner;
  });
  return mean - k * k;
}

/// The 40-point rule has an error of about 1e-30 at z = 3, so that differences of 1e-24 keep their digits in 50.
TEST(MaternPair, IsTheIntegralInThreeDimensions) {
  for (const int twice : {1, 3, 5})
    for (const double z : {1e-6, 1e-4, 1e-2, 0.3, 1.0, 3.0}) {
      const double right = static_cast<double>(orthogonal(twice, z));
      const double opposite = static_cast<double>(antipodal(twice, z));
      SCOPED_TRACE(::testing::Message() << "nu = " << twice << "/2, z = " << z);
      EXPECT_NEAR(pair_difference_matern(twice / 2.0, z * z, 3, 0.0) / right, 1.0, 1e-12);
      EXPECT_NEAR(pair_difference_matern(twice / 2.0, z * z, 3, -1.0) / opposite, 1.0, 1e-12);
    }
}

/// nu > 2: E(s)^2 z2^2/4 Cov(g1^2, g2^2) (1 + O(z2)), Cov = 2 (d c^2 - 1)/(d + 2), E s = nu/(nu - 1);
/// the variance is z2^2/4 (3 E s^2 - E(s)^2), E s^2 = nu^2/((nu-1)(nu-2)).
TEST(MaternPair, KeepsItsDigitsAtSmallDistances) {
  for (const double nu : {10.0, 100.0, 1e4})
    for (const std::size_t d : {2, 3, 33, 1000, 100000})
      for (const double z2 : {1e-12, 1e-10, 1e-8}) {
        const double dim = static_cast<double>(d), mean = nu / (nu - 1), unit = mean * mean * z2 * z2 / 4;
        const double tolerance = 1e-12 + 1e-15 * dim + 100 * z2;
        for (const double c : {0.0, -0.5, -1.0}) {
          const double expected = unit * 2 * (dim * c * c - 1) / (dim + 2);
          EXPECT_NEAR(pair_difference_matern(nu, z2, d, c), expected, tolerance * std::abs(expected))
              << "nu = " << nu << ", d = " << d << ", c = " << c << ", z2 = " << z2;
        }
        const double variance = unit * (3 * (nu - 1) / (nu - 2) - 1);
        EXPECT_NEAR(variance_matern(nu, z2) / variance, 1.0, tolerance) << nu << " " << z2;
      }
}

/// Of the same sign and below the variance for every nu, also where E s or E s^2 is infinite.
TEST(MaternPair, StaysBelowTheVarianceAtSmallDistances) {
  for (const double nu : {0.1, 0.5, 1.0, 1.5, 2.0})
    for (const std::size_t d : {2, 64})
      for (const double c : {0.0, -1.0})
        for (const double z2 : {1e-300, 1e-30, 1e-12, 1e-6}) {
          const double pair = pair_difference_matern(nu, z2, d, c), variance = variance_matern(nu, z2);
          EXPECT_LT(std::abs(pair), variance) << nu << " " << d << " " << z2;
          EXPECT_TRUE(pair == 0.0 || (pair > 0.0) == (c == -1.0)) << nu << " " << d << " " << z2;
          if (z2 > 1e-50) {
            EXPECT_NE(pair, 0.0) << nu << " " << d << " " << z2;
          }
        }
}

TEST(MaternPair, IsFiniteAtAnyDistance) {
  for (const double nu : {1e-9, 1.5, 1e6})
    for (const std::size_t d : {2, 7, 64})
      for (const double c : {0.0, -1.0 / 3.0, -1.0})
        for (const double z2 : {1e3, 1e12, 1e100, 1e300})
          EXPECT_LT(std::abs(pair_difference_matern(nu, z2, d, c)), 0.3) << nu << " " << d << " " << c << " " << z2;
}

}  // namespace
}  // namespace bochner::theory

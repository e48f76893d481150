// SPDX-License-Identifier: Apache-2.0
#include "kernels/matern_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/stream.h"
#include "reference/kernels.h"
#include "support/scale.h"

namespace bochner {
namespace {

/// The promised relative error.
double tolerance(double value) { return 5e-14 + 2e-16 * std::abs(std::log(value)); }

void expect_value(double nu, double distance, double expected) {
  EXPECT_NEAR(matern_function(nu, distance), expected, tolerance(expected) * expected)
      << "nu = " << nu << ", distance " << distance;
}

TEST(MaternFunction, KnownValues) {
  struct Known {
    double nu, distance, value;
  };
  constexpr Known kKnown[] = {// 50-digit arithmetic
                              {0.1, 0.001, 0.79088602116143826221},  {0.1, 1, 0.18549910644667604348},
                              {0.25, 3, 0.055656188118397765024},    {0.7, 0.5, 0.67201798165479045963},
                              {0.999, 1e-5, 0.99999999880889525947}, {1, 0.3, 0.8628577272659156393},
                              {1.2, 2, 0.13985082074203937307},      {2, 1e-4, 0.99999999000000093831},
                              {2, 10, 1.2659087224584456221e-7},     {3.3, 1, 0.54161508255060123196},
                              {7, 0.01, 0.99994166870827378646},     {10.25, 2.5, 0.050549059156707492626},
                              {29.75, 1, 0.59888365470690268865},    {29.75, 12, 1.6992699631725874086e-20},
                              {30.25, 1, 0.59900996046695454067},    {64, 0.2, 0.97989080914080473947},
                              {100, 5, 6.6090529594727015874e-6},    {1000, 1, 0.60630320300520860115},
                              {1000, 20, 1.1316513225476877882e-80}};
  for (const Known& known : kKnown) expect_value(known.nu, known.distance, known.value);
}

TEST(MaternFunction, ClosedFormsOfHalfIntegers) {
  for (const double r : {1e-12, 1e-6, 0.01, 0.3, 1.0, 2.5, 10.0, 40.0, 300.0}) {
    const double t = std::sqrt(3.0) * r, s = std::sqrt(5.0) * r;
    expect_value(0.5, r, std::exp(-r));
    expect_value(1.5, r, (1 + t) * std::exp(-t));
    expect_value(2.5, r, (1 + s + s * s / 3) * std::exp(-s));
  }
}

/// The polynomials of half integers, the Bessel function beside them and the expansion for large arguments agree: the
/// function of nu is smooth, its derivative below 1.
TEST(MaternFunction, MethodsMeet) {
  for (const double nu : {0.5, 1.5, 7.5, 28.5})
    for (const double r : {1e-5, 0.1, 1.0, 4.0, 9.0})
      EXPECT_NEAR(matern_function(nu * (1 + 1e-13), r), matern_function(nu, r), 1e-12) << nu << " " << r;
  for (const double r : {0.1, 1.0, 3.0})
    EXPECT_NEAR(matern_function(30.0 * (1 - 1e-14), r), matern_function(30.0, r), 1e-13);
  for (const double nu : {0.3, 2.2, 11.0}) {  // sqrt(nu^2 + t^2) = 30
    const double r = std::sqrt((900.0 - nu * nu) / (2.0 * nu));
    const double below = matern_function(nu, r * (1 - 1e-14)), above = matern_function(nu, r * (1 + 1e-14));
    EXPECT_NEAR(above / below, 1.0, 1e-12) << nu;
  }
}

TEST(MaternFunction, IsTheBesselFunctionInLongDouble) {
  const Stream stream(3, Purpose::iid_entries);
  for (std::size_t i = 0; i < test::scaled(2000, 200); ++i) {
    const double nu = std::exp(std::log(1e-3) + std::log(5e4) * stream.uniform(i, 0));  // 1e-3 to 50
    const double r = 8.0 * stream.uniform(i, 1) * stream.uniform(i, 1);
    expect_value(nu, r, static_cast<double>(reference::matern(nu, r)));
  }
}

TEST(MaternFunction, GaussianLimit) {  // k = e^{-r^2/2} (1 + r^4 / (8 nu) - r^2 / (2 nu) ... ), so within 1 / nu
  for (const double nu : {1e3, 1e6, 1e9, 1e12, 1e15})
    for (const double r : {0.1, 1.0, 2.0, 5.0})
      EXPECT_NEAR(matern_function(nu, r), std::exp(-r * r / 2), 1 / nu + 1e-15) << nu << " " << r;
}

TEST(MaternFunction, ExtremeArguments) {
  for (const double nu : {1e-9, 1e-3, 0.3, 0.5, 1.0, 1.5, 2.7, 29.0, 30.0, 500.0, 1e6, 1e15}) {
    EXPECT_EQ(matern_function(nu, 0.0), 1.0) << nu;
    double before = 1.0;
    for (double r = 1e-300; r < 1e160; r *= 1.9) {
      const double value = matern_function(nu, r);
      ASSERT_TRUE(value >= 0.0 && value <= 1.0) << nu << " " << r;
      ASSERT_LE(value, before * (1 + 1e-13)) << "falls with the distance, nu = " << nu << ", " << r;
      before = value;
    }
    EXPECT_EQ(matern_function(nu, 1e160), 0.0) << nu;
  }
}

}  // namespace
}  // namespace bochner

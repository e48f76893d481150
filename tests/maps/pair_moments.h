// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <span>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/matrix.h"
#include "bochner/theory.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner::testing {

/// phi(x).phi(y), x as query and y as key.
inline double estimate(const Features& features, std::span<const double> x, std::span<const double> y) {
  Matrix<double> Z(2, features.outputs());
  features.transform({x.data(), 1, x.size()}, Z.view().row_range(0, 1), Side::query);
  features.transform({y.data(), 1, y.size()}, Z.view().row_range(1, 2), Side::key);
  double product = 0;
  for (std::size_t j = 0; j < features.outputs(); ++j) product += Z(0, j) * Z(1, j);
  return product;
}

/// The mean of phi(x).phi(y) over seeds is k(x, y), and that of its squared error the closed form, within the z of
/// kLeastP; the standard error of squares is the sample's, or that of a normal law if larger.
inline void expect_closed_form(Spec spec, std::span<const double> x, std::span<const double> y) {
  const std::size_t draws = test::scaled(6000, 500);
  const double exact =
      kernel_matrix<double>({x.data(), 1, x.size()}, {y.data(), 1, y.size()}, spec.kernel, spec.lengthscale)(0, 0);
  const double expected = theory::mse(spec, x, y);
  double first = 0, second = 0, fourth = 0;
  for (std::size_t draw = 0; draw < draws; ++draw, ++spec.seed) {
    const double error = estimate(*make_features(spec), x, y) - exact;
    first += error / static_cast<double>(draws);
    second += error * error / static_cast<double>(draws);
    fourth += error * error * error * error / static_cast<double>(draws);
  }
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), kLeastP / 2));
  const double n = static_cast<double>(draws);
  EXPECT_LE(std::abs(first), z * std::sqrt(std::max(expected, second) / n)) << spec.kernel << " " << spec.coupling;
  const double deviation = std::sqrt(std::max(fourth - second * second, 2 * expected * expected) / n);
  EXPECT_LE(std::abs(second - expected), z * deviation)
      << spec.kernel << " " << spec.coupling << ": " << second << " for " << expected;
}

}  // namespace bochner::testing

// SPDX-License-Identifier: Apache-2.0
// The spectral laws by their distribution: rows, coordinates and radii.
#include "core/law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/quantiles.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using testing::kLeastP;

double norm2(const std::vector<double>& row) {
  double sum = 0.0;
  for (const double entry : row) sum += entry * entry;
  return sum;
}

TEST(ProductLaws, RowsAreQuantilesOfTheStream) {
  double (*const quantiles[])(double) = {cauchy_quantile, laplace_quantile};
  for (const auto quantile : quantiles) {
    const Law law = quantile == cauchy_quantile ? cauchy_law() : laplace_law();
    EXPECT_TRUE(law.product && !law.isotropic && !law.radius);
    const Stream stream(5, Purpose::iid_entries);
    std::vector<double> row(301);
    law.fill_row(5, 9, row);
    for (std::size_t l = 0; l < row.size(); ++l) {
      ASSERT_EQ(row[l], quantile(stream.uniform(9, l))) << law.name;
      ASSERT_EQ(row[l], law.quantile(stream.uniform(9, l))) << law.name;
    }
  }
}

class StudentLaw : public ::testing::TestWithParam<double> {};

/// |w|^2 / d is F(d, 2 nu), drawn as a row or as a radius.
TEST_P(StudentLaw, RadiiAreThoseOfTheLaw) {
  const double nu = GetParam();
  const Law law = student_law(nu);
  EXPECT_TRUE(law.isotropic && !law.product && !law.quantile);
  for (const std::size_t d : {1, 3, 40}) {
    const boost::math::fisher_f radius_law(static_cast<double>(d), 2.0 * nu);
    std::vector<double> radii(test::scaled(100000, 5000)), rows(radii.size()), row(d);
    for (std::size_t i = 0; i < radii.size(); ++i) {
      radii[i] = std::pow(law.radius(3, i, d), 2) / static_cast<double>(d);
      law.fill_row(4, i, row);
      rows[i] = norm2(row) / static_cast<double>(d);
    }
    const auto cdf = [&](double x) { return boost::math::cdf(radius_law, x); };
    EXPECT_GT(testing::ks_p_value(radii, cdf), kLeastP) << d;
    EXPECT_GT(testing::ks_p_value(rows, cdf), kLeastP) << d;
  }
}

/// A coordinate is Student's t, and two coordinates share their chi2: |w_1| and |w_2| are both large or both small.
TEST_P(StudentLaw, CoordinatesAreStudentsAndShareTheirScale) {
  const double nu = GetParam();
  const boost::math::students_t coordinate_law(2.0 * nu);
  std::vector<double> first(test::scaled(100000, 50000)), row(2);
  std::vector<double> above(first.size()), other_above(first.size());
  const double median = boost::math::quantile(coordinate_law, 0.75);
  for (std::size_t i = 0; i < first.size(); ++i) {
    student_law(nu).fill_row(5, i, row);
    first[i] = row[0];
    above[i] = std::abs(row[0]) > median ? 1.0 : -1.0;
    other_above[i] = std::abs(row[1]) > median ? 1.0 : -1.0;
  }
  EXPECT_GT(testing::ks_p_value(first, [&](double x) { return boost::math::cdf(coordinate_law, x); }), kLeastP);
  if (nu > 5.0) return;  // hardly to be seen
  EXPECT_LT(testing::correlation_p_value(above, other_above), kLeastP);
}

/// One chi2 for a row, its own for every row.
TEST_P(StudentLaw, RowsHaveTheirOwnScale) {
  const double nu = GetParam();
  const Law law = student_law(nu), normal = normal_law();
  std::vector<double> even(test::scaled(20000, 2000)), odd(even.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < even.size(); ++i) {
    even[i] = std::log(law.radius(6, 2 * i, 3) / normal.radius(6, 2 * i, 3));
    odd[i] = std::log(law.radius(6, 2 * i + 1, 3) / normal.radius(6, 2 * i + 1, 3));
    sum += even[i] + odd[i];
  }
  const double mean = sum / static_cast<double>(2 * even.size());
  for (double& value : even) value -= mean;
  for (double& value : odd) value -= mean;
  EXPECT_GT(testing::correlation_p_value(even, odd), kLeastP);
}

INSTANTIATE_TEST_SUITE_P(Smoothness, StudentLaw, ::testing::Values(0.5, 1.5, 2.7, 30.0),
                         [](const auto& info) { return std::to_string(info.index); });

TEST(StudentLaw, LargeNuIsNormal) {
  const Law law = student_law(1e15), normal = normal_law();
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(law.radius(1, i, 5) / normal.radius(1, i, 5), 1.0, 4e-7);
}

/// The heaviest tails stay in the range of float, and keep their mantissas: no two rows share a scale.
TEST(StudentLaw, TinyNuStaysFinite) {
  for (const double nu : {1e-9, 1e-3, 0.02}) {
    const Law law = student_law(nu), normal = normal_law();
    std::vector<double> factors(2000);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      factors[i] = law.radius(2, i, 4) / normal.radius(2, i, 4);
      ASSERT_GT(factors[i], 0.0);
      ASSERT_LT(factors[i], 0x1p61 * (1 + 1e-6));
    }
    std::sort(factors.begin(), factors.end());
    EXPECT_GT(factors.back(), 0x1p60 * (1 - 1e-6)) << nu;
    EXPECT_EQ(std::adjacent_find(factors.begin(), factors.end()), factors.end()) << nu;
  }
}

}  // namespace
}  // namespace bochner

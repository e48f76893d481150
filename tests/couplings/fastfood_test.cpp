// SPDX-License-Identifier: Apache-2.0
// fastfood: every row has exactly the law, whatever the input.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "couplings/draw.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using bochner::test::draw;
using bochner::test::inner;

TEST(Fastfood, RowsHaveTheRadiusOfTheLaw) {
  const Law law = normal_law();
  for (const std::size_t D : {1, 2, 8, 64, 256})
    for (const std::uint64_t seed : {0, 1, 7}) {
      const std::size_t m = 2 * D + 1;
      const Matrix<double> W = draw("fastfood", law, D, m, seed)->directions();
      for (std::size_t i = 0; i < m; ++i) {
        const double radius = law.radius(seed, i, D);
        ASSERT_NEAR(std::sqrt(inner(W, i, i)), radius, 1e-12 * radius) << D;
      }
    }
}

TEST(Fastfood, ProjectionsAreNormalAlongAnAxisAndElsewhere) {
  const boost::math::normal normal;
  const auto cdf = [&](double x) { return boost::math::cdf(normal, x); };
  for (const std::size_t d : {2, 3, 4, 16}) {
    for (const bool along_axis : {true, false}) {
      Matrix<double> x(1, d, along_axis ? 0.0 : 1 / std::sqrt(static_cast<double>(d)));
      if (along_axis) x(0, d - 1) = 1;
      std::vector<double> first, last;
      for (std::size_t seed = 0; seed < test::scaled(4000, 200); ++seed) {
        Matrix<double> projections(1, d);
        draw("fastfood", normal_law(), d, d, seed)->apply(x.view(), simd::Finish<double>{}, projections.view(), false);
        first.push_back(projections(0, 0));
        last.push_back(projections(0, d - 1));
      }
      EXPECT_GT(testing::ks_p_value(first, cdf), testing::kLeastP) << d << " " << along_axis;
      EXPECT_GT(testing::ks_p_value(last, cdf), testing::kLeastP) << d << " " << along_axis;
    }
  }
}

}  // namespace
}  // namespace bochner

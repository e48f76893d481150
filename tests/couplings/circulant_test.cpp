// SPDX-License-Identifier: Apache-2.0
// circulant: W is what its formula says, so that every row has its law.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "core/stream.h"
#include "couplings/draw.h"

namespace bochner {
namespace {

using bochner::test::draw;

TEST(Circulant, RowsAreSignedShiftsOfOneRowOfTheLaw) {
  const Law law = normal_law();
  for (const std::size_t d : {1, 2, 3, 8, 33, 64, 65, 100, 700}) {
    const std::size_t m = 2 * d + (d + 1) / 2;
    const Matrix<double> W = draw("circulant", law, d, m, 5)->directions();
    const Stream signs(5, Purpose::circulant_signs);
    std::vector<double> g(d);
    for (std::size_t i = 0; i < m; ++i) {
      law.fill_row(5, i / d, g);
      for (std::size_t j = 0; j < d; ++j)
        ASSERT_NEAR(W(i, j), g[(j + d - i % d) % d] * signs.rademacher(i / d, j), 1e-13) << d << " " << i << " " << j;
    }
  }
}

TEST(Circulant, RowsOfABlockAreUncorrelated) {
  // E (w_0.x)(w_1.x) = 0; without signs it would be (sum g)^2, mean d, for x = (1, ..., 1). The variance of the product
  // is at most E (w_0.x)^4 = 3 d^2.
  const std::size_t d = 16, seeds = 20'000;
  Matrix<double> X(1, d, 1.0), P(1, d);
  double sum = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    draw("circulant", normal_law(), d, d, seed)->apply(X.view(), {}, P.view(), false);
    sum += P(0, 0) * P(0, 1);
  }
  EXPECT_LT(std::abs(sum / seeds), 4.9 * std::sqrt(3.0 / seeds) * static_cast<double>(d));
}

TEST(Circulant, ManyCoordinates) {
  const std::size_t d = 100'000;
  const Law law = normal_law();
  const auto projection = draw("circulant", law, d, 3, 1);
  Matrix<float> X(1, d, 0.0f), P(1, 3);
  X(0, 4711) = 1;
  projection->apply(X.view(), {}, P.view(), false);
  std::vector<double> g(d);
  law.fill_row(1, 0, g);
  const double sign = Stream(1, Purpose::circulant_signs).rademacher(0, 4711);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(P(0, i), g[4711 - i] * sign, 2e-5);
}

}  // namespace
}  // namespace bochner

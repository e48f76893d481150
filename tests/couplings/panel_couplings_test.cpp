// SPDX-License-Identifier: Apache-2.0
// givens and circulant apply the W they show, row by row, in both precisions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/stream.h"
#include "couplings/draw.h"

namespace bochner {
namespace {

using bochner::test::draw;

struct Case {
  std::string name;
  Parameters parameters;
};

const std::vector<Case> kCases = {
    {"givens", {{"norms", "fixed"}}}, {"givens", {{"norms", "chi"}, {"block", 2048.0}}}, {"circulant", {}}};

const std::vector<std::pair<std::size_t, std::size_t>> kShapes = {{1, 1},   {1, 5},     {2, 1},   {3, 14},
                                                                  {8, 8},   {33, 104},  {64, 63}, {65, 70},
                                                                  {96, 96}, {100, 305}, {300, 7}, {1000, 1500}};

template <class T>
Matrix<T> rows_of(std::size_t n, std::size_t d) {
  Matrix<T> X(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) X(i, j) = static_cast<T>(Stream(8, Purpose::iid_entries).normal(i, j));
  return X;
}

template <class T>
class PanelCouplings : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PanelCouplings, Precisions);

TYPED_TEST(PanelCouplings, ApplyIsTheProductWithTheDirections) {
  for (const Case& tested : kCases)
    for (const auto& [d, m] : kShapes) {
      const auto projection = draw(tested.name, normal_law(), d, m, 3, tested.parameters);
      const Matrix<double> W = projection->directions();
      const Matrix<TypeParam> X = rows_of<TypeParam>(19, d);
      Matrix<TypeParam> P(19, m);
      projection->apply(X.view(), {}, P.view(), false);
      for (std::size_t r = 0; r < 19; ++r)
        for (std::size_t i = 0; i < m; ++i) {
          double expected = 0, size = 0;
          for (std::size_t j = 0; j < d; ++j) {
            expected += W(i, j) * static_cast<double>(X(r, j));
            size += W(i, j) * W(i, j) + static_cast<double>(X(r, j)) * static_cast<double>(X(r, j));
          }
          const double bound = 8 * std::numeric_limits<TypeParam>::epsilon() * size;
          ASSERT_NEAR(P(r, i), expected, bound) << tested.name << " " << d << " " << m << " " << r << " " << i;
        }
    }
}

TYPED_TEST(PanelCouplings, ARowAloneHasTheBitsItHasAmongOthers) {
  for (const Case& tested : kCases)
    for (const auto& [d, m] : kShapes) {
      const auto projection = draw(tested.name, normal_law(), d, m, 3, tested.parameters);
      const std::size_t n = 67;
      const Matrix<TypeParam> X = rows_of<TypeParam>(n, d);
      Matrix<TypeParam> together(n, m), alone(1, m);
      projection->apply(X.view(), {}, together.view(), false);
      for (const std::size_t r : {0, 5, 16, 66}) {
        projection->apply(X.view().row_range(r, r + 1), {}, alone.view(), false);
        ASSERT_EQ(std::memcmp(alone.data(), together.view().row(r).data(), m * sizeof(TypeParam)), 0)
            << tested.name << " " << d << " " << m << " " << r;
      }
    }
}

}  // namespace
}  // namespace bochner

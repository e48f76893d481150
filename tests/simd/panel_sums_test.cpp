// SPDX-License-Identifier: Apache-2.0
#include "simd/panel_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simd/panel_product.h"
#include "support/normals.h"

namespace bochner::simd {
namespace {

template <class T>
class PanelSumsOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PanelSumsOf, Precisions);

/// Weights with gaps between them; what is in the sums stays.
TYPED_TEST(PanelSumsOf, AreSumsInDouble) {
  using T = TypeParam;
  const std::size_t columns = panel_columns<T>(), step = 3;
  for (const std::size_t rows : {0u, 1u, 5u, 300u}) {
    const Matrix<T> panel = test::normals<T>(std::max<std::size_t>(rows, 1), columns, 1);
    const Matrix<double> weights = test::normals<double>(std::max<std::size_t>(rows, 1), step, 2);
    std::vector<double> sums(columns, 0.25);
    add_weighted_lines<T>(rows, weights.data(), step, panel.data(), sums.data());
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0.25, size = 0.25;
      for (std::size_t k = 0; k < rows; ++k) {
        sum += weights(k, 0) * double(panel(k, c));
        size += std::abs(weights(k, 0) * double(panel(k, c)));
      }
      ASSERT_NEAR(sums[c], sum, std::numeric_limits<double>::epsilon() * static_cast<double>(rows + 1) * size) << c;
    }
  }
}

}  // namespace
}  // namespace bochner::simd

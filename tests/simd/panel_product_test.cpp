// SPDX-License-Identifier: Apache-2.0
#include "simd/panel_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/normals.h"

namespace bochner::simd {
namespace {

template <class T>
class PanelProductOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PanelProductOf, Precisions);

/// A by rows and by columns, whole and cut in two in k: the sum of products, with the same bits.
TYPED_TEST(PanelProductOf, IsAChainOfMultiplyAdds) {
  using T = TypeParam;
  const std::size_t columns = panel_columns<T>(), panels = 3, rows = 12;
  for (const std::size_t depth : {1u, 2u, 7u, 40u}) {
    const Matrix<T> A = test::normals<T>(rows, depth, 1), B = test::normals<T>(panels * depth, columns, 2);
    Matrix<T> turned(depth, rows), whole(panels * rows, columns, T(7)), cut(panels * rows, columns, T(7));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < depth; ++k) turned(k, i) = A(i, k);
    multiply<T>({rows, depth, panels, A.data(), depth, 1, B.data(), depth * columns, false, whole.data(), columns,
                 rows * columns});
    const std::size_t half = depth / 2;
    multiply<T>({rows, half, panels, turned.data(), 1, rows, B.data(), depth * columns, false, cut.data(), columns,
                 rows * columns});
    multiply<T>({rows, depth - half, panels, turned.data() + half * rows, 1, rows, B.data() + half * columns,
                 depth * columns, true, cut.data(), columns, rows * columns});
    for (std::size_t p = 0; p < panels; ++p)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < columns; ++c) {
          double sum = 0, size = 0;
          for (std::size_t k = 0; k < depth; ++k) {
            sum += double(A(i, k)) * double(B(p * depth + k, c));
            size += std::abs(double(A(i, k)) * double(B(p * depth + k, c)));
          }
          const double error = std::numeric_limits<T>::epsilon() * static_cast<double>(depth) * size;
          ASSERT_NEAR(whole(p * rows + i, c), sum, error);
          ASSERT_EQ(whole(p * rows + i, c), cut(p * rows + i, c));
        }
  }
}

}  // namespace
}  // namespace bochner::simd

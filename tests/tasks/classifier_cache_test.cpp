// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "bochner/linear_classifier.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

template <class T>
class ClassifierCacheOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ClassifierCacheOf, Precisions);

/// No row, whole blocks of 500 of 1000 rows, and all rows kept.
TYPED_TEST(ClassifierCacheOf, SameBitsForAnySize) {
  using T = TypeParam;
  const std::size_t n = 1000, outputs = 60;
  const Matrix<double> drawn = test::normal_rows(n, 3, 1, 1);
  Matrix<T> X(n, 3);
  std::vector<std::int64_t> labels(n);
  for (std::size_t i = 0; i < 3 * n; ++i) X.data()[i] = static_cast<T>(drawn.data()[i]);
  for (std::size_t i = 0; i < n; ++i) labels[i] = (drawn(i, 0) > 0) + (drawn(i, 1) > drawn(i, 2));
  const auto phi =
      make_features({.d = 3, .map = "trigonometric", .coupling = "iid", .m = outputs / 2, .lengthscale = {1.5}});
  std::vector<double> first;
  for (const std::size_t rows : {0, 500, 1000}) {
    const LinearClassifierOptions options{.cache_bytes = rows * outputs * sizeof(T)};
    const auto fit = fit_linear_classifier(*phi, X, labels, 3, {}, options);
    const std::vector<double> bits(fit.model.weights.data(), fit.model.weights.data() + 3 * outputs);
    if (rows == 0) first = bits;
    EXPECT_EQ(bits, first) << rows << " rows";
  }
}

}  // namespace
}  // namespace bochner

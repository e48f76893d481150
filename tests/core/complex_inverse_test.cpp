// SPDX-License-Identifier: Apache-2.0
#include "core/complex_inverse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "core/stream.h"

namespace bochner {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> random_matrix(std::size_t d, std::uint64_t seed) {
  const Stream stream(seed, Purpose::iid_entries);
  std::vector<Complex> A;
  for (std::size_t i = 0; i < d * d; ++i) A.emplace_back(stream.normal(0, i), stream.normal(1, i));
  return A;
}

TEST(ComplexInverse, TimesTheMatrixIsOne) {
  for (const std::size_t d : {1, 2, 5, 40}) {
    const std::vector<Complex> A = random_matrix(d, d);
    const ComplexInverse inverse = complex_inverse(A, d);
    ASSERT_EQ(inverse.matrix.size(), d * d);
    const double bound = 1e-15 * static_cast<double>(d + 1) * inverse.condition;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        Complex sum = 0;
        for (std::size_t k = 0; k < d; ++k) sum += A[i * d + k] * inverse.matrix[k * d + j];
        ASSERT_LE(std::abs(sum - (i == j ? 1.0 : 0.0)), bound) << d;
      }
  }
}

TEST(ComplexInverse, ExchangesRows) {
  const std::vector<Complex> A = {0, Complex(0, 2), 1, 0};
  const ComplexInverse inverse = complex_inverse(A, 2);
  EXPECT_EQ(inverse.matrix, (std::vector<Complex>{0, 1, Complex(0, -0.5), 0}));
  EXPECT_DOUBLE_EQ(inverse.condition, 2.0);
}

TEST(ComplexInverse, ConditionShowsHowNearSingularAMatrixIs) {
  EXPECT_NEAR(complex_inverse(std::vector<Complex>{1, 1, 1, Complex(1, 1e-6)}, 2).condition, 4e6, 10);
  for (const std::vector<Complex>& A :
       {std::vector<Complex>{0}, std::vector<Complex>{1, Complex(0, 1), Complex(0, 1), -1}}) {
    const ComplexInverse inverse = complex_inverse(A, A.size() == 1 ? 1 : 2);
    EXPECT_TRUE(inverse.matrix.empty());
    EXPECT_TRUE(std::isinf(inverse.condition));
  }
}

}  // namespace
}  // namespace bochner

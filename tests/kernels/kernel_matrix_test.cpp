// SPDX-License-Identifier: Apache-2.0
// The exact Gram matrix against the formula in long double, over random shapes, lengthscales and magnitudes.
#include "bochner/kernel_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bochner/registry.h"
#include "bochner/threads.h"
#include "core/stream.h"
#include "reference/kernels.h"
#include "support/scale.h"

namespace bochner {
namespace {

template <class T>
Matrix<T> random_rows(std::uint64_t seed, std::size_t n, std::size_t d, double size) {
  const Stream stream(seed, Purpose::iid_entries);
  Matrix<T> X(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t l = 0; l < d; ++l)
      X(i, l) = static_cast<T>(size * stream.normal(i, l) / std::sqrt(static_cast<double>(d)));
  return X;
}

/// One number for even seeds, else one per coordinate; between 1/2 and 2.
std::vector<double> random_lengthscale(std::uint64_t seed, std::size_t d) {
  const Stream stream(seed, Purpose::phases);
  std::vector<double> sigma(seed % 2 == 0 ? 1 : d);
  for (std::size_t l = 0; l < sigma.size(); ++l) sigma[l] = std::exp2(2 * stream.uniform(0, l) - 1);
  return sigma;
}

template <class T>
double scaled_norm2(std::span<const T> x, std::span<const double> sigma) {
  double sum = 0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const double u = static_cast<double>(x[l]) / reference::lengthscale_at(sigma, l);
    sum += u * u;
  }
  return sum;
}

/// The exponent sums 3 d products of size |x|^2 + |y|^2, each rounded in double; the result is then rounded to T.
template <class T>
void expect_formula(const Matrix<T>& K, const Matrix<T>& X, const Matrix<T>& Y, std::string_view kernel,
                    const std::vector<double>& sigma) {
  ASSERT_EQ(K.rows(), X.rows());
  ASSERT_EQ(K.cols(), Y.rows());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < Y.rows(); ++j) {
      const auto x = X.view().row(i), y = Y.view().row(j);
      const double exact = static_cast<double>(reference::kernel<T>(kernel, x, y, sigma));
      const double size = 1 + scaled_norm2<T>(x, sigma) + scaled_norm2<T>(y, sigma);
      const double relative =
          std::numeric_limits<T>::epsilon() + (3 * static_cast<double>(X.cols()) + 4) * 0x1p-53 * size;
      const double scale = kernel == "angular" ? 1 : exact;  // angles have an absolute error
      ASSERT_NEAR(K(i, j), exact, relative * scale + std::numeric_limits<T>::denorm_min())
          << kernel << " at " << i << ", " << j << ", d = " << X.cols();
    }
}

template <class T>
class KernelMatrix : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelMatrix, Numbers);

TYPED_TEST(KernelMatrix, IsTheFormula) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < test::scaled(60, 10); ++seed) {
    const Stream sizes(seed, Purpose::norms);
    const std::size_t d = 1 + static_cast<std::size_t>(40 * sizes.uniform(0, 0));
    const std::size_t n = static_cast<std::size_t>(90 * sizes.uniform(0, 1));
    const std::size_t other = static_cast<std::size_t>(30 * sizes.uniform(0, 2));
    const Matrix<T> X = random_rows<T>(2 * seed, n, d, 0.1 + 3 * sizes.uniform(0, 3));
    const Matrix<T> Y = random_rows<T>(2 * seed + 1, other, d, 1.0);
    const std::vector<double> sigma = random_lengthscale(seed, d);
    for (const Entry& kernel : kernels())
      expect_formula(kernel_matrix<T>(X.view(), Y.view(), kernel.name, sigma), X, Y, kernel.name, sigma);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(KernelMatrix, IsSymmetric) {
  using T = TypeParam;
  const Matrix<T> X = random_rows<T>(7, 130, 9, 1.5);
  const std::vector<double> sigma = {0.8};
  for (const Entry& kernel : kernels()) {
    const Matrix<T> K = kernel_matrix<T>(X.view(), X.view(), kernel.name, sigma);
    expect_formula(K, X, X, kernel.name, sigma);
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        ASSERT_NEAR(K(i, j), K(j, i), 8 * std::numeric_limits<T>::epsilon() * std::abs(K(i, j))) << kernel.name;
  }
}

TYPED_TEST(KernelMatrix, TakesNoRows) {
  using T = TypeParam;
  const Matrix<T> none(0, 4), some = random_rows<T>(1, 5, 4, 1.0);
  const std::vector<double> sigma = {1.0, 2.0, 3.0, 4.0};
  for (const Entry& kernel : kernels()) {
    EXPECT_EQ(kernel_matrix<T>(none.view(), some.view(), kernel.name, sigma).cols(), 5u);
    EXPECT_EQ(kernel_matrix<T>(some.view(), none.view(), kernel.name, sigma).rows(), 5u);
    EXPECT_EQ(kernel_matrix<T>(none.view(), none.view(), kernel.name, sigma).rows(), 0u);
  }
}

TYPED_TEST(KernelMatrix, ReadsViewsWithGaps) {
  using T = TypeParam;
  const Matrix<T> wide = random_rows<T>(3, 20, 9, 1.0);
  Matrix<T> narrow(20, 5);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t l = 0; l < 5; ++l) narrow(i, l) = wide(i, l + 2);
  const std::vector<double> sigma = {1.0};
  for (const Entry& kernel : kernels()) {
    const Matrix<T> a = kernel_matrix<T>(wide.view().col_range(2, 7), narrow.view(), kernel.name, sigma);
    const Matrix<T> b = kernel_matrix<T>(narrow.view(), narrow.view(), kernel.name, sigma);
    for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(a.data()[i], b.data()[i]);
  }
}

TYPED_TEST(KernelMatrix, DoesNotDependOnThreads) {
  using T = TypeParam;
  const Matrix<T> X = random_rows<T>(11, 300, 17, 1.0);
  const std::vector<double> sigma = {0.7};
  const int before = num_threads();
  for (const Entry& kernel : kernels()) {
    set_num_threads(1);
    const Matrix<T> one = kernel_matrix<T>(X.view(), X.view(), kernel.name, sigma);
    for (const int threads : {2, 3, 8}) {
      set_num_threads(threads);
      const Matrix<T> many = kernel_matrix<T>(X.view(), X.view(), kernel.name, sigma);
      for (std::size_t i = 0; i < 300 * 300; ++i) ASSERT_EQ(one.data()[i], many.data()[i]) << threads << " threads";
    }
  }
  set_num_threads(before);
}

/// Of nearly equal points |x|^2 + |y|^2 - 2 x.y may round below 0; the kernel must not exceed 1.
TEST(GaussianKernel, NeverExceedsOne) {
  Matrix<double> X = random_rows<double>(5, 200, 30, 50.0);
  for (std::size_t i = 1; i < 200; i += 2)
    for (std::size_t l = 0; l < 30; ++l) X(i, l) = X(i - 1, l) * (1 + 0x1p-52);
  const Matrix<double> K = kernel_matrix<double>(X.view(), X.view(), "gaussian", std::vector<double>{1.0});
  for (std::size_t i = 0; i < 200 * 200; ++i) ASSERT_LE(K.data()[i], 1.0);
}

TEST(SoftmaxKernel, IsTheGaussianTimesTheNorms) {
  const Matrix<double> X = random_rows<double>(6, 30, 6, 1.0);
  const std::vector<double> sigma = random_lengthscale(1, 6);
  const Matrix<double> G = kernel_matrix<double>(X.view(), X.view(), "rbf", sigma);
  const Matrix<double> S = kernel_matrix<double>(X.view(), X.view(), "Softmax", sigma);
  for (std::size_t i = 0; i < 30; ++i)
    for (std::size_t j = 0; j < 30; ++j) {
      const double norms = scaled_norm2<double>(X.view().row(i), sigma) + scaled_norm2<double>(X.view().row(j), sigma);
      EXPECT_NEAR(S(i, j), G(i, j) * std::exp(norms / 2), 1e-13 * S(i, j));
    }
}

TEST(MaternKernel, TakesItsSmoothness) {
  const Matrix<double> X = random_rows<double>(8, 12, 3, 1.0), Y = random_rows<double>(9, 10, 3, 1.0);
  const std::vector<double> sigma = random_lengthscale(1, 3);
  for (const double nu : {0.2, 0.5, 1.0, 2.5, 3.7, 20.0, 500.0}) {
    const Parameters parameters = {{"nu", nu}};
    const Matrix<double> K = kernel_matrix<double>(X.view(), Y.view(), "matern", sigma, parameters);
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < K.cols(); ++j) {
        const double exact = static_cast<double>(
            reference::kernel<double>("matern", X.view().row(i), Y.view().row(j), sigma, parameters));
        ASSERT_NEAR(K(i, j), exact, 2e-13 * exact) << nu;
      }
  }
}

TEST(MaternKernel, RefusesSmoothnessThatIsNone) {
  const Matrix<double> X = random_rows<double>(8, 2, 3, 1.0);
  const std::vector<double> sigma = {1.0};
  for (const Value& nu : {Value(0.0), Value(-1.0), Value(1e-10), Value(1e16), Value("smooth"),
                          Value(std::numeric_limits<double>::infinity()), Value(std::vector<double>{1.5, 2.5})})
    EXPECT_THROW(kernel_matrix<double>(X.view(), X.view(), "matern", sigma, {{"nu", nu}}), std::invalid_argument);
  EXPECT_THROW(kernel_matrix<double>(X.view(), X.view(), "laplace", sigma, {{"nu", 1.5}}), std::invalid_argument);
}

/// Differences are taken before they are squared: points far from 0 keep their distance, and no point is further than 0
/// from itself.
TEST(ShiftInvariantKernels, KeepTinyDistances) {
  const Matrix<double> X(1, 2, 1e6);
  Matrix<double> Y(1, 2, 1e6);
  Y(0, 0) += 0x1p-30;
  const std::vector<double> sigma = {1.0};
  const double z = 0x1p-30;
  const Parameters exponential = {{"nu", 0.5}};
  EXPECT_EQ(kernel_matrix<double>(X.view(), Y.view(), "laplace", sigma)(0, 0), std::exp(-z));
  EXPECT_EQ(kernel_matrix<double>(X.view(), Y.view(), "matern", sigma, exponential)(0, 0), std::exp(-z));
  for (const std::string_view name : {"laplace", "cauchy", "matern"})
    EXPECT_EQ(kernel_matrix<double>(X.view(), X.view(), name, sigma)(0, 0), 1.0) << name;
}

TEST(ShiftInvariantKernels, VanishFarAway) {
  const Matrix<double> X(1, 3, 1e140), Y(1, 3, -1e140);
  const std::vector<double> sigma = {1.0};
  for (const std::string_view name : {"gaussian", "laplace", "cauchy", "matern"})
    EXPECT_EQ(kernel_matrix<double>(X.view(), Y.view(), name, sigma)(0, 0), 0.0) << name;
}

}  // namespace
}  // namespace bochner

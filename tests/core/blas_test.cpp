// SPDX-License-Identifier: Apache-2.0
#include "core/blas.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "core/stream.h"

namespace bochner {
namespace {

/// A matrix inside a wider one whose padding must not be touched.
template <class T>
class Padded {
 public:
  Padded(std::size_t rows, std::size_t cols, std::size_t extra, std::uint64_t seed)
      : memory_(rows * (cols + extra) + extra, kPadding), view_(memory_.data(), rows, cols, cols + extra) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j)
        view_(i, j) = static_cast<T>(Stream(seed, Purpose::iid_entries).normal(i, j));
  }
  Padded(Padded&&) = default;  // a moved vector keeps its memory, so the view stays right

  MatrixView<T> view() { return view_; }
  MatrixView<const T> read() const { return view_; }
  bool padding_untouched() const {
    for (std::size_t at = 0; at < memory_.size(); ++at)
      if ((view_.stride() == 0 || at / view_.stride() >= view_.rows() || at % view_.stride() >= view_.cols()) &&
          memory_[at] != kPadding)
        return false;
    return true;
  }

 private:
  static constexpr T kPadding = T(12345);
  std::vector<T> memory_;
  MatrixView<T> view_;
};

template <class T>
class Blas : public ::testing::Test {
 public:
  /// Bound of the rounding of a sum of k products in any order: (k + 3) eps times the sum of absolute values.
  static double bound(std::size_t k, double absolute) { return (k + 3) * std::numeric_limits<T>::epsilon() * absolute; }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Blas, Scalars);

constexpr std::size_t kSizes[][3] = {{1, 1, 1}, {2, 3, 4}, {5, 1, 7}, {1, 9, 3},    {17, 33, 65},
                                     {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {64, 64, 64}, {100, 31, 7}};

/// A is rows x inner; B is as op wants it; C is rows x cols.
template <class T>
void check_gemm(bool transposed, std::size_t rows, std::size_t cols, std::size_t inner, std::size_t extra, T alpha,
                T beta) {
  Padded<T> A(rows, inner, extra, 1), B(transposed ? cols : inner, transposed ? inner : cols, extra + 1, 2);
  Padded<T> C(rows, cols, extra + 2, 3), before(rows, cols, 0, 3);
  if (transposed)
    blas::gemm_nt<T>(alpha, A.read(), B.read(), beta, C.view());
  else
    blas::gemm_nn<T>(alpha, A.read(), B.read(), beta, C.view());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      double sum = double(beta) * before.read()(i, j), absolute = std::fabs(sum);
      for (std::size_t l = 0; l < inner; ++l) {
        const double product = double(alpha) * A.read()(i, l) * (transposed ? B.read()(j, l) : B.read()(l, j));
        sum += product;
        absolute += std::fabs(product);
      }
      ASSERT_NEAR(C.read()(i, j), sum, Blas<T>::bound(inner, absolute))
          << rows << " " << cols << " " << inner << " " << extra;
    }
  EXPECT_TRUE(C.padding_untouched());
}

TYPED_TEST(Blas, GemmMatchesPlainLoops) {
  for (const auto& [rows, cols, inner] : kSizes)
    for (const std::size_t extra : {0, 3})
      for (const bool transposed : {true, false}) {
        check_gemm<TypeParam>(transposed, rows, cols, inner, extra, TypeParam(1), TypeParam(0));
        check_gemm<TypeParam>(transposed, rows, cols, inner, extra, TypeParam(-0.5), TypeParam(2));
      }
}

TYPED_TEST(Blas, GemmWithBetaZeroOverwritesNaN) {
  using T = TypeParam;
  for (const std::size_t inner : {0, 3}) {
    Padded<T> A(4, inner, 0, 1), B(5, inner, 0, 2), C(4, 5, 0, 3);
    for (std::size_t i = 0; i < 4; ++i) C.view()(i, i) = std::numeric_limits<T>::quiet_NaN();
    blas::gemm_nt<T>(T(1), A.read(), B.read(), T(0), C.view());
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 5; ++j) EXPECT_TRUE(std::isfinite(C.read()(i, j)));
  }
}

TYPED_TEST(Blas, SyrkAddsToTheLowerTriangleOnly) {
  using T = TypeParam;
  for (const auto& [rows, cols, unused] : kSizes)
    for (const std::size_t extra : {0, 2}) {
      Padded<T> A(rows, cols, extra, 1), C(cols, cols, extra + 1, 2), before(cols, cols, 0, 2);
      blas::syrk_add<T>(A.read(), C.view());
      for (std::size_t i = 0; i < cols; ++i)
        for (std::size_t j = 0; j < cols; ++j) {
          double sum = before.read()(i, j), absolute = std::fabs(sum);
          for (std::size_t l = 0; l < rows && j <= i; ++l) {
            sum += double(A.read()(l, i)) * A.read()(l, j);
            absolute += std::fabs(double(A.read()(l, i)) * A.read()(l, j));
          }
          ASSERT_NEAR(C.read()(i, j), sum, j > i ? 0.0 : this->bound(rows, absolute));
        }
      EXPECT_TRUE(C.padding_untouched());
    }
}

TYPED_TEST(Blas, GemvTransposedAdds) {
  using T = TypeParam;
  for (const auto& [rows, cols, unused] : kSizes)
    for (const std::size_t extra : {0, 2}) {
      Padded<T> A(rows, cols, extra, 1), x(1, rows, 0, 2), y(1, cols, 0, 3), before(1, cols, 0, 3);
      blas::gemv_transposed_add<T>(A.read(), x.read().row(0), y.view().row(0));
      for (std::size_t j = 0; j < cols; ++j) {
        double sum = before.read()(0, j), absolute = std::fabs(sum);
        for (std::size_t i = 0; i < rows; ++i) {
          sum += double(A.read()(i, j)) * x.read()(0, i);
          absolute += std::fabs(double(A.read()(i, j)) * x.read()(0, i));
        }
        ASSERT_NEAR(y.read()(0, j), sum, this->bound(rows, absolute));
      }
    }
}

/// G G' + n I, well conditioned.
Padded<double> positive_definite(std::size_t n, std::size_t extra) {
  Padded<double> A(n, n, extra, 5), G(n, n, 0, 6);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      A.view()(i, j) = i == j ? static_cast<double>(n) : 0.0;
      for (std::size_t l = 0; l < n; ++l) A.view()(i, j) += G.read()(i, l) * G.read()(j, l);
    }
  return A;
}

TEST(Cholesky, FactorTimesItsTransposeIsTheMatrix) {
  for (const std::size_t n : {0, 1, 2, 5, 33, 150})
    for (const std::size_t extra : {0, 4}) {
      Padded<double> A = positive_definite(n, extra), L = positive_definite(n, extra);
      ASSERT_EQ(blas::cholesky(L.view()), 0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          double sum = 0.0;
          for (std::size_t l = 0; l <= j; ++l) sum += L.read()(i, l) * L.read()(j, l);
          // |A - L L'| <= (n + 1) eps |L||L'| (Higham, Theorem 10.3), and |L||L'| <= sqrt(a_ii a_jj)
          ASSERT_NEAR(sum, A.read()(i, j), 2 * (n + 2) * 0x1p-52 * std::sqrt(A.read()(i, i) * A.read()(j, j)));
        }
        for (std::size_t j = i + 1; j < n; ++j) ASSERT_EQ(L.read()(i, j), A.read()(i, j)) << "upper triangle touched";
      }
      EXPECT_TRUE(L.padding_untouched());
    }
}

TEST(Cholesky, SolveHasASmallResidual) {
  for (const std::size_t n : {0, 1, 2, 33, 150})
    for (const std::size_t extra : {0, 4}) {
      Padded<double> A = positive_definite(n, extra), L = positive_definite(n, extra), b(1, n, 0, 9), x(1, n, 0, 9);
      ASSERT_EQ(blas::cholesky(L.view()), 0);
      blas::cholesky_solve(L.read(), x.view().row(0));
      for (std::size_t i = 0; i < n; ++i) {
        double residual = -b.read()(0, i), absolute = std::fabs(residual);
        for (std::size_t j = 0; j < n; ++j) {
          residual += A.read()(i, j) * x.read()(0, j);
          absolute += std::sqrt(A.read()(i, i) * A.read()(j, j)) * std::fabs(x.read()(0, j));
        }
        EXPECT_LE(std::fabs(residual), 4 * (n + 2) * 0x1p-52 * absolute);  // Higham, Theorem 10.4
      }
    }
}

TEST(Cholesky, TellsWhichPivotFailed) {
  for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()})
    for (const std::size_t at : {0, 3, 99}) {
      Padded<double> A(100, 100, 1, 1);
      for (std::size_t i = 0; i < 100; ++i)
        for (std::size_t j = 0; j < 100; ++j) A.view()(i, j) = i == j ? (i == at ? bad : 1.0) : 0.0;
      EXPECT_EQ(blas::cholesky(A.view()), static_cast<int>(at) + 1) << bad;
    }
}

TEST(BlasLibrary, SaysWhatItIs) {
  const std::string configuration = blas::configuration();
  EXPECT_NE(configuration.find("OpenBLAS"), std::string::npos);
  EXPECT_EQ(blas::serialised(), configuration.find("SINGLE_THREADED") != std::string::npos);
}

TEST(BlasLibrary, RefusesSizesBeyondItsIntegers) {
  float number = 0;
  const MatrixView<const float> huge(&number, 1, std::size_t{1} << 31);
  EXPECT_THROW(blas::gemm_nt<float>(1, huge, huge, 0, MatrixView<float>(&number, 1, 1)), std::invalid_argument);
}

// Debian's serial OpenBLAS got about 1 in 1,400 of such products wrong when called without a lock: callers wrote into
// each other's packed copies, which shows only where their matrices differ.
TEST(BlasLibrary, ThreadsGetTheSameBitsAsASerialCaller) {
  const std::size_t n = 160, callers = 4;
  std::vector<Padded<float>> A, B, expected;
  for (std::size_t caller = 0; caller < callers; ++caller) {
    A.emplace_back(n, n, 0, 10 + caller);
    B.emplace_back(n, n, 0, 20 + caller);
    expected.emplace_back(n, n, 0, 30);
    blas::gemm_nt<float>(1, A[caller].read(), B[caller].read(), 0, expected[caller].view());
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t caller = 0; caller < callers; ++caller)
    threads.emplace_back([&, caller] {
      Padded<float> C(n, n, 0, 40);
      for (int repeat = 0; repeat < 1500; ++repeat) {
        blas::gemm_nt<float>(1, A[caller].read(), B[caller].read(), 0, C.view());
        wrong += std::memcmp(C.view().data(), expected[caller].view().data(), n * n * sizeof(float)) != 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace bochner

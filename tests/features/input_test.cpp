// SPDX-License-Identifier: Apache-2.0
// transform() and the rows it is given: shapes, numbers that are not finite or too large, and where they are found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/threads.h"

namespace bochner {
namespace {

template <class T>
std::string refusal(const Features& features, MatrixView<const T> X, MatrixView<T> Z) {
  try {
    features.transform(X, Z);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

template <class T>
std::string refusal(const Features& features, const Matrix<T>& X) {
  Matrix<T> Z(X.rows(), features.outputs());
  return refusal<T>(features, X.view(), Z.view());
}

/// Restores the number of threads at the end of a test.
struct Threads {
  explicit Threads(int count) : before(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before); }
  int before;
};

template <class T>
class Input : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Input, Numbers);

TYPED_TEST(Input, ShapesThatDoNotFitAreRefused) {
  using T = TypeParam;
  const auto features = make_features({.d = 3, .m = 4});
  Matrix<T> X(5, 3, T(0)), narrow(5, 2, T(0)), wide(5, 4, T(0)), Z(5, 8), short_Z(4, 8), thin_Z(5, 7), fat_Z(5, 9),
      none(0, 2), no_Z(0, 8);
  EXPECT_EQ(refusal<T>(*features, narrow.view(), Z.view()), "X is 5 x 2; expected n x 3 (d)");
  EXPECT_EQ(refusal<T>(*features, wide.view(), Z.view()), "X is 5 x 4; expected n x 3 (d)");
  EXPECT_EQ(refusal<T>(*features, none.view(), no_Z.view()), "X is 0 x 2; expected n x 3 (d)");
  EXPECT_EQ(refusal<T>(*features, X.view(), short_Z.view()), "Z is 4 x 8; expected 5 x 8 (outputs)");
  EXPECT_EQ(refusal<T>(*features, X.view(), thin_Z.view()), "Z is 5 x 7; expected 5 x 8 (outputs)");
  EXPECT_EQ(refusal<T>(*features, X.view(), fat_Z.view()), "Z is 5 x 9; expected 5 x 8 (outputs)");
  EXPECT_EQ(refusal<T>(*features, X.view(), Z.view()), "");
}

/// Every column of lanes and tails, first and last rows, rows in later blocks of work.
TYPED_TEST(Input, NumbersThatAreNotFiniteAreFound) {
  using T = TypeParam;
  constexpr T kInf = std::numeric_limits<T>::infinity();
  for (const std::size_t d : {1, 7, 19, 70}) {
    const auto features = make_features({.d = d, .map = "positive", .m = 5});
    Matrix<T> X(700, d, T(0.25));
    for (const std::size_t row : {0, 1, 23, 24, 191, 192, 500, 699})
      for (const std::size_t column : {std::size_t{0}, d / 2, d - 1})
        for (const T bad : {std::numeric_limits<T>::quiet_NaN(), kInf, -kInf}) {
          X(row, column) = bad;
          EXPECT_EQ(refusal(*features, X),
                    fmt::format("X has {} at row {}, column {}; expected a finite number", bad, row, column));
          X(row, column) = T(0.25);
        }
    EXPECT_EQ(refusal(*features, X), "");
  }
}

TYPED_TEST(Input, TheLowestBadRowIsReportedByAnyNumberOfThreads) {
  using T = TypeParam;
  const auto features = make_features({.d = 9, .m = 300});
  Matrix<T> X(3000, 9, T(1));
  for (const std::size_t row : {1203, 1204, 1999, 2500, 2999}) X(row, 8) = std::numeric_limits<T>::quiet_NaN();
  X(1203, 4) = std::numeric_limits<T>::infinity();
  for (int count = 1; count <= 8; ++count) {
    const Threads threads(count);
    for (int again = 0; again < 5; ++again)
      EXPECT_EQ(refusal(*features, X), "X has inf at row 1203, column 4; expected a finite number") << count;
  }
}

/// In a view with gaps rows are counted in the view, and what lies in the gaps does not matter.
TYPED_TEST(Input, GapsOfAViewAreNotLookedAt) {
  using T = TypeParam;
  const auto features = make_features({.d = 3, .m = 2});
  Matrix<T> wide(6, 5, std::numeric_limits<T>::quiet_NaN()), Z(4, 4);
  for (std::size_t i = 1; i < 5; ++i)
    for (std::size_t l = 1; l < 4; ++l) wide(i, l) = T(1);
  const MatrixView<const T> inside = MatrixView<const T>(wide.view()).row_range(1, 5).col_range(1, 4);
  EXPECT_EQ(refusal<T>(*features, inside, Z.view()), "");
  wide(4, 3) = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(refusal<T>(*features, inside, Z.view()), "X has nan at row 3, column 2; expected a finite number");
}

TYPED_TEST(Input, NumbersThatWouldOverflowAreRefused) {
  using T = TypeParam;
  const T large = std::is_same_v<T, float> ? T(2e18) : T(2e150);
  const auto features = make_features({.d = 4, .m = 3, .lengthscale = {1, 1, 1, 4}});
  Matrix<T> X(2, 4, T(1));
  X(1, 3) = 4 * large;
  const std::string sentence = refusal(*features, X);
  EXPECT_NE(sentence.find("at row 1, column 3; expected |x| <="), std::string::npos) << sentence;
  EXPECT_NE(sentence.find(std::is_same_v<T, float> ? "float32" : "float64"), std::string::npos) << sentence;
  X(1, 3) = large;
  EXPECT_EQ(refusal(*features, X), "");
}

/// Whatever is accepted gives finite features that stay within their bound, however large the rows are.
TYPED_TEST(Input, LargeRowsGiveBoundedFeatures) {
  using T = TypeParam;
  const double top = std::is_same_v<T, float> ? 18 : 150;
  for (const char* map : {"trigonometric", "cosine"})
    for (double power = 0; power <= top; power += 6) {
      const auto features = make_features({.d = 5, .map = map, .m = 40});
      const Matrix<T> X(3, 5, static_cast<T>(std::pow(10.0, power) * 0.99));
      Matrix<T> Z(3, features->outputs());
      features->transform(X.view(), Z.view());
      for (std::size_t i = 0; i < 3 * Z.cols(); ++i)
        ASSERT_LE(std::abs(Z.data()[i]), std::sqrt(2 / 40.0) * 1.0001) << power;
    }
}

TYPED_TEST(Input, SoftmaxRowsThatAreTooLongAreRefused) {
  using T = TypeParam;
  const double longest = std::sqrt(2 * std::log(static_cast<double>(std::numeric_limits<T>::max())));
  for (const char* map : {"trigonometric", "cosine"}) {
    const auto features = make_features({.d = 2, .kernel = "softmax", .map = map, .m = 3, .lengthscale = {2.0}});
    Matrix<T> X(400, 2, T(0.1));
    X(301, 1) = static_cast<T>(2 * longest * 1.01);
    const std::string sentence = refusal(*features, X);
    EXPECT_NE(sentence.find("too long"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("row 301"), std::string::npos) << sentence;
    X(301, 1) = static_cast<T>(2 * longest * 0.99);
    EXPECT_EQ(refusal(*features, X), "");
  }
}

/// exp(w.x - |x|^2) of a long row is 0 to rounding, never NaN.
TYPED_TEST(Input, PositiveFeaturesOfLongRowsVanish) {
  using T = TypeParam;
  for (const char* map : {"positive", "positive_paired"})
    for (const char* kernel : {"gaussian", "softmax"}) {
      const auto features = make_features({.d = 3, .kernel = kernel, .map = map, .m = 10});
      for (const double size : {1e3, 1e6, 1e17}) {
        const Matrix<T> X(2, 3, static_cast<T>(size));
        Matrix<T> Z(2, features->outputs());
        features->transform(X.view(), Z.view());
        for (std::size_t i = 0; i < 2 * Z.cols(); ++i) ASSERT_EQ(Z.data()[i], T(0)) << map << ' ' << size;
      }
    }
}

TEST(Rows, AreMappedAfterARefusalAsBefore) {
  const auto features = make_features({.d = 3, .m = 4});
  Matrix<double> X(9, 3, 0.5), before(9, 8), after(9, 8);
  features->transform(X.view(), before.view());
  X(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(*features, X), "");
  X(4, 1) = 0.5;
  features->transform(X.view(), after.view());
  for (std::size_t i = 0; i < 72; ++i) EXPECT_EQ(before.data()[i], after.data()[i]);
}

}  // namespace
}  // namespace bochner

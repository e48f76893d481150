// SPDX-License-Identifier: Apache-2.0
// The error bounds promised in simd/finish.h, against long double, on dense and on awkward arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/stream.h"
#include "simd/polar.h"
#include "simd/project.h"

namespace bochner::simd {
namespace {

template <class T>
class Elementary : public testing::Test {
 public:
  static constexpr long double u = std::numeric_limits<T>::epsilon() / 2.0L;

  /// Uniform in log|p| over [1e-6, largest], both signs, and neighbours of multiples of pi/4.
  static std::vector<T> arguments(double largest) {
    const Stream stream(11, Purpose::iid_entries);
    std::vector<T> p;
    for (std::uint64_t i = 0; i < 40001; ++i) {
      const double magnitude = 1e-6 * std::pow(largest * 1e6, stream.uniform(0, i));
      p.push_back(static_cast<T>(stream.rademacher(1, i) * magnitude));
    }
    for (int k = -2000; k <= 2000; ++k) {
      const T at = static_cast<T>(k * std::numbers::pi_v<long double> / 4);
      p.insert(p.end(), {at, std::nextafter(at, T(-1e9)), std::nextafter(at, T(1e9))});
    }
    return p;
  }

  static std::vector<T> run(const std::vector<T>& p, const Finish<T>& finish) {
    std::vector<T> z(p.size() * width(finish.shape));
    finish_rows<T>({p.data(), 1, p.size()}, finish, {z.data(), 1, z.size()});
    return z;
  }
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Elementary, Precisions);

TYPED_TEST(Elementary, SineAndCosineStayWithinTheirBound) {
  using T = TypeParam;
  const std::vector<T> p = this->arguments(1e5);
  const long double s = 0.75L;
  const std::vector<T> z = this->run(p, {.shape = Shape::sincos, .scale = T(s)});
  const std::vector<T> c = this->run(p, {.shape = Shape::cosine, .scale = T(s)});
  for (std::size_t i = 0; i < p.size(); ++i) {
    const long double bound = (12 + 3 * std::abs(static_cast<long double>(p[i]))) * this->u * s;
    ASSERT_NEAR(z[i], s * std::sin(static_cast<long double>(p[i])), bound) << "sin " << p[i];
    ASSERT_NEAR(z[p.size() + i], s * std::cos(static_cast<long double>(p[i])), bound) << "cos " << p[i];
    ASSERT_NEAR(c[i], s * std::cos(static_cast<long double>(p[i])), bound) << "cosine " << p[i];
  }
}

TYPED_TEST(Elementary, SineKeepsItsRelativeErrorNearZero) {
  using T = TypeParam;
  std::vector<T> p;
  for (T x = T(1e-30); x < T(1); x *= T(1.37)) p.push_back(x);
  const std::vector<T> z = this->run(p, {.shape = Shape::sincos});
  for (std::size_t i = 0; i < p.size(); ++i) {
    const long double exact = std::sin(static_cast<long double>(p[i]));
    ASSERT_NEAR(z[i], exact, 8 * this->u * exact) << p[i];
  }
}

TYPED_TEST(Elementary, TrigonometricFunctionsAreBoundedForEveryFiniteArgument) {
  using T = TypeParam;
  std::vector<T> p;
  for (T x = T(1); std::isfinite(x); x *= T(1.9)) p.insert(p.end(), {x, -x});
  p.insert(p.end(), {std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()});
  for (const T z : this->run(p, {.shape = Shape::sincos})) ASSERT_LE(std::abs(z), 1 + 12 * static_cast<T>(this->u));
  for (const T z : this->run(p, {.shape = Shape::cosine})) ASSERT_LE(std::abs(z), 1 + 12 * static_cast<T>(this->u));
}

TYPED_TEST(Elementary, CosineAddsThePhaseInTurns) {
  using T = TypeParam;
  const std::vector<T> p = this->arguments(50);
  std::vector<T> phase;
  for (std::size_t j = 0; j < p.size(); ++j) phase.push_back(static_cast<T>(Stream(5, Purpose::phases).uniform(0, j)));
  const std::vector<T> z = this->run(p, {.shape = Shape::cosine, .scale = T(2), .column_offset = phase.data()});
  for (std::size_t j = 0; j < p.size(); ++j) {
    const long double angle = p[j] + 2 * std::numbers::pi_v<long double> * phase[j];
    ASSERT_NEAR(z[j], 2 * std::cos(angle), 2 * (12 + 3 * std::abs(angle)) * this->u);
  }
}

TYPED_TEST(Elementary, ExponentialStaysWithinItsBound) {
  using T = TypeParam;
  const double largest = std::is_same_v<T, float> ? 87 : 707;
  std::vector<T> p;
  for (int i = -30000; i <= 30000; ++i) p.push_back(static_cast<T>(largest * i / 30000));
  const std::vector<T> plain = this->run(p, {.shape = Shape::exp, .scale = T(0.5)});
  const T offset = T(-0.375);
  const std::vector<T> pair = this->run(p, {.shape = Shape::exp_pair, .row_offset = &offset});
  const auto check = [&](T value, long double at, long double a, long double s) {
    const long double exact = s * std::exp(at + a);
    ASSERT_NEAR(value, exact, (4 + 3 * (std::abs(at) + std::abs(a))) * this->u * exact) << static_cast<double>(at);
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    check(plain[i], p[i], 0, 0.5L);
    if (std::abs(p[i]) + 0.375 > largest) continue;
    check(pair[i], p[i], offset, 1);
    check(pair[p.size() + i], -p[i], offset, 1);
  }
}

TYPED_TEST(Elementary, ExponentialEndsInZeroAndInfinity) {
  using T = TypeParam;
  const T top = std::log(std::numeric_limits<T>::max());
  const T bottom = std::log(std::numeric_limits<T>::min());
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> p = {bottom - 1, T(-1e30), -infinity, top + 1, T(1e30), infinity, T(0), top - T(0.01)};
  const std::vector<T> z = this->run(p, {.shape = Shape::exp});
  EXPECT_EQ(z[0], 0);
  EXPECT_EQ(z[1], 0);
  EXPECT_EQ(z[2], 0);
  EXPECT_EQ(z[3], infinity);
  EXPECT_EQ(z[4], infinity);
  EXPECT_EQ(z[5], infinity);
  EXPECT_EQ(z[6], 1);
  EXPECT_TRUE(std::isfinite(z[7]));
}

/// cos first: the real part of exp(i p) before the imaginary one.
TYPED_TEST(Elementary, WeightedPhasesStayWithinTheirBound) {
  using T = TypeParam;
  const std::vector<T> p = this->arguments(1e4);
  std::vector<T> weight;
  for (std::size_t j = 0; j < p.size(); ++j) weight.push_back(static_cast<T>(0.1 + static_cast<double>(j % 7)));
  const std::vector<T> z =
      this->run(p, {.shape = Shape::cis, .scale = T(0.75), .slope = T(0.5), .column_scale = weight.data()});
  for (std::size_t j = 0; j < p.size(); ++j) {
    const long double angle = p[j] / 2.0L, size = 0.75L * weight[j];
    const long double bound = (12 + 3 * std::abs(angle)) * this->u * size;
    ASSERT_NEAR(z[j], size * std::cos(angle), bound) << p[j];
    ASSERT_NEAR(z[p.size() + j], size * std::sin(angle), bound) << p[j];
  }
}

TYPED_TEST(Elementary, ComplexExponentialStaysWithinItsBound) {
  using T = TypeParam;
  std::vector<T> p = this->arguments(60);
  std::erase_if(p, [](T number) { return std::abs(number) > 60; });
  const T slope = T(0.625), phase_slope = T(-1.75), offset = T(-2.5), scale = T(0.75);
  std::vector<T> b, phase;
  for (std::size_t j = 0; j < p.size(); ++j) {
    b.push_back(static_cast<T>(Stream(5, Purpose::phases).uniform(1, j)));
    phase.push_back(static_cast<T>(Stream(5, Purpose::phases).uniform(0, j) - 0.5));
  }
  const std::vector<T> z = this->run(p, {.shape = Shape::complex_exp,
                                         .scale = scale,
                                         .slope = slope,
                                         .row_offset = &offset,
                                         .column_offset = b.data(),
                                         .phase_slope = phase_slope,
                                         .column_phase = phase.data()});
  for (std::size_t j = 0; j < p.size(); ++j) {
    const long double along = static_cast<long double>(slope) * p[j], shift = static_cast<long double>(offset) + b[j];
    const long double angle =
        static_cast<long double>(phase_slope) * p[j] + 2 * std::numbers::pi_v<long double> * phase[j];
    const long double size = scale * std::exp(along + shift);
    const long double bound = (16 + 3 * (std::abs(along) + std::abs(shift)) + 3 * std::abs(angle)) * this->u * size;
    ASSERT_NEAR(z[j], size * std::cos(angle), bound) << p[j];
    ASSERT_NEAR(z[p.size() + j], size * std::sin(angle), bound) << p[j];
  }
}

TYPED_TEST(Elementary, ComplexExponentialIsBoundedByItsSizeForEveryFinitePhase) {
  using T = TypeParam;
  std::vector<T> p;
  for (T x = T(1); std::isfinite(x); x *= T(1.9)) p.insert(p.end(), {x, -x});
  for (const T z : this->run(p, {.shape = Shape::complex_exp, .slope = T(0), .phase_slope = T(1)}))
    ASSERT_LE(std::abs(z), 1 + 16 * static_cast<T>(this->u));
}

TYPED_TEST(Elementary, PolarFormStaysWithinItsBound) {
  using T = TypeParam;
  const std::vector<T> c = this->arguments(1e4);
  std::vector<T> re, im = c;
  for (std::size_t j = 0; j < c.size(); ++j)
    re.push_back(static_cast<T>(std::fmod(0.37 * static_cast<double>(j), 120) - 80));
  const std::vector<T> a = re;
  polar<T>(T(0.5), re, im);
  for (std::size_t j = 0; j < c.size(); ++j) {
    const long double angle = c[j], size = 0.5L * std::exp(static_cast<long double>(a[j]));
    const long double bound =
        (16 + 3 * std::abs(static_cast<long double>(a[j])) + 3 * std::abs(angle)) * this->u * size;
    ASSERT_NEAR(re[j], size * std::cos(angle), bound) << a[j] << " " << c[j];
    ASSERT_NEAR(im[j], size * std::sin(angle), bound) << a[j] << " " << c[j];
  }
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<T> few_re(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(count)),
        few_im(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(count));
    polar<T>(T(0.5), few_re, few_im);
    for (std::size_t j = 0; j < count; ++j) ASSERT_TRUE(few_re[j] == re[j] && few_im[j] == im[j]) << count;
  }
}

TYPED_TEST(Elementary, SignOfZeroIsPlus) {
  using T = TypeParam;
  const std::vector<T> p = {T(0), T(-0.0), T(1e-30), T(-1e-30), T(3), T(-3), T(0)};
  const std::vector<T> expected = {T(2), T(2), T(2), T(-2), T(2), T(-2), T(2)};
  EXPECT_EQ(this->run(p, {.shape = Shape::sign, .scale = T(2)}), expected);
}

TYPED_TEST(Elementary, AnElementDoesNotDependOnItsNeighbours) {
  using T = TypeParam;
  const std::vector<T> p = this->arguments(40);
  for (const Shape shape : {Shape::linear, Shape::cosine, Shape::sincos, Shape::exp, Shape::exp_pair, Shape::sign,
                            Shape::cis, Shape::complex_exp}) {
    const std::vector<T> all = this->run(p, {.shape = shape, .scale = T(0.3)});
    for (std::size_t count = 1; count < 40; ++count) {
      const std::vector<T> few = this->run({p.begin() + 17, p.begin() + 17 + static_cast<std::ptrdiff_t>(count)},
                                           {.shape = shape, .scale = T(0.3)});
      for (std::size_t j = 0; j < count; ++j) ASSERT_EQ(few[j], all[17 + j]) << static_cast<int>(shape) << " " << count;
    }
  }
}

}  // namespace
}  // namespace bochner::simd

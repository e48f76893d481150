// SPDX-License-Identifier: Apache-2.0
#include "simd/panels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "bochner/matrix.h"
#include "core/stream.h"
#include "simd/fourier.h"

namespace bochner::simd {
namespace {

double noise(std::uint64_t row, std::uint64_t column) { return Stream(5, Purpose::iid_entries).normal(row, column); }

template <class T>
Matrix<T> normal_rows(std::size_t n, std::size_t d) {
  Matrix<T> X(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) X(i, j) = static_cast<T>(noise(i, j));
  return X;
}

template <class T>
std::vector<T> numbers(std::uint64_t row, std::size_t count) {
  std::vector<T> out(count);
  for (std::size_t j = 0; j < count; ++j) out[j] = static_cast<T>(noise(row, j));
  return out;
}

template <class T>
class Panels : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Panels, Precisions);

TYPED_TEST(Panels, PackedRowsComeBack) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}, kPanel<TypeParam>}) {
    const Matrix<TypeParam> X = normal_rows<TypeParam>(n, 37);
    Matrix<TypeParam> panel(37, kPanel<TypeParam>, TypeParam(9)), back(n, 37);
    pack_panel<TypeParam>(X.view(), panel.data());
    const std::vector<TypeParam> two = {2}, factors = numbers<TypeParam>(9, 37);
    unpack_panel<TypeParam>(panel.data(), two, back.view());
    for (std::size_t i = 0; i < n * 37; ++i) ASSERT_EQ(back.data()[i], 2 * X.data()[i]);
    unpack_panel<TypeParam>(panel.data(), factors, back.view());
    for (std::size_t i = 0; i < n * 37; ++i) ASSERT_EQ(back.data()[i], factors[i % 37] * X.data()[i]);
    for (std::size_t r = n; r < kPanel<TypeParam>; ++r) ASSERT_EQ(panel(5, r), TypeParam(0));
  }
}

/// The layers one rotation at a time, in double.
std::vector<double> rotated(const std::vector<double>& turns, std::vector<double> x) {
  const std::size_t size = x.size();
  std::size_t next = 0;
  const auto rotate = [&](std::size_t a, std::size_t b) {
    const double c = turns[next], s = turns[next + 1], turned = c * x[a] - s * x[b];
    x[b] = s * x[a] + c * x[b];
    x[a] = turned;
    next += 2;
  };
  std::size_t step = 1;
  if (std::countr_zero(size) % 2 == 1) {
    for (std::size_t j = 0; j < size; j += 2) rotate(j, j + 1);
    step = 2;
  }
  for (; step < size; step *= 4)
    for (std::size_t first = 0; first < size; first += 4 * step)
      for (std::size_t j = first; j < first + step; ++j) {
        rotate(j, j + step);
        rotate(j + 2 * step, j + 3 * step);
        rotate(j, j + 2 * step);
        rotate(j + step, j + 3 * step);
      }
  EXPECT_EQ(next, turns.size());
  return x;
}

TYPED_TEST(Panels, RotationsOfEverySize) {
  for (std::size_t size = 1; size <= 4096; size *= 2) {
    std::vector<double> turns;
    for (std::size_t k = 0; k < size / 2 * static_cast<std::size_t>(std::countr_zero(size)); ++k) {
      turns.push_back(static_cast<TypeParam>(std::cos(noise(1, k))));
      turns.push_back(static_cast<TypeParam>(std::sin(noise(1, k))));
    }
    const std::vector<TypeParam> rounded(turns.begin(), turns.end());
    Matrix<TypeParam> X = normal_rows<TypeParam>(kPanel<TypeParam>, size), panel(size, kPanel<TypeParam>);
    pack_panel<TypeParam>(X.view(), panel.data());
    rotate_lines<TypeParam>(rounded, size, panel.data());
    for (const std::size_t r : {std::size_t{0}, kPanel<TypeParam> - 1}) {
      const std::vector<double> expected = rotated(turns, {X.view().row(r).begin(), X.view().row(r).end()});
      const double bound = 40 * std::numeric_limits<TypeParam>::epsilon();
      for (std::size_t j = 0; j < size; ++j) ASSERT_NEAR(panel(j, r), expected[j], bound) << size << " " << j;
    }
  }
}

/// sum_j taps[size - 1 + i - j] x_j.
template <class T>
double toeplitz(const std::vector<T>& taps, std::span<const T> x, std::size_t i) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += double(taps[x.size() - 1 + i - j]) * double(x[j]);
  return sum;
}

TYPED_TEST(Panels, ToeplitzProductsDirectlyAndByTransform) {
  using T = TypeParam;
  for (const std::size_t size : {1, 2, 3, 4, 5, 8, 13, 16, 31, 64, 100, 129, 512, 700, 1024, 3000}) {
    const std::vector<T> taps = numbers<T>(3, 2 * size - 1);
    const Matrix<T> X = normal_rows<T>(kPanel<T>, size);
    Matrix<T> in(size, kPanel<T>), direct(size, kPanel<T>), fast(size, kPanel<T>);
    pack_panel<T>(X.view(), in.data());
    toeplitz_lines<T>(taps, size, in.data(), size, direct.data());
    const LineFourier<T> fourier(std::bit_ceil(size));
    Matrix<T> scratch(2 * fourier.size(), kPanel<T>);
    const std::vector<double> spectrum = line_spectrum(std::vector<double>(taps.begin(), taps.end()), fourier.size());
    const std::vector<T> rounded(spectrum.begin(), spectrum.end());
    fourier.multiply({rounded, in.data(), size, fast.data(), size - 1, size, scratch.data()});
    // Lines are of the size of sqrt(size); errors of both are far below 8 times their rounding.
    const double bound = 8 * std::sqrt(static_cast<double>(size)) * std::numeric_limits<T>::epsilon() *
                         (1 + std::log2(static_cast<double>(size)));
    for (std::size_t i = 0; i < size; ++i)
      for (const std::size_t r : {std::size_t{0}, kPanel<T> - 1}) {
        const double expected = toeplitz<T>(taps, X.view().row(r), i);
        ASSERT_NEAR(direct(i, r), expected, bound) << size << " " << i;
        ASSERT_NEAR(fast(i, r), expected, bound) << size << " " << i;
      }
  }
}

TYPED_TEST(Panels, TheFirstRowsOfAProductAreThoseOfAll) {
  using T = TypeParam;
  const std::vector<T> taps = numbers<T>(3, 2 * 21 - 1);
  const Matrix<T> X = normal_rows<T>(kPanel<T>, 21);
  Matrix<T> in(21, kPanel<T>), all(21, kPanel<T>), some(21, kPanel<T>);
  pack_panel<T>(X.view(), in.data());
  toeplitz_lines<T>(taps, 21, in.data(), 21, all.data());
  for (std::size_t rows = 1; rows < 21; ++rows) {
    toeplitz_lines<T>(taps, 21, in.data(), rows, some.data());
    for (std::size_t k = 0; k < rows * kPanel<T>; ++k) ASSERT_EQ(some.data()[k], all.data()[k]);
  }
}

}  // namespace
}  // namespace bochner::simd

// SPDX-License-Identifier: Apache-2.0
#include "core/complex_inverse.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace bochner {
namespace {

using Complex = std::complex<double>;

double largest_row_sum(std::span<const Complex> A, std::size_t d) {
  double largest = 0;
  for (std::size_t i = 0; i < d; ++i) {
    double sum = 0;
    for (const Complex& entry : A.subspan(i * d, d)) sum += std::abs(entry);
    largest = std::max(largest, sum);
  }
  return largest;
}

/// row -= factor other, without the checks for infinities that std::complex makes.
void subtract(Complex factor, const Complex* other, Complex* row, std::size_t d) {
  const double re = factor.real(), im = factor.imag();
  for (std::size_t j = 0; j < d; ++j)
    row[j] -= Complex(re * other[j].real() - im * other[j].imag(), re * other[j].imag() + im * other[j].real());
}

}  // namespace

ComplexInverse complex_inverse(std::span<const Complex> A, std::size_t d) {
  const ComplexInverse singular{{}, std::numeric_limits<double>::infinity()};
  std::vector<Complex> left(A.begin(), A.end()), right(d * d);
  for (std::size_t i = 0; i < d; ++i) right[i * d + i] = 1;
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < d; ++i)
      if (std::abs(left[i * d + k]) > std::abs(left[pivot * d + k])) pivot = i;
    if (left[pivot * d + k] == 0.0) return singular;
    for (std::size_t j = 0; pivot != k && j < d; ++j) {
      std::swap(left[k * d + j], left[pivot * d + j]);
      std::swap(right[k * d + j], right[pivot * d + j]);
    }
    for (std::size_t i = k + 1; i < d; ++i) {
      const Complex factor = left[i * d + k] / left[k * d + k];
      subtract(factor, &left[k * d], &left[i * d], d);
      subtract(factor, &right[k * d], &right[i * d], d);
    }
  }
  for (std::size_t k = d; k-- > 0;) {
    const Complex pivot = left[k * d + k];
    for (std::size_t j = 0; j < d; ++j) right[k * d + j] /= pivot;
    for (std::size_t i = 0; i < k; ++i) subtract(left[i * d + k], &right[k * d], &right[i * d], d);
  }
  const double condition = largest_row_sum(A, d) * largest_row_sum(right, d);
  if (!std::isfinite(condition)) return singular;
  return {std::move(right), condition};
}

}  // namespace bochner

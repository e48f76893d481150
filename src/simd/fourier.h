// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "simd/panels.h"

namespace bochner::simd {

/// One product of a real sequence with the lines of a panel.
template <class T>
struct LineProduct {
  std::span<const T> spectrum;  ///< line_spectrum of the sequence
  const T* in;
  std::size_t lines;  ///< of `in`, at most the size of the transform
  T* out;
  std::size_t first, rows;  ///< the wanted lines of the product, first + rows <= 2 size
  T* scratch;               ///< a panel of 2 size lines
};

/// Products of real sequences, one per row of a panel, by the fast Fourier transform.
///
/// R[x] / (x^2M + 1) = C[x] / (x^M - i): a real sequence a of length 2M is the complex sequence a_j + i a_{j+M} of
/// length M, and x = w y with w = exp(i pi / 2M) turns a product mod x^M - i into a cyclic product mod y^M - 1. So two
/// transforms of length M multiply real sequences of joint length up to 2M; the lines of a longer product beyond 2M
/// wrap to the beginning with the opposite sign.
/// Radix 4, decimated in frequency in the forward transform and in time in the inverse, so nothing is ever reordered.
/// About 10 log2(M) + 20 flops per line and row; error of a line about log2(M) u times the norm of the product /
/// sqrt(M).
template <class T>
class LineFourier {
 public:
  /// M = size, a power of two >= 1.
  explicit LineFourier(std::size_t size);

  std::size_t size() const { return size_; }
  void multiply(const LineProduct<T>& product) const;

  std::span<const T> twiddles() const { return twiddles_; }
  std::span<const T> weights() const { return weights_; }

 private:
  std::size_t size_;
  std::vector<T> twiddles_;  ///< of every forward pass, in order of use: w, w^2, w^3 for each j, as (re, im)
  std::vector<T> weights_;   ///< exp(i pi j / 2M) as (re, im)
};

/// The transform of a real sequence (at most 2 size numbers) in the order of LineFourier, divided by its size: 2 size
/// numbers, real parts first.
std::vector<double> line_spectrum(std::span<const double> sequence, std::size_t size);

extern template class LineFourier<float>;
extern template class LineFourier<double>;

}  // namespace bochner::simd

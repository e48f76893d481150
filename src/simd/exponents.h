// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace bochner::simd {

/// Exponents t_i = (slope x_i + offset_i) + shift of features that are kept as logarithms; all spans have one length.
template <class T>
struct Exponents {
  T slope;
  std::span<const T> offset;
  T shift;
};

/// max_i t_i, n >= 1; -infinity where every x_i is.
template <class T>
T largest_exponent(const Exponents<T>& exponents, std::span<const T> x);

/// x_i = exp(t_i), relative error at most (4 + 3 |t_i|) u in the normal range of T, 0 below it, infinity above.
/// sums_i += x_i.
template <class T>
void exponentials_and_sums(const Exponents<T>& exponents, std::span<T> x, std::span<T> sums);

/// The same x; returns sum_i x_i weight_i, in the order of dot.
template <class T>
T exponentials_and_product(const Exponents<T>& exponents, std::span<T> x, std::span<const T> weight);

}  // namespace bochner::simd

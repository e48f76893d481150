// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace bochner::simd {

/// sum_i x_i y_i. Partial sums per lane in a fixed order: the same bits for the same length on one target.
/// Error <= (n + 8) u sum |x_i y_i|, in practice that of a sum of n / lanes terms.
template <class T>
T dot(std::span<const T> x, std::span<const T> y);

/// sum_i x_i, with the order and error of dot.
template <class T>
T sum(std::span<const T> x);

/// sum_i x_i^2 in double, in the order of dot.
template <class T>
double squared_norm(std::span<const T> x);

/// max_i x_i, n >= 1, no NaN.
template <class T>
T largest(std::span<const T> x);

/// max_i |x_i|, n >= 1, no NaN.
template <class T>
T largest_size(std::span<const T> x);

/// y_i = a x_i + b, with one rounding where the machine has FMA, two elsewhere. x and y may be the same array.
template <class T>
void affine(T a, std::span<const T> x, T b, std::span<T> y);

/// y_i = x_i factor_i (a single factor serves all i); returns sum_i y_i^2. One pass over a row: this is how inputs are
/// divided by the lengthscale. A non-finite x_i makes the result non-finite, so a finite result proves a finite row.
template <class T>
T scale_row(std::span<const T> x, std::span<const T> factor, std::span<T> y);

}  // namespace bochner::simd

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace bochner::simd {

/// Rows of features in their own precision, combined with vectors of double that are at least as long; every product
/// and sum is double. Orders are fixed: the same bits for the same length on one target.

/// sum_j z_j v_j.
template <class T>
double dot_wide(std::span<const T> z, std::span<const double> v);

/// to_j += factor z_j.
template <class T>
void add_scaled(double factor, std::span<const T> z, std::span<double> to);

/// to_j += factor z_j^2.
template <class T>
void add_scaled_squares(double factor, std::span<const T> z, std::span<double> to);

}  // namespace bochner::simd

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace bochner::simd {

/// From exponents a and phases c, in place: a_i becomes s exp(a_i) cos(c_i), c_i becomes s exp(a_i) sin(c_i).
/// Errors at equal argument (16 + 3 |a| + 3 |c|) u s exp(a), u = 2^-24 (float) or 2^-53 (double), while exp(a) is in
/// the normal range of T; infinite or NaN where it overflows. The bits of an element do not depend on its neighbours.
template <class T>
void polar(T scale, std::span<T> exponents, std::span<T> phases);

}  // namespace bochner::simd

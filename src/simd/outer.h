// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace bochner::simd {

/// out[i n + j] = (scale a_i) b_j, n the length of b: the features of a product of two kernels. Two roundings; the bits
/// do not depend on the alignment. `streaming` asks for non-temporal stores, which are used where b consists of whole
/// vectors and `out` lies on their boundaries; call end_streaming() before another thread reads `out`.
template <class T>
void outer(T scale, std::span<const T> a, std::span<const T> b, std::span<T> out, bool streaming = false);

/// Makes non-temporal stores of this thread visible to others.
void end_streaming();

}  // namespace bochner::simd

// SPDX-License-Identifier: Apache-2.0
// Sums over arrays.

#if defined(BOCHNER_SIMD_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_SIMD_REDUCE_INL_H_
#undef BOCHNER_SIMD_REDUCE_INL_H_
#else
#define BOCHNER_SIMD_REDUCE_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Sums body(i, vector lanes from i) over [0, n): four independent chains hide the latency of an addition; `tail` adds
/// the remaining numbers one by one.
template <class T, class Body, class Tail>
HWY_INLINE T reduce(std::size_t n, const Body& body, const Tail& tail) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = body(i, s0);
    s1 = body(i + lanes, s1);
    s2 = body(i + 2 * lanes, s2);
    s3 = body(i + 3 * lanes, s3);
  }
  for (; i + lanes <= n; i += lanes) s0 = body(i, s0);
  T total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < n; ++i) total += tail(i);
  return total;
}

/// Loads numbers of type T as lanes of double.
template <class D>
HWY_INLINE hn::VFromD<D> load_double(D d, const double* x) {
  return hn::LoadU(d, x);
}
template <class D>
HWY_INLINE hn::VFromD<D> load_double(D d, const float* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), x));
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BOCHNER_SIMD_REDUCE_INL_H_

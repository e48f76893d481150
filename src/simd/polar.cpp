// SPDX-License-Identifier: Apache-2.0
#include "simd/polar.h"

#include <cstddef>
#include <cstring>
#include <numbers>
#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/polar.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "simd/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

template <class T>
HWY_INLINE void polar_vector(T scale, T* a, T* c) {
  const hn::ScalableTag<T> d;
  auto re = hn::LoadU(d, a), im = hn::LoadU(d, c);
  const auto size = hn::Mul(hn::Set(d, scale), exp2(d, hn::Mul(re, hn::Set(d, T(std::numbers::log2e)))));
  polar_turns(d, size, hn::Mul(im, hn::Set(d, T(std::numbers::inv_pi / 2))), re, im);
  hn::StoreU(re, d, a);
  hn::StoreU(im, d, c);
}

template <class T>
void polar_any(T scale, T* a, T* c, std::size_t n) {
  const hn::ScalableTag<T> d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) polar_vector(scale, a + i, c + i);
  if (i == n) return;
  HWY_ALIGN T tail_a[hn::MaxLanes(d)] = {};
  HWY_ALIGN T tail_c[hn::MaxLanes(d)] = {};
  std::memcpy(tail_a, a + i, (n - i) * sizeof(T));
  std::memcpy(tail_c, c + i, (n - i) * sizeof(T));
  polar_vector(scale, tail_a, tail_c);
  std::memcpy(a + i, tail_a, (n - i) * sizeof(T));
  std::memcpy(c + i, tail_c, (n - i) * sizeof(T));
}

void polar_float(float scale, float* a, float* c, std::size_t n) { polar_any(scale, a, c, n); }
void polar_double(double scale, double* a, double* c, std::size_t n) { polar_any(scale, a, c, n); }

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(polar_float);
HWY_EXPORT(polar_double);

}  // namespace

template <class T>
void polar(T scale, std::span<T> exponents, std::span<T> phases) {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(polar_float)(scale, exponents.data(), phases.data(), exponents.size());
  } else {
    HWY_DYNAMIC_DISPATCH(polar_double)(scale, exponents.data(), phases.data(), exponents.size());
  }
}

template void polar(float, std::span<float>, std::span<float>);
template void polar(double, std::span<double>, std::span<double>);

}  // namespace bochner::simd
#endif  // HWY_ONCE

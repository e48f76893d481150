// SPDX-License-Identifier: Apache-2.0
#include "simd/outer.h"

#include <cstddef>
#include <cstdint>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/outer.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kStreaming, class T>
HWY_INLINE void multiply(T factor, const T* HWY_RESTRICT b, std::size_t n, T* HWY_RESTRICT out) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const auto value = hn::Mul(f, hn::LoadU(d, b + j));
    if constexpr (kStreaming) {
      hn::Stream(value, d, out + j);
    } else {
      hn::StoreU(value, d, out + j);
    }
  }
  for (; j < n; ++j) out[j] = factor * b[j];
}

template <class T>
void outer_any(T scale, const T* a, std::size_t rows, const T* b, std::size_t n, T* out, bool streaming) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  const bool whole = n % lanes == 0 && reinterpret_cast<std::uintptr_t>(out) % (lanes * sizeof(T)) == 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (streaming && whole) {
      multiply<true>(scale * a[i], b, n, out + i * n);
    } else {
      multiply<false>(scale * a[i], b, n, out + i * n);
    }
  }
}

void outer_float(float scale, const float* a, std::size_t rows, const float* b, std::size_t n, float* out, bool past) {
  outer_any(scale, a, rows, b, n, out, past);
}
void outer_double(double scale, const double* a, std::size_t rows, const double* b, std::size_t n, double* out,
                  bool past) {
  outer_any(scale, a, rows, b, n, out, past);
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(outer_float);
HWY_EXPORT(outer_double);

}  // namespace

template <>
void outer(float scale, std::span<const float> a, std::span<const float> b, std::span<float> out, bool streaming) {
  current_target();
  HWY_DYNAMIC_DISPATCH(outer_float)(scale, a.data(), a.size(), b.data(), b.size(), out.data(), streaming);
}
template <>
void outer(double scale, std::span<const double> a, std::span<const double> b, std::span<double> out, bool streaming) {
  current_target();
  HWY_DYNAMIC_DISPATCH(outer_double)(scale, a.data(), a.size(), b.data(), b.size(), out.data(), streaming);
}

void end_streaming() { hwy::FlushStream(); }

}  // namespace bochner::simd
#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0
#include "simd/feature_rows.h"

#include <cstddef>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/feature_rows.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/highway.h"
#include "simd/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
double dot_wide_any(const T* HWY_RESTRICT z, const double* HWY_RESTRICT v, std::size_t n) {
  const hn::ScalableTag<double> d;
  return reduce<double>(
      n, [=](std::size_t i, auto s) HWY_ATTR { return hn::MulAdd(load_double(d, z + i), hn::LoadU(d, v + i), s); },
      [=](std::size_t i) HWY_ATTR { return static_cast<double>(z[i]) * v[i]; });
}

template <bool kSquared, class T>
void add_any(double factor, const T* HWY_RESTRICT z, double* HWY_RESTRICT to, std::size_t n) {
  const hn::ScalableTag<double> d;
  const auto f = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto x = load_double(d, z + i);
    hn::StoreU(hn::MulAdd(f, kSquared ? hn::Mul(x, x) : x, hn::LoadU(d, to + i)), d, to + i);
  }
  for (; i < n; ++i) {
    const double x = static_cast<double>(z[i]);
    to[i] += factor * (kSquared ? x * x : x);
  }
}

double dot_wide_float(const float* z, const double* v, std::size_t n) { return dot_wide_any(z, v, n); }
double dot_wide_double(const double* z, const double* v, std::size_t n) { return dot_wide_any(z, v, n); }
void add_float(double f, const float* z, double* to, std::size_t n) { add_any<false>(f, z, to, n); }
void add_double(double f, const double* z, double* to, std::size_t n) { add_any<false>(f, z, to, n); }
void add_squares_float(double f, const float* z, double* to, std::size_t n) { add_any<true>(f, z, to, n); }
void add_squares_double(double f, const double* z, double* to, std::size_t n) { add_any<true>(f, z, to, n); }

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(dot_wide_float);
HWY_EXPORT(dot_wide_double);
HWY_EXPORT(add_float);
HWY_EXPORT(add_double);
HWY_EXPORT(add_squares_float);
HWY_EXPORT(add_squares_double);

}  // namespace

template <>
double dot_wide(std::span<const float> z, std::span<const double> v) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(dot_wide_float)(z.data(), v.data(), z.size());
}
template <>
double dot_wide(std::span<const double> z, std::span<const double> v) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(dot_wide_double)(z.data(), v.data(), z.size());
}
template <>
void add_scaled(double factor, std::span<const float> z, std::span<double> to) {
  current_target();
  HWY_DYNAMIC_DISPATCH(add_float)(factor, z.data(), to.data(), z.size());
}
template <>
void add_scaled(double factor, std::span<const double> z, std::span<double> to) {
  current_target();
  HWY_DYNAMIC_DISPATCH(add_double)(factor, z.data(), to.data(), z.size());
}
template <>
void add_scaled_squares(double factor, std::span<const float> z, std::span<double> to) {
  current_target();
  HWY_DYNAMIC_DISPATCH(add_squares_float)(factor, z.data(), to.data(), z.size());
}
template <>
void add_scaled_squares(double factor, std::span<const double> z, std::span<double> to) {
  current_target();
  HWY_DYNAMIC_DISPATCH(add_squares_double)(factor, z.data(), to.data(), z.size());
}

}  // namespace bochner::simd
#endif  // HWY_ONCE

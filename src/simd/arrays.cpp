// SPDX-License-Identifier: Apache-2.0
#include "simd/arrays.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/arrays.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/highway.h"
#include "simd/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
T dot_any(const T* HWY_RESTRICT x, const T* HWY_RESTRICT y, std::size_t n) {
  const hn::ScalableTag<T> d;
  return reduce<T>(
      n, [=](std::size_t i, auto s) HWY_ATTR { return hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), s); },
      [=](std::size_t i) HWY_ATTR { return x[i] * y[i]; });
}

template <class T>
T sum_any(const T* HWY_RESTRICT x, std::size_t n) {
  const hn::ScalableTag<T> d;
  return reduce<T>(
      n, [=](std::size_t i, auto s) HWY_ATTR { return hn::Add(hn::LoadU(d, x + i), s); },
      [=](std::size_t i) HWY_ATTR { return x[i]; });
}

template <class T>
double squared_norm_any(const T* HWY_RESTRICT x, std::size_t n) {
  const hn::ScalableTag<double> d;
  return reduce<double>(
      n,
      [=](std::size_t i, auto s) HWY_ATTR {
        const auto v = load_double(d, x + i);
        return hn::MulAdd(v, v, s);
      },
      [=](std::size_t i) HWY_ATTR { return static_cast<double>(x[i]) * static_cast<double>(x[i]); });
}

template <class T>
T largest_any(const T* HWY_RESTRICT x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  T most = x[0];
  std::size_t i = 0;
  if (n >= lanes) {
    auto m = hn::LoadU(d, x);
    for (i = lanes; i + lanes <= n; i += lanes) m = hn::Max(m, hn::LoadU(d, x + i));
    most = hn::GetLane(hn::MaxOfLanes(d, m));
  }
  for (; i < n; ++i) most = x[i] > most ? x[i] : most;
  return most;
}

/// Four chains, as in reduce: a maximum has the latency of an addition.
template <class T>
T largest_size_any(const T* HWY_RESTRICT x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto m0 = hn::Zero(d), m1 = m0, m2 = m0, m3 = m0;
  const auto step = [&](std::size_t i, auto m) HWY_ATTR { return hn::Max(m, hn::Abs(hn::LoadU(d, x + i))); };
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    m0 = step(i, m0), m1 = step(i + lanes, m1);
    m2 = step(i + 2 * lanes, m2), m3 = step(i + 3 * lanes, m3);
  }
  for (; i + lanes <= n; i += lanes) m0 = step(i, m0);
  T most = hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
  for (; i < n; ++i) most = std::max(most, std::abs(x[i]));
  return most;
}

template <class T>
void affine_any(T a, const T* x, T b, T* y, std::size_t n) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(hn::MulAdd(hn::Set(d, a), hn::LoadU(d, x + i), hn::Set(d, b)), d, y + i);
  for (; i < n; ++i) hn::StoreU(hn::MulAdd(hn::Set(one, a), hn::LoadU(one, x + i), hn::Set(one, b)), one, y + i);
}

template <class T>
T scale_row_any(const T* HWY_RESTRICT x, const T* HWY_RESTRICT factor, bool one_factor, T* HWY_RESTRICT y,
                std::size_t n) {
  const hn::ScalableTag<T> d;
  return reduce<T>(
      n,
      [=](std::size_t i, auto s) HWY_ATTR {
        const auto f = one_factor ? hn::Set(d, factor[0]) : hn::LoadU(d, factor + i);
        const auto v = hn::Mul(hn::LoadU(d, x + i), f);
        hn::StoreU(v, d, y + i);
        return hn::MulAdd(v, v, s);
      },
      [=](std::size_t i) HWY_ATTR {
        y[i] = x[i] * factor[one_factor ? 0 : i];
        return y[i] * y[i];
      });
}

float dot_float(const float* x, const float* y, std::size_t n) { return dot_any(x, y, n); }
double dot_double(const double* x, const double* y, std::size_t n) { return dot_any(x, y, n); }
float sum_float(const float* x, std::size_t n) { return sum_any(x, n); }
double sum_double(const double* x, std::size_t n) { return sum_any(x, n); }
double squared_norm_float(const float* x, std::size_t n) { return squared_norm_any(x, n); }
double squared_norm_double(const double* x, std::size_t n) { return squared_norm_any(x, n); }
float largest_float(const float* x, std::size_t n) { return largest_any(x, n); }
double largest_double(const double* x, std::size_t n) { return largest_any(x, n); }
float largest_size_float(const float* x, std::size_t n) { return largest_size_any(x, n); }
double largest_size_double(const double* x, std::size_t n) { return largest_size_any(x, n); }
void affine_float(float a, const float* x, float b, float* y, std::size_t n) { affine_any(a, x, b, y, n); }
void affine_double(double a, const double* x, double b, double* y, std::size_t n) { affine_any(a, x, b, y, n); }
float scale_row_float(const float* x, const float* f, bool one, float* y, std::size_t n) {
  return scale_row_any(x, f, one, y, n);
}
double scale_row_double(const double* x, const double* f, bool one, double* y, std::size_t n) {
  return scale_row_any(x, f, one, y, n);
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(dot_float);
HWY_EXPORT(dot_double);
HWY_EXPORT(sum_float);
HWY_EXPORT(sum_double);
HWY_EXPORT(squared_norm_float);
HWY_EXPORT(squared_norm_double);
HWY_EXPORT(largest_float);
HWY_EXPORT(largest_double);
HWY_EXPORT(largest_size_float);
HWY_EXPORT(largest_size_double);
HWY_EXPORT(affine_float);
HWY_EXPORT(affine_double);
HWY_EXPORT(scale_row_float);
HWY_EXPORT(scale_row_double);

}  // namespace

template <>
float dot(std::span<const float> x, std::span<const float> y) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(dot_float)(x.data(), y.data(), x.size());
}
template <>
double dot(std::span<const double> x, std::span<const double> y) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(dot_double)(x.data(), y.data(), x.size());
}
template <>
float sum(std::span<const float> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(sum_float)(x.data(), x.size());
}
template <>
double sum(std::span<const double> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(sum_double)(x.data(), x.size());
}
template <>
double squared_norm(std::span<const float> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(squared_norm_float)(x.data(), x.size());
}
template <>
double squared_norm(std::span<const double> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(squared_norm_double)(x.data(), x.size());
}
template <>
float largest(std::span<const float> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(largest_float)(x.data(), x.size());
}
template <>
double largest(std::span<const double> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(largest_double)(x.data(), x.size());
}
template <>
float largest_size(std::span<const float> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(largest_size_float)(x.data(), x.size());
}
template <>
double largest_size(std::span<const double> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(largest_size_double)(x.data(), x.size());
}
template <>
void affine(float a, std::span<const float> x, float b, std::span<float> y) {
  current_target();
  HWY_DYNAMIC_DISPATCH(affine_float)(a, x.data(), b, y.data(), x.size());
}
template <>
void affine(double a, std::span<const double> x, double b, std::span<double> y) {
  current_target();
  HWY_DYNAMIC_DISPATCH(affine_double)(a, x.data(), b, y.data(), x.size());
}
template <>
float scale_row(std::span<const float> x, std::span<const float> factor, std::span<float> y) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(scale_row_float)(x.data(), factor.data(), factor.size() == 1, y.data(), x.size());
}
template <>
double scale_row(std::span<const double> x, std::span<const double> factor, std::span<double> y) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(scale_row_double)(x.data(), factor.data(), factor.size() == 1, y.data(), x.size());
}

}  // namespace bochner::simd
#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0
#include "simd/exponents.h"

#include <cstddef>
#include <limits>
#include <numbers>
#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/exponents.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "simd/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> exponent(D d, const Exponents<T>& e, const T* x, std::size_t i) {
  const auto scaled = hn::MulAdd(hn::Set(d, e.slope), hn::LoadU(d, x + i), hn::LoadU(d, e.offset.data() + i));
  return hn::Add(scaled, hn::Set(d, e.shift));
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> exponential(D d, const Exponents<T>& e, const T* x, std::size_t i) {
  return exp2(d, hn::Mul(exponent(d, e, x, i), hn::Set(d, T(std::numbers::log2e))));
}

/// Calls body(lanes, i) for whole vectors, then for single numbers: the same operations, so the same bits.
template <class T, class Body>
HWY_INLINE void for_each_vector(std::size_t first, std::size_t n, const Body& body) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  std::size_t i = first;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) body(d, i);
  for (; i < n; ++i) body(one, i);
}

template <class T>
T largest_any(const Exponents<T>& e, std::span<const T> x) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const std::size_t lanes = hn::Lanes(d), n = x.size();
  auto most = hn::Set(d, -std::numeric_limits<T>::infinity()), other = most;
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    most = hn::Max(most, exponent(d, e, x.data(), i));
    other = hn::Max(other, exponent(d, e, x.data(), i + lanes));
  }
  T result = hn::GetLane(hn::MaxOfLanes(d, hn::Max(most, other)));
  for (; i < n; ++i) {
    const T t = hn::GetLane(exponent(one, e, x.data(), i));
    result = t > result ? t : result;
  }
  return result;
}

template <class T>
void sums_any(const Exponents<T>& e, std::span<T> x, std::span<T> sums) {
  for_each_vector<T>(0, x.size(), [&](auto d, std::size_t i) HWY_ATTR {
    const auto value = exponential(d, e, x.data(), i);
    hn::StoreU(value, d, x.data() + i);
    hn::StoreU(hn::Add(hn::LoadU(d, sums.data() + i), value), d, sums.data() + i);
  });
}

template <class T>
T product_any(const Exponents<T>& e, std::span<T> x, std::span<const T> weight) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const std::size_t lanes = hn::Lanes(d), n = x.size();
  auto s0 = hn::Zero(d), s1 = s0;
  const auto step = [&](std::size_t i, auto s) HWY_ATTR {
    const auto value = exponential(d, e, x.data(), i);
    hn::StoreU(value, d, x.data() + i);
    return hn::MulAdd(value, hn::LoadU(d, weight.data() + i), s);
  };
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    s0 = step(i, s0);
    s1 = step(i + lanes, s1);
  }
  T total = hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
  for (; i < n; ++i) {
    x[i] = hn::GetLane(exponential(one, e, x.data(), i));
    total += x[i] * weight[i];
  }
  return total;
}

float largest_float(const Exponents<float>& e, std::span<const float> x) { return largest_any(e, x); }
double largest_double(const Exponents<double>& e, std::span<const double> x) { return largest_any(e, x); }
void sums_float(const Exponents<float>& e, std::span<float> x, std::span<float> sums) { sums_any(e, x, sums); }
void sums_double(const Exponents<double>& e, std::span<double> x, std::span<double> sums) { sums_any(e, x, sums); }
float product_float(const Exponents<float>& e, std::span<float> x, std::span<const float> weight) {
  return product_any(e, x, weight);
}
double product_double(const Exponents<double>& e, std::span<double> x, std::span<const double> weight) {
  return product_any(e, x, weight);
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(largest_float);
HWY_EXPORT(largest_double);
HWY_EXPORT(sums_float);
HWY_EXPORT(sums_double);
HWY_EXPORT(product_float);
HWY_EXPORT(product_double);

}  // namespace

template <>
float largest_exponent(const Exponents<float>& e, std::span<const float> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(largest_float)(e, x);
}
template <>
double largest_exponent(const Exponents<double>& e, std::span<const double> x) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(largest_double)(e, x);
}
template <>
void exponentials_and_sums(const Exponents<float>& e, std::span<float> x, std::span<float> sums) {
  current_target();
  HWY_DYNAMIC_DISPATCH(sums_float)(e, x, sums);
}
template <>
void exponentials_and_sums(const Exponents<double>& e, std::span<double> x, std::span<double> sums) {
  current_target();
  HWY_DYNAMIC_DISPATCH(sums_double)(e, x, sums);
}
template <>
float exponentials_and_product(const Exponents<float>& e, std::span<float> x, std::span<const float> weight) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(product_float)(e, x, weight);
}
template <>
double exponentials_and_product(const Exponents<double>& e, std::span<double> x, std::span<const double> weight) {
  current_target();
  return HWY_DYNAMIC_DISPATCH(product_double)(e, x, weight);
}

}  // namespace bochner::simd
#endif  // HWY_ONCE

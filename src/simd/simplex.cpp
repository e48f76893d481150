// SPDX-License-Identifier: Apache-2.0
#include "simd/simplex.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/simplex.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "simd/fwht-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

// The number of partial sums is the same on every instruction set, so their order does not depend on it.
inline constexpr std::size_t kSums = 32;
inline constexpr std::size_t kRows = 8;

/// sum x_i: kSums interleaved sums, then the upper half is added to the lower until one is left.
#if HWY_HAVE_SCALABLE
template <class T>
HWY_INLINE T ordered_sum(const T* x, std::size_t n) {
  T sums[kSums] = {};
  for (std::size_t i = 0; i < n; ++i) sums[i % kSums] += x[i];
  for (std::size_t h = kSums / 2; h > 0; h /= 2)
    for (std::size_t k = 0; k < h; ++k) sums[k] += sums[k + h];
  return sums[0];
}
#else  // here vectors may be elements of an array, which stays in registers
template <class T>
HWY_INLINE T ordered_sum(const T* x, std::size_t n) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  using V = hn::VFromD<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kSums / kLanes;
  V sums[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) sums[k] = hn::Zero(d);
  const auto add = [&](const T* from) HWY_ATTR {
    for (std::size_t k = 0; k < kVectors; ++k) sums[k] = hn::Add(sums[k], hn::LoadU(d, from + k * kLanes));
  };
  std::size_t i = 0;
  for (; i + kSums <= n; i += kSums) add(x + i);
  if (i < n) {
    T tail[kSums] = {};
    std::copy(x + i, x + n, tail);
    add(tail);
  }
  for (std::size_t h = kVectors / 2; h > 0; h /= 2)
    for (std::size_t k = 0; k < h; ++k) sums[k] = hn::Add(sums[k], sums[k + h]);
  const V one = hn::Set(d, T(1));
  in_vector(d, sums[0], one, one, one, one);
  return hn::GetLane(sums[0]);
}
#endif

/// y_i = f_i (stretch y_i - pull).
template <class T>
HWY_INLINE void stretch_row(T stretch, T pull, const T* factors, bool one_factor, T* y, std::size_t n) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const auto a = hn::Set(d, stretch), b = hn::Set(d, pull), f = hn::Set(d, factors[0]);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto moved = hn::Sub(hn::Mul(a, hn::LoadU(d, y + i)), b);
    hn::StoreU(hn::Mul(moved, one_factor ? f : hn::LoadU(d, factors + i)), d, y + i);
  }
  for (; i < n; ++i) y[i] = (stretch * y[i] - pull) * factors[one_factor ? 0 : i];
}

template <class T>
void simplex_rows_any(MatrixView<T> P, std::span<const T> factors) {
  const std::size_t last = P.cols() - 1;
  const double r = static_cast<double>(P.cols());
  const T shrink = static_cast<T>(1 / std::sqrt(r - 1));
  const T stretch = static_cast<T>(std::sqrt(r / (r - 1)));
  const T pull = static_cast<T>((std::sqrt(r) + 1) / (r - 1));
  const bool one_factor = factors.size() == 1;
  // All r numbers go through the loops, so that a row of whole vectors has no tail. A sum is a chain of dependent
  // additions: the chains of several short rows overlap when nothing comes between them.
  T sums[kRows];
  for (std::size_t first = 0; first < P.rows(); first += kRows) {
    const std::size_t rows = std::min(kRows, P.rows() - first);
    for (std::size_t i = 0; i < rows; ++i) {
      const T* row = P.row(first + i).data();
      sums[i] = (ordered_sum(row, last + 1) - row[last]) * shrink;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      T* row = P.row(first + i).data();
      stretch_row(stretch, pull * sums[i], factors.data(), one_factor, row, last + 1);
      row[last] = sums[i] * factors[one_factor ? 0 : last];
    }
  }
}

void simplex_rows_float(MatrixView<float> P, std::span<const float> factors) { simplex_rows_any(P, factors); }
void simplex_rows_double(MatrixView<double> P, std::span<const double> factors) { simplex_rows_any(P, factors); }

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(simplex_rows_float);
HWY_EXPORT(simplex_rows_double);

}  // namespace

template <class T>
void simplex_rows(MatrixView<T> P, std::span<const T> factors) {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(simplex_rows_float)(P, factors);
  } else {
    HWY_DYNAMIC_DISPATCH(simplex_rows_double)(P, factors);
  }
}

template void simplex_rows(MatrixView<float>, std::span<const float>);
template void simplex_rows(MatrixView<double>, std::span<const double>);

}  // namespace bochner::simd
#endif  // HWY_ONCE

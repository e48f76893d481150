// SPDX-License-Identifier: Apache-2.0
#include "simd/panels.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/panels.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lane = hn::CappedTag<T, kPanel<T>>;

template <class D, class V = hn::VFromD<D>>
HWY_INLINE void rotate(D d, const hn::TFromD<D>* turn, V& a, V& b) {
  const V c = hn::Set(d, turn[0]), s = hn::Set(d, turn[1]);
  const V turned = hn::NegMulAdd(s, b, hn::Mul(c, a));
  b = hn::MulAdd(s, a, hn::Mul(c, b));
  a = turned;
}

/// The layer of neighbours: lines 2k and 2k + 1.
template <class T>
HWY_INLINE const T* rotate_neighbours(const T* turns, std::size_t size, T* panel) {
  const Lane<T> d;
  for (T* line = panel; line != panel + size * kPanel<T>; line += 2 * kPanel<T>, turns += 2)
    for (std::size_t lane = 0; lane < kPanel<T>; lane += hn::Lanes(d)) {
      auto a = hn::Load(d, line + lane), b = hn::Load(d, line + kPanel<T> + lane);
      rotate(d, turns, a, b);
      hn::Store(a, d, line + lane);
      hn::Store(b, d, line + kPanel<T> + lane);
    }
  return turns;
}

/// The layers of distance `step` and 2 step for lines j, j + step, j + 2 step, j + 3 step.
template <class T>
HWY_INLINE void rotate_four(const T* turns, T* line, std::size_t step) {
  const Lane<T> d;
  for (std::size_t lane = 0; lane < kPanel<T>; lane += hn::Lanes(d)) {
    T* p = line + lane;
    auto x0 = hn::Load(d, p), x1 = hn::Load(d, p + step), x2 = hn::Load(d, p + 2 * step),
         x3 = hn::Load(d, p + 3 * step);
    rotate(d, turns, x0, x1);
    rotate(d, turns + 2, x2, x3);
    rotate(d, turns + 4, x0, x2);
    rotate(d, turns + 6, x1, x3);
    hn::Store(x0, d, p);
    hn::Store(x1, d, p + step);
    hn::Store(x2, d, p + 2 * step);
    hn::Store(x3, d, p + 3 * step);
  }
}

template <class T>
void rotate_any(const T* turns, std::size_t size, T* panel) {
  std::size_t step = 1;
  if (std::countr_zero(size) % 2 == 1) {
    turns = rotate_neighbours(turns, size, panel);
    step = 2;
  }
  for (; step < size; step *= 4)
    for (std::size_t first = 0; first < size; first += 4 * step)
      for (std::size_t j = first; j < first + step; ++j, turns += 8)
        rotate_four(turns, panel + j * kPanel<T>, step * kPanel<T>);
}

/// The first kRows outputs of the product.
template <std::size_t kRows, class T>
HWY_INLINE void toeplitz_rows(const T* taps, std::size_t size, const T* in, T* out) {
  const Lane<T> d;
  using V = hn::VFromD<Lane<T>>;
  for (std::size_t lane = 0; lane < kPanel<T>; lane += hn::Lanes(d)) {
    V sums[kRows];
    for (V& sum : sums) sum = hn::Zero(d);
    for (std::size_t j = 0; j < size; ++j) {
      const T* tap = taps + (size - 1 - j);
      const V value = hn::Load(d, in + j * kPanel<T> + lane);
      for (std::size_t r = 0; r < kRows; ++r) sums[r] = hn::MulAdd(hn::Set(d, tap[r]), value, sums[r]);
    }
    for (std::size_t r = 0; r < kRows; ++r) hn::Store(sums[r], d, out + r * kPanel<T> + lane);
  }
}

template <class T>
void toeplitz_any(const T* taps, std::size_t size, const T* in, std::size_t rows, T* out) {
  std::size_t i = 0;
  for (; i + 8 <= rows; i += 8) toeplitz_rows<8>(taps + i, size, in, out + i * kPanel<T>);
  for (; i < rows; ++i) toeplitz_rows<1>(taps + i, size, in, out + i * kPanel<T>);
}

void rotate_float(const float* t, std::size_t n, float* p) { rotate_any(t, n, p); }
void rotate_double(const double* t, std::size_t n, double* p) { rotate_any(t, n, p); }
void toeplitz_float(const float* t, std::size_t n, const float* in, std::size_t rows, float* out) {
  toeplitz_any(t, n, in, rows, out);
}
void toeplitz_double(const double* t, std::size_t n, const double* in, std::size_t rows, double* out) {
  toeplitz_any(t, n, in, rows, out);
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {

HWY_EXPORT(rotate_float);
HWY_EXPORT(rotate_double);
HWY_EXPORT(toeplitz_float);
HWY_EXPORT(toeplitz_double);

template <class T>
void pack_panel(MatrixView<const T> X, T* panel) {
  if (X.rows() < kPanel<T>) std::fill_n(panel, X.cols() * kPanel<T>, T(0));
  for (std::size_t r = 0; r < X.rows(); ++r) {
    const T* row = X.row(r).data();
    for (std::size_t j = 0; j < X.cols(); ++j) panel[j * kPanel<T> + r] = row[j];
  }
}

template <class T>
void unpack_panel(const T* panel, std::span<const T> factors, MatrixView<T> P) {
  const std::size_t step = factors.size() == 1 ? 0 : 1;
  for (std::size_t r = 0; r < P.rows(); ++r) {
    T* row = P.row(r).data();
    for (std::size_t j = 0; j < P.cols(); ++j) row[j] = factors[j * step] * panel[j * kPanel<T> + r];
  }
}

template <class T>
void rotate_lines(std::span<const T> turns, std::size_t size, T* panel) {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(rotate_float)(turns.data(), size, panel);
  } else {
    HWY_DYNAMIC_DISPATCH(rotate_double)(turns.data(), size, panel);
  }
}

template <class T>
void toeplitz_lines(std::span<const T> taps, std::size_t size, const T* in, std::size_t rows, T* out) {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(toeplitz_float)(taps.data(), size, in, rows, out);
  } else {
    HWY_DYNAMIC_DISPATCH(toeplitz_double)(taps.data(), size, in, rows, out);
  }
}

template void pack_panel(MatrixView<const float>, float*);
template void pack_panel(MatrixView<const double>, double*);
template void unpack_panel(const float*, std::span<const float>, MatrixView<float>);
template void unpack_panel(const double*, std::span<const double>, MatrixView<double>);
template void rotate_lines(std::span<const float>, std::size_t, float*);
template void rotate_lines(std::span<const double>, std::size_t, double*);
template void toeplitz_lines(std::span<const float>, std::size_t, const float*, std::size_t, float*);
template void toeplitz_lines(std::span<const double>, std::size_t, const double*, std::size_t, double*);

}  // namespace bochner::simd
#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0
#include "simd/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/fourier.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lane = hn::CappedTag<T, kPanel<T>>;

/// Complex numbers, one per lane.
template <class T>
struct Complex {
  using V = hn::VFromD<Lane<T>>;
  V re, im;

  static HWY_INLINE Complex load(const T* re, const T* im) {
    return {hn::Load(Lane<T>(), re), hn::Load(Lane<T>(), im)};
  }
  HWY_INLINE void store(T* to_re, T* to_im) const {
    hn::Store(re, Lane<T>(), to_re);
    hn::Store(im, Lane<T>(), to_im);
  }
};

template <class T>
HWY_INLINE Complex<T> add(Complex<T> a, Complex<T> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class T>
HWY_INLINE Complex<T> sub(Complex<T> a, Complex<T> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
/// a + i b.
template <class T>
HWY_INLINE Complex<T> add_turned(Complex<T> a, Complex<T> b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
/// a - i b.
template <class T>
HWY_INLINE Complex<T> sub_turned(Complex<T> a, Complex<T> b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
/// a w, with w = (re, im) the same in all lanes.
template <class T>
HWY_INLINE Complex<T> times(Complex<T> a, T w_re, T w_im) {
  const auto re = hn::Set(Lane<T>(), w_re), im = hn::Set(Lane<T>(), w_im);
  return {hn::NegMulAdd(a.im, im, hn::Mul(a.re, re)), hn::MulAdd(a.im, re, hn::Mul(a.re, im))};
}

/// Lines j, j + q, j + 2q, j + 3q of a block of 4q lines: two layers, decimated in frequency.
template <class T>
HWY_INLINE void there_four(const T* w, T* re, T* im, std::size_t q) {
  const std::size_t lanes = hn::Lanes(Lane<T>());
  for (std::size_t lane = 0; lane < kPanel<T>; lane += lanes, re += lanes, im += lanes) {
    const auto x0 = Complex<T>::load(re, im), x1 = Complex<T>::load(re + q, im + q),
               x2 = Complex<T>::load(re + 2 * q, im + 2 * q), x3 = Complex<T>::load(re + 3 * q, im + 3 * q);
    const auto even = add(x0, x2), odd = add(x1, x3), even_gap = sub(x0, x2), odd_gap = sub(x1, x3);
    add(even, odd).store(re, im);
    times(sub(even, odd), w[2], w[3]).store(re + q, im + q);
    times(sub_turned(even_gap, odd_gap), w[0], w[1]).store(re + 2 * q, im + 2 * q);
    times(add_turned(even_gap, odd_gap), w[4], w[5]).store(re + 3 * q, im + 3 * q);
  }
}

/// The inverse of there_four, times 4.
template <class T>
HWY_INLINE void back_four(const T* w, T* re, T* im, std::size_t q) {
  const std::size_t lanes = hn::Lanes(Lane<T>());
  for (std::size_t lane = 0; lane < kPanel<T>; lane += lanes, re += lanes, im += lanes) {
    const auto z0 = Complex<T>::load(re, im);
    const auto z1 = times(Complex<T>::load(re + q, im + q), w[2], -w[3]);
    const auto z2 = times(Complex<T>::load(re + 2 * q, im + 2 * q), w[0], -w[1]);
    const auto z3 = times(Complex<T>::load(re + 3 * q, im + 3 * q), w[4], -w[5]);
    const auto even = add(z0, z1), odd = sub(z0, z1), even_gap = add(z2, z3), odd_gap = sub(z2, z3);
    add(even, even_gap).store(re, im);
    add_turned(odd, odd_gap).store(re + q, im + q);
    sub(even, even_gap).store(re + 2 * q, im + 2 * q);
    sub_turned(odd, odd_gap).store(re + 3 * q, im + 3 * q);
  }
}

/// Sums and differences of neighbours: the layer left over when log2(size) is odd. It is its own inverse, times 2.
template <class T>
HWY_INLINE void add_neighbours(std::size_t size, T* re, T* im) {
  for (std::size_t line = 0; line < size; line += 2)
    for (std::size_t k = line * kPanel<T>; k < (line + 1) * kPanel<T>; k += hn::Lanes(Lane<T>())) {
      const auto a = Complex<T>::load(re + k, im + k), b = Complex<T>::load(re + k + kPanel<T>, im + k + kPanel<T>);
      add(a, b).store(re + k, im + k);
      sub(a, b).store(re + k + kPanel<T>, im + k + kPanel<T>);
    }
}

template <class T>
void transform_there(const T* twiddles, std::size_t size, T* re, T* im) {
  std::size_t block = size;
  for (; block >= 4; block /= 4) {
    for (std::size_t first = 0; first < size; first += block)
      for (std::size_t j = 0; j < block / 4; ++j) {
        const std::size_t at = (first + j) * kPanel<T>;
        there_four(twiddles + 6 * j, re + at, im + at, block / 4 * kPanel<T>);
      }
    twiddles += block / 4 * 6;
  }
  if (block == 2) add_neighbours(size, re, im);
}

template <class T>
void transform_back(const T* twiddles_end, std::size_t size, T* re, T* im) {
  std::size_t block = 4;
  if (std::countr_zero(size) % 2 == 1) {
    add_neighbours(size, re, im);
    block = 8;
  }
  for (; block <= size; block *= 4) {
    twiddles_end -= block / 4 * 6;
    for (std::size_t first = 0; first < size; first += block)
      for (std::size_t j = 0; j < block / 4; ++j) {
        const std::size_t at = (first + j) * kPanel<T>;
        back_four(twiddles_end + 6 * j, re + at, im + at, block / 4 * kPanel<T>);
      }
  }
}

template <class T>
HWY_INLINE void weigh(const LineProduct<T>& p, std::size_t size, std::span<const T> weights, T* re, T* im) {
  for (std::size_t j = 0; j < p.lines; ++j)
    for (std::size_t k = j * kPanel<T>; k < (j + 1) * kPanel<T>; k += hn::Lanes(Lane<T>())) {
      const auto x = hn::Load(Lane<T>(), p.in + k);
      hn::Store(hn::Mul(x, hn::Set(Lane<T>(), weights[2 * j])), Lane<T>(), re + k);
      hn::Store(hn::Mul(x, hn::Set(Lane<T>(), weights[2 * j + 1])), Lane<T>(), im + k);
    }
  std::fill(re + p.lines * kPanel<T>, re + size * kPanel<T>, T(0));
  std::fill(im + p.lines * kPanel<T>, im + size * kPanel<T>, T(0));
}

template <class T>
HWY_INLINE void unweigh(const LineProduct<T>& p, std::size_t size, std::span<const T> weights, const T* re,
                        const T* im) {
  for (std::size_t i = 0; i < p.rows; ++i) {
    const std::size_t line = (p.first + i) % size;
    const T w_re = weights[2 * line], w_im = weights[2 * line + 1];
    for (std::size_t lane = 0; lane < kPanel<T>; lane += hn::Lanes(Lane<T>())) {
      const std::size_t k = line * kPanel<T> + lane;
      const auto value = times(Complex<T>::load(re + k, im + k), w_re, -w_im);
      hn::Store(p.first + i < size ? value.re : value.im, Lane<T>(), p.out + i * kPanel<T> + lane);
    }
  }
}

template <class T>
void multiply_any(const LineFourier<T>& fourier, const LineProduct<T>& p) {
  const std::size_t size = fourier.size();
  const std::span<const T> twiddles = fourier.twiddles();
  T* re = p.scratch;
  T* im = p.scratch + size * kPanel<T>;
  weigh(p, size, fourier.weights(), re, im);
  transform_there(twiddles.data(), size, re, im);
  for (std::size_t line = 0; line < size; ++line)
    for (std::size_t k = line * kPanel<T>; k < (line + 1) * kPanel<T>; k += hn::Lanes(Lane<T>()))
      times(Complex<T>::load(re + k, im + k), p.spectrum[line], p.spectrum[size + line]).store(re + k, im + k);
  transform_back(twiddles.data() + twiddles.size(), size, re, im);
  unweigh(p, size, fourier.weights(), re, im);
}

void multiply_float(const LineFourier<float>& fourier, const LineProduct<float>& p) { multiply_any(fourier, p); }
void multiply_double(const LineFourier<double>& fourier, const LineProduct<double>& p) { multiply_any(fourier, p); }

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

namespace {

std::complex<double> root(std::size_t k, std::size_t n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

template <class T>
void append(std::vector<T>& numbers, std::complex<double> w) {
  numbers.push_back(static_cast<T>(w.real()));
  numbers.push_back(static_cast<T>(w.imag()));
}

}  // namespace

template <class T>
LineFourier<T>::LineFourier(std::size_t size) : size_(size) {
  for (std::size_t block = size; block >= 4; block /= 4)
    for (std::size_t j = 0; j < block / 4; ++j)
      for (const std::size_t power : {1, 2, 3}) append(twiddles_, root(power * j, block));
  for (std::size_t j = 0; j < size; ++j) append(weights_, std::conj(root(j, 4 * size)));
}

template <class T>
void LineFourier<T>::multiply(const LineProduct<T>& product) const {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(multiply_float)(*this, product);
  } else {
    HWY_DYNAMIC_DISPATCH(multiply_double)(*this, product);
  }
}

std::vector<double> line_spectrum(std::span<const double> sequence, std::size_t size) {
  const auto at = [&](std::size_t j) { return j < sequence.size() ? sequence[j] : 0.0; };
  std::vector<std::complex<double>> values(size), roots(size / 2);
  for (std::size_t j = 0; j < size; ++j)
    values[j] = std::complex(at(j), at(j + size)) * std::conj(root(j, 4 * size)) / static_cast<double>(size);
  for (std::size_t k = 0; k < size / 2; ++k) roots[k] = root(k, size);
  for (std::size_t half = size / 2; half >= 1; half /= 2)
    for (std::size_t first = 0; first < size; first += 2 * half)
      for (std::size_t j = first; j < first + half; ++j) {
        const std::complex<double> gap = values[j] - values[j + half];
        values[j] += values[j + half];
        values[j + half] = gap * roots[(j - first) * (size / 2 / half)];
      }
  std::vector<double> numbers(2 * size);
  for (std::size_t j = 0; j < size; ++j) {
    numbers[j] = values[j].real();
    numbers[size + j] = values[j].imag();
  }
  return numbers;
}

template class LineFourier<float>;
template class LineFourier<double>;

}  // namespace bochner::simd
#endif  // HWY_ONCE

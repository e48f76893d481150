// SPDX-License-Identifier: Apache-2.0
#include "simd/fwht.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "core/errors.h"
#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/fwht.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "simd/fwht-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

// Bytes of a part of a row: it stays in half of a 32 KiB L1 until its last stage.
inline constexpr std::size_t kPartBytes = 16384;
inline constexpr std::size_t kChunkVectors = 8;

/// `rows` transforms of n outputs; signs and factors may be null; factors_step 0 or 1.
template <class T>
struct Transform {
  std::size_t rows;
  const T* x;
  std::size_t x_stride;
  const std::uint8_t* signs;
  T* y;
  std::size_t y_stride;
  std::size_t n;
  const T* factors;
  std::size_t factors_step;
};

template <bool kSigned, class T>
void across_parts(int log2_radix, const T* x, const std::uint8_t* signs, T* y, std::size_t n) {
  switch (log2_radix) {
    case 1:
      return across<2, kSigned>(x, signs, y, n);
    case 2:
      return across<4, kSigned>(x, signs, y, n);
    case 3:
      return across<8, kSigned>(x, signs, y, n);
    default:
      return across<16, kSigned>(x, signs, y, n);
  }
}

/// The first stages of every row.
template <class T>
void first_stages(const Transform<T>& t, int log2_radix) {
  for (std::size_t i = 0; i < t.rows; ++i) {
    const T* x = t.x + i * t.x_stride;
    T* y = t.y + i * t.y_stride;
    if (t.signs == nullptr) {
      across_parts<false>(log2_radix, x, t.signs, y, t.n);
    } else {
      across_parts<true>(log2_radix, x, t.signs, y, t.n);
    }
  }
}

template <std::size_t kVectors, class D, class T = hn::TFromD<D>>
void within_chunks(D d, const Chunks<T>& chunks) {
  if (chunks.signs == nullptr) {
    return chunks.factors == nullptr ? within<kVectors, false, false>(d, chunks)
                                     : within<kVectors, false, true>(d, chunks);
  }
  return chunks.factors == nullptr ? within<kVectors, true, false>(d, chunks) : within<kVectors, true, true>(d, chunks);
}

/// All stages, breadth first, of rows that fit a part together; n is larger than a chunk. `ahead` as in Chunks.
template <class T>
void transform_part(const Transform<T>& t, std::size_t ahead) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const int chunk = std::countr_zero(kChunkVectors * hn::Lanes(d));
  int span = std::countr_zero(t.n);
  int log2_radix = span - chunk <= 4 ? span - chunk : 3;
  first_stages(t, log2_radix);
  for (span -= log2_radix; span > chunk; span -= log2_radix) {
    log2_radix = span - chunk <= 4 ? span - chunk : 3;
    const std::size_t step = std::size_t{1} << span;
    for (std::size_t i = 0; i < t.rows; ++i) {
      T* row = t.y + i * t.y_stride;
      for (T* y = row; y < row + t.n; y += step) across_parts<false, T>(log2_radix, y, nullptr, y, step);
    }
  }
  within_chunks<kChunkVectors>(d, Chunks<T>{t.rows, t.n >> chunk, t.y, t.y_stride, nullptr, t.y, t.y_stride, t.factors,
                                            t.factors_step << chunk, ahead});
}

/// One row larger than a part; depth first, so that all stages of a part run while it is in cache.
template <class T>
void transform_row(const Transform<T>& t) {
  constexpr std::size_t kPart = kPartBytes / sizeof(T);
  if (t.n <= kPart) return transform_part(t, 0);
  const int above = std::countr_zero(t.n) - std::countr_zero(kPart);
  const int log2_radix = above == 4 ? 2 : std::min(above, 3);
  first_stages(t, log2_radix);
  const std::size_t span = t.n >> log2_radix;
  for (std::size_t i = 0; i < t.n; i += span)
    transform_row(
        Transform<T>{1, t.y + i, 0, nullptr, t.y + i, 0, span, t.factors + i * t.factors_step, t.factors_step});
}

/// Rows no longer than a chunk.
template <class D, class T = hn::TFromD<D>>
void transform_short(D d, const Transform<T>& t) {
  const Chunks<T> chunks{t.rows, 1, t.x, t.x_stride, t.signs, t.y, t.y_stride, t.factors, 0, 0};
  switch (t.n / hn::Lanes(d)) {
    case 1:
      return within_chunks<1>(d, chunks);
    case 2:
      return within_chunks<2>(d, chunks);
    case 4:
      return within_chunks<4>(d, chunks);
    default:
      return within_chunks<8>(d, chunks);
  }
}

/// Rows longer than a chunk, as many at a time as fit a part.
template <class T>
void transform_long(Transform<T> t) {
  const std::size_t batch = std::max<std::size_t>(kPartBytes / sizeof(T) / t.n, 1);
  for (std::size_t left = t.rows; left > 0; left -= t.rows) {
    t.rows = std::min(batch, left);
    if (t.n * sizeof(T) <= kPartBytes) {
      transform_part(t, left > t.rows ? t.rows * t.x_stride : 0);
    } else {
      transform_row(t);
    }
    t.x += t.rows * t.x_stride, t.y += t.rows * t.y_stride;
  }
}

/// y = diag(signs) [x; 0].
template <class T>
void pad(const T* x, std::size_t inputs, const std::uint8_t* signs, T* y, std::size_t n) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  std::size_t j = 0;
  if (signs == nullptr) {
    std::memmove(y, x, inputs * sizeof(T));
  } else {
    for (; j + hn::Lanes(d) <= inputs; j += hn::Lanes(d))
      hn::StoreU(with_signs(d, hn::LoadU(d, x + j), signs + j), d, y + j);
    for (; j < inputs; ++j) y[j] = signs[j] == Diagonals<T>::kMinus ? -x[j] : x[j];
  }
  std::fill(y + inputs, y + n, T(0));
}

/// n >= 4 floats or 2 doubles.
template <class T>
void transform(const Transform<T>& t) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  if (t.n > kChunkVectors * hn::Lanes(d)) {
    transform_long(t);
  } else if (t.n >= hn::Lanes(d)) {
    transform_short(d, t);
  } else if (t.n * sizeof(T) == 32) {
    transform_short(hn::CappedTag<T, 32 / sizeof(T)>(), t);
  } else {
    transform_short(hn::CappedTag<T, 16 / sizeof(T)>(), t);
  }
}

template <class T>
void fwht_any(MatrixView<const T> X, const Diagonals<T>& diagonals, MatrixView<T> Y) {
  constexpr std::size_t kChunk = kChunkVectors * hn::MaxLanes(hn::CappedTag<T, 64 / sizeof(T)>());
  const std::span<const T> factors = diagonals.factors;
  T same[kChunk];
  if (factors.size() == 1) std::fill_n(same, kChunk, factors[0]);
  Transform<T> t{X.rows(),
                 X.data(),
                 X.stride(),
                 diagonals.signs,
                 Y.data(),
                 Y.stride(),
                 Y.cols(),
                 factors.size() == 1 ? same : factors.data(),
                 factors.size() <= 1 ? 0u : 1u};
  if (X.cols() == Y.cols()) return transform(t);
  const std::size_t batch = std::max<std::size_t>(kPartBytes / sizeof(T) / t.n, 1);
  t.signs = nullptr;
  t.x_stride = t.y_stride;
  for (std::size_t i = 0; i < X.rows(); i += batch) {
    t.rows = std::min(batch, X.rows() - i);
    t.y = Y.row(i).data();
    t.x = t.y;
    for (std::size_t k = i; k < i + t.rows; ++k) pad(X.row(k).data(), X.cols(), diagonals.signs, Y.row(k).data(), t.n);
    transform(t);
  }
}

void fwht_float(MatrixView<const float> X, const Diagonals<float>& diagonals, MatrixView<float> Y) {
  fwht_any(X, diagonals, Y);
}
void fwht_double(MatrixView<const double> X, const Diagonals<double>& diagonals, MatrixView<double> Y) {
  fwht_any(X, diagonals, Y);
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(fwht_float);
HWY_EXPORT(fwht_double);

/// Orders 1 and 2, shorter than a vector.
template <class T>
void fwht_tiny(MatrixView<const T> X, const Diagonals<T>& diagonals, MatrixView<T> Y) {
  const auto input = [&](std::size_t i, std::size_t j) {
    if (j >= X.cols()) return T(0);
    return diagonals.signs != nullptr && diagonals.signs[j] == Diagonals<T>::kMinus ? -X(i, j) : X(i, j);
  };
  const std::span<const T> factors = diagonals.factors;
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const T a = input(i, 0), b = input(i, 1);
    Y(i, 0) = Y.cols() == 1 ? a : a + b;
    if (Y.cols() == 2) Y(i, 1) = a - b;
    for (std::size_t j = 0; !factors.empty() && j < Y.cols(); ++j) Y(i, j) *= factors[factors.size() == 1 ? 0 : j];
  }
}

template <class T>
void check(MatrixView<const T> X, const Diagonals<T>& diagonals, MatrixView<T> Y) {
  const std::size_t n = Y.cols();
  if (!std::has_single_bit(n) || n > kLargestHadamard)
    refuse("Y.cols()", std::to_string(n), fmt::format("a power of two of at most {}", kLargestHadamard));
  if (X.rows() != Y.rows() || X.cols() > n)
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("{} rows of at most {} numbers", Y.rows(), n));
  const std::size_t factors = diagonals.factors.size();
  if (factors > 1 && factors != n) refuse("factors", std::to_string(factors), fmt::format("0, 1 or {}", n));
}

}  // namespace

template <class T>
void fwht(MatrixView<const T> X, const Diagonals<T>& diagonals, MatrixView<T> Y) {
  check(X, diagonals, Y);
  current_target();
  if (Y.cols() <= 2) return fwht_tiny(X, diagonals, Y);
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(fwht_float)(X, diagonals, Y);
  } else {
    HWY_DYNAMIC_DISPATCH(fwht_double)(X, diagonals, Y);
  }
}

template void fwht(MatrixView<const float>, const Diagonals<float>&, MatrixView<float>);
template void fwht(MatrixView<const double>, const Diagonals<double>&, MatrixView<double>);

}  // namespace bochner::simd
#endif  // HWY_ONCE

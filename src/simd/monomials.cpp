// SPDX-License-Identifier: Apache-2.0
#include "simd/monomials.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>

#include "bochner/matrix.h"
#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/monomials.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "simd/elementary-inl.h"

namespace bochner::simd {
#ifndef BOCHNER_SIMD_MONOMIALS_TASK
#define BOCHNER_SIMD_MONOMIALS_TASK

// Rows side by side, so that one coordinate of all of them is a few vectors and their signs are one word.
inline constexpr std::size_t kRowsOfPanel = 64;
// Directions computed before they are written to the rows of Z: at least a cache line of each row.
inline constexpr std::size_t kTile = 16;

/// At most kRowsOfPanel rows.
template <class T>
struct MonomialTask {
  const Monomials::Rows& monomials;
  MatrixView<const T> X;
  const T* row_offset;
  MatrixView<T> Z;
  MonomialOutput output;
  T* logs;               ///< d x kRowsOfPanel
  std::uint64_t* signs;  ///< d: bit r is set where x_l of row r is negative
  T* tile;               ///< kTile x kRowsOfPanel
  T* top;                ///< kRowsOfPanel: the largest |f| of a row; null where not wanted
};

#endif
}  // namespace bochner::simd

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

template <class T>
using PanelTag = hn::CappedTag<T, 64 / sizeof(T)>;

/// Computes the logarithms and signs of the coordinates; rows missing from X count as 1.
template <class T>
void take_logarithms(const MonomialTask<T>& task) {
  const PanelTag<T> d;
  const std::size_t n = task.X.rows();
  for (std::size_t l = 0; l < task.X.cols(); ++l) {
    T* line = task.logs + l * kRowsOfPanel;
    for (std::size_t r = 0; r < n; ++r) line[r] = task.X(r, l);
    std::fill(line + n, line + kRowsOfPanel, T(1));
    std::uint64_t word = 0;
    for (std::size_t r = 0; r < n; ++r) word |= std::uint64_t{line[r] < T(0)} << r;
    task.signs[l] = word;
    const auto scale = hn::Set(d, static_cast<T>(task.monomials.scale));
    for (std::size_t r = 0; r < n; r += hn::Lanes(d))
      hn::Store(log2(d, hn::Abs(hn::Mul(hn::Load(d, line + r), scale))), d, line + r);
  }
}

/// `value` with those lanes negated whose bit of `word` is set.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V with_signs(D d, V value, std::uint64_t word) {
  const hn::RebindToUnsigned<D> bits;
  using U = hn::TFromD<decltype(bits)>;
  const auto lane_bit = hn::Shl(hn::Set(bits, U(1)), hn::Iota(bits, U(0)));
  const auto negative = hn::TestBit(hn::Set(bits, static_cast<U>(word)), lane_bit);
  return hn::IfThenElse(hn::RebindMask(d, negative), hn::Neg(value), value);
}

/// One direction for kVectors vectors of rows, starting at row `first`.
template <std::size_t kVectors, class T>
HWY_INLINE void one_direction(const MonomialTask<T>& task, std::size_t j, std::size_t first, T* out) {
  const PanelTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const Monomials::Rows& rows = task.monomials;
  V sums[kVectors];
  for (V& sum : sums) sum = hn::Zero(d);
  const Monomials::Factor* factors = rows.factors.data();
  for (std::size_t i = rows.first[j]; i < rows.first[j + 1]; ++i) {
    const V k = hn::Set(d, static_cast<T>(factors[i].exponent));
    const T* line = task.logs + factors[i].coordinate * kRowsOfPanel + first;
    for (std::size_t v = 0; v < kVectors; ++v) sums[v] = hn::MulAdd(k, hn::Load(d, line + v * lanes), sums[v]);
  }
  std::uint64_t word = 0;
  for (std::size_t i = rows.first[j]; i < rows.even[j]; ++i) word ^= task.signs[factors[i].coordinate];
  word >>= first;
  const V offset = hn::Set(d, static_cast<T>(rows.offsets[j]));
  const V log2e = hn::Set(d, T(std::numbers::log2e));
  for (std::size_t v = 0; v < kVectors; ++v) {
    const V a = hn::Load(d, task.row_offset + first + v * lanes);
    V value = hn::Add(sums[v], hn::MulAdd(a, log2e, offset));
    if (task.output == MonomialOutput::value) {
      value = exp2(d, value);
      if (task.top != nullptr) {
        T* const top = task.top + first + v * lanes;
        hn::Store(hn::Max(hn::Load(d, top), value), d, top);
      }
      if (word != 0) value = with_signs(d, value, word >> (v * lanes));
    } else {
      value = hn::Mul(value, hn::Set(d, T(std::numbers::ln2)));
    }
    hn::Store(value, d, out + first + v * lanes);
  }
}

/// All rows of X in the panel, in steps of 8 vectors, then 4, 2, 1: as many sums as fit in registers.
template <class T>
HWY_INLINE void all_rows(const MonomialTask<T>& task, std::size_t j, T* out) {
  const PanelTag<T> d;
  const std::size_t lanes = hn::Lanes(d), n = task.X.rows();
  std::size_t r = 0;
  for (; r + 7 * lanes < n; r += 8 * lanes) one_direction<8>(task, j, r, out);
  if (r + 3 * lanes < n) one_direction<4>(task, j, r, out), r += 4 * lanes;
  if (r + lanes < n) one_direction<2>(task, j, r, out), r += 2 * lanes;
  for (; r < n; r += lanes) one_direction<1>(task, j, r, out);
}

/// Whether a feature of the panel may leave the range of T: a + b_j + sum_l k_jl log2|scale x_l| is at most a, the
/// largest b and the largest sum of exponents times the largest logarithm.
template <class T>
bool may_overflow(const MonomialTask<T>& task) {
  const PanelTag<T> d;
  constexpr double kMost = std::is_same_v<T, float> ? 120 : 1000;
  const Monomials::Rows& rows = task.monomials;
  for (std::size_t r = 0; r < task.X.rows(); r += hn::Lanes(d)) {
    auto most = hn::Zero(d);
    for (std::size_t l = 0; l < task.X.cols(); ++l) most = hn::Max(most, hn::Load(d, task.logs + l * kRowsOfPanel + r));
    const auto bound = hn::MulAdd(most, hn::Set(d, static_cast<T>(rows.most_factors)),
                                  hn::MulAdd(hn::Load(d, task.row_offset + r), hn::Set(d, T(std::numbers::log2e)),
                                             hn::Set(d, static_cast<T>(rows.most_offset))));
    if (!hn::AllTrue(d, hn::Lt(bound, hn::Set(d, static_cast<T>(kMost))))) return true;
  }
  return false;
}

template <class T>
void monomials_any(MonomialTask<T> task) {
  take_logarithms(task);
  if (task.top != nullptr && !may_overflow(task)) task.top = nullptr;
  const std::size_t m = task.monomials.even.size(), n = task.X.rows();
  for (std::size_t first = 0; first < m; first += kTile) {
    const std::size_t columns = std::min(kTile, m - first);
    for (std::size_t t = 0; t < columns; ++t) all_rows(task, first + t, task.tile + t * kRowsOfPanel);
    for (std::size_t r = 0; r < n; ++r) {
      T* out = task.Z.data() + r * task.Z.stride() + first;
      for (std::size_t t = 0; t < columns; ++t) out[t] = task.tile[t * kRowsOfPanel + r];
    }
  }
}

void monomials_float(const MonomialTask<float>& task) { monomials_any(task); }
void monomials_double(const MonomialTask<double>& task) { monomials_any(task); }

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {

HWY_EXPORT(monomials_float);
HWY_EXPORT(monomials_double);

Monomials::Monomials(MatrixView<const double> exponents, std::vector<double> offsets, double scale)
    : rows_{{0}, {}, {}, std::move(offsets), scale} {
  for (double& offset : rows_.offsets) offset *= std::numbers::log2e;
  if (!rows_.offsets.empty()) rows_.most_offset = std::ranges::max_element(rows_.offsets)[0];
  for (std::size_t j = 0; j < exponents.rows(); ++j) {
    const auto add = [&](bool odd) {
      for (std::size_t l = 0; l < exponents.cols(); ++l) {
        const double k = exponents(j, l);
        if (k != 0 && (std::fmod(k, 2) == 1) == odd)
          rows_.factors.push_back({static_cast<std::uint32_t>(l), static_cast<float>(k)});
      }
    };
    double sum = 0;
    for (std::size_t l = 0; l < exponents.cols(); ++l) sum += exponents(j, l);
    rows_.most_factors = std::max(rows_.most_factors, sum);
    add(true);
    rows_.even.push_back(rows_.factors.size());
    add(false);
    rows_.first.push_back(rows_.factors.size());
  }
}

template <class T>
void Monomials::apply(MatrixView<const T> X, std::span<const T> row_offset, MatrixView<T> Z, MonomialOutput output,
                      std::span<T> top) const {
  current_target();
  static thread_local Matrix<T> workspace;
  static thread_local std::vector<std::uint64_t> signs;
  const std::size_t lines = X.cols() + kTile + 2;
  if (workspace.rows() < lines) workspace = Matrix<T>(lines, kRowsOfPanel, T(0));
  signs.resize(X.cols());
  T* const offsets = workspace.data();
  T* const tops = offsets + kRowsOfPanel;
  T* const tile = tops + kRowsOfPanel;
  for (std::size_t first = 0; first < X.rows(); first += kRowsOfPanel) {
    const std::size_t last = std::min(first + kRowsOfPanel, X.rows());
    std::copy(row_offset.begin() + first, row_offset.begin() + last, offsets);
    std::fill(tops, tops + kRowsOfPanel, T(0));
    const MonomialTask<T> task{rows_,
                               X.row_range(first, last),
                               offsets,
                               Z.row_range(first, last),
                               output,
                               tile + kTile * kRowsOfPanel,
                               signs.data(),
                               tile,
                               top.empty() ? nullptr : tops};
    if constexpr (std::is_same_v<T, float>) {
      HWY_DYNAMIC_DISPATCH(monomials_float)(task);
    } else {
      HWY_DYNAMIC_DISPATCH(monomials_double)(task);
    }
    for (std::size_t i = first; i < last && !top.empty(); ++i)
      if (!(tops[i - first] <= std::numeric_limits<T>::max())) top[i] = std::numeric_limits<T>::infinity();
  }
}

template void Monomials::apply(MatrixView<const float>, std::span<const float>, MatrixView<float>, MonomialOutput,
                               std::span<float>) const;
template void Monomials::apply(MatrixView<const double>, std::span<const double>, MatrixView<double>, MonomialOutput,
                               std::span<double>) const;

}  // namespace bochner::simd
#endif  // HWY_ONCE

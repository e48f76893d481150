// SPDX-License-Identifier: Apache-2.0
// The register tile behind project.h and the loops that keep its operands in cache.

#ifndef BOCHNER_SIMD_PROJECT_TASK_H_
#define BOCHNER_SIMD_PROJECT_TASK_H_
#include "simd/finish.h"
#include "simd/packed_rows.h"
namespace bochner::simd {
template <class T>
struct ProjectTask {
  const PackedRows<T>& W;
  MatrixView<const T> X;
  const Finish<T>& finish;
  MatrixView<T> Z;
  Rounding rounding;
  bool streaming;
};
}  // namespace bochner::simd
#endif  // BOCHNER_SIMD_PROJECT_TASK_H_

#if defined(BOCHNER_SIMD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_SIMD_TILE_INL_H_
#undef BOCHNER_SIMD_TILE_INL_H_
#else
#define BOCHNER_SIMD_TILE_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/cache_control.h"
#include "simd/finish-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

// 6 x 2 accumulators, 2 vectors of W and 1 of X fill 15 of the 16 registers of SSE and AVX2.
inline constexpr std::size_t kTileRows = 6;
inline constexpr std::size_t kTileVectors = 2;
// Coordinates per pass: a tile of X takes 12 KiB of a 32 KiB L1; panels stream from L2.
inline constexpr std::size_t kDepthBytes = 2048;
// A strip is as many panels as fill 64 KiB of L2 at that depth: every tile of rows reuses it, and its output is
// contiguous.
inline constexpr std::size_t kStripBytes = 65536;
inline constexpr std::size_t kMaxStripPanels = 8;
// Projections of a block of rows wait here, in L1 and L2, for the nonlinearity, because long runs hide its latency
// (a call per tile of 6 x 16 took 5 cycles per value more at d = 256).
inline constexpr std::size_t kScratchBytes = 24576;

template <Rounding kRounding, class V>
HWY_INLINE V accumulate(V a, V b, V sum) {
  if constexpr (kRounding == Rounding::fused) {
    return hn::MulAdd(a, b, sum);
  } else {
    return hn::Add(sum, hn::Mul(a, b));
  }
}

/// sums[r][0..1] (+)= sum_k x[r][k] panel[k] for 6 rows of X, `stride` apart, 2 vectors of directions; rows of `sums`
/// are `sums_stride` apart. `resume` adds to what `sums` holds.
template <Rounding kRounding, class T>
HWY_NOINLINE void tile(std::size_t depth, const T* HWY_RESTRICT x, std::size_t stride, const T* HWY_RESTRICT panel,
                       bool resume, T* HWY_RESTRICT sums, std::size_t sums_stride) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  V s00 = hn::Zero(d), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  V s30 = s00, s31 = s00, s40 = s00, s41 = s00, s50 = s00, s51 = s00;
  const auto row = [&](std::size_t r, std::size_t v) HWY_ATTR { return sums + r * sums_stride + v * lanes; };
  if (resume) {
    s00 = hn::Load(d, row(0, 0)), s01 = hn::Load(d, row(0, 1)), s10 = hn::Load(d, row(1, 0));
    s11 = hn::Load(d, row(1, 1)), s20 = hn::Load(d, row(2, 0)), s21 = hn::Load(d, row(2, 1));
    s30 = hn::Load(d, row(3, 0)), s31 = hn::Load(d, row(3, 1)), s40 = hn::Load(d, row(4, 0));
    s41 = hn::Load(d, row(4, 1)), s50 = hn::Load(d, row(5, 0)), s51 = hn::Load(d, row(5, 1));
  }
  const T* x0 = x;
  const T* x3 = x + 3 * stride;
  for (std::size_t k = 0; k < depth; ++k) {
    const V w0 = hn::Load(d, panel);
    const V w1 = hn::Load(d, panel + lanes);
    panel += 2 * lanes;
    V a = hn::Set(d, x0[0]);
    s00 = accumulate<kRounding>(a, w0, s00), s01 = accumulate<kRounding>(a, w1, s01);
    a = hn::Set(d, x0[stride]);
    s10 = accumulate<kRounding>(a, w0, s10), s11 = accumulate<kRounding>(a, w1, s11);
    a = hn::Set(d, x0[2 * stride]);
    s20 = accumulate<kRounding>(a, w0, s20), s21 = accumulate<kRounding>(a, w1, s21);
    a = hn::Set(d, x3[0]);
    s30 = accumulate<kRounding>(a, w0, s30), s31 = accumulate<kRounding>(a, w1, s31);
    a = hn::Set(d, x3[stride]);
    s40 = accumulate<kRounding>(a, w0, s40), s41 = accumulate<kRounding>(a, w1, s41);
    a = hn::Set(d, x3[2 * stride]);
    s50 = accumulate<kRounding>(a, w0, s50), s51 = accumulate<kRounding>(a, w1, s51);
    ++x0, ++x3;
  }
  hn::Store(s00, d, row(0, 0)), hn::Store(s01, d, row(0, 1)), hn::Store(s10, d, row(1, 0));
  hn::Store(s11, d, row(1, 1)), hn::Store(s20, d, row(2, 0)), hn::Store(s21, d, row(2, 1));
  hn::Store(s30, d, row(3, 0)), hn::Store(s31, d, row(3, 1)), hn::Store(s40, d, row(4, 0));
  hn::Store(s41, d, row(4, 1)), hn::Store(s50, d, row(5, 0)), hn::Store(s51, d, row(5, 1));
}

template <class T>
using Tile = void (*)(std::size_t, const T*, std::size_t, const T*, bool, T*, std::size_t);

/// The loop sizes of one projection, in the units of this target.
template <class T>
struct Loops {
  explicit Loops(const PackedRows<T>& W)
      : panel_width(W.panel_width()), panels((W.rows() + panel_width - 1) / panel_width) {
    const std::size_t depth = std::clamp<std::size_t>(W.depth(), 1, kDepth);
    strip_panels = std::clamp<std::size_t>(kStripBytes / (sizeof(T) * depth * panel_width), 1, kMaxStripPanels);
    strip_panels = std::min(strip_panels, std::max<std::size_t>(panels, 1));
    strip_width = strip_panels * panel_width;
    rows = std::max<std::size_t>(kScratchBytes / (sizeof(T) * strip_width * kTileRows), 1) * kTileRows;
  }
  static constexpr std::size_t kDepth = kDepthBytes / sizeof(T);
  std::size_t panel_width, panels, strip_panels, strip_width;
  std::size_t rows;  ///< per pass over the strip, a multiple of the tile
};

/// Rows [first, first + rows) of X times all of W; `rows` is at most loops.rows and a multiple of the tile.
template <class T>
HWY_INLINE void project_rows(const ProjectTask<T>& task, const Loops<T>& loops, std::size_t first, std::size_t rows,
                             Tile<T> tile_of, FinishBlock<T> finish) {
  constexpr std::size_t kWidest = kTileVectors * hn::MaxLanes(hn::ScalableTag<T>()) * kTileRows * kMaxStripPanels;
  HWY_ALIGN T scratch[std::max(kScratchBytes / sizeof(T), kWidest)];
  const std::size_t m = task.W.rows();
  const std::size_t depth = task.W.depth();
  for (std::size_t p = 0; p < loops.panels; p += loops.strip_panels) {
    const std::size_t last = std::min(p + loops.strip_panels, loops.panels);
    for (std::size_t k = 0; k < depth; k += loops.kDepth) {
      const std::size_t deep = std::min(loops.kDepth, depth - k);
      for (std::size_t i = 0; i < rows; i += kTileRows) {
        for (std::size_t q = p; q < last; ++q) {
          tile_of(deep, task.X.data() + (first + i) * task.X.stride() + k, task.X.stride(),
                  task.W.panel(q) + k * loops.panel_width, k > 0,
                  scratch + i * loops.strip_width + (q - p) * loops.panel_width, loops.strip_width);
        }
      }
    }
    const std::size_t column = p * loops.panel_width;
    finish({task.finish, first, rows, column, std::min(loops.strip_width, m - column), scratch, loops.strip_width,
            task.Z, m});
  }
}

/// The last n % 6 rows, padded with zeros to a whole tile.
template <class T>
HWY_INLINE void project_tail(const ProjectTask<T>& task, const Loops<T>& loops, std::size_t first, Tile<T> tile_of) {
  const std::size_t rows = task.X.rows() - first;
  Matrix<T> X(kTileRows, task.X.cols(), T(0));
  Matrix<T> Z(kTileRows, task.Z.cols(), T(0));
  T row_scale[kTileRows] = {};
  T row_offset[kTileRows] = {};
  T row_top[kTileRows] = {};
  Finish<T> finish = task.finish;
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(task.X.row(first + r).data(), X.cols(), X.view().row(r).data());
    if (finish.shape == Shape::add) std::copy_n(task.Z.row(first + r).data(), Z.cols(), Z.view().row(r).data());
    if (finish.row_scale != nullptr) row_scale[r] = finish.row_scale[first + r];
    if (finish.row_offset != nullptr) row_offset[r] = finish.row_offset[first + r];
  }
  if (finish.row_scale != nullptr) finish.row_scale = row_scale;
  if (finish.row_offset != nullptr) finish.row_offset = row_offset;
  if (finish.row_top != nullptr) finish.row_top = row_top;
  project_rows(ProjectTask<T>{task.W, X, finish, Z, task.rounding, false}, loops, 0, kTileRows, tile_of,
               choose_finish<T>(finish, false));
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(Z.view().row(r).data(), Z.cols(), task.Z.row(first + r).data());
    if (finish.row_top != nullptr) task.finish.row_top[first + r] = row_top[r];
  }
}

template <class T>
void project_blocked(const ProjectTask<T>& task) {
  const Loops<T> loops(task.W);
  const Tile<T> tile_of = task.rounding == Rounding::fused ? &tile<Rounding::fused, T> : &tile<Rounding::separate, T>;
  const FinishBlock<T> finish = choose_finish<T>(task.finish, task.streaming);
  const std::size_t whole = task.X.rows() - task.X.rows() % kTileRows;
  for (std::size_t i = 0; i < whole; i += loops.rows)
    project_rows(task, loops, i, std::min(loops.rows, whole - i), tile_of, finish);
  if (whole < task.X.rows()) project_tail(task, loops, whole, tile_of);
  if (task.streaming) hwy::FlushStream();
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BOCHNER_SIMD_TILE_INL_H_

// SPDX-License-Identifier: Apache-2.0
// The nonlinearities of finish.h on one row of projections.

#if defined(BOCHNER_SIMD_FINISH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_SIMD_FINISH_INL_H_
#undef BOCHNER_SIMD_FINISH_INL_H_
#else
#define BOCHNER_SIMD_FINISH_INL_H_
#endif

#include <cstddef>
#include <cstring>
#include <limits>
#include <numbers>

#include "bochner/matrix_view.h"
#include "simd/elementary-inl.h"
#include "simd/finish.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

/// Directions [first, first + columns) of rows [first_row, first_row + rows): their projections, and where outputs go.
template <class T>
struct FinishTask {
  const Finish<T>& finish;
  std::size_t first_row;
  std::size_t rows;
  std::size_t first;
  std::size_t columns;
  const T* projections;  ///< rows `stride` apart, readable in whole vectors beyond `columns`
  std::size_t stride;
  MatrixView<T> Z;
  std::size_t m;
};

/// The offset, scale and phase of a vector of directions.
template <class V>
struct Columns {
  V offset;
  V scale;
  V phase;
};

template <class T>
struct ColumnData {
  explicit ColumnData(const Finish<T>& finish, std::size_t first)
      : offset(from(finish.column_offset, first)),
        scale(from(finish.column_scale, first)),
        phase(from(finish.column_phase, first)) {}
  static const T* from(const T* numbers, std::size_t first) { return numbers == nullptr ? nullptr : numbers + first; }

  const T* offset;
  const T* scale;
  const T* phase;
};

constexpr bool has_offset(Shape shape) { return shape != Shape::sincos && shape != Shape::cis && shape != Shape::sign; }

/// The numbers of a vector of directions; `load(numbers)` is called for those that the shape uses.
template <Shape kShape, class D, class Load, class V = hn::VFromD<D>>
HWY_INLINE Columns<V> load_columns(D d, const ColumnData<hn::TFromD<D>>& data, const Load& load) {
  Columns<V> columns{hn::Zero(d), hn::Set(d, hn::TFromD<D>(1)), hn::Zero(d)};
  if (has_offset(kShape) && data.offset != nullptr) columns.offset = load(data.offset);
  if (kShape == Shape::cis && data.scale != nullptr) columns.scale = load(data.scale);
  if (kShape == Shape::complex_exp && data.phase != nullptr) columns.phase = load(data.phase);
  return columns;
}

/// Outputs of one vector of projections p; `top` becomes their largest magnitude where the shape is unbounded.
template <Shape kShape, class D, class V = hn::VFromD<D>>
HWY_INLINE void evaluate(D d, V p, const Columns<V>& columns, V scale, V offset, const Finish<hn::TFromD<D>>& finish,
                         V& first, V& second, V& top) {
  using T = hn::TFromD<D>;
  const T slope = finish.slope;
  const V b = columns.offset;
  const V to_turns = hn::Set(d, T(std::numbers::inv_pi / 2) * slope);
  const V log2e = hn::Set(d, T(std::numbers::log2e));
  const V to_exponent = hn::Set(d, T(std::numbers::log2e) * slope);
  if constexpr (kShape == Shape::linear || kShape == Shape::add) first = hn::Mul(scale, hn::Mul(hn::Set(d, slope), p));
  if constexpr (kShape == Shape::cosine) first = cos_turns(d, hn::MulAdd(p, to_turns, b), scale);
  if constexpr (kShape == Shape::sincos) sincos_turns(d, hn::Mul(p, to_turns), scale, first, second);
  if constexpr (kShape == Shape::cis)
    sincos_turns(d, hn::Mul(p, to_turns), hn::Mul(scale, columns.scale), second, first);
  if constexpr (kShape == Shape::exp || kShape == Shape::exp_pair) {
    const V shift = hn::Mul(hn::Add(offset, b), log2e);
    first = hn::Mul(scale, exp2(d, hn::MulAdd(p, to_exponent, shift)));
    top = first;
    if constexpr (kShape == Shape::exp_pair) {
      second = hn::Mul(scale, exp2(d, hn::NegMulAdd(p, to_exponent, shift)));
      top = hn::Max(first, second);
    }
  }
  if constexpr (kShape == Shape::complex_exp) {
    const V turns = hn::MulAdd(p, hn::Set(d, T(std::numbers::inv_pi / 2) * finish.phase_slope), columns.phase);
    const V size = hn::Mul(scale, exp2(d, hn::MulAdd(p, to_exponent, hn::Mul(hn::Add(offset, b), log2e))));
    polar_turns(d, size, turns, first, second);
    top = size;
  }
  if constexpr (kShape == Shape::exponent || kShape == Shape::exponent_pair) {
    const V shift = hn::Add(offset, b);
    first = hn::MulAdd(p, hn::Set(d, slope), shift);
    second = hn::NegMulAdd(p, hn::Set(d, slope), shift);
  }
  if constexpr (kShape == Shape::sign) {
    first = hn::IfThenElse(hn::Ge(p, hn::Zero(d)), scale, hn::Neg(scale));
  }
}

template <Shape kShape, bool kStreaming, class D, class V = hn::VFromD<D>>
HWY_INLINE void put(D d, V value, hn::TFromD<D>* out) {
  if constexpr (kShape == Shape::add) value = hn::Add(value, hn::LoadU(d, out));
  if constexpr (kStreaming) {
    hn::Stream(value, d, out);
  } else {
    hn::StoreU(value, d, out);
  }
}

/// Columns [j, columns) of a row, fewer than a vector. They go through the same lanes on padded copies, so their bits
/// are those of a whole vector. Returns their magnitudes, 0 in other lanes.
template <Shape kShape, class D, class V = hn::VFromD<D>>
HWY_INLINE V finish_tail(D d, const FinishTask<hn::TFromD<D>>& task, std::size_t r, std::size_t j, V scale, V offset,
                         hn::TFromD<D>* out_first, hn::TFromD<D>* out_second) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
  const std::size_t left = task.columns - j;
  const auto columns = load_columns<kShape>(d, ColumnData<T>(task.finish, task.first + j), [&](const T* at) HWY_ATTR {
    std::memcpy(buffer, at, left * sizeof(T));
    return hn::Load(d, buffer);
  });
  V first = hn::Zero(d), second = first, top = first;
  evaluate<kShape>(d, hn::LoadU(d, task.projections + r * task.stride + j), columns, scale, offset, task.finish, first,
                   second, top);
  if constexpr (kShape == Shape::add) {
    std::memcpy(buffer, out_first, left * sizeof(T));
    first = hn::Add(first, hn::Load(d, buffer));
  }
  hn::Store(first, d, buffer);
  std::memcpy(out_first, buffer, left * sizeof(T));
  if constexpr (width(kShape) == 2) {
    hn::Store(second, d, buffer);
    std::memcpy(out_second, buffer, left * sizeof(T));
  }
  return hn::IfThenElseZero(hn::FirstN(d, left), top);
}

/// Streaming stores need 64-byte aligned outputs and whole vectors. `kTop`: row_top is wanted.
template <Shape kShape, bool kStreaming, bool kTop, class T>
void finish_block(const FinishTask<T>& task) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const Finish<T>& f = task.finish;
  const ColumnData<T> data(f, task.first);
  for (std::size_t r = 0; r < task.rows; ++r) {
    const std::size_t i = task.first_row + r;
    const V scale = hn::Set(d, f.row_scale == nullptr ? f.scale : f.scale * f.row_scale[i]);
    const V offset = hn::Set(d, f.row_offset == nullptr ? T(0) : f.row_offset[i]);
    const T* p = task.projections + r * task.stride;
    T* out_first = task.Z.data() + i * task.Z.stride() + task.first;
    T* out_second = out_first + task.m;
    V first = hn::Zero(d), second = first, top = first, most = first;
    std::size_t j = 0;
    for (; j + lanes <= task.columns; j += lanes) {
      const auto columns = load_columns<kShape>(d, data, [&](const T* at) HWY_ATTR { return hn::LoadU(d, at + j); });
      evaluate<kShape>(d, hn::LoadU(d, p + j), columns, scale, offset, f, first, second, top);
      put<kShape, kStreaming>(d, first, out_first + j);
      if constexpr (width(kShape) == 2) put<kShape, kStreaming>(d, second, out_second + j);
      if constexpr (kTop) most = hn::Max(most, top);
    }
    if (j < task.columns) top = finish_tail<kShape>(d, task, r, j, scale, offset, out_first + j, out_second + j);
    if constexpr (kTop) {
      if (j < task.columns) most = hn::Max(most, top);
      if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Le(most, hn::Set(d, std::numeric_limits<T>::max())))))
        f.row_top[i] = std::numeric_limits<T>::infinity();
    }
  }
}

template <class T>
using FinishBlock = void (*)(const FinishTask<T>&);

template <Shape kShape, class T>
FinishBlock<T> finish_block_of(bool streaming, bool top) {
  if constexpr (is_unbounded(kShape))
    if (top) return streaming ? &finish_block<kShape, true, true, T> : &finish_block<kShape, false, true, T>;
  return streaming ? &finish_block<kShape, kShape != Shape::add, false, T> : &finish_block<kShape, false, false, T>;
}

/// The choice is made once per block of rows.
template <class T>
FinishBlock<T> choose_finish(const Finish<T>& finish, bool streaming) {
  const bool top = finish.row_top != nullptr;
  switch (finish.shape) {
    case Shape::linear:
      return finish_block_of<Shape::linear, T>(streaming, top);
    case Shape::add:
      return finish_block_of<Shape::add, T>(streaming, top);
    case Shape::cosine:
      return finish_block_of<Shape::cosine, T>(streaming, top);
    case Shape::sincos:
      return finish_block_of<Shape::sincos, T>(streaming, top);
    case Shape::exp:
      return finish_block_of<Shape::exp, T>(streaming, top);
    case Shape::exp_pair:
      return finish_block_of<Shape::exp_pair, T>(streaming, top);
    case Shape::exponent:
      return finish_block_of<Shape::exponent, T>(streaming, top);
    case Shape::exponent_pair:
      return finish_block_of<Shape::exponent_pair, T>(streaming, top);
    case Shape::sign:
      return finish_block_of<Shape::sign, T>(streaming, top);
    case Shape::cis:
      return finish_block_of<Shape::cis, T>(streaming, top);
    case Shape::complex_exp:
      return finish_block_of<Shape::complex_exp, T>(streaming, top);
  }
  return nullptr;
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BOCHNER_SIMD_FINISH_INL_H_

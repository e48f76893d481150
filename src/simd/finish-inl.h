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
#include <numbers>

#include "bochner/matrix_view.h"
#include "simd/elementary-inl.h"
#include "simd/finish.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

/// Directions [first, first + columns) of rows [first_row, first_row + rows): their projections and where outputs go.
template <class T>
struct FinishTask {
  const Finish<T>& finish;
  std::size_t first_row;
  std::size_t rows;
  std::size_t first;
  std::size_t columns;
  const T* projections;  ///< rows of `stride` numbers, readable in whole vectors beyond `columns`
  std::size_t stride;
  MatrixView<T> Z;
  std::size_t m;
};

/// Outputs of one vector of projections p with column offsets b.
template <Shape kShape, class D, class V = hn::VFromD<D>>
HWY_INLINE void evaluate(D d, V p, V b, V scale, V offset, hn::TFromD<D> slope, V& first, V& second) {
  using T = hn::TFromD<D>;
  const V to_turns = hn::Set(d, T(std::numbers::inv_pi / 2) * slope);
  const V log2e = hn::Set(d, T(std::numbers::log2e));
  const V to_exponent = hn::Set(d, T(std::numbers::log2e) * slope);
  if constexpr (kShape == Shape::linear || kShape == Shape::add) first = hn::Mul(scale, hn::Mul(hn::Set(d, slope), p));
  if constexpr (kShape == Shape::cosine) first = cos_turns(d, hn::MulAdd(p, to_turns, b), scale);
  if constexpr (kShape == Shape::sincos) sincos_turns(d, hn::Mul(p, to_turns), scale, first, second);
  if constexpr (kShape == Shape::exp || kShape == Shape::exp_pair) {
    const V shift = hn::Mul(hn::Add(offset, b), log2e);
    first = hn::Mul(scale, exp2(d, hn::MulAdd(p, to_exponent, shift)));
    if constexpr (kShape == Shape::exp_pair) second = hn::Mul(scale, exp2(d, hn::NegMulAdd(p, to_exponent, shift)));
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
/// are those of a whole vector.
template <Shape kShape, class D, class V = hn::VFromD<D>>
HWY_INLINE void finish_tail(D d, const hn::TFromD<D>* p, const hn::TFromD<D>* column_offset, std::size_t left, V scale,
                            V offset, hn::TFromD<D> slope, hn::TFromD<D>* out_first, hn::TFromD<D>* out_second) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
  if (column_offset != nullptr) std::memcpy(buffer, column_offset, left * sizeof(T));
  V first = hn::Zero(d);
  V second = hn::Zero(d);
  evaluate<kShape>(d, hn::LoadU(d, p), hn::Load(d, buffer), scale, offset, slope, first, second);
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
}

/// Streaming stores need 64-byte aligned outputs and whole vectors.
template <Shape kShape, bool kStreaming, class T>
void finish_block(const FinishTask<T>& task) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const Finish<T>& f = task.finish;
  const T* column_offset = f.column_offset == nullptr ? nullptr : f.column_offset + task.first;
  for (std::size_t r = 0; r < task.rows; ++r) {
    const std::size_t i = task.first_row + r;
    const V scale = hn::Set(d, f.row_scale == nullptr ? f.scale : f.scale * f.row_scale[i]);
    const V offset = hn::Set(d, f.row_offset == nullptr ? T(0) : f.row_offset[i]);
    const T* p = task.projections + r * task.stride;
    T* out_first = task.Z.data() + i * task.Z.stride() + task.first;
    T* out_second = out_first + task.m;
    V b = hn::Zero(d);
    V first = hn::Zero(d);
    V second = hn::Zero(d);
    std::size_t j = 0;
    for (; j + lanes <= task.columns; j += lanes) {
      if (column_offset != nullptr) b = hn::LoadU(d, column_offset + j);
      evaluate<kShape>(d, hn::LoadU(d, p + j), b, scale, offset, f.slope, first, second);
      put<kShape, kStreaming>(d, first, out_first + j);
      if constexpr (width(kShape) == 2) put<kShape, kStreaming>(d, second, out_second + j);
    }
    if (j == task.columns) continue;
    finish_tail<kShape>(d, p + j, column_offset == nullptr ? nullptr : column_offset + j, task.columns - j, scale,
                        offset, f.slope, out_first + j, out_second + j);
  }
}

template <class T>
using FinishBlock = void (*)(const FinishTask<T>&);

template <Shape kShape, class T>
FinishBlock<T> finish_block_of(bool streaming) {
  return streaming ? &finish_block<kShape, kShape != Shape::add, T> : &finish_block<kShape, false, T>;
}

/// The choice is made once per block of rows.
template <class T>
FinishBlock<T> choose_finish(Shape shape, bool streaming) {
  switch (shape) {
    case Shape::linear:
      return finish_block_of<Shape::linear, T>(streaming);
    case Shape::add:
      return finish_block_of<Shape::add, T>(streaming);
    case Shape::cosine:
      return finish_block_of<Shape::cosine, T>(streaming);
    case Shape::sincos:
      return finish_block_of<Shape::sincos, T>(streaming);
    case Shape::exp:
      return finish_block_of<Shape::exp, T>(streaming);
    case Shape::exp_pair:
      return finish_block_of<Shape::exp_pair, T>(streaming);
    case Shape::exponent:
      return finish_block_of<Shape::exponent, T>(streaming);
    case Shape::exponent_pair:
      return finish_block_of<Shape::exponent_pair, T>(streaming);
    case Shape::sign:
      return finish_block_of<Shape::sign, T>(streaming);
  }
  return nullptr;
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BOCHNER_SIMD_FINISH_INL_H_

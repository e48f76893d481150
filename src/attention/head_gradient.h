// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "attention/attention_features.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// The rows of one query head and its key head.
template <class T>
struct HeadArrays {
  MatrixView<const T> q, k, v, grad;
  MatrixView<T> dq, dk, dv;
  std::span<const bool> kept;  ///< keys that count; empty: all
};

/// Writes dq and adds to dk and dv. `by_pieces`: segments of a causal head run on all threads, which takes 4/3 of the
/// flops and gives the same bits.
template <class T>
void add_head_gradient(const HeadFeatures& head, const HeadArrays<T>& arrays, bool causal, bool by_pieces);

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "bochner/attention.h"
#include "tasks/attention_chunk.h"
#include "tasks/attention_features.h"
#include "tasks/key_sums.h"

namespace bochner {

/// The arrays of one call and what all its parts need.
template <class T>
struct AttentionProblem {
  HeadsView<const T> q, k, v;
  HeadsView<T> out;
  MatrixView<const bool> key_mask;
  PanelSizes<T> sizes;
  double largest;  ///< entry of q and k

  AttentionProblem(HeadsView<const T> queries, HeadsView<const T> keys, HeadsView<const T> values, HeadsView<T> results,
                   MatrixView<const bool> mask, const Features& features)
      : q(queries),
        k(keys),
        v(values),
        out(results),
        key_mask(mask),
        sizes(features.outputs(), values.dim),
        largest((std::is_same_v<T, float> ? 1e18 : 1e150) * std::min(features.spec().lengthscale[0], 1.0)) {}

  std::size_t key_heads() const { return k.batch * k.heads; }
  /// Query heads for each key head.
  std::size_t group() const { return q.heads / k.heads; }
  /// Which of the keys [first, last) count; empty: all.
  std::span<const bool> kept(std::size_t b, std::size_t first, std::size_t last) const {
    return key_mask.data() == nullptr ? std::span<const bool>() : key_mask.row(b).subspan(first, last - first);
  }
};

/// Refuses shapes that do not fit each other.
template <class T>
void check_attention(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v, HeadsView<const T> out,
                     MatrixView<const bool> key_mask, bool causal);

/// Refuses entries of q and of what is not masked in k and v that are not finite, before anything is done.
template <class T>
void check_entries(const AttentionProblem<T>& problem);

/// Features of every key head: the common ones, or each with the A for its own queries and unmasked keys.
template <class T>
std::vector<HeadFeatures> features_of_heads(const AttentionProblem<T>& problem, const AttentionFeatures& features);

/// Every query sees every key.
template <class T>
AttentionReport bidirectional_attention(const AttentionProblem<T>& problem, const AttentionFeatures& features,
                                        bool diagnostics);

/// Where a causal key head stands.
template <class T>
struct CausalHead {
  HeadFeatures features;
  KeySums<T> sums;
  std::size_t position = 0;
};

/// Heads that have seen nothing.
template <class T>
std::vector<CausalHead<T>> causal_heads(const AttentionFeatures& features, const PanelSizes<T>& sizes,
                                        std::size_t count);

/// Rows that follow what the heads have seen; adds to the report.
template <class T>
void causal_attention(const AttentionProblem<T>& problem, std::span<CausalHead<T>> heads, bool diagnostics,
                      AttentionReport& report);

}  // namespace bochner

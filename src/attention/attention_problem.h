// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "attention/attention_arrays.h"
#include "attention/attention_features.h"
#include "bochner/attention.h"
#include "bochner/threads.h"

namespace bochner {

/// The largest entry of q and k, in lengthscales, whose features can be computed, and the largest entry of v, whose
/// sums reach L e^20 v.
template <class T>
inline constexpr double kLargestEntry = std::is_same_v<T, float> ? 1e18 : 1e150;

/// The arrays of one call, and what all its parts need.
template <class T>
struct AttentionProblem {
  HeadsSource<T> q, k, v;
  HeadsSink<T> out;
  MatrixView<const bool> key_mask;
  double scale, floor;
  double largest;  ///< largest entry of q and k

  AttentionProblem(const HeadsSource<T>& queries, const HeadsSource<T>& keys, const HeadsSource<T>& values,
                   const HeadsSink<T>& results, MatrixView<const bool> mask, const Features& features,
                   double least_share = 1)
      : q(queries),
        k(keys),
        v(values),
        out(results),
        key_mask(mask),
        scale(1 / (features.spec().lengthscale[0] * features.spec().lengthscale[0])),
        floor(least_share),
        largest(kLargestEntry<T> * std::min(features.spec().lengthscale[0], 1.0)) {}

  std::size_t key_heads() const { return k.batch * k.heads; }
  std::size_t queries() const { return q.batch * q.heads * q.length; }
  /// Number of query heads for each key head.
  std::size_t group() const { return q.heads / k.heads; }
  /// Which of the keys [first, last) count; empty: all.
  std::span<const bool> kept(std::size_t b, std::size_t first, std::size_t last) const {
    return key_mask.data() == nullptr ? std::span<const bool>() : key_mask.row(b).subspan(first, last - first);
  }
  /// With as many queries as keys, the mask is taken for the padding of self-attention, which must not change
  /// parameters. For two different sequences of equal length, leaving out a query changes the parameters, and with them
  /// the variance of the result, but not its mean; nothing else distinguishes the two cases.
  bool has_padding() const { return key_mask.data() != nullptr && q.length == k.length; }
  /// Which of the queries [first, last) count when parameters come from the rows; empty: all.
  std::span<const bool> counted(std::size_t b, std::size_t first, std::size_t last) const {
    return has_padding() ? kept(b, first, last) : std::span<const bool>();
  }
};

/// Rows [first, last) of a head of q, or of k and v.
struct RowPlace {
  std::size_t batch, head, first, last;
};

/// Refuses entries that are not finite or above `largest`; checks only rows that are `kept` (empty: all are).
template <class T>
void check_rows(MatrixView<const T> rows, std::span<const bool> kept, std::string_view name, const RowPlace& place,
                double largest);

struct HeadsShape {
  template <class View>
  HeadsShape(const View& view) : batch(view.batch), heads(view.heads), length(view.length), dim(view.dim) {}
  std::size_t batch, heads, length, dim;
};
/// Refuses shapes that do not fit together.
void check_attention(const HeadsShape& q, const HeadsShape& k, const HeadsShape& v, const HeadsShape& out,
                     MatrixView<const bool> key_mask, bool causal, std::string_view name_of_out = "out");

/// Refuses anything but a number from 0 to 1.
void check_floor(double floor);

/// Refuses, before any computation, entries that are not finite or too large: those of q, the unmasked ones of k and v,
/// and those of `grad` if given.
template <class T>
void check_entries(const AttentionProblem<T>& problem, const std::optional<HeadsSource<T>>& grad = {});

/// Features of every key head: the common ones, or each with parameters for its own queries that count and its unmasked
/// keys.
template <class T>
std::vector<HeadFeatures> features_of_heads(const AttentionProblem<T>& problem, const AttentionFeatures& features);

/// Attention in which every query sees every key.
template <class T>
AttentionReport bidirectional_attention(const AttentionProblem<T>& problem, const AttentionFeatures& features,
                                        bool diagnostics);

/// How many of the heads each run as one job: those that fill whole rounds of all threads. The rest do, too, unless
/// splitting them into pieces, which takes more / whole of the flops, would end sooner; it does not if
/// more than whole / more of the threads are busy.
inline std::size_t heads_by_themselves(std::size_t heads, std::size_t more, std::size_t whole) {
  const auto threads = static_cast<std::size_t>(num_threads());
  const std::size_t rest = heads % threads;
  return more * rest >= whole * threads ? heads : heads - rest;
}

/// With `diagnostics` and signed features: counts the negative weights among those of some queries and keys of every
/// head.
template <class T>
void count_negative_weights(const AttentionProblem<T>& problem, std::span<const HeadFeatures> heads, bool causal,
                            AttentionReport& report);

}  // namespace bochner

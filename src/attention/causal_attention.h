// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attention/attention_problem.h"
#include "attention/segment_sums.h"

namespace bochner {

/// The state of a causal key head.
template <class T>
struct CausalHead {
  HeadFeatures features;
  SegmentSums<T> sums;
  std::size_t position = 0;
};

/// Heads that have seen no rows.
template <class T>
std::vector<CausalHead<T>> causal_heads(const AttentionFeatures& features, std::size_t value_dim, std::size_t count);

/// Computes the rows that follow those the heads have seen, and adds to the report. Heads run side by side; if some
/// threads would be idle, segments of a head do: their keys are summed, the sums joined in order, and the queries
/// answered, which takes 3/2 of the flops and gives the same bits.
template <class T>
void causal_attention(const AttentionProblem<T>& problem, std::span<CausalHead<T>> heads, bool diagnostics,
                      AttentionReport& report);

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "attention/attention_chunk.h"
#include "attention/segment_sums.h"

namespace bochner {

/// Consecutive rows of one key head and of the query heads that share it.
template <class T>
class CausalRows {
 public:
  CausalRows(const AttentionProblem<T>& problem, std::size_t b, std::size_t h, const HeadFeatures& features,
             AttentionReport& report);

  /// Answers queries [first, last) and adds their keys; `position` counts the rows that the sums have seen.
  RowCounts run(SegmentSums<T>& sums, std::size_t& position, std::size_t first, std::size_t last);
  /// Adds keys only, all of one segment.
  void add(KeySums<T>& sums, std::size_t position, std::size_t first, std::size_t last);

 private:
  void answer(SegmentSums<T>& sums, std::size_t first, std::size_t last);
  void answer_part(SegmentSums<T>& sums, std::size_t first, std::size_t from, std::size_t to);
  void find_floors(const KeySums<T>& seen, const QueryChunk<T>& queries, std::size_t from, std::size_t to);
  void diagnose(const KeySums<T>& seen, std::span<const T> share, std::size_t g, std::size_t first, std::size_t from,
                std::size_t to);
  std::size_t query_head(std::size_t g) const { return h_ * problem_.group() + g; }
  RowPlace place(std::size_t head, std::size_t first, std::size_t last) const { return {b_, head, first, last}; }

  const AttentionProblem<T>& problem_;
  const std::size_t b_, h_;
  const HeadFeatures& features_;
  AttentionReport& report_;
  PanelSizes<T> sizes_;
  KeyChunk<T> keys_;
  std::vector<std::unique_ptr<QueryChunk<T>>> queries_;
  std::vector<double> log_floor_;
  RowCounts counts_;
};

}  // namespace bochner

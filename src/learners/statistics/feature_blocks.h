// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>

#include "bochner/features.h"
#include "bochner/matrix.h"
#include "learners/statistics/block_products.h"

namespace bochner {

/// Rows whose features are held at once: 64 x 4096 doubles are 2 MB. One bit each makes one word of a block.
inline constexpr std::size_t kClassifierBlock = 64;

/// Rows that need not be in memory together: one call is one pass over all of them, in parts, in order, always the
/// same. Every part but the last has a multiple of kClassifierBlock rows; `first` is the number of its first row.
using RowPass = std::function<void(const std::function<void(std::size_t first, const RowPart& X)>& use)>;

/// Rows of a classification, looked at where they lie; empty weights are ones.
struct LabelledRows {
  const Features& features;
  std::variant<MatrixView<const float>, MatrixView<const double>, RowPass> X;
  std::span<const std::int64_t> labels;
  std::span<const double> weights;

  std::size_t count() const { return labels.size(); }
};

/// The features of rows, block by block, again and again. Those of as many rows in memory as fit into `cache_bytes` are
/// computed once.
///
/// Blocks are dealt out to segments, whose number depends on the sizes alone; those of one segment are visited by one
/// thread, in order. So sums kept apart per segment have the same bits for any number of threads, and for rows in
/// memory or in parts.
class FeatureBlocks {
 public:
  /// Of block number `block` those rows whose bits are set in `rows`, in order: the rows of Z.
  struct Block {
    std::size_t segment, block;
    std::uint64_t rows;
    RowPart Z;
  };
  using Visit = std::function<void(const Block&)>;
  /// The rows of a block that are wanted, as bits; a visit may have more of them.
  using Wanted = std::function<std::uint64_t(std::size_t block)>;

  /// Sums of `numbers` doubles per segment: enough segments for as many threads, as long as they stay below 32 MB.
  FeatureBlocks(const LabelledRows& rows, std::size_t numbers, std::size_t cache_bytes);

  std::size_t blocks() const { return blocks_; }
  std::size_t segments() const { return segments_; }
  void for_each(const Visit& visit, const Wanted& wanted) const;

 private:
  void for_each_of(std::size_t start, const RowPart& X, const Visit& visit, const Wanted& wanted) const;
  template <class T>
  void visit_block(std::size_t first, MatrixView<const T> X, std::uint64_t rows, Block& block,
                   const Visit& visit) const;

  const Features& features_;
  std::variant<MatrixView<const float>, MatrixView<const double>, RowPass> X_;
  std::size_t blocks_, segments_;
  std::variant<Matrix<float>, Matrix<double>> cache_;  ///< features of the first rows, in their own precision
};

}  // namespace bochner

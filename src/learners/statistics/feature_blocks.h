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

/// Rows whose features are held at once: 64 x 4096 doubles are 2 MB. With one bit per row, a block is one word.
inline constexpr std::size_t kClassifierBlock = 64;

/// Rows that need not be in memory at the same time. Each call is one pass over all of them, in parts, always in the
/// same order. Every part but the last has a multiple of kClassifierBlock rows; `first` is the number of its first row.
using RowPass = std::function<void(const std::function<void(std::size_t first, const RowPart& X)>& use)>;

/// The rows of a classification, used without a copy; empty weights mean ones.
struct LabelledRows {
  const Features& features;
  std::variant<MatrixView<const float>, MatrixView<const double>, RowPass> X;
  std::span<const std::int64_t> labels;
  std::span<const double> weights;

  std::size_t count() const { return labels.size(); }
};

/// The features of rows, block by block, for any number of passes. If the rows are in memory, the features of as many
/// as fit into `cache_bytes` are computed only once.
///
/// Blocks are divided among segments, whose number depends only on the sizes. One thread visits the blocks of one
/// segment, in order. So separate sums per segment have the same bits for any number of threads, whether rows are in
/// memory or come in parts.
class FeatureBlocks {
 public:
  /// The rows of Z are those rows of block number `block` whose bits are set in `rows`, in order.
  struct Block {
    std::size_t segment, block;
    std::uint64_t rows;
    RowPart Z;
  };
  using Visit = std::function<void(const Block&)>;
  /// The wanted rows of a block, as bits; a visit may get more rows than these.
  using Wanted = std::function<std::uint64_t(std::size_t block)>;

  /// Each segment has sums of `numbers` doubles. There are enough segments for as many threads, as long as their sums
  /// take less than 32 MB.
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

// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/feature_blocks.h"

#include <algorithm>
#include <bit>

#include "core/parallel.h"
#include "features/scratch.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = kClassifierBlock;
constexpr std::size_t kMostSegments = 64, kMostNumbers = std::size_t{1} << 22;
static_assert(kRows == 64, "the rows of a block are the bits of a word");

std::uint64_t first_bits(std::size_t count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The features of as many whole blocks of rows as fit.
template <class T>
Matrix<T> first_features(const Features& features, MatrixView<const T> X, std::size_t bytes) {
  const std::size_t fit = bytes / (features.outputs() * sizeof(T));
  const std::size_t count = fit >= X.rows() ? X.rows() : fit / kRows * kRows;
  Matrix<T> Z(count, features.outputs());
  if (count > 0) features.transform(X.row_range(0, count), Z);
  return Z;
}

}  // namespace

FeatureBlocks::FeatureBlocks(const LabelledRows& rows, std::size_t numbers, std::size_t cache_bytes)
    : features_(rows.features),
      X_(rows.X),
      blocks_((rows.count() + kRows - 1) / kRows),
      segments_(std::clamp<std::size_t>(kMostNumbers / numbers, 1, std::min(kMostSegments, blocks_))) {
  if (const auto* single = std::get_if<MatrixView<const float>>(&X_))
    cache_ = first_features(features_, *single, cache_bytes);
  if (const auto* X = std::get_if<MatrixView<const double>>(&X_)) cache_ = first_features(features_, *X, cache_bytes);
}

void FeatureBlocks::for_each(const Visit& visit, const Wanted& wanted) const {
  const auto use = [&](std::size_t first, const RowPart& X) { for_each_of(first, X, visit, wanted); };
  if (const RowPass* pass = std::get_if<RowPass>(&X_)) return (*pass)(use);
  if (const auto* X = std::get_if<MatrixView<const float>>(&X_)) return use(0, *X);
  use(0, std::get<MatrixView<const double>>(X_));
}

/// Block number b of all rows belongs to segment b modulo the number of segments.
void FeatureBlocks::for_each_of(std::size_t start, const RowPart& X, const Visit& visit, const Wanted& wanted) const {
  const std::size_t count = std::visit([](const auto& rows) { return rows.rows(); }, X);
  parallel_for(segments_, 1, [&](std::size_t segment, std::size_t) {
    const std::size_t skipped = (segment + segments_ - start / kRows % segments_) % segments_;
    for (std::size_t first = skipped * kRows; first < count; first += segments_ * kRows) {
      const std::size_t last = std::min(first + kRows, count);
      Block block{segment, (start + first) / kRows, first_bits(last - first), {}};
      const std::uint64_t rows = wanted(block.block) & block.rows;
      if (rows == 0) continue;
      std::visit([&](const auto& part) { visit_block(start + first, part.row_range(first, last), rows, block, visit); },
                 X);
    }
  });
}

/// Visits all rows X of a block if their features are cached, otherwise only the gathered rows of `rows`.
template <class T>
void FeatureBlocks::visit_block(std::size_t first, MatrixView<const T> X, std::uint64_t rows, Block& block,
                                const Visit& visit) const {
  if (const auto* kept = std::get_if<Matrix<T>>(&cache_); kept != nullptr && first + X.rows() <= kept->rows()) {
    block.Z = kept->view().row_range(first, first + X.rows());
    return visit(block);
  }
  const auto count = static_cast<std::size_t>(std::popcount(rows));
  Scratch<T> gathered(count * X.cols()), memory(count * features_.outputs());
  const MatrixView<T> inputs(gathered.data(), count, X.cols()), Z(memory.data(), count, features_.outputs());
  std::size_t filled = 0;
  for (std::size_t i = 0; i < X.rows(); ++i)
    if (rows >> i & 1) std::copy_n(X.row(i).data(), X.cols(), inputs.row(filled++).data());
  features_.transform(inputs, Z);
  block.rows = rows;
  block.Z = MatrixView<const T>(Z);
  visit(block);
}

}  // namespace bochner

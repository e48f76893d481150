// SPDX-License-Identifier: Apache-2.0
#include "couplings/structured.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "simd/project.h"

namespace bochner {
namespace {

// Bytes for the projections of the rows that go through a block together: half of L1.
constexpr std::size_t kScratchBytes = 16384;
// Bytes of input rows at once: they are read again for every block, from L2.
constexpr std::size_t kInputBytes = 262144;
constexpr std::size_t kMostRows = 192;
// Unit vectors at once when W is computed.
constexpr std::size_t kUnitRows = 8;

class StructuredProjection final : public Projection {
 public:
  StructuredProjection(const BlockShape& shape, std::unique_ptr<const FastBlocks> blocks)
      : shape_(shape), blocks_(std::move(blocks)) {}

  void apply(MatrixView<const float> X, const simd::Finish<float>& finish, MatrixView<float> Z,
             bool streaming) const override {
    apply_as<float>(X, finish, Z, streaming);
  }
  void apply(MatrixView<const double> X, const simd::Finish<double>& finish, MatrixView<double> Z,
             bool streaming) const override {
    apply_as<double>(X, finish, Z, streaming);
  }
  std::size_t rows_per_block(std::size_t element) const override {
    const std::size_t group = blocks_->rows_at_once(element);
    return std::clamp<std::size_t>(kInputBytes / (shape_.d * element), group, kMostRows) / group * group;
  }

  /// Column j is W e_j.
  Matrix<double> directions() const override {
    Matrix<double> W(shape_.m, shape_.d);
    parallel_for(shape_.d, kUnitRows, [&](std::size_t first, std::size_t last) {
      Matrix<double> units(last - first, shape_.d, 0.0), columns(last - first, shape_.m);
      for (std::size_t j = first; j < last; ++j) units(j - first, j) = 1;
      apply_as<double>(units, {}, columns, false);
      for (std::size_t i = 0; i < shape_.m; ++i)
        for (std::size_t j = first; j < last; ++j) W(i, j) = columns(j - first, i);
    });
    return W;
  }

  double longest_row() const override { return blocks_->longest_row(); }

  /// The sum of the squares of W e_j over the unit vectors of R^D: O(m D log D).
  std::vector<double> squared_norms() const override {
    std::vector<double> norms(shape_.m, 0.0);
    Matrix<double> unit(1, shape_.D, 0.0), column(1, shape_.m);
    for (std::size_t j = 0; j < shape_.D; ++j) {
      unit(0, j) = 1;
      apply_as<double>(unit, {}, column, false);
      unit(0, j) = 0;
      for (std::size_t i = 0; i < shape_.m; ++i) norms[i] += column(0, i) * column(0, i);
    }
    return norms;
  }

 private:
  template <class T>
  void apply_as(MatrixView<const T> X, const simd::Finish<T>& finish, MatrixView<T> Z, bool streaming) const {
    const std::size_t D = shape_.D;
    const std::size_t group = blocks_->rows_at_once(sizeof(T));
    const std::size_t batch =
        std::clamp<std::size_t>(kScratchBytes / (D * sizeof(T)), group, kMostRows) / group * group;
    static thread_local Matrix<T> scratch;
    if (scratch.rows() * scratch.cols() < (batch + 1) * D) scratch = Matrix<T>(batch + 1, D);
    const std::span<T> spare(scratch.data() + batch * D, D);
    for (std::size_t b = 0; b < shape_.blocks(); ++b) {
      for (std::size_t i = 0; i < X.rows(); i += batch) {
        const std::size_t end = std::min(i + batch, X.rows());
        const MatrixView<T> P(scratch.data(), end - i, D);
        blocks_->apply(b, X.row_range(i, end), P, spare);
        const simd::Place place{
            .first_row = i, .first_direction = b * D, .directions = shape_.m, .streaming = streaming};
        simd::finish_rows<T>(P.col_range(0, shape_.rows(b)), finish, Z, place);
      }
    }
  }

  BlockShape shape_;
  std::unique_ptr<const FastBlocks> blocks_;
};

}  // namespace

std::unique_ptr<Projection> structured_projection(const BlockShape& shape, std::unique_ptr<const FastBlocks> blocks) {
  return std::make_unique<StructuredProjection>(shape, std::move(blocks));
}

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bochner/compose.h"
#include "bochner/features.h"

namespace bochner {

/// A section of a feature vector: factor k_left k_right, or factor k_right. Query features are sqrt|factor| times the
/// outer product; key features also carry the sign of the factor.
struct Section {
  double factor;
  std::optional<std::size_t> left;  ///< number of a part
  std::size_t right;                ///< number of a part
};

/// Features of sum_s factor_s k_left k_right: every part is computed once for a block of rows that stays in cache, then
/// the sections are written.
class ProductSum final : public Features {
 public:
  /// The first section's right part defines directions, m, seed and coupling.
  ProductSum(std::string name, std::vector<FeaturesPart> parts, std::vector<Section> sections);

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override;
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override;
  Matrix<double> directions() const override { return parts_[sections_.front().right]->directions(); }
  std::size_t outputs() const override { return outputs_; }
  bool symmetric() const override { return symmetric_; }
  const Spec& spec() const override { return spec_; }

  const std::vector<Section>& sections() const { return sections_; }
  const FeaturesPart& part(std::size_t i) const { return parts_[i]; }

 private:
  /// How a part is computed: in blocks; straight into the output, because it is a section by itself; or in blocks, but
  /// only for the rows in which one of its coefficients, of one feature each, is not 0.
  enum class Way { block, straight, gated };

  template <class T>
  void transform_as(MatrixView<const T> X, MatrixView<T> Z, Side side) const;
  template <class T>
  void transform_rows(MatrixView<const T> X, MatrixView<T> Z, Side side) const;
  template <class T>
  void transform_block(MatrixView<const T> X, MatrixView<T> Z, Side side, bool streaming) const;
  template <class T>
  void compute_gated(std::size_t part, MatrixView<const T> X, T* memory, Side side) const;
  /// Refuses a row if a product leaves the range of T; `largest` is the largest size in each part.
  template <class T>
  void check_products(std::size_t row, std::span<const T> largest) const;
  template <class T>
  void write_row(std::size_t row, std::size_t rows, const T* memory, std::span<T> z, Side side, bool streaming) const;
  std::size_t section_width(const Section& section) const;
  Way way_of(std::size_t part) const;
  /// Where the features of a part lie in the memory of a block.
  template <class T>
  MatrixView<T> place_of(std::size_t part, std::size_t rows, T* memory) const {
    return {memory + rows * first_[part], rows, parts_[part]->outputs()};
  }

  Spec spec_;
  std::vector<FeaturesPart> parts_;
  std::vector<Section> sections_;
  std::vector<Way> ways_;
  std::vector<std::size_t> order_;  ///< order of computation: coefficients before the parts that they gate
  std::vector<std::size_t> first_;  ///< first column of a part in the memory of a block
  std::size_t columns_ = 0;         ///< number of columns of all parts that are computed in blocks
  std::size_t outputs_ = 0;
  bool symmetric_ = true;
};

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/linear_classifier.h"
#include "bochner/matrix.h"
#include "learners/classifier/trust_region.h"
#include "learners/statistics/feature_blocks.h"

namespace bochner {

/// |weights|^2 / 2 + C sum_i w_i loss_i as a function of functions x (outputs + 1) numbers, row by row: the weights of
/// a function and its intercept, if there is one. Because they are joined in one vector, problems of one class against
/// the rest share every computed feature.
///
/// The squared hinge has curvature only at rows short of their margin: a point remembers these rows, with one bit per
/// row and function, and a product with the second derivatives uses no others. For the logistic losses a point
/// remembers a number per row and function, if those of two points fit into a quarter of the cache.
class ClassifierObjective final : public SmoothFunction {
 public:
  ClassifierObjective(const LabelledRows& rows, std::size_t functions, const LinearClassifierOptions& options);

  std::size_t width() const { return width_; }
  std::size_t functions() const { return functions_; }
  std::size_t size() const { return functions_ * width_; }

  std::size_t parts() const override;
  Point at(std::span<const double> x) const override;
  Matrix<double> along(std::span<const double> x, std::span<const double> s,
                       std::span<const double> lengths) const override;
  std::vector<double> curvature(std::span<const double> x, const Point& here, std::span<const double> v) const override;

 private:
  using Block = FeatureBlocks::Block;
  /// A product H(x) v. Functions are rows; `functions` are those for which v is not zero.
  struct Turn {
    MatrixView<const double> W, V;
    const Point& here;
    std::vector<std::size_t> functions;
  };
  MatrixView<const double> functions_of(std::span<const double> x) const { return {x.data(), functions_, width_}; }
  MatrixView<double> sums_of(Matrix<double>& sums, std::size_t segment) const {
    return {sums.view().row(segment).data(), functions_, width_};
  }
  /// The same choice for cached features as for features of single rows that are computed again.
  Products products_at(std::size_t block, const Turn& turn) const;
  std::uint64_t rows_bent(std::size_t block, const Turn& turn) const;
  /// Second derivatives of the losses of a block, each class against the rest; zero for the other functions than those
  /// of `turn`.
  void bends_at(const Block& block, const Turn& turn, MatrixView<double> bends) const;
  void add_joint_curvature(const Block& block, const Turn& turn, MatrixView<double> sums) const;

  /// Whether points remember numbers: second derivatives for losses of single functions, scores for a joint loss.
  bool keeps_numbers() const;
  Point empty_point() const;
  void remember(std::size_t row, std::span<const double> scores, std::span<const double> bends, Point& point) const;

  double weight(std::size_t row) const { return options_.C * (rows_.weights.empty() ? 1.0 : rows_.weights[row]); }
  std::size_t label(std::size_t row) const { return static_cast<std::size_t>(rows_.labels[row]); }
  /// The sum over segments plus the penalty's term: factor_i for weights, 0 for intercepts.
  std::vector<double> total(MatrixView<const double> parts, std::span<const double> factor) const;
  double penalty(std::size_t part, std::span<const double> x) const;

  LabelledRows rows_;
  std::size_t functions_, width_;
  LinearClassifierOptions options_;
  FeatureBlocks blocks_;
};

/// fit_linear_classifier for rows, in memory or in parts, whose entries and labels have already been checked.
LinearClassifierFit fit_labelled_rows(const LabelledRows& rows, std::size_t classes,
                                      const LinearClassifierOptions& options);

}  // namespace bochner

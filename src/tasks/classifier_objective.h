// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "bochner/linear_classifier.h"
#include "bochner/matrix.h"
#include "tasks/trust_region.h"

namespace bochner {

/// Rows whose features are held at once: 64 x 4096 doubles are 2 MB.
inline constexpr std::size_t kClassifierBlock = 64;

/// Rows that need not be in memory together: one call is one pass over all of them, in parts, in order, always the
/// same. Every part but the last has a multiple of kClassifierBlock rows; `first` is the number of its first row.
using RowPart = std::variant<MatrixView<const float>, MatrixView<const double>>;
using RowPass = std::function<void(const std::function<void(std::size_t first, const RowPart& X)>& use)>;

/// Rows of a classification, looked at where they lie; empty weights are ones.
struct LabelledRows {
  const Features& features;
  std::variant<MatrixView<const float>, MatrixView<const double>, RowPass> X;
  std::span<const std::int64_t> labels;
  std::span<const double> weights;

  std::size_t count() const { return labels.size(); }
};

/// |weights|^2 / 2 + C sum_i w_i loss_i as a function of functions x (outputs + 1) numbers, row by row: the weights of
/// a function and its intercept, if there is one. Joined in one vector, problems of one class against the rest share
/// every computed feature.
///
/// Features of as many rows in memory as fit into the options' cache are computed once.
///
/// Blocks of rows are dealt out to segments, whose number depends on the sizes alone, each with its own sums, which are
/// added up in order: the same bits for any number of threads, and for rows in memory or in parts.
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
  std::vector<double> curvature(std::span<const double> x, std::span<const double> v) const override;

 private:
  /// Rows [first, first + Z.rows()) with their features and a column of ones for the intercept.
  using Visit = std::function<void(std::size_t segment, std::size_t first, MatrixView<double> Z)>;
  void for_each_block(const Visit& visit) const;
  void for_each_block_of(std::size_t start, const RowPart& X, const Visit& visit) const;
  /// Features of rows X, of which the first has the number `first`.
  template <class T>
  void features_of(std::size_t first, MatrixView<const T> X, MatrixView<double> Z) const;
  double weight(std::size_t row) const { return options_.C * (rows_.weights.empty() ? 1.0 : rows_.weights[row]); }
  std::size_t label(std::size_t row) const { return static_cast<std::size_t>(rows_.labels[row]); }
  /// The sum over segments, plus that of the penalty: factor_i for weights, 0 for intercepts.
  std::vector<double> total(MatrixView<const double> parts, std::span<const double> factor) const;

  double penalty(std::size_t part, std::span<const double> x) const;

  LabelledRows rows_;
  std::size_t functions_, width_;
  LinearClassifierOptions options_;
  std::size_t segments_;
  std::variant<Matrix<float>, Matrix<double>> cache_;  ///< features of the first rows, in their own precision
};

/// What fit_linear_classifier does for rows in memory whose entries and labels have been checked.
LinearClassifierFit fit_labelled_rows(const LabelledRows& rows, std::size_t classes,
                                      const LinearClassifierOptions& options);

}  // namespace bochner

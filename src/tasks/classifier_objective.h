// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "bochner/linear_classifier.h"
#include "tasks/trust_region.h"

namespace bochner {

/// Rows of a classification, looked at where they lie; empty weights are ones.
struct LabelledRows {
  const Features& features;
  std::variant<MatrixView<const float>, MatrixView<const double>> X;
  std::span<const std::int64_t> labels;
  std::span<const double> weights;

  std::size_t count() const { return labels.size(); }
};

/// |weights|^2 / 2 + C sum_i w_i loss_i as a function of functions x (outputs + 1) numbers, row by row: the weights of
/// a function and its intercept, if there is one. Joined in one vector, problems of one class against the rest share
/// every computed feature.
///
/// Rows are cut into segments that depend on the sizes alone, each with its own sums, which are added up in order: the
/// same bits for any number of threads.
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
  double weight(std::size_t row) const { return options_.C * (rows_.weights.empty() ? 1.0 : rows_.weights[row]); }
  std::size_t label(std::size_t row) const { return static_cast<std::size_t>(rows_.labels[row]); }
  /// The sum over segments, plus that of the penalty: factor_i for weights, 0 for intercepts.
  std::vector<double> total(MatrixView<const double> parts, std::span<const double> factor) const;

  double penalty(std::size_t part, std::span<const double> x) const;

  LabelledRows rows_;
  std::size_t functions_, width_;
  LinearClassifierOptions options_;
  std::size_t segments_, blocks_per_segment_;
};

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#include "bochner/linear_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/errors.h"
#include "learners/classifier/classifier_loss.h"
#include "learners/classifier/classifier_objective.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

constexpr std::array<std::string_view, 3> kLosses = {"squared_hinge", "logistic", "multinomial"};

void require_classes(std::size_t classes) {
  if (classes < 2) refuse("classes", fmt::format("{}", classes), "at least 2");
}

void require_options(const LinearClassifierOptions& options) {
  if (!(options.C > 0) || !std::isfinite(options.C)) refuse("C", fmt::format("{}", options.C), "a finite number > 0");
  if (!(options.tolerance > 0) || !std::isfinite(options.tolerance))
    refuse("tolerance", fmt::format("{}", options.tolerance), "a finite number > 0");
  if (options.max_iterations == 0) refuse("max_iterations", "0", "at least 1");
}

/// Gradients of at most this size have squares that do not overflow.
void require_moderate(const LabelledRows& rows, double C) {
  constexpr double kMost = 1e150;
  double weight = rows.weights.empty() ? static_cast<double>(rows.labels.size()) : 0;
  for (const double own : rows.weights) weight += own;
  if (C * weight > kMost)
    refuse("C", fmt::format("{}", C),
           fmt::format("at most {:.3g}: times the sum of the weights, {:.3g}, it must not exceed {}", kMost / weight,
                       weight, kMost));
}

LinearModel model_from(std::span<const double> x, std::size_t functions, std::size_t outputs) {
  const std::size_t width = x.size() / functions;
  LinearModel model{Matrix<double>(functions, outputs), std::vector<double>(functions, 0.0)};
  for (std::size_t k = 0; k < functions; ++k) {
    std::copy_n(x.data() + k * width, outputs, model.weights.view().row(k).data());
    if (width > outputs) model.intercept[k] = x[k * width + outputs];
  }
  return model;
}

/// The fraction of the gradient at zero to reach; it is smaller for a rare class, which contributes little to that
/// gradient (LIBLINEAR's rule).
std::vector<double> tolerances(const ClassifierObjective& objective, std::span<const std::int64_t> labels,
                               std::span<const double> weights, double tolerance) {
  std::vector<double> result(objective.parts(), tolerance);
  if (objective.parts() == 1 && objective.functions() > 1) return result;
  std::vector<double> sums(objective.parts(), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const auto label = static_cast<std::size_t>(labels[i]);
    total += weight;
    if (sums.size() > 1 || label == 1) sums[sums.size() > 1 ? label : 0] += weight;
  }
  for (std::size_t k = 0; k < sums.size(); ++k)
    result[k] *= std::max(std::min(sums[k], total - sums[k]) / total, 1 / static_cast<double>(labels.size()));
  return result;
}

/// Adding a number to all functions does not change a softmax, and intercepts have no penalty that would determine it.
void centre_intercepts(std::vector<double>& intercept) {
  double mean = 0;
  for (const double value : intercept) mean += value / static_cast<double>(intercept.size());
  for (double& value : intercept) value -= mean;
}

template <class T>
LinearClassifierFit fit_rows(const Features& features, MatrixView<const T> X, std::span<const std::int64_t> labels,
                             std::size_t classes, std::span<const double> weights,
                             const LinearClassifierOptions& options) {
  require_classes(classes);
  require_rows<T>(features, X);
  require_labels(labels, X.rows(), classes);
  require_weights(weights, X.rows());
  require_some_row(X.rows(), X.cols(), weights);
  return fit_labelled_rows({features, X, labels, weights}, classes, options);
}

}  // namespace

LinearClassifierFit fit_labelled_rows(const LabelledRows& rows, std::size_t classes,
                                      const LinearClassifierOptions& options) {
  require_options(options);
  require_moderate(rows, options.C);
  require_symmetric(rows.features);
  const std::size_t functions = classes == 2 ? 1 : classes;
  const ClassifierObjective objective(rows, functions, options);
  const std::vector<double> wanted = tolerances(objective, rows.labels, rows.weights, options.tolerance);
  const Minimum found =
      minimise(objective, std::vector<double>(objective.size(), 0.0), wanted, options.max_iterations, options.progress);
  LinearModel model = model_from(found.x, functions, rows.features.outputs());
  if (options.loss == ClassifierLoss::multinomial && functions > 1) centre_intercepts(model.intercept);
  return {std::move(model), found.value, found.gradient, found.iterations, found.evaluations, found.reached};
}

std::span<const std::string_view> classifier_loss_names() { return kLosses; }

ClassifierLoss classifier_loss_from_name(std::string_view name) {
  const auto found = std::find(kLosses.begin(), kLosses.end(), name);
  if (found == kLosses.end()) refuse_name("loss", name, kLosses);
  return static_cast<ClassifierLoss>(found - kLosses.begin());
}

LinearClassifierFit fit_linear_classifier(const Features& features, MatrixView<const float> X,
                                          std::span<const std::int64_t> labels, std::size_t classes,
                                          std::span<const double> weights, const LinearClassifierOptions& options) {
  return fit_rows<float>(features, X, labels, classes, weights, options);
}

LinearClassifierFit fit_linear_classifier(const Features& features, MatrixView<const double> X,
                                          std::span<const std::int64_t> labels, std::size_t classes,
                                          std::span<const double> weights, const LinearClassifierOptions& options) {
  return fit_rows<double>(features, X, labels, classes, weights, options);
}

std::vector<double> balanced_weights(std::span<const std::int64_t> labels, std::size_t classes,
                                     std::span<const double> weights) {
  require_classes(classes);
  require_labels(labels, labels.size(), classes);
  require_weights(weights, labels.size());
  std::vector<double> result(labels.size(), 1.0), sums(classes, 0.0);
  if (!weights.empty()) std::copy(weights.begin(), weights.end(), result.begin());
  double total = 0, present = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) sums[static_cast<std::size_t>(labels[i])] += result[i];
  for (const double sum : sums) {
    total += sum;
    present += sum > 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (result[i] > 0) result[i] *= total / (present * sums[static_cast<std::size_t>(labels[i])]);
  return result;
}

Matrix<double> class_probabilities(MatrixView<const double> scores, ClassifierLoss loss) {
  if (loss == ClassifierLoss::squared_hinge) refuse("loss", "squared_hinge", "logistic or multinomial");
  if (scores.cols() == 0) refuse("scores", fmt::format("{} x 0", scores.rows()), "at least one function");
  const bool two = scores.cols() == 1;
  Matrix<double> result(scores.rows(), two ? 2 : scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto p = result.view().row(i);
    if (two) {
      p[0] = logistic_function(-scores(i, 0));
      p[1] = logistic_function(scores(i, 0));
    } else if (loss == ClassifierLoss::multinomial) {
      softmax_of(scores.row(i), p);
    } else {
      double sum = 0;
      for (std::size_t k = 0; k < p.size(); ++k) sum += p[k] = logistic_function(scores(i, k));
      // Far from all classes every probability underflows.
      for (double& value : p) value = sum > 0 ? value / sum : 1 / static_cast<double>(p.size());
    }
  }
  return result;
}

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#include "bochner/kernel_ridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/errors.h"
#include "learners/ridge/ridge_path.h"
#include "learners/statistics/equal_rows.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

constexpr std::array<std::string_view, 3> kSelections = {"leave_one_out", "folds", "generalised"};

/// The Gram matrix and its copy about the mean; for the path also two matrices of workspace for eigenvectors.
constexpr double kGivenMatrices = 2, kPathMatrices = 4;

void require_options(const KernelRidgeOptions& options) {
  if (options.alpha) require_alpha(*options.alpha);
}

void require_some_weight(double weight) {
  if (!(weight > 0)) refuse("weights", fmt::format("{} in sum", weight), "at least one row of weight > 0");
}

using Errors =
    std::function<std::vector<double>(const PathProblem& problem, const Centre& centre, std::span<const double> path)>;

/// The fit by the normal equation of size outputs; `errors` is called if alpha must be chosen.
KernelRidgeFit fit_primal(const Gram& gram, const KernelRidgeOptions& options, const Errors& errors) {
  require_some_weight(gram.weight());
  if (!options.alpha) require_memory(gram.outputs(), kPathMatrices);
  require_feature_squares(squares_of(gram), gram.weight(), gram.single());
  const Centre centre = centre_of(gram, options.intercept);
  KernelRidgeFit fit;
  if (options.alpha) {
    fit.alpha = *options.alpha;
    Matrix<double> A = gram.second_moments(centre.features);
    Matrix<double> weights = gram.cross_moments(centre.features, centre.targets);
    const double squares = squares_of(gram);
    const bool none = fit.alpha < least_penalty(squares, gram.single());
    const double noise = none ? rounding(squares, gram.outputs(), gram.single()) : 0.0;
    if (const auto solved = solve_cholesky(A, fit.alpha, weights, noise)) {
      fit.jitter = solved->jitter;
      fit.condition = solved->condition;
      fit.model = model_with_intercept(std::move(weights), centre);
      return fit;
    }
  }
  const PathProblem problem = path_problem(gram, centre);
  if (!options.alpha) {
    const double largest = problem.spectrum.largest();
    const double least = least_alpha(squares_of(gram), gram.single(), largest);
    fit.path = path_of(options, largest, least);
    fit.errors = errors(problem, centre, fit.path);
    choose_alpha(fit, options, least, gram.single());
  }
  fit.condition = problem.spectrum.condition(fit.alpha);
  fit.model = model_at(problem, centre, fit.alpha);
  return fit;
}

template <class T>
KernelRidgeFit fit_rows(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                        std::span<const double> weights, const KernelRidgeOptions& options) {
  require_options(options);
  require_symmetric(features);
  require_rows<T>(features, X);
  require_targets(Y, X.rows(), Y.cols());
  require_weights(weights, X.rows());
  require_some_row(X.rows(), X.cols(), weights);
  if (!options.alpha && options.selection == Selection::folds) {
    FoldGram gram(features.outputs(), Y.cols(), options.folds);
    gram.add_all(features, X, Y, weights);
    return fit_kernel_ridge(gram, options);
  }
  const EqualRows distinct = options.alpha ? EqualRows() : equal_rows<T>(X, Y, weights);
  if (options.alpha) {
    const std::vector<std::size_t> seen = seen_rows(X.rows(), weights);
    if (seen.size() < features.outputs()) {
      const ChosenRows rows = choose_rows<T>(X, Y, weights, seen);
      return fit_dual(features, rows.X, rows.Y, rows.weights, {}, options);
    }
  } else if (distinct.count() < features.outputs()) {
    const ChosenRows rows = choose_rows<T>(X, Y, {}, distinct.first);
    return fit_dual(features, rows.X, rows.Y, distinct.weight, distinct.left_out, options);
  }
  require_memory(features.outputs(), options.alpha ? kGivenMatrices : kPathMatrices);
  Gram gram(features.outputs(), Y.cols());
  gram.add(features, X, Y, weights);
  return fit_primal(gram, options, [&](const PathProblem& problem, const Centre& centre, std::span<const double> path) {
    return options.selection == Selection::generalised
               ? generalised_errors(gram, distinct.observations(), problem, centre, path)
               : leave_one_out_errors<T>(features, X, Y, weights, distinct.left_out_of_rows(), problem, centre, path);
  });
}

}  // namespace

std::span<const std::string_view> selection_names() { return kSelections; }

Selection selection_from_name(std::string_view name) {
  const auto found = std::find(kSelections.begin(), kSelections.end(), name);
  if (found == kSelections.end()) refuse_name("selection", name, kSelections);
  return static_cast<Selection>(found - kSelections.begin());
}

KernelRidgeFit fit_kernel_ridge(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
                                std::span<const double> weights, const KernelRidgeOptions& options) {
  return fit_rows<float>(features, X, Y, weights, options);
}

KernelRidgeFit fit_kernel_ridge(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                                std::span<const double> weights, const KernelRidgeOptions& options) {
  return fit_rows<double>(features, X, Y, weights, options);
}

KernelRidgeFit fit_kernel_ridge(const FoldGram& gram, const KernelRidgeOptions& options) {
  require_options(options);
  if (!options.alpha && options.selection == Selection::leave_one_out)
    refuse("selection", "leave_one_out", "folds or generalised: the rows themselves are gone");
  const Gram total = gram.all_but(gram.folds());
  return fit_primal(total, options,
                    [&](const PathProblem& problem, const Centre& centre, std::span<const double> path) {
                      return options.selection == Selection::generalised
                                 ? generalised_errors(total, gram.observations(), problem, centre, path)
                                 : fold_errors(gram, options.intercept, path);
                    });
}

}  // namespace bochner

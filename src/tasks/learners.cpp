// SPDX-License-Identifier: Apache-2.0
#include "tasks/learners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bochner/gram.h"
#include "bochner/model.h"
#include "bochner/threads.h"
#include "core/errors.h"
#include "tasks/single_rows.h"

namespace bochner {
namespace {

constexpr std::size_t kFolds = 5;

/// Calls add with rows of the type that the features are to have.
template <class Add>
void with_type(const LearnerRequest& request, MatrixView<const double> X, Add add) {
  if (request.single)
    add(single_rows(X).view());
  else
    add(X);
}

/// Targets of a block: the numbers themselves, or 1 for the class of a row and 0 for all others.
Matrix<double> targets_of(const LearnerRequest& request, std::span<const double> y) {
  Matrix<double> Y(y.size(), request.functions, 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (request.task == Task::regression)
      Y(i, 0) = y[i];
    else
      Y(i, static_cast<std::size_t>(y[i])) = 1;
  }
  return Y;
}

Learned fit_ridge(const LearnerRequest& request) {
  FoldGram gram(request.features.outputs(), request.functions, request.alpha ? 2 : kFolds);
  request.each([&](MatrixView<const double> X, std::span<const double> y) {
    const Matrix<double> Y = targets_of(request, y);
    with_type(request, X, [&](auto rows) { gram.add(request.features, rows, Y.view()); });
  });
  KernelRidgeOptions options;
  options.alpha = request.alpha;
  options.selection = Selection::folds;
  KernelRidgeFit fit = fit_kernel_ridge(gram, options);
  Learned learned{std::move(fit.model), {{"alpha", fit.alpha}}, {}};
  if (std::isfinite(fit.condition)) learned.facts.emplace("condition", fit.condition);
  if (request.alpha) {
    learned.note = fmt::format("alpha {:.4g}, as asked", fit.alpha);
    return learned;
  }
  const double least = *std::ranges::min_element(fit.errors);
  if (std::isfinite(least)) learned.facts.emplace("fold_error", least);
  learned.note = fmt::format("alpha {:.4g}: the least squared error over {} folds, {:.6g}, of {} from {:.3g} to {:.3g}",
                             fit.alpha, kFolds, least, fit.path.size(), fit.path.back(), fit.path.front());
  return learned;
}

/// The Gram matrices of all folds, their sum and its eigenvectors; then, for each of the folds that are worked on at
/// once, the six matrices of fold_errors.
double ridge_bytes(double outputs, double functions) {
  const double at_once = outputs <= 1024 ? std::min(num_threads(), static_cast<int>(kFolds)) : 1;
  return 8 * outputs * (outputs * (kFolds + 2 + 6 * at_once) + 12 * functions);
}

Learned fit_nadaraya_watson(const LearnerRequest& request) {
  ClassSums sums(request.features.outputs(), request.functions);
  std::vector<std::int64_t> labels;
  request.each([&](MatrixView<const double> X, std::span<const double> y) {
    labels.assign(y.begin(), y.end());
    with_type(request, X, [&](auto rows) { sums.add(request.features, rows, labels); });
  });
  Learned learned;
  learned.model.weights = Matrix<double>(sums.classes(), sums.outputs());
  std::copy_n(sums.sums().data(), sums.classes() * sums.outputs(), learned.model.weights.data());
  learned.model.intercept.assign(sums.classes(), 0.0);
  learned.note = "sums of the kernel over the rows of each class: nothing to choose but the lengthscale";
  return learned;
}

double nadaraya_watson_bytes(double outputs, double functions) { return 16 * outputs * functions; }

constexpr Learner kLearners[] = {
    {"ridge", true, true, fit_ridge, ridge_bytes},
    {"nadaraya_watson", false, true, fit_nadaraya_watson, nadaraya_watson_bytes},
};

bool serves(const Learner& learner, Task task) {
  return task == Task::regression ? learner.regression : learner.classification;
}

}  // namespace

std::span<const Learner> learners() { return kLearners; }

std::vector<std::string_view> learner_names(Task task) {
  std::vector<std::string_view> names;
  for (const Learner& learner : kLearners)
    if (serves(learner, task)) names.push_back(learner.name);
  return names;
}

const Learner& find_learner(std::string_view name, Task task) {
  for (const Learner& learner : kLearners)
    if (serves(learner, task) && (name.empty() || name == learner.name)) return learner;
  for (const Learner& learner : kLearners)
    if (name == learner.name)
      refuse("learner", fmt::format("'{}'", name),
             fmt::format("one for {}: {}", task_names()[static_cast<int>(task)], learner_names(task).front()));
  refuse_name("learner", name, learner_names(task));
}

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#include "models/learners.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "bochner/gram.h"
#include "bochner/model.h"
#include "bochner/threads.h"
#include "core/errors.h"
#include "core/format.h"
#include "learners/single_rows.h"
#include "models/classifier_learner.h"

namespace bochner {
namespace {

constexpr std::size_t kFolds = 5;

/// Calls add with rows of the type that the features should have.
template <class Add>
void with_type(const LearnerRequest& request, MatrixView<const double> X, Add add) {
  if (request.single)
    add(single_rows(X).view());
  else
    add(X);
}

Learned fit_ridge(const LearnerRequest& request) {
  FoldGram gram(request.features.outputs(), request.functions(), request.alpha ? 2 : kFolds);
  const auto add = [&](const PreparedBlock& block) {
    const Matrix<double> Y = target_columns(block.y, request.classes);
    with_type(request, block.X, [&](auto rows) { gram.add(request.features, rows, Y.view(), block.weights); });
  };
  request.each(add, request.progress);
  KernelRidgeOptions options;
  options.alpha = request.alpha;
  options.selection = Selection::folds;
  KernelRidgeFit fit = fit_kernel_ridge(gram, options);
  Learned learned{.model = std::move(fit.model), .facts = {{"alpha", fit.alpha}}};
  if (std::isfinite(fit.condition)) learned.facts.emplace("condition", fit.condition);
  if (request.alpha) {
    learned.note = fmt::format("alpha {:.4g}, as asked", fit.alpha);
    return learned;
  }
  learned.doubts = std::move(fit.notes);
  learned.path = std::move(fit.path);
  learned.errors = std::move(fit.errors);
  const double least = *std::ranges::min_element(learned.errors);
  if (std::isfinite(least)) learned.facts.emplace("fold_error", least);
  learned.note = fmt::format(
      "alpha {:.4g}: the least squared error over {} folds, {:.6g}, to a thousandth, of {} from {:.3g} to {:.3g}",
      fit.alpha, kFolds, least, learned.path.size(), learned.path.back(), learned.path.front());
  return learned;
}

/// The Gram matrices of all folds, their sum and its eigenvectors; then, for each fold worked on at the same time, the
/// six matrices of fold_errors.
double ridge_bytes(double outputs, double functions) {
  const double at_once = outputs <= 1024 ? std::min(num_threads(), static_cast<int>(kFolds)) : 1;
  return 8 * outputs * (outputs * (kFolds + 2 + 6 * at_once) + 12 * functions);
}

Learned fit_nadaraya_watson(const LearnerRequest& request) {
  ClassSums sums(request.features.outputs(), request.classes);
  std::vector<std::int64_t> labels;
  const auto add = [&](const PreparedBlock& block) {
    labels.assign(block.y.begin(), block.y.end());
    with_type(request, block.X, [&](auto rows) { sums.add(request.features, rows, labels, block.weights); });
  };
  request.each(add, request.progress);
  Learned learned;
  learned.class_weights.assign(sums.weights().begin(), sums.weights().end());
  const double total = std::accumulate(learned.class_weights.begin(), learned.class_weights.end(), 0.0);
  learned.model.weights = Matrix<double>(sums.classes(), sums.outputs());
  std::transform(sums.sums().data(), sums.sums().data() + sums.classes() * sums.outputs(), learned.model.weights.data(),
                 [&](double sum) { return sum / total; });
  learned.model.intercept.assign(sums.classes(), 0.0);
  learned.note = "sums of the kernel over the rows of each class: nothing to choose but the lengthscale";
  return learned;
}

double nadaraya_watson_bytes(double outputs, double functions) { return 24 * outputs * functions; }

Learned fit_process(const LearnerRequest& request) {
  Gram gram(request.features.outputs(), 1);
  const auto add = [&](const PreparedBlock& block) {
    const Matrix<double> Y = target_columns(block.y, request.classes);
    with_type(request, block.X, [&](auto rows) { gram.add(request.features, rows, Y.view(), block.weights); });
  };
  request.each(add, request.progress);
  GaussianProcessFit fit = fit_gaussian_process(gram);
  Learned learned{.model = std::move(fit.mean),
                  .facts = {{"noise_variance", fit.noise_variance},
                            {"signal_variance", fit.signal_variance},
                            {"log_marginal_likelihood", fit.log_marginal_likelihood}}};
  learned.note = fmt::format(
      "noise of deviation {:.4g}, signal {:.4g}: those of the largest marginal likelihood, {:.6g} of the target over "
      "its deviation, {:.4g}",
      fit.y_scale[0] * std::sqrt(fit.noise_variance), fit.y_scale[0] * std::sqrt(fit.signal_variance),
      fit.log_marginal_likelihood, fit.y_scale[0]);
  learned.posterior = std::move(fit);
  return learned;
}

/// The Gram matrix, its moments, its eigenvectors and the workspace that finds them.
double process_bytes(double outputs, double) { return 8 * outputs * (6 * outputs + 20); }

Learned fit_components(const LearnerRequest& request) {
  Gram gram(request.features.outputs(), 0);
  const auto add = [&](const PreparedBlock& block) {
    const MatrixView<const double> none(nullptr, block.X.rows(), 0);
    with_type(request, block.X, [&](auto rows) { gram.add(request.features, rows, none, block.weights); });
  };
  request.each(add, request.progress);
  KernelPcaFit fit = fit_kernel_pca(gram, request.components);
  const double explained = std::accumulate(fit.explained_variance.begin(), fit.explained_variance.end(), 0.0);
  const double share = fit.total_variance > 0 ? explained / fit.total_variance : 0;
  Learned learned{.model = std::move(fit.model),
                  .facts = {{"components", static_cast<double>(request.components)},
                            {"total_variance", fit.total_variance},
                            {"explained_variance", explained},
                            {"explained_share", share}}};
  learned.note = fmt::format("{} of {} principal components: {:.2f} % of the variance of the features",
                             request.components, request.features.outputs(), 100 * share);
  learned.components = std::move(fit);
  return learned;
}

template <ClassifierLoss loss>
Learned fit_by_loss(const LearnerRequest& request) {
  return fit_classifier(request, loss);
}

constexpr double kLabelBytes = 8;

constexpr Learner kLearners[] = {
    {.name = "ridge",
     .regression = true,
     .classification = true,
     .strength = "alpha",
     .fit = fit_ridge,
     .bytes = ridge_bytes,
     .row_bytes = 0,
     .search = search_by_error},
    {.name = "gp",
     .regression = true,
     .classification = false,
     .strength = "",
     .fit = fit_process,
     .bytes = process_bytes,
     .row_bytes = 0,
     .search = search_by_likelihood,
     .searches_columns = true},
    {"logistic", false, true, "C", fit_by_loss<ClassifierLoss::multinomial>, classifier_bytes, kLabelBytes,
     ClassifierLoss::multinomial, true},
    {"logistic_one_vs_rest", false, true, "C", fit_by_loss<ClassifierLoss::logistic>, classifier_bytes, kLabelBytes,
     ClassifierLoss::logistic, true},
    {"svc", false, true, "C", fit_by_loss<ClassifierLoss::squared_hinge>, classifier_bytes, kLabelBytes, {}, true},
    {"nadaraya_watson", false, true, "", fit_nadaraya_watson, nadaraya_watson_bytes, 0},
    {.name = "pca",
     .regression = false,
     .classification = false,
     .strength = "",
     .fit = fit_components,
     .bytes = process_bytes,
     .row_bytes = 0,
     .components = true},
};

bool serves(const Learner& learner, Task task) {
  if (task == Task::components) return learner.components;
  return task == Task::regression ? learner.regression : learner.classification;
}

}  // namespace

Matrix<double> target_columns(std::span<const double> y, std::size_t classes) {
  Matrix<double> Y(y.size(), std::max<std::size_t>(classes, 1), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (classes == 0)
      Y(i, 0) = y[i];
    else
      Y(i, static_cast<std::size_t>(y[i])) = 1;
  }
  return Y;
}

std::span<const Learner> learners() { return kLearners; }

bool finds_components(std::string_view name) {
  return std::ranges::any_of(kLearners,
                             [&](const Learner& learner) { return learner.components && learner.name == name; });
}

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
             fmt::format("one for {}: {}", task_names()[static_cast<int>(task)], joined(learner_names(task), ", ")));
  refuse_name("learner", name, learner_names(task));
}

}  // namespace bochner

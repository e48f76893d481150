// SPDX-License-Identifier: Apache-2.0
// Every learner on rows, targets and weights of any magnitude, one row, ties and nothing but zeros: a fit and its
// predictions are finite numbers, or one sentence that begins with an argument of the caller.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bochner/features.h"
#include "bochner/gaussian_process.h"
#include "bochner/gram.h"
#include "bochner/kernel_pca.h"
#include "bochner/kernel_ridge.h"
#include "bochner/linear_classifier.h"
#include "bochner/registry.h"
#include "conformance/law.h"
#include "core/parallel.h"
#include "core/row_hash.h"
#include "features/lookup.h"
#include "properties/calls.h"
#include "properties/hard_rows.h"
#include "properties/ledger.h"
#include "support/scale.h"

namespace bochner::properties {
namespace {

// BOCHNER_TEST_SCALE=10 makes 100,000 of them.
constexpr std::size_t kCases = 10000;
/// Of features, so that eigenvectors cost a millisecond: hybrids have m^2 and more.
constexpr std::size_t kMostOutputs = 100;

/// Targets that are noise of one size or of every size, one number, nothing but zeros, or ties.
Matrix<double> hard_targets(Dice& dice, std::size_t n, std::size_t targets) {
  Matrix<double> Y(n, targets);
  for (std::size_t t = 0; t < targets; ++t) {
    const std::size_t law = dice.below(6);
    const double size = law == 0 ? dice.power(-1, 1) : dice.power(kLeastPower, kLargestPower);
    const double constant = size * dice.normal();
    for (std::size_t i = 0; i < n; ++i) {
      const double own = law == 2 ? dice.power(kLeastPower, kLargestPower) : size;
      Y(i, t) = law == 3   ? constant
                : law == 4 ? 0.0
                : law == 5 ? size * dice.pick({-1.0, 0.0, 1.0})
                           : own * dice.normal();
    }
  }
  return Y;
}

/// None, equal ones, weights of every size, and any of them with zeros among them.
std::vector<double> hard_weights(Dice& dice, std::size_t n) {
  if (dice.chance(0.3)) return {};
  const double size = dice.chance(0.5) ? dice.power(-1, 1) : dice.power(kLeastPower, kLargestPower);
  const bool equal = dice.chance(0.4), any_size = dice.chance(0.3);
  const double zero = dice.chance(0.4) ? 0.4 : 0.0;
  std::vector<double> weights(n);
  for (double& weight : weights) {
    weight = any_size ? dice.power(kLeastPower, kLargestPower) : equal ? size : size * dice.uniform(0.1, 3);
    if (dice.chance(zero)) weight = 0;
  }
  return weights;
}

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}
bool all_finite(const Matrix<double>& A) { return all_finite(std::span(A.data(), A.rows() * A.cols())); }
bool all_finite(const LinearModel& model) { return all_finite(model.weights) && all_finite(model.intercept); }

template <class T>
class LearnerCase {
 public:
  LearnerCase(std::uint64_t number, const conformance::Combination& names, Ledger& ledger)
      : number_(number), dice_(number), calls_(ledger, [this, number] {
          return fmt::format("case {} ({}, n = {}, {}; {})", number, to_json(spec_), X_.rows(),
                             std::is_same_v<T, float> ? "float" : "double", told_);
        }) {
    const std::size_t d = dice_.pick({1, 2, 3, 5}), n = dice_.pick({1, 2, 3, 20, 60});
    const Matrix<double> X = hard_rows(dice_, n, d);
    spec_ = {.d = d, .kernel = names.kernel, .map = names.map, .coupling = names.coupling};
    spec_.m = dice_.pick({1, 3, 8, 40});
    spec_.seed = number;
    spec_.lengthscale = some_lengthscale(dice_, X);
    X_ = as<T>(X);
    other_ = as<T>(hard_rows(dice_, dice_.pick({1, 5}), d));
    Y_ = hard_targets(dice_, n, dice_.pick({1, 1, 3}));
    weights_ = hard_weights(dice_, n);
    const std::size_t classes = dice_.pick({2, 2, 3});
    for (std::size_t i = 0; i < n; ++i) labels_.push_back(static_cast<std::int64_t>(dice_.below(classes)));
    classes_ = classes;
    calls_.given = {"X", "Y", "weights", "labels", "features", "lengthscale",
                    "d", "m", "seed",    "kernel", "map",      "coupling"};
  }

  void run() {
    if (!misfit(spec_.kernel, spec_.map, spec_.coupling, spec_.d).empty()) return;
    if (!calls_.sentence_of("", [&] { make(); }).empty()) return;  // see features_test.cpp
    if (features_->outputs() > kMostOutputs) return;
    if (!features_->symmetric()) return class_sums();
    const std::function<void()> learners[] = {
        [this] { ridge(); },      [this] { ridge(); },   [this] { folds(); },      [this] { ridge_search(); },
        [this] { components(); }, [this] { process(); }, [this] { likeliest(); },  [this] { classifier(); },
        [this] { classifier(); }, [this] { exact(); },   [this] { class_sums(); },
    };
    learners[number_ / 2 % std::size(learners)]();
  }

 private:
  void make() {
    features_ = make_features(spec_);
    if (!features_->fitted()) features_->fit(X_.view());
  }

  std::optional<double> some_alpha() {
    if (dice_.chance(0.5)) return {};
    return dice_.chance(0.2) ? 0.0 : dice_.chance(0.5) ? dice_.power(-300, 150) : dice_.power(-10, 10);
  }

  KernelRidgeOptions ridge_options() {
    calls_.given.insert({"alpha", "path"});
    KernelRidgeOptions options{.alpha = some_alpha(), .selection = static_cast<Selection>(dice_.below(3))};
    options.folds = dice_.pick({2, 5});
    options.intercept = dice_.chance(0.7);
    if (dice_.chance(0.2)) options.path = {dice_.power(-60, 60), dice_.power(-3, 3)};
    told_ = fmt::format("ridge, alpha {}, {}, intercept {}, {} given alphas, largest weight {}",
                        options.alpha ? fmt::format("{}", *options.alpha) : "auto",
                        selection_names()[static_cast<std::size_t>(options.selection)], options.intercept,
                        options.path.size(), largest_weight());
    return options;
  }

  void ridge() {
    const KernelRidgeOptions options = ridge_options();
    KernelRidgeFit fit;
    if (calls_.refused("ridge", [&] { fit = fit_kernel_ridge(*features_, X_, Y_, weights_, options); })) return;
    judge_ridge(fit, options);
  }

  void folds() {
    KernelRidgeOptions options = ridge_options();
    if (options.selection == Selection::leave_one_out) options.selection = Selection::folds;
    KernelRidgeFit fit;
    const bool refused = calls_.refused("ridge of folds", [&] {
      FoldGram gram(features_->outputs(), Y_.cols(), options.folds);
      const std::size_t half = X_.rows() / 2;
      const std::span<const double> weights(weights_);
      for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>(0, half), std::pair(half, X_.rows())})
        gram.add(*features_, X_.view().row_range(first, last), Y_.view().row_range(first, last),
                 weights.empty() ? weights : weights.subspan(first, last - first));
      fit = fit_kernel_ridge(gram, options);
    });
    if (!refused) judge_ridge(fit, options);
  }

  void judge_ridge(const KernelRidgeFit& fit, const KernelRidgeOptions& options) {
    if (!std::isfinite(fit.alpha) || !(fit.alpha >= 0)) calls_.violation("alpha of ridge is not finite");
    if (options.alpha && fit.alpha != *options.alpha) calls_.violation("alpha of ridge is not that which was given");
    if (std::ranges::any_of(fit.errors, [](double error) { return !(error >= 0); }))
      calls_.violation("an error of ridge is below 0 or NaN");
    judge("ridge", fit.model);
  }

  void ridge_search() {
    KernelRidgeOptions options = ridge_options();
    if (options.selection == Selection::folds) options.selection = Selection::leave_one_out;
    RidgeLengthscale found;
    if (calls_.refused("search", [&] { found = search_ridge_lengthscale(spec_, X_, Y_, weights_, options); })) return;
    if (!std::isfinite(found.lengthscale) || !(found.lengthscale > 0))
      calls_.violation("the lengthscale of a search is not finite");
  }

  void exact() {
    calls_.given.insert({"alpha", "y"});
    const double alpha = some_alpha().value_or(1);
    told_ = fmt::format("exact ridge, alpha {}", alpha);
    const Matrix<double> X = as_double(X_);
    std::vector<double> y(Y_.rows());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = Y_(i, 0);
    ExactRidgeFit fit;
    if (calls_.refused("exact ridge", [&] { fit = fit_exact_ridge(spec_.kernel, spec_.lengthscale, X, y, alpha); }))
      return;
    if (!all_finite(fit.dual)) calls_.violation("exact ridge is not finite");
  }

  void components() {
    told_ = fmt::format("pca, largest weight {}", largest_weight());
    KernelPcaFit fit;
    const MatrixView<const double> none(nullptr, X_.rows(), 0);
    const bool refused = calls_.refused("pca", [&] {
      Gram gram(features_->outputs(), 0);
      gram.add(*features_, X_, none, weights_);
      calls_.given.insert("gram");
      fit = fit_kernel_pca(gram, 1 + dice_.below(features_->outputs()));
    });
    if (refused) return;
    if (!all_finite(fit.explained_variance) || !std::isfinite(fit.total_variance))
      calls_.violation("a variance of pca is not finite");
    judge("pca", fit.model);
  }

  void process() {
    GaussianProcessOptions options;
    if (dice_.chance(0.3)) options.noise_variance = dice_.power(-30, 30);
    if (dice_.chance(0.3)) options.signal_variance = dice_.power(-30, 30);
    options.normalise = dice_.chance(0.7);
    calls_.given.insert({"noise_variance", "signal_variance"});
    told_ = fmt::format("process, noise {}, signal {}, largest weight {}", options.noise_variance.value_or(-1),
                        options.signal_variance.value_or(-1), largest_weight());
    GaussianProcessFit fit;
    if (calls_.refused("process", [&] { fit = fit_gaussian_process(*features_, X_, Y_, weights_, options); })) return;
    if (!std::isfinite(fit.noise_variance) || !std::isfinite(fit.signal_variance) ||
        !std::isfinite(fit.log_marginal_likelihood))
      calls_.violation("a variance or the likelihood of a process is not finite");
    judge("process", fit.mean);
    for (const Matrix<T>* rows : {&X_, &other_})
      for (const PriorVariance prior : {PriorVariance::features, PriorVariance::exact}) {
        PredictiveVariance variance;
        if (calls_.refused("variance", [&] { variance = predictive_variance(*features_, fit, *rows, prior); }))
          continue;
        if (!all_finite(variance.values)) calls_.violation("the variance of a process is not finite");
      }
    judge("draws", draw_functions(fit, 2, number_));
  }

  void likeliest() {
    const LengthscaleSearch search{.per_coordinate = dice_.chance(0.5), .rows = 16, .evaluations = 20};
    told_ = fmt::format("likeliest lengthscale, each {}", search.per_coordinate);
    LikeliestLengthscale found;
    if (calls_.refused("likeliest", [&] { found = likeliest_lengthscale(spec_, X_, Y_, weights_, {}, search); }))
      return;
    if (!all_finite(found.lengthscale) || !std::isfinite(found.log_marginal_likelihood))
      calls_.violation("the likeliest lengthscale is not finite");
  }

  void classifier() {
    LinearClassifierOptions options{.loss = static_cast<ClassifierLoss>(dice_.below(3))};
    options.C = dice_.chance(0.3) ? dice_.power(-300, 300) : dice_.power(-10, 10);
    options.intercept = dice_.chance(0.7);
    options.max_iterations = 20;
    calls_.given.insert("C");
    told_ = fmt::format("{}, C {}, intercept {}, largest weight {}",
                        classifier_loss_names()[static_cast<std::size_t>(options.loss)], options.C, options.intercept,
                        largest_weight());
    LinearClassifierFit fit;
    if (calls_.refused("classifier",
                       [&] { fit = fit_linear_classifier(*features_, X_, labels_, classes_, weights_, options); }))
      return;
    if (!std::isfinite(fit.objective) || !std::isfinite(fit.gradient))
      calls_.violation("the objective of a classifier is not finite");
    judge("classifier", fit.model);
    for (const Matrix<T>* rows : {&X_, &other_}) {
      if (options.loss == ClassifierLoss::squared_hinge) continue;
      Matrix<double> p;
      const std::string sentence =
          calls_.sentence_of("", [&] { p = class_probabilities(predict(*features_, fit.model, *rows), options.loss); });
      if (sentence.empty()) judge_probabilities("classifier", p);
    }
  }

  void class_sums() {
    told_ = fmt::format("class sums, largest weight {}", largest_weight());
    ClassSums sums(features_->outputs(), classes_);
    if (calls_.refused("class sums", [&] { sums.add(*features_, X_, labels_, weights_); })) return;
    if (!all_finite(std::span(sums.sums().data(), sums.outputs() * classes_)) || !all_finite(sums.weights()))
      calls_.violation("class sums are not finite");
    LinearModel model{Matrix<double>(classes_, sums.outputs()), std::vector<double>(classes_, 0.0)};
    std::copy_n(sums.sums().data(), classes_ * sums.outputs(), model.weights.data());
    if (!find_map(spec_.map).positive) return;
    for (const Matrix<T>* rows : {&X_, &other_}) {
      Matrix<double> scores;
      if (calls_.refused("class sums", [&] { scores = predict(*features_, model, *rows); })) continue;
      judge_probabilities("class sums", class_shares(scores, sums.weights()));
    }
  }

  void judge_probabilities(const std::string& name, const Matrix<double>& p) {
    for (std::size_t i = 0; i < p.rows(); ++i) {
      double sum = 0;
      for (const double share : p.view().row(i)) sum += share >= 0 ? share : std::nan("");
      if (!(std::abs(sum - 1) < 1e-9))
        return calls_.violation(fmt::format("probabilities of {} do not sum to 1", name));
    }
  }

  void judge(const std::string& name, const LinearModel& model) {
    if (!all_finite(model)) return calls_.violation(fmt::format("the model of {} is not finite", name));
    for (const Matrix<T>* rows : {&X_, &other_}) {
      Matrix<double> found;
      if (calls_.refused(name + " predicts", [&] { found = predict(*features_, model, *rows); })) continue;
      if (!all_finite(found)) calls_.violation(fmt::format("a prediction of {} is not finite", name));
    }
  }

  double largest_weight() const { return weights_.empty() ? 1 : *std::ranges::max_element(weights_); }

  static Matrix<double> as_double(const Matrix<T>& X) {
    Matrix<double> wide(X.rows(), X.cols());
    std::copy_n(X.data(), X.rows() * X.cols(), wide.data());
    return wide;
  }

  std::uint64_t number_;
  Dice dice_;
  Calls calls_;
  Spec spec_;
  Matrix<T> X_, other_;
  Matrix<double> Y_;
  std::vector<double> weights_;
  std::vector<std::int64_t> labels_;
  std::size_t classes_ = 0;
  std::string told_;
  std::unique_ptr<Features> features_;
};

/// One coupling of each kernel and map: what a coupling does to rows is in features_test.cpp.
std::vector<conformance::Combination> mechanisms() {
  std::vector<conformance::Combination> all;
  for (const conformance::Combination& names : conformance::combinations())
    if (names.coupling == default_coupling(names.kernel, names.map)) all.push_back(names);
  return all;
}

TEST(Properties, LearnersAreFiniteOrASentenceSaysWhyNot) {
  const std::vector<conformance::Combination> all = mechanisms();
  const std::size_t cases = test::scaled(kCases);
  Ledger ledger;
  parallel_for(cases, 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t number = first; number < last; ++number) {
      const conformance::Combination& names = all[mixed(number / 2) % all.size()];
      if (number % 2 == 0) {
        LearnerCase<float>(number, names, ledger).run();
      } else {
        LearnerCase<double>(number, names, ledger).run();
      }
    }
  });
  ledger.judge(cases);
}

}  // namespace
}  // namespace bochner::properties

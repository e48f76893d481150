// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/kernel_ridge.h"

namespace bochner {

/// The loss of a row of class c with the scores f; y_k is +1 for k = c and -1 for the others.
///   squared_hinge  sum_k max(0, 1 - y_k f_k)^2           support vector machines, each class against the rest
///   logistic       sum_k log(1 + exp(-y_k f_k))          each class against the rest
///   multinomial    log sum_k exp(f_k) - f_c              all classes at once
/// Two classes have one function, of class 1, and the same loss under both names of logistic regression.
enum class ClassifierLoss { squared_hinge, logistic, multinomial };

BOCHNER_EXPORT std::span<const std::string_view> classifier_loss_names();
BOCHNER_EXPORT ClassifierLoss classifier_loss_from_name(std::string_view name);

/// Called after each pass over the rows: steps of Newton's method and passes so far, and how many times larger than
/// wanted the gradient is, for the function that is farthest from its goal.
using ClassifierProgress = std::function<void(std::size_t steps, std::size_t passes, double excess)>;

struct LinearClassifierOptions {
  ClassifierLoss loss = ClassifierLoss::squared_hinge;
  double C = 1;           ///< > 0: weight of the losses relative to the penalty
  bool intercept = true;  ///< without a penalty
  /// > 0: the fit ends when the norm of each function's gradient is at most this fraction of the norm at zero, times
  /// the share of its class or of the rest, whichever is rarer (LIBLINEAR); multinomial: without that share.
  double tolerance = 1e-4;
  std::size_t max_iterations = 100;  ///< steps of Newton's method
  /// Memory for the features of the first rows, which are kept from pass to pass; those of the other rows are computed
  /// again. At most a quarter more is used for numbers that the logistic losses keep for all rows, if these fit.
  std::size_t cache_bytes = 200'000'000;
  ClassifierProgress progress = {};
};

/// model = argmin |weights|^2 / 2 + C sum_i w_i loss(class of row i, f(x_i)): the objectives of LIBLINEAR and of
/// scikit-learn's LinearSVC and LogisticRegression.
struct LinearClassifierFit {
  LinearModel model;  ///< a function per class, one function for two classes
  double objective = 0;
  double gradient = 0;         ///< its 2-norm at the model
  std::size_t iterations = 0;  ///< steps of Newton's method
  std::size_t passes = 0;      ///< over all rows
  bool reached = false;        ///< whether the tolerance was reached; if not, the model is the best found
};

/// Newton's method in a trust region; conjugate gradients with a diagonal preconditioner solve its equations (Steihaug
/// 1983; Lin, Weng, Keerthi 2008). Each class against the rest has its own steps and radii. Features of rows beyond the
/// cache are computed again in every pass, for 64 rows at a time; all sums over them are double. Besides the features,
/// a pass takes 4 to 6 n outputs functions flops. Most passes are products with second derivatives; for the squared
/// hinge these need only the rows short of their margin, at 4 outputs flops for each such row and function. The memory
/// is the cache and at most 64 copies of the weights. Same bits for any number of threads and any cache.
///
/// `labels` are from 0 to classes - 1, classes >= 2; `weights` numbers >= 0, not all 0, or empty for ones. Throws
/// std::invalid_argument for arguments that do not fit together, maps that are not symmetric, and rows whose features
/// overflow.
BOCHNER_EXPORT LinearClassifierFit fit_linear_classifier(const Features& features, MatrixView<const float> X,
                                                         std::span<const std::int64_t> labels, std::size_t classes,
                                                         std::span<const double> weights = {},
                                                         const LinearClassifierOptions& options = {});
BOCHNER_EXPORT LinearClassifierFit fit_linear_classifier(const Features& features, MatrixView<const double> X,
                                                         std::span<const std::int64_t> labels, std::size_t classes,
                                                         std::span<const double> weights = {},
                                                         const LinearClassifierOptions& options = {});

/// Row weights that give all classes that occur the same total weight and leave the total over all rows unchanged.
BOCHNER_EXPORT std::vector<double> balanced_weights(std::span<const std::int64_t> labels, std::size_t classes,
                                                    std::span<const double> weights = {});

/// n x classes from the n x functions scores of `predict`. multinomial: exp(f_k) / sum; logistic: 1 / (1 + exp(-f_k)),
/// divided by their sum over the classes. squared_hinge is refused: its scores do not give probabilities.
BOCHNER_EXPORT Matrix<double> class_probabilities(MatrixView<const double> scores, ClassifierLoss loss);

}  // namespace bochner

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

/// What a row of class c costs where the functions are f; y_k is +1 for k = c and -1 for the others.
///   squared_hinge  sum_k max(0, 1 - y_k f_k)^2           support vector machines, each class against the rest
///   logistic       sum_k log(1 + exp(-y_k f_k))          each class against the rest
///   multinomial    log sum_k exp(f_k) - f_c              all classes at once
/// Two classes have one function, of class 1, and the same loss under both names of logistic regression.
enum class ClassifierLoss { squared_hinge, logistic, multinomial };

BOCHNER_EXPORT std::span<const std::string_view> classifier_loss_names();
BOCHNER_EXPORT ClassifierLoss classifier_loss_from_name(std::string_view name);

/// Called after each pass over the rows: steps of Newton's method and passes so far, and how many times the gradient is
/// larger than wanted, for the function that is farthest from it.
using ClassifierProgress = std::function<void(std::size_t steps, std::size_t passes, double excess)>;

struct LinearClassifierOptions {
  ClassifierLoss loss = ClassifierLoss::squared_hinge;
  double C = 1;           ///< > 0: what the losses weigh against the penalty
  bool intercept = true;  ///< it has no penalty
  /// > 0: the norm of the gradient of a function is brought down to this part of that at zero, times the share of its
  /// class or of the rest, whichever is rarer (LIBLINEAR); multinomial: to this part.
  double tolerance = 1e-4;
  std::size_t max_iterations = 100;  ///< steps of Newton's method
  /// Memory for features that are kept from pass to pass, those of the first rows; the others are computed again. At
  /// most a quarter more is for what the logistic losses keep of all rows, if that fits.
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
  bool reached = false;        ///< whether the tolerance was reached; if not, the model is the best that was found
};

/// By Newton's method in a trust region, equations solved by conjugate gradients with a diagonal preconditioner
/// (Steihaug 1983; Lin, Weng, Keerthi 2008). Each class against the rest has steps and radii of its own. Features of
/// rows beyond the cache are computed for 64 rows at a time, again at every pass; all sums over them are double. A pass
/// takes 4 to 6 n outputs functions flops beside the features; products with the second derivatives of the squared
/// hinge, most of the passes, ask only rows short of their margin, 4 outputs flops for each of them and each function.
/// Memory is that of the cache and of at most 64 copies of the weights. Same bits for any number of threads and any
/// cache.
///
/// `labels` are from 0 to classes - 1, classes >= 2; `weights` numbers >= 0, not all 0, or empty for ones. Throws
/// std::invalid_argument for arguments that do not fit, maps that are not symmetric, and rows whose features
/// overflow.
BOCHNER_EXPORT LinearClassifierFit fit_linear_classifier(const Features& features, MatrixView<const float> X,
                                                         std::span<const std::int64_t> labels, std::size_t classes,
                                                         std::span<const double> weights = {},
                                                         const LinearClassifierOptions& options = {});
BOCHNER_EXPORT LinearClassifierFit fit_linear_classifier(const Features& features, MatrixView<const double> X,
                                                         std::span<const std::int64_t> labels, std::size_t classes,
                                                         std::span<const double> weights = {},
                                                         const LinearClassifierOptions& options = {});

/// Weights of rows under which all classes that occur weigh the same, and all rows together as much as before.
BOCHNER_EXPORT std::vector<double> balanced_weights(std::span<const std::int64_t> labels, std::size_t classes,
                                                    std::span<const double> weights = {});

/// n x classes from the n x functions scores of `predict`. multinomial: exp(f_k) / sum; logistic: 1 / (1 + exp(-f_k)),
/// divided by their sum over the classes. squared_hinge is refused: its scores are no probabilities.
BOCHNER_EXPORT Matrix<double> class_probabilities(MatrixView<const double> scores, ClassifierLoss loss);

}  // namespace bochner

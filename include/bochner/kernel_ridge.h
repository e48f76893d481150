// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/gram.h"

namespace bochner {

/// f(x) = weights phi(x) + intercept, one function per row of weights. Together with the spec of the features this is a
/// complete fitted model.
struct LinearModel {
  Matrix<double> weights;  ///< functions x outputs
  std::vector<double> intercept;
};

/// n x functions, summed in double; the bits of a row depend on that row alone. Throws if a prediction is not finite
/// and names its row.
BOCHNER_EXPORT Matrix<double> predict(const Features& features, const LinearModel& model, MatrixView<const float> X);
BOCHNER_EXPORT Matrix<double> predict(const Features& features, const LinearModel& model, MatrixView<const double> X);

/// How alpha is chosen if it is not given.
///   leave_one_out  the exact error at each row of the fit to all others, from e_i / (1 - h_i). Needs the rows a second
///                  time.
///   folds          the error on each of K folds of the fit to the others, from the Gram matrices of the folds.
///   generalised    mean e_i^2 / (1 - mean h_i)^2 (Golub, Heath, Wahba 1979): misleads where few rows have most of the
///                  leverage.
/// Rows with equal x and y count as one row, whose weight w is the sum of theirs. It is left out whole unless its x has
/// k > 1 different answers: then min(w, W / k) of it is left out, where W is the weight of all of these. (folds: it is
/// left out in ceil(w k / W) parts, at most one for each fold; whole if the FoldGram was gathered by `add`.
/// generalised: the mean is over that many parts of all rows.) So the size of weights does not affect the choice, and a
/// row of weight 2 is the same as the row twice.
enum class Selection { leave_one_out, folds, generalised };

BOCHNER_EXPORT std::span<const std::string_view> selection_names();
BOCHNER_EXPORT Selection selection_from_name(std::string_view name);

struct KernelRidgeOptions {
  /// >= 0; empty: the largest alpha of `path` whose error over all targets is within a thousandth of the least.
  std::optional<double> alpha = {};
  Selection selection = Selection::leave_one_out;
  /// Numbers > 0; empty: 10 lambda 10^(-k/2), where lambda is the largest eigenvalue, down to 1e-12 lambda, for float
  /// rows 1e-7 lambda (their products have errors of that size), or to where rounding leaves nothing of an eigenvalue,
  /// if that is larger. A given number below that last limit is not chosen.
  std::vector<double> path = {};
  std::size_t folds = 5;
  bool intercept = true;
};

/// weights = argmin sum_i w_i |y_i - weights phi_i - intercept|^2 + alpha |weights|^2.
struct KernelRidgeFit {
  LinearModel model;
  double alpha = 0;
  double jitter = 0;         ///< added to the diagonal beyond alpha, because the factorisation failed without it
  double condition = 1;      ///< condition number of the normal equation with alpha and jitter
  std::vector<double> path;  ///< the alphas to choose from, descending; empty if alpha was given
  /// Mean squared error of the selection at each alpha, summed over targets; infinity if it is lost in rounding.
  std::vector<double> errors;
  /// What to know about the choice, one sentence each: for example that the least error is at the end of the path.
  std::vector<std::string> notes;
};

/// Fits rows in memory. n >= outputs: n outputs^2 flops for the Gram matrix, twice as many again for leave-one-out, and
/// outputs^3 / 3 for a given alpha or 9 outputs^3 for the whole path. n < outputs: the dual equation of size n, with
/// the n x outputs features in memory; `folds` always uses the first method. Same bits for any number of threads.
/// Throws std::invalid_argument for arguments that do not fit together, targets beyond 1e150, matrices larger than the
/// memory left, rows whose features overflow or vanish, and a path on which no error is finite.
BOCHNER_EXPORT KernelRidgeFit fit_kernel_ridge(const Features& features, MatrixView<const float> X,
                                               MatrixView<const double> Y, std::span<const double> weights = {},
                                               const KernelRidgeOptions& options = {});
BOCHNER_EXPORT KernelRidgeFit fit_kernel_ridge(const Features& features, MatrixView<const double> X,
                                               MatrixView<const double> Y, std::span<const double> weights = {},
                                               const KernelRidgeOptions& options = {});

/// Fits sums gathered before. leave_one_out is refused because it needs the rows.
BOCHNER_EXPORT KernelRidgeFit fit_kernel_ridge(const FoldGram& gram, const KernelRidgeOptions& options);

/// The lengthscales tried, and the mean squared error of the selection at each.
struct RidgeLengthscale {
  double lengthscale = 0;  ///< the largest whose error is within a thousandth of the least
  std::vector<double> tried, errors;
};

/// Tries 8, 4, 2, 1, 1/2, 1/4 and 1/8 times the `median` rule (lengthscale.h) with the features of `spec`, whose own
/// lengthscale is ignored. Each is judged by the error that chooses alpha, the least over the path; a given alpha must
/// be > 0 and is then the whole path. Costs seven fits to a sample of at most 4096 rows. Throws as fit_kernel_ridge and
/// lengthscale_from do.
BOCHNER_EXPORT RidgeLengthscale search_ridge_lengthscale(const Spec& spec, MatrixView<const float> X,
                                                         MatrixView<const double> Y,
                                                         std::span<const double> weights = {},
                                                         const KernelRidgeOptions& options = {});
BOCHNER_EXPORT RidgeLengthscale search_ridge_lengthscale(const Spec& spec, MatrixView<const double> X,
                                                         MatrixView<const double> Y,
                                                         std::span<const double> weights = {},
                                                         const KernelRidgeOptions& options = {});

/// Exact kernel ridge regression without an intercept, O(n^3): dual = (K + alpha I)^-1 y. Throws std::invalid_argument
/// if no jitter makes K + alpha I positive definite.
struct ExactRidgeFit {
  std::vector<double> dual;
  double jitter = 0;
};
BOCHNER_EXPORT ExactRidgeFit fit_exact_ridge(std::string_view kernel, std::span<const double> lengthscale,
                                             MatrixView<const double> X, std::span<const double> y, double alpha);

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/gram.h"
#include "bochner/kernel_ridge.h"

namespace bochner {

struct GaussianProcessOptions {
  /// Variances of noise and signal, > 0, for targets normalised as `normalise` says; empty: the values that make the
  /// targets most likely. The noise found is at least 1e-10 of the mean square of the targets (1e-6 for float rows).
  /// The signal found is such that the mean of signal |phi|^2 is at most 10 times that mean square: ten deviations of
  /// the targets are then three of the prior. With a larger signal the kernel is flat over all rows, and no row bounds
  /// the predictions far away.
  std::optional<double> noise_variance = {}, signal_variance = {};
  /// Subtract its mean from each target and divide by its deviation (1 if it is constant); predictions and their
  /// variances are still in units of the targets.
  bool normalise = true;
};

/// y = f(x) + noise, f(x) = w . phi(x) with w ~ N(0, signal I): the Gaussian process with the kernel
/// signal phi(x) . phi(y) ~ signal k(x, y). y is the normalised target. Targets share the variances and are independent
/// of each other. The posterior of w is N(mean, signal (I - directions' (1 - shrinkage) directions)).
struct GaussianProcessFit {
  LinearModel mean;                                ///< posterior mean: one function per target, in its units
  double noise_variance = 0, signal_variance = 0;  ///< of normalised targets
  /// log N(y; 0, signal Phi Phi' + noise I), summed over the normalised targets.
  double log_marginal_likelihood = 0;
  Matrix<double>
      directions;  ///< orthonormal rows: directions of w that data inform, at most as many as rows or outputs
  std::vector<double> shrinkage;  ///< posterior / prior variance along each direction, in (0, 1]
  std::vector<double> y_scale;    ///< what each target was divided by: its deviation, or 1
};

/// With lambda the eigenvalues of Phi' Phi, c the coordinates of y along them and a = noise / signal, the likelihood is
///   -(n log(2 pi noise) + sum_j log(1 + lambda_j / a) + (|y|^2 - sum_j c_j^2 lambda_j / (lambda_j + a)) / noise) / 2,
/// so a search along a finds both variances. A step costs O(outputs); a goes down to 1e-12 (float rows: 1e-7) of the
/// largest lambda. A row of weight w stands for w rows. n >= outputs: one Gram and one eigendecomposition of size
/// outputs; n < outputs: one of size n, with the n x outputs features in memory. Same bits for any number of threads.
/// Throws std::invalid_argument for arguments that do not fit together, maps that are not symmetric, and rows whose
/// features or variances overflow.
BOCHNER_EXPORT GaussianProcessFit fit_gaussian_process(const Features& features, MatrixView<const float> X,
                                                       MatrixView<const double> Y, std::span<const double> weights = {},
                                                       const GaussianProcessOptions& options = {});
BOCHNER_EXPORT GaussianProcessFit fit_gaussian_process(const Features& features, MatrixView<const double> X,
                                                       MatrixView<const double> Y, std::span<const double> weights = {},
                                                       const GaussianProcessOptions& options = {});
BOCHNER_EXPORT GaussianProcessFit fit_gaussian_process(const Gram& gram, const GaussianProcessOptions& options = {});

/// The prior variance of f(x) from which the posterior variance is computed: signal |phi(x)|^2 of the features, or the
/// exact signal k(x, x). They are equal for `trigonometric` and other maps of constant norm. For other maps the first
/// gives the variance under the fitted model; the second has no random error of its own, but its posterior variance may
/// fall below 0 and is then set to 0.
enum class PriorVariance { features, exact };

struct PredictiveVariance {
  Matrix<double> values;    ///< n x targets, of f without the noise (y_scale^2 noise_variance), in units of y squared
  std::size_t clamped = 0;  ///< number of rows whose variances were below 0
};

/// 2 outputs rank flops a row; the bits of a row depend on that row alone. A variance below 0 becomes 0 and is counted.
/// With the prior of the features that is rounding: below -1e-6 of the prior the directions of `fit` are not
/// orthonormal, and std::runtime_error is thrown. The exact prior differs by the error of the features, so a variance
/// of any size below 0 is set to 0. Throws std::invalid_argument for a row whose variance is beyond the range of
/// double.
BOCHNER_EXPORT PredictiveVariance predictive_variance(const Features& features, const GaussianProcessFit& fit,
                                                      MatrixView<const float> X,
                                                      PriorVariance prior = PriorVariance::features);
BOCHNER_EXPORT PredictiveVariance predictive_variance(const Features& features, const GaussianProcessFit& fit,
                                                      MatrixView<const double> X,
                                                      PriorVariance prior = PriorVariance::features);

/// Functions drawn from the posterior, for `predict` at any rows: function i targets + t is draw i of target t.
BOCHNER_EXPORT LinearModel draw_functions(const GaussianProcessFit& fit, std::size_t draws, std::uint64_t seed);

struct LengthscaleSearch {
  bool per_coordinate = false;    ///< a lengthscale for each coordinate (automatic relevance determination)
  std::size_t rows = 4096;        ///< the most rows of the sample; an evaluation is O(rows^2 min(rows, outputs))
  std::size_t evaluations = 200;  ///< at most
};

struct LikeliestLengthscale {
  std::vector<double> lengthscale;     ///< one number, or one per coordinate
  double log_marginal_likelihood = 0;  ///< on the sample
  std::size_t evaluations = 0;
};

/// Lengthscales that make the targets of a sample of rows most likely; for each the variances are found as above. The
/// seed of `spec` stays, so the same W meets x / lengthscale. The search starts at spec.lengthscale and goes up and
/// down in steps of 2^(1/8) to 2^4: first all coordinates together and then, if asked for, each coordinate (on at most
/// 2048 rows and with 512 outputs), then all together again with all rows and outputs. It stays within 2^-8 to 2^8 of
/// the start, and rows stay at least 1/4 of a lengthscale apart in the mean. It uses no derivatives, is deterministic
/// and finds a local maximum. Throws as fit_gaussian_process does.
BOCHNER_EXPORT LikeliestLengthscale likeliest_lengthscale(const Spec& spec, MatrixView<const float> X,
                                                          MatrixView<const double> Y,
                                                          std::span<const double> weights = {},
                                                          const GaussianProcessOptions& options = {},
                                                          const LengthscaleSearch& search = {});
BOCHNER_EXPORT LikeliestLengthscale likeliest_lengthscale(const Spec& spec, MatrixView<const double> X,
                                                          MatrixView<const double> Y,
                                                          std::span<const double> weights = {},
                                                          const GaussianProcessOptions& options = {},
                                                          const LengthscaleSearch& search = {});

}  // namespace bochner

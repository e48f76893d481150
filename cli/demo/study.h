// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/model.h"
#include "bochner/theory.h"

/// What `bochner demo` measures. Each study is a plain record, so that terminal, page and JSON show the same numbers.
namespace bochner::cli {

/// Called from time to time with the share that is done, 0 to 1.
using Progress = std::function<void(double)>;

/// Exact and approximated Gram matrices of the S-curve.
struct GramStudy {
  struct Approximation {
    std::size_t m = 0, outputs = 0;
    double measured = 0;   ///< root mean square error of this one draw over all entries
    double predicted = 0;  ///< the same from the closed form, mean over draws and over sampled pairs
    double largest = 0;    ///< largest error of an entry
    Matrix<float> shown;   ///< entries of every `stride`-th point
  };
  std::size_t n = 0, stride = 0;
  double lengthscale = 0;
  std::string map, coupling;
  Matrix<double> points;
  Matrix<float> shown;
  std::vector<Approximation> approximations;
};
GramStudy study_gram(std::uint64_t seed, const Progress& progress);

/// The share `effort` of `draws`, but at least 2, which a standard error needs.
std::size_t share_of(std::size_t draws, double effort);

/// A root mean square error over draws, and its closed form.
struct Measurement {
  double measured = 0;
  double predicted = 0;
  double ratio = 0;           ///< measured / predicted
  double standard_error = 0;  ///< standard error of the ratio
};
/// Compares the squared error of each draw with the predicted mean squared error.
Measurement compare(const std::vector<double>& squared_errors, double predicted);

/// Error against m for every mechanism with a closed form of its error, on pairs of points of the S-curve.
struct ErrorStudy {
  struct Point {
    std::size_t m = 0, outputs = 0;
    Measurement error;
  };
  struct Mechanism {
    std::string kernel, map, coupling;
    std::vector<Point> points;
    /// For all m together: the root of the mean squared ratio and its standard error.
    double ratio = 0, standard_error = 0;
  };
  std::size_t d = 0, pairs = 0, draws = 0;
  double lengthscale = 0;
  double sum_norm = 0, difference_norm = 0;  ///< root mean squares of |x + y| and |x - y| in lengthscales
  std::vector<Mechanism> mechanisms;
};
/// `effort` is the share of the usual draws that are taken; 1 means all.
ErrorStudy study_errors(const std::vector<std::string>& kernels, const std::vector<std::string>& maps,
                        std::uint64_t seed, double effort, const Progress& progress);

/// Mean squared error relative to that of `iid` in closed form, against |x - y| (trigonometric maps) or |x + y|
/// (positive maps): Fig. 3 of Yu et al. (2016) and Fig. 6 of Reid et al. (2023).
struct DistanceStudy {
  /// The couplings to study: those with an exact closed form, or also those with an approximate one or none.
  enum class Scope { exact, all };

  struct Point {
    double distance = 0;
    double measured = 0, standard_error = 0;
    double predicted = 0;  ///< 0 where no closed form is known
  };
  struct Mechanism {
    std::string map, coupling;
    theory::Exactness exactness = theory::Exactness::exact;
    std::vector<Point> points;
    std::vector<double> curve_x, curve_y;  ///< the closed form on a fine grid, if there is one
  };
  std::size_t d = 0, m = 0, draws = 0;
  std::vector<Mechanism> mechanisms;
};
DistanceStudy study_distance(const std::vector<std::string>& maps, DistanceStudy::Scope scope, std::uint64_t seed,
                             double effort, const Progress& progress);

/// Ridge on random features against exact kernel ridge, one-dimensional regression.
struct RidgeStudy {
  struct Row {
    std::size_t m = 0, outputs = 0;
    /// Root mean square distance from the truth: median and quartiles over draws.
    double error = 0, lower_quartile = 0, upper_quartile = 0;
    double seconds = 0, speedup = 0;
  };
  struct Size {
    std::size_t n = 0;
    double features_seconds = 0;
    std::optional<double> exact_seconds;
  };
  struct Curve {
    std::size_t m = 0;
    std::vector<double> y;
  };
  std::size_t n = 0, tests = 0, draws = 0;
  double lengthscale = 0, alpha = 0;
  std::string map, coupling;
  double exact_error = 0, exact_seconds = 0;
  std::vector<Row> rows;
  std::vector<double> shown_x, shown_y;          ///< some of the training points
  std::vector<double> grid, truth, exact_curve;  ///< on the test grid
  std::vector<Curve> curves;
  std::size_t sizes_m = 0;
  std::vector<Size> sizes;
};
RidgeStudy study_ridge(std::uint64_t seed, const Progress& progress);

/// From a file to a tested model, as with the commands `fit`, `evaluate` and `predict`, on files in `folder`.
struct ModelStudy {
  std::string fit, evaluate, predict;  ///< the commands
  std::size_t rows = 0;
  std::vector<std::string> notes;
  Metrics holdout, fresh;  ///< on rows held out, and on the rows of another file
  FitDetails shown;        ///< targets and predictions of the other file
};
ModelStudy study_model(const std::filesystem::path& parent, std::uint64_t seed, const Progress& progress);

}  // namespace bochner::cli

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/blas.h"
#include "core/parallel.h"
#include "features/scratch.h"
#include "learners/ridge/ridge_path.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// Rows of one job: two blocks of features are 2 x 256 x 4096 floats at most in practice, 8 MB.
constexpr std::size_t kRows = 256;
/// Rows of a job that are converted to double at once.
constexpr std::size_t kWideRows = 64;

/// Below this, 1 - leverage is rounding. A coordinate z_j of a row in the eigenbasis has an error of about eps |phi|,
/// which changes the leverage sum_j z_j^2 / (lambda_j + alpha) by at most about eps |phi| / sqrt(alpha). At the end of
/// the path of float rows, alpha = 1e-7 n |phi|^2, that is 2e-4 / sqrt(n).
template <class T>
constexpr double kLeastSlack = 1024 * std::numeric_limits<T>::epsilon();

/// What all rows share. In the type of the features: V, V mean, and projected / (lambda + alpha), each target divided
/// by its own size. In double: these sizes and 1 / (lambda + alpha), since 1 - leverage cancels if a row determines its
/// own value.
template <class T>
struct Tables {
  Matrix<T> vectors, mean, scaled;
  Matrix<double> inverse;
  std::vector<double> sizes;

  Tables(const PathProblem& problem, const Centre& centre, std::span<const double> path)
      : vectors(problem.spectrum.vectors.rows(), problem.spectrum.vectors.cols()),
        mean(1, vectors.rows()),
        scaled(path.size() * problem.projected.rows(), vectors.rows()),
        inverse(path.size(), vectors.rows()) {
    const std::size_t size = vectors.rows();
    Matrix<double> turned(1, size);
    blas::gemm_nt<double>(1, MatrixView<const double>(centre.features.data(), 1, size), problem.spectrum.vectors, 0,
                          turned);
    for (std::size_t j = 0; j < size; ++j) {
      std::transform(problem.spectrum.vectors.view().row(j).begin(), problem.spectrum.vectors.view().row(j).end(),
                     vectors.view().row(j).begin(), [](double value) { return static_cast<T>(value); });
      mean(0, j) = static_cast<T>(turned(0, j));
      for (std::size_t a = 0; a < path.size(); ++a) inverse(a, j) = 1 / (problem.spectrum.values[j] + path[a]);
    }
    for (std::size_t t = 0; t < problem.projected.rows(); ++t) scale(problem.projected.view().row(t), t);
  }

 private:
  /// Sizes are powers of two, so that float can hold the weights for targets and features of any size without rounding
  /// them.
  void scale(std::span<const double> projected, std::size_t target) {
    const std::size_t targets = scaled.rows() / inverse.rows();
    double largest = 0;
    for (std::size_t a = 0; a < inverse.rows(); ++a)
      for (std::size_t j = 0; j < projected.size(); ++j)
        largest = std::max(largest, std::fabs(projected[j] * inverse(a, j)));
    sizes.push_back(largest > 0 && std::isfinite(largest) ? std::exp2(std::floor(std::log2(largest))) : 1.0);
    for (std::size_t a = 0; a < inverse.rows(); ++a)
      for (std::size_t j = 0; j < projected.size(); ++j)
        scaled(a * targets + target, j) = static_cast<T>(projected[j] * inverse(a, j) / sizes[target]);
  }
};

/// Features of a block in the eigenbasis, then fitted values divided by the sizes of targets and, in double, leverages
/// at every alpha.
template <class T>
struct Block {
  Matrix<T> fitted, turned;
  Matrix<double> leverages;
  std::vector<double> squares;  ///< sums of the squares of `turned`

  Block(const Features& features, const Tables<T>& tables, MatrixView<const T> X)
      : fitted(X.rows(), tables.scaled.rows()),
        turned(X.rows(), tables.vectors.rows()),
        leverages(X.rows(), tables.inverse.rows()) {
    const std::size_t n = X.rows(), size = tables.vectors.rows();
    Scratch<T> features_memory(n * size);
    const MatrixView<T> Z(features_memory.data(), n, size);
    features.transform(X, Z);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(tables.mean.data(), size, turned.view().row(i).data());
    blas::gemm_nt<T>(1, Z, tables.vectors, -1, turned);
    blas::gemm_nt<T>(1, turned, tables.scaled, 0, fitted);
    for (std::size_t i = 0; i < n; ++i) squares.push_back(simd::dot<T>(turned.view().row(i), turned.view().row(i)));
    for (std::size_t first = 0; first < n; first += kWideRows) {
      const std::size_t last = std::min(first + kWideRows, n);
      Scratch<double> memory((last - first) * size);
      std::transform(turned.view().row(first).data(), turned.view().row(first).data() + (last - first) * size,
                     memory.data(), [](T value) { return double(value) * double(value); });
      blas::gemm_nt<double>(1, MatrixView<const double>(memory.data(), last - first, size), tables.inverse, 0,
                            leverages.view().row_range(first, last));
    }
  }
};

/// A slack, or a mean squared error, less than this many times its rounding error counts as lost.
constexpr double kMargin = 4, kMarginOfError = 2;
/// Rows with less slack magnify the rounding error of their residual so much that it is counted row by row.
constexpr double kSmallSlack = 0.125;

/// Rounding errors at one alpha. An error E of the Gram matrix, independent from entry to entry, and errors of eps |z|
/// of the coordinates z of a row change its leverage sum_j z_j^2 / (lambda_j + alpha) by E q + eps |z| sqrt(q), where
/// q = sum_j z_j^2 / (lambda_j + alpha)^2, and its residual by E sqrt(q) |w| + eps |z| |w|, where w are the weights of
/// the features.
template <class T>
struct Rounding {
  double entry;

  double of_leverage(double q, double square) const {
    return entry * q + std::numeric_limits<T>::epsilon() * std::sqrt(square * q);
  }
  /// The squared error, divided by |w|^2.
  double of_residual(double q, double square) const {
    return entry * entry * q + std::pow(std::numeric_limits<T>::epsilon(), 2) * square;
  }
};

/// sum_j z_j^2 / (lambda_j + alpha)^2.
template <class T>
double squares_over(std::span<const T> z, std::span<const double> inverse) {
  double q = 0;
  for (std::size_t j = 0; j < z.size(); ++j) q += (z[j] * inverse[j]) * (z[j] * inverse[j]);
  return q;
}

/// The divisor of a residual, 0 if it is lost in rounding, and the squared rounding error of the quotient, divided by
/// |w|^2, if it is magnified.
struct Slack {
  double value = 0, doubt = 0;
};

/// The divisor of the residual of row i of a block, of whose weight `left_out` is left out. If it is the only row, none
/// is left to fit to, and it keeps its residual.
template <class T>
Slack slack_of(const Block<T>& block, const Tables<T>& tables, std::size_t i, std::size_t a, double left_out,
               double intercept, double entry) {
  const double others = 1 - left_out * intercept;
  if (others < kLeastSlack<double>) return {1};
  const double slack = others - left_out * block.leverages(i, a);
  if (!(slack > kLeastSlack<T>)) return {};
  const Rounding<T> rounding{entry};
  const auto inverse = tables.inverse.view().row(a);
  // q is at most the leverage / (lambda_0 + alpha); most rows need no more than this bound.
  const double most = block.leverages(i, a) * inverse[0];
  if (slack > std::max(kSmallSlack, kMargin * left_out * rounding.of_leverage(most, block.squares[i]))) return {slack};
  const double q = squares_over<T>(block.turned.view().row(i), inverse);
  if (!(slack > kMargin * left_out * rounding.of_leverage(q, block.squares[i]))) return {};
  return {slack, rounding.of_residual(q, block.squares[i]) / (slack * slack)};
}

/// At each alpha: |w|^2 summed over all targets, and the mean square of the rounding errors of residuals, divided by
/// |w|^2.
template <class T>
struct Doubts {
  std::vector<double> norms, means;

  Doubts(const PathProblem& problem, std::span<const double> path, double weight) {
    for (const double alpha : path) {
      double norm = 0, q = 0, square = 0;
      for (std::size_t j = 0; j < problem.spectrum.values.size(); ++j) {
        const double value = problem.spectrum.values[j], inverse = 1 / (value + alpha);
        for (std::size_t t = 0; t < problem.projected.rows(); ++t)
          norm += std::pow(problem.projected(t, j) * inverse, 2);
        q += value * inverse * inverse / weight;
        square += value / weight;
      }
      norms.push_back(norm);
      means.push_back(Rounding<T>{problem.entry}.of_residual(q, square));
    }
  }
};

}  // namespace

template <class T>
std::vector<double> leave_one_out_errors(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                                         std::span<const double> weights, std::span<const double> left_out,
                                         const PathProblem& problem, const Centre& centre,
                                         std::span<const double> path) {
  const Tables<T> tables(problem, centre, path);
  const std::size_t targets = Y.cols();
  // Sums of squared errors, of doubts and of weights.
  Matrix<double> parts((X.rows() + kRows - 1) / kRows, 2 * path.size() + 1, 0.0);
  parallel_for(X.rows(), kRows, [&](std::size_t first, std::size_t last) {
    const Block<T> block(features, tables, X.row_range(first, last));
    const auto sums = parts.view().row(first / kRows);
    for (std::size_t i = first; i < last; ++i) {
      const double weight = weights.empty() ? 1.0 : weights[i];
      sums[2 * path.size()] += weight;
      for (std::size_t a = 0; a < path.size(); ++a) {
        const auto [slack, doubt] =
            slack_of<T>(block, tables, i - first, a, left_out[i], centre.leverage, problem.entry);
        if (slack == 0 && weight > 0) sums[a] = std::numeric_limits<double>::infinity();
        for (std::size_t t = 0; slack > 0 && t < targets; ++t) {
          const double fitted = tables.sizes[t] * double(block.fitted(i - first, a * targets + t));
          const double residual = (Y(i, t) - centre.targets[t] - fitted) / slack;
          sums[a] += weight * residual * residual;
        }
        sums[path.size() + a] += weight * doubt;
      }
    }
  });
  std::vector<double> errors(2 * path.size() + 1, 0.0);
  for (std::size_t part = 0; part < parts.rows(); ++part)
    for (std::size_t a = 0; a < errors.size(); ++a) errors[a] += parts(part, a);
  const double weight = errors.back();
  const Doubts<T> doubts(problem, path, weight);
  const auto finite = [](double error) { return std::isfinite(error); };
  const auto first = std::find_if(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(path.size()), finite);
  const double squares = *first / weight;  // nearly no fit
  for (std::size_t a = 0; a < path.size(); ++a) {
    const double doubt = doubts.norms[a] * (doubts.means[a] + errors[path.size() + a] / weight);
    errors[a] = trusted(errors[a] / weight, kMarginOfError * doubt, squares);
  }
  errors.resize(path.size());
  return errors;
}

template std::vector<double> leave_one_out_errors(const Features&, MatrixView<const float>, MatrixView<const double>,
                                                  std::span<const double>, std::span<const double>, const PathProblem&,
                                                  const Centre&, std::span<const double>);
template std::vector<double> leave_one_out_errors(const Features&, MatrixView<const double>, MatrixView<const double>,
                                                  std::span<const double>, std::span<const double>, const PathProblem&,
                                                  const Centre&, std::span<const double>);

}  // namespace bochner

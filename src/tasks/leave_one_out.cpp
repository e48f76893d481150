// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/blas.h"
#include "core/parallel.h"
#include "features/scratch.h"
#include "tasks/ridge_path.h"

namespace bochner {
namespace {

/// Rows of one job: two blocks of features are 2 x 256 x 4096 floats at most in practice, 8 MB.
constexpr std::size_t kRows = 256;
/// Of these, rows that are widened to double at once.
constexpr std::size_t kWideRows = 64;

/// Below it 1 - leverage is rounding. A coordinate z_j of a row in the eigenbasis has an error of about eps |phi|,
/// which changes the leverage sum_j z_j^2 / (lambda_j + alpha) by at most about eps |phi| / sqrt(alpha). At the end of
/// the path of float rows, alpha = 1e-7 n |phi|^2, that is 2e-4 / sqrt(n).
template <class T>
constexpr double kLeastSlack = 1024 * std::numeric_limits<T>::epsilon();

/// What all rows share: in the type of the features V, V mean and projected / (lambda + alpha), each target over its
/// own size; in double these sizes and 1 / (lambda + alpha), since 1 - leverage cancels where a row decides its value.
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
  /// Powers of two as sizes, so that float holds the weights of targets and features of any size, and rounds none.
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

/// Features of a block in the eigenbasis, then fitted values over the sizes of targets and, in double, leverages at
/// every alpha.
template <class T>
struct Block {
  Matrix<T> fitted;
  Matrix<double> leverages;

  Block(const Features& features, const Tables<T>& tables, MatrixView<const T> X)
      : fitted(X.rows(), tables.scaled.rows()), leverages(X.rows(), tables.inverse.rows()) {
    const std::size_t n = X.rows(), size = tables.vectors.rows();
    Scratch<T> features_memory(n * size), turned_memory(n * size);
    const MatrixView<T> Z(features_memory.data(), n, size), turned(turned_memory.data(), n, size);
    features.transform(X, Z);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(tables.mean.data(), size, turned.row(i).data());
    blas::gemm_nt<T>(1, Z, tables.vectors, -1, turned);
    blas::gemm_nt<T>(1, turned, tables.scaled, 0, fitted);
    for (std::size_t first = 0; first < n; first += kWideRows) {
      const std::size_t last = std::min(first + kWideRows, n);
      Scratch<double> memory((last - first) * size);
      std::transform(turned.row(first).data(), turned.row(first).data() + (last - first) * size, memory.data(),
                     [](T value) { return double(value) * double(value); });
      blas::gemm_nt<double>(1, MatrixView<const double>(memory.data(), last - first, size), tables.inverse, 0,
                            leverages.view().row_range(first, last));
    }
  }
};

/// What divides the residual of a row of which `share` is left out; 0 where that is lost in rounding. A row that is the
/// only one leaves none to be fitted to, and keeps its residual.
template <class T>
double slack_of(double leverage, double share, double intercept) {
  const double others = 1 - share * intercept;
  if (others < kLeastSlack<double>) return 1;
  const double slack = others - share * leverage;
  return slack > kLeastSlack<T> ? slack : 0;
}

}  // namespace

template <class T>
std::vector<double> leave_one_out_errors(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                                         std::span<const double> weights, const PathProblem& problem,
                                         const Centre& centre, std::span<const double> path) {
  const Tables<T> tables(problem, centre, path);
  const std::size_t targets = Y.cols();
  Matrix<double> parts((X.rows() + kRows - 1) / kRows, path.size(), 0.0);
  std::vector<double> weight_parts(parts.rows(), 0.0);
  parallel_for(X.rows(), kRows, [&](std::size_t first, std::size_t last) {
    const Block<T> block(features, tables, X.row_range(first, last));
    const auto sums = parts.view().row(first / kRows);
    for (std::size_t i = first; i < last; ++i) {
      const double weight = weights.empty() ? 1.0 : weights[i], share = std::min(weight, 1.0);
      weight_parts[first / kRows] += weight;
      for (std::size_t a = 0; a < path.size(); ++a) {
        const double slack = slack_of<T>(block.leverages(i - first, a), share, centre.leverage);
        if (slack == 0 && weight > 0) sums[a] = std::numeric_limits<double>::infinity();
        for (std::size_t t = 0; slack > 0 && t < targets; ++t) {
          const double fitted = tables.sizes[t] * double(block.fitted(i - first, a * targets + t));
          const double residual = (Y(i, t) - centre.targets[t] - fitted) / slack;
          sums[a] += weight * residual * residual;
        }
      }
    }
  });
  double weight = 0;
  std::vector<double> errors(path.size(), 0.0);
  for (std::size_t part = 0; part < parts.rows(); ++part) {
    weight += weight_parts[part];
    for (std::size_t a = 0; a < path.size(); ++a) errors[a] += parts(part, a);
  }
  for (double& error : errors) error /= weight;
  return errors;
}

template std::vector<double> leave_one_out_errors(const Features&, MatrixView<const float>, MatrixView<const double>,
                                                  std::span<const double>, const PathProblem&, const Centre&,
                                                  std::span<const double>);
template std::vector<double> leave_one_out_errors(const Features&, MatrixView<const double>, MatrixView<const double>,
                                                  std::span<const double>, const PathProblem&, const Centre&,
                                                  std::span<const double>);

}  // namespace bochner

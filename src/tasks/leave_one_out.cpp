// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/blas.h"
#include "core/parallel.h"
#include "features/scratch.h"
#include "tasks/ridge_path.h"

namespace bochner {
namespace {

/// Rows of one job: two blocks of features are 2 x 256 x 4096 floats at most in practice, 8 MB.
constexpr std::size_t kRows = 256;

/// What all rows share, in the type of the features: V, V mean, 1 / (lambda + alpha) and projected / (lambda + alpha).
template <class T>
struct Tables {
  Matrix<T> vectors, mean, inverse, scaled;

  Tables(const PathProblem& problem, const Centre& centre, std::span<const double> path)
      : vectors(problem.spectrum.vectors.rows(), problem.spectrum.vectors.cols()),
        mean(1, vectors.rows()),
        inverse(path.size(), vectors.rows()),
        scaled(path.size() * problem.projected.rows(), vectors.rows()) {
    const std::size_t size = vectors.rows(), targets = problem.projected.rows();
    Matrix<double> turned(1, size);
    blas::gemm_nt<double>(1, MatrixView<const double>(centre.features.data(), 1, size), problem.spectrum.vectors, 0,
                          turned);
    for (std::size_t j = 0; j < size; ++j) {
      std::transform(problem.spectrum.vectors.view().row(j).begin(), problem.spectrum.vectors.view().row(j).end(),
                     vectors.view().row(j).begin(), [](double value) { return static_cast<T>(value); });
      mean(0, j) = static_cast<T>(turned(0, j));
      for (std::size_t a = 0; a < path.size(); ++a) {
        const double factor = 1 / (problem.spectrum.values[j] + path[a]);
        inverse(a, j) = static_cast<T>(factor);
        for (std::size_t t = 0; t < targets; ++t)
          scaled(a * targets + t, j) = static_cast<T>(problem.projected(t, j) * factor);
      }
    }
  }
};

/// Features of a block in the eigenbasis; then leverages and fitted values at every alpha.
template <class T>
struct Block {
  Matrix<T> leverages, fitted;

  Block(const Features& features, const Tables<T>& tables, MatrixView<const T> X)
      : leverages(X.rows(), tables.inverse.rows()), fitted(X.rows(), tables.scaled.rows()) {
    const std::size_t n = X.rows(), size = tables.vectors.rows();
    Scratch<T> features_memory(n * size), turned_memory(n * size);
    const MatrixView<T> Z(features_memory.data(), n, size), turned(turned_memory.data(), n, size);
    features.transform(X, Z);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(tables.mean.data(), size, turned.row(i).data());
    blas::gemm_nt<T>(1, Z, tables.vectors, -1, turned);
    blas::gemm_nt<T>(1, turned, tables.scaled, 0, fitted);
    for (std::size_t i = 0; i < n * size; ++i) turned.data()[i] *= turned.data()[i];
    blas::gemm_nt<T>(1, turned, tables.inverse, 0, leverages);
  }
};

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
        const double slack =
            std::max(1 - share * (double(block.leverages(i - first, a)) + centre.leverage), kLeastSlack);
        for (std::size_t t = 0; t < targets; ++t) {
          const double residual =
              (Y(i, t) - centre.targets[t] - double(block.fitted(i - first, a * targets + t))) / slack;
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

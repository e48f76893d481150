// SPDX-License-Identifier: Apache-2.0
#include "models/fit_details.h"

#include <algorithm>
#include <utility>

#include "bochner/kernel_matrix.h"
#include "learners/kernel_parameters.h"
#include "learners/statistics/normal_equation.h"
#include "models/row_blocks.h"

namespace bochner {
namespace {

/// The most points of a scatter plot; more would not make it clearer.
constexpr std::uint64_t kMostPairs = 2000;
/// The most rows of a spectrum; fewer if their features would take more than 64 MiB.
constexpr std::size_t kMostRows = 512, kMostNumbers = std::size_t{1} << 23;

/// The eigenvalues divided by the number of rows, descending.
std::vector<double> eigenvalues(Matrix<double> K) {
  const double n = static_cast<double>(K.rows());
  std::vector<double> values = spectrum_of(std::move(K)).values;
  for (double& value : values) value /= n;
  std::ranges::reverse(values);
  return values;
}

}  // namespace

void add_spectra(const Features& features, MatrixView<const double> sample, FitDetails& details) {
  const std::size_t most = std::clamp<std::size_t>(kMostNumbers / features.outputs(), 16, kMostRows);
  const std::size_t n = std::min(most, sample.rows());
  Matrix<double> X(n, sample.cols());
  for (std::size_t i = 0; i < n; ++i) std::ranges::copy(sample.row(i * sample.rows() / n), X.view().row(i).begin());
  const Spec& spec = features.spec();
  details.kernel_spectrum =
      eigenvalues(kernel_matrix<double>(X, X, spec.kernel, spec.lengthscale, kernel_parameters(spec)));
  if (!features.symmetric()) return;
  Matrix<double> Z(n, features.outputs()), K(n, n);
  features.transform(X, Z.view());
  multiply_nt(Z, Z, K);
  details.feature_spectrum = eigenvalues(std::move(K));
}

void add_pairs(const ModelPredictor& predictor, RowSource& rows, double holdout, std::uint64_t held_out,
               const Progress& progress, FitDetails& details) {
  std::uint64_t seen = 0;
  const std::uint64_t most = std::min(held_out, kMostPairs);
  const auto wanted = [&](std::uint64_t number) {
    if (!is_held_out(number, holdout)) return false;
    const std::uint64_t before = seen * most / held_out;
    return ++seen * most / held_out > before;
  };
  for_each_row_block(predictor.model().preprocessing, predictor.model().single, rows, wanted, progress, "predicting",
                     [&](const PreparedBlock& block) {
                       const std::vector<double> found = predictor.predict(block.X);
                       details.truths.insert(details.truths.end(), block.y.begin(), block.y.end());
                       details.predictions.insert(details.predictions.end(), found.begin(), found.end());
                     });
}

std::vector<std::size_t> smaller_sizes(std::size_t m) {
  std::vector<std::size_t> sizes;
  for (const std::size_t part : {16, 8, 4, 2})
    if (m / part >= 1 && (sizes.empty() || sizes.back() < m / part)) sizes.push_back(m / part);
  return sizes;
}

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#include "bochner/kernel_pca.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.h"
#include "learners/statistics/normal_equation.h"
#include "learners/statistics/training_data.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// An eigenvector is determined only up to its sign.
void make_largest_positive(std::span<double> row) {
  const auto largest =
      std::max_element(row.begin(), row.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  if (*largest < 0)
    for (double& value : row) value = -value;
}

}  // namespace

KernelPcaFit fit_kernel_pca(const Gram& gram, std::size_t components) {
  const std::size_t outputs = gram.outputs();
  if (components == 0 || components > outputs)
    refuse("components", fmt::format("{}", components), fmt::format("from 1 to {}, the outputs", outputs));
  if (gram.rows() == 0) refuse("gram", "one of no rows", "at least one row of weight > 0");
  require_memory(outputs, 4);  // the Gram matrix, its copy about the mean, workspace for eigenvectors
  KernelPcaFit fit;
  fit.mean = gram.feature_means();
  const Spectrum spectrum = spectrum_of(gram.second_moments(fit.mean));
  const double freedom = gram.weight() > 1 ? gram.weight() - 1 : 1;
  for (const double value : spectrum.values) fit.total_variance += value / freedom;
  fit.model = {Matrix<double>(components, outputs), std::vector<double>(components)};
  for (std::size_t k = 0; k < components; ++k) {
    const std::size_t from = outputs - 1 - k;
    const auto row = fit.model.weights.view().row(k);
    std::copy_n(spectrum.vectors.view().row(from).data(), outputs, row.data());
    make_largest_positive(row);
    fit.model.intercept[k] = -simd::dot<double>(row, fit.mean);
    fit.explained_variance.push_back(spectrum.values[from] / freedom);
  }
  return fit;
}

}  // namespace bochner

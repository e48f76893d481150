// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner {

/// A sample of rows with their targets, n x functions. The search begins at spec.lengthscale.
struct SearchRequest {
  const Spec& spec;
  MatrixView<const double> X, Y;
  std::span<const double> weights;  ///< empty for ones
  std::optional<double> alpha;
  bool per_coordinate;
};

struct SearchedLengthscale {
  std::vector<double> values;
  std::string note;  ///< what was chosen and why
};

/// Searches by the leave-one-out error of ridge regression, on all the rows given.
SearchedLengthscale search_by_error(const SearchRequest& request);
/// Searches by the marginal likelihood of a Gaussian process, on the rows given, or on 4096 of them if there are more.
SearchedLengthscale search_by_likelihood(const SearchRequest& request);

/// Bytes that either search takes: features, matrices whose size is the smaller of rows and outputs, residuals.
double search_bytes(double rows, double outputs, double functions);

}  // namespace bochner

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

/// A sample of rows with targets, n x functions, and where a search begins: spec.lengthscale.
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

/// By the leave-one-out error of ridge regression, on all rows that are given.
SearchedLengthscale search_by_error(const SearchRequest& request);
/// By the marginal likelihood of a Gaussian process, on all of them, at most 4096.
SearchedLengthscale search_by_likelihood(const SearchRequest& request);

/// Bytes of either on so many rows: features, matrices of the size of rows or outputs, whichever are fewer, residuals.
double search_bytes(double rows, double outputs, double functions);

}  // namespace bochner

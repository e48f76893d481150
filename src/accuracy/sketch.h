// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "accuracy/pair_errors.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "bochner/parameters.h"
#include "kernels/kernel.h"

namespace bochner {

/// A sample of a data set in units of the lengthscale: at most 1000 queries and 1000 keys, and weighted pairs of them,
/// so that sum_i weight_i e(x_i, y_i) estimates the mean of e over all pairs.
struct Sketch {
  Matrix<double> queries;
  Matrix<double> keys;
  Pairs pairs;
  std::vector<double> weights;
  std::vector<double> kernel;                    ///< k(x_i, y_i)
  std::vector<double> query_minima, key_minima;  ///< of each column over all rows: a shift must be below every entry
};

/// `one_set`: Y is X. Its pairs are then pairs of different rows, and pairs of a row with itself in the share 1/n that
/// the diagonal has in the Gram matrix. At most `pairs` are taken, or all if there are no more. Throws
/// std::invalid_argument for an entry that is not finite in any row.
template <class T>
Sketch sketch(MatrixView<const T> X, MatrixView<const T> Y, bool one_set, const std::vector<double>& inverse,
              std::uint64_t seed, std::size_t pairs = 2250);

/// Fills sketch.kernel and replaces the weights by those of a measure (plan.h): the mean of e^2 becomes the mean of the
/// squared error in that measure. Throws std::invalid_argument if the measure divides by a k that is too large.
void measure_by(Sketch& sketch, std::string_view measure, const Kernel& kernel, const Parameters& parameters);

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner {

// What hybrid_clustered.cpp computes from the centres of its clusters.

using Diagonal = std::vector<std::complex<double>>;

struct Clusters {
  MatrixView<const double> queries;
  MatrixView<const double> keys;

  std::size_t pairs() const { return queries.rows() * keys.rows(); }
  std::size_t d() const { return queries.cols(); }
};

Clusters clusters_of(const Parameters& parameters);

/// Refuses centres whose number does not match `clusters`.
void check_centres(const Spec& spec);

bool has_mixture(const Parameters& parameters);

/// The diagonal a of the pair: no error at the pair's centres, as long as entries stay between 1/10 and 10.
Diagonal diagonal_of(const Parameters& parameters, const Clusters& clusters, std::size_t pair);

/// `tau`; if it is not given, half the root mean square of |a x + y/a| over the centres of other pairs, so that a
/// coefficient is about e^{-2} there; 1 where there are no other pairs.
double tau_of(const Parameters& parameters, const Clusters& clusters);

/// positive_paired, for what the coefficients leave of the kernel.
Spec rest_spec(const Spec& spec, const Clusters& clusters);

}  // namespace bochner

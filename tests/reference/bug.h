// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bochner::reference {

/// Defects met in random-feature software (or one slip away from it), each of which can be planted in the reference.
/// The laws of tests/conformance must catch every one.
enum class Bug {
  none,
  bandwidth_doubled,           ///< 2 sigma where sigma is meant
  bandwidth_root_two,          ///< exp(-|z|^2 / sigma^2) for exp(-|z|^2 / (2 sigma^2))
  lengthscale_of_first,        ///< one lengthscale for all coordinates
  cosine_scale_two_over_root,  ///< 2 / sqrt(m) for sqrt(2 / m)
  scale_missing,               ///< no 1 / sqrt(m)
  paired_scale_of_single,      ///< 1 / sqrt(m) for 1 / sqrt(2 m)
  qr_without_sign_fix,
  norms_on_columns,      ///< Q diag(norms) for diag(norms) Q
  norms_shared,          ///< one vector of norms for all blocks
  norms_fixed,           ///< sqrt(d) for chi(d)
  norms_unpadded,        ///< chi(d) for chi(D) where inputs are padded to D
  blocks_identical,      ///< every block draws the first one's directions
  rows_independent,      ///< iid rows under the name of a block coupling
  simplex_printed,       ///< sqrt(d + 1) for sqrt(d) + 1
  simplex_rows_of_full,  ///< a partial block takes the first rows of the d-vertex simplex
  norm_term_missing,     ///< no -|x|^2 in the exponent
  norm_term_positive,    ///< +|x|^2
  softmax_factor_missing,
  phases_from_entries,  ///< phases made of the random words of W
  phases_equal,         ///< one phase for all directions
  phases_half,          ///< uniform on (0, pi)
  phases_without_seed,
  sides_differ,                ///< queries and keys have their own W
  count_rounded_up,            ///< m raised to a multiple of 4
  half_precision,              ///< projections accumulated with 11 bits
  entries_uniform,             ///< uniform numbers of variance 1 for normal ones
  counters_collide,            ///< entry (i, j) is drawn from counter i + j
  rows_feel_their_batch,       ///< a row is shifted by the first entry of its batch
  seed_truncated,              ///< only 32 bits of the seed are used
  laws_swapped,                ///< Laplace entries for the laplace kernel, Cauchy ones for the cauchy kernel
  scale_shared,                ///< one chi2 for all rows of a Matern law
  smoothness_halved,           ///< chi2 / nu for chi2 / (2 nu)
  sign_as_step,                ///< sqrt(2) [w.x >= 0], whose mean is 1 - theta/pi
  weight_determinant_missing,  ///< no (1-4A)^{D/4} in front of weighted exponentials
  monomial_sign_missing,       ///< |x|^k for x^k
  monomial_norm_missing,       ///< no e^{-|x|^2/2}
  factorial_missing,           ///< no (k!)^{-1/2}
  law_of_other_monomial,       ///< geometric exponents for Poisson ones, of the same mean
  weight_slope_missing,        ///< w.x for sqrt(1-4A) w.x beside A |w|^2
  key_not_conjugated,          ///< [Re f, Im f] for the key of a complex map
  square_as_norm,              ///< |Mx|^2 for (Mx)^2 = sum (Mx)_k^2
};

}  // namespace bochner::reference

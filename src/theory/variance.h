// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>

#include "theory/blocks.h"
#include "theory/fourier_terms.h"

namespace bochner::theory {

/// Two inputs in units of the lengthscale. The sum and the difference are kept beside the inner product, which does not
/// give them without cancellation near x = y or x = -y.
struct PairGeometry {
  double nx;   ///< |x|^2
  double ny;   ///< |y|^2
  double dot;  ///< x.y
  double v2;   ///< |x+y|^2
  double z2;   ///< |x-y|^2
};

/// The geometry of a pair of which only the inner products are known.
PairGeometry pair_geometry(double nx, double ny, double dot);

// E (phi(x).phi(y) - k(x, y))^2. With m rows, N_b the pairs of block group b, c_b its cosine and the conformities of
// conformity.h, for the Gaussian kernel (Yu et al., Orthogonal Random Features; Reid et al., Simplex Random Features,
// whose Theorem 3.2 is the case of one block, m <= d):
//   trigonometric    1/m [ (1-e^{-z2})^2/2   + (1/m) sum_b N_b (conf_{c_b}(z2) - e^{-z2}) ]
//                    in general 1/m [ Var cos(w.z) + (1/m) sum_b N_b Cov_{c_b} ] + bias^2, see fourier_terms.h
//   cosine           trigonometric + 1/(2m)
//   positive         e^{-2nx-2ny}/m [ e^{2v2} - e^{v2}   + (1/m) sum_b N_b (rho_{c_b}(v2) - e^{v2}) ]
//   positive_paired  e^{-2nx-2ny}/m [ (e^{v2} - 1)^2/2   + (1/m) sum_b N_b (rho_paired_{c_b}(v2) - e^{v2}) ]
// all times e^{log_factor}: 0 for the Gaussian kernel, nx + ny for softmax, whose features are e^{|x|^2/2} times as
// large. Relative error about 2e-15 max(10, d, v2) for v2 and z2 from 1e-12 to 1e3; larger arguments work too. For rows
// of a fixed norm in blocks, whose errors nearly cancel, 4e-15 max(10, d) of the error of independent rows instead.
// +inf where the value is above 1.8e308.
double mse_trigonometric(const FourierTerms& terms, double log_factor, const BlockStructure& blocks);
double mse_cosine(const FourierTerms& terms, double log_factor, const BlockStructure& blocks);
double mse_positive(const PairGeometry& pair, double log_factor, const BlockStructure& blocks);
double mse_positive_paired(const PairGeometry& pair, double log_factor, const BlockStructure& blocks);

/// m times the error of a positive map is a bracket times e^{-2nx-2ny}; here it is given in units of e^{2v2}, in which
/// each of its terms is at most about 1: e^{-2nx-2ny} e^{2v2} = e^{4 x.y}.
double positive_mse(double bracket, const PairGeometry& pair, double log_factor, const BlockStructure& blocks);

/// value e^{exponent} for value >= 0: a large exponent meets a small value (or zero) before it overflows.
double times_exp(double value, double exponent);

/// Standard error of the mean of `draws` estimates phi(x).phi(y), each from its own W: sqrt(mse / draws), the yardstick
/// for a test of unbiasedness. For one draw it is the root-mean-square error itself.
double standard_error(double mse, std::size_t draws);

/// The variance g = E (Re f)^2 - 1 of the real part of a complex random number f of mean 1, with E (Re f)^2 = (Re E f^2
/// + E |f|^2)/2, from b = log E f^2 (complex) and h = log E |f|^2 >= Re b. They come as mean = (b + h)/2 and half gap =
/// (b - h)/2, which the caller has without cancellation: for small ones g = Re(expm1(mean) + 2 e^mean sinh^2(half_gap /
/// 2)). The result is value e^{exponent}, so that nothing overflows.
struct Excess {
  double value;
  double exponent;
};

Excess excess_variance(std::complex<double> mean, std::complex<double> half_gap);

/// a e^{a.exponent} + b e^{b.exponent}, at least 0; +inf where it is above 1.8e308. A value of 0 counts for nothing,
/// however large its exponent.
double scaled_sum(Excess a, Excess b);

}  // namespace bochner::theory

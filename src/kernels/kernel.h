// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "bochner/matrix_view.h"
#include "bochner/parameters.h"
#include "bochner/registry.h"
#include "core/law.h"
#include "theory/fourier_terms.h"

namespace bochner {

/// k(x, y) = kappa(x - y) exp(a (|x|^2 + |y|^2)), kappa the Fourier transform of a probability law (Bochner's theorem),
/// a = 0 for a shift-invariant kernel. Inputs are in units of the lengthscale.
/// `parameters` holds every parameter that the registry entry declares.
/// To add a kernel, write a file with a function `const Kernel& name_kernel()` and add a line to kernels.def.
class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual const Entry& entry() const = 0;
  /// Whether inner products of features of this family have this kernel as their mean.
  virtual bool serves(Family family) const = 0;
  /// The law of w in kappa(z) = E cos(w . z).
  virtual Law spectral_law(const Parameters& parameters) const = 0;
  /// The a of the formula above.
  virtual double norm_exponent() const = 0;
  /// What the closed form of the error needs at z = x - y, for rows in blocks of R^D (z padded with zeros); empty where
  /// no Fourier map serves the kernel. Its covariance may be called only if the law is isotropic.
  virtual std::optional<theory::FourierTerms> fourier_terms(std::span<const double> z, std::size_t D,
                                                            const Parameters& parameters) const = 0;
  /// K(i, j) = k(x_i, y_j), exactly; O(rows(X) rows(Y) d).
  virtual void gram(MatrixView<const double> X, MatrixView<const double> Y, MatrixView<double> K,
                    const Parameters& parameters) const = 0;
};

/// All kernels, in the order of kernels.def.
std::span<const Kernel* const> all_kernels();

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "bochner/export.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner {

/// Random features of a kernel:  k(x, y) ~ phi(x) . phi(y),  phi(x) = f(W x / lengthscale),  W ~ coupling(law).
/// Immutable except for `fit`, so any number of threads may use one object.
class BOCHNER_EXPORT Features {
 public:
  virtual ~Features() = default;

  /// Z = phi(X), row by row: X is n x d, Z is n x outputs(), n may be 0. All factors such as 1/sqrt(m) are inside. The
  /// bits of a row of Z depend only on that row of X, not on n, its batch or the number of threads. Throws
  /// std::invalid_argument if the shapes do not fit or an entry of X is not finite (the message names its row and
  /// column); the contents of Z are then unspecified.
  virtual void transform(MatrixView<const float> X, MatrixView<float> Z, Side side = Side::query) const = 0;
  virtual void transform(MatrixView<const double> X, MatrixView<double> Z, Side side = Side::query) const = 0;

  /// phi(X) = Z exp(log_scale), 0 <= Z <= 1 with a maximum of 1 in each row (a row of zeros has the log scale 0). For
  /// positive maps, whose plain features may leave the range of T; other maps throw std::invalid_argument.
  virtual void transform_scaled(MatrixView<const float> X, MatrixView<float> Z, std::span<float> log_scale,
                                Side side = Side::query) const;
  virtual void transform_scaled(MatrixView<const double> X, MatrixView<double> Z, std::span<double> log_scale,
                                Side side = Side::query) const;

  /// log phi(X) = Z + log_factor: Z holds what differs between the features of a row, -infinity for a feature that is
  /// 0; log_factor holds what they have in common, in double because it may be large and cancel. For positive maps;
  /// others throw std::invalid_argument.
  virtual void transform_log(MatrixView<const float> X, MatrixView<float> Z, std::span<double> log_factor,
                             Side side = Side::query) const;
  virtual void transform_log(MatrixView<const double> X, MatrixView<double> Z, std::span<double> log_factor,
                             Side side = Side::query) const;

  /// Finds from data the parameters that were not given, and only those: X are queries and Y keys (rows of d columns;
  /// an empty Y means X). One pass. Does nothing if no parameter is missing. Throws std::invalid_argument for no rows,
  /// wrong columns and entries that are not finite. Must not be called while other threads use the object.
  virtual void fit(MatrixView<const float> X, MatrixView<const float> Y = {});
  virtual void fit(MatrixView<const double> X, MatrixView<const double> Y = {});
  /// Whether every parameter is known; until then transform throws std::invalid_argument.
  virtual bool fitted() const { return true; }

  /// W for the unit lengthscale, m x d, with projections W (x / lengthscale); for maps of monomials, the exponents.
  virtual Matrix<double> directions() const = 0;

  /// Length of a feature vector.
  virtual std::size_t outputs() const = 0;
  /// Whether queries and keys are mapped in the same way.
  virtual bool symmetric() const = 0;
  /// The spec that was asked for, with every name in its canonical form.
  virtual const Spec& spec() const = 0;

  std::size_t d() const { return spec().d; }
  std::size_t m() const { return spec().m; }
};

/// Draws W and composes the features. Throws std::invalid_argument with a sentence that names the argument, its value
/// and what is allowed, or, for a combination that does not compose, what would fit.
BOCHNER_EXPORT std::unique_ptr<Features> make_features(const Spec& spec);

}  // namespace bochner

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attention/attention_features.h"
#include "attention/exact_rows.h"
#include "attention/key_sums.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// Rows of a chunk as logarithms of features. `kept` is false for a row that does not count.
template <class T>
struct LogRows {
  const HeadFeatures& head;
  MatrixView<T> E;
  const ExactRows<T>& exact;
  std::span<const double> log_factor;
  std::vector<bool> kept;

  /// E(i, j) + log_factor[i], with E in double if the row has it.
  double exponent(std::size_t i, std::size_t j) const {
    const double e = exact.has(i) ? head.slope * exact.row(i)[j] + head.offset[j] : static_cast<double>(E(i, j));
    return e + log_factor[i];
  }
};

/// The building block of gradients of attention: for sinks x_s and sources y_i with values u_i (w numbers each)
///
///   sums(s) = sum_i (sum_j f_j(x_s) g_j(y_i)) u_i          f, g: exponentials of the exponents
///   slopes(s, j) = f_j(x_s) sum_i g_j(y_i) (u_i . c_s),    the derivative of c_s . sums(s) by the exponent of f_j
///
/// where i runs over all sources, or over those before the chunk and those in it up to the position of s. Both are
/// relative to e^{scale(s)}. Exponents of sources are relative to a reference of each feature, replaced as in KeySums,
/// so that nothing overflows and no source that a sink needs has underflowed. Everything is plain matrix products of
/// chunks; the sums take m w numbers.
template <class T>
class Transport {
 public:
  Transport(std::size_t outputs, std::size_t width);

  /// Adds sources; `before(first, last)` is called for every part of unchanged references before it is added.
  template <class Before>
  void add(const LogRows<T>& sources, MatrixView<const T> values, const Before& before) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < sources.E.rows(); ++i) {
      if (exceeded(sources, i)) {
        if (first < i) before(first, i), add_part(sources, values, first, i);
        first = i;
        raise(sources, i);
      }
      exponentiate_source(sources, i);
    }
    if (first < sources.E.rows()) before(first, sources.E.rows()), add_part(sources, values, first, sources.E.rows());
  }

  /// Becomes the sums of two parts, relative to the larger reference of each feature; returns `features`, which are
  /// rows of the later part, relative to the same references.
  Matrix<T> combine(const Transport& before, const Transport& later, MatrixView<const T> features);
  std::size_t outputs() const { return sums_.rows(); }
  std::size_t width() const { return sums_.cols(); }

  /// Turns exponents of sinks [first, last) into f, relative to e^{scale}.
  void prepare(const LogRows<T>& sinks, std::size_t first, std::size_t last, std::span<double> scale) const;
  /// sums(s) of prepared sinks. `own`: features of the sources of the same part, if they are not in the sums yet.
  void sum(MatrixView<const T> sinks, MatrixView<const T> own, MatrixView<const T> own_values,
           MatrixView<T> sums) const;
  /// slopes(s, .) of prepared sinks for c_s in the rows of `cotangents`.
  void slope(MatrixView<const T> sinks, MatrixView<const T> cotangents, MatrixView<const T> own,
             MatrixView<const T> own_values, MatrixView<T> slopes) const;

 private:
  static constexpr double kNone = -1e30;
  static constexpr double kThreshold = 20;

  bool exceeded(const LogRows<T>& rows, std::size_t i) const;
  void raise(const LogRows<T>& rows, std::size_t i);
  void exponentiate_source(const LogRows<T>& rows, std::size_t i) const;
  void add_part(const LogRows<T>& sources, MatrixView<const T> values, std::size_t first, std::size_t last);

  std::vector<double> reference_;
  Matrix<T> sums_;
};

}  // namespace bochner

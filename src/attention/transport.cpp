// SPDX-License-Identifier: Apache-2.0
#include "attention/transport.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.h"

namespace bochner {
namespace {

/// Sources after a sink's own position do not count.
template <class T>
void keep_lower_triangle(MatrixView<T> A) {
  for (std::size_t i = 0; i < A.rows(); ++i)
    std::fill(A.row(i).begin() + static_cast<std::ptrdiff_t>(i) + 1, A.row(i).end(), T(0));
}

}  // namespace

template <class T>
Transport<T>::Transport(std::size_t outputs, std::size_t width)
    : reference_(outputs, kNone), sums_(outputs, width, T(0)) {}

template <class T>
bool Transport<T>::exceeded(const LogRows<T>& rows, std::size_t i) const {
  if (!rows.kept[i]) return false;
  for (std::size_t j = 0; j < reference_.size(); ++j)
    if (rows.exponent(i, j) > reference_[j] + kThreshold) return true;
  return false;
}

template <class T>
void Transport<T>::raise(const LogRows<T>& rows, std::size_t i) {
  for (std::size_t j = 0; j < reference_.size(); ++j) {
    const double exponent = rows.exponent(i, j);
    if (!(exponent > reference_[j] + kThreshold)) continue;
    const T factor = static_cast<T>(std::exp(reference_[j] - exponent));
    for (T& number : sums_.view().row(j)) number *= factor;
    reference_[j] = exponent;
  }
}

template <class T>
void Transport<T>::exponentiate_source(const LogRows<T>& rows, std::size_t i) const {
  for (std::size_t j = 0; j < reference_.size(); ++j)
    rows.E(i, j) = rows.kept[i] ? static_cast<T>(std::exp(rows.exponent(i, j) - reference_[j])) : T(0);
}

template <class T>
void Transport<T>::add_part(const LogRows<T>& sources, MatrixView<const T> values, std::size_t first,
                            std::size_t last) {
  blas::gemm_tn<T>(1, sources.E.row_range(first, last), values.row_range(first, last), 1, sums_);
}

template <class T>
Matrix<T> Transport<T>::combine(const Transport& before, const Transport& later, MatrixView<const T> features) {
  std::vector<T> share(reference_.size());
  for (std::size_t j = 0; j < reference_.size(); ++j) {
    reference_[j] = std::max(before.reference_[j], later.reference_[j]);
    const T past = static_cast<T>(std::exp(before.reference_[j] - reference_[j]));
    share[j] = static_cast<T>(std::exp(later.reference_[j] - reference_[j]));
    for (std::size_t c = 0; c < sums_.cols(); ++c)
      sums_(j, c) = past * before.sums_(j, c) + share[j] * later.sums_(j, c);
  }
  Matrix<T> relative(features.rows(), features.cols());
  for (std::size_t i = 0; i < features.rows(); ++i)
    for (std::size_t j = 0; j < features.cols(); ++j) relative(i, j) = features(i, j) * share[j];
  return relative;
}

template <class T>
void Transport<T>::prepare(const LogRows<T>& sinks, std::size_t first, std::size_t last,
                           std::span<double> scale) const {
  std::vector<double> exponents(reference_.size());
  for (std::size_t i = first; i < last; ++i) {
    for (std::size_t j = 0; j < exponents.size(); ++j) exponents[j] = sinks.exponent(i, j) + reference_[j];
    const double top = *std::max_element(exponents.begin(), exponents.end());
    const bool counts = sinks.kept[i] && top > kNone / 2;
    scale[i] = counts ? top : 0.0;
    for (std::size_t j = 0; j < exponents.size(); ++j)
      sinks.E(i, j) = counts ? static_cast<T>(std::exp(exponents[j] - top)) : T(0);
  }
}

template <class T>
void Transport<T>::sum(MatrixView<const T> sinks, MatrixView<const T> own, MatrixView<const T> own_values,
                       MatrixView<T> sums) const {
  blas::gemm_nn<T>(1, sinks, sums_, 0, sums);
  if (own.rows() == 0) return;
  Matrix<T> weights(sinks.rows(), own.rows());
  blas::gemm_nt<T>(1, sinks, own, 0, weights);
  keep_lower_triangle<T>(weights);
  blas::gemm_nn<T>(1, weights, own_values, 1, sums);
}

template <class T>
void Transport<T>::slope(MatrixView<const T> sinks, MatrixView<const T> cotangents, MatrixView<const T> own,
                         MatrixView<const T> own_values, MatrixView<T> slopes) const {
  blas::gemm_nt<T>(1, cotangents, sums_, 0, slopes);
  if (own.rows() > 0) {
    Matrix<T> products(sinks.rows(), own.rows());
    blas::gemm_nt<T>(1, cotangents, own_values, 0, products);
    keep_lower_triangle<T>(products);
    blas::gemm_nn<T>(1, products, own, 1, slopes);
  }
  for (std::size_t i = 0; i < slopes.rows(); ++i)
    for (std::size_t j = 0; j < slopes.cols(); ++j) slopes(i, j) *= sinks(i, j);
}

template class Transport<float>;
template class Transport<double>;

}  // namespace bochner

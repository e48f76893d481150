// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bochner/spec.h"
#include "reference/bug.h"

namespace bochner::reference {

using LongComplex = std::complex<long double>;

/// What a map is made of for one row: u = x / lengthscale, |u|^2, and a of k(x, y) = kappa(x - y) e^{a(|x|^2 + |y|^2)}.
struct Row {
  std::vector<long double> u;
  long double norm2 = 0;
  double norm_exponent = 0;
};

/// D: a block has D rows, drawn in R^D.
inline std::size_t block_size(const Spec& spec) {
  const auto block = spec.parameters.find("block");
  return block == spec.parameters.end() ? spec.d : static_cast<std::size_t>(std::get<double>(block->second));
}

/// Maps exp(complex) with sides of their own.
inline bool is_complex_map(std::string_view map) { return map == "exponential" || map == "complex_exponential"; }

/// A as numbers: one, d, or d * d.
inline std::vector<LongComplex> weights_A(const Spec& spec) {
  const Value& value = spec.parameters.find("A")->second;
  if (const double* real = std::get_if<double>(&value)) return {*real};
  if (const auto* single = std::get_if<std::complex<double>>(&value)) return {*single};
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return {list->begin(), list->end()};
  const auto& list = std::get<std::vector<std::complex<double>>>(value);
  return {list.begin(), list.end()};
}

inline bool is_complex_valued(const Spec& spec) {
  const auto s = spec.parameters.find("s");
  if (s != spec.parameters.end() && std::get<double>(s->second) < 0) return true;
  return std::ranges::any_of(weights_A(spec), [](const LongComplex& entry) { return entry.imag() != 0; });
}

/// (A')^{-1} by Gauss and Jordan with row exchanges.
inline std::vector<LongComplex> inverse_transposed(std::vector<LongComplex> A, std::size_t d) {
  std::vector<LongComplex> B(d * d), result(d * d);
  for (std::size_t i = 0; i < d; ++i) B[i * d + i] = 1;
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < d; ++i)
      if (std::abs(A[i * d + k]) > std::abs(A[pivot * d + k])) pivot = i;
    for (std::size_t j = 0; j < d; ++j)
      std::swap(A[k * d + j], A[pivot * d + j]), std::swap(B[k * d + j], B[pivot * d + j]);
    const LongComplex first = A[k * d + k];
    for (std::size_t j = 0; j < d; ++j) A[k * d + j] /= first, B[k * d + j] /= first;
    for (std::size_t i = 0; i < d; ++i) {
      const LongComplex factor = A[i * d + k];
      for (std::size_t j = 0; i != k && j < d; ++j)
        A[i * d + j] -= factor * A[k * d + j], B[i * d + j] -= factor * B[k * d + j];
    }
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) result[i * d + j] = B[j * d + i];
  return result;
}

/// M of a side, d or d * d numbers as A has: A, or (A')^{-1} for keys. The last one is kept: every row asks again.
inline const std::vector<LongComplex>& matrix_of(const Spec& spec, Side side) {
  static thread_local std::vector<LongComplex> given, inverse;
  const std::vector<LongComplex> A = weights_A(spec);
  if (A != given) {
    given = inverse = A;
    if (A.size() != spec.d) inverse = inverse_transposed(A, spec.d);
    for (LongComplex& entry : inverse)
      if (A.size() == spec.d) entry = 1.0L / entry;
  }
  return side == Side::query ? given : inverse;
}

/// M u of a side, and sum_k |M_lk u_k|; empty for maps without M.
struct Lifted {
  std::vector<LongComplex> u;
  std::vector<long double> sizes;
};

inline Lifted lifted(const Spec& spec, const Row& row, Side side) {
  if (spec.map != "complex_exponential") return {};
  const std::vector<LongComplex>& M = matrix_of(spec, side);
  Lifted result{std::vector<LongComplex>(spec.d), std::vector<long double>(spec.d)};
  const bool diagonal = M.size() == spec.d;
  for (std::size_t i = 0; i < spec.d; ++i)
    for (std::size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : spec.d); ++j) {
      const LongComplex term = M[diagonal ? i : i * spec.d + j] * row.u[j];
      result.u[i] += term;
      result.sizes[i] += std::abs(term);
    }
  return result;
}

/// log f of one direction, without the factor 1/sqrt(m).
inline LongComplex complex_exponent(const Spec& spec, std::span<const double> w, long double squared_norm,
                                    const Row& row, const Lifted& lifted, Side side, Bug bug = Bug::none) {
  if (spec.map == "complex_exponential") {
    const std::vector<LongComplex>& Mu = lifted.u;
    LongComplex exponent = (row.norm_exponent - 0.5L) * row.norm2;
    for (std::size_t l = 0; l < w.size(); ++l)
      exponent += static_cast<long double>(w[l]) * Mu[l] -
                  (bug == Bug::square_as_norm ? LongComplex(std::norm(Mu[l])) : Mu[l] * Mu[l]) / 2.0L;
    return exponent;
  }
  const LongComplex A = weights_A(spec)[0];
  const long double s = std::get<double>(spec.parameters.find("s")->second);
  const LongComplex B = std::sqrt(s * (1.0L - 4.0L * A)) * (side == Side::key ? s : 1.0L);
  long double p = 0;
  for (std::size_t l = 0; l < w.size(); ++l) p += w[l] * row.u[l];
  const long double D = static_cast<long double>(block_size(spec));
  return A * squared_norm + D / 4 * std::log(1.0L - 4.0L * A) + B * p + (row.norm_exponent - (s + 1) / 2) * row.norm2;
}

/// The sum of the sizes of what an exponent is made of; `terms`: sum |w_l u_l|, or what bounds it inside a transform.
inline long double exponent_size(const Spec& spec, std::span<const double> w, long double squared_norm, const Row& row,
                                 const Lifted& lifted, long double terms) {
  if (spec.map == "exponential") {
    const LongComplex A = weights_A(spec)[0];
    const long double D = static_cast<long double>(block_size(spec));
    return std::sqrt(std::abs(1.0L - 4.0L * A)) * terms + std::abs(A) * squared_norm +
           D / 4 * std::abs(std::log(1.0L - 4.0L * A)) + row.norm2;
  }
  long double sum = row.norm2, norm2 = 0;
  for (std::size_t l = 0; l < w.size(); ++l) {
    sum += std::abs(w[l]) * lifted.sizes[l];
    norm2 += lifted.sizes[l] * lifted.sizes[l];
  }
  return norm2 + std::max(sum, terms * std::sqrt(norm2 / std::max(row.norm2, 1e-300L)));
}

}  // namespace bochner::reference

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/matrix_view.h"
#include "bochner/spec.h"
#include "core/stream.h"
#include "reference/bug.h"
#include "reference/complex_maps.h"
#include "reference/kernels.h"

namespace bochner::reference {

/// b_i of the cosine map in turns, (0, 1): the phase is 2 pi b_i.
inline std::vector<double> turns(const Spec& spec, Bug bug = Bug::none) {
  const Purpose purpose = bug == Bug::phases_from_entries ? Purpose::iid_entries : Purpose::phases;
  const Stream stream(bug == Bug::phases_without_seed ? 0 : spec.seed, purpose);
  std::vector<double> b(spec.m);
  for (std::size_t i = 0; i < spec.m; ++i) {
    b[i] = stream.uniform(bug == Bug::phases_equal ? 0 : i, 0);
    if (bug == Bug::phases_half) b[i] /= 2;
  }
  return b;
}

/// To 11 significant bits.
inline long double to_half(long double value) {
  int exponent = 0;
  const long double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
}

inline Row scaled_row(const Spec& spec, std::span<const double> x, Bug bug = Bug::none) {
  Row row;
  for (std::size_t l = 0; l < x.size(); ++l) {
    long double sigma = lengthscale_at(spec.lengthscale, bug == Bug::lengthscale_of_first ? 0 : l);
    if (bug == Bug::bandwidth_doubled) sigma *= 2;
    if (bug == Bug::bandwidth_root_two) sigma /= std::numbers::sqrt2_v<long double>;
    row.u.push_back(x[l] / sigma);
    row.norm2 += row.u[l] * row.u[l];
  }
  row.norm_exponent = spec.kernel == "softmax" && bug != Bug::softmax_factor_missing ? 0.5 : 0.0;
  return row;
}

inline long double projection(std::span<const double> w, const Row& row, Bug bug = Bug::none) {
  long double sum = 0;
  for (std::size_t l = 0; l < w.size(); ++l) {
    sum += w[l] * row.u[l];
    if (bug == Bug::half_precision) sum = to_half(sum);
  }
  return sum;
}

/// The factor in front of f: 1/sqrt(m), sqrt(2/m) or 1/sqrt(2m).
inline double feature_scale(const Spec& spec, Bug bug = Bug::none) {
  const double m = static_cast<double>(spec.m);
  if (bug == Bug::scale_missing) return 1;
  if (spec.map == "cosine") return bug == Bug::cosine_scale_two_over_root ? 2 / std::sqrt(m) : std::sqrt(2 / m);
  if (spec.map.ends_with("_paired") && bug != Bug::paired_scale_of_single) return 1 / std::sqrt(2 * m);
  return 1 / std::sqrt(m);
}

/// The exponent's multiple of |x|^2 in the positive maps.
inline double positive_norm_term(const Row& row, Bug bug) {
  if (bug == Bug::norm_term_missing) return row.norm_exponent;
  return row.norm_exponent + (bug == Bug::norm_term_positive ? 1 : -1);
}

inline bool knows_map(std::string_view map) {
  for (const char* known :
       {"trigonometric", "cosine", "positive", "positive_paired", "sign", "optimal_positive", "optimal_positive_paired",
        "poisson", "geometric", "poisson_positive", "geometric_positive"})
    if (map == known) return true;
  return is_complex_map(map);
}

/// log k!, k a whole number below 4096.
inline long double log_factorial(double k) {
  static const std::vector<long double> table = [] {
    std::vector<long double> sums(4096, 0.0L);
    for (std::size_t i = 2; i < sums.size(); ++i) sums[i] = sums[i - 1] + std::log(static_cast<long double>(i));
    return sums;
  }();
  return table.at(static_cast<std::size_t>(k));
}

/// A monomial: its sign, the logarithm of its magnitude, and the size of what is added in that.
struct Monomial {
  long double sign = 1;
  long double exponent = 0;
  long double size = 0;

  void add(long double term) {
    exponent += term;
    size += std::abs(term);
  }
  void multiply(long double x, double k, long double root) {
    if (x < 0 && std::fmod(k, 2) == 1) sign = -sign;
    add(k * std::log(std::abs(x) / root));
  }
};

/// exp((a - 1/2) |u|^2) prod_l u_l^{k_l} (k_l! P(k_l))^{-1/2}; u less the shift c where there is one, but for a |u|^2.
/// A factor u_l - c_l has the rounding of u_l and c_l.
inline Monomial monomial(const Spec& spec, std::span<const double> k, const Row& row, Bug bug = Bug::none) {
  const bool poisson = spec.parameters.contains("rate");
  const long double parameter = std::get<double>(spec.parameters.at(poisson ? "rate" : "p"));
  const long double root = std::sqrt(poisson ? parameter : 1 - parameter);
  const auto shift = spec.parameters.find("shift");
  Monomial product;
  product.add(row.norm_exponent * row.norm2);
  for (std::size_t l = 0; l < k.size(); ++l) {
    long double c = 0;
    if (shift != spec.parameters.end()) {
      const auto* list = std::get_if<std::vector<double>>(&shift->second);
      c = (list != nullptr ? (*list)[l] : std::get<double>(shift->second)) / lengthscale_at(spec.lengthscale, l);
    }
    const long double x = row.u[l] - c;
    product.add(bug == Bug::monomial_norm_missing ? 0 : -x * x / 2);
    product.add(poisson ? parameter / 2 : -std::log(parameter) / 2);
    if (k[l] == 0) continue;
    product.multiply(bug == Bug::monomial_sign_missing ? std::abs(x) : x, k[l], root);
    if (!poisson && bug != Bug::factorial_missing) product.add(-log_factorial(k[l]) / 2);
    product.size += k[l] * (std::abs(row.u[l]) + std::abs(c)) / std::abs(x);
  }
  return product;
}

/// exp(shift + offset +- slope p) is what a positive map is: A |w|^2 + D/4 log(1-4A) and sqrt(1-4A), or 0 and 1.
struct Weight {
  long double offset = 0;
  long double slope = 1;
  long double size = 0;  ///< of the two terms of the offset
};

inline Weight weight(const Spec& spec, double squared_norm, Bug bug = Bug::none) {
  const auto A = spec.parameters.find("A");
  if (A == spec.parameters.end() || is_complex_map(spec.map)) return {};
  const long double a = std::get<double>(A->second);
  const long double determinant = static_cast<long double>(block_size(spec)) / 4 * std::log1p(-4 * a);
  return {a * squared_norm + (bug == Bug::weight_determinant_missing ? 0 : determinant),
          bug == Bug::weight_slope_missing ? 1 : std::sqrt(1 - 4 * a),
          std::abs(a * squared_norm) + std::abs(determinant)};
}

/// phi(x) from an explicit W (m x d of the unit lengthscale) and, for the cosine map, explicit phases 2 pi b.
/// `squared_norms`: of the rows in R^D; those of W where none are given. In long double, then rounded.
inline std::vector<double> features(const Spec& spec, MatrixView<const double> W, std::span<const double> b,
                                    std::span<const double> x, Bug bug = Bug::none,
                                    std::span<const double> squared_norms = {}, Side side = Side::query) {
  constexpr long double kTwoPi = 2 * std::numbers::pi_v<long double>;
  const Row row = scaled_row(spec, x, bug);
  const long double scale = feature_scale(spec, bug);
  const long double factor = std::exp(row.norm_exponent * row.norm2);
  const long double shift = positive_norm_term(row, bug) * row.norm2;
  const Lifted lift = lifted(spec, row, side);
  std::vector<double> first, second;
  for (std::size_t i = 0; i < W.rows(); ++i) {
    double norm2 = squared_norms.empty() ? 0 : squared_norms[i];
    for (std::size_t l = 0; squared_norms.empty() && l < W.cols(); ++l) norm2 += W(i, l) * W(i, l);
    if (is_complex_map(spec.map)) {
      const LongComplex f = scale * std::exp(complex_exponent(spec, W.row(i), norm2, row, lift, side, bug));
      first.push_back(static_cast<double>(f.real()));
      if (is_complex_valued(spec))
        second.push_back(
            static_cast<double>(side == Side::key && bug != Bug::key_not_conjugated ? -f.imag() : f.imag()));
      continue;
    }
    if (spec.parameters.contains("rate") || spec.parameters.contains("p")) {
      const Monomial product = monomial(spec, W.row(i), row, bug);
      first.push_back(static_cast<double>(scale * product.sign * std::exp(product.exponent)));
      continue;
    }
    const Weight factor_of_w = weight(spec, norm2, bug);
    const long double offset = factor_of_w.offset;
    const long double p = factor_of_w.slope * projection(W.row(i), row, bug);
    if (spec.map == "trigonometric") {
      first.push_back(static_cast<double>(scale * factor * std::sin(p)));
      second.push_back(static_cast<double>(scale * factor * std::cos(p)));
    } else if (spec.map == "cosine") {
      first.push_back(static_cast<double>(scale * factor * std::cos(p + kTwoPi * b[i])));
    } else if (spec.map.ends_with("positive")) {
      first.push_back(static_cast<double>(scale * std::exp(p + shift + offset)));
    } else if (spec.map.ends_with("positive_paired")) {
      first.push_back(static_cast<double>(scale * std::exp(p + shift + offset)));
      second.push_back(static_cast<double>(scale * std::exp(-p + shift + offset)));
    } else if (spec.map == "sign") {
      const long double below = bug == Bug::sign_as_step ? 0 : -1,
                        above = bug == Bug::sign_as_step ? std::sqrt(2.0L) : 1;
      first.push_back(static_cast<double>(scale * (p >= 0 ? above : below)));
    } else {
      throw std::invalid_argument("no reference for map " + spec.map);
    }
  }
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace bochner::reference
